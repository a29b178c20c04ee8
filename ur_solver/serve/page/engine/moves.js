// The moves of a rule set, looked up in tables that Python has made of its rules
// (ur_solver/serve/rules_data.py). A row is a position as numbers, seen by the side to throw: the
// number of each square's content, my pieces at home and theirs, with stakes the fines paid.

import { Refusal } from "../common.js";
import { read, write } from "./notation.js";

export const [AGAIN, WIN, ROSETTE, PASS, CAPTURE, OPTIONAL] = [1, 2, 4, 8, 16, 32];

const NONE = 0xffff;
const VERSION = 3;

/**
 * @typedef {number[]} Row
 * @typedef {{mover: number, source: number, target: number, flags: number, isCapture: boolean,
 *   again: boolean, isWin: boolean, cost: number, row: Row}} Step
 *   A move; `row` is the position after it, seen by the side that throws next.
 * @typedef {{name: string, may: number, chances: number[], passes: number}} Choice
 * @typedef {{probability: number, throws: number[], movesBy: number | null}} Roll
 */

export class Moves {
  /** @param {any} data what `rules_data` has written */
  constructor(data) {
    if (data.version !== VERSION) throw new Refusal(["values.versions"]);
    this.data = data;
    this.about = data.about;
    Object.assign(this, data.tables);
    this.movers = data.movers;
    this.isNumbered = data.about.is_numbered;
    this.nCells = data.contents.length;
    this.hasFines = data.payoff.most_fines !== null;
    this.width = this.nCells + 2 + Number(this.hasFines);
    /** The throws that may move a piece; elsewhere a throw's number is its index here. */
    this.throws = data.tables.throws;
    this.paths = { L: data.about.paths.light, D: data.about.paths.dark };
    this.hasChoices = data.about.choices.length > 0;
    this.hasRests = data.has_rests;
    this.start = this.encode(data.about.start).row;
  }

  /** A position and the side to throw there. @param {string} text @returns {{row: Row, side: string}} */
  encode(text) {
    return read(this, text);
  }

  /** @param {Row} row @param {string} side */
  notation(row, side) {
    return write(this, row, side);
  }

  /** The row as the other side sees it, which is the position after a pass. @param {Row} row */
  mirror(row) {
    const n = this.nCells;
    const other = row.slice();
    for (let cell = 0; cell < n; cell++) {
      other[this.mirror_cell[cell]] = this.mirror_content[this.first_content[cell] + row[cell]];
    }
    other[n] = row[n + 1];
    other[n + 1] = row[n];
    return other;
  }

  isOnBoard(row) {
    for (let cell = 0; cell < this.nCells; cell++) {
      if (this.n_mine[this.first_content[cell] + row[cell]]) return true;
    }
    return false;
  }

  hasPieces(row) {
    return row[this.nCells] > 0 || this.isOnBoard(row);
  }

  isOver(row) {
    return !this.hasPieces(row) || !this.hasPieces(this.mirror(row));
  }

  /** The side that has won, or null. @param {Row} row @param {string} side */
  winner(row, side) {
    if (!this.hasPieces(row)) return side;
    return this.hasPieces(this.mirror(row)) ? null : other(side);
  }

  /** What both sides' values sum to. @param {Row} row */
  total(row) {
    const { total, fine } = this.data.payoff;
    return this.hasFines ? total + fine * row[this.width - 1] : total;
  }

  /** The choices before the throw: one without a name where the rules have none. @returns {Choice[]} */
  choices(row) {
    return this.data.types[this.type_of[row[this.nCells]][Number(this.isOnBoard(row))]];
  }

  /** What may be thrown after a choice. @returns {Roll[]} */
  rolls(row, choice = "") {
    const home = row[this.nCells];
    const lowest = this.isNumbered && home ? String(32 - Math.clz32(home & -home)) : "";
    return this.data.rolls[choice][lowest]
      .map(([probability, throws, movesBy]) => ({ probability, throws, movesBy }));
  }

  /** Which pieces may move after a choice: 1 from home, plus 2 on the board. */
  may(choice) {
    for (const choices of this.data.types) {
      for (const each of choices) if (each.name === choice) return each.may;
    }
    return 0;
  }

  /** All legal moves with a throw; none where the turn passes. @returns {Step[]} */
  steps(row, movesBy, choice = "") {
    return this.options(row, this.throws.indexOf(movesBy), this.may(choice));
  }

