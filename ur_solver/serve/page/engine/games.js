// Games as the page saves them, read and judged: in the plain notation (ur_solver/records/plain.py), in
// RGN and in RoyalUr's JSON. What people write by hand wants the program.

import { Refusal, TurnRefusal, part } from "../common.js";
import { said } from "../speech.js";
import { pliesByTurn } from "../tree.js";
import { plainText } from "../words.js";
import { lineAnswer, openedBy } from "./line.js";
import { other } from "./moves.js";
import { NAMES } from "./notation.js";

const HEADER = /^([\w.-]+):(?:\s+(.*))?$/;
const TURN = /^([LD]) (?:([a-z]+) )?(\d{1,2}(?: \d{1,2})?) (\S.*)$/;
const END = /^(won|resigned|timeout|abandoned|ended|unfinished)(?: by ([LD]))?(?:, winner ([LD]))?(?:, reason (\S.*))?$/;
const NO_MOVE = "--";
const MOST_GAMES = 50;

/** The headers that tags stand for, in small letters. */
const HEADERS = new Map([["rules", "rules"], ["start", "start"], ["opening", "opening"], ["ending", "end"]]);

const DEEDS = { resigned: "resigned", timeout: "lost on time" };

/**
 * @typedef {{line: number, turn: [string | null, number[], string | null], side: string}} Turn
 * @typedef {{start: string, rounds?: string, names: {[key: string]: string}, end: string, turns: Turn[]}} Game
 */

/** A fault at a line of the text; or at another place, such as a state of RoyalUr's JSON. */
function refusal(line, saying, column = null) {
  const fault = said(saying);
  if (typeof line === "string") return new Refusal(`${line}: ${fault}`);
  return new Refusal(["refused.line", { line: String(line), column: String(column ?? "none"), fault }], { line, column });
}

function unquoted(text, line) {
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(line, ["refused.string", { text }]);
  }
}

