// A game with its variations, and how it is written in an address.

import { say } from "./speech.js";

/**
 * @typedef {{choice: string | null, throws: number[], move: string | null}} Turn
 * @typedef {{side: string, position: string, choice: string | null, throw: any,
 *   move: string | null, best?: string | null, value?: number, best_value?: number,
 *   loss?: number, luck?: number, mark?: string | null, cost?: number, options?: number}} Ply
 */

/** A position in a game: the turn that led to it, with its judged plies, and those after it. */
export class Node {
  /** @param {string} position @param {Node | null} parent @param {Turn | null} turn @param {Ply[]} plies */
  constructor(position, parent = null, turn = null, plies = []) {
    this.position = position;
    this.parent = parent;
    this.turn = turn;
    this.plies = plies;
    /** @type {Node[]} */
    this.children = [];
    this.preferred = 0;
  }

  /** The node after a turn, which is added unless it is there. */
  add(turn, position, plies) {
    const known = this.children.findIndex((child) => isSame(child.turn, turn));
    if (known >= 0) {
      this.preferred = known;
      return this.children[known];
    }
    const child = new Node(position, this, turn, plies);
    this.preferred = this.children.push(child) - 1;
    return child;
  }

  get next() {
    return this.children[this.preferred] ?? null;
  }

  /** The nodes from the first to this one. */
  get path() {
    const nodes = [];
    for (let node = this; node; node = node.parent) nodes.unshift(node);
    return nodes;
  }

  /** The nodes from the first to this one, and on to the end. */
  get line() {
    const nodes = this.path;
    for (let node = this.next; node; node = node.next) nodes.push(node);
    return nodes;
  }

  /** Make the line that leads here the one that is followed. */
  prefer() {
    for (let node = this; node.parent; node = node.parent) {
      node.parent.preferred = node.parent.children.indexOf(node);
    }
  }

  remove() {
    const siblings = this.parent.children;
    siblings.splice(siblings.indexOf(this), 1);
    this.parent.preferred = 0;
  }
}

/** @param {Turn} one @param {Turn} other */
export function isSame(one, other) {
  return one.choice === other.choice && one.move === other.move
    && String(one.throws) === String(other.throws);
}

// In an address: `.2_A!A3.0.1_A3A2(.3_A!A2.0).2_...`: the throw, or the choice before it and the throws,
// and the move; in parentheses what else was played instead of the turn before them. The letters
// that an address would have to escape are written as others.

const ESCAPES = [["@", "!"], ["+", "'"], [" again", "~"], [" stop", "$"]];

/** A turn in an address; one that is not written down yet has no throws. */
export function writeTurn(turn) {
  let move = turn.move ?? "";
  for (const [letter, other] of ESCAPES) move = move.replaceAll(letter, other);
  return `.${turn.choice ?? ""}${turn.throws?.join("-") ?? ""}${move && `_${move}`}`;
}

/** All turns after a node. */
export function writeTree(node) {
  let text = "";
  while (node.children.length) {
    const [main, ...others] = node.children;
    text += writeTurn(main.turn);
    for (const other of others) text += `(${writeTurn(other.turn)}${writeTree(other)})`;
    node = main;
  }
  return text;
}

/** A node's number in the order in which `writeTree` writes them, 0 for the first. */
export function numberOf(root, wanted) {
  return Math.max(0, nodesOf(root).indexOf(wanted));
}

/** The node with a number. */
export function nodeAt(root, number) {
  return nodesOf(root)[number] ?? root;
}

/** All nodes, a main turn before what else was played instead of it, and those before what follows. */
function nodesOf(root) {
  const found = [root];
  let node = root;
  while (node.children.length) {
    const [main, ...others] = node.children;
    found.push(main, ...others.flatMap(nodesOf));
    node = main;
  }
  return found;
}

const TOKEN = /\.([a-z]*)(\d+(?:-\d+)?)(?:_([^.()]*))?|[()]/y;

/**
 * The lines of a text, each the turns from a place in another line, `[line, turn]`; up to its fault,
 * if it has one.
 */
export function readLines(text) {
  const lines = [{ from: null, turns: [] }];
  const open = [0];
  TOKEN.lastIndex = 0;
  for (let place = 0; place < text.length; place = TOKEN.lastIndex) {
    const token = TOKEN.exec(text);
    const current = lines[open.at(-1)];
    const isMisplaced = (token?.[0] === ")" && open.length < 2) || (token?.[0] === "(" && !current.turns.length);
    if (!token || isMisplaced) {
      return { lines, fault: new Error(say("address.game", { place: place + 1 })) };
    }
    if (token[0] === "(") {
      lines.push({ from: [open.at(-1), current.turns.length - 1], turns: [] });
      open.push(lines.length - 1);
    } else if (token[0] === ")") {
      open.pop();
    } else {
      let move = token[3] ?? null;
      for (const [letter, other] of ESCAPES) move = move && move.replaceAll(other, letter);
      current.turns.push({ choice: token[1] || null, throws: token[2].split("-").map(Number), move });
    }
  }
  return { lines, fault: null };
}

