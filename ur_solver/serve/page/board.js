// The board: the engine's drawing with arrows, and what is pressed, dragged and dropped on it.

import { drag, make, makeSvg, parsedSvg, swipe } from "./dom.js";
import { pieceSvg } from "./engine/drawing.js";
import { say } from "./speech.js";
import { other } from "./words.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** How far from its edge a home's first piece is, in the drawing. */
const FIRST_AT_HOME = 70;

/** From the middle of a square to just beyond its edge. */
const EDGE = 20.5;

/** From the edge of the outermost squares to just beyond the frame. */
const FRAME = 6;

/** The radius of a piece on its way. */
const ON_ITS_WAY = 14;

/** The point of an arrow to the right, as in rules/svg.py. */
const TIP = "M4 0l-11-5v10z";

/** The name of a place for pieces: a square, or `light home` and the like. */
export function placeOf(element) {
  const group = element?.closest?.("[data-square]");
  if (!group) return null;
  const { square, side } = group.dataset;
  return side ? `${side} ${square}` : square;
}

/** Hands of a board that is only looked at. */
const NONE = { press: () => {}, drop: () => {}, canDrag: () => false };

export class Board {
  /** @param {HTMLElement} host @param {HTMLElement | null} words a table that says what the drawing shows */
  constructor(host, words = null) {
    this.host = host;
    this.words = words;
    /**
     * What takes presses on the board.
     * @type {{press: (place: string) => void, drop: (from: string, to: string) => void,
     *   canDrag: (place: string) => boolean, swipe?: (step: 1 | -1) => void}}
     */
    this.hands = NONE;
    /** Whose pieces are whose, in words. */
    this.owners = { light: say("side", { side: "light" }), dark: say("side", { side: "dark" }) };
    this.svg = null;
    this.host.addEventListener("click", (event) => {
      const place = placeOf(event.target);
      if (place) this.hands.press(place);
    });
    this.host.addEventListener("pointerdown", (event) => {
      const place = placeOf(event.target);
      if (event.button) return;
      if (!place || !this.hands.canDrag(place)) {
        if (event.pointerType === "touch") swipe(event, (step) => this.hands.swipe?.(step));
        return;
      }
      drag(event, () => this.ghost(place), (element) => {
        const end = placeOf(element);
        if (end && end !== place) this.hands.drop(place, end);
      });
    });
    // A finger on a piece carries it; touch-action has no effect on parts of a drawing.
    this.host.addEventListener("touchmove", (event) => {
      const place = placeOf(event.target);
      if (place && this.hands.canDrag(place)) event.preventDefault();
    }, { passive: false });
    this.host.addEventListener("dragstart", (event) => event.preventDefault());
  }

  /**
   * Show a drawing, and how a piece came to where it is.
   * @param {string} text
   * @param {{side: string, along: string[], capture: boolean} | null} moved
   * @returns {number} how many milliseconds the piece takes
   */
  show(text, moved = null) {
    this.svg = parsedSvg(text);
    this.way = makeSvg("g", { class: "way" });
    this.arrows = makeSvg("g", { class: "arrows" });
    this.moving = makeSvg("g", { class: "moving" });
    this.svg.append(this.way, this.arrows, this.moving);
    this.host.replaceChildren(this.svg);
    if (this.words) this.describe();
    return moved && !still.matches ? this.animate(moved) : 0;
  }

  /** The board in words, square by square, for screen readers. */
  describe() {
    this.svg.setAttribute("aria-hidden", "true");
    const named = (each) => each.getAttribute("aria-label");
    const rows = [...this.svg.querySelectorAll("[role=row]")].map((row) => make("tr", {},
      ...[...row.querySelectorAll("[role=cell]")].map((cell) => make("td", {}, named(cell)))));
    const trays = [...this.svg.querySelectorAll("[data-side]")].map((tray) =>
      make("td", {}, say("board.tray", { owner: this.owners[tray.dataset.side], pieces: tray.querySelector("text").textContent })));
    this.words.replaceChildren(make("caption", {}, say("board.squares")),
      make("tbody", {}, ...rows, make("tr", {}, ...trays)));
  }