/** The games of a text, each the numbered lines that belong to it. */
function parts(text) {
  const games = [];
  let game = null;
  text.replace("\ufeff", "").split(/\r\n?|\n/).forEach((raw, k) => {
    const line = raw.trim();
    if (!line || /^[#;]/.test(line)) return;
    const header = HEADER.exec(line);
    const isEnd = header?.[1] === "end";
    if (!game || game.isOver || (header && !isEnd && game.hasTurns)) {
      game = { lines: [], hasTurns: false, isOver: false };
      games.push(game);
    }
    game.lines.push({ number: k + 1, line, header });
    if (!header) game.hasTurns = true;
    if (isEnd) game.isOver = true;
  });
  return games.map(({ lines }) => lines);
}

/** The games of a text in any notation: each is read when it is called. */
async function gamesOf(moves, text) {
  // what only some games need is loaded for these
  const json = /^\s*[{[]\s*[{"]/.test(text) ? await part(import("../royalur.js")) : null;
  if (json?.isJson(text)) return json.jsonGames(moves, text);
  return isRgn(text) ? rgnParts(text).map((part) => () => rgnGame(moves, part))
    : parts(text).map((lines) => () => plainGame(moves, lines));
}

/** A game before its text is read. Any name may be among its names, `constructor` too. @returns {Game} */
function unread(moves) {
  return { start: moves.about.start, names: Object.create(null), end: "", turns: [] };
}

/** @param {import("./moves.js").Moves} moves @returns {Game} */
function plainGame(moves, lines) {
  const game = unread(moves);
  for (const { number, line, header } of lines) {
    if (header) {
      take(moves, game, number, header[1], unquoted(header[2] ?? "", number));
      continue;
    }
    const [, side, choice, throws, move] = TURN.exec(line) ?? [];
    if (!side) throw refusal(number, ["refused.no-turn", { text: line.slice(0, 40) }]);
    const turn = [choice ?? null, throws.split(" ").map(Number), move === NO_MOVE ? null : move];
    game.turns.push({ line: number, turn, side });
  }
  return game;
}

/** @returns {Game} */
function rgnGame(moves, { tags, actions, isEnded, fault }) {
  if (!moves.data.rgn) throw new Refusal(["refused.rgn", { word: moves.about.word }]);
  if (fault) throw refusal(fault.line, fault.saying, fault.column);
  const game = unread(moves);
  for (const { line, name, value } of tags) {
    take(moves, game, line, HEADERS.get(name.toLowerCase()) ?? name, value);
  }
  game.end ||= isEnded ? "ended" : "unfinished";
  game.turns = rgnTurns(moves, game.start, actions, refusal);
  return game;
}

/** What a header says of a game. */
function take(moves, game, line, name, value) {
  if (name === "rules") checkRules(moves, value, line);
  else if (name === "start") game.start = placed(line, () => moves.encode(value) && value);
  else if (name === "opening") Object.assign(game, { rounds: value, start: placed(line, () => openedBy(moves, value)) });
  else if (name !== "end") game.names[name] = value;
  else if (END.test(value)) game.end = value;
  else throw refusal(line, ["refused.end", { text: value.slice(0, 60) }]);
}

function checkRules(moves, value, line) {
  const { record_rules: own, word, name } = moves.about;
  if ([own, word, name].includes(value)) return;
  throw refusal(line, ["refused.rules", { rules: value.slice(0, 40) }]);
}

function placed(line, find) {
  try {
    return find();
  } catch (error) {
    throw error instanceof Refusal ? refusal(line, error.saying) : error;
  }
}

/** A game's line; an error names the line of the text. */
async function judged(judge, game) {
  const { turns } = game;
  let found;
  try {
    found = await lineAnswer(judge, game.start, turns.map(({ turn }) => turn));
  } catch (error) {
    if (!(error instanceof TurnRefusal)) throw error;
    // in the last turn no move may stand for one that has not been made
    if (error.turn === turns.length && turns.at(-1).turn[2] === null && game.end === "unfinished") {
      return judged(judge, { ...game, turns: turns.slice(0, -1) });
    }
    throw refusal(turns[error.turn - 1].line, error.fault.saying);
  }
  pliesByTurn(found.plies).forEach((plies, k) => {
    const side = plies[0].side === "light" ? "L" : "D";
    if (side !== turns[k].side) throw refusal(turns[k].line, ["refused.side", { right: side, wrong: turns[k].side }]);
  });
  return found;
}

/**
 * The audits of a text's games, as `ur audit` has them, and the faults of the others. Without values the
 * games are played only.
 */
export async function auditAnswer(judge, text) {
  const games = [];
  const faults = [];
  const found = await gamesOf(judge.moves, text);
  if (found.length > MOST_GAMES) throw new Refusal(["refused.many", { most: MOST_GAMES }]);
  for (const [k, read] of found.entries()) {
    try {
      const game = read();
      games.push({ game: k + 1, ...auditOf(judge, game, await judged(judge, game)) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      faults.push({ game: k + 1, message: error.message, place: error.place });
    }
  }
  return { games, faults };
}

/** How a game ended: by the rules, or as its text says. */
function endOf(game, winner) {
  if (winner) return { ending: "won", left: null, winner };
  const [, ending = "unfinished", left = null, won = null, reason] = END.exec(game.end) ?? [];
  return { ending, left, winner: won ?? (left && DEEDS[ending] ? other(left) : null), reason };
}

function auditOf({ moves }, game, line) {
  const { row, side } = moves.encode(line.position);
  const winner = moves.winner(row, side);
  const { ending, left, winner: won } = endOf(game, winner);
  const short = (value) => (moves.about.stakes ? value.toFixed(2) : `${(100 * value).toFixed(1)} %`);
  const isValued = line.end_value !== undefined;
  let result = isValued ? `not finished, light has ${short(line.end_value)}` : "not finished";
  if (winner) {
    result = `${NAMES[winner]} won${moves.hasFines ? ` the pot of ${moves.total(row)}` : ""}`;
  } else if (left && DEEDS[ending]) {
    const value = left === "L" ? line.end_value : moves.total(row) - line.end_value;
    result = `${NAMES[left]} ${DEEDS[ending]}${isValued ? ` at ${short(value)}` : ""}`;
  }
  return {
    ...line, result, rounds: game.rounds ?? null, ending,
    names: { light: game.names.Light ?? null, dark: game.names.Dark ?? null },
    winner: won ? NAMES[won] : null,
  };
}

/** A text's games as the program writes them, in a notation. */
export async function converted(moves, text, notation) {
  const written = [];
  for (const read of await gamesOf(moves, text)) {
    const game = read();
    const { position } = await judged({ moves, values: null, opening: null }, game);
    const { row, side } = moves.encode(position);
    const end = endOf(game, moves.winner(row, side));
    written.push(WRITERS[notation](moves, game, end, endText(end)));
  }
  return written.join("\n");
}

/** The notations that are read and written here. */
export const NOTATIONS = ["ur", "rgn"];

const WRITERS = { ur: writePlain, rgn: writeRgn };

function endText({ ending, left, winner, reason }) {
  return [`${ending}${left ? ` by ${left}` : ""}`, winner && `winner ${winner}`, reason && `reason ${reason}`]
    .filter(Boolean).join(", ");
}

function writePlain(moves, game, _end, ending) {
  const turns = game.turns.map(({ side, turn: [choice, throws, move] }) => ({ side, choice, throws, move }));
  return plainText(moves.about, { ...game, turns }, ending);
}

// RGN as the program and RoyalUr's library write it (ur_solver/records/rgn.py): tags, turns, moves.
// What people write besides wants the program. Comments are left out.

const TOKEN = new RegExp([
  /\s+|^[#%].*|;.*|\{(?:[^}\\]|\\[^])*\}/, // blanks, comments
  // a tag may be wrapped, at the spaces in it
  /(?<tag>\[(?:[^\]"\n]|\n(?=[ \t]*(?:["\]]|[A-Za-z][\w.-]*[ \t]*\]))|"(?:[^"\\\n]|\\.|\n(?![ \t]*[\n\[]))*")*\])/,
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
      if (!isRight) game.fault ??= { ...place, saying: ["refused.token", { text: token.slice(0, 40), expected }] };
    };
    if (groups.tag) {
      const [, name, value] = TAG.exec(token.replace(/[ \t]*\n[ \t]*/g, " ")) ?? [];
      expect(name, "tag");
      if (name) game.tags.push({ ...place, name: unescaped(name), value: unescaped(value) });
    } else if (groups.number || groups.slash) side = groups.slash ? "D" : "L";
    else if (groups.end) game.isEnded = true;
    else if (groups.fault) expect(false, "move");
    else {
      expect(side, "number");
      game.actions.push({ ...place, side, text: token, ...groups });
    }
  }
  return games;
}

function unescaped(text) {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, (_, letter) => ESCAPES[letter] ?? letter) : text;
}

/**
 * The turns that actions stand for, each by the only legal move that it fits.
 * @param {import("./moves.js").Moves} moves @param {string} start
 * @param {(line: number, saying: import("../common.js").Saying, column: number) => Error} refusal
 * @returns {import("./games.js").Turn[]}
 */
export function rgnTurns(moves, start, actions, refusal) {
  let { row, side } = moves.encode(start);
  return actions.map((action, k) => {
    const { line, column, text, by, move, thrown } = action;
    const fail = (saying) => { throw refusal(line, saying, column); };
    const winner = moves.winner(row, side);
    if (winner) fail(["refused.over", { side: NAMES[winner] }]);
    if (action.side !== side) fail(["refused.side", { right: side, wrong: action.side }]);
    const legal = moves.rolls(row).flatMap(({ throws, movesBy }) => (movesBy === null ? []
      : moves.steps(row, movesBy).map((step) => ({ throws, step, text: moves.text(side, step) }))));
    if (thrown) {
      const could = legal.filter(({ throws }) => throws[0] === Number(thrown));
      // in the last turn no move may stand for one that has not been made
      if (could.length && k + 1 < actions.length) fail(["refused.missing", { legal: could.map((each) => each.text) }]);
      [row, side] = [moves.mirror(row), other(side)];
      return { line, side: action.side, turn: [null, [Number(thrown)], null] };
    }
    const fitting = legal.filter((each) => baseOf(each.text) === baseOf(move)
      && (!by || each.throws[0] === Number(by)) && fits(each.text, action));
    const exact = fitting.filter((each) => hasMarks(each.text, action));
    const found = exact.length === 1 ? exact : fitting;
    if (!found.length) fail(["refused.illegal", { text }]);
    if (found.length > 1) fail(["refused.unclear", { text, throws: found.map(({ throws }) => throws[0]), such: `${found[0].throws[0]}:${text}` }]);
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
  const head = Object.entries(tags).map(([name, value]) => `[${escaped(name)} ${escaped(value)}]`);
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

function escaped(text) {
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
