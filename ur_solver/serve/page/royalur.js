// RoyalUr's JSON notation, versions 1 and 2, as the program reads it (ur_solver/records/royalur_json.py):
// the games of a text, and the rule set that their settings are of.

import { Refusal } from "./common.js";
import { textOf } from "./engine/notation.js";

const BEGIN = /\{\s*"notation_version"/;
const SIGNS = { L: 1, D: -1 };
const NAMES = { light: "L", dark: "D", l: "L", d: "D" };
const TYPES = { rolled: "roll", moved: "move", waiting_for_roll: "wait4roll", waiting_for_move: "wait4move" };
const KNOWN = ["move", "roll", "wait4roll", "wait4move", "resigned", "abandoned", "win"];
const OWN_ENDINGS = { resigned: "timeout", abandoned: "ended" };
/** What the library's first releases wrote. */
const OLD_VALUES = { fourbinary: "four_binary", threebinary0max: "three_binary_0eq4" };
const OLD_KEYS = {
  start_pieces: "starting_piece_count", rosettes_grant_rolls: "rosettes_grant_extra_rolls",
  captures_grant_rolls: "captures_grant_extra_rolls", src: "source", dest: "destination",
};
const SWITCHES = ["safe_rosettes", "rosettes_grant_rolls", "captures_grant_rolls"];

/** Whether a text is in this notation. */
export const isJson = (text) => text.trimStart().startsWith("{") || /^\s*\[\s*\{/.test(text);

/** The values of a text: one game, several in a list, or one after the other. @returns {(() => any)[]} each read when it is called */
export function valuesOf(text) {
  try {
    return [JSON.parse(text)].flat().map((each) => () => each);
  } catch {
    const begins = [...text.matchAll(new RegExp(BEGIN, "g"))].map(({ index }) => index);
    const parts = begins.map((begin, k) => text.slice(begin, begins[k + 1]));
    return (begins.length ? parts : [text]).map((part) => () => {
      try {
        return JSON.parse(part);
      } catch (error) {
        throw new Refusal(`no JSON: ${error.message}`);
      }
    });
  }
}

const shown = (value) => (JSON.stringify(value) ?? "nothing").slice(0, 60);

function object(value, name) {
  if (value && typeof value === "object" && !Array.isArray(value)) return value;
  throw new Refusal(`${name} is ${shown(value)}, not an object`);
}

function whole(value, name) {
  if (Number.isInteger(value)) return value;
  throw new Refusal(`${name} is ${shown(value)}, not a whole number`);
}

function sideOf(value, name) {
  const found = typeof value === "string" ? NAMES[value.toLowerCase()] : null;
  if (found) return found;
  throw new Refusal(`${name} is ${shown(value)}, expected 'L' or 'D'`);
}

const valueOf = (values, key) => values[key] ?? values[OLD_KEYS[key]] ?? null;

/** Settings by their present names; without the count of pieces. */
function settingsOf(settings) {
  const text = (key) => {
    const value = String(settings[key]).toLowerCase();
    return OLD_VALUES[value] ?? value;
  };
  return [...["board_shape", "paths", "dice"].map(text), ...SWITCHES.map((key) => valueOf(settings, key))].join(" ");
}

/** The words of those of some rule sets that a game's settings are of: several have the same. */
export function wordsOf(game, rules) {
  const settings = game?.settings;
  if (!settings || typeof settings !== "object") return [];
  const own = settingsOf(settings);
  return rules.filter((each) => each.settings && settingsOf(each.settings) === own)
    .map(({ name }) => `${name}:${valueOf(settings, "start_pieces")}`);
}

/** The games of a text, each read when it is called. @param {import("./engine/moves.js").Moves} moves */
export const jsonGames = (moves, text) => valuesOf(text).map((read) => () => jsonGame(moves, object(read(), "the game")));

/** @returns {import("./engine/games.js").Game} */
function jsonGame(moves, game) {
  if (![1, 2].includes(game.notation_version)) throw new Refusal(`notation_version is ${shown(game.notation_version)}; expected one of 1 and 2`);
  const { settings: own, word } = moves.about;
  const settings = object(game.settings, "settings");
  const isOwn = own && settingsOf(settings) === settingsOf(own) && valueOf(settings, "start_pieces") === own.start_pieces;
  if (!isOwn) throw new Refusal(`the game has other rules than ${word}; open it with its own`);
  const names = Object.assign(Object.create(null), game.metadata === undefined ? {} : metadataOf(game.metadata, "metadata"));
  if (!Array.isArray(game.states)) throw new Refusal(`states: expected an array, not ${shown(game.states)}`);
  const start = placed("initial_state", () => (game.initial_state == null ? moves.about.start : startOf(moves, game.initial_state)));
  const reader = new Reader(moves, start);
  game.states.forEach((state, k) => placed(`states[${k}]`, () => reader.read(object(state, "a state"), `states[${k}]`)));
  placed(game.states.length ? `states[${game.states.length - 1}]` : "states", () => reader.checkEnd());
  return { start, names, end: reader.end, turns: reader.turns };
}

function placed(place, read) {
  try {
    return read();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(`${place}: ${error.message}`) : error;
  }
}

function metadataOf(values, name) {
  for (const [key, value] of Object.entries(object(values, name))) {
    if (typeof value !== "string") throw new Refusal(`${name}.${key.slice(0, 40)} is ${shown(value)}, not a text`);
  }
  return values;
}

/** The path index of the piece of a side at a key; null where there is none. */
function pieceOf(values, key, side) {
  const value = valueOf(values, key);
  if (value === null) return null;
  let index;
  if (typeof value === "object") {
    if (value.owner !== side) throw new Refusal(`${key}.owner is ${shown(value.owner)}, expected '${side}'`);
    index = whole(value.index, `${key}.index`);
  } else index = whole(value, key) * SIGNS[side] - 1;
  if (index < 0) throw new Refusal(`${key} is ${shown(value)}, not a piece of '${side}'`);
  return index;
}

/** The letter of a piece of a side on a path index. */
function letterAt({ movers }, side, index) {
  const [letter] = movers.find(([, source]) => source === index)[0];
  return side === "L" ? letter : letter === "L" ? "D" : "d";
}

/** The position that `initial_state` describes, as a text. */
function startOf(moves, values) {
  const state = object(values, "initial_state");
  const side = sideOf(state.turn, "turn");
  const pieces = object(object(state.board, "board").pieces, "board.pieces");
  const held = {};
  for (const [square, value] of Object.entries(pieces)) {
    const owner = typeof value === "object" && value ? sideOf(value.owner, "owner") : whole(value, square) > 0 ? "L" : "D";
    const index = pieceOf({ [square]: value }, square, owner);
    if (!moves.about.board.pieces_on[square]) throw new Refusal(`board.pieces has '${square.slice(0, 40)}', which is not a square`);
    if (moves.paths[owner][index] !== square) throw new Refusal(`board.pieces.${square} is ${shown(value)}, a piece that belongs on another square`);
    held[square] = letterAt(moves, owner, index);
  }
  const players = object(state.players, "players");
  const counts = ["L", "D"].map((each) => {
    const { pieces: home, score } = object(players[each], `players.${each}`);
    return { home: whole(home, `players.${each}.pieces`), score: whole(score, `players.${each}.score`) };
  });
  const contents = Object.keys(moves.about.board.pieces_on).map((square) => held[square] ?? "");
  const text = textOf(moves, { contents, side, homes: counts.map(({ home }) => home), fines: 0 });
  moves.encode(text);
  ["L", "D"].forEach((each, k) => {
    const { home, score } = counts[k];
    const left = moves.about.pieces - home - Object.values(held).filter((letter) => letter.toUpperCase() === each).length;
    if (left !== score) throw new Refusal(`players.${each}.score is ${score}, but home and board leave ${left} of ${moves.about.pieces}`);
  });
  return text;
}

/** Reads states, one after the other, and plays their turns. */
class Reader {
  constructor(moves, start) {
    this.moves = moves;
    this.turns = [];
    Object.assign(this, moves.encode(start));
    this.ending = "unfinished";
    this.winner = null;
    this.left = null;
    this.reason = null;
    this.isWaiting = false;
    this.isClosed = false;
  }

  /** How the game ended, as a header has it. */
  get end() {
    const { ending, left, winner, reason } = this;
    return [`${ending}${left ? ` by ${left}` : ""}`, winner && `winner ${winner}`, reason && `reason ${reason}`].filter(Boolean).join(", ");
  }

  read(state, place) {
    const kind = TYPES[state.type] ?? state.type;
    if (!KNOWN.includes(kind)) throw new Refusal(`type is ${shown(state.type)}; known: ${KNOWN.join(", ")}`);
    if (this.isClosed) throw new Refusal(`'${kind}' after the end of the game`);
    this.isWaiting = kind.startsWith("wait");
    if (kind === "move" || kind === "roll") this.turn(state, kind, place);
    else if (this.isWaiting) this.wait(state, kind);
    else this.stop(state, kind);
    if (state.metadata === undefined) return;
    const metadata = metadataOf(state.metadata, "metadata");
    const own = OWN_ENDINGS[this.ending];
    if (own && metadata.Ending === own) {
      this.ending = own;
      if (this.reason === "external") this.reason = null;
    }
  }

  expect(side) {
    const { row } = this;
    const winner = this.moves.winner(row, this.side);
    if (winner) throw new Refusal(`the game was over: ${winner === "L" ? "light" : "dark"} had won`);
    if (side !== this.side) throw new Refusal(`${this.side} is to throw, not ${side}`);
  }

  throwOf(state) {
    return whole(object(state.roll, "roll").value, "roll.value");
  }

  turn(state, kind, place) {
    if (this.ending !== "unfinished") throw new Refusal(`a turn after the game was ${this.ending}`);
    const { moves } = this;
    const side = sideOf(state.turn, "turn");
    const thrown = this.throwOf(state);
    const { pending } = this;
    this.pending = null;
    if (kind === "move" && pending && pending.side === side) {
      // the throw was a state of its own before its move: both are one turn
      if (pending.thrown !== thrown) throw new Refusal(`roll.value is ${thrown}, but ${pending.thrown} was thrown`);
      this.turns.pop();
      Object.assign(this, { row: pending.row, side });
    } else if (pending) throw new Refusal(`a move is missing; legal: ${pending.words}`);
    this.expect(side);
    const roll = moves.rolls(this.row).find(({ throws }) => throws[0] === thrown);
    if (!roll) throw new Refusal(`throw ${thrown} is not possible here`);
    const legal = (roll.movesBy === null ? [] : moves.steps(this.row, roll.movesBy)).map((step) => ({ step, text: moves.text(side, step) }));
    const words = legal.map(({ text }) => text).join(", ") || "none";
    if (kind === "roll") {
      const listed = state.moves ?? state.available_moves;
      if (Array.isArray(listed) && listed.length !== legal.length) throw new Refusal(`moves lists ${listed.length} moves; legal with throw ${thrown}: ${words}`);
      if (legal.length) this.pending = { side, thrown, words, row: this.row };
      this.turns.push({ line: place, turn: [null, [thrown], null], side });
      [this.row, this.side] = [moves.mirror(this.row), side === "L" ? "D" : "L"];
      return;
    }
    const move = object(state.move, "move");
    const [from, to] = [pieceOf(move, "src", side), pieceOf(move, "dest", side)];
    const { length } = moves.paths[side];
    if (from === null && to === null) throw new Refusal("move has neither src nor dest");
    const found = legal.find(({ step }) => step.source === (from ?? -1) && step.target === (to ?? length));
    if (!found) throw new Refusal(`this move is not legal here; legal with throw ${thrown}: ${words}`);
    const captured = pieceOf(move, "captured", side === "L" ? "D" : "L");
    this.checkCaptured(captured, found.step, side);
    this.turns.push({ line: place, turn: [null, [thrown], found.text], side });
    [this.row, this.side] = [found.step.row, found.step.again ? side : side === "L" ? "D" : "L"];
  }

  checkCaptured(captured, { isCapture, target }, side) {
    const { moves } = this;
    const enemy = side === "L" ? "D" : "L";
    const isRight = isCapture ? captured !== null && moves.paths[enemy][captured] === moves.paths[side][target] : captured === null;
    if (!isRight) throw new Refusal(`move.captured is ${shown(captured)}, but the move captures ${isCapture ? `the piece on ${moves.paths[side][target]}` : "nothing"}`);
  }

  wait(state, kind) {
    const side = sideOf(state.turn, "turn");
    if (kind === "wait4roll") {
      if (this.pending) throw new Refusal(`a move is missing; legal: ${this.pending.words}`);
      this.expect(side);
    } else if (this.pending?.side !== side) {
      throw new Refusal("waits for a move, but no throw that allows one comes before");
    } else if (this.throwOf(state) !== this.pending.thrown) {
      throw new Refusal(`roll.value is ${this.throwOf(state)}, but ${this.pending.thrown} was thrown`);
    }
  }

  stop(state, kind) {
    if (kind === "win") {
      if (state.winner != null) this.winner = sideOf(state.winner, "winner");
      if (this.ending === "unfinished") this.ending = "won";
      else if (this.left && this.winner === this.left) throw new Refusal(`winner is '${this.winner}', who ${this.ending} the game`);
      this.isClosed = true;
      return;
    }
    if (this.ending !== "unfinished") throw new Refusal(`${kind} after the game was ${this.ending}`);
    this.ending = kind;
    if (state.player != null || kind === "resigned") this.left = sideOf(state.player, "player");
    if (kind === "resigned") this.winner = this.left === "L" ? "D" : "L";
    if (state.reason != null && typeof state.reason !== "string") throw new Refusal(`reason is ${shown(state.reason)}, not a text`);
    this.reason = state.reason ?? null;
  }

  checkEnd() {
    const isWon = this.moves.winner(this.row, this.side);
    if (this.turns.length && this.ending === "unfinished" && !this.isWaiting && !isWon) {
      throw new Refusal(`the game is incomplete: expected a turn of ${this.side === "L" ? "light" : "dark"}, an end or '${this.pending ? "wait4move" : "wait4roll"}', which ends the states of an unfinished game`);
    }
    if (this.ending === "won" && (!isWon || (this.winner && this.winner !== isWon))) {
      throw new Refusal(isWon ? `winner is '${this.winner}', but '${isWon}' has won` : "the game is said to be won, but neither side has all its pieces off the board");
    }
  }
}