  /** The same by the number of the throw, -1 for one that moves nothing. @returns {Step[]} */
  options(row, number, may) {
    if (number < 0) return [];
    const movable = this.movable(row, may);
    const own = row.slice();
    this.wake(own);
    const found = [];
    for (const mover of movable) this.addMoves(own, mover, number, found);
    return found;
  }

  /** The pieces that may move, by mover. */
  movable(row, may) {
    const found = [];
    const home = row[this.nCells];
    let canEnter = Boolean(may & 1);
    for (let mover = 0; mover < this.movers.length; mover++) {
      const cell = this.mover_cell[mover];
      if (cell < 0) {
        const part = this.mover_part[mover];
        // of pieces at home the lowest, where they are numbered
        if (!canEnter || !(this.isNumbered ? home & part : home >= part)) continue;
        canEnter = false;
      } else if (!(may & 2) || this.lift[this.lift_start[mover] + row[cell]] === NONE) {
        continue;
      }
      found.push(mover);
    }
    return found;
  }

  /** Wake the piece that rests, once those that may move are known. */
  wake(own) {
    if (!this.hasRests) return;
    for (let cell = 0; cell < this.nCells; cell++) {
      own[cell] = this.awake[this.first_content[cell] + own[cell]];
    }
  }

  addMoves(own, mover, number, found) {
    const [first, last] = [this.step_start[mover][number], this.step_start[mover][number + 1]];
    if (first === last) return;
    const left = own.slice();
    const cell = this.mover_cell[mover];
    if (cell < 0) left[this.nCells] -= this.mover_part[mover];
    else left[cell] = this.lift[this.lift_start[mover] + own[cell]];
    for (let step = first; step < last; step++) this.addStep(left, mover, number, step, found);
  }

  addStep(left, mover, number, step, found) {
    const target = this.step_target[step];
    const landing = this.step_landing[step];
    const after = left.slice();
    let flags = 0;
    let again = 1;
    if (landing >= 0) {
      const cell = this.landing_cell[landing];
      const at = this.landing_start[landing] + left[cell];
      if (this.landing_content[at] === NONE) return;
      after[cell] = this.landing_content[at];
      after[this.nCells + 1] += this.landing_taken[at];
      if (this.landing_taken[at]) flags |= CAPTURE;
      if (this.is_rosette[target]) flags |= ROSETTE;
      again = this.again[number][target][Number(this.landing_taken[at] > 0)];
    } else if (this.hasPieces(after)) {
      again = this.again[number][target][0];
    } else {
      flags = WIN;
    }
    if (again === 3) flags |= OPTIONAL;
    if (this.hasFines && flags & ROSETTE) after[this.width - 1] += 1;
    if (again & 1) found.push(this.step(mover, target, flags, this.mirror(after)));
    if (again & 2) found.push(this.step(mover, target, flags | AGAIN, after));
  }

  step(mover, target, flags, row) {
    return {
      mover, target, flags, row,
      source: this.movers[mover][1],
      isCapture: Boolean(flags & CAPTURE),
      again: Boolean(flags & AGAIN),
      isWin: Boolean(flags & WIN),
      cost: flags & ROSETTE ? this.data.payoff.cost : 0,
    };
  }

  /** A move of a side in RGN's notation. @param {string} side @param {Step} step */
  text(side, { mover, source, target, flags }) {
    const path = this.paths[side];
    const start = source < 0 ? `${path[0][0]}@` : path[source];
    const end = target < path.length ? path[target] : `${path.at(-1)[0]}+`;
    const text = `${this.movers[mover][0].slice(1)}${start}${end}${flags & CAPTURE ? "x" : ""}${flags & ROSETTE ? "*" : ""}`;
    return flags & OPTIONAL ? text + this.data.decision_marks[Number(Boolean(flags & AGAIN))] : text;
  }

  /** Whether neither side can ever move again. @param {Row} row */
  isDraw(row) {
    if (this.isOver(row)) return false;
    const passed = this.mirror(row);
    return ![this.mirror(passed), passed].some((each) => this.canMove(each));
  }

  canMove(row) {
    return this.choices(row).some(({ may, chances }) =>
      chances.some((chance, number) => chance > 0 && this.options(row, number, may).length));
  }
}

export const other = (side) => (side === "L" ? "D" : "L");
