// Small helpers for the document.

import { Missing, Queue } from "./common.js";
import { say } from "./speech.js";
import { moveWords, sideWord, thrownWords, turnWords } from "./words.js";

/** @param {string} id @returns {any} */
export const at = (id) => document.getElementById(id);

/** An element with attributes, listeners (`onclick`) and children, which are nodes or texts. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** A button with some words, or other children; inside a form it sends nothing. */
export function button(words, onclick, more = {}) {
  return make("button", { type: "button", onclick, ...more }, ...[words].flat());
}

/** A move in the notation and in words, as the children of a button. */
export function named(move) {
  const words = moveWords(move);
  return [make("b", {}, move), words === move ? null : make("span", { class: "faint" }, ` ${words}`)];
}

/** A table; the first text of a row names it. */
export function figures(caption, heads, rows) {
  const head = (words) => (words ? make("th", { scope: "col" }, words) : make("td"));
  return make("table", { class: "figures" },
    make("caption", {}, caption),
    heads.length ? make("thead", {}, make("tr", {}, ...heads.map(head))) : null,
    make("tbody", {}, ...rows.map(([name, ...texts]) => make("tr", {},
      make("th", { scope: "row" }, name), ...texts.map((text) => make("td", {}, text))))));
}

/** A button that asks back in other words, and acts on the second press; on the first if it need not ask. */
export function cautious(words, question, action, mustAsk = () => true) {
  let isSure = false;
  const asking = button(words, () => {
    if (isSure || !mustAsk()) {
      action();
      return;
    }
    isSure = true;
    asking.textContent = question;
  });
  return asking;
}

/** What failed in words; what did not come may be asked for again. */
export function failure(error, again) {
  return error instanceof Missing ? [`${error.message} `, button(say("page.retry"), error.again ?? again)] : [error.message];
}

/** The colour of a side. */
export function swatch(side) {
  const word = sideWord(side);
  return make("span", { class: `swatch ${side}`, title: word }, make("span", { class: "unseen" }, word));
}

/** A turn in words, then in the notation. */
export function turnStory(turn) {
  const { choice, throws, move } = turn;
  const given = { choice: choice ?? "none", throws: thrownWords(throws), move: move && moveWords(move) };
  return [
    make("span", { class: "story" }, move ? say("turn.story", given) : say("turn.story.pass", given)),
    make("span", { class: "played" }, turnWords(turn)),
  ];
}

const SVG = "http://www.w3.org/2000/svg";

export function makeSvg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A drawing as an element. */
export function parsedSvg(text) {
  return document.importNode(
    new DOMParser().parseFromString(text, "text/html").body.firstElementChild, true);
}

/** Offer a text as a file. */
export function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/**
 * Follow a pointer from a press to its release with something drawn next to it.
 * `drop` gets the element under the release; a press that does not move is no drag.
 */
export function drag(event, ghost, drop) {
  const begin = [event.clientX, event.clientY];
  let shown = null;
  const follow = (moved) => {
    if (!shown && Math.hypot(moved.clientX - begin[0], moved.clientY - begin[1]) < 6) return;
    if (!shown) {
      shown = make("div", { class: "ghost" }, ghost());
      // what is in a dialog covers all that is not
      (event.target.closest("dialog") ?? document.body).append(shown);
    }
    shown.style.translate = `${moved.clientX}px ${moved.clientY}px`;
  };
  const end = (released) => {
    removeEventListener("pointermove", follow);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    if (!shown) return;
    shown.remove();
    // the click at the end of a drag does not count; the next press does
    const swallow = (click) => click.stopPropagation();
    const hear = () => removeEventListener("click", swallow, { capture: true });
    addEventListener("click", swallow, { capture: true, once: true });
    addEventListener("pointerdown", hear, { capture: true, once: true });
    setTimeout(hear, 50);
    if (released.type === "pointerup") {
      drop(document.elementFromPoint(released.clientX, released.clientY));
    }
  };
  addEventListener("pointermove", follow);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

/** Follow a finger: to the left is on, to the right is back. @param {(step: 1 | -1) => void} turn */
export function swipe(event, turn) {
  const end = (released) => {
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    const [x, y] = [released.clientX - event.clientX, released.clientY - event.clientY];
    if (released.type === "pointerup" && Math.abs(x) > Math.max(40, 2 * Math.abs(y))) turn(x < 0 ? 1 : -1);
  };
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

// The focus is kept where something is drawn anew under it.

const REDRAWN = ["options", "throws", "moves", "turns", "steps", "controls"];

/** Draw something; what had the focus has it again, or what takes its place. */
export function keepingFocus(draw) {
  const focused = document.activeElement;
  const host = REDRAWN.map(at).find((each) => each.contains(focused) && each !== focused);
  const text = focused?.textContent;
  const index = host ? [...host.querySelectorAll("button")].indexOf(focused) : -1;
  draw();
  if (!host || (focused.isConnected && !focused.disabled)) return;
  const buttons = [...host.querySelectorAll("button:not(:disabled)")].filter((each) => each.offsetParent);
  const next = host.id === "turns" ? host.querySelector("[aria-current]")
    : host.id === "moves" ? null
    : buttons.find((each) => each.textContent === text) ?? (host.id === "throws" ? buttons[index] : null);
  (next ?? at("board")).focus({ preventScroll: true });
}

// Dialogs that are made when they are first opened; each does one thing after the other.

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
      failed: (error, again) => this.error.replaceChildren(...failure(error, () => {
        this.error.textContent = "";
        again();
      })),
    });
    document.body.append(this.dialog);
  }

  run(action) {
    this.error.textContent = "";
    return this.queue.run(action)();
  }

  closing(words = say("dialog.close"), css = "") {
    return button(words, () => this.dialog.close(), { class: css });
  }
}
