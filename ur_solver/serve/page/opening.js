// Ben's opening: both sides throw and enter a piece, until one is further along its path. What may
// be thrown and what comes of it is the engine's answer; a game begins where the opening ends.

import { showDice } from "./dice.js";
import { at, button } from "./dom.js";
import { fellWords, firstWords, personOf } from "./play.js";
import { picked } from "./common.js";
import { say } from "./speech.js";
import { SIDES, moveWords } from "./words.js";

export class Opening {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./board.js").Board} board
   * @param {(action: Function) => any} act
   */
  constructor(session, board, act) {
    Object.assign(this, { session, board, act });
    /** Where no opening can be asked for. */
    this.missing = null;
    this.forget(null);
  }

  forget(root) {
    this.root = root;
    this.isWanted = false;
    this.answer = null;
    this.entry = null;
    /** The rounds so far, as a record writes them. @type {string[]} */
    this.rounds = [];
  }

  /** Whether a game of Ben's could begin here. */
  get isDue() {
    const { session } = this;
    const { about, root, editing, source } = session;
    return about.opening === "ben" && session.at === root && root.position === about.start
      && !root.children.length && !editing && this.missing !== source;
  }

  get isOn() {
    return this.isDue && this.answer !== null && this.root === this.session.root;
  }

  /** Ask for the first round of a game that is played; for the drawing from the other side. */
  async prepare() {
    const { session } = this;
    if (this.root !== session.root) this.forget(session.root);
    if (!this.isDue || !(session.isPlayed || this.isWanted)) return;
    if (!this.answer || this.view !== session.view) await this.load(this.answer?.marker ?? null);
  }

  async load(marker) {
    const { source, view } = this.session;
    try {
      this.answer = await source.opening(marker, view);
      this.view = view;
    } catch {
      this.missing = source; // the game then begins with a free throw, as it does without an opening
    }
  }

  /** Play the opening, where the page would begin with a free throw. */
  want() {
    this.isWanted = true;
    return this.session.changed();
  }

  /** Throw for both sides; a side of the program chooses its square by what it loses. */
  async roll() {
    if (this.entry) return;
    const entry = picked(this.answer.throws, (each) => each.probability);
    const isAsked = entry.chooser && this.session.players[entry.chooser] === "human";
    if (!isAsked) {
      await this.take(entry, entry.outcomes[0]);
      return;
    }
    this.entry = entry;
    await this.session.changed();
    at("options").querySelector("button").focus();
  }

  async take(entry, outcome) {
    const { session } = this;
    this.rounds.push(outcome.round);
    this.entry = null;
    this.last = { entry, outcome };
    if (outcome.position) session.beginAfter(this.rounds.join(", "), outcome.position);
    else await this.load(outcome.marker);
    await session.changed();
  }

  /** What the program does by itself: throw, where no person plays. */
  next() {
    const isAlone = SIDES.every((side) => this.session.players[side] !== "human");
    return isAlone ? () => this.roll() : null;
  }

  // What is on screen.

  show() {
    const { session } = this;
    if (this.isOn) this.showRound();
    else if (this.isDue && !session.isPlayed) {
      at("options").append(button(say("opening.play"), this.act(() => this.want())));
    }
  }

  /** What came of the last round; after the opening, how the game began. */
  words() {
    const { session } = this;
    if (this.isOn) return this.lastWords();
    if (!session.opening || session.at !== session.root) return "";
    return say("opening.was", { rounds: session.opening, ...personOf(session, session.answer.side) });
  }

  showRound() {
    const { session, entry } = this;
    this.board.show(this.answer.svg, null);
    at("chances").hidden = true; // those of a free first throw
    at("headline").replaceChildren(this.headline());
    at("throw").setAttribute("aria-disabled", String(Boolean(entry)));
    const throws = entry?.throws ?? this.last?.entry.throws ?? [];
    showDice(session.about.look, this.rounds.length || entry ? throws : [], false);
    at("count").textContent = entry ? throws.join("–") : "";
    if (!entry) return;
    at("options").replaceChildren(...this.choices().map((outcome) => button(
      [session.isPlayed ? moveWords(outcome.move) : outcome.move, this.worth(outcome)],
      this.act(() => this.take(entry, outcome)))));
  }

  /** The squares to choose from: along the path where the best first would be a hint. */
  choices() {
    const { outcomes } = this.entry;
    if (!this.session.isPlayed) return outcomes;
    const path = this.session.about.paths[this.entry.chooser];
    const index = ({ move }) => path.indexOf(move.slice(-2));
    return [...outcomes].sort((one, two) => index(one) - index(two));
  }

  worth({ value }) {
    const { session } = this;
    if (value === undefined || (session.isPlayed && !session.isHinted)) return "";
    const { chooser } = this.entry;
    return ` ${session.units.value(chooser === "light" ? value : session.answer.total - value)}`;
  }

  headline() {
    const { entry } = this;
    if (entry) return say("opening.chooses", { fell: this.thrown(entry), ...personOf(this.session, entry.chooser) });
    return this.rounds.length ? say("opening.again") : say("opening.begin");
  }

  thrown({ throws }) {
    return throws.map((each, k) => fellWords(this.session, SIDES[k], [each])).join("; ");
  }

  /** What came of the last round, if another one follows. */
  lastWords() {
    if (!this.rounds.length) return this.session.isPlayed ? firstWords(this.session) : "";
    const { entry, outcome } = this.last;
    const [, ...moves] = outcome.round.split(" ");
    const words = moves.map((each) => (each === "--" ? say("turn.none") : moveWords(each))).join(", ") || say("opening.nothing");
    const what = { fell: this.thrown(entry), moves: words };
    return moves.length && !outcome.marker ? say("opening.last.home", what) : say("opening.last", what);
  }
}
