// Numbers and turns in words, and what answers say of sides and throws.

import { list, number, plural, say, withSign } from "./speech.js";

export const MARKS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

const MINUS = "−";

/** @param {number} value @param {number} digits */
export function signed(value, digits = 1) {
  const isNegative = value < 0 && Number(value.toFixed(digits)) !== 0;
  return `${isNegative ? MINUS : "+"}${number(Math.abs(value), digits)}`;
}

/** A number with decimals; nought has no sign. */
export const fixed = (value, digits) => number(Number(value.toFixed(digits)) === 0 ? 0 : value, digits);

/** A loss; one that is not sure is said to be too close to call. */
export const lossWords = (loss, verdict) => (verdict === "close" ? say("verdict.close.loss", { loss }) : loss);

/** How well the program plays, by the names that the server has for it. */
export const LEVELS = Object.fromEntries(["weak", "medium", "strong", "table", "random"]
  .map((name) => [name, say("level", { name })]));

/** A side, as a word. */
export const sideWord = (side) => say("side", { side });

/** What may be chosen before a throw, as a word. */
export const choiceWord = (name) => say("choice", { name });

/** What fell: one throw, or several that make a turn. */
export const thrownWords = (throws) => list(throws, "and");

const MOVE = /^(\d?)([A-C])(@|\d+)([A-C])(\+|\d+)(x?)(\*?)/;

/** A move in the notation, in words; `isAgain` says that it gives another throw. */
export function moveWords(move, isAgain = false) {
  const found = MOVE.exec(move);
  if (!found) return move;
  const [, piece, fromRow, from, toRow, to, capture] = found;
  const given = {
    piece: piece || "none", from: `${fromRow}${from}`, to: `${toRow}${to}`,
    captures: capture ? "yes" : "no", again: isAgain ? "yes" : "no",
  };
  return to === "+" ? say("move.off", given) : from === "@" ? say("move.enter", given) : say("move.walk", given);
}

/** How a game ended, as audits and addresses have it in English. */
const RESULT = /^(?:(not finished)(?:, light has (.+))?|(light|dark) (?:(won)(?: the pot of (\d+))?|(resigned|lost on time)(?: at (.+))?))$/;

/** The same in words. */
export function resultWords(text) {
  const found = RESULT.exec(text);
  if (!found) return text;
  const [, isOpen, has, side, isWon, pot, deed, at] = found;
  const value = worthWords(has ?? at);
  if (isOpen) return value ? say("result.open.value", { value }) : say("result.open");
  if (isWon) return pot ? say("result.pot", { side, pot: Number(pot) }) : say("result.won", { side });
  const how = deed === "resigned" ? "resigned" : "timeout";
  return value ? say("result.left.value", { side, how, value }) : say("result.left", { side, how });
}

/** A value as it stands in a result. */
function worthWords(text) {
  const [, digits, sign] = /^(-?[\d.]+)( %)?$/.exec(text ?? "") ?? [];
  if (!digits) return text;
  const written = number(Number(digits), digits.split(".")[1]?.length ?? 0);
  return sign ? withSign(written) : written;
}