  /** Let the piece that moved walk along its path, and a captured one go home. */
  animate({ side, along, capture }) {
    const group = this.group(along.at(-1));
    const top = [...group.querySelectorAll("circle.piece, circle.spare")].at(-1);
    const [x0, y0, radius] = ["cx", "cy", "r"].map((name) => Number(top.getAttribute(name)));
    const points = [...along.slice(0, -1).map((place) => this.middleOf(place)), middle(this.boxOf(top))];
    const duration = Math.min(900, 110 * (points.length - 1) + 80);
    const hidden = [];
    for (let each = top; each; each = each.nextElementSibling) hidden.push(each);
    const walker = makeSvg("g", {}, ...hidden.map((each) => each.cloneNode(true)));
    for (const each of hidden) each.style.visibility = "hidden";
    this.moving.append(walker);
    const way = points.map(([x, y], k) => ({ transform:
      `translate(${x}px, ${y}px) scale(${k + 1 < points.length ? ON_ITS_WAY / radius : 1}) translate(${-x0}px, ${-y0}px)` }));
    walker.animate(way, { duration, fill: "both" }).finished.then(() => {
      walker.remove();
      for (const each of hidden) each.style.visibility = "";
    }).catch(() => {});
    if (!capture) return duration;
    const caught = makeSvg("g", {}, ...carried(other(side)).children);
    this.moving.prepend(caught);
    const back = [points.at(-1), this.middleOf(`${other(side)} home`)];
    caught.animate(back.map(([x, y]) => ({ transform: `translate(${x}px, ${y}px)` })),
      { duration: 450, delay: duration - 60, fill: "both", easing: "ease-in-out" })
      .finished.then(() => caught.remove()).catch(() => {});
    return duration + 400;
  }

  group(place) {
    const [side, square] = place.includes(" ") ? place.split(" ") : [null, place];
    const own = side ? `[data-side="${side}"]` : "";
    return this.svg.querySelector(`[data-square="${square}"]${own}`);
  }

  /** Where a part of the drawing is in it. */
  boxOf(element) {
    const box = element.getBoundingClientRect();
    const { a, e, f } = this.svg.getScreenCTM();
    const [left, top] = [(box.x - e) / a, (box.y - f) / a];
    return { left, top, right: left + box.width / a, bottom: top + box.height / a };
  }

  roomOf(group) {
    return this.boxOf(group.firstElementChild);
  }

  /** The middle of a place; of pieces that wait or have finished, where the first one is. */
  middleOf(place) {
    const box = this.roomOf(this.group(place));
    const [x, y] = middle(box);
    return [place.includes(" ") ? box.left + FIRST_AT_HOME : x, y];
  }

  clearWay() {
    this.way.replaceChildren();
  }

  /**
   * Draw a way from one place to the next, with its direction; the second time at a square next to the
   * first. Before the first square and after the last, where it is off the board, it is dashed.
   */
  drawWay(places, side) {
    const seen = new Set();
    const points = places.filter((place) => !place.includes(" ")).map((place) => {
      const [x, y] = this.middleOf(place);
      const off = seen.has(place) ? 7 : 0;
      seen.add(place);
      return [x + off, y + off];
    });
    const legs = [legOf(side, points)];
    if (places[0].includes(" ")) {
      const { along, inside } = this.doorOf(places[0], points[0][0]);
      legs.push(legOf(`${side} in`, [[along, inside], points[0]]));
    }
    legs.push(legOf(`${side} off`, this.wayOff(points.at(-1), places)));
    this.way.replaceChildren(...legs.flat());
  }

  /** From a point on the last square, in the direction of the path, around the board to the finished pieces. */
  wayOff(point, places) {
    const [[x0, y0], [x1, y1]] = places.slice(-3, -1).map((place) => this.middleOf(place));
    const [x, y] = [[x0, x1], [y0, y1]].map(([from, to], k) => (to === from ? point[k] : to + EDGE * Math.sign(to - from)));
    const { along, inside, outside } = this.doorOf(places.at(-1), x);
    return [point, [x, y], [x, outside], [along, outside], [along, inside]];
  }

  /** Between a place for pieces off the board and the board: the edge there, and how far `x` is along it. */
  doorOf(place, x) {
    const { left, top, right, bottom } = this.roomOf(this.group(place));
    const squares = [...this.svg.querySelectorAll("[data-square]:not([data-side])")].map((each) => this.roomOf(each));
    const board = { top: Math.min(...squares.map((each) => each.top)), bottom: Math.max(...squares.map((each) => each.bottom)) };
    const isAbove = bottom <= board.top;
    return {
      along: Math.min(right - 8, Math.max(left + 8, x)),
      inside: isAbove ? bottom - 5 : top + 5,
      outside: isAbove ? board.top - FRAME : board.bottom + FRAME,
    };
  }

  /** The top piece of a place, to be carried by the pointer. */
  ghost(place) {
    const css = this.group(place).querySelector("circle:last-of-type")?.getAttribute("class");
    return carried(css?.includes("dark") ? "dark" : "light");
  }

  /** Arrows by kind, each the path that the engine has drawn. */
  point(arrows) {
    this.arrows.replaceChildren(...arrows.flatMap(([kind, path]) => {
      const [fromX, fromY, x, y] = path.match(/-?[\d.]+/g).slice(2).map(Number);
      const angle = Math.atan2(y - fromY, x - fromX) * 180 / Math.PI;
      return [
        makeSvg("path", { class: `arrow ${kind}`, d: path }),
        makeSvg("path", { class: `tip ${kind}`, transform: `translate(${x} ${y}) rotate(${angle.toFixed(1)})`, d: TIP }),
      ];
    }));
  }

