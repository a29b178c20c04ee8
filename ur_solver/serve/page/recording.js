// A game played elsewhere, as it is written down: its turns, any of which can be corrected later.
// What a correction makes illegal stays, with the reason, until it is corrected or removed.

import { newKey } from "./common.js";
import { writeTurn } from "./tree.js";
import { say } from "./speech.js";
import { SIDES, choicesOf, entryOf, other, plainText } from "./words.js";

/**
 * A turn, and where it is played: `before` is null while it waits for an earlier one at fault.
 * @typedef {{side: string | null, choice: string | null, throws: number[] | null, move: string | null,
 *   before: string | null, after: string | null, fault: string | null}} Written
 */

const EMPTY = { side: null, choice: null, throws: null, move: null, before: null, after: null, fault: null };

/** A move without the marks that follow from the position: a capture stays the same move without it. */
const bare = (move) => move.replace(/[x*+]/g, "");

export class Recording {
  /** @param {import("./api.js").Source} source @param {any} about what is known of it */
  constructor(source, about, saved = null) {
    this.source = source;
    this.about = about;
    this.names = saved?.names ?? { light: "", dark: "" };
    this.ending = saved?.ending ?? "";
    /** How the first player was found, round by round, and where the game begins after it. */
    this.rounds = saved?.rounds ?? [];
    this.start = saved?.start ?? about.start;
    this.key = saved?.key ?? newKey();
    /** @type {Written[]} */
    this.turns = (saved?.turns ?? []).map(([side, choice, throws, move]) => ({ ...EMPTY, side, choice, throws, move }));
    this.at = this.turns.length;
    this.draft = { ...EMPTY };
  }

  /** What has to be kept to go on later. */
  get saved() {
    return {
      path: this.source.path, word: this.about.word, key: this.key, names: this.names, ending: this.ending,
      rounds: this.rounds, start: this.start,
      turns: this.turns.map(({ side, choice, throws, move }) => [side, choice, throws, move]),
    };
  }

  /** The turns as an address has them. */
  get line() {
    return `${this.start} ${this.turns.map(writeTurn).join("")}`;
  }

  /** Who has won; null as long as that is not known. @param {any} end the answer of the last position */
  resultAfter(end) {
    if (end?.winner || end?.is_draw) return end.winner ?? "draw";
    return this.ending ? other(this.ending) : null;
  }

  /** The turn that is written or corrected now. */
  get turn() {
    return this.turns[this.at] ?? this.draft;
  }

  get isAtEnd() {
    return this.at === this.turns.length;
  }

  /** Where the current turn is played; null behind a fault. */
  get position() {
    return this.at ? this.turns[this.at - 1].after : this.start;
  }

  get firstFault() {
    return this.turns.findIndex((turn) => turn.fault);
  }

  /** The turns that are kept behind a fault, and checked when that is corrected. */
  get nWaiting() {
    return this.turns.filter((turn) => turn.before === null).length;
  }

  /** The current position unfolded. */
  async unfold(view) {
    this.answer = this.position && await this.source.position(this.position, view);
    const { choices } = this;
    if (choices.length === 1 && !this.turn.choice) [this.turn.choice] = choices;
  }

  // What can be written at the current place.

  get choices() {
    return this.answer ? choicesOf(this.answer) : [];
  }

  get throws() {
    return this.answer ? possible(this, this.answer, this.at, this.turn.choice) : [];
  }

  get entry() {
    return this.turn.throws && entryOf(this.throws, this.turn.throws);
  }

  get moves() {
    return this.entry?.moves ?? [];
  }

  // Writing and correcting.

  /** Go to a turn, or behind the last one. */
  go(at) {
    this.at = Math.max(0, Math.min(this.turns.length, at));
  }

  takeChoice(name) {
    Object.assign(this.turn, { choice: name, throws: null });
    if (!this.isAtEnd) return this.check(this.at);
    return null;
  }

  /** The throw that fell. Where nothing can move, the turn is over with it. */
  async choose(throws) {
    const { turn } = this;
    turn.throws = throws;
    if (this.isAtEnd) {
      turn.move = null;
      if (!this.moves.length) await this.finish(null);
      return;
    }
    if (!this.moves.length) turn.move = null;
    turn.side = this.answer.side;
    await this.check(this.at);
  }

