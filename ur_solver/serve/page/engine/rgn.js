// RGN as the program and RoyalUr's library write it (ur_solver/records/rgn.py): tags, turns, moves.
// What people write besides wants the program. Comments are left out.

import { other } from "./moves.js";
import { NAMES } from "./notation.js";

const TOKEN = new RegExp([
  /\s+|^[#%].*|;.*|\{(?:[^}\\]|\\[^])*\}/, // blanks, comments
  /(?<tag>\[(?:[^\]"\n]|"(?:[^"\\\n]|\\.)*")*\])/,
  /(?<number>\d+)\.|(?<slash>\/)|(?<end>#)/,
  /(?:(?<by>\d{1,2}):)?(?<move>[A-C](?:@|\d+)[A-C](?:\+|\d+))(?<capture>x?)(?<rosette>\s*\*)?(?<stop>\s+stop)?(?![^\s/#{;])/,
  /(?<thrown>\d{1,2})\s+--/,
  /(?<fault>\S+)/,
].map(({ source }) => source).join("|"), "gmy");
const TAG = /^\[\s*("(?:[^"\\]|\\.)+"|[^\s"]+)\s+("(?:[^"\\]|\\.)*"|[^"]*?)\s*\]$/;
const ESCAPES = { r: "\r", n: "\n" };
const BARE = /^[A-Za-z][A-Za-z0-9_.-]*$/;
const STOP = " stop";
const MOST_LETTERS = 59;

