// A position unfolded: its choices, throws and moves, and their values. The arithmetic is that of
// `ur_solver.answers.decisions`.

import { markOf } from "../tree.js";
import { arrowPath, boardSvg } from "./drawing.js";
import { other } from "./moves.js";
import { NAMES, faults, parse, textOf } from "./notation.js";

/**
 * @typedef {object} Values
 * @property {boolean} isExact
 * @property {number} [agreement] how errors of estimates go together
 * @property {(rows: number[][]) => Promise<{values: ArrayLike<number>, errors?: ArrayLike<number>,
 *   chances?: ArrayLike<number>}>} figures of rows that are not over, to the side to throw; of
 *   estimates half the widths of their intervals, and of exact values in money the chances of
 *   winning if only that counted
 */

export class Unfolded {
  /**
   * @param {import("./moves.js").Moves} moves @param {Values | null} values @param {string} text
   * @param {"light" | "dark" | null} view the side on top of a drawing; null for no drawing
   * @param {number[] | null} throws whose moves get values; null for all
   */
  constructor(moves, values, text, view = null, throws = null) {
    const { row, side } = moves.encode(text);
    Object.assign(this, { moves, source: values, view, row, side });
    this.winner = moves.winner(row, side);
    this.passed = moves.mirror(row);
    this.total = moves.total(row);
    this.rows = [row, this.passed];
    this.throws = moves.hasChoices ? null : throws;
    this.turns = this.winner ? [] : moves.choices(row).flatMap(({ name }) => this.turnsOf(name));
    const canMove = this.turns.some(({ steps }) => steps.length);
    this.isDraw = !this.winner && !canMove && moves.isDraw(row);
  }

  /** A turn for each roll; `at` is the index of its first value in `rows`, null for no values. */
  turnsOf(choice) {
    const { moves, row } = this;
    const found = new Map();
    return moves.rolls(row, choice).map((roll) => {
      if (roll.movesBy === null) return { choice, roll, steps: [], at: 0 };
      const isValued = !this.throws || String(this.throws) === String(roll.throws);
      const key = `${roll.movesBy} ${isValued}`;
      if (!found.has(key)) {
        const steps = moves.steps(row, roll.movesBy, choice);
        found.set(key, { steps, at: isValued ? this.rows.length : null });
        if (isValued) this.rows.push(...steps.map((step) => step.row));
      }
      return { choice, roll, ...found.get(key) };
    });
  }

  /** Ask for all values at once. */
  async ask() {
    const { moves, source, rows } = this;
    if (this.winner || this.isDraw) {
      const won = this.winner === this.side ? this.total : 0;
      const value = this.isDraw ? this.total / 2 : won;
      this.values = [value, this.total - value];
      this.margins = [0, 0];
      return;
    }
    const known = rows.map((row) => (moves.hasPieces(row) ? 0 : moves.total(row)));
    this.margins = rows.map(() => 0);
    this.chances = rows.map((row) => (moves.hasPieces(row) ? 0 : 1));
    const open = rows.flatMap((row, k) => (moves.isOver(row) ? [] : [k]));
    const fill = (list, found) => open.forEach((k, at) => { list[k] = found[at]; });
    const { values, errors, chances } = await source.figures(open.map((k) => rows[k]));
    fill(known, values);
    if (!source.isExact) fill(this.margins, errors);
    else if (moves.hasFines) fill(this.chances, chances);
    this.values = known;
  }

  get value() {
    return this.values[0];
  }

  async answer() {
    if (this.source) await this.ask();
    return this.written();
  }

  /** All that is known: with values once they have been asked for. */
  written() {
    const { moves } = this;
    const notation = moves.notation(this.row, this.side);
    const answer = { position: notation };
    if (this.values) Object.assign(answer, { value: this.value }, this.exactness(this.margins[0]));
    if (this.view) answer.svg = boardSvg(moves, parse(moves, notation), notation, this.view);
    Object.assign(answer, {
      side: NAMES[this.side],
      winner: this.winner && NAMES[this.winner],
      is_draw: this.isDraw,
      total: this.total,
      after_pass: moves.notation(this.passed, other(this.side)),
    });
    const throws = this.turns.map((turn) => this.turnAnswer(turn));
    if (moves.hasChoices && this.values) Object.assign(answer, this.choicesAnswer(throws));
    return { ...answer, throws };
  }

