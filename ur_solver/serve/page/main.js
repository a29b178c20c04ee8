// The page: wires the session to the board, the panels and the keys.

import { get } from "./api.js";
import { Board } from "./board.js";
import { wireDialogs } from "./dialogs.js";
import { at, make } from "./dom.js";
import { Editor } from "./editor.js";
import { Learning } from "./learning.js";
import { showChances, showGraph, showMoves, showNames, showSummary, showThrows, showTurns } from "./panels.js";
import { Session, picked } from "./session.js";
import { counted, errorOf, throwsOf } from "./words.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const PAUSE = 500;

let fallback = "";
let announced = "";
let timer = 0;
let running = 0;
/** @type {any[]} Moves between two squares that differ in something else: the player is asked. */
let asked = [];
/** A square whose piece has been pressed and may go to several. */
let lifted = null;

const session = new Session(changed);
const board = new Board({
  press: (place) => (session.editing ? editor.press(place) : press(place)),
  drop: (from, to) => (session.editing ? editor.drop(from, to) : drop(from, to)),
});
const editor = new Editor(session, board, { done: leaveEditor, run });
const dialogs = wireDialogs(session, { start, failed });
const learning = new Learning(session, run);

board.canDrag = (place) =>
  (session.editing ? editor.canDrag(place) : session.moves.some((move) => sourceOf(move) === place));

// What is on screen.

async function changed(moved = null) {
  clearTimeout(timer);
  asked = [];
  lifted = null;
  if (!(await session.unfold())) return;
  at("error").hidden = true;
  board.show(session.answer.svg, moved);
  show();
  if (session.editing) await editor.open(session.at.position);
  showMode();
  playForTable();
}

/** Everything but the drawing of the board. */
function show() {
  const { moves, entry, played } = session;
  const arrows = [];
  const isShown = session.showsValues && session.source.hasValues;
  if (moves.length && isShown) arrows.push(["best", moves[0].arrows.best]);
  const other = moves[session.chosen] !== moves[0] ? moves[session.chosen] : played;
  if (other && (other !== moves[0] || !isShown)) arrows.push(["played", other.arrows.played]);
  board.point(arrows);
  board.mark(new Set(moves.map(sourceOf)), new Set(moves.map(targetOf)));
  showChances(session);
  showThrows(session, run((throws) => session.choose(throws)));
  showMoves(session, run((move) => session.play(move)));
  showTurns(session, run((node) => session.go(node)));
  showGraph(session, run((node) => session.go(node)));
  showNames(session);
  showSummary(session);
  showOptions(entry);
  learning.show();
  const words = statusWords();
  if (words !== announced) at("status").textContent = words;
  announced = words;
  for (const [id, node] of [["back", session.at.parent], ["first", session.at.parent],
    ["forward", session.at.next], ["last", session.at.next], ["undo", session.at.parent]]) {
    at(id).disabled = !node;
  }
  at("mistakes").hidden = !isShown || session.at.line.length < 2;
  at("show-values").checked = session.showsValues;
  document.title = `${session.about.word} – Royal Game of Ur`;
  history.replaceState(null, "", `#${session.address}`);
}

function showMode() {
  at("editor").hidden = !session.editing;
  at("edit").setAttribute("aria-pressed", String(session.editing));
  document.body.classList.toggle("editing", session.editing);
}

/** What the opening is worth, where it is another than a free first throw. */
function openingWords() {
  const { about, answer, at: node, root, units } = session;
  const isStart = node === root && answer.position === about.start;
  const isKnown = session.showsValues && session.source.hasValues && about.opening_value !== undefined;
  if (!isStart || !isKnown || about.opening_value === answer.value) return "";
  return `The first player wins ${units.value(about.opening_value)}, with a free first throw ${units.value(answer.value)}. `;
}

function statusWords() {
  const { answer, at: node } = session;
  const last = node.plies.at(-1);
  const before = last ? `${last.side} threw ${throwsOf(last).join(" and ")}${last.move ? `, ${last.move}` : ", no move"}. ` : "";
  if (answer.winner) return `${before}${answer.winner} has won.`;
  if (answer.is_draw) return `${before}A draw: nobody can ever move again.`;
  const { side } = answer;
  if (session.mustSay) return `${before}${side} says what to throw for.`;
  if (!session.entry) return `${before}${openingWords()}${side} to throw.`;
  const thrown = throwsOf(session.entry).join(" and ");
  const move = session.moves[session.chosen];
  if (!move) return `${before}${side} has thrown ${thrown}: no move, the turn passes.`;
  const worth = session.showsValues && session.source.hasValues ? `, ${session.units.value(move.value, errorOf(move))}` : "";
  return `${before}${side} has thrown ${thrown}; ${session.chosen + 1} of ${counted(session.moves.length, "move")}: ${move.move}${worth}.`;
}

