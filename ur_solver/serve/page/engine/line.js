// Games played turn by turn, and judged (ur_solver/serve/judged.py).

import { pliesOf } from "../plies.js";
import { Refusal } from "../refusal.js";
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
  const [from, to] = [new Unfolded(moves, values, first), new Unfolded(moves, values, position)];
  await Promise.all([from.ask(), to.ask()]);
  answer.start_value = toLight(from, openingOf(judge, begin.row) ?? from.value);
  Object.assign(answer, from.exactness(from.margins[0]));
  answer.end_value = toLight(to, to.value);
  for (const side of ["light", "dark"]) answer[side] = sumOf(plies.filter((ply) => ply.side === side));
  return answer;
}

const isStart = (moves, row) => String(row) === String(moves.start);

function openingOf({ moves, values, opening }, row) {
  return values && moves.about.opening_throw !== null && isStart(moves, row) ? opening : null;
}

function toLight({ side, total }, value) {
  return side === "L" ? value : total - value;
}

/** A side's choices, the best among them, loss and luck; fines paid. */
function sumOf(plies) {
  const choices = plies.filter((ply) => ply.options > 1 && ply.move !== null);
  const sum = (those, key) => those.reduce((total, ply) => total + ply[key], 0);
  return {
    choices: choices.length,
    best: choices.filter((ply) => ply.best === ply.move).length,
    loss: sum(choices, "loss"), luck: sum(plies, "luck"), cost: sum(plies, "cost"),
  };
}

/** Play a turn, add its plies, and give the position after it. */
async function play(judge, text, turn, plies, isFirst) {
  const { moves, values } = judge;
  const unfolded = new Unfolded(moves, values, text, null, turn.throws);
  if (unfolded.winner) throw new Refusal(`the game was over: ${NAMES[unfolded.winner]} had won`);
  const answer = await unfolded.answer();
  const thrown = thrownIn(moves, answer, unfolded.row, turn, isFirst);
  const taken = thrown.moves.find((move) => move.move === turn.move);
  if (!taken && (thrown.moves.length || turn.move !== null)) {
    const legal = thrown.moves.map((move) => move.move).join(", ") || "none, the turn passes";
    throw new Refusal(`move ${turn.move === null ? "None" : `'${turn.move}'`} is not legal here; legal: ${legal}`);
  }
  const judged = values && {
    before: (isFirst ? openingOf(judge, unfolded.row) : null) ?? answer.value, error: unfolded.margins[0],
    total: unfolded.total, isExact: values.isExact,
  };
  const found = pliesOf(answer, thrown, turn, taken, judged);
  plies.push(...found);
  return found.at(-1).position_after;
}

/** The throw of a turn in its unfolded position. */
function thrownIn(moves, answer, row, { choice, throws }, isFirst) {
  const rolls = answer.throws.filter((each) => (each.choice ?? null) === choice);
  if (!rolls.length) {
    const names = [...new Set(answer.throws.map((each) => each.choice ?? "nothing"))].sort();
    throw new Refusal(`'${choice}' is not a choice here; expected ${names.join(" or ")}`);
  }
  const opening = moves.about.opening_throw;
  if (isFirst && opening !== null && isStart(moves, row) && String(throws) !== String(opening)) {
    throw new Refusal(`the opening throw of ${moves.about.name} is always ${opening}`);
  }
  const found = rolls.find((each) => String(each.throw) === String(throws));
  if (found) return found;
  const possible = rolls.map((each) => [each.throw].flat().join(" ")).join(", ");
  throw new Refusal(`throw '${throws.join(" ")}' is not possible here; expected one of ${possible}`);
}
