// Is it the dice? The throws of one game or of all opened ones, against what fair dice give.

import { Dialog, figures, make } from "./dom.js";
import { kept, throwsIn } from "./exercises.js";
import { counted } from "./words.js";

const SERIES = ["light", "dark", "both"];

export class DiceTest extends Dialog {
  /** @param {import("./session.js").Session} session */
  constructor(session) {
    super("dice", "Is it the dice?");
    this.session = session;
    this.which = make("select", { id: "dice-games", onchange: () => this.show() });
    this.found = make("div", { id: "dice-found", role: "status" });
    this.body.append(make("label", {}, "Throws of ", this.which), this.found,
      make("p", { class: "buttons" }, this.closing()));
  }

  async open() {
    const { word } = this.session.about;
    const games = (await kept.games()).filter((each) => each.word === word && each.throws);
    this.sets = [["this game", [{ throws: throwsIn(this.session) }]],
      [`${counted(games.length, "game")} of ${word} on this device`, games]];
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
      String(thrown), `${(100 * probability).toFixed(1)} %`,
      ...SERIES.map((side) => {
        const { count, expected } = found[side].counts[k];
        return `${count} of ${expected.toFixed(1)}`;
      })]);
    rows.push(["throws", "", ...SERIES.map((side) => String(found[side].throws))],
      ["mean", found.both.fair_mean.toFixed(2), ...SERIES.map((side) => meanWords(found[side]))]);
    this.found.replaceChildren(
      ...SERIES.map((side) => make("p", {}, make("b", {}, `${side}: `), found[side].text)),
      make("div", { class: "wide-table", tabindex: "0", role: "group", "aria-label": "Counts of throws" },
        figures("What fell, of what fair dice give on average", ["throw", "fair dice", ...SERIES], rows)));
  }
}

function meanWords({ mean, fair_error: error }) {
  return mean === null ? "–" : `${mean.toFixed(2)} (fair ± ${error.toFixed(2)})`;
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
