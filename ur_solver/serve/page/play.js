// Playing: whose turn it is and what to do, the dice, hints, and what the program does by itself.

import { options, picked } from "./common.js";
import { drawn, showDice } from "./dice.js";
import { at, make } from "./dom.js";
import { isBeingRead, wanted } from "./guide.js";
import { lossErrorOf, sideOf, verdictOf } from "./tree.js";
import { say } from "./speech.js";
import { choiceWord, errorOf, moveWords, sideWord, thrownWords, throwsOf } from "./words.js";

/** How many milliseconds what the program has thrown stays to be seen, by how fast it is to play. */
const PAUSES = { slow: 2500, easy: 1200, fast: 0 };

/** Who plays a side, for texts: `you`, `computer`, the side, or `name` with the name. */
export function personOf(session, side) {
  const name = session.names[side];
  if (name) return { who: "name", name };
  if (session.players[side] !== "human") return { who: "computer" };
  return { who: session.ownSide === side ? "you" : side };
}

/** Who plays a side, in words. */
export const whoIs = (session, side) => say("who", personOf(session, side));

/** Both sides with who plays them. */
export function owners(session) {
  return Object.fromEntries(["light", "dark"].map((side) => {
    const person = personOf(session, side);
    return [side, person.who === side ? sideWord(side) : say("who.side", { who: say("who", person), side: sideWord(side) })];
  }));
}

const turnOf = (session, side) => say("play.turn", personOf(session, side));

/** Who threw what. */
export const fellWords = (session, side, throws) =>
  say("play.fell", { ...personOf(session, side), throws: thrownWords(throws) });

/** What is to be done, and by whom, in a few words. */
export function headline(session) {
  const { answer } = session;
  const { side } = answer;
  if (answer.winner) return say("play.won", personOf(session, answer.winner));
  if (answer.is_draw) return say("play.draw");
  const isHuman = session.players[side] === "human";
  if (!isHuman && !session.at.next) return say("play.playing", personOf(session, side));
  const turn = turnOf(session, side);
  if (session.mustChoose) return say("play.choose", { turn, choices: session.choices.map(choiceWord) });
  if (!session.entry) return say("play.to-throw", { turn });
  const thrown = throwsOf(session.entry);
  const steps = session.about.dice.find((die) => die.throw === thrown.at(-1)).steps;
  const short = fellWords(session, side, thrown);
  const fell = steps && steps !== thrown.at(-1) ? say("play.fell.steps", { fell: short, steps }) : short;
  return session.mustPass ? say("play.fell.pass", { fell }) : isHuman ? say("play.fell.move", { fell }) : fell;
}

/** Help for the first turn of a game. */
export function firstWords(session) {
  if (!session.isOwnTurn || session.isOver || session.mustPass) return "";
  const { side } = session.answer;
  const who = personOf(session, side).who === "you" ? "you" : side;
  return session.entry ? say("play.first.press") : say("play.first.path", { who });
}

/** Which throws would move a piece, where the one that fell moves none. */
function passWords({ mustPass, isOwnTurn, throws }) {
  if (!mustPass || !isOwnTurn) return "";
  const able = [...new Set(throws.filter((each) => each.moves.length).map((each) => throwsOf(each)[0]))];
  return able.length ? say("play.pass.able", { able }) : say("play.pass.none");
}

/** Sentences one after the other; some may be empty. */
export const together = (...sentences) => sentences.filter(Boolean).join(" ");

/** What happened in the turn that led here, and why nothing can move. */
export function lastWords(session) {
  return together(turnWords(session), passWords(session));
}

function turnWords(session) {
  const last = session.at.plies.at(-1);
  if (!last) return session.isPlayed ? firstWords(session) : openingWords(session);
  const fell = fellWords(session, last.side, throwsOf(last));
  if (!last.move) return say("play.last.pass", { fell });
  const isAgain = !session.isOver && session.answer.side === last.side;
  return together(say("play.last.move", { fell, move: moveWords(last.move) }),
    isAgain && say("play.last.again", personOf(session, last.side)));
}

