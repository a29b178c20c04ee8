// Positions as text: read, written, and their faults named (ur_solver/rules/position_text.py, game.py).

import { Refusal } from "../common.js";
import { say } from "../speech.js";

/** Sides in words, by their letters. */
export const NAMES = { L: "light", D: "dark" };

const ROW_NAMES = "ABC";
const LETTERS = "LDld";
const PIECE = /[LDld]\d?\^?/g;
const MOST_LETTERS = 200;

/** The pieces of a content, from the bottom up. @param {string} content @returns {string[]} */
export const split = (content) => content.match(PIECE) ?? [];
export const sideOf = (piece) => piece[0].toUpperCase();
export const isMarked = (piece) => piece[0] !== sideOf(piece);
export const isResting = (piece) => piece.endsWith("^");

const awake = (content) => content.replaceAll("^", "");
const swapped = (text) => text.replace(/[LDld]/g, (letter) => "DLdl"["LDld".indexOf(letter)]);
const quoted = (text) => (text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text.replaceAll("'", "\\'")}'`);

function inOrder(pieces) {
  const key = (piece) => `${LETTERS.indexOf(piece[0])}${piece.slice(1)}`;
  return [...pieces].sort((one, two) => (key(one) < key(two) ? -1 : key(one) > key(two) ? 1 : 0));
}

/** A content as the notation writes it. */
function contentText(content) {
  if (content.length < 2) return content || ".";
  return split(content).length > 1 ? `(${content})` : content;
}

// What a rule set's texts need, made once.

const kept = new WeakMap();

function notesOf(moves) {
  if (!kept.has(moves)) {
    const { about, contents } = moves.data;
    const squares = [];
    about.board.rows.forEach((row, r) => [...row].forEach((kind, c) => {
      if (kind === ".") squares.push(`${ROW_NAMES[r]}${c + 1}`);
    }));
    const numbers = contents.map((each) => new Map(each.map((content, number) => [content, number])));
    // a row of dark's has what stands across the board, the letters exchanged
    const of = (cell, content) => contentText(arranged(moves, squares[moves.mirror_cell[cell]], split(swapped(content))));
    const texts = { L: contents.map((each) => each.map(contentText)),
      D: contents.map((each, cell) => each.map((content) => of(cell, content))) };
    kept.set(moves, { squares, numbers, texts, rows: about.board.rows });
  }
  return kept.get(moves);
}

export function squaresOf(moves) {
  return notesOf(moves).squares;
}

function homeText(moves, home) {
  if (!moves.isNumbered) return String(home);
  let text = "";
  for (let k = 0; home >> k; k++) if (home >> k & 1) text += k + 1;
  return text || "-";
}

/** @param {import("./moves.js").Moves} moves @param {number[]} row @param {string} side */
export function write(moves, row, side) {
  const { texts, rows } = notesOf(moves);
  let square = 0;
  const board = rows.map((kinds) => [...kinds].map((kind) => {
    if (kind !== ".") return "_";
    const cell = side === "L" ? square : moves.mirror_cell[square];
    square++;
    return texts[side][cell][row[cell]];
  }).join("")).join("/");
  const [mine, theirs] = [row[moves.nCells], row[moves.nCells + 1]].map((home) => homeText(moves, home));
  const fines = moves.hasFines ? ` p${row[moves.width - 1]}` : "";
  return `${board} ${side} ${side === "L" ? `${mine} ${theirs}` : `${theirs} ${mine}`}${fines}`;
}

/** A position without faults as a row. */
export function read(moves, text) {
  const position = parse(moves, text);
  const found = faults(moves, position);
  if (found.length) throw new Refusal(["position.faults", { text: quoted(text), faults: found.join("; ") }]);
  return { row: rowOf(moves, position), side: position.side };
}

