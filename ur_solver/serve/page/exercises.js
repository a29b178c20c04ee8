// Exercises: decisions to practise, where they come from, and what their options are worth.

import { Source } from "./api.js";
import { isTie } from "./tree.js";
import { Units, entryOf, errorOf, throwsOf } from "./words.js";

/** @typedef {import("./kept.js").Exercise} Exercise */

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

  /** Of estimates, an option within the error of the comparison counts as the best. */
  isRight(option) {
    return isTie(this.answer.total, option.loss, option.doubt);
  }

  /** What an option loses, with its unit. */
  lost(option) {
    return `${this.units.gain(-option.loss, 2, option.doubt)} ${this.units.points}`;
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
