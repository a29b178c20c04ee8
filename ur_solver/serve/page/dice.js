// Dice that are seen: pyramids with marked tips, sticks, a die; as the rule set's `look` says.

import { at, makeSvg } from "./dom.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const SIZE = 44;
const PIPS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]], 5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};

const shape = (css, d) => makeSvg("path", { class: css, d });
const dot = (css, cx, cy, r) => makeSvg("circle", { class: css, cx, cy, r });
const cube = () => makeSvg("rect", { class: "face", x: 4, y: 4, width: 36, height: 36, rx: 8 });

const DRAWN = {
  // two of the four tips are marked: one is on top, or both are below
  pyramids: (isMarked) => [
    shape("side", "M22 5 4 35l15 5z"), shape("side shade", "M22 5 19 40l21-6z"),
    ...(isMarked ? [dot("foot", 19.5, 37, 2.6), dot("tip", 22, 9, 6.5)]
      : [dot("foot", 7, 33.5, 2.6), dot("foot", 37.3, 32.3, 2.6)]),
  ],
  sticks: (isMarked) => [
    makeSvg("rect", { class: isMarked ? "face marked" : "round", x: 14, y: 2, width: 16, height: 40, rx: 8 }),
    ...(isMarked ? [shape("band", "M14 13h16M14 31h16"), shape("band red", "M14 22h16")] : [shape("glow", "M19 9v26")]),
  ],
  die: (pips) => [cube(), ...(PIPS[pips] ?? []).map(([x, y]) => dot("pip", 22 + 10 * x, 22 + 10 * y, 3.8))],
  number: (number) => [cube(), makeSvg("text", { class: "digit", x: 22, y: 22 }, number === null ? "" : String(number))],
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
    const turn = (k % 2 ? 1 : -1) * (400 + 90 * k);
    const [from, far] = [8 * k - 60, 5 - 3 * k];
    die.firstChild.animate([
      { transform: `translate(${from}px, -30px) rotate(${turn}deg)`, opacity: 0, easing: "ease-in" },
      { transform: `translate(${from / 2}px, 4px) rotate(${turn / 2}deg)`, opacity: 1, offset: 0.35, easing: "ease-out" },
      { transform: `translate(${from / 6}px, -9px) rotate(${turn / 5}deg)`, offset: 0.55, easing: "ease-in" },
      { transform: `translate(${far}px, 2px) rotate(${turn / 24}deg)`, offset: 0.8, easing: "ease-out" },
      { transform: "none" },
    ], { duration: 520 + 60 * k });
  });
}
