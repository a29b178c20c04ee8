// Practise: decisions with the answer hidden, to be tried again, and explained in numbers.

import { Source, games } from "./api.js";
import { Board, Presses } from "./board.js";
import { options } from "./common.js";
import { device } from "./device.js";
import { Dialog, button, cautious, figures, make, named } from "./dom.js";
import { DAYS, Question, isDue, kept, mistakesOf } from "./exercises.js";
import { VERDICTS, capitalised, counted } from "./words.js";

const COUNT = 10;
const CLASSES = { best: "good", close: "faint", worse: "bad" };
const COSTS = [0.01, 0.02, 0.05, 0.1];

export class Practise extends Dialog {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    super("practise", "Practise");
    this.session = session;
    this.dialog.addEventListener("close", () => {
      this.closed?.();
      this.closed = null;
    });
  }

  /** What to practise is chosen first. */
  async open() {
    this.judges = await judges();
    await this.choose();
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

  // What to practise.

  async choose() {
    const { session } = this;
    const own = mistakesOf(session);
    const all = await kept.mistakes();
    const due = all.filter(isDue);
    const those = (words, list, id) => button(words, () => this.begin(shuffled(list)), { id, disabled: !list.length });
    const cost = make("select", { id: "practise-cost" }, ...COSTS.map((share) =>
      make("option", { value: share, selected: share === 0.02 }, `${100 * share} %`)));
    const judge = make("select", { id: "practise-game" }, ...this.judges.map(({ path, words }) =>
      make("option", { value: path, selected: path === session.source?.path }, words)));
    const play = button("Positions from play", () => this.fromPlay(judge.value, Number(cost.value)), { id: "practise-play" });
    this.title.textContent = "Practise";
    this.body.replaceChildren(
      make("p", {}, "You see a position and a throw, and choose the move. The answer stays hidden until you have tried."),
      make("div", { class: "choices", role: "group", "aria-label": "What to practise" },
        those(`Due today: ${due.length} of ${counted(all.length, "mistake")}`, due, "practise-due"),
        those(`All kept mistakes: ${all.length}`, all, "practise-all"),
        those(`Mistakes of this game: ${own.length}`, own, "practise-own"),
        this.judges.length ? make("fieldset", {}, make("legend", {}, "Drawn from play"),
          make("label", {}, "Game ", judge),
          make("label", {}, "A mistake loses at least ", cost, " of what there is to win"), play) : null),
      make("p", { class: "faint" }, `Mistakes of the games that you open, or play to their end, are kept on this device and nowhere else. `
        + `After a right answer one comes again in ${DAYS[1]}, ${DAYS[2]}, ${DAYS[3]}, then every ${DAYS[4]} days, after a wrong one the next day.`),
      make("p", { class: "buttons" }, this.forgetting(all), this.closing()));
  }

  forgetting(mistakes) {
    const forgets = cautious("Forget all", "Really forget all mistakes?", () => this.run(async () => {
      await device.clear("mistakes");
      await this.choose();
      this.title.focus();
    }));
    forgets.disabled = !mistakes.length;
    return forgets;
  }

  fromPlay(path, cost) {
    return this.run(async () => {
      const [seed] = crypto.getRandomValues(new Uint32Array(1));
      const list = [];
      let show;
      let met;
      const shown = new Promise((done) => { show = done; });
      const first = new Promise((done) => { met = done; });
      const all = new Source(path).exercises({ seed, count: COUNT, cost }, (each) => {
        if (list.length && !this.dialog.open) throw new Error("nobody waits");
        list.push(each);
        met();
        this.hear?.();
        return shown; // the others are looked for when the first one is on screen
      });
      await Promise.race([first, all]);
      if (!list.length) throw new Error("No mistake in this game costs as much; choose a smaller loss.");
      this.take(list, all.catch(() => null));
      await this.next().finally(show);
    });
  }

  // Asking.

  begin(list) {
    this.take(list);
    return this.run(() => this.next());
  }

  /** Take up a list; while its `rest` is awaited it may grow. @param {Promise<any> | null} rest */
  take(list, rest = null) {
    Object.assign(this, { list, rest, number: 0, first: { best: 0, close: 0, worse: 0 } });
    rest?.then(() => {
      if (this.rest === rest) this.rest = null;
    });
  }

  async next() {
    const { list, number } = this;
    const count = this.rest ? COUNT : list.length;
    this.title.textContent = count > 1 ? `Practise: ${number + 1} of ${count}` : "What would you play?";
    this.tried = new Set();
    this.forward = make("p", { class: "buttons" });
    this.body.replaceChildren(this.forward);
    this.title.focus();
    while (this.rest && !list[number]) {
      await Promise.race([this.rest, new Promise((come) => { this.hear = come; })]);
    }
    if (!list[number]) {
      await this.end();
      return;
    }
    try {
      this.question = await Question.of(list[number], options.turned);
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
    this.board = new Board(make("div", { class: "board" }));
    this.presses = new Presses(this.board, (move) => this.answer(question.options.find((each) => each.text === move.move)));
    this.message = make("p", { role: "status", id: "practise-message" });
    this.why = make("div", { id: "practise-why" });
    this.buttons = new Map(question.options.map((option) =>
      [option, button(named(option.text), () => this.answer(option), { "data-move": option.text })]));
    this.body.replaceChildren(
      this.board.host, make("p", { id: "practise-question" }, `${question.about.title}, ${counted(question.about.pieces, "piece")}: ${question.words}`),
      make("div", { class: "answers", role: "group", "aria-label": "Answers" }, ...this.buttons.values()),
      this.message, this.why, this.forward);
    this.board.show(question.answer.svg);
    if (!question.isBeforeThrow) this.presses.offer(question.options, question.answer.side);
    this.showForward();
  }

  showForward() {
    const isLast = !this.rest && this.number + 1 === this.list.length;
    const onward = button(isLast ? "Finish" : "Next", () => this.run(() => {
      if (isLast) return this.end();
      this.number += 1;
      return this.next();
    }), { id: "practise-next", class: this.isDone ? "main" : "" });
    this.forward.replaceChildren(...[
      this.isDone ? null : button("Show the answer", () => this.show(), { id: "practise-show" }),
      this.rest || this.list.length > 1 ? onward : null,
      this.closing(this.rest || this.list.length > 1 ? "Stop" : "Go on", this.isDone && this.list.length === 1 ? "main" : ""),
    ].filter(Boolean));
  }

  /** Say what an answer costs; only the first one counts. */
  answer(option) {
    if (!option || this.isDone) return;
    const { question } = this;
    const verdict = question.verdict(option);
    if (!this.tried.size) this.count(verdict);
    this.tried.add(option);
    const { units } = question;
    const own = units.value(option.value, option.error);
    const best = units.value(question.best.value, question.best.error);
    if (verdict === "worse") {
      const wrong = this.buttons.get(option);
      wrong.setAttribute("aria-disabled", "true");
      wrong.replaceChildren(...named(option.text), make("span", { class: "bad" }, ` ${question.lost(option)}`));
      this.say(`${option.text} has ${own}, the best ${question.isBeforeThrow ? "choice" : "move"} ${best}: ${question.lost(option)}. Try again.`);
      return;
    }
    const other = option === question.best ? question.second : question.best;
    const others = units.value(other.value, other.error);
    this.finish(option, verdict === "best"
      ? `Right: ${option.text} has ${own}. The next best, ${other.text}, has ${others}.`
      : `${capitalised(VERDICTS.close)}: ${option.text} has ${own}, and ${other.text} may be better, with ${others}.`);
  }

  show() {
    const { question } = this;
    if (!this.tried.size) this.count("worse");
    this.tried.add(null);
    this.finish(question.best, `The best is ${question.best.text} with ${question.units.value(question.best.value, question.best.error)}.`);
  }

  /** Count a first answer; `again` says when the decision comes again, once that is kept. */
  count(verdict) {
    this.first[verdict] += 1;
    this.again = kept.answer(this.list[this.number], verdict)
      .then((days) => (days === null ? "" : ` It comes again in ${counted(days, "day")}.`));
  }

  say(words) {
    this.message.textContent = words;
  }

  finish(option, words) {
    const { question } = this;
    this.isDone = true;
    this.presses.offer([], question.answer.side);
    for (const [each, pressed] of this.buttons) {
      const verdict = question.verdict(each);
      pressed.setAttribute("aria-disabled", "true");
      pressed.replaceChildren(...named(each.text), make("span", { class: CLASSES[verdict] },
        ` ${verdict === "best" ? VERDICTS.best : question.lost(each)}`));
    }
    const other = this.compared(option);
    if (option.arrows) this.board.point([["best", option.arrows.best], ["played", other.arrows.played]]);
    this.say(words);
    this.again.then((again) => {
      if (again && this.question === question) this.say(`${words}${again}`);
    });
    this.showForward();
    this.forward.querySelector(".main")?.focus();
    this.run(() => this.explain([option, other]));
  }

  /** The option to compare with: what was tried first, what was played in the game, or the next best. */
  compared(option) {
    const { question } = this;
    const tried = [...this.tried].find((each) => each && each !== option);
    const played = question.options.find((each) => each.text === this.list[this.number].played);
    return [tried, played].find((each) => each && question.verdict(each) === "worse")
      ?? (option === question.best ? question.second : question.best);
  }

  /** The best option and another, side by side in numbers. */
  async explain(options) {
    const { question } = this;
    const { units } = question;
    const rows = await Promise.all(options.map(async (option) => [option, await question.after(option)]));
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

  async end() {
    const all = await kept.mistakes();
    const close = this.first.close ? `, ${this.first.close} ${VERDICTS.close}` : "";
    this.title.textContent = "Practise";
    this.body.replaceChildren(
      make("p", { role: "status" }, `${this.first.best} of ${this.list.length} right at the first try${close}. ${all.filter(isDue).length} of ${counted(all.length, "kept mistake")} left for today.`),
      make("p", { class: "buttons" },
        button("Practise more", () => this.run(async () => {
          await this.choose();
          this.title.focus();
        }), { class: "main" }), this.closing()));
    this.title.focus();
  }
}

/** What decisions can be drawn from: the tables and estimators, by game. */
async function judges() {
  const { rules, tables } = await games();
  const listed = [...rules.map((game) => [game.name, game.title]), [null, null]];
  return listed.flatMap(([name, title]) => tables.filter((each) => each.game === name).map((each) =>
    ({ path: `tables/${each.id}`, words: `${title ?? each.id}, ${counted(each.pieces, "piece")}` })));
}

function shuffled(list) {
  const keys = crypto.getRandomValues(new Uint32Array(list.length));
  return list.map((each, k) => [keys[k], each]).sort((one, two) => one[0] - two[0]).map(([, each]) => each);
}