  /** The move that was made. */
  async finish(move) {
    const { turn } = this;
    turn.move = move;
    turn.side = this.answer.side;
    if (this.isAtEnd) {
      this.turns.push({ ...turn });
      this.draft = { ...EMPTY };
    }
    await this.check(this.at);
    const fault = this.firstFault;
    this.at = fault >= 0 ? fault : this.turns.length;
  }

  /** A turn that was forgotten, to be filled in. */
  async insert() {
    this.turns.splice(this.at, 0, { ...EMPTY });
    await this.check(this.at);
  }

  async remove() {
    this.turns.splice(this.at, 1);
    await this.check(this.at);
  }

  /** Play the turns from one on anew, and mark those that are not possible any more. */
  async check(from) {
    let position = from ? this.turns[from - 1].after : this.start;
    for (let k = from; k < this.turns.length; k += 1) {
      const turn = this.turns[k];
      if (k > from && position !== null && turn.before === position
        && this.turns.slice(k).every((each) => each.after)) return;
      Object.assign(turn, { before: position, after: null, fault: null });
      if (position === null) continue;
      const answer = await this.source.position(position, "light");
      turn.fault = this.faultOf(turn, answer, k);
      position = turn.fault ? null : turn.after;
    }
  }

  /** Why a turn is not possible here; where it is, `after` is filled in, and the marks of its move. */
  faultOf(turn, answer, k) {
    if (answer.winner) return say("recording.over", { side: answer.winner });
    if (!turn.throws && !turn.side) return say("recording.empty");
    if (turn.side && turn.side !== answer.side) return say("recording.side", { side: answer.side });
    if (!turn.throws) return say("recording.choose");
    const entry = entryOf(possible(this, answer, k, turn.choice), turn.throws);
    if (!entry) return say("recording.throw", { throws: turn.throws.join(" ") });
    const { moves } = entry;
    if (!moves.length) {
      if (turn.move) return say("recording.no-move", { move: turn.move });
      turn.after = answer.after_pass;
      return null;
    }
    const words = moves.map((each) => each.move).join(", ");
    if (!turn.move) return say("recording.choose-move", { moves: words });
    const found = moves.find((each) => each.move === turn.move)
      ?? moves.find((each) => bare(each.move) === bare(turn.move));
    if (!found) return say("recording.illegal", { move: turn.move, moves: words });
    turn.move = found.move;
    turn.after = found.position;
    return null;
  }

  // The opening, where the rules have one that is played on the board.

  get hasOpening() {
    return this.about.opening === "ben";
  }

  get isOpened() {
    return this.start !== this.about.start;
  }

  /** The next round: what may fall, and what comes of it. */
  async askRound(view) {
    this.round = await this.source.opening(this.marker ?? null, view);
  }

  /** What came of a round; the last one says where the game begins. */
  async takeRound(outcome, view) {
    this.rounds.push(outcome.round);
    this.marker = outcome.marker;
    if (!outcome.position) {
      await this.askRound(view);
      return;
    }
    Object.assign(this, { round: null, marker: null, start: outcome.position });
    await this.check(0);
  }

  /** Begin the opening anew; the turns stay as far as they are legal after it. */
  async askOpening(view) {
    Object.assign(this, { rounds: [], marker: null, start: this.about.start });
    await this.askRound(view);
    await this.check(0);
  }

  // The record.

  /** The game in the plain notation; `isOver` says whether the last move has won. */
  text(isOver) {
    const { about, turns, start } = this;
    const names = Object.fromEntries(SIDES.map((side) => [side === "light" ? "Light" : "Dark", this.names[side].trim() || null]));
    const left = { light: "resigned by L, winner D", dark: "resigned by D, winner L" }[this.ending] ?? "unfinished";
    return plainText(about, { rounds: this.rounds.join(", "), start, names, turns }, isOver ? "" : left);
  }
}

/** The throws that may fall in a position, after the choice before it. */
function possible({ about }, answer, k, choice) {
  const opening = k === 0 && answer.position === about.start ? about.opening_throw : null;
  return answer.throws.filter((each) => (each.choice ?? null) === (choice ?? null)
    && (opening === null || each.throw === opening));
}
