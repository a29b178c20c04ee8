// Is it the dice? The throws of one game or of all opened ones, against what fair dice give.

import { Dialog, figures, make } from "./dom.js";
import { kept, throwsIn } from "./exercises.js";
import { number, percent, say } from "./speech.js";

const SERIES = ["light", "dark", "both"];

export class DiceTest extends Dialog {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    super("dice", say("fair.title"));
    this.session = session;
    this.which = make("select", { id: "dice-games", onchange: () => this.show() });
    this.found = make("div", { id: "dice-found", role: "status" });
    this.body.append(make("label", {}, `${say("fair.of")} `, this.which), this.found,
      make("p", { class: "buttons" }, this.closing()));
  }

  async open() {
    const { word } = this.session.about;
    const games = (await kept.games()).filter((each) => each.word === word && each.throws);
    this.sets = [[say("fair.this-game"), [{ throws: throwsIn(this.session) }]],
      [say("fair.device", { count: games.length, word }), games]];
    this.which.replaceChildren(...this.sets.map(([words, list], k) =>
      make("option", { value: k, disabled: !list.length }, words)));
    this.dialog.showModal();
    return this.show();
  }

  show() {
    this.found.replaceChildren();
    const [, games] = this.sets[Number(this.which.value)];
    return this.run(async () => this.draw(await this.session.source.dice(summed(games))));
  }

  draw(found) {
    const rows = found.both.counts.map(({ throw: thrown, probability }, k) => [
      String(thrown), percent(probability, 1),
      ...SERIES.map((side) => {
        const { count, expected } = found[side].counts[k];
        return say("number.of", { value: count, total: number(expected, 1) });
      })]);
    rows.push([say("fair.throws"), "", ...SERIES.map((side) => number(found[side].throws))],
      [say("fair.mean"), number(found.both.fair_mean, 2), ...SERIES.map((side) => meanWords(found[side]))]);
    this.found.replaceChildren(
      ...SERIES.map((side) => make("p", {}, make("b", {}, say("fair.series.head", { series: side }), " "), found[side].text)),
      make("div", { class: "wide-table", tabindex: "0", role: "group", "aria-label": say("fair.counts") },
        figures(say("fair.caption"), [say("fair.throw"), say("fair.fair"), ...SERIES.map((series) => say("fair.series", { series }))], rows)));
  }
}

function meanWords({ mean, fair_error: error }) {
  return mean === null ? "–" : say("fair.mean.of", { mean: number(mean, 2), error: number(error, 2) });
}

/** The counts of several games together. */
function summed(games) {
  const sums = { light: {}, dark: {} };
  for (const { throws } of games) {
    for (const side of ["light", "dark"]) {
      for (const [thrown, count] of Object.entries(throws[side])) {
        sums[side][thrown] = (sums[side][thrown] ?? 0) + count;
      }
    }
  }
  return sums;
}