  /** Mark places: those that can be left, and those that a chosen piece may go to. */
  mark(sources, targets) {
    for (const group of this.svg.querySelectorAll("[data-square]")) {
      const place = placeOf(group);
      group.classList.toggle("movable", sources.has(place));
      group.classList.toggle("target", targets.has(place));
    }
  }

  /** Make every square a button with its name, for an editor; or a cell again. */
  makePressable(press) {
    this.svg.setAttribute("role", "group");
    this.svg.removeAttribute("aria-hidden");
    for (const row of this.svg.querySelectorAll("[role=row]")) row.setAttribute("role", "none");
    for (const cell of this.svg.querySelectorAll("[role=cell]")) {
      cell.setAttribute("role", "button");
      cell.setAttribute("tabindex", "0");
      cell.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        press(placeOf(cell));
      });
    }
  }
}

/** A line through points, with heads half way between them, and at the end of a way off the board. */
function legOf(css, points) {
  const isOff = css.endsWith("off");
  const heads = points.slice(1).map(([x, y], k) => {
    const [fromX, fromY] = points[k];
    const isLast = isOff && k + 2 === points.length;
    if (!isLast && Math.hypot(x - fromX, y - fromY) < 16) return null;
    const angle = Math.atan2(y - fromY, x - fromX) * 180 / Math.PI;
    const [headX, headY] = isLast ? [x, y] : [(x + fromX) / 2, (y + fromY) / 2];
    return makeSvg("path", { class: `head ${css}`, d: "M-5-5 5 0-5 5z",
      transform: `translate(${headX.toFixed(1)} ${headY.toFixed(1)}) rotate(${angle.toFixed(0)})` });
  });
  return [makeSvg("polyline", { class: `line ${css}`,
    points: points.map((point) => point.map((each) => each.toFixed(1)).join(",")).join(" ") }), ...heads.filter(Boolean)];
}

/** A piece to be carried by the pointer. */
export function carried(side) {
  const piece = pieceSvg("piece", side[0].toUpperCase(), 0, 0, ON_ITS_WAY);
  return parsedSvg(`<svg class="ur-board" viewBox="-20 -20 40 40">${piece}</svg>`);
}

const middle = ({ left, top, right, bottom }) => [(left + right) / 2, (top + bottom) / 2];

// A move chosen by pressing a piece, and the square where it goes if it may go to several.

/** The name of a place on the board for one of a move's ends. */
export function placed(name, side) {
  return name === "home" || name === "off" ? `${side} ${name}` : name;
}

/** A side's path with the places before and after it. */
export const wayOf = ({ paths }, side) => [`${side} home`, ...paths[side], `${side} off`];

/** The hands of a board on which moves are chosen. */
export class Presses {
  /**
   * @param {import("./board.js").Board} board @param {(move: any) => any} play
   * @param {{ask?: (moves: any[]) => void, explain?: (place: string) => void}} on what is done with
   *   moves between the same squares, which differ in something else, and with any other place
   */
  constructor(board, play, { ask = () => {}, explain = () => {} } = {}) {
    this.board = board;
    this.play = play;
    this.ask = ask;
    this.explain = explain;
    board.hands = this;
    this.offer([], "light");
  }

  /** Take presses for these moves of a side. */
  offer(moves, side) {
    this.moves = moves.map((move) => ({ move, from: placed(move.from, side), to: placed(move.to, side) }));
    this.mark(null);
  }

  mark(lifted) {
    this.lifted = lifted;
    if (!this.board.svg) return;
    const those = lifted ? this.moves.filter((each) => each.from === lifted) : this.moves;
    this.board.mark(new Set(those.map((each) => each.from)), new Set(those.map((each) => each.to)));
  }

  /** Mark one of the moves alone. */
  point(move) {
    const { from, to } = this.moves.find((each) => each.move === move);
    this.board.mark(new Set([from]), new Set([to]));
  }

  press(place) {
    const { lifted } = this;
    const from = this.moves.filter((each) => each.from === place);
    const to = this.moves.filter((each) => each.to === place && (!lifted || each.from === lifted));
    if (lifted && lifted !== place && to.length) return this.choose(to);
    if (from.length && !isOne(from, "to")) return this.mark(place);
    if (from.length) return this.choose(from);
    if (isOne(to, "from")) return this.choose(to);
    this.mark(null);
    return this.explain(place);
  }

  drop(from, to) {
    return this.choose(this.moves.filter((each) => each.from === from && each.to === to));
  }

  choose(those) {
    const moves = those.map((each) => each.move);
    if (moves.length === 1) return this.play(moves[0]);
    return moves.length ? this.ask(moves) : null;
  }

  canDrag(place) {
    return this.moves.some((each) => each.from === place);
  }
}

/** Whether all of some moves share one end. */
function isOne(moves, end) {
  return new Set(moves.map((each) => each[end])).size === 1;
}