/** The row of a position without faults. */
function rowOf(moves, { contents, side, homes, fines }) {
  const { squares, numbers } = notesOf(moves);
  const seen = new Map(squares.map((square, k) => [square, contents[k]]));
  const row = squares.map((square, cell) => {
    if (side === "L") return numbers[cell].get(contents[cell]);
    // as the other side sees it: the square across the board, the letters exchanged
    const across = square.replace(/[AC]/, (letter) => (letter === "A" ? "C" : "A"));
    return numbers[cell].get(arranged(moves, square, split(swapped(seen.get(across)))));
  });
  const [light, dark] = homes.map((home) => (moves.isNumbered
    ? [...home].reduce((sum, number) => sum + 2 ** (number - 1), 0) : home));
  row.push(...(side === "L" ? [light, dark] : [dark, light]));
  if (moves.hasFines) row.push(fines);
  return row;
}

/** Pieces as a content is written; their order is kept on some squares. */
function arranged(moves, square, pieces) {
  return (moves.data.stacks.includes(square) ? pieces : inOrder(pieces)).join("");
}

/** A position that may have faults, as the notation writes it. */
export function textOf(moves, { contents, side, homes, fines }) {
  let cell = 0;
  const board = moves.about.board.rows.map((kinds) => [...kinds]
    .map((kind) => (kind === "." ? contentText(contents[cell++]) : "_")).join("")).join("/");
  const [light, dark] = homes.map((home) => (moves.isNumbered ? home || "-" : home));
  return `${board} ${side} ${light} ${dark}${moves.hasFines ? ` p${fines}` : ""}`;
}

// Reading.

/**
 * A text as a position, which may have faults.
 * @returns {{contents: string[], side: string, homes: any[], fines: number | null}}
 */
export function parse(moves, text) {
  if (text.length > MOST_LETTERS) {
    throw new Refusal(["position.long", { count: String(text.length), most: MOST_LETTERS }]);
  }
  const fields = text.split(/\s+/).filter(Boolean);
  const expected = moves.hasFines ? 5 : 4;
  const whole = quoted(text);
  if (fields.length !== expected) {
    throw new Refusal(["position.fields", {
      text: whole, count: fields.length, expected, fines: yesIf(moves.hasFines), such: quoted(moves.about.start),
    }]);
  }
  const contents = boardOf(moves, fields[0], whole);
  const side = fields[1];
  if (side !== "L" && side !== "D") throw new Refusal(["position.side", { text: whole, found: quoted(side) }]);
  const homes = ["light", "dark"].map((name, k) => homeOf(moves, name, fields[2 + k], whole));
  return { contents, side, homes, fines: moves.hasFines ? finesOf(moves, fields[4], whole) : null };
}

const yesIf = (is) => (is ? "yes" : "no");

function boardOf(moves, text, whole) {
  const shapes = moves.about.board.rows;
  const rows = text.split("/");
  if (rows.length !== shapes.length) {
    throw new Refusal(["position.rows", {
      text: whole, found: quoted(text), count: rows.length, expected: shapes.length, such: quoted(shapes.join("/")),
    }]);
  }
  const contents = [];
  rows.forEach((row, r) => {
    const name = ROW_NAMES[r];
    const cells = cellsOf(moves, name, row, whole);
    if (cells.length !== shapes[r].length) {
      throw new Refusal(["position.columns", {
        text: whole, row: name, found: quoted(row), count: cells.length, expected: shapes[r].length, such: quoted(shapes[r]),
      }]);
    }
    cells.forEach((cell, c) => {
      const kind = shapes[r][c];
      if ((cell === "_") !== (kind === "_")) {
        throw new Refusal(["position.square", {
          text: whole, square: `${name}${c + 1}`, found: quoted(cell), hole: yesIf(kind === "_"),
        }]);
      }
      if (kind === ".") contents.push(arranged(moves, `${name}${c + 1}`, split(cell.replace(/[.()]/g, ""))));
    });
  });
  return contents;
}

