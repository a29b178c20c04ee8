// Files of games before they are read: their text, and the rule sets that they name, as the program
// takes them (ur_solver/records/source.py).

import { Refusal } from "./common.js";
import { isJson, valuesOf, wordsOf } from "./royalur.js";
import { said, say } from "./speech.js";

/** Bytes that mean nothing in Windows-1252, and those that no text has. */
const NO_LETTERS = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);
const isControl = (byte) => byte < 9 || (byte > 13 && byte < 26) || (byte > 26 && byte < 32);

/**
 * The text of a file: in UTF-8, or UTF-16 with a byte order mark; a line that is not UTF-8 is in
 * Windows-1252, of which `warn` is told once. @param {Uint8Array} bytes @param {(words: string) => void} warn
 */
export function fileText(bytes, warn) {
  const [one, two] = bytes;
  const utf16 = one === 0xff && two === 0xfe ? "utf-16le" : one === 0xfe && two === 0xff ? "utf-16be" : "";
  if (utf16) return cleaned(decoded(bytes, utf16) ?? refuse(inLine(1, say("refused.utf16"))));
  const whole = decoded(bytes, "utf-8");
  return cleaned(whole ?? linesOf(bytes).map((line, k) => decoded(line, "utf-8") ?? ownLine(line, k + 1)).join(""));

  function ownLine(line, number) {
    if (line.some((byte) => NO_LETTERS.has(byte) || isControl(byte))) refuse(inLine(number, say("refused.bytes")));
    const text = decoded(line, "windows-1252");
    warn(said(inLine(number, say("refused.windows", { text: text.trim().slice(0, 60) }))));
    warn = () => {};
    return text;
  }
}

const inLine = (line, fault) => ["refused.line", { line: String(line), column: "none", fault }];

function refuse(saying) {
  throw new Refusal(saying);
}

function decoded(bytes, name) {
  try {
    return new TextDecoder(name, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Bytes line by line, each with its end. */
function linesOf(bytes) {
  const lines = [];
  let begin = 0;
  bytes.forEach((byte, k) => {
    if (byte !== 10 && (byte !== 13 || bytes[k + 1] === 10)) return;
    lines.push(bytes.subarray(begin, k + 1));
    begin = k + 1;
  });
  return [...lines, bytes.subarray(begin)];
}

const cleaned = (text) => text.replace(/[\0\x1a\ufeff]/g, "").replace(/\r\n?/g, "\n");

const RULES = /(?:^|\[)[ \t]*"?rules"?(?:\s*:\s*|\s+)"?([a-z][\w.-]*)(?:[ \t]*[:\s][ \t]*(\d+))?/gim;
const PIECES = /(?:^|\[)[ \t]*"?pieces"?(?:\s*:\s*|\s+)"?(\d+)/im;

/** The rule sets that the games of a text name, as words. @param {any[]} rules those that are known */
export function wordsIn(text, rules) {
  const found = isJson(text) ? valuesOf(text).flatMap((read) => {
    try {
      return wordsOf(read(), rules);
    } catch {
      return [];
    }
  }) : [...text.matchAll(RULES)].map(([, name, count]) => {
    const known = rules.find((each) => each.name === name.toLowerCase());
    return known && `${known.name}:${count ?? PIECES.exec(text)?.[1] ?? known.pieces}`;
  });
  return [...new Set(found.filter(Boolean))];
}
