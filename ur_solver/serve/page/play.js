// Playing: whose turn it is and what to do, the dice, hints, and what the program does by itself.

import { options, picked } from "./common.js";
import { drawn, showDice } from "./dice.js";
import { at, make } from "./dom.js";
import { isBeingRead, wanted } from "./guide.js";
import { lossErrorOf, sideOf, verdictOf } from "./tree.js";
import { VERDICTS, capitalised, counted, errorOf, moveWords, throwsOf } from "./words.js";

/** How many milliseconds what the program has thrown stays to be seen, by how fast it is to play. */
const PAUSES = { slow: 2500, easy: 1200, fast: 0 };

/** Who plays a side, in words: a name, `you`, `the computer`, or the side. */
export function whoIs(session, side) {
  if (session.names[side]) return session.names[side];
  if (session.players[side] !== "human") return "the computer";
  return session.ownSide === side ? "you" : side;
}

/** Both sides with who plays them. */
export function owners(session) {
  return Object.fromEntries(["light", "dark"].map((side) => {
    const who = whoIs(session, side);
    return [side, who === side ? side : `${who} (${side})`];
  }));
}

function turnOf(session, side) {
  const who = whoIs(session, side);
  return who === "you" ? "Your turn" : `${capitalised(who)}’s turn`;
}

/** What is to be done, and by whom, in a few words. */
export function headline(session) {
  const { answer } = session;
  const { side } = answer;
  if (answer.winner) {
    const who = whoIs(session, answer.winner);
    return who === "you" ? "You have won!" : `${capitalised(who)} has won.`;
  }
  if (answer.is_draw) return "A draw: nobody can ever move again.";
  const who = capitalised(whoIs(session, side));
  const isHuman = session.players[side] === "human";
  if (!isHuman && !session.at.next) return `${who} plays …`;
  if (session.mustChoose) return `${turnOf(session, side)}: throw to ${session.choices.join(" or to ")}?`;
  if (!session.entry) return `${turnOf(session, side)}: throw the dice`;
  const thrown = throwsOf(session.entry);
  const steps = session.about.dice.find((die) => die.throw === thrown.at(-1)).steps;
  const far = steps && steps !== thrown.at(-1) ? ` (${steps} squares)` : "";
  const what = session.mustPass ? ": no move, the turn passes" : isHuman ? ": move a piece" : "";
  return `${who} threw ${thrown.join(" and ")}${far}${what}`;
}

/** Help for the first turn of a game. */
export function firstWords(session) {
  if (!session.isOwnTurn || session.isOver || session.mustPass) return "";
  return session.entry ? "Press a blue frame: the piece in it goes to a dashed frame. "
    : `${whoIs(session, session.answer.side) === "you" ? "Your" : `${capitalised(session.answer.side)}’s`} pieces enter where the line begins, and have finished at its end. `;
}

/** Which throws would move a piece, where the one that fell moves none. */
function passWords({ mustPass, isOwnTurn, throws }) {
  if (!mustPass || !isOwnTurn) return "";
  const able = [...new Set(throws.filter((each) => each.moves.length).map((each) => throwsOf(each)[0]))];
  if (!able.length) return "No throw moves a piece here. ";
  const last = able.pop();
  return `Here only a throw of ${able.length ? `${able.join(", ")} or ` : ""}${last} moves a piece. `;
}

/** What happened in the turn that led here, and why nothing can move. */
export function lastWords(session) {
  return turnWords(session) + passWords(session);
}

function turnWords(session) {
  const last = session.at.plies.at(-1);
  if (!last) return session.isPlayed ? firstWords(session) : openingWords(session);
  const who = capitalised(whoIs(session, last.side));
  const thrown = `${who} threw ${throwsOf(last).join(" and ")}`;
  if (!last.move) return `${thrown}: no move. `;
  const isAgain = !session.isOver && session.answer.side === last.side;
  const again = !isAgain ? "" : who === "You" ? "You throw again. " : `${who} throws again. `;
  return `${thrown}: ${moveWords(last.move)}. ${again}`;
}

/** What the opening is worth, where it is another than a free first throw. */
function openingWords({ about, answer, entry, source, units }) {
  const isKnown = !entry && source.hasValues && answer.position === about.start && about.opening_value !== undefined;
  if (!isKnown || about.opening_value === answer.value) return "";
  return `The first player wins ${units.value(about.opening_value)}, with a free first throw ${units.value(answer.value)}. `;
}

/** The chosen move, with its value for whoever analyses. */
export function chosenWords({ isPlayed, offered, chosen, source, units }) {
  const move = offered[chosen];
  if (!move) return "";
  const worth = isPlayed || !source.hasValues ? "" : `, ${units.value(move.value, errorOf(move))}`;
  return `${chosen + 1} of ${counted(offered.length, "move")}: ${moveWords(move.move)} (${move.move})${worth}.`;
}

