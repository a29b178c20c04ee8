// The first throws of a game: the best move after each, and what the others lose.

import { figures, make } from "./dom.js";
import { errorOf, throwsOf } from "./words.js";

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
