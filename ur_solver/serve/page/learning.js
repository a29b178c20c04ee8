// Learning from one's games: recording them, practising their mistakes, counting their throws.
// This wires the parts to the page: a card with buttons, and a hook for games that are opened. The
// dialogs are loaded when they are first opened.

import { Source } from "./api.js";
import { keep, once, read, part } from "./common.js";
import { at, button, figures, make } from "./dom.js";
import { exerciseOf, gameOf, kept, mistakesOf } from "./exercises.js";
import { errorOf, throwsOf } from "./words.js";

const ASKS = "ur-asks-first";

export class Learning {
  /**
   * @param {import("./session.js").Session} session
   * @param {(action: (...given: any[]) => any) => (...given: any[]) => Promise<void>} run says what fails
   */
  constructor(session, run) {
    this.session = session;
    const made = new Map();
    this.practise = () => once(made, "practise", async () => {
      const { Practise } = await part(import("./practise.js"));
      const practise = new Practise(session);
      practise.dialog.addEventListener("close", () => this.showDue());
      return practise;
    });
    this.record = () => once(made, "record", async () => {
      const { Record } = await part(import("./record.js"));
      return new Record(session, (text, path, key) => this.judge(text, path, key));
    });
    this.diceTest = () => once(made, "dice", async () => new (await part(import("./dice_test.js"))).DiceTest(session));
    this.openings = new Openings(session, run);
    const opening = (dialog) => run(async () => (await dialog()).open());
    this.run = run;
    const record = (words, id) => button(words, opening(this.record), { id });
    this.practising = ["practise", "start-practise"].map((id) => button([], opening(this.practise), { id }));
    this.asks = make("input", { id: "ask-first", type: "checkbox", checked: read(ASKS, false),
      onchange: () => keep(ASKS, this.asks.checked) });
    at("learning").append(
      make("div", { class: "buttons" },
        record("Record a game", "record-game"), this.practising[0],
        button("Is it the dice?", opening(this.diceTest), { id: "dice-test" })),
      make("p", { class: "values" }, make("label", {}, this.asks, " Ask me first: “mistake ›” hides the answer until I have tried")),
      this.openings.details);
    at("hero").after(make("p", { class: "buttons" },
      record("Record a game at a real table", "start-record"), this.practising[1]));
    session.opened = () => this.remember();
    this.showDue();
  }

  showDue() {
    const due = kept.due.length;
    for (const button of this.practising) button.textContent = due ? `Practise (${due} due)` : "Practise";
  }

  show() {
    const { session } = this;
    const isPlayed = Object.values(session.players).includes("human");
    if (session.isOver && session.at.parent && isPlayed && this.root !== session.root) this.remember();
    this.showDue();
    this.openings.show();
  }

  /** Go to a place in the game, after asking for the move there if that is wanted. */
  async meet(node) {
    const ply = node?.next?.plies.find((each) => ["mistake", "blunder"].includes(each.mark));
    if (!ply || !this.asks.checked) {
      await this.session.go(node);
      return;
    }
    const practise = await this.practise();
    practise.ask(exerciseOf(this.session, ply)).then(this.run(() => this.session.go(node)));
  }

  /**
   * Keep what there is to learn from a game that was opened, or played to its end: of a game against
   * the computer, one's own mistakes. A corrected record takes its own place.
   */
  remember() {
    const { session } = this;
    const game = gameOf(session);
    this.root = session.root;
    kept.add({ ...game, key: this.key ?? game.key }, mistakesOf(session));
  }

  /** Judge a record, and stand at its beginning with the mistakes ahead. */
  async judge(text, path, key) {
    const { games, faults } = await new Source(path).audit(text);
    if (faults.length) throw new Error(faults[0].message);
    this.key = key;
    await this.session.load(games[0], path).finally(() => {
      this.key = null;
    });
  }
}

// The first throws of a game: the best move after each, and what the others lose.

/** A table that is filled when it is opened, as it costs a request. */
export class Openings {
  /** @param {import("./session.js").Session} session @param {(action: () => Promise<void>) => () => void} run */
  constructor(session, run) {
    this.session = session;
    this.table = make("div", { class: "wide-table", tabindex: "0", role: "group", "aria-label": "Openings by throw" });
    this.details = make("details", { id: "openings" }, make("summary", {}, "Openings by throw"), this.table);
    this.details.addEventListener("toggle", run(() => this.fill()));
  }

  /** Hidden without values, and empty for other rules than those it was filled for. */
  show() {
    const { source, showsValues } = this.session;
    this.details.hidden = !source.hasValues || !showsValues;
    if (this.path !== source.path) {
      this.path = source.path;
      this.table.replaceChildren();
      this.details.open = false;
    }
  }

  async fill() {
    const { session } = this;
    if (!this.details.open || this.table.firstChild) return;
    const { about, units, source } = session;
    const answer = await source.position(about.start, session.view);
    if (source.path !== this.path) return;
    const throws = answer.throws.filter((each) =>
      about.opening_throw === null || each.throw === about.opening_throw);
    const row = (each) => {
      const [best, ...others] = each.moves;
      const before = each.choice ? `${each.choice} ` : "";
      return [
        `${before}${throwsOf(each).join(" ")}`,
        about.opening_throw === null ? `${(100 * each.probability).toFixed(1)} %` : "always",
        best?.move ?? "no move", units.value(each.value, errorOf(each)),
        others.map((move) => `${move.move} ${units.gain(-move.loss, 2, move.loss_error ?? 0)}`).join(", ") || "–",
      ];
    };
    this.table.replaceChildren(figures(`The first throw of ${about.word}, ${answer.side} to move`,
      ["throw", "how often", "best move", units.isMoney ? "money" : "chance", "others lose"], throws.map(row)));
  }
}
