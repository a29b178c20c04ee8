// Practise: decisions with the answer hidden, to be tried again, and explained in numbers.

import { Source, games } from "./api.js";
import { Board, Presses } from "./board.js";
import { options } from "./common.js";
import { device } from "./device.js";
import { Dialog, button, cautious, figures, make, named } from "./dom.js";
import { DAYS, Question, isDue, kept, mistakesOf } from "./exercises.js";
import { parts, percent, say } from "./speech.js";

const COUNT = 10;
const CLASSES = { best: "good", close: "faint", worse: "bad" };
const COSTS = [0.01, 0.02, 0.05, 0.1];

export class Practise extends Dialog {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    super("practise", say("practise.title"));
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
      make("option", { value: share, selected: share === 0.02 }, percent(share))));
    const judge = make("select", { id: "practise-game" }, ...this.judges.map(({ path, words }) =>
      make("option", { value: path, selected: path === session.source?.path }, words)));
    const play = button(say("practise.positions"), () => this.fromPlay(judge.value, Number(cost.value)), { id: "practise-play" });
    const [, ...days] = DAYS;
    this.title.textContent = say("practise.title");
    this.body.replaceChildren(
      make("p", {}, say("practise.how")),
      make("div", { class: "choices", role: "group", "aria-label": say("practise.what") },
        those(say("practise.due", { due: due.length, all: all.length }), due, "practise-due"),
        those(say("practise.all", { all: all.length }), all, "practise-all"),
        those(say("practise.own", { own: own.length }), own, "practise-own"),
        this.judges.length ? make("fieldset", {}, make("legend", {}, say("practise.drawn")),
          make("label", {}, `${say("practise.game")} `, judge),
          make("label", {}, ...parts("practise.cost", { cost })), play) : null),
      make("p", { class: "faint" }, say("practise.kept", { days: days.slice(0, -1), often: days.at(-1) })),
      make("p", { class: "buttons" }, this.forgetting(all), this.closing()));
  }

  forgetting(mistakes) {
    const forgets = cautious(say("practise.forget"), say("practise.forget.sure"), () => this.run(async () => {
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
      if (!list.length) throw new Error(say("practise.none"));
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
    this.title.textContent = count > 1 ? say("practise.number", { number: number + 1, count }) : say("practise.one");
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
      if (this.question.options.length < 2) throw new Error(say("practise.no-choice"));
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
      this.board.host, make("p", { id: "practise-question" }, say("practise.question", { game: say("game.pieces", { game: question.about.title, pieces: question.about.pieces }), question: question.words })),
      make("div", { class: "answers", role: "group", "aria-label": say("practise.answers") }, ...this.buttons.values()),
      this.message, this.why, this.forward);
    this.board.show(question.answer.svg);
    if (!question.isBeforeThrow) this.presses.offer(question.options, question.answer.side);
    this.showForward();
  }

  showForward() {
    const isLast = !this.rest && this.number + 1 === this.list.length;
    const onward = button(isLast ? say("practise.finish") : say("practise.next"), () => this.run(() => {
      if (isLast) return this.end();
      this.number += 1;
      return this.next();
    }), { id: "practise-next", class: this.isDone ? "main" : "" });
    this.forward.replaceChildren(...[
      this.isDone ? null : button(say("practise.show"), () => this.show(), { id: "practise-show" }),
      this.rest || this.list.length > 1 ? onward : null,
      this.closing(this.rest || this.list.length > 1 ? say("practise.stop") : say("practise.go-on"), this.isDone && this.list.length === 1 ? "main" : ""),
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
      const given = { move: question.textOf(option), own, best, lost: question.lost(option) };
      this.say(question.isBeforeThrow ? say("practise.wrong.choice", given) : say("practise.wrong", given));
      return;
    }
    const other = option === question.best ? question.second : question.best;
    const others = units.value(other.value, other.error);
    const given = { move: question.textOf(option), own, other: question.textOf(other), others };
    this.finish(option, verdict === "best" ? say("practise.right", given) : say("practise.close", given));
  }

  show() {
    const { question } = this;
    if (!this.tried.size) this.count("worse");
    this.tried.add(null);
    this.finish(question.best, say("practise.the-best", {
      move: question.textOf(question.best), value: question.units.value(question.best.value, question.best.error) }));
  }

  /** Count a first answer; `again` says when the decision comes again, once that is kept. */
  count(verdict) {
    this.first[verdict] += 1;
    this.again = kept.answer(this.list[this.number], verdict)
      .then((days) => (days === null ? "" : ` ${say("practise.again", { days })}`));
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
        ` ${verdict === "best" ? say("verdict.best") : question.lost(each)}`));
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
    const next = (does) => rows.map(([, then]) => say("why.side", { side: then.side, chance: percent(then[does], 1) }));
    const facts = [
      [units.isMoney ? say("why.money") : say("why.chance"), options.map((each) => units.value(each.value, each.error))],
      [say("why.lost"), options.map((each) => (each.loss > 1e-9 ? question.lost(each) : say("why.nothing")))],
    ];
    if (rows.every(([, then]) => then)) {
      facts.push([say("why.captures"), next("captures")], [say("why.again"), next("again")]);
    }
    this.why.replaceChildren(figures(say("why.title"), ["", ...options.map((each) => question.textOf(each))],
      facts.map(([name, words]) => [name, ...words])));
  }

  async end() {
    const all = await kept.mistakes();
    const { best, close } = this.first;
    const given = { right: best, asked: this.list.length, close, due: all.filter(isDue).length, all: all.length };
    this.title.textContent = say("practise.title");
    this.body.replaceChildren(
      make("p", { role: "status" }, close ? say("practise.over.close", given) : say("practise.over", given)),
      make("p", { class: "buttons" },
        button(say("practise.more"), () => this.run(async () => {
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
    ({ path: `tables/${each.id}`, words: say("game.pieces", { game: title ?? each.id, pieces: each.pieces }) })));
}

function shuffled(list) {
  const keys = crypto.getRandomValues(new Uint32Array(list.length));
  return list.map((each, k) => [keys[k], each]).sort((one, two) => one[0] - two[0]).map(([, each]) => each);
}
