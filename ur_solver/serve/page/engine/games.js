// Games as the page saves them, read and judged: in the plain notation (ur_solver/records/plain.py)
// and in RGN. Other notations, and what people write by hand, want the program.

import { plainText } from "../plain.js";
import { Refusal } from "../refusal.js";
import { pliesByTurn } from "../tree.js";
import { Units } from "../words.js";
import { lineAnswer } from "./line.js";
import { other } from "./moves.js";
import { NAMES } from "./notation.js";
import { openedBy } from "./opening.js";
import { isRgn, rgnParts, rgnTurns, writeRgn } from "./rgn.js";

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

function refusal(line, message, column = null) {
  return new Refusal(`line ${line}${column ? `, column ${column}` : ""}: ${message}`, { line, column });
}

function unquoted(text, line) {
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(line, `${text} is not a JSON string`);
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

/** The games of a text in either notation: each is read when it is called. */
function gamesOf(moves, text) {
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
    if (!side) throw refusal(number, `'${line.slice(0, 40)}' is no turn as this page writes it, such as 'L 3 A@A2'; “ur audit” reads other notations`);
    const turn = [choice ?? null, throws.split(" ").map(Number), move === NO_MOVE ? null : move];
    game.turns.push({ line: number, turn, side });
  }
  return game;
}

/** @returns {Game} */
function rgnGame(moves, { tags, actions, isEnded, fault }) {
  if (!moves.data.rgn) throw new Refusal(`RGN cannot express games of ${moves.about.word}`);
  if (fault) throw refusal(fault.line, fault.message, fault.column);
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
  else throw refusal(line, `end: '${value.slice(0, 60)}' is no end such as 'won, winner L' or 'unfinished'`);
}

function checkRules(moves, value, line) {
  const { record_rules: own, word, name } = moves.about;
  if ([own, word, name].includes(value)) return;
  throw refusal(line, `the game has the rules ${value.slice(0, 40)}; open it with these`);
}

function placed(line, find) {
  try {
    return find();
  } catch (error) {
    throw error instanceof Refusal ? refusal(line, error.message) : error;
  }
}

/** A game's line; an error names the line of the text. */
async function judged(judge, game) {
  const { turns } = game;
  let found;
  try {
    found = await lineAnswer(judge, game.start, turns.map(({ turn }) => turn));
  } catch (error) {
    const place = error instanceof Refusal && /^turn (\d+): ([^]*)/.exec(error.message);
    // in the last turn no move may stand for one that has not been made
    if (place && Number(place[1]) === turns.length && turns.at(-1).turn[2] === null && game.end === "unfinished") {
      return judged(judge, { ...game, turns: turns.slice(0, -1) });
    }
    throw place ? refusal(turns[place[1] - 1].line, place[2]) : error;
  }
  pliesByTurn(found.plies).forEach((plies, k) => {
    const side = plies[0].side === "light" ? "L" : "D";
    if (side !== turns[k].side) throw refusal(turns[k].line, `${side} is to throw, not ${turns[k].side}`);
  });
  return found;
}

/** The audits of a text's games, as POST /tables/{table}/audit, and the faults of the others. */
export async function auditAnswer(judge, text) {
  if (!judge.values) throw new Refusal("Games are judged by a table or an estimator; choose one first.");
  const games = [];
  const faults = [];
  const found = gamesOf(judge.moves, text);
  if (found.length > MOST_GAMES) throw new Refusal(`more than ${MOST_GAMES} games at once; “ur audit” takes any number`);
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
  const { ending, left } = endOf(game, winner);
  const units = new Units(moves.about);
  let result = `not finished, light has ${units.short(line.end_value)}`;
  if (winner) {
    result = `${NAMES[winner]} won${moves.hasFines ? ` the pot of ${moves.total(row)}` : ""}`;
  } else if (left && DEEDS[ending]) {
    const value = left === "L" ? line.end_value : moves.total(row) - line.end_value;
    result = `${NAMES[left]} ${DEEDS[ending]} at ${units.short(value)}`;
  }
  return {
    ...line, result, rounds: game.rounds ?? null, ending,
    names: { light: game.names.Light ?? null, dark: game.names.Dark ?? null },
    winner: winner ? NAMES[winner] : null,
  };
}

/** A text's games as the program writes them, in a notation. */
export async function converted(moves, text, notation) {
  const written = [];
  for (const read of gamesOf(moves, text)) {
    const game = read();
    const { position } = await judged({ moves, values: null, opening: null }, game);
    const { row, side } = moves.encode(position);
    const end = endOf(game, moves.winner(row, side));
    written.push(WRITERS[notation](moves, game, end, endText(end)));
  }
  return written.join("\n");
}

const WRITERS = { ur: writePlain, rgn: writeRgn };

function endText({ ending, left, winner, reason }) {
  return [`${ending}${left ? ` by ${left}` : ""}`, winner && `winner ${winner}`, reason && `reason ${reason}`]
    .filter(Boolean).join(", ");
}

function writePlain(moves, game, _end, ending) {
  const turns = game.turns.map(({ side, turn: [choice, throws, move] }) => ({ side, choice, throws, move }));
  return plainText(moves.about, { ...game, turns }, ending);
}
