// Games played turn by turn, and judged.

import { Refusal, TurnRefusal, drawnFrom, picked } from "../common.js";
import { isTie, markOf, pliesOf, sideOf } from "../tree.js";
import { say } from "../speech.js";
import { errorOf } from "../words.js";
import { boardSvg } from "./drawing.js";
import { other } from "./moves.js";
import { NAMES, parse } from "./notation.js";
import { Unfolded } from "./position.js";

/**
 * @typedef {{moves: import("./moves.js").Moves, values: import("./position.js").Values | null,
 *   opening: number | null}} Judge
 *   `opening` is the value of the start after the first throw, where the rules give it
 */

/**
 * Turns played from a position, and judged if there are values. A choice before a throw has a ply of
 * its own if there was another possibility. So
 *
 *     end value = start value + luck - loss + cost of light - luck + loss of dark
 *
 * where start and end value are to light, and money to come does not count fines paid.
 * @param {Judge} judge @param {string} start @param {[string | null, number[], string | null][]} turns
 */
export async function lineAnswer(judge, start, turns) {
  const { moves, values } = judge;
  const begin = moves.encode(start);
  const first = moves.notation(begin.row, begin.side);
  const played = [];
  let position = first;
  for (const [number, [choice, throws, move]] of turns.entries()) {
    try {
      played.push(play(judge, position, { choice, throws, move }, number === 0));
      position = played.at(-1).after;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new TurnRefusal(number + 1, error);
    }
  }
  if (!values) return { plies: played.flatMap(judged), position, start: first };
  // no moves get values but those of an opening throw that is given
  const given = givenIn(moves, begin.row);
  const from = new Unfolded(moves, values, first, null, given === null ? [] : [given]);
  const to = new Unfolded(moves, values, position, null, []);
  await Promise.all([from, to, ...played.map(({ unfolded }) => unfolded)].map((each) => each.ask()));
  const plies = played.flatMap(judged);
  const answer = { plies, position, start: first };
  const unfolded = from.written();
  const opened = given === null ? unfolded : unfolded.throws.find((each) => each.throw === given);
  answer.start_value = toLight(from, opened.value);
  Object.assign(answer, from.exactness(errorOf(opened)));
  answer.end_value = toLight(to, to.value);
  for (const side of ["light", "dark"]) answer[side] = sideOf(plies.filter((ply) => ply.side === side));
  return answer;
}

/** The throw that the rules give in a position, the start; null where the dice decide. */
function givenIn(moves, row) {
  return String(row) === String(moves.start) ? moves.about.opening_throw : null;
}

function toLight({ side, total }, value) {
  return side === "L" ? value : total - value;
}

/** Play a turn by the rules: its position unfolded, and the position after it. */
function play({ moves, values }, text, turn, isFirst) {
  const unfolded = new Unfolded(moves, values, text, null, turn.throws);
  if (unfolded.winner) throw new Refusal(["refused.over", { side: NAMES[unfolded.winner] }]);
  const answer = unfolded.written();
  const given = isFirst ? givenIn(moves, unfolded.row) : null;
  const thrown = thrownIn(moves, answer, turn, given);
  const taken = thrown.moves.find((move) => move.move === turn.move);
  if (!taken && (thrown.moves.length || turn.move !== null)) {
    const legal = thrown.moves.map((move) => move.move).sort().join(", ") || say("refused.passes");
    throw new Refusal(["refused.move", { move: turn.move ?? "none", legal }]);
  }
  return { unfolded, turn, given, after: taken ? taken.position : answer.after_pass };
}

/** The plies of a turn, judged if its values have been asked for. */
function judged({ unfolded, turn, given }) {
  const answer = unfolded.written();
  const thrown = thrownIn(unfolded.moves, answer, turn, given);
  const taken = thrown.moves.find((move) => move.move === turn.move);
  const before = given === null ? answer : thrown;
  return pliesOf(answer, thrown, turn, taken, unfolded.values ? {
    before: before.value, error: errorOf(before), total: unfolded.total, isExact: unfolded.source.isExact,
  } : null);
}

