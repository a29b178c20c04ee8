// Numbers and turns in words, and what answers say of sides and throws.

export const MARKS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

const MINUS = "−";

/** @param {number} number @param {number} digits */
export function signed(number, digits = 1) {
  const text = Math.abs(number).toFixed(digits);
  const isNought = Number(text) === 0;
  return `${number < 0 && !isNought ? MINUS : "+"}${text}`;
}

/** A number with decimals; nought has no sign. */
export function fixed(number, digits) {
  const text = number.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

/** What verdicts on choices are called: `Verdict.words` of `ur_solver.answers.decisions`. */
export const VERDICTS = { best: "best", close: "too close to call", worse: "worse" };

/** What follows a loss: that it is too close to call, or nothing where it is sure. */
export const doubtOf = (verdict) => (verdict === "close" ? `, ${VERDICTS.close}` : "");

/** How well the program plays, by the names that the server has for it. */
export const LEVELS = {
  weak: "Beginner", medium: "Casual player", strong: "Strong player", table: "Best player",
  random: "Plays at random",
};

const MOVE = /^(\d?)([A-C])(@|\d+)([A-C])(\+|\d+)(x?)(\*?)/;

/** A move in the notation, in words. */
export function moveWords(move) {
  const found = MOVE.exec(move);
  if (!found) return move;
  const [, number, fromRow, from, toRow, to, capture] = found;
  const piece = number ? `piece ${number} ` : "";
  const captured = capture ? ", captures a piece" : "";
  if (to === "+") return `${piece}from ${fromRow}${from} off the board`;
  if (from === "@") return `${piece}enters on ${toRow}${to}${captured}`;
  return `${piece}from ${fromRow}${from} to ${toRow}${to}${captured}`;
}

export const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A count and what is counted, of which there may be one. */
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
    return this.isMoney ? fixed(value, 3) : `${fixed(100 * value, 2)} %`;
  }

  short(value, error = 0) {
    if (error) return this.estimate(value, error);
    return this.isMoney ? fixed(value, 2) : `${fixed(100 * value, 1)} %`;
  }

  /** A value for somebody who only wants to know how a game stands. */
  rough(value, total) {
    return this.isMoney ? `${fixed(value, 1)} of ${total}` : `${fixed(100 * value, 0)} %`;
  }

  estimate(value, error) {
    const digits = this.decimals(error);
    const [number, margin] = [value, error].map((each) => fixed(this.scale * each, digits));
    return `${number}${this.isMoney ? "" : " %"} ± ${margin}`;
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
    const digits = error ? Math.min(this.digits, this.decimals(error)) : this.digits;
    const [number, own] = [value, margin].map((each) => fixed(this.scale * each, digits));
    return margin ? `${number} ± ${own}` : number;
  }

  /** What was lost, as the terminal and reports have it: `12.5 points`, `12 ± 3 points`, `0.85`. */
  cost(value, error = 0, margin = error) {
    return `${this.amount(value, error, margin)}${this.isMoney ? "" : " points"}`;
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

  get points() {
    return this.isMoney ? "money" : "points";
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