/** Whether a text is in RGN, by its first line that is no comment. */
export function isRgn(text) {
  const line = text.split("\n").map((each) => each.replace("\ufeff", "").trim()).find((each) => each && !/^[#;%]/.test(each));
  return /^(\[|\/|\d+\.\s*[A-C\d])/.test(line ?? "");
}

/**
 * The games of a text before their rules are known: their tags, moves and throws, and the first fault.
 * A tag after a game's turns begins another one, and so does what follows its end.
 */
export function rgnParts(text) {
  const games = [];
  let game = null;
  let side = null;
  let [line, first] = [1, 0];
  for (const { 0: token, index, groups } of text.replace("\ufeff", "").matchAll(TOKEN)) {
    const place = { line, column: index - first + 1 };
    const breaks = token.split("\n").length - 1;
    if (breaks) [line, first] = [line + breaks, index + token.lastIndexOf("\n") + 1];
    const kind = Object.keys(groups).find((each) => groups[each] !== undefined);
    if (!kind) continue;
    if (!game || game.isEnded || (game.actions.length && (groups.tag || groups.number === "1"))) {
      game = { tags: [], actions: [], isEnded: false, fault: null };
      side = null;
      games.push(game);
    }
    const expect = (isRight, expected) => {
      if (!isRight) game.fault ??= { ...place, message: `'${token.slice(0, 40)}' is not RGN as this page reads it: expected ${expected}` };
    };
    if (groups.tag) {
      const [, name, value] = TAG.exec(token) ?? [];
      expect(name, 'a tag such as [Light "Ann"]');
      if (name) game.tags.push({ ...place, name: unquoted(name), value: unquoted(value) });
    } else if (groups.number || groups.slash) side = groups.slash ? "D" : "L";
    else if (groups.end) game.isEnded = true;
    else if (groups.fault) expect(false, "a move such as A@A3, or a throw without one, such as 0 --");
    else {
      expect(side, "a turn's number or '/' before it");
      game.actions.push({ ...place, side, text: token, ...groups });
    }
  }
  return games;
}

function unquoted(text) {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, (_, letter) => ESCAPES[letter] ?? letter) : text;
}

/**
 * The turns that actions stand for, each by the only legal move that it fits.
 * @param {import("./moves.js").Moves} moves @param {string} start
 * @param {(line: number, message: string, column: number) => Error} refusal
 * @returns {import("./games.js").Turn[]}
 */
export function rgnTurns(moves, start, actions, refusal) {
  let { row, side } = moves.encode(start);
  return actions.map((action, k) => {
    const { line, column, text, by, move, thrown } = action;
    const fail = (message) => { throw refusal(line, message, column); };
    const winner = moves.winner(row, side);
    if (winner) fail(`the game was over: ${NAMES[winner]} had won`);
    if (action.side !== side) fail(`${side} is to throw, not ${action.side}`);
    const legal = moves.rolls(row).flatMap(({ throws, movesBy }) => (movesBy === null ? []
      : moves.steps(row, movesBy).map((step) => ({ throws, step, text: moves.text(side, step) }))));
    if (thrown) {
      const could = legal.filter(({ throws }) => throws[0] === Number(thrown));
      // in the last turn no move may stand for one that has not been made
      if (could.length && k + 1 < actions.length) fail(`a move is missing; legal: ${could.map((each) => each.text).join(", ")}`);
      [row, side] = [moves.mirror(row), other(side)];
      return { line, side: action.side, turn: [null, [Number(thrown)], null] };
    }
    const fitting = legal.filter((each) => baseOf(each.text) === baseOf(move)
      && (!by || each.throws[0] === Number(by)) && fits(each.text, action));
    const exact = fitting.filter((each) => hasMarks(each.text, action));
    const found = exact.length === 1 ? exact : fitting;
    if (!found.length) fail(`'${text}' is not legal here`);
    if (found.length > 1) fail(`'${text}' could be made with throw ${found.map(({ throws }) => throws[0]).join(" or ")}; write '${found[0].throws[0]}:${text}'`);
    const [{ throws, step, text: written }] = found;
    [row, side] = [step.row, step.again ? side : other(side)];
    return { line, side: action.side, turn: [null, throws, written] };
  });
}

/** A move without its marks; where pieces are borne off is written in two ways. */
const baseOf = (text) => text.split(STOP)[0].replace(/[x*]+$/, "").replace(/[A-C]\+$/, "+");
const isCapture = (text) => text.includes("x");
const isRosette = (text) => text.includes("*");

/** Whether a legal move has all marks that are written; they may be left out, but for that of a stop. */
function fits(text, { capture, rosette, stop }) {
  return isCapture(text) >= Boolean(capture) && isRosette(text) >= Boolean(rosette)
    && text.includes(STOP) === Boolean(stop);
}

function hasMarks(text, { capture, rosette }) {
  return isCapture(text) === Boolean(capture) && isRosette(text) === Boolean(rosette);
}

/** A game as the program writes it. @param {import("./games.js").Game} game */
export function writeRgn(moves, game, { ending, winner }, endText) {
  const { turns } = game;
  const tags = { ...game.names, Rules: moves.about.record_rules };
  const isPlain = ["won", "unfinished"].includes(ending) || (ending === "ended" && !winner && turns.length);
  if (!isPlain) tags.Ending = endText;
  if (game.rounds) tags.Opening = game.rounds;
  else if (game.start !== moves.about.start) tags.Start = game.start;
  const head = Object.entries(tags).map(([name, value]) => `[${quoted(name)} ${quoted(value)}]`);
  const lines = [];
  let [line, side, number] = ["", null, 0];
  turns.forEach((turn, k) => {
    let text = actionText(moves, turn);
    if (k + 1 === turns.length && ending !== "unfinished") text += "#";
    const begins = turn.side !== side;
    side = turn.side;
    if (begins && side === "L") number++;
    if (begins) text = side === "L" ? `${number}. ${text}` : `/ ${text}`;
    if ((begins && side === "L") || line.length + 1 + text.length > MOST_LETTERS) {
      if (line) lines.push(line);
      line = text;
    } else {
      line = line ? `${line} ${text}` : text;
    }
  });
  if (line) lines.push(line);
  return `${[...head, "", ...lines].join("\n")}\n`;
}

function quoted(text) {
  if (BARE.test(text)) return text;
  return `"${text.replace(/["\\]/g, "\\$&").replaceAll("\r", "\\r").replaceAll("\n", "\\n")}"`;
}

function actionText(moves, { side, turn: [, [thrown], move] }) {
  if (move === null) return `${thrown} --`;
  const { off, unclear } = moves.data.rgn[NAMES[side]];
  let [text, ...stop] = move.split(STOP);
  if (text.endsWith("+")) text = text.slice(0, -2) + off;
  const isUnclear = unclear.includes(text.replace(/[x*]+$/, ""));
  return `${isUnclear ? `${thrown}:` : ""}${text.replace("*", " *")}${stop.length ? STOP : ""}`;
}
