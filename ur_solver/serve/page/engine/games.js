// Games in the plain notation as the page saves them, read and judged (ur_solver/records/plain.py).
// Other notations, and what people write by hand, want the program.

import { Refusal } from "../refusal.js";
import { pliesByTurn } from "../tree.js";
import { Units } from "../words.js";
import { lineAnswer } from "./line.js";
import { NAMES } from "./notation.js";
import { openedBy } from "./opening.js";

const HEADER = /^([\w.-]+):(?:\s+(.*))?$/;
const TURN = /^([LD]) (?:([a-z]+) )?(\d{1,2}(?: \d{1,2})?) (\S.*)$/;
const END = /^(won|resigned|timeout|abandoned|ended|unfinished)(?: by ([LD]))?(?:, winner ([LD]))?/;
const NO_MOVE = "--";
const MOST_GAMES = 50;

const DEEDS = { resigned: "resigned", timeout: "lost on time" };

/**
 * @typedef {{start: string, rounds?: string, names: {[key: string]: string}, end: string,
 *   turns: {line: number, turn: [string | null, number[], string | null], side: string}[]}} Game
 */

function refusal(line, message) {
  return new Refusal(`line ${line}: ${message}`, { line, column: null });
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

/** @param {import("./moves.js").Moves} moves @returns {Game} */
function gameOf(moves, lines) {
  const game = { start: moves.about.start, names: {}, end: "", turns: [] };
  for (const { number, line, header } of lines) {
    if (!header) {
      const [, side, choice, throws, move] = TURN.exec(line) ?? [];
      if (!side) throw refusal(number, `'${line.slice(0, 40)}' is no turn as this page writes it, such as 'L 3 A@A2'; “ur audit” reads other notations`);
      const turn = [choice ?? null, throws.split(" ").map(Number), move === NO_MOVE ? null : move];
      game.turns.push({ line: number, turn, side });
      continue;
    }
    const value = unquoted(header[2] ?? "", number);
    if (header[1] === "rules") checkRules(moves, value, number);
    else if (header[1] === "start") game.start = placed(number, () => moves.encode(value) && value);
    else if (header[1] === "opening") Object.assign(game, { rounds: value, start: placed(number, () => openedBy(moves, value)) });
    else if (header[1] === "end") game.end = value;
    else game.names[header[1]] = value;
  }
  if (game.end && !END.test(game.end)) {
    throw refusal(lines.at(-1).number, `end: '${game.end.slice(0, 60)}' is no end such as 'won, winner L' or 'unfinished'`);
  }
  return game;
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
  const found = parts(text);
  if (found.length > MOST_GAMES) throw new Refusal(`more than ${MOST_GAMES} games at once; “ur audit” takes any number`);
  for (const [k, lines] of found.entries()) {
    try {
      const game = gameOf(judge.moves, lines);
      games.push({ game: k + 1, ...auditOf(judge, game, await judged(judge, game)) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      faults.push({ game: k + 1, message: error.message, place: error.place });
    }
  }
  return { games, faults };
}

function auditOf({ moves }, game, line) {
  const [, ending = "ended", left = null] = END.exec(game.end) ?? [];
  const { row, side } = moves.encode(line.position);
  const winner = moves.winner(row, side);
  const units = new Units(moves.about);
  let result = `not finished, light has ${units.short(line.end_value)}`;
  if (winner) {
    result = `${NAMES[winner]} won${moves.hasFines ? ` the pot of ${moves.total(row)}` : ""}`;
  } else if (left && DEEDS[ending]) {
    const value = left === "L" ? line.end_value : moves.total(row) - line.end_value;
    result = `${NAMES[left]} ${DEEDS[ending]} at ${units.short(value)}`;
  }
  return {
    ...line, result, rounds: game.rounds ?? null, ending: winner ? "won" : ending,
    names: { light: game.names.Light ?? null, dark: game.names.Dark ?? null },
    winner: winner ? NAMES[winner] : null,
  };
}

/** A text's games as the program writes them. */
export async function converted(moves, text) {
  const games = parts(text).map((lines) => gameOf(moves, lines));
  const written = [];
  for (const game of games) {
    const { position } = await judged({ moves, values: null, opening: null }, game);
    const { row, side } = moves.encode(position);
    const winner = moves.winner(row, side);
    const head = { rules: moves.about.record_rules };
    if (game.rounds) head.opening = game.rounds;
    else if (game.start !== moves.about.start) head.start = game.start;
    const lines = Object.entries({ ...head, ...game.names }).map(([name, value]) => `${name}: ${quoted(value)}`);
    lines.push("", ...game.turns.map(({ side: own, turn: [choice, throws, move] }) =>
      [own, choice, ...throws, move ?? NO_MOVE].filter((word) => word !== null).join(" ")));
    lines.push(`end: ${winner ? `won, winner ${winner}` : game.end || "unfinished"}`);
    written.push(`${lines.join("\n")}\n`);
  }
  return written.join("\n");
}

function quoted(value) {
  const isPlain = value && value === value.trim() && !value.startsWith('"') && !/\p{C}/u.test(value);
  return isPlain ? value : JSON.stringify(value);
}