/** The throw of a turn in its unfolded position. */
function thrownIn(moves, answer, { choice, throws }, given) {
  const rolls = answer.throws.filter((each) => (each.choice ?? null) === choice);
  if (!rolls.length) {
    const names = [...new Set(answer.throws.map((each) => each.choice))].filter(Boolean).sort();
    const chosen = String(choice);
    throw new Refusal(names.length ? ["refused.choice", { choice: chosen, names }] : ["refused.no-choice", { choice: chosen }]);
  }
  if (given !== null && String(throws) !== String(given)) {
    throw new Refusal(["refused.first", { name: moves.about.name, thrown: given }]);
  }
  const found = rolls.find((each) => String(each.throw) === String(throws));
  if (found) return found;
  const possible = rolls.map((each) => [each.throw].flat().join(" ")).join(", ");
  throw new Refusal(["refused.throw", { thrown: throws.join(" "), possible }]);
}

// Decisions drawn from play, by what a mistake there costs.

const GAMES = { exact: 500, estimated: 300 };
const LONGEST = 2000;
/** The games whose decisions are judged at the same time. */
const AT_ONCE = 25;
/** The games among whose decisions the first exercise is looked for. */
const FIRST = 100;

/** A decision of a game by rules of thumb, any with the same chance; null if it has none. */
function decision(moves, random) {
  let row = moves.start;
  let side = "L";
  let count = 0;
  let found = null;
  for (let ply = 0; ply < LONGEST; ply++) {
    const { name } = picked(moves.choices(row), () => 1, random());
    const given = ply === 0 ? moves.about.opening_throw : null;
    const rolls = moves.rolls(row, name).filter((roll) => given === null || roll.throws[0] === given);
    const roll = picked(rolls, (each) => each.probability, random());
    const steps = roll.movesBy === null ? [] : moves.steps(row, roll.movesBy, name);
    if (steps.length > 1) {
      count += 1;
      if (random() * count < 1) found = { row, side, choice: name, throws: roll.throws };
    }
    if (!steps.length) {
      row = moves.mirror(row);
      side = other(side);
      continue;
    }
    const good = steps.filter((step) => step.isCapture || step.again);
    const step = picked(good.length && random() < 0.8 ? good : steps, () => 1, random());
    if (step.isWin) return found;
    if (!step.again) side = other(side);
    row = step.row;
  }
  return found;
}

/**
 * Up to `count` decisions, the same for the same seed, in which every option but the best loses at
 * least `cost`, a share of what there is to win. `meet` gets each as soon as it is found, and may let
 * the search for others wait. The first one is among those that need the fewest pieces of a table.
 * @param {import("./line.js").Judge} judge @param {{seed: number, count: number, cost: number}} asked
 * @param {(found: any) => any} meet
 */
export async function exercisesAnswer({ moves, values }, { seed, count, cost }, meet = () => null) {
  const random = drawnFrom(seed);
  const found = new Map();
  let left = values.isExact ? GAMES.exact : GAMES.estimated;
  let drawn = [];
  while (found.size < count && (left || drawn.length)) {
    const wanted = Math.min(left, (found.size ? AT_ONCE : FIRST) - drawn.length);
    for (let game = 0; game < wanted; game++, left--) {
      const each = decision(moves, random);
      if (each) drawn.push({ ...each, needs: found.size ? null : needed(moves, values, each) });
    }
    const batch = (found.size ? drawn : nearest(drawn)).slice(0, AT_ONCE);
    drawn = drawn.filter((each) => !batch.includes(each));
    const judged = await Promise.all(batch.map((asks) => judgedOf(moves, values, asks)));
    const most = found.size ? count : 1;
    for (const [k, each] of judged.entries()) {
      if (each.cost < cost || isTie(1, each.cost)) continue;
      const key = `${each.position} ${each.choice} ${each.throws}`;
      if (found.size === most) drawn.push(batch[k]);
      else if (!found.has(key)) {
        found.set(key, each);
        await meet(each);
      }
    }
  }
  return [...found.values()];
}

/** The pieces of a table that a decision needs with all that is shown of it; none of other values. */
function needed(moves, values, { row, side }) {
  const { rows } = new Unfolded(moves, values, moves.notation(row, side));
  return values.piecesOf?.(rows.filter((each) => !moves.isOver(each))) ?? new Set();
}

