// The editor: a position set up by pressing and dragging, with its faults named as they arise.

import { at, button, drag, make } from "./dom.js";
import { carried, placeOf } from "./board.js";
import { say } from "./speech.js";
import { sideWord } from "./words.js";

const ROW_NAMES = "ABC";
const CELL = /\([^)]*\)|[._]|[LDld]\d?\^?/g;
const PIECE = /[LDld]\d?\^?/g;
const LETTERS = { light: "L", dark: "D" };
const ERASER = "";

/** What stands where, of a position's notation. */
function parsed(text) {
  const [board, side, light, dark, fines] = text.split(" ");
  const contents = new Map();
  board.split("/").forEach((row, r) => {
    (row.match(CELL) ?? []).forEach((cell, c) => {
      if (cell !== "_") contents.set(`${ROW_NAMES[r]}${c + 1}`, cell.match(PIECE) ?? []);
    });
  });
  return {
    contents, side: side === "D" ? "dark" : "light",
    homes: { light, dark }, fines: fines ? Number(fines.slice(1)) : null,
  };
}

function written(about, { contents, side, homes, fines }) {
  const rows = about.board.rows.map((row, r) => [...row].map((kind, c) => {
    if (kind === "_") return "_";
    const pieces = contents.get(`${ROW_NAMES[r]}${c + 1}`) ?? [];
    return pieces.length > 1 ? `(${pieces.join("")})` : pieces[0] ?? ".";
  }).join(""));
  const paid = fines === null ? "" : ` p${fines}`;
  return `${rows.join("/")} ${LETTERS[side]} ${homes.light} ${homes.dark}${paid}`;
}

const sideOf = (piece) => (piece[0].toUpperCase() === "L" ? "light" : "dark");

function wordOf(piece) {
  if (piece === ERASER) return say("editor.remove");
  const isMarked = piece[0] === piece[0].toLowerCase();
  return say("editor.piece", { side: sideOf(piece), marked: isMarked ? "yes" : "no", number: piece.slice(1) || "none" });
}

export class Editor {
  /** @param {import("./session.js").Session} session @param {import("./board.js").Board} board */
  constructor(session, board, { done, run }) {
    this.session = session;
    this.board = board;
    this.done = done;
    this.read = run((text) => this.take(text));
    this.change = run((how) => {
      how();
      return this.show();
    });
  }

  get about() {
    return this.session.about;
  }

  async open(text) {
    this.set = parsed(text);
    const all = new Set(Object.values(this.about.board.pieces_on).flat());
    this.tools = [...all].sort((one, two) => "LDld".indexOf(one[0]) - "LDld".indexOf(two[0])
      || one.localeCompare(two));
    this.tool = this.tools[0];
    this.build();
    await this.show();
  }

  build() {
    const { about } = this;
    const radio = (name, value, word, isChosen, chosen) => make("label", {},
      make("input", { type: "radio", name, value, checked: isChosen, onchange: chosen }), ` ${word}`);
    this.text = make("input", { id: "position-text", spellcheck: "false", autocomplete: "off" });
    this.text.addEventListener("change", () => this.read(this.text.value));
    this.faults = make("ul", { class: "faults" });
    this.use = button(say("editor.use"), () => this.done(this.notation), { class: "main" });
    const homes = ["light", "dark"].map((side) => this.homeField(side));
    const fines = this.set.fines === null ? null : make("label", {}, `${say("editor.fines")} `,
      make("input", { id: "fines", type: "number", min: 0, max: 1000000, value: this.set.fines,
        onchange: (event) => this.change(() => { this.set.fines = Math.max(0, Number(event.target.value) | 0); }) }));
    at("editor").replaceChildren(...[
      make("h2", {}, say("editor.title")),
      make("p", { class: "faint" }, say("editor.how")),
      make("fieldset", { class: "tools" }, make("legend", {}, say("editor.pieces")),
        ...[...this.tools, ERASER].map((piece) => {
          const label = radio("piece", piece, wordOf(piece), piece === this.tool, () => { this.tool = piece; });
          if (piece !== ERASER) label.addEventListener("pointerdown", (event) => drag(event,
            () => carried(sideOf(piece)), (end) => this.land(piece, placeOf(end))));
          return label;
        })),
      make("fieldset", {}, make("legend", {}, say("editor.to-throw")),
        ...["light", "dark"].map((side) => radio("side", side, sideWord(side), side === this.set.side,
          () => this.change(() => { this.set.side = side; })))),
      make("fieldset", {}, make("legend", {}, say("editor.waiting")), ...homes),
      fines,
      make("label", { for: "position-text" }, say("editor.position")), this.text,
      make("div", { role: "status" }, this.faults),
      make("p", { class: "buttons" },
        button(say("editor.start"), () => this.read(about.start)),
        button(say("editor.clear"), () => this.change(() => {
          for (const square of this.set.contents.keys()) this.set.contents.set(square, []);
        })),
        button(say("dialog.cancel"), () => this.done(null)), this.use),
    ].filter(Boolean));
  }