/** The turn that led here, and what is to be done, for whoever analyses. */
export function statusWords(session) {
  const { answer, entry } = session;
  const before = turnWords(session);
  if (answer.winner) return `${before}${capitalised(answer.winner)} has won.`;
  if (answer.is_draw) return `${before}A draw: nobody can ever move again.`;
  const side = capitalised(answer.side);
  if (session.mustChoose) return `${before}${side} chooses what to throw for.`;
  if (!entry) return `${before}${side} to throw.`;
  const thrown = `${before}${side} has thrown ${throwsOf(entry).join(" and ")}`;
  return session.mustPass ? `${thrown}: no move, the turn passes.` : `${thrown}; ${chosenWords(session)}`;
}

/** The dice of the turn that led here, as they lay. */
export function lastDice({ at: { turn }, about }) {
  return turn?.throws.map((thrown) => drawn(about.look, thrown)) ?? [];
}

/** The best move, where somebody has asked for it. */
export function hintWords(session) {
  const { best } = session;
  if (!session.isHinted || !best) return "";
  const close = session.moves.filter((each) =>
    verdictOf(session.answer.total, each.loss, each.loss_error) === "close").length;
  const others = close ? `; ${counted(close, "other move")} ${VERDICTS.close}` : "";
  return `Best: ${moveWords(best.move)}, ${session.units.value(best.value, errorOf(best))}${others}. `;
}

let shownAt = null;
let shownThrow = "";

/** The headline, the dice and the button that throws them. */
export function showPlay(session) {
  const { answer } = session;
  at("headline").replaceChildren(
    make("span", { class: `swatch ${answer.winner ?? answer.side}`, title: answer.winner ?? answer.side }),
    headline(session));
  const throws = session.entry ? throwsOf(session.entry) : [];
  const isFresh = throws.length > 0 && !session.at.next
    && (shownAt !== session.at || shownThrow !== String(throws));
  showDice(session.about.look, throws, isFresh);
  if (isFresh) sound("dice");
  [shownAt, shownThrow] = [session.at, String(throws)];
  at("count").textContent = throws.join(" + ");
  const isOwn = session.players[answer.side] === "human";
  at("throw").setAttribute("aria-disabled", String(!session.mayRoll || !isOwn));
  at("throw").hidden = session.isOver;
  document.body.dataset.won = session.isPlayed && session.players[answer.winner] === "human" ? answer.winner : "";
  at("again").hidden = !session.isOver || session.isGuided;
  at("hint").hidden = !session.isPlayed || session.isOver || !session.source.hasValues;
  at("hint").setAttribute("aria-pressed", String(session.isHinted));
}

/** The sound of the turn that led here. */
export function soundOf(session, moved) {
  if (session.isOver) sound("end");
  else if (!moved) sound("pass");
  else if (moved.capture) sound("capture");
  else sound(session.answer.side === moved.side ? "again" : "move");
}

/** What the program does by itself here: its own turn, or a forced move if that is wished. */
export function nextByItself(session) {
  if (session.isOver || session.editing || session.at.next || isBeingRead(session)) return null;
  const player = session.players[session.answer.side];
  if (player !== "human") return () => programActs(session, player);
  if (!options.forced || !session.isPlayed || !session.entry) return null;
  if (session.mustPass) return () => session.play(null);
  return session.moves.length === 1 ? () => session.play(session.moves[0]) : null;
}

/** How long to wait before that, after a piece has moved for some milliseconds. */
export function pauseBefore(session, moving) {
  const pause = PAUSES[options.pace] ?? PAUSES.easy;
  return pause && (session.entry ? pause : pause / 2) + moving;
}

/** Say, throw or move for the program, which errs more or less. */
function programActs(session, player) {
  const temperature = (session.about.players?.[player] ?? 0) * (session.about.stakes ? session.answer.total : 1);
  const weight = (loss) => (player === "random" ? 1 : temperature ? Math.exp(-loss / temperature) : Number(loss <= 1e-12));
  if (session.mustChoose) {
    const worth = session.answer.choices ?? {};
    const best = Math.max(...session.choices.map((name) => worth[name] ?? 0));
    return session.takeChoice(picked(session.choices, (name) => weight(best - (worth[name] ?? 0))));
  }
  if (!session.entry) return session.roll();
  if (session.mustPass) return session.play(null);
  return session.play(picked(wanted(session, session.entry.moves), (move) => weight(move.loss ?? 0)));
}

// Sounds, made here: dice, a piece that lands, a capture, a rosette, the end of a game.

/** @type {AudioContext | null} */
let context = null;
/** Milliseconds after which a sound that could not be played is not played any more. */
const LATE = 500;

function tone(at, pitch, seconds, loudness = 0.15, kind = "triangle") {
  const source = new OscillatorNode(context, { type: kind, frequency: pitch });
  fading(source, at, seconds, loudness);
}

