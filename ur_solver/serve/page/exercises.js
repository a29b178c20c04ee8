// Exercises: decisions to practise, where they come from, and what their options are worth.

import { Source } from "./api.js";
import { keep, read } from "./common.js";
import { verdictOf, writeTree } from "./tree.js";
import { Units, doubtOf, entryOf, errorOf, throwsOf } from "./words.js";

const SERIOUS = ["mistake", "blunder"];

/** The mistakes and blunders of the line that is followed, against the program one's own. @returns {Exercise[]} */
export function mistakesOf(session) {
  const { ownSide } = session;
  if (!session.source?.hasValues) return [];
  return session.root.line.flatMap((node) => node.plies)
    .filter((ply) => SERIOUS.includes(ply.mark) && (!ownSide || ply.side === ownSide))
    .map((ply) => exerciseOf(session, ply));
}

/** The decision of a judged ply. @returns {Exercise} */
export function exerciseOf(session, ply) {
  const isBeforeThrow = ply.throw === null;
  return {
    path: session.source.path, position: ply.position, side: ply.side,
    choice: isBeforeThrow ? null : ply.choice ?? null, throws: isBeforeThrow ? [] : throwsOf(ply),
    played: ply.move,
  };
}

/** An exercise with the position unfolded, and its options in an order that gives nothing away. */
export class Question {
  /** @param {Exercise} exercise @param {"light" | "dark"} view */
  static async of(exercise, view) {
    const source = new Source(exercise.path);
    const [about, answer] = await Promise.all([source.about(), source.position(exercise.position, view)]);
    return new Question(exercise, source, about, answer, view);
  }

  constructor(exercise, source, about, answer, view) {
    Object.assign(this, { exercise, source, about, answer, view });
    this.units = new Units(about);
    this.options = (exercise.throws.length ? this.moves() : this.choices())
      .sort((one, two) => one.text.localeCompare(two.text));
    [this.best, this.second] = [...this.options].sort((one, two) => one.loss - two.loss);
  }

  get isBeforeThrow() {
    return !this.exercise.throws.length;
  }

  get words() {
    const { side } = this.answer;
    if (this.isBeforeThrow) return `What should ${side} choose before the throw?`;
    const { choice, throws } = this.exercise;
    const chosen = choice ? ` chosen “${choice}” and` : "";
    return `${side} has${chosen} thrown ${throws.join(" and ")}. Which move is best?`;
  }

  moves() {
    const { choice, throws } = this.exercise;
    const entry = entryOf(this.answer.throws.filter((each) => (each.choice ?? null) === choice), throws);
    return (entry?.moves ?? []).map((move) => ({
      ...move, text: move.move, doubt: move.loss_error ?? 0, error: errorOf(move),
    }));
  }

  choices() {
    const { choices, choice_errors: errors, choice_loss_errors: doubts } = this.answer;
    const known = Object.entries(choices ?? {}).filter(([, value]) => value !== null);
    const most = Math.max(...known.map(([, value]) => value));
    return known.map(([text, value]) => ({
      text, value, loss: most - value, doubt: doubts?.[text] ?? 0, error: errors?.[text] ?? 0,
    }));
  }

  /** Whether an option is the best, too close to call or worse. */
  verdict(option) {
    return verdictOf(this.answer.total, option.loss, option.doubt);
  }

  /** What an option loses, with its unit. */
  lost(option) {
    const lost = `${this.units.gain(-option.loss, 2, option.doubt)} ${this.units.points}`;
    return `${lost}${doubtOf(this.verdict(option))}`;
  }

  /** What the next throw may do after an option, in numbers; null after a choice before the throw. */
  async after(option) {
    if (!option.position) return null;
    const next = await this.source.position(option.position, this.view);
    if (next.winner || next.throws.some((each) => each.choice)) return null;
    const chance = (does) => next.throws
      .filter((each) => each.moves.some((move) => move[does]))
      .reduce((sum, each) => sum + each.probability, 0);
    return { side: next.side, captures: chance("capture"), again: chance("again") };
  }
}

// What this browser keeps of the games that were opened here: their mistakes, to be practised, and
// the throws that fell. Nothing is sent anywhere.