function cellsOf(moves, name, row, whole) {
  const pieces = Object.values(moves.about.board.pieces_on).flat();
  const number = moves.isNumbered ? "[1-9]" : "";
  const piece = `[LDld]${number}${moves.hasRests ? "\\^?" : ""}`;
  const cell = new RegExp(`[._]|${piece}|\\((?:${piece}){2,}\\)`, "y");
  const cells = [];
  while (cell.lastIndex < row.length) {
    const begin = cell.lastIndex;
    const found = cell.exec(row);
    if (!found) {
      throw new Refusal(["position.cell", {
        text: whole, square: `${name}${cells.length + 1}`, found: quoted(row[begin]), numbered: yesIf(moves.isNumbered),
        marked: yesIf(pieces.some(isMarked)), rests: yesIf(moves.hasRests), shared: yesIf(moves.about.board.shared.length),
      }]);
    }
    cells.push(found[0]);
  }
  return cells;
}

function homeOf(moves, side, text, whole) {
  if (!moves.isNumbered && /^\d{1,2}$/.test(text)) return Number(text);
  if (moves.isNumbered && text === "-") return "";
  if (moves.isNumbered && /^\d+$/.test(text) && [...new Set(text)].sort().join("") === text) return text;
  throw new Refusal(["position.home", { text: whole, side, found: quoted(text), numbered: yesIf(moves.isNumbered) }]);
}

function finesOf(moves, text, whole) {
  const most = moves.data.payoff.most_fines;
  const found = /^p(\d{1,9})$/.exec(text);
  if (found && Number(found[1]) <= most) return Number(found[1]);
  throw new Refusal(["position.fines", { text: whole, found: quoted(text), most: String(most) }]);
}

// Faults.

/** Every fault of a position, in words. @returns {string[]} */
export function faults(moves, position) {
  const { squares } = notesOf(moves);
  const found = squares.flatMap((square, cell) => squareFaults(moves, square, cell, position.contents[cell]));
  const pieces = position.contents.flatMap(split);
  const most = moves.about.pieces;
  const isOff = [];
  for (const [k, letter] of ["L", "D"].entries()) {
    const side = NAMES[letter];
    const home = position.homes[k];
    const own = pieces.filter((piece) => sideOf(piece) === letter);
    const count = (moves.isNumbered ? home.length : home) + own.length;
    if (count > most) found.push(say("fault.many", { side, count, most }));
    if (moves.isNumbered) found.push(...numberFaults(side, home, own, most));
    isOff.push(count === 0);
  }
  const resting = pieces.filter(isResting);
  if (resting.length > 1) found.push(say("fault.rests", { count: resting.length }));
  else if (resting.length && sideOf(resting[0]) !== position.side) found.push(say("fault.resting"));
  if (isOff.every(Boolean)) found.push(say("fault.over"));
  return found;
}

function squareFaults(moves, square, cell, content) {
  if (!content) return [];
  const allowed = moves.about.board.pieces_on[square];
  const held = split(content);
  const strangers = inOrder(new Set(held.filter((piece) => !allowed.includes(piece))));
  if (strangers.length) {
    return strangers.map((piece) => (allowed.length ? say("fault.stranger", { piece: quoted(piece), square, allowed })
      : say("fault.stranger.none", { piece: quoted(piece), square })));
  }
  // the first pieces that cannot be there together say why
  for (let n = 1; n <= held.length; n++) {
    const part = awake(held.slice(0, n).join(""));
    for (const [fault, contents] of Object.entries(moves.data.faults[cell])) {
      if (contents.includes(part)) return [`${say("fault.stands", { pieces: quoted(content), square })} ${fault}`];
    }
  }
  return [];
}

function numberFaults(side, home, own, most) {
  const numbers = [...[...home], ...own.map((piece) => piece[1])].map(Number).sort((one, two) => one - two);
  const twice = [...new Set(numbers)].filter((number) => numbers.indexOf(number) !== numbers.lastIndexOf(number));
  return [
    ...twice.map((number) => say("fault.twice", { side, number, count: numbers.filter((each) => each === number).length })),
    ...[...home].map(Number).filter((number) => number > most || number === 0)
      .map((number) => say("fault.number", { side, number, most })),
  ];
}
