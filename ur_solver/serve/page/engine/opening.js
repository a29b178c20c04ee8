// A round of an opening: what may be thrown and what comes of it is data.

import { Refusal } from "../common.js";
import { boardSvg } from "./drawing.js";
import { parse } from "./notation.js";
import { markOf } from "./position.js";

/** The rounds from light's marker on a square, or from home. */
function roundOf(moves, marker) {
  const { opening } = moves.data;
  const { name, paths } = moves.about;
  if (!opening) throw new Refusal(`the lots of ${name} need no throws`);
  const found = opening.rounds[(marker ?? "").toUpperCase()];
  if (found) return found;
  const known = paths.light.filter((square) => square in opening.rounds).join(", ") || "none, as there are no markers";
  throw new Refusal(`an opening of ${name} cannot continue from '${marker}'; the squares of light's marker are ${known}`);
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
    if (!found) throw new Refusal(`round ${k + 1}: '${words}' is not a round here, such as '${outcomes[0].round}'`);
    if (found.position) return found.position;
    marker = found.marker;
  }
  throw new Refusal("the opening is not over: another round follows");
}
