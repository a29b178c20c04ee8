// Practise: decisions with the answer hidden, to be tried again, and explained in numbers.

import { get } from "./api.js";
import { Board } from "./board.js";
import { cautious, figures, make, named } from "./dom.js";
import { Question, drawn, mistakesOf } from "./exercises.js";
import { DAYS, MOST_GAMES, MOST_MISTAKES, kept } from "./kept.js";
import { Presses } from "./presses.js";
import { counted } from "./words.js";

const COUNT = 10;
const COSTS = [0.01, 0.02, 0.05, 0.1];

export class Practise {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.title = make("h2", { id: "practise-title", tabindex: "-1" }, "Practise");
    this.body = make("div");
    this.error = make("p", { role: "alert", class: "bad" });
    this.dialog = make("dialog", { id: "practise-dialog", class: "wide", "aria-labelledby": "practise-title" },
      this.title, this.error, this.body);
    this.dialog.addEventListener("close", () => {
      this.closed?.();
      this.closed = null;
    });
    document.body.append(this.dialog);
  }

  /** What to practise is chosen first. */
  async open() {
    this.judges = await judges();
    this.choose();
    this.dialog.showModal();
  }

  /** Ask one decision, and resolve when the dialog is closed. */
  ask(exercise) {
    return new Promise((resolve) => {
      this.closed = resolve;
      this.dialog.showModal();
      this.begin([exercise]);
    });
  }

  /** Run something; what fails is said in the dialog. */
  async run(action) {
    this.error.textContent = "";
    this.dialog.setAttribute("aria-busy", "true");
    try {
      await action();
    } catch (error) {
      this.error.textContent = error.message;
    }
    this.dialog.setAttribute("aria-busy", "false");
  }

  // What to practise.

  choose() {
    const { session } = this;
    const own = mistakesOf(session, session.ownSide ?? "");
    const button = (words, list, id) => make("button", {
      type: "button", id, disabled: !list.length, onclick: () => this.begin(shuffled(list)),
    }, words);
    const cost = make("select", { id: "practise-cost" }, ...COSTS.map((share) =>
      make("option", { value: share, selected: share === 0.02 }, `${100 * share} %`)));
    const judge = make("select", { id: "practise-game" }, ...this.judges.map(({ path, words }) =>
      make("option", { value: path, selected: path === session.source?.path }, words)));
    const play = make("button", { type: "button", id: "practise-play",
      onclick: () => this.fromPlay(judge.value, Number(cost.value)) }, "Positions from play");
    this.title.textContent = "Practise";
    this.body.replaceChildren(
      make("p", {}, "You see a position and a throw, and choose the move. The answer stays hidden until you have tried."),
      make("div", { class: "choices", role: "group", "aria-label": "What to practise" },
        button(`Due today: ${kept.due.length} of ${counted(kept.mistakes.length, "mistake")}`, kept.due, "practise-due"),
        button(`All kept mistakes: ${kept.mistakes.length}`, kept.mistakes, "practise-all"),
        button(`Mistakes of this game: ${own.length}`, own, "practise-own"),
        this.judges.length ? make("fieldset", {}, make("legend", {}, "Drawn from play"),
          make("label", {}, "Game ", judge),
          make("label", {}, "A mistake loses at least ", cost, " of what there is to win"), play) : null),
      make("p", { class: "faint" }, `Mistakes of the games that you open, or play to their end, are kept in this browser and nowhere else: at most ${MOST_MISTAKES}, and the throws of ${MOST_GAMES} games. `
        + `After a right answer one comes again in ${DAYS[1]}, ${DAYS[2]}, ${DAYS[3]}, then every ${DAYS[4]} days, after a wrong one the next day.`),
      make("p", { class: "buttons" }, this.forgetting(), this.closing("Close")));
  }

  closing(words, css = "") {
    return make("button", { type: "button", class: css, onclick: () => this.dialog.close() }, words);
  }

  forgetting() {
    const button = cautious("Forget all", "Really forget all kept games?", () => {
      kept.forget();
      this.choose();
      this.title.focus();
    });
    button.disabled = !kept.mistakes.length && !kept.games.length;
    return button;
  }

  fromPlay(path, cost) {
    return this.run(async () => {
      const [seed] = crypto.getRandomValues(new Uint32Array(1));
      const found = await drawn(path, { seed, count: COUNT, cost });
      if (!found.length) throw new Error("No mistake in this game costs as much; choose a smaller loss.");
      await this.begin(found);
    });
  }

  // Asking.

  begin(list) {
    this.list = list;
    this.number = 0;
    this.right = 0;
    return this.run(() => this.next());
  }

  async next() {
    const { list, number } = this;
    this.title.textContent = list.length > 1 ? `Practise: ${number + 1} of ${list.length}` : "What would you play?";
    this.tried = new Set();
    this.forward = make("p", { class: "buttons" });
    this.body.replaceChildren(this.forward);
    this.title.focus();
    try {
      this.question = await Question.of(list[number], this.session.view);
      if (this.question.options.length < 2) throw new Error("There is no choice in this position any more.");
    } catch (error) {
      // perhaps its table is not served any more: the others can be practised
      this.isDone = true;
      this.showForward();
      throw error;
    }
    this.isDone = false;
    this.build();
  }

  build() {
    const { question } = this;
    const host = make("div", { class: "small-board" });
    this.board = new Board({
      press: (place) => this.presses.press(place), drop: (from, to) => this.presses.drop(from, to),
    }, host);
    this.presses = new Presses(this.board, (move) => this.answer(question.options.find((each) => each.text === move.move)));
    this.board.canDrag = (place) => this.presses.canDrag(place);
    this.message = make("p", { role: "status", id: "practise-message" });
    this.why = make("div", { id: "practise-why" });
    this.buttons = new Map(question.options.map((option) => [option, make("button", {
      type: "button", "data-move": option.text, onclick: () => this.answer(option),
    }, ...named(option.text))]));
    this.body.replaceChildren(
      host, make("p", { id: "practise-question" }, `${question.about.title}, ${counted(question.about.pieces, "piece")}: ${question.words}`),
      make("div", { class: "answers", role: "group", "aria-label": "Answers" }, ...this.buttons.values()),
      this.message, this.why, this.forward);
    this.board.show(question.answer.svg);
    if (!question.isBeforeThrow) this.presses.offer(question.options, question.answer.side);
    this.showForward();
  }

  showForward() {
    const isLast = this.number + 1 === this.list.length;
    const onward = make("button", { type: "button", id: "practise-next", class: this.isDone ? "main" : "",
      onclick: () => (isLast ? this.end() : this.run(() => {
        this.number += 1;
        return this.next();
      })) }, isLast ? "Finish" : "Next");
    this.forward.replaceChildren(...[
      this.isDone ? null : make("button", { type: "button", id: "practise-show", onclick: () => this.show() }, "Show the answer"),
      this.list.length > 1 ? onward : null,
      this.closing(this.list.length > 1 ? "Stop" : "Go on", this.isDone && this.list.length === 1 ? "main" : ""),
    ].filter(Boolean));
  }

  /** Say what an answer costs; only the first one counts. */
  answer(option) {
    if (!option || this.isDone) return;
    const { question } = this;
    const isRight = question.isRight(option);
    if (!this.tried.size) this.count(isRight);
    this.tried.add(option);
    const { units } = question;
    const own = units.value(option.value, option.error);
    const best = units.value(question.best.value, question.best.error);
    const button = this.buttons.get(option);
    if (!isRight) {
      button.setAttribute("aria-disabled", "true");
      button.replaceChildren(...named(option.text), make("span", { class: "bad" }, ` ${question.lost(option)}`));
      this.say(`${option.text} has ${own}, the best ${question.isBeforeThrow ? "choice" : "move"} ${best}: ${question.lost(option)}. Try again.`);
      return;
    }
    const other = option === question.best ? question.second : question.best;
    const others = `${other.text}, has ${units.value(other.value, other.error)}`;
    this.finish(option, option === question.best || !option.doubt
      ? `Right: ${option.text} has ${own}. The next best, ${others}.`
      : `Right, as far as estimates tell: ${option.text} has ${own}. The best of them, ${others}.`);
  }

  show() {
    const { question } = this;
    if (!this.tried.size) this.count(false);
    this.tried.add(null);
    this.finish(question.best, `The best is ${question.best.text} with ${question.units.value(question.best.value, question.best.error)}.`);
  }

  count(isRight) {
    this.right += Number(isRight);
    const days = kept.answer(this.list[this.number], isRight);
    this.again = days === null ? "" : ` It comes again in ${counted(days, "day")}.`;
  }

  say(words) {
    this.message.textContent = words;
  }

  finish(option, words) {
    const { question } = this;
    this.isDone = true;
    this.presses.offer([], question.answer.side);
    for (const [each, button] of this.buttons) {
      const isRight = question.isRight(each);
      const doubt = isRight ? ", perhaps" : "";
      button.setAttribute("aria-disabled", "true");
      button.replaceChildren(...named(each.text), make("span", { class: isRight ? "good" : "bad" },
        each.loss > 1e-9 ? ` ${question.lost(each)}${doubt}` : " best"));
    }
    const other = this.compared(option);
    if (option.arrows) this.board.point([["best", option.arrows.best], ["played", other.arrows.played]]);
    this.say(`${words}${this.again}`);
    this.showForward();
    this.forward.querySelector(".main")?.focus();
    this.run(() => this.explain(question, [option, other]));
  }

  /** The option to compare with: what was tried first, what was played in the game, or the next best. */
  compared(option) {
    const { question } = this;
    const tried = [...this.tried].find((each) => each && each !== option);
    const played = question.options.find((each) => each.text === this.list[this.number].played);
    return [tried, played].find((each) => each && !question.isRight(each))
      ?? (option === question.best ? question.second : question.best);
  }

  /** The best option and another, side by side in numbers. */
  async explain(question, options) {
    const { units } = question;
    const rows = await Promise.all(options.map(async (option) => [option, await question.after(option)]));
    if (question !== this.question) return;
    const next = (does) => rows.map(([, then]) => `${then.side} with ${(100 * then[does]).toFixed(1)} %`);
    const facts = [
      [units.isMoney ? "money to come" : "chance to win", options.map((each) => units.value(each.value, each.error))],
      ["lost", options.map((each) => (each.loss > 1e-9 ? question.lost(each) : "nothing"))],
    ];
    if (rows.every(([, then]) => then)) {
      facts.push(["the next throw captures", next("captures")], ["the next throw gives another", next("again")]);
    }
    this.why.replaceChildren(figures("Why", ["", ...options.map((each) => each.text)],
      facts.map(([name, words]) => [name, ...words])));
  }

  end() {
    this.title.textContent = "Practise";
    this.body.replaceChildren(
      make("p", { role: "status" }, `${this.right} of ${this.list.length} right at the first try. ${kept.due.length} of ${counted(kept.mistakes.length, "kept mistake")} left for today.`),
      make("p", { class: "buttons" },
        make("button", { type: "button", class: "main", onclick: () => {
          this.choose();
          this.title.focus();
        } }, "Practise more"), this.closing("Close")));
    this.title.focus();
  }
}

/** What decisions can be drawn from: the tables and estimators, by game. */
async function judges() {
  const { rules, tables } = await get("/rules");
  const listed = [...rules.map((game) => [game.name, game.title]), [null, null]];
  return listed.flatMap(([name, title]) => tables.filter((each) => each.game === name).map((each) =>
    ({ path: `tables/${each.id}`, words: `${title ?? each.id}, ${counted(each.pieces, "piece")}` })));
}

function shuffled(list) {
  const keys = crypto.getRandomValues(new Uint32Array(list.length));
  return list.map((each, k) => [keys[k], each]).sort((one, two) => one[0] - two[0]).map(([, each]) => each);
}
