// The board: the server's drawing with arrows, and what is pressed, dragged and dropped on it.

import { at, drag, make, makeSvg, parsedSvg } from "./dom.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** How far from its edge a home's first piece is, in the drawing. */
const FIRST_AT_HOME = 58;

/** The name of a place for pieces: a square, or `light home` and the like. */
export function placeOf(element) {
  const group = element?.closest?.("[data-square]");
  if (!group) return null;
  const { square, side } = group.dataset;
  return side ? `${side} ${square}` : square;
}

export class Board {
  /** @param {{press: (place: string) => void, drop: (from: string, to: string) => void}} on */
  constructor(on, host = at("board"), words = null) {
    this.host = host;
    /** A table that says for screen readers what the drawing shows. */
    this.words = words;
    /** Whose pieces are whose, in words. */
    this.owners = { light: "light", dark: "dark" };
    this.svg = null;
    this.canDrag = () => false;
    this.host.addEventListener("click", (event) => {
      const place = placeOf(event.target);
      if (place) on.press(place);
    });
    this.host.addEventListener("pointerdown", (event) => {
      const place = placeOf(event.target);
      if (event.button || !place || !this.canDrag(place)) return;
      drag(event, () => this.ghost(place), (element) => {
        const end = placeOf(element);
        if (end && end !== place) on.drop(place, end);
      });
    });
    // A finger on a piece carries it; touch-action has no effect on parts of a drawing.
    this.host.addEventListener("touchmove", (event) => {
      const place = placeOf(event.target);
      if (place && this.canDrag(place)) event.preventDefault();
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
      make("td", {}, `${this.owners[tray.dataset.side]}: ${tray.querySelector("text").textContent}`));
    this.words.replaceChildren(make("caption", {}, "The board, square by square"),
      make("tbody", {}, ...rows, make("tr", {}, ...trays)));
  }

  /** Let the piece that moved walk along its path, and a captured one go home. */
  animate({ side, along, capture }) {
    const points = along.map((place) => this.middleOf(place));
    const duration = Math.min(900, 110 * (points.length - 1) + 80);
    const [end] = points.slice(-1);
    const group = this.group(along.at(-1));
    const top = [...group.querySelectorAll("circle.piece, circle.spare")].at(-1);
    const hidden = [];
    for (let each = top; each; each = each.nextElementSibling) hidden.push(each);
    for (const each of hidden) each.style.visibility = "hidden";
    const walker = makeSvg("circle", { class: `piece ${side}`, r: 13 });
    this.moving.append(walker);
    const step = ([x, y]) => ({ transform: `translate(${x}px, ${y}px)` });
    walker.animate(points.map(step), { duration, fill: "both" }).finished.then(() => {
      walker.remove();
      for (const each of hidden) each.style.visibility = "";
    }).catch(() => {});
    if (!capture) return duration;
    const other = side === "light" ? "dark" : "light";
    const caught = makeSvg("circle", { class: `piece ${other}`, r: 13 });
    this.moving.prepend(caught);
    caught.animate([end, this.middleOf(`${other} home`)].map(step),
      { duration: 450, delay: duration - 60, fill: "both", easing: "ease-in-out" })
      .finished.then(() => caught.remove()).catch(() => {});
    return duration + 400;
  }

  middleOf(place) {
    return middleOf(this.svg, place);
  }

  drawWay(places, side) {
    drawWay(this.svg, this.way, places, side);
  }

  clearWay() {
    this.way.replaceChildren();
  }

  group(place) {
    return this.svg && groupOf(this.svg, place);
  }

  /** The top piece of a place, to be carried by the pointer. */
  ghost(place) {
    const css = this.group(place).querySelector("circle:last-of-type")?.getAttribute("class");
    return carried(css?.includes("dark") ? "dark" : "light");
  }

  ghostOf(piece) {
    return carried(piece[0].toUpperCase() === "D" ? "dark" : "light");
  }

  /** Arrows by kind, each the path that the server has drawn. */
  point(arrows) {
    this.arrows.replaceChildren(...arrows.flatMap(([kind, path]) => {
      const [x, y] = path.split(" ").slice(-2);
      return [
        makeSvg("path", { class: `arrow ${kind}`, d: path }),
        makeSvg("circle", { class: `tip ${kind}`, cx: x, cy: y, r: 5.5 }),
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

function groupOf(svg, place) {
  const [side, square] = place.includes(" ") ? place.split(" ") : [null, place];
  const own = side ? `[data-side="${side}"]` : "";
  return svg.querySelector(`[data-square="${square}"]${own}`);
}

/** The middle of a place in a drawing; of a home, where its first piece is. */
function middleOf(svg, place) {
  const box = groupOf(svg, place).firstElementChild.getBoundingClientRect();
  const matrix = svg.getScreenCTM();
  const [x, y] = [(box.x - matrix.e) / matrix.a, (box.y - matrix.f) / matrix.d];
  const [width, height] = [box.width / matrix.a, box.height / matrix.d];
  return [x + (place.includes(" ") ? FIRST_AT_HOME : width / 2), y + height / 2];
}

/**
 * Draw a way through squares, and off the board, with its direction; the second time at a square next
 * to the first. It comes from a home if that is the first place.
 */
export function drawWay(svg, into, places, side) {
  const seen = new Set();
  const points = places.map((place) => {
    const [x, y] = middleOf(svg, place);
    const off = seen.has(place) ? 7 : 0;
    seen.add(place);
    return [x + off, y + off];
  });
  const [[x0, y0], [x1, y1]] = points.length > 1 ? points.slice(-2) : [points[0], points[0]];
  points.push([x1 + 0.7 * (x1 - x0), y1 + 0.7 * (y1 - y0)]);
  const heads = points.slice(1).map(([x, y], k) => {
    const [fromX, fromY] = points[k];
    const angle = Math.atan2(y - fromY, x - fromX) * 180 / Math.PI;
    const [midX, midY] = [(x + fromX) / 2, (y + fromY) / 2];
    return makeSvg("path", { class: `head ${side}`, d: "M-5-5 5 0-5 5z",
      transform: `translate(${midX.toFixed(1)} ${midY.toFixed(1)}) rotate(${angle.toFixed(0)})` });
  });
  const line = makeSvg("polyline", { class: `line ${side}`,
    points: points.map((point) => point.map((each) => each.toFixed(1)).join(",")).join(" ") });
  into.replaceChildren(line, ...heads);
}

function carried(side) {
  const piece = makeSvg("circle", { class: `piece ${side}`, r: 14 });
  return makeSvg("svg", { class: "ur-board", viewBox: "-20 -20 40 40" }, piece);
}
