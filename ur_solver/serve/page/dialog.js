// A dialog that a module fills: one thing in it happens after the other, and what fails is said there.

import { button, make } from "./dom.js";
import { Queue } from "./common.js";

export class Dialog {
  /** @param {string} name for its id @param {string} words its title @param {string} css of what it holds */
  constructor(name, words, css = "") {
    this.title = make("h2", { id: `${name}-title`, tabindex: "-1" }, words);
    this.error = make("p", { role: "alert", class: "bad" });
    this.body = make("div", { class: css });
    this.dialog = make("dialog", { id: `${name}-dialog`, class: "wide", "aria-labelledby": `${name}-title` },
      this.title, this.error, this.body);
    this.queue = new Queue({
      busy: (isBusy) => this.dialog.setAttribute("aria-busy", String(isBusy)),
      failed: (error) => {
        this.error.textContent = error.message;
      },
    });
    document.body.append(this.dialog);
  }

  run(action) {
    this.error.textContent = "";
    return this.queue.run(action)();
  }

  closing(words = "Close", css = "") {
    return button(words, () => this.dialog.close(), { class: css });
  }
}
