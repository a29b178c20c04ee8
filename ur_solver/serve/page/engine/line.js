// Games played turn by turn, and judged (ur_solver/serve/judged.py).

import { pliesOf, sumOf } from "../plies.js";
import { Refusal } from "../refusal.js";
import { errorOf } from "../words.js";
import { NAMES } from "./notation.js";
import { Unfolded } from "./position.js";

const MOST_TURNS = 2000;

/**
 * @typedef {{moves: import("./moves.js").Moves, values: import("./position.js").Values | null,
 *   opening: number | null}} Judge
 *   `opening` is the value of the start after the first throw, where the rules give it
 */

/**
 * Turns played from a position, as POST /tables/{table}/line.
 * @param {Judge} judge @param {string} start @param {[string | null, number[], string | null][]} turns
 */
export async function lineAnswer(judge, start, turns) {
  const { moves, values } = judge;
  if (turns.length > MOST_TURNS) throw new Refusal(`${turns.length} turns; at most ${MOST_TURNS.toLocaleString("en")} at once`);
  const begin = moves.encode(start);
  const first = moves.notation(begin.row, begin.side);
  const plies = [];
  let position = first;
  for (const [number, [choice, throws, move]] of turns.entries()) {
    try {
      position = await play(judge, position, { choice, throws, move }, plies, number === 0);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(`turn ${number + 1}: ${error.message}`);
    }
  }
  const answer = { plies, position, start: first };
  if (!values) return answer;
  // no moves get values but those of an opening throw that is given
  const given = givenIn(moves, begin.row);
  const from = new Unfolded(moves, values, first, null, given === null ? [] : [given]);
  const to = new Unfolded(moves, values, position, null, []);
  const [unfolded] = await Promise.all([from.answer(), to.ask()]);
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

/** A side's choices, the best among them, loss and luck; fines paid. */
function sideOf(plies) {
  const choices = plies.filter((ply) => ply.options > 1 && ply.move !== null);
  return {
    choices: choices.length,
    best: choices.filter((ply) => ply.best === ply.move).length,
    loss: sumOf(choices, "loss"), luck: sumOf(plies, "luck"), cost: sumOf(plies, "cost"),
  };
}

/** Play a turn, add its plies, and give the position after it. */
async function play(judge, text, turn, plies, isFirst) {
  const { moves, values } = judge;
  const unfolded = new Unfolded(moves, values, text, null, turn.throws);
  if (unfolded.winner) throw new Refusal(`the game was over: ${NAMES[unfolded.winner]} had won`);
  const answer = await unfolded.answer();
  const given = isFirst ? givenIn(moves, unfolded.row) : null;
  const thrown = thrownIn(moves, answer, turn, given);
  const taken = thrown.moves.find((move) => move.move === turn.move);
  if (!taken && (thrown.moves.length || turn.move !== null)) {
    const legal = thrown.moves.map((move) => move.move).sort().join(", ") || "none, the turn passes";
    throw new Refusal(`move ${turn.move === null ? "None" : `'${turn.move}'`} is not legal here; legal: ${legal}`);
  }
  const before = given === null ? answer : thrown;
  const judged = values && {
    before: before.value, error: errorOf(before), total: unfolded.total, isExact: values.isExact,
  };
  const found = pliesOf(answer, thrown, turn, taken, judged);
  plies.push(...found);
  return found.at(-1).position_after;
}

/** The throw of a turn in its unfolded position. */
function thrownIn(moves, answer, { choice, throws }, given) {
  const rolls = answer.throws.filter((each) => (each.choice ?? null) === choice);
  if (!rolls.length) {
    const names = [...new Set(answer.throws.map((each) => each.choice ?? "nothing"))].sort();
    throw new Refusal(`'${choice}' is not a choice here; expected ${names.join(" or ")}`);
  }
  if (given !== null && String(throws) !== String(given)) {
    throw new Refusal(`the opening throw of ${moves.about.name} is always ${given}`);
  }
  const found = rolls.find((each) => String(each.throw) === String(throws));
  if (found) return found;
  const possible = rolls.map((each) => [each.throw].flat().join(" ")).join(", ");
  throw new Refusal(`throw '${throws.join(" ")}' is not possible here; expected one of ${possible}`);
}