/** Buttons for what is to be done now, besides moves. */
function showOptions(entry) {
  const buttons = [];
  const { answer, units } = session;
  if (session.sayings.length > 1 && !session.isOver) {
    for (const name of session.sayings) {
      const value = session.showsValues && answer.choices
        ? ` ${units.short(answer.choices[name], answer.choice_errors?.[name])}` : "";
      buttons.push(make("button", {
        "aria-pressed": String(session.said === name), onclick: run(() => session.say(name)),
      }, `${name}${value}`));
    }
  }
  if (!session.isOver && !session.mustSay) {
    buttons.push(make("button", { class: entry ? "" : "main", onclick: run(() => session.roll()) }, "Roll"));
  }
  if (session.mustPass) buttons.push(make("button", { class: "main", onclick: run(() => session.play(null)) }, "Pass"));
  for (const move of asked) {
    buttons.push(make("button", { class: "main", onclick: run(() => playAsked(move)) }, move.move));
  }
  at("options").replaceChildren(...buttons);
}

/** A handler that says what fails; the page is busy until it is done. */
function run(action) {
  return async (...given) => {
    running += 1;
    document.querySelector("main").setAttribute("aria-busy", "true");
    try {
      await action(...given);
    } catch (error) {
      failed(error);
    }
    running -= 1;
    if (!running) document.querySelector("main").setAttribute("aria-busy", "false");
  };
}

function failed(error) {
  at("error").textContent = error.message;
  at("error").hidden = false;
}

// Moves on the board.

function placed(name, side) {
  return name === "home" || name === "off" ? `${side} ${name}` : name;
}

const sourceOf = (move) => placed(move.from, session.answer.side);
const targetOf = (move) => placed(move.to, session.answer.side);

const press = run(async (place) => {
  const from = session.moves.filter((move) => sourceOf(move) === place);
  const to = session.moves.filter((move) => targetOf(move) === place && (!lifted || sourceOf(move) === lifted));
  if (lifted && to.length) return playOne(to);
  if (from.length === 1) return playOne(from);
  if (from.length) {
    lifted = place;
    const isOneTarget = new Set(from.map(targetOf)).size === 1;
    if (isOneTarget) return playOne(from);
    board.mark(new Set([place]), new Set(from.map(targetOf)));
    return null;
  }
  if (new Set(to.map(sourceOf)).size === 1) return playOne(to);
  lifted = null;
  show();
  return null;
});

const drop = run((from, to) =>
  playOne(session.moves.filter((move) => sourceOf(move) === from && targetOf(move) === to)));

function playOne(moves) {
  lifted = null;
  if (moves.length === 1) return session.play(moves[0]);
  asked = moves;
  show();
  at("options").querySelector("button:last-child")?.focus();
  return null;
}

function playAsked(move) {
  asked = [];
  at("board").focus();
  return session.play(move);
}

// Keys, where the board has the focus.

const KEYS = {
  r: () => session.roll(),
  ArrowUp: () => pick(-1),
  ArrowDown: () => pick(1),
  Enter: () => act(session.moves[session.chosen]),
  " ": () => act(session.moves[0]),
  ArrowLeft: () => session.go(session.at.parent),
  ArrowRight: () => session.go(session.at.next),
  Home: () => session.go(session.root),
  End: () => session.go(session.at.line.at(-1)),
  u: () => session.undo(),
  f: flip,
  v: toggleValues,
  "?": () => dialogs.help(),
};
for (const [key, mark] of [["b", "blunder"], ["m", "mistake"], ["i", "inaccuracy"]]) {
  KEYS[key] = () => session.go(session.marked(1, [mark]));
  KEYS[key.toUpperCase()] = () => session.go(session.marked(-1, [mark]));
}

at("board").addEventListener("keydown", run((event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || session.editing) return null;
  const digit = /^\d$/.test(event.key) && session.throws.find((each) => each.throw === Number(event.key));
  const action = digit && digit.isPossible ? () => session.choose(throwsOf(digit)) : KEYS[event.key];
  if (!action) return null;
  event.preventDefault();
  return action();
}));