const KEY = "ur-learning";
export const MOST_MISTAKES = 500;
export const MOST_GAMES = 500;

/** Days until an exercise comes again, by its box: a right answer moves it to the next box. */
export const DAYS = [0, 1, 3, 7, 21];

/**
 * A decision to practise: the choice before a throw where `throws` is empty, else a move.
 * @typedef {{path: string, position: string, choice: string | null, throws: number[],
 *   side?: string, played?: string | null, box?: number, due?: number}} Exercise
 * The throws of a game by side: how often each number fell.
 * @typedef {{path: string, word: string, key: string, throws: {light: object, dark: object}}} Game
 */

/** The number of a day, in the time of this place. */
export function today() {
  const now = new Date();
  return Math.floor((now.getTime() / 60000 - now.getTimezoneOffset()) / 1440);
}

/** The same decision has the same key, whatever was played. */
function keyOf({ path, position, choice, throws }) {
  return [path, position, choice ?? "", throws.join("-")].join(" ");
}

class Kept {
  constructor() {
    this.read();
    // another window of this browser may have changed them
    addEventListener("storage", (event) => {
      if (event.key === KEY) this.read();
    });
  }

  read() {
    const { mistakes, games } = read(KEY, {});
    /** @type {Exercise[]} */
    this.mistakes = mistakes ?? [];
    /** @type {Game[]} */
    this.games = games ?? [];
  }

  write() {
    const { mistakes, games } = this;
    keep(KEY, { mistakes, games });
  }

  get due() {
    return this.mistakes.filter((each) => each.due <= today());
  }

  /** Take in a game: its throws, in place of those under its key, and its mistakes that are new. */
  add(game, mistakes) {
    this.games = [...this.games.filter((each) => each.key !== game.key), game].slice(-MOST_GAMES);
    const known = new Set(this.mistakes.map(keyOf));
    for (const each of mistakes) {
      if (!known.has(keyOf(each))) this.mistakes.push({ ...each, box: 0, due: today() });
    }
    // those that are known best make room, of equals the oldest
    while (this.mistakes.length > MOST_MISTAKES) {
      const most = Math.max(...this.mistakes.map((each) => each.box));
      this.mistakes.splice(this.mistakes.findIndex((each) => each.box === most), 1);
    }
    this.write();
  }

  /** Note the first answer to an exercise; one that is not kept stays out. */
  answer(exercise, isRight) {
    const found = this.mistakes.find((each) => keyOf(each) === keyOf(exercise));
    if (!found) return null;
    found.box = isRight ? Math.min(found.box + 1, DAYS.length - 1) : 1;
    found.due = today() + DAYS[found.box];
    this.write();
    return DAYS[found.box];
  }

  forget() {
    this.mistakes = [];
    this.games = [];
    this.write();
  }
}

export const kept = new Kept();

/** What fell in a round of an opening, light's throw first, as records write it. */
const ROUND = /(?:^|,)\s*(\d+)(?:-(\d+))?/g;

/**
 * The throws of the game on the page by side: those of the opening too, but no first throw that the
 * rules give.
 */
export function gameOf({ root, source, about, opening, isGiven }) {
  const throws = { light: {}, dark: {} };
  const count = (side, fallen) => {
    // an address may say anything of an opening
    if (!about.dice.some((face) => face.throw === fallen)) return;
    throws[side][fallen] = (throws[side][fallen] ?? 0) + 1;
  };
  for (const [, light, dark] of opening.matchAll(ROUND)) {
    count("light", Number(light));
    count("dark", Number(dark));
  }
  root.line.slice(isGiven ? 2 : 1).forEach(({ turn, plies }) => {
    for (const each of turn.throws) count(plies.at(-1).side, each);
  });
  return { path: source.path, word: about.word, key: hashed(`${root.position} ${writeTree(root)}`), throws };
}

/** A short key of a text (FNV-1a, twice with different starts). */
function hashed(text) {
  return [0x811c9dc5, 0x9dc5811c].map((start) => [...text]
    .reduce((sum, letter) => Math.imul(sum ^ letter.codePointAt(0), 0x01000193) >>> 0, start).toString(36)).join("");
}
