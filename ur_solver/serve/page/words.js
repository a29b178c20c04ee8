// Numbers and turns in words.

export const MARKS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

const MINUS = "−";

/** @param {number} number @param {number} digits */
export function signed(number, digits = 1) {
  const text = Math.abs(number).toFixed(digits);
  const isNought = Number(text) === 0;
  return `${number < 0 && !isNought ? MINUS : "+"}${text}`;
}

/** A count and what is counted, of which there may be one. */
export function counted(count, one) {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

/** How a source's values are written: chances in per cent, or money. */
export class Units {
  /** @param {{stakes: object | null}} about */
  constructor(about) {
    this.isMoney = Boolean(about.stakes);
  }

  value(value) {
    return this.isMoney ? value.toFixed(3) : `${(100 * value).toFixed(2)} %`;
  }

  short(value) {
    return this.isMoney ? value.toFixed(2) : `${(100 * value).toFixed(1)} %`;
  }

  /** A difference, in points or money. */
  gain(value, digits = 2) {
    return signed(this.isMoney ? value : 100 * value, digits);
  }

  get points() {
    return this.isMoney ? "money" : "points";
  }
}

/** @param {{throw: number | number[]}} thrown */
export function throwsOf(thrown) {
  return Array.isArray(thrown.throw) ? thrown.throw : [thrown.throw];
}

export function turnWords(turn) {
  const said = turn.choice ? `${turn.choice} ` : "";
  return `${said}${turn.throws.join(" ")} ${turn.move ?? "–"}`;
}

export const other = (side) => (side === "light" ? "dark" : "light");
