// The board: the server's drawing with arrows, and what is pressed, dragged and dropped on it.

import { at, drag, makeSvg, parsedSvg } from "./dom.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** The name of a place for pieces: a square, or `light home` and the like. */
export function placeOf(element) {
  const group = element?.closest?.("[data-square]");
  if (!group) return null;
  const { square, side } = group.dataset;
  return side ? `${side} ${square}` : square;
}

export class Board {
  /** @param {{press: (place: string) => void, drop: (from: string, to: string) => void}} on */
  constructor(on, host = at("board")) {
    this.host = host;
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

  /** Show a drawing; `moved` is a place that a piece came from and the one where it is now. */
  show(text, moved = null) {
    const before = moved && this.svg && this.centre(moved[0]);
    this.svg = parsedSvg(text);
    this.arrows = makeSvg("g", { class: "arrows" });
    this.svg.append(this.arrows);
    this.host.replaceChildren(this.svg);
    const piece = moved && this.group(moved[1])?.querySelector("circle:last-of-type");
    if (before && piece && !still.matches) {
      const after = this.centre(moved[1]);
      const scale = this.svg.viewBox.baseVal.width / this.svg.clientWidth;
      const [x, y] = [(before.x - after.x) * scale, (before.y - after.y) * scale];
      piece.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }],
        { duration: 180, easing: "ease-out" });
    }
  }

  group(place) {
    const [side, square] = place.includes(" ") ? place.split(" ") : [null, place];
    const own = side ? `[data-side="${side}"]` : "";
    return this.svg?.querySelector(`[data-square="${square}"]${own}`);
  }

  centre(place) {
    const box = this.group(place)?.firstElementChild.getBoundingClientRect();
    return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
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

function carried(side) {
  const piece = makeSvg("circle", { class: `piece ${side}`, r: 14 });
  return makeSvg("svg", { class: "ur-board", viewBox: "-20 -20 40 40" }, piece);
}