  /** The choices before the throw, by their turns, which get their luck. */
  choicesAnswer(turns) {
    const worth = {};
    const margins = {};
    for (const each of turns) {
      worth[each.choice] = (worth[each.choice] ?? 0) + each.probability * each.value;
      margins[each.choice] = (margins[each.choice] ?? 0) + each.probability * (each.error ?? 0);
    }
    const names = Object.keys(worth);
    const best = names.reduce((one, two) => (worth[two] > worth[one] ? two : one), names[0]);
    const errors = {};
    const marks = {};
    for (const name of names) {
      errors[name] = name === best ? 0 : this.errorOfDifference(margins[name], margins[best]);
      marks[name] = markOf(this.total, worth[best] - worth[name], names.length, errors[name]);
    }
    for (const each of turns) each.luck = each.value - worth[each.choice];
    const choices = Object.fromEntries(
      this.moves.about.choices.map((name) => [name, worth[name] ?? null]));
    const answer = { choices, choice_marks: marks };
    return this.source.isExact ? answer
      : { ...answer, choice_errors: margins, choice_loss_errors: errors };
  }

  turnAnswer({ choice, roll, steps, at }) {
    const answer = this.moves.hasChoices ? { choice } : {};
    answer.throw = roll.throws.length === 1 ? roll.throws[0] : roll.throws;
    answer.probability = roll.probability;
    const moves = steps.map((step) => this.moveAnswer(step));
    if (this.values && at !== null) Object.assign(answer, this.valued(at, steps, moves));
    return { ...answer, moves };
  }

  /** The value and luck of a turn; its moves get theirs, and are put in order. */
  valued(at, steps, moves) {
    const { isExact } = this.source;
    moves.forEach((move, k) => {
      const step = steps[k];
      const total = this.moves.total(step.row);
      move.value = (step.again ? this.values[at + k] : total - this.values[at + k]) - step.cost;
      if (isExact && this.moves.hasFines) {
        move.chance = step.again ? this.chances[at + k] : 1 - this.chances[at + k];
      }
      Object.assign(move, this.exactness(this.margins[at + k]));
    });
    const best = moves.reduce((one, two) => (one && one.value >= two.value ? one : two), null);
    const value = best ? best.value : this.total - this.values[1];
    let margin = best ? 0 : this.margins[1];
    for (const move of moves) {
      const own = move.error ?? 0;
      const error = isExact || move === best ? 0 : this.errorOfDifference(best.error ?? 0, own);
      move.loss = value - move.value;
      margin = Math.max(margin, own - move.loss);
      if (!isExact) move.loss_error = error;
      move.mark = markOf(this.total, move.loss, moves.length, error);
    }
    moves.sort((one, two) => one.loss - two.loss);
    return { value, luck: value - this.value, ...this.exactness(margin) };
  }

  /** The error of what two values differ by: `error_of_difference` of `ur_solver.answers.decisions`. */
  errorOfDifference(one, other) {
    const together = 2 * (this.source.agreement ?? 0) * one * other;
    return Math.sqrt(Math.max(0, one * one + other * other - together));
  }

  exactness(error) {
    if (this.source.isExact) return {};
    return error === 0 ? { exact: true } : { exact: false, error };
  }

  moveAnswer(step) {
    const { moves, side } = this;
    const path = moves.paths[side];
    const answer = {
      move: moves.text(side, step),
      from: step.source < 0 ? "home" : path[step.source],
      to: step.target === path.length ? "off" : path[step.target],
      again: step.again,
      capture: step.isCapture,
      position: moves.notation(step.row, step.again ? side : other(side)),
    };
    if (this.view) {
      answer.arrows = Object.fromEntries(["best", "played"].map((kind) =>
        [kind, arrowPath(moves, side, kind, step, this.view)]));
    }
    return step.cost ? { ...answer, cost: step.cost } : answer;
  }
}

/** A position that may have faults: its drawing, and every fault in words. */
export function boardAnswer(moves, text, view) {
  const position = parse(moves, text);
  const notation = textOf(moves, position);
  return {
    position: notation,
    svg: boardSvg(moves, position, notation, view),
    faults: faults(moves, position),
  };
}