/** The judged plies of a line by turn: a choice before a throw belongs to that turn. */
export function pliesByTurn(plies) {
  const turns = [];
  let own = [];
  for (const ply of plies) {
    own.push(ply);
    if (ply.throw !== null) {
      turns.push(own);
      own = [];
    }
  }
  return turns;
}

// The judged plies of a turn, in the form of an audit's.

/** What some plies have together of something that not all may have. */
const sumOf = (plies, key) => plies.reduce((sum, ply) => sum + (ply[key] ?? 0), 0);

/**
 * A side's choices: the best among them, those too close to call and worse ones; what they lost, luck and
 * fines paid.
 */
export function sideOf(plies) {
  const choices = plies.filter((ply) => ply.options > 1 && ply.move !== null);
  const of = (verdict) => choices.filter((ply) => ply.verdict === verdict);
  return {
    choices: choices.length,
    best: of("best").length, close: of("close").length, worse: of("worse").length,
    loss: sumOf(choices, "loss"), worse_loss: sumOf(of("worse"), "loss"),
    luck: sumOf(plies, "luck"), cost: sumOf(plies, "cost"),
  };
}

/** Half the width of the interval of what some plies lost, whose errors are taken for independent. */
export const lossErrorOf = (plies) => Math.hypot(...plies.map((ply) => ply.loss_error ?? 0));

// What counts as equally good, and how bad a loss is, as shares of both sides' values: the numbers of
// `ur_solver.answers.decisions`, which a test compares.

const TIE = 1e-6;
const THRESHOLDS = [["blunder", 0.06], ["mistake", 0.03], ["inaccuracy", 0.015]];

/** Whether a choice was the best, worse, or too close to call: `Verdict` of `ur_solver.answers.decisions`. */
export const verdictOf = (total, loss, error = 0) =>
  (isTie(total, loss) ? "best" : loss <= error ? "close" : "worse");

/** Whether a choice is as good as the best by the values, which sum to `total` for both sides. */
export const isTie = (total, loss) => loss <= TIE * (total || 1);

/** The mark of a choice, if what it loses is sure. */
export function markOf(total, loss, count, error = 0) {
  if (count < 2 || verdictOf(total, loss, error) !== "worse") return null;
  return THRESHOLDS.find(([, least]) => loss / (total || 1) >= least)?.[0] ?? null;
}

/**
 * The plies of a turn in an answer about its position: the choice before the throw, if there was
 * another one that is worth something, and the throw.
 * @param {any} answer of the position @param {any} entry its throw
 * @param {{choice: string | null, move: string | null}} turn
 * @param {any} move the move among those of the throw; missing where the turn passes
 * @param {{before: number, error: number, total: number, isExact: boolean} | null} judged the value
 *   before the turn and its error, and what both sides' values sum to; null without values
 */
export function pliesOf(answer, entry, turn, move, judged) {
  const common = { side: answer.side, position: answer.position, choice: turn.choice };
  const ply = { ...common, throw: entry.throw, move: turn.move, options: entry.moves.length,
    cost: move?.cost ?? 0, position_after: move ? move.position : answer.after_pass };
  if (!judged) return [ply];
  const { total, isExact } = judged;
  let { before, error } = judged;
  const errors = (lost) => (isExact ? {}
    : { ...(error ? { exact: false, error } : { exact: true }), loss_error: lost });
  const plies = [];
  const worth = Object.entries(answer.choices ?? {}).filter(([, value]) => value !== null);
  if (worth.length > 1) {
    const [name, most] = worth.reduce((one, two) => (two[1] > one[1] ? two : one));
    const chosen = answer.choices[turn.choice];
    const loss = most - chosen;
    const lost = answer.choice_loss_errors?.[turn.choice] ?? 0;
    plies.push({
      ...common, throw: null, move: turn.choice, best: isTie(total, loss) ? turn.choice : name,
      value: before, best_value: most, loss, luck: most - before,
      verdict: verdictOf(total, loss, lost), mark: answer.choice_marks[turn.choice], cost: 0, options: worth.length,
      position_after: answer.position, ...errors(lost),
    });
    before = chosen;
    error = answer.choice_errors?.[turn.choice] ?? 0;
  }
  const loss = move?.loss ?? 0;
  const lost = move?.loss_error ?? 0;
  const best = move && isTie(total, loss) ? turn.move : entry.moves[0]?.move ?? null;
  plies.push({ ...ply, best, value: before, best_value: entry.value, loss, luck: entry.value - before,
    verdict: entry.moves.length > 1 && move ? verdictOf(total, loss, lost) : null,
    mark: move?.mark ?? null, ...errors(lost) });
  return plies;
}