/** Of some decisions those that need no other pieces than the one that needs the fewest. */
function nearest(drawn) {
  if (!drawn.length) return drawn;
  const { needs: least } = drawn.reduce((one, two) => (two.needs.size < one.needs.size ? two : one));
  return drawn.filter(({ needs }) => [...needs].every((piece) => least.has(piece)));
}

/** A decision with what the second best option loses, a share of what there is to win. */
async function judgedOf(moves, values, { row, side, choice, throws }) {
  const position = moves.notation(row, side);
  const unfolded = new Unfolded(moves, values, position, null, throws);
  const answer = await unfolded.answer();
  const entry = answer.throws.find((each) =>
    (each.choice ?? "") === choice && String(each.throw) === String(throws));
  return { position, choice: choice || null, throws, cost: entry.moves[1].loss / (unfolded.total || 1) };
}

// A round of an opening: what may be thrown and what comes of it is data.

/** The rounds from light's marker on a square, or from home. */
function roundOf(moves, marker) {
  const { opening } = moves.data;
  const { name, paths } = moves.about;
  if (!opening) throw new Refusal(["refused.lots", { name }]);
  const found = opening.rounds[(marker ?? "").toUpperCase()];
  if (found) return found;
  const squares = paths.light.filter((square) => square in opening.rounds);
  throw new Refusal(squares.length ? ["refused.marker", { name, marker, squares }] : ["refused.no-marker", { name, marker }]);
}

/**
 * All throws of a round with their probabilities and outcomes, the best first. Values are to light,
 * losses to the side that chooses; without values both are left out.
 * @param {import("./line.js").Judge} judge @param {string | null} marker @param {"light" | "dark" | null} view
 */
export async function openingAnswer(judge, marker, view) {
  const { moves, values } = judge;
  const { board, ...round } = roundOf(moves, marker);
  const answer = structuredClone(round);
  if (view) answer.svg = boardSvg(moves, parse(moves, board), board, view);
  if (!values) return answer;
  const worth = await worths(judge, answer);
  answer.value = worth(null);
  const whole = moves.total(moves.start);
  for (const { chooser, outcomes } of answer.throws) {
    for (const each of outcomes) each.value = worth(each.position);
    const all = outcomes.map((each) => each.value);
    const best = chooser === "dark" ? Math.min(...all) : Math.max(...all);
    for (const each of outcomes) {
      each.loss = Math.abs(best - each.value);
      each.mark = markOf(whole, each.loss, outcomes.length);
    }
    outcomes.sort((one, two) => one.loss - two.loss);
  }
  return answer;
}

/** The value to light of where a game begins, or of another round. */
async function worths({ moves, values, opening }, { throws }) {
  const { share } = moves.data.opening;
  const whole = moves.total(moves.start);
  const isGiven = moves.about.opening_throw !== null;
  const texts = new Set(throws.flatMap(({ outcomes }) => outcomes.map((each) => each.position)));
  texts.delete(null);
  const begun = [...texts].map((text) => ({ text, ...moves.encode(text) }));
  const found = isGiven ? begun.map(() => opening)
    : (await values.figures(begun.map(({ row }) => row))).values;
  const known = new Map(begun.map(({ text, side }, k) => [text, side === "L" ? found[k] : whole - found[k]]));
  const first = isGiven ? opening : whole / 2;
  const another = share * first + (1 - share) * (whole - first);
  return (text) => (text === null ? another : known.get(text));
}

/** Where a game begins after the rounds of a record; a round is written as its outcome is. */
export function openedBy(moves, text) {
  let marker = null;
  for (const [k, words] of text.split(",").map((each) => each.trim()).entries()) {
    const outcomes = roundOf(moves, marker).throws.flatMap((thrown) => thrown.outcomes);
    const found = outcomes.find((each) => each.round === words);
    if (!found) throw new Refusal(["refused.round", { round: k + 1, words, such: outcomes[0].round }]);
    if (found.position) return found.position;
    marker = found.marker;
  }
  throw new Refusal(["refused.rounds"]);
}
