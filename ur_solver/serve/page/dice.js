// Dice that are seen: pyramids with marked tips, sticks, a die; as the rule set's `look` says.

import { at, makeSvg } from "./dom.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const SIZE = 44;
const PIPS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]], 5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};

const DRAWN = {
  pyramids: (isMarked) => [
    makeSvg("path", { class: "face", d: "M22 5 4 38h36z" }),
    makeSvg("path", { class: "edge", d: "M22 5v33M22 24 4 38M22 24l18 14" }),
    ...(isMarked ? [makeSvg("circle", { class: "tip", cx: 22, cy: 9, r: 7 })] : []),
  ],
  sticks: (isMarked) => [
    makeSvg("rect", { class: isMarked ? "face marked" : "face", x: 14, y: 3, width: 16, height: 38, rx: 8 }),
    makeSvg("path", { class: "edge", d: isMarked ? "M17 14h10M17 22h10M17 30h10" : "M22 8v28" }),
  ],
  die: (pips) => [
    makeSvg("rect", { class: "face", x: 4, y: 4, width: 36, height: 36, rx: 7 }),
    ...(PIPS[pips] ?? []).map(([x, y]) =>
      makeSvg("circle", { class: "pip", cx: 22 + 10 * x, cy: 22 + 10 * y, r: 3.6 })),
  ],
  number: (number) => [
    makeSvg("rect", { class: "face", x: 4, y: 4, width: 36, height: 36, rx: 7 }),
    makeSvg("text", { class: "digit", x: 22, y: 22 }, number === null ? "" : String(number)),
  ],
};

/** One throw of dice as a picture; null for dice that lie there unthrown. */
export function drawn(look, thrown) {
  const { kind, count, marks } = look;
  const shown = thrown === null ? null : marks[thrown] ?? 0;
  const each = [...Array(count).keys()].map((k) => {
    const face = kind === "pyramids" || kind === "sticks" ? k < shown : shown;
    return makeSvg("g", { class: "die", transform: `translate(${k * SIZE} 0)` },
      makeSvg("g", {}, ...DRAWN[kind](face)));
  });
  const width = count * SIZE;
  return makeSvg("svg", {
    class: `dice${thrown === null ? " unthrown" : ""}`, viewBox: `0 0 ${width} ${SIZE}`,
    width, height: SIZE, "aria-hidden": "true",
  }, ...each);
}

/** Show what was thrown: an empty list before the throw. */
export function showDice(look, throws, isFresh) {
  const pictures = (throws.length ? throws : [null]).map((thrown) => drawn(look, thrown));
  at("dice").replaceChildren(...pictures);
  if (!isFresh || still.matches) return;
  pictures.flatMap((picture) => [...picture.children]).forEach((die, k) => {
    const turn = (k % 2 ? 1 : -1) * (180 + 70 * k);
    die.firstChild.animate([
      { transform: `translate(${8 * k - 30}px, -26px) rotate(${turn}deg)`, opacity: 0.2 },
      { transform: `translate(${4 - k}px, 3px) rotate(${turn / 6}deg)`, opacity: 1, offset: 0.7 },
      { transform: "none" },
    ], { duration: 420 + 50 * k, easing: "ease-out" });
  });
}
