// Is it the dice? Counts of throws against those of fair dice (ur_solver/audit/dice_test.py).

import { drawnFrom } from "../common.js";
import { number, say } from "../speech.js";

const SERIES = 50_000;
/** The most throws of a side for which fair series are played; for more the limit is as good. */
const MOST_PLAYED = 200;

const RARE = 0.05;
const VERY_RARE = 0.001;
const FOUND_MOSTLY = 2.24 + 0.84;

const SIDES = ["light", "dark", "both"];

/**
 * Counts of throws by side, compared with those of fair dice.
 * @param {{moves: import("./moves.js").Moves}} judge
 * @param {{light: Record<string, number>, dark: Record<string, number>}} thrown
 */
export function diceAnswer({ moves }, { light, dark }) {
  const { dice } = moves.about;
  const counts = [light, dark].map((side) => dice.map((face) => side[face.throw] ?? 0));
  counts.push(counts[0].map((count, k) => count + counts[1][k]));
  const found = shares(dice, counts);
  return Object.fromEntries(SIDES.map((side, k) => [side, answer(dice, counts[k], found[k])]));
}

const sumOf = (list, of) => list.reduce((sum, each, k) => sum + of(each, k), 0);
const meanOf = (dice) => sumOf(dice, (face) => face.throw * face.probability);
const varianceOf = (dice) => sumOf(dice, (face) => (face.throw - meanOf(dice)) ** 2 * face.probability);
const total = (counts) => sumOf(counts, (count) => count);

function answer(dice, counts, [chance, meanChance]) {
  const n = total(counts);
  const ifAny = (value) => (n ? value : null);
  const error = Math.sqrt(varianceOf(dice) / n);
  const share = 2 * Math.min(chance, meanChance);
  const verdict = share < VERY_RARE ? "very rare" : share < RARE ? "rare" : "usual";
  const found = {
    throws: n,
    counts: dice.map(({ throw: thrown, probability }, k) => ({
      throw: thrown, count: counts[k], expected: n * probability, probability,
    })),
    mean: ifAny(sumOf(dice, (face, k) => face.throw * counts[k]) / n),
    fair_mean: meanOf(dice), fair_error: ifAny(1.96 * error),
    chance: ifAny(chance), mean_chance: ifAny(meanChance), shift: ifAny(FOUND_MOSTLY * error),
    verdict: ifAny(verdict) ?? "nothing",
  };
  return { ...found, text: textOf(found) };
}

/** How far counts are from what is expected, and their sum. */
function distances(dice, counts, n) {
  let [squares, sum] = [0, 0];
  for (let k = 0; k < dice.length; k++) {
    const off = counts[k] - n * dice[k].probability;
    squares += off * off / dice[k].probability;
    sum += off * dice[k].throw;
  }
  return [squares, Math.abs(sum)];
}

/** The shares of fair series as long as these whose counts, and whose mean, are as far off. */
function shares(dice, counts) {
  const n = counts.map(total);
  const own = counts.map((each, k) => distances(dice, each, n[k]));
  const isPlayed = n.map((each) => each <= MOST_PLAYED);
  isPlayed[2] = isPlayed[0] && isPlayed[1];
  // the counts themselves are one of the series; rounding must not separate equal distances
  const least = own.map((each) => each.map((distance) => distance * (1 - 1e-9)));
  const hits = own.map(() => [1, 1]);
  const random = drawnFrom(1);
  let sum = 0;
  const up = dice.map(({ probability }) => (sum += probability));
  up[up.length - 1] = 1;
  const series = counts.map((each) => each.slice());
  for (let number = 0; number < SERIES; number++) {
    for (const side of [0, 1]) {
      series[side].fill(0);
      if (!isPlayed[side]) continue;
      for (let k = 0; k < n[side]; k++) {
        const chance = random();
        let face = 0;
        while (chance >= up[face]) face++;
        series[side][face]++;
      }
    }
    for (let face = 0; face < up.length; face++) series[2][face] = series[0][face] + series[1][face];
    series.forEach((each, k) => {
      if (!isPlayed[k]) return;
      const [squares, off] = distances(dice, each, n[k]);
      if (squares >= least[k][0]) hits[k][0]++;
      if (off >= least[k][1]) hits[k][1]++;
    });
  }
  return hits.map((each, k) => (isPlayed[k] ? each.map((count) => count / (SERIES + 1))
    : inTheLimit(dice, n[k], own[k])));
}

/** The same of very many throws: the chi-square distribution, and the normal one. */
function inTheLimit(dice, n, [squares, sum]) {
  // sums are whole numbers, each of which stands for what is within a half
  const off = Math.max(0, sum - 0.5);
  return [above((dice.length - 1) / 2, squares / n / 2), above(1 / 2, off * off / n / varianceOf(dice) / 2)];
}

/** The chance that a gamma variable of a shape, a multiple of a half, is above x. */
function above(shape, x) {
  if (x > 700) return 0;
  let gamma = shape % 1 ? Math.sqrt(Math.PI) : 1;
  for (let k = shape % 1 || 1; k <= shape; k++) gamma *= k;
  let term = x ** shape * Math.exp(-x) / gamma;
  let below = 0;
  for (let k = shape + 1; term > below * 1e-16; k++) {
    below += term;
    term *= x / k;
  }
  return Math.max(0, 1 - below);
}

function textOf({ throws, chance, mean_chance: meanChance, verdict, shift }) {
  if (verdict === "nothing") return say("fair.nothing");
  return say("fair.verdict", {
    throws, counts: oddsOf(chance), mean: oddsOf(meanChance), verdict, shift: number(shift, 2),
  });
}

function oddsOf(share) {
  const total = [100, 1000, 10_000].find((each) => share * each >= 1);
  return total ? say("fair.odds", { value: Math.round(share * total), total }) : say("fair.fewer", { total: 10_000 });
}