/** What the opening is worth, where it is another than a free first throw. */
function openingWords({ about, answer, entry, source, units }) {
  const isKnown = !entry && source.hasValues && answer.position === about.start && about.opening_value !== undefined;
  if (!isKnown || about.opening_value === answer.value) return "";
  return say("play.opening", { value: units.value(about.opening_value), free: units.value(answer.value) });
}

/** The chosen move, with its value for whoever analyses. */
export function chosenWords({ isPlayed, offered, chosen, source, units }) {
  const move = offered[chosen];
  if (!move) return "";
  const given = { at: chosen + 1, count: offered.length, move: moveWords(move.move), notation: move.move };
  if (isPlayed || !source.hasValues) return say("play.chosen", given);
  return say("play.chosen.value", { ...given, value: units.value(move.value, errorOf(move)) });
}

/** The turn that led here, and what is to be done, for whoever analyses. */
export function statusWords(session) {
  const { answer, entry } = session;
  const before = turnWords(session);
  return together(before, ...nowWords(session, answer, entry));
}

function nowWords(session, { winner, is_draw: isDraw, side }, entry) {
  if (winner) return [say("play.won", { who: winner })];
  if (isDraw) return [say("play.draw")];
  if (session.mustChoose) return [say("status.chooses", { side })];
  if (!entry) return [say("status.to-throw", { side })];
  const given = { side, throws: thrownWords(throwsOf(entry)) };
  return session.mustPass ? [say("status.passes", given)] : [say("status.thrown", given), chosenWords(session)];
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
  const given = { move: moveWords(best.move), value: session.units.value(best.value, errorOf(best)) };
  return close ? say("play.hint.close", { ...given, close }) : say("play.hint", given);
}

let shownAt = null;
let shownThrow = "";

/** The headline, the dice and the button that throws them. */
export function showPlay(session) {
  const { answer } = session;
  at("headline").replaceChildren(
    make("span", { class: `swatch ${answer.winner ?? answer.side}`, title: sideWord(answer.winner ?? answer.side) }),
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

function wordsOf(session, ply) {
  const { units } = session;
  const { side, throw: thrown, move, best, mark, loss, loss_error: error } = ply;
  const isBeforeThrow = thrown === null;
  const named = (each) => (isBeforeThrow ? choiceWord(each) : moveWords(each));
  const given = { ...personOf(session, side), move: named(move), best: named(best) };
  const what = say(isBeforeThrow ? "verdict.choice" : "verdict.move", given);
  if (ply.verdict === "best") return loss > 1e-9 ? say("verdict.as-good", { what }) : say("verdict.the-best", { what });
  if (ply.verdict === "close") return say("verdict.may-be-better", { what, best: given.best });
  return say("verdict.worse", { what, mark: mark ?? "none", cost: units.cost(loss, error), best: given.best });
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
  const counts = { ...personOf(session, side), best, choices, close, worse };
  const costs = { all, sure: units.amount(sure, error), dice: units.amount(Math.abs(luck), error), how: luck < 0 ? "took" : "brought" };
  return together(isExact ? say("verdict.game", counts) : say("verdict.game.estimated", counts),
    isExact ? say("verdict.costs", costs) : say("verdict.costs.estimated", costs));
}

/** How moves and dice led to the result, in the words of `ur audit`. */
function accountWords({ account: { start, terms, end, error }, units }) {
  const said = terms.map(({ side, what, value }) => say("account.sum", { term: say("account.term", { side, what }), value: units.sum(value, error) }));
  const given = { start: units.amount(start.value, error, start.error), terms: said.join(", "), end: units.amount(end.value, error) };
  return units.isMoney ? say("account.money", given) : together(say("account.chance", given), say("account.point"));
}

export function showVerdict(session) {
  const choice = showsChances(session) ? lastChoice(session) : null;
  const isEnd = session.isOver && session.isPlayed && session.source.hasValues && session.at.parent;
  const people = isEnd ? ["light", "dark"].filter((side) => session.players[side] === "human") : [];
  const words = isEnd ? together(...people.map((side) => gameWords(session, side)), accountWords(session))
    : choice ? wordsOf(session, choice) : "";
  if (at("verdict").textContent !== words) at("verdict").textContent = words;
}
