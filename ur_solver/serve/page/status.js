// The line below the board while values are shown: what happened, and what is to be done.

import { capitalised, counted, errorOf, moveWords, throwsOf } from "./words.js";

/** What the opening is worth, where it is another than a free first throw. */
function openingWords(session) {
  const { about, answer, at: node, root, units } = session;
  const isStart = node === root && answer.position === about.start;
  const isKnown = session.showsValues && session.source.hasValues && about.opening_value !== undefined;
  if (!isStart || !isKnown || about.opening_value === answer.value) return "";
  return `The first player wins ${units.value(about.opening_value)}, with a free first throw ${units.value(answer.value)}. `;
}

/** The turn before, what was thrown, and the chosen move with its value, for whoever analyses. */
export function statusWords(session) {
  const { answer, at: node } = session;
  const last = node.plies.at(-1);
  const before = last ? `${capitalised(last.side)} threw ${throwsOf(last).join(" and ")}: ${last.move ? moveWords(last.move) : "no move"}. ` : "";
  if (answer.winner) return `${before}${capitalised(answer.winner)} has won.`;
  if (answer.is_draw) return `${before}A draw: nobody can ever move again.`;
  const side = capitalised(answer.side);
  if (session.mustChoose) return `${before}${side} chooses what to throw for.`;
  if (!session.entry) return `${before}${openingWords(session)}${side} to throw.`;
  const thrown = throwsOf(session.entry).join(" and ");
  const move = session.moves[session.chosen];
  if (!move) return `${before}${side} has thrown ${thrown}: no move, the turn passes.`;
  const worth = session.showsValues && session.source.hasValues ? `, ${session.units.value(move.value, errorOf(move))}` : "";
  return `${before}${side} has thrown ${thrown}; ${session.chosen + 1} of ${counted(session.moves.length, "move")}: ${moveWords(move.move)} (${move.move})${worth}.`;
}