/** A count and what is counted in English, of which there may be one: in what programs write. */
export function counted(count, one) {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

/** How a source's values are written: chances in per cent, or money. */
export class Units {
  /** @param {{stakes: object | null}} about */
  constructor(about) {
    this.isMoney = Boolean(about.stakes);
  }

  /** A value; an estimate with the decimals that its error leaves, and with the error. */
  value(value, error = 0) {
    if (error) return this.estimate(value, error);
    return this.isMoney ? fixed(value, 3) : withSign(fixed(100 * value, 2));
  }

  short(value, error = 0) {
    if (error) return this.estimate(value, error);
    return this.isMoney ? fixed(value, 2) : withSign(fixed(100 * value, 1));
  }

  /** A value for somebody who only wants to know how a game stands. */
  rough(value, total) {
    return this.isMoney ? say("number.of", { value: fixed(value, 1), total }) : withSign(fixed(100 * value, 0));
  }

  estimate(value, error) {
    const digits = this.decimals(error);
    const [written, margin] = [value, error].map((each) => fixed(this.scale * each, digits));
    return `${this.isMoney ? written : withSign(written)} ± ${margin}`;
  }

  /** A difference, in points or money. */
  gain(value, digits = 2, error = 0) {
    return signed(this.scale * value, error ? Math.min(digits, this.decimals(error)) : digits);
  }

  /** The same of a sum, of which `0` says that nothing was gained or lost. */
  sum(value, error = 0) {
    const text = this.gain(value, this.digits, error);
    return /[1-9]/.test(text) ? text : "0";
  }

  /** A loss or a value without its unit; `± margin` follows where that is not 0. */
  amount(value, error = 0, margin = 0) {
    const [written, own] = [value, margin].map((each) => fixed(this.scale * each, this.digitsOf(error)));
    return margin ? `${written} ± ${own}` : written;
  }

  /** What was lost, as the terminal and reports have it: `12.5 points`, `12 ± 3 points`, `0.85`. */
  cost(value, error = 0, margin = error) {
    const amount = this.amount(value, error, margin);
    return this.isMoney ? amount : say("unit.points", { amount, form: plural(this.scale * value, this.digitsOf(error)) });
  }

  /** A difference with its unit. */
  difference(value, digits, error = 0) {
    return say("unit.difference", { amount: this.gain(value, digits, error), unit: this.isMoney ? "money" : "points" });
  }

  digitsOf(error) {
    return error ? Math.min(this.digits, this.decimals(error)) : this.digits;
  }

  /** The decimals of luck and losses. */
  get digits() {
    return this.isMoney ? 2 : 1;
  }

  get scale() {
    return this.isMoney ? 1 : 100;
  }

  /** The decimals that the first digit of an error leaves. */
  decimals(error) {
    return Math.max(0, -Math.floor(Math.log10(this.scale * error)));
  }

}

/** Half the width of the interval of an estimate; 0 of what is exact. */
export const errorOf = (each) => (each.exact === false ? each.error : 0);

/** @param {{throw: number | number[]}} thrown */
export function throwsOf(thrown) {
  return Array.isArray(thrown.throw) ? thrown.throw : [thrown.throw];
}

/** The entry of a throw among those of an answer; null if it is not there. */
export function entryOf(entries, throws) {
  return entries.find((each) => String(throwsOf(each)) === String(throws)) ?? null;
}

/** What may be chosen before the throw of an answer; empty where nothing is. @returns {string[]} */
export const choicesOf = (answer) => [...new Set(answer.throws.map((each) => each.choice ?? []).flat())];

export function turnWords(turn) {
  const before = turn.choice ? `${turn.choice} ` : "";
  return `${before}${turn.throws.join(" ")} ${turn.move ?? "–"}`;
}

export const SIDES = ["light", "dark"];

export const other = (side) => (side === "light" ? "dark" : "light");

// A game in the plain notation, as the program writes it (ur_solver/records/plain.py).

/**
 * @param {{record_rules: string, start: string}} about the rules
 * @param {{rounds?: string | null, start: string, names: {[key: string]: string | null}, turns: {side: string,
 *   choice: string | null, throws: number[], move: string | null}[]}} game
 * @param {string} end how it ended; empty where the last move says it
 */
export function plainText(about, { rounds, start, names, turns }, end) {
  const head = { rules: about.record_rules };
  if (rounds) head.opening = rounds;
  else if (start !== about.start) head.start = start;
  const lines = Object.entries({ ...head, ...names }).filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${quoted(value)}`);
  lines.push("", ...turns.map(({ side, choice, throws, move }) =>
    [side[0].toUpperCase(), choice, ...throws, move ?? "--"].filter((word) => word !== null).join(" ")));
  if (end) lines.push(`end: ${end}`);
  return `${lines.join("\n")}\n`;
}

function quoted(value) {
  const isPlain = value && value === value.trim() && !value.startsWith('"') && !/\p{C}/u.test(value);
  return isPlain ? value : JSON.stringify(value);
}
