// How good the last move was, for somebody who plays and wants to know.

import { at } from "./dom.js";
import { options } from "./options.js";
import { whoIs } from "./play.js";
import { isTie, sumOf } from "./plies.js";
import { capitalised, counted, moveWords } from "./words.js";

/** Whether chances are shown to somebody who plays. */
export const showsChances = (session) => session.isPlayed && options.chances && session.source.hasValues;

/** The last choice of a person on the way to where the game stands, as it was judged. */
function lastChoice({ at: node, players }) {
  for (const { plies } of node.path.reverse()) {
    const own = plies.filter((ply) => ply.options > 1 && players[ply.side] === "human");
    if (own.length) return own.reduce((one, two) => (two.loss > one.loss ? two : one));
  }
  return null;
}

/** Whether a choice was the best, as far as its values can tell. */
export const isBest = (session, ply) => isTie(session.total(ply.position), ply.loss, ply.loss_error);

const whose = (who) => (who === "you" ? "your" : `${who}’s`);

function wordsOf(session, ply) {
  const { side, throw: thrown, move, best, mark, loss } = ply;
  const isBeforeThrow = thrown === null;
  const named = (each) => (isBeforeThrow ? `“${each}”` : moveWords(each));
  const what = `${capitalised(whose(whoIs(session, side)))} ${isBeforeThrow ? "choice" : "last move"} (${named(move)}) was`;
  if (isBest(session, ply)) return `${what} ${loss > 1e-9 ? "as good as the best" : "the best"}.`;
  if (!mark) return `${what} nearly the best.`;
  const cost = session.units.isMoney ? loss.toFixed(2) : `${Math.max(1, Math.round(100 * loss))} % of chance`;
  return `${what} ${/^[aeiou]/.test(mark) ? "an" : "a"} ${mark} and cost ${cost}. Better: ${named(best)}.`;
}

/** A whole game of a person: how many choices were the best, and what moves and dice came to. */
function gameWords(session, side) {
  const plies = session.at.path.flatMap((node) => node.plies).filter((ply) => ply.side === side);
  const choices = plies.filter((ply) => ply.options > 1);
  const { isMoney } = session.units;
  const amount = (value) => `${Math.abs(isMoney ? value : 100 * value).toFixed(isMoney ? 1 : 0)}${isMoney ? "" : " %"}`;
  const others = choices.filter((ply) => !isBest(session, ply));
  if (!choices.length) return "";
  const luck = sumOf(plies, "luck");
  const best = `${choices.length - others.length} of ${whose(whoIs(session, side))} ${counted(choices.length, "choice")} were the best`;
  const doubt = session.about.exact === false ? ", as far as estimates tell" : "";
  return `${best}${doubt}; the others cost ${amount(sumOf(others, "loss"))}`
    + `${isMoney ? "" : " of chance"} in all, and the dice ${luck < 0 ? "took" : "brought"} ${amount(luck)}.`;
}

export function showVerdict(session) {
  const choice = showsChances(session) ? lastChoice(session) : null;
  const isEnd = session.isOver && session.isPlayed && session.source.hasValues && session.at.parent;
  const people = isEnd ? ["light", "dark"].filter((side) => session.players[side] === "human") : [];
  const words = isEnd ? people.map((side) => gameWords(session, side)).filter(Boolean).join(" ")
    : choice ? wordsOf(session, choice) : "";
  at("verdict").hidden = !words;
  if (at("verdict").textContent !== words) at("verdict").textContent = words;
}