/** Choose among the moves, or among what may be said. */
function pick(step) {
  const count = session.moves.length;
  if (session.sayings.length > 1 && !session.entry) {
    const next = session.sayings[(session.sayings.indexOf(session.said) + step + 2) % 2];
    return session.say(next);
  }
  if (!count) return null;
  session.chosen = (session.chosen + step + count) % count;
  show();
  return null;
}

/** Play a move; pass where there is none; say the best where something has to be said. */
function act(move) {
  if (session.mustSay) return session.say(bestSaying());
  if (session.mustPass) return session.play(null);
  if (!session.entry) return session.roll();
  return move ? session.play(move) : null;
}

function bestSaying() {
  const { choices } = session.answer;
  if (!choices) return session.sayings[0];
  return session.sayings.reduce((one, other) => (choices[other] > choices[one] ? other : one));
}

function flip() {
  session.view = session.view === "light" ? "dark" : "light";
  return session.changed();
}

function toggleValues() {
  session.showsValues = !session.showsValues;
  show();
}

// Buttons.

for (const [id, action] of [
  ["first", KEYS.Home], ["back", KEYS.ArrowLeft], ["forward", KEYS.ArrowRight], ["last", KEYS.End],
  ["undo", KEYS.u], ["flip", flip],
  ["mistake-back", () => learning.meet(session.marked(-1, ["mistake", "blunder"], at("mistake-side").value))],
  ["mistake-next", () => learning.meet(session.marked(1, ["mistake", "blunder"], at("mistake-side").value))],
  ["edit", () => {
    session.editing = !session.editing;
    return session.changed();
  }],
]) at(id).addEventListener("click", run(action));
at("show-values").addEventListener("change", toggleValues);
at("table").addEventListener("change", run(async (event) => {
  session.editing = false;
  session.players = { light: "human", dark: "human" };
  await session.take(event.target.value);
  await session.changed();
}));

function leaveEditor(position) {
  session.editing = false;
  if (position) session.begin(position);
  run(() => session.changed())();
}

async function start(players) {
  session.editing = false;
  session.players = players;
  session.begin(session.about.start);
  at("board").focus();
  await run(() => session.changed())();
}

// The table as a player.

/** Let the table say, throw and move, one after the other, where it plays the side to throw. */
function playForTable() {
  const player = session.players[session.answer.side];
  if (player === "human" || session.isOver || session.editing || session.at.next) return;
  const temperature = session.about.players[player] * (session.about.stakes ? session.answer.total : 1);
  const weight = (loss) => (player === "random" ? 1 : temperature ? Math.exp(-loss / temperature) : Number(loss <= 1e-12));
  const node = session.at;
  timer = setTimeout(run(() => {
    if (session.at !== node) return null;
    if (session.mustSay) {
      const worth = session.answer.choices;
      const best = Math.max(...session.sayings.map((name) => worth[name]));
      return session.say(picked(session.sayings, (name) => weight(best - worth[name])));
    }
    if (!session.entry) return session.roll();
    if (session.mustPass) return session.play(null);
    return session.play(picked(session.moves, (move) => weight(move.loss)));
  }), still.matches ? 0 : PAUSE);
}

// The beginning.

function option(path, text) {
  return make("option", { value: path }, text);
}

async function begin() {
  const [{ tables }, { rules }] = await Promise.all([get("/tables"), get("/rules")]);
  fallback = `tables/${tables[0].id}`;
  at("table").replaceChildren(
    ...[["Tables", true], ["Estimators", false]].map(([label, isExact]) => {
      const those = tables.filter((each) => (each.exact ?? true) === isExact);
      return those.length ? make("optgroup", { label },
        ...those.map((each) => option(`tables/${each.id}`, each.id))) : null;
    }).filter(Boolean),
    make("optgroup", { label: "Rules without a table" },
      ...rules.map((each) => option(`rules/${each.name}:${each.pieces}`, `${each.name}, ${counted(each.pieces, "piece")}`))));
  await followAddress();
}

async function followAddress() {
  try {
    await session.follow(location.hash.slice(1), fallback);
  } catch (error) {
    if (!session.source) {
      history.replaceState(null, "", "#");
      await session.follow("", fallback);
    }
    failed(error);
  }
  at("table").value = session.source.path;
  const { about } = session;
  at("source").textContent = about.exact === false
    ? `Values of ${about.word} are estimates, by a search of ${about.plies} plies, with their 95 % intervals.`
    : about.digest ? `Values of ${about.word}: ${about.error === null ? `estimated within ${about.tolerance}` : `proven within ${about.error.toPrecision(3)}`}.`
    : `${about.word} is not solved here: no values.`;
}

addEventListener("hashchange", run(followAddress));
run(begin)();
