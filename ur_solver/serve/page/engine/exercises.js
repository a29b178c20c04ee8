// Decisions drawn from play, as GET /tables/{table}/exercises gives them.

import { drawnFrom, picked } from "../random.js";
import { Refusal } from "../refusal.js";
import { other } from "./moves.js";
import { Unfolded } from "./position.js";

const MOST = 50;
const GAMES = { exact: 500, estimated: 300 };
const LONGEST = 2000;

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

function number(asked, name, usual, isRight, expected) {
  const value = Number(asked.get(name) ?? usual);
  if (isRight(value)) return value;
  throw new Refusal(`${name} is '${asked.get(name)}'; expected ${expected}`);
}

/** @param {import("./line.js").Judge} judge @param {URLSearchParams} asked */
export async function exercisesAnswer({ moves, values }, asked) {
  const whole = (most) => (value) => Number.isInteger(value) && value >= 0 && value <= most;
  const seed = number(asked, "seed", 1, whole(2 ** 32 - 1), "a whole number");
  const count = number(asked, "count", 10, whole(MOST), `a whole number from 0 to ${MOST}`);
  const cost = number(asked, "cost", 0.02, (value) => value >= 0 && value < 1, "a share from 0 to 1, such as 0.02");
  const random = drawnFrom(seed);
  const found = new Map();
  const games = values.isExact ? GAMES.exact : GAMES.estimated;
  for (let game = 0; game < games && found.size < count; game++) {
    const asks = decision(moves, random);
    if (!asks) continue;
    const position = moves.notation(asks.row, asks.side);
    const unfolded = new Unfolded(moves, values, position, null, asks.throws);
    const { throws } = await unfolded.answer();
    const entry = throws.find((each) => (each.choice ?? "") === asks.choice && String(each.throw) === String(asks.throws));
    const lost = entry.moves[1].loss / (unfolded.total || 1);
    if (lost < Math.max(cost, 1e-9)) continue;
    found.set(`${position} ${asks.choice} ${asks.throws}`,
      { position, choice: asks.choice || null, throws: asks.throws, cost: lost });
  }
  return { rules: moves.about.word, seed, exercises: [...found.values()] };
}