function knock(at, seconds, loudness) {
  const length = Math.ceil(context.sampleRate * seconds);
  const buffer = new AudioBuffer({ length, sampleRate: context.sampleRate });
  const samples = buffer.getChannelData(0);
  for (let k = 0; k < length; k++) samples[k] = Math.random() * 2 - 1;
  fading(new AudioBufferSourceNode(context, { buffer }), at, seconds, loudness);
}

function fading(source, at, seconds, loudness) {
  const start = context.currentTime + at;
  const gain = new GainNode(context, { gain: loudness });
  gain.gain.setValueAtTime(loudness, start);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + seconds);
  source.connect(gain).connect(context.destination);
  source.start(start);
  source.stop(start + seconds);
}

const SOUNDS = {
  dice: () => [0, 0.07, 0.12, 0.2, 0.3].forEach((at) => knock(at, 0.05, 0.12)),
  move: () => knock(0, 0.06, 0.2),
  capture: () => [0, 0.09].forEach((at, k) => tone(at, [220, 147][k], 0.2)),
  again: () => [0, 0.08].forEach((at, k) => tone(at, [659, 880][k], 0.2, 0.1)),
  pass: () => tone(0, 196, 0.15, 0.1),
  end: () => [523, 659, 784, 1047].forEach((pitch, k) => tone(0.12 * k, pitch, 0.35)),
};

/** Let sounds go on that a phone has suspended, as it does when it is locked; a press allows it. */
async function wake() {
  if (context && context.state !== "running") await context.resume().catch(() => {});
}

for (const press of ["click", "keydown"]) addEventListener(press, wake, { capture: true });

/** Play a sound, if they are on. @param {"dice" | "move" | "capture" | "again" | "pass" | "end"} name */
export function sound(name) {
  // a page that was opened or reloaded is silent until somebody presses something: browsers insist
  if (!options.sound || navigator.userActivation?.hasBeenActive === false) return;
  context ??= new AudioContext();
  const asked = performance.now();
  wake().then(() => {
    if (performance.now() - asked < LATE) SOUNDS[name]();
  });
}

// How good the last move was, for somebody who plays and wants to know.

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

const whose = (who) => (who === "you" ? "your" : `${who}’s`);

function wordsOf(session, ply) {
  const { units } = session;
  const { side, throw: thrown, move, best, mark, loss, loss_error: error } = ply;
  const isBeforeThrow = thrown === null;
  const named = (each) => (isBeforeThrow ? `“${each}”` : moveWords(each));
  const what = `${capitalised(whose(whoIs(session, side)))} ${isBeforeThrow ? "choice" : "last move"} (${named(move)}) was`;
  if (ply.verdict === "best") return `${what} ${loss > 1e-9 ? "as good as the best" : "the best"}.`;
  if (ply.verdict === "close") return `${what} ${VERDICTS.close}: ${named(best)} may be better.`;
  const kind = mark ? `${/^[aeiou]/.test(mark) ? "an" : "a"} ${mark}` : "a little worse than the best";
  return `${what} ${kind} and cost ${units.cost(loss, error)}. Better: ${named(best)}.`;
}

/** A whole game of a person: how many choices were the best, and what moves and dice came to. */
function gameWords(session, side) {
  const { units, about } = session;
  const plies = session.at.path.flatMap((node) => node.plies).filter((ply) => ply.side === side);
  const { choices, best, close, worse, loss, worse_loss: sure, luck } = sideOf(plies);
  if (!choices) return "";
  const isExact = about.exact !== false;
  const error = Math.max(...plies.map(errorOf));
  const all = units.cost(loss, error, lossErrorOf(plies));
  const kinds = isExact ? ` and ${worse} worse` : `, ${close} ${VERDICTS.close} and ${worse} worse for sure`;
  return `${best} of ${whose(whoIs(session, side))} ${counted(choices, "choice")} were the best${kinds}. `
    + `They cost ${all} in all${isExact ? "" : `, ${units.amount(sure, error)} of that for sure`}, `
    + `and the dice ${luck < 0 ? "took" : "brought"} ${units.amount(Math.abs(luck), error)}. `;
}

/** How moves and dice led to the result, in the words of `ur audit`. */
function accountWords({ account: { start, terms, end, error }, units }) {
  const { isMoney } = units;
  const said = terms.map(([name, value]) => `${name} ${units.sum(value, error)}`).join(", ");
  return `Light’s ${isMoney ? "money to come" : "chance"}: ${units.amount(start.value, error, start.error)} at the start, ${said}: `
    + `${units.amount(end.value, error)} at the end.${isMoney ? "" : " A point is one game in a hundred."}`;
}

export function showVerdict(session) {
  const choice = showsChances(session) ? lastChoice(session) : null;
  const isEnd = session.isOver && session.isPlayed && session.source.hasValues && session.at.parent;
  const people = isEnd ? ["light", "dark"].filter((side) => session.players[side] === "human") : [];
  const words = isEnd ? [...people.map((side) => gameWords(session, side)), accountWords(session)].join("")
    : choice ? wordsOf(session, choice) : "";
  if (at("verdict").textContent !== words) at("verdict").textContent = words;
}
