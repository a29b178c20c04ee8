// Learn by playing: a game by Finkel's rules in which each new thing is said once, when it has happened.
//
// What has happened is read off the turns, so a reload or a turn taken back needs nothing else. It is a game
// as any other but for its dice, which are not fair: while there is something to learn, throws that can bring it
// are preferred, and of the computer's moves those that capture first or bring nothing new. So nothing counts
// or keeps such a game, and its last line says what the dice were.

import { at, make } from "./dom.js";
import { say } from "./speech.js";

/** The rules of the game, which needs no values. */
export const GUIDED = { name: "finkel", pieces: 3 };

/** What a turn can bring, in the order in which it is wanted. */
const WANTED = ["enter", "move", "again", "shared", "capture", "captured", "safe", "pass", "off"];

/** What a turn of a side brings; a pass is no move. */
function broughtBy({ about: { paths }, ownSide }, side, move) {
  if (!move) return ["pass"];
  const square = /(\w\d)x?\*?$/.exec(move)?.[1];
  const isShared = paths.light.includes(square) && paths.dark.includes(square);
  const isAgain = move.endsWith("*");
  const brought = {
    enter: move.includes("@"), off: move.includes("+"), again: isAgain, shared: isShared,
    safe: isShared && isAgain, [side === ownSide ? "capture" : "captured"]: move.includes("x"),
  };
  brought.move = !brought.enter && !brought.off;
  return WANTED.filter((thing) => brought[thing]);
}

/** What each turn that led here has brought. */
const broughtHere = (session) => session.at.path.slice(1)
  .map((node) => broughtBy(session, node.plies.at(-1).side, node.turn.move));

const isGuiding = (session) => session.isGuided && session.isPlayed;

/** What is new here, by the keys of its lines. */
export function news(session) {
  if (!isGuiding(session)) return [];
  const turns = broughtHere(session);
  if (!turns.length) return ["throw"];
  const before = new Set(turns.slice(0, -1).flat());
  const end = session.isOver ? [session.answer.winner === session.ownSide ? "won" : "lost", "end"] : [];
  return [...turns.at(-1).filter((thing) => !before.has(thing)), ...end];
}

/** How little a move is wanted: of one's own the first of what is new, alone if that may be. */
function distance(session, known, move) {
  const { side } = session.answer;
  const fresh = broughtBy(session, side, move).filter((thing) => !known.has(thing));
  if (side !== session.ownSide) return fresh.includes("captured") ? 0 : 1 + Math.min(1, fresh.length);
  return fresh.length ? WANTED.indexOf(fresh[0]) + fresh.length / 10 : WANTED.length;
}

/** Those of some throws, or moves, that are wanted most; all of them where nobody learns. */
export function wanted(session, options) {
  if (!isGuiding(session)) return options;
  const known = new Set(broughtHere(session).flat());
  const texts = ({ move, moves }) => (moves?.length ? moves.map((each) => each.move) : [move]);
  const far = options.map((each) => Math.min(...texts(each).map((move) => distance(session, known, move))));
  return options.filter((_, k) => far[k] === Math.min(...far));
}

/** The place whose lines have been read. */
let read = null;

/** Whether there are lines to be read before the computer goes on. */
export const isBeingRead = (session) => read !== session.at && !session.isOver && !session.at.next
  && !session.isOwnTurn && news(session).length > 0;

export function goOn(session) {
  read = session.at;
  return session.changed();
}

/** Say what is new, which stays until the next turn. */
export function showGuide(session) {
  const isOn = isGuiding(session);
  document.body.classList.toggle("guided", isOn);
  at("leave").hidden = !isOn || session.isOver;
  at("go-on").hidden = !isBeingRead(session);
  const lines = news(session);
  if (at("lesson").dataset.shown === String(lines)) return;
  at("lesson").dataset.shown = String(lines);
  at("lesson").replaceChildren(...lines.map((line) => make("span", {}, say(`guide.${line}`))));
}