  homeField(side) {
    const isNumbered = this.about.is_numbered;
    return make("label", {}, `${sideWord(side)} `, make("input", {
      id: `home-${side}`, size: 6, inputmode: "numeric", value: this.set.homes[side],
      title: isNumbered ? say("editor.numbers") : say("editor.how-many"),
      onchange: (event) => this.change(() => {
        this.set.homes[side] = event.target.value.trim() || (isNumbered ? "-" : "0");
      }),
    }));
  }

  get notation() {
    return written(this.about, this.set);
  }

  /** Take a position that was typed. */
  async take(text) {
    try {
      await this.session.source.board(text, this.session.view);
    } catch (error) {
      this.say([error.message]);
      return;
    }
    this.set = parsed(text);
    this.build();
    await this.show();
  }

  async show() {
    const text = this.notation;
    this.text.value = text;
    let drawn;
    try {
      drawn = await this.session.source.board(text, this.session.view);
    } catch (error) {
      this.say([error.message]);
      return;
    }
    if (text !== this.notation) return;
    const focused = placeOf(document.activeElement);
    this.board.show(drawn.svg);
    this.board.makePressable((place) => this.press(place));
    if (focused) this.board.group(focused)?.focus();
    for (const side of ["light", "dark"]) at(`home-${side}`).value = this.set.homes[side];
    this.say(drawn.faults);
  }

  say(faults) {
    this.faults.replaceChildren(...faults.map((fault) => make("li", {}, fault)));
    this.use.disabled = faults.length > 0;
  }

  // Pieces.

  press(place) {
    if (!this.set.contents.has(place)) return;
    const held = this.set.contents.get(place);
    if (this.tool === ERASER || held.at(-1) === this.tool) this.change(() => this.lift(place));
    else this.land(this.tool, place);
  }

  /** Put a piece onto a square, in place of what is there unless there is room for both. */
  land(piece, place) {
    const held = this.set.contents.get(place);
    if (!held) return;
    this.change(() => {
      if (!this.about.board.shared.includes(place)) while (held.length) this.lift(place);
      held.push(this.fitted(piece, place));
      this.takeFromHome(piece);
    });
  }

  /** A piece as it may stand on a square: marked or not, where only one of both may. */
  fitted(piece, place) {
    const allowed = this.about.board.pieces_on[place];
    if (allowed.includes(piece)) return piece;
    const swapped = piece[0] === piece[0].toUpperCase() ? piece.toLowerCase() : piece.toUpperCase();
    return allowed.includes(swapped) ? swapped : piece;
  }

  lift(place) {
    const piece = this.set.contents.get(place).pop();
    if (!piece) return null;
    const side = sideOf(piece);
    const { homes } = this.set;
    if (this.about.is_numbered) {
      const numbers = new Set([...homes[side].replace("-", ""), piece.slice(1)]);
      homes[side] = [...numbers].sort().join("");
    } else {
      homes[side] = String(Math.min(this.about.pieces, Number(homes[side]) + 1));
    }
    return piece;
  }

  takeFromHome(piece) {
    const side = sideOf(piece);
    const { homes } = this.set;
    homes[side] = this.about.is_numbered
      ? homes[side].replace(piece.slice(1), "") || "-"
      : String(Math.max(0, Number(homes[side]) - 1));
  }

  canDrag(place) {
    return Boolean(this.set.contents.get(place)?.length);
  }

  /** A piece was dragged from a square to another, or to a home. */
  drop(from, to) {
    if (!this.canDrag(from)) return;
    const piece = this.set.contents.get(from).at(-1);
    this.lift(from);
    if (this.set.contents.has(to)) this.land(piece, to);
    else this.change(() => {});
  }
}
