// Learning from one's games: recording them, practising their mistakes, counting their throws.
// This wires the parts to the page: a card with buttons, and a hook for games that are opened. The
// dialogs are loaded when they are first opened.

import { Source } from "./api.js";
import { entered, keep, once, read, part } from "./common.js";
import { at, button, figures, make } from "./dom.js";
import { exerciseOf, gameOf, isDue, kept, mistakesOf } from "./exercises.js";
import { percent, say } from "./speech.js";
import { choiceWord, errorOf, throwsOf } from "./words.js";

const ASKS = "ur-asks-first";

export class Learning {
  /**
   * @param {import("./session.js").Session} session
   * @param {(action: (...given: any[]) => any) => (...given: any[]) => Promise<void>} run says what fails
   * @param {{open: (game: import("./exercises.js").Game) => Promise<void>}} on opens a game that is kept
   */
  constructor(session, run, on) {
    this.session = session;
    /** The lines of games as this tab has kept them, and the keys that games have got instead of others. */
    this.lines = new Map();
    this.moved = new Map();
    this.saving = Promise.resolve();
    const made = new Map();
    this.practise = () => once(made, "practise", async () => {
      const { Practise } = await part(import("./practise.js"));
      const practise = new Practise(session);
      return practise;
    });
    this.record = () => once(made, "record", async () => {
      const { Record } = await part(import("./record.js"));
      return new Record(session, (text, saved) => this.judge(text, saved));
    });
    this.games = () => once(made, "games", async () => {
      const { Archive } = await part(import("./archive.js"));
      return new Archive({ open: on.open, record: async (key) => (await this.record()).open(key) });
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
        record(say("learning.record"), "record-game"), this.practising[0],
        button(say("fair.title"), opening(this.diceTest), { id: "dice-test" }),
        button(say("archive.title"), opening(this.games), { id: "my-games" })),
      make("p", { class: "values" }, make("label", {}, this.asks, ` ${say("learning.ask-first")}`)),
      this.openings.details);
    at("hero").after(make("p", { class: "buttons" },
      record(say("start.record"), "start-record"), this.practising[1],
      button(say("archive.title"), opening(this.games), { id: "start-games" })));
    session.opened = () => this.remember();
  }

  /** Show what is kept on this device; the games that are. */
  async showKept() {
    const [mistakes, games] = await Promise.all([kept.mistakes(), kept.games()]);
    const due = mistakes.filter(isDue).length;
    for (const button of this.practising) button.textContent = due ? say("learning.practise.due", { due }) : say("practise.title");
    return games;
  }

  show() {
    const { session } = this;
    const isPlayed = Object.values(session.players).includes("human");
    if (session.isOver && session.at.parent && isPlayed && !session.isGuided && this.root !== session.root) this.remember();
    this.openings.show();
  }

  /** Note that the game on the page is as it was kept. */
  saw() {
    const { key } = this.session;
    if (key) this.lines.set(key, gameOf(this.session).line);
    this.address = this.session.address;
  }

  /** Keep the game on the page, if a turn of it was made here. */
  keep() {
    const { session } = this;
    if (!session.key || session.address === this.address) return;
    this.address = session.address;
    const game = gameOf(session);
    this.saving = this.saving.then(async () => {
      const key = this.moved.get(game.key) ?? game.key;
      const made = await kept.keep({ ...game, key }, this.lines.get(key));
      this.lines.set(made.key, game.line);
      if (made.key === key) return;
      // another tab plays on from the same place: its game stays, and this one is another
      this.moved.set(game.key, made.key);
      if (session.key === game.key || session.key === key) {
        session.key = made.key;
        entered("replaceState", { key: made.key }, ""); // or with the next turn
      }
    });
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
    this.root = session.root;
    const { judged } = this;
    const game = gameOf(session);
    if (judged) kept.keep({ ...game, kind: "recorded", key: judged.key, line: judged.line }, judged.line);
    else if (!session.key) kept.keep(game);
    kept.learn(mistakesOf(session));
  }

  /** Judge a record, which is kept like this, and stand at its beginning with the mistakes ahead. */
  async judge(text, saved) {
    const { games, faults } = await new Source(saved.path).audit(text);
    if (faults.length) throw new Error(faults[0].message);
    this.judged = saved;
    await this.session.load(games[0], saved.path).finally(() => {
      this.judged = null;
    });
  }
}

// The first throws of a game: the best move after each, and what the others lose.

/** A table that is filled when it is opened, as it costs a request. */
export class Openings {
  /** @param {import("./session.js").Session} session @param {(action: () => Promise<void>) => () => void} run */
  constructor(session, run) {
    this.session = session;
    this.table = make("div", { class: "wide-table", tabindex: "0", role: "group", "aria-label": say("openings.title") });
    this.details = make("details", { id: "openings" }, make("summary", {}, say("openings.title")), this.table);
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
      const before = each.choice ? `${choiceWord(each.choice)} ` : "";
      return [
        `${before}${throwsOf(each).join(" ")}`,
        about.opening_throw === null ? percent(each.probability, 1) : say("openings.always"),
        best?.move ?? say("turn.none"), units.value(each.value, errorOf(each)),
        others.map((move) => `${move.move} ${units.gain(-move.loss, 2, move.loss_error ?? 0)}`).join(", ") || "–",
      ];
    };
    this.table.replaceChildren(figures(say("openings.caption", { word: about.word, side: answer.side }),
      [say("fair.throw"), say("openings.often"), say("openings.best"), units.isMoney ? say("openings.money") : say("openings.chance"), say("openings.others")], throws.map(row)));
  }
}
