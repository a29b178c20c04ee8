// Boards as SVG, as ur_solver/rules/svg.py draws them: its drawing of the empty board, into
// which the pieces are put here.

import { list, say } from "../speech.js";
import { NAMES, isMarked, isResting, sideOf, split, squaresOf } from "./notation.js";

/** A number with one decimal, an exact half to the even digit. */
function tenths(number) {
  const floor = Math.floor(number * 10);
  const isHalf = number * 10 - floor === 0.5 && Number.isInteger(number * 4);
  return (isHalf ? (floor + (floor & 1)) / 10 : number).toFixed(1);
}

/** The five dots of a piece of radius 1. */
const PIPS = "M-.45-.45h0M.45-.45h0M0 0h0M-.45.45h0M.45.45h0";

/** A piece, at a place of a drawing. @param {"piece" | "spare"} kind @param {string} piece as notation has it */
export function pieceSvg(kind, piece, x, y, radius) {
  const css = NAMES[sideOf(piece)];
  const [cx, cy, r] = [x, y, radius].map(tenths);
  let text = `<circle class="${kind} ${css}" cx="${cx}" cy="${cy}" r="${r}"/>`;
  const number = piece.slice(1);
  if (isMarked(piece)) {
    text += `<circle class="leg ${css}" cx="${cx}" cy="${cy}" r="${tenths((number ? 0.75 : 0.4) * radius)}"/>`;
  } else if (!number) {
    text += `<path class="pips ${css}" transform="translate(${cx} ${cy}) scale(${r})" d="${PIPS}"/>`;
  }
  if (!number) return text;
  return `${text}<text class="number ${css}" x="${cx}" y="${cy}" font-size="${tenths(1.3 * radius)}">${number}</text>`;
}

/** Pieces in words, alike ones counted. */
function words(pieces) {
  return [...new Set(pieces)].flatMap((piece) => {
    const count = pieces.filter((each) => each === piece).length;
    const number = piece.slice(1).replace("^", "");
    const kind = [NAMES[sideOf(piece)], isMarked(piece) && "marked", isResting(piece) && "resting"].filter(Boolean).join(".");
    return number ? Array(count).fill(say(`piece.${kind}.number`, { number })) : say(`piece.${kind}`, { count });
  });
}

function squareSvg(sizes, isRosette, pieces) {
  if (!pieces.length) return "";
  const columns = Math.ceil(Math.sqrt(pieces.length));
  const rows = Math.ceil(pieces.length / columns);
  const size = sizes.inner / columns;
  const edge = (sizes.square - sizes.inner) / 2;
  const drawn = pieces.map((piece, k) => {
    const up = Math.floor(k / columns);
    const x = edge + (k % columns + 0.5) * size;
    const y = sizes.square / 2 + (rows / 2 - up - 0.5) * size;
    return pieceSvg("piece", piece, x, y, size * 0.38);
  });
  return (isRosette ? sizes.ring : "") + drawn.join("");
}

function placeSvg({ spare, room, label, middle }, pieces) {
  const step = Math.min(spare, (room - spare) / Math.max(1, pieces.length - 1));
  const disc = (piece, k) => pieceSvg("spare", piece, label + spare / 2 + k * step, middle, 0.42 * spare);
  return pieces.map(disc).join("");
}

/**
 * A board whose squares have names for screen readers.
 * @param {import("./moves.js").Moves} moves
 * @param {ReturnType<import("./notation.js").parse>} position it may have faults
 * @param {string} notation @param {"light" | "dark"} view the side on top
 */
export function boardSvg(moves, { contents, side, homes }, notation, view) {
  const { sizes, marks, [view]: { texts, squares } } = moves.data.drawing;
  const held = new Map(squaresOf(moves).map((square, k) => [square, split(contents[k])]));
  const slots = [notation];
  for (const square of squares) {
    const pieces = held.get(square);
    slots.push(list([square, ...(marks[square] ? [say(`mark.${marks[square]}`)] : []), ...words(pieces)]));
    slots.push(squareSvg(sizes, sizes.rosettes.includes(square), pieces));
  }
  const all = contents.flatMap(split);
  const left = ["L", "D"].map((own, k) => {
    const onBoard = all.filter((piece) => sideOf(piece) === own).length;
    return { own, home: homes[k], onBoard, count: moves.isNumbered ? homes[k].length : homes[k] };
  });
  const isOver = left.some(({ onBoard, count }) => onBoard + count === 0);
  for (const { own, home, onBoard, count } of left) {
    const atHome = moves.isNumbered ? [...home].map((number) => own + number) : Array(count).fill(own);
    const off = Array(Math.max(0, moves.about.pieces - count - onBoard)).fill(own);
    slots.push(!isOver && side === own ? sizes.bar : "");
    for (const [place, pieces] of [["home", atHome], ["off", off]]) {
      slots.push(say(`place.${place}`, { count: pieces.length }), placeSvg(sizes, pieces));
    }
  }
  return texts.map((text, k) => text + (slots[k] ?? "")).join("");
}

/** The curve of an arrow for a move; the best and the played one bend to different sides. */
export function arrowPath(moves, side, kind, { source, target }, view) {
  const middles = moves.data.drawing[view].middles[NAMES[side]];
  const [[x0, y0], [x1, y1]] = [middles[source + 1], middles[target + 1]];
  const bend = kind === "best" ? 14 : -14;
  const length = Math.max(Math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2), 1);
  const x = (x0 + x1) / 2 - (y1 - y0) / length * bend;
  const y = (y0 + y1) / 2 + (x1 - x0) / length * bend;
  return `M${x0} ${y0}Q${tenths(x)} ${tenths(y)} ${x1} ${y1}`;
}
