// The page: wires the session to the board, the panels and the keys.

import { Source, games } from "./api.js";
import { Board, Presses, wayOf } from "./board.js";
import { openRules, wireDialogs } from "./dialogs.js";
import { at, button, failure, keepingFocus, make } from "./dom.js";
import { Editor } from "./editor.js";
import { awaited } from "./files.js";
import { GUIDED, goOn, isBeingRead, showGuide } from "./guide.js";
import { Learning } from "./learning.js";
import { Opening } from "./opening.js";
import { Queue, entered, options, setOption } from "./common.js";
import { device } from "./device.js";
import { showChances, showGraph, showMoves, showNames, showSummary, showThrows, showTurns } from "./panels.js";
import { chosenWords, hintWords, lastDice, lastWords, nextByItself, owners, pauseBefore, showPlay, showVerdict, soundOf, statusWords, together } from "./play.js";
import { Session } from "./session.js";
import { percent, say } from "./speech.js";
import { pathFor, showLast, showStart, sourceOf } from "./start.js";
import { choiceWord, moveWords, other, throwsOf } from "./words.js";

let fallback = "";
let announced = "";
let timer = 0;
/** Until the address is written where the browser has refused, and how long that takes, in milliseconds. */
let writing = 0;
const REFUSED = 1000;
/** Shows what the address says, once there are games to show. */
let follow = async () => {};
/** The address that this page has written. */
let written = null;
/** Whether the address has a fault and stays as it is until something is done. */
let isHeld = false;
/** The start of the game whose mistakes are those of the side that was chosen, at first one's own. */
let judged = null;
/** Whether the path is drawn. */
let isPathShown = false;
/** @type {any[]} Moves between two squares that differ in something else: the player is asked. */
let asked = [];

const queue = new Queue({
  busy: (isBusy) => document.querySelector("main").setAttribute("aria-busy", String(isBusy)),
  failed,
});
const run = (action) => queue.run(action);
/** What somebody does here, after which the address is that of the page again. */
const act = (action) => run((...given) => {
  isHeld = false;
  return action(...given);
});

const session = new Session(changed);
const board = new Board(at("board"), at("squares"));
const presses = new Presses(board, (move) => session.play(move), { ask, explain });
const editor = new Editor(session, board, { done: leaveEditor, run });
const hands = () => (session.editing ? editor : presses);
board.hands = {
  press: act((place) => hands().press(place)),
  drop: act((from, to) => hands().drop(from, to)),
  canDrag: (place) => hands().canDrag(place),
  swipe: act((step) => (at("mistakes").hidden ? null : meet(step))),
};
const dialogs = wireDialogs(session, {
  start: act(start), load: act((game, path) => session.load(game, path)), run, ready,
});
const learning = new Learning(session, act, { open: openKept });
const opening = new Opening(session, board, act);

// What is on screen.

async function changed(moved = null) {
  clearTimeout(timer);
  asked = [];
  try {
    if (!(await session.unfold())) return;
    await opening.prepare();
  } catch (error) {
    session.restore();
    throw error;
  }
  const isAnotherPlace = session.kept?.at !== session.at;
  session.keep();
  document.body.classList.remove("arriving");
  at("error").textContent = "";
  at("meaning").textContent = "";
  board.owners = owners(session);
  const moving = board.show(session.answer.svg, moved);
  if (moved || (isAnotherPlace && session.at.turn?.move === null)) soundOf(session, moved);
  show();
  if (session.editing) await editor.open(session.at.position);
  showMode();
  const next = opening.isOn ? opening.next() : nextByItself(session);
  const node = session.at;
  if (next) {
    const go = run(() => (session.at === node ? next() : null));
    timer = setTimeout(go, pauseBefore(session, moving));
  }
}

/** Everything but the drawing of the board. */
function show() {
  keepingFocus(showAll);
}

function showAll() {
  const { offered: moves, best, played } = session;
  const isShown = session.source.hasValues && (session.showsValues || session.isHinted);
  const arrows = [];
  if (best && isShown) arrows.push(["best", best.arrows.best]);
  // while somebody plays, what is drawn must not tell whether the chosen move is the best
  const second = session.isPlayed || moves[session.chosen] === best ? played : moves[session.chosen];
  if (second && (second !== best || !isShown)) arrows.push(["played", second.arrows.played]);
  board.point(arrows);
  presses.offer(session.offered, session.answer.side);
  showChances(session);
  showPlay(session);
  showThrows(session, act((throws) => chosen(throws)));
  showMoves(session, act((move) => session.play(move)));
  showTurns(session, act((node) => session.go(node)));
  showGraph(session, act((node) => session.go(node)));
  showNames(session);
  showSummary(session);
  showOptions();
  learning.show();
  opening.show();
  showPath();
  showStatus();
  showVerdict(session);
  showGuide(session);
  for (const [id, node] of [["back", session.at.parent], ["first", session.at.parent],
    ["forward", session.at.next], ["last", session.at.next], ["undo", session.taken]]) {
    at(id).disabled = !node;
  }
  at("show-chances").disabled = !session.source.hasValues;
  if (judged !== session.root) at("mistake-side").value = session.ownSide ?? "";
  judged = session.root;
  at("mistakes").hidden = session.isPlayed || !session.source.hasValues || session.at.line.length < 2;
  at("show-values").checked = session.showsValues;
  document.body.classList.toggle("playing", session.isPlayed);
  showSource();
  writeAddress();
}

function showMode() {
  at("editor").hidden = !session.editing;
  at("edit").setAttribute("aria-pressed", String(session.editing));
  at("board").setAttribute("role", session.editing ? "group" : "application");
  at("squares").hidden = session.editing;
  document.body.classList.toggle("editing", session.editing);
}

/** Where the rules and the values come from. */
function showSource() {
  const { about } = session;
  at("table").value = session.source.path;
  at("source").textContent = about.exact === false
    ? say("source.estimates", { word: about.word, plies: about.plies, interval: percent(0.95) })
    : !about.digest ? say("source.none", { word: about.word })
    : about.error === null ? say("source.tolerance", { word: about.word, tolerance: String(about.tolerance) })
    : say("source.proven", { word: about.word, error: about.error.toPrecision(3) });
  at("game-name").textContent = say("head.playing", { game: about.title, pieces: about.pieces });
  document.title = say("page.title.game", { game: about.title });
}

/** The address of what is on screen; a game that begins is a new page for the browser's Back. */
function writeAddress() {
  if (isHeld) return;
  const address = `#${session.address}`;
  const { key } = session;
  const isChanged = session.isNew || address !== location.hash || key !== keyHere();
  clearTimeout(writing);
  if (!isChanged || entered(session.isNew ? "pushState" : "replaceState", { key }, address)) session.isNew = false;
  else writing = setTimeout(writeAddress, REFUSED);
  written = location.hash;
  learning.keep();
}

/** The key of the game that this entry of the browser's history shows; null where it is not kept. */
const keyHere = () => history.state?.key ?? null;

/** The way of the side to throw: asked for, or at the start of a game that is played. */
function showPath() {
  at("path").setAttribute("aria-pressed", String(isPathShown));
  const isBeginning = session.isPlayed && !session.at.parent && !session.entry;
  if (isPathShown || isBeginning) drawPath(session.answer.side);
  else board.clearWay();
}

function drawPath(side, from = `${side} home`) {
  const path = wayOf(session.about, side);
  board.drawWay(path.slice(Math.max(0, path.indexOf(from))), side);
}

function showStatus() {
  const words = together(opening.words(), !opening.isOn && (session.isPlayed ? lastWords(session) : statusWords(session)),
    hintWords(session));
  const said = [at("headline").textContent, chosenWords(session)].filter(Boolean).join(". ");
  const unseen = session.isPlayed || opening.isOn ? make("span", { class: "unseen" }, said) : "";
  const all = words + (unseen && unseen.textContent);
  const dice = opening.isOn ? [] : lastDice(session);
  if (all !== announced) at("status").replaceChildren(...dice, words, unseen);
  announced = all;
}

/** Buttons for what is to be done now, besides throwing and moving. */
function showOptions() {
  const buttons = [];
  const { answer, units } = session;
  if (session.choices.length > 1 && !session.isOver && session.isOwnTurn && !(session.isPlayed && session.entry)) {
    for (const name of session.choices) {
      const value = session.showsValues && answer.choices
        ? ` ${units.short(answer.choices[name], answer.choice_errors?.[name])}` : "";
      buttons.push(button(`${choiceWord(name)}${value}`, act(() => session.takeChoice(name)),
        { "aria-pressed": String(session.choice === name) }));
    }
  }
  if (session.mustPass && session.isOwnTurn) buttons.push(button(say("play.pass"), act(() => session.play(null)), { class: "main" }));
  if (session.isOver && session.isPlayed) buttons.push(...after());
  const words = asked.map((move) => moveWords(move.move, move.again));
  const isClear = new Set(words).size === words.length;
  asked.forEach((move, k) => buttons.push(
    button(isClear ? words[k] : move.move, act(() => playAsked(move)), { class: "main" })));
  at("options").replaceChildren(...buttons);
}

/** What somebody may do when a game is over, besides playing again. */
function after() {
  const review = act(() => {
    session.showsValues = true;
    return session.go(session.root);
  });
  return [
    session.isGuided ? button(say("guide.beginner"), act(playBeginner), { class: "main" }) : null,
    session.source.hasValues && session.at.parent ? button(say("play.review"), review) : null,
    session.at.parent && !session.isGuided ? button(say("play.save"), () => at("save").click()) : null,
    button(say("play.others"), leave),
  ].filter(Boolean);
}

function failed(error, again) {
  at("error").replaceChildren(...failure(error, () => {
    at("error").textContent = "";
    again();
  }));
}

// What is awaited: said after a second, by a line that was there before.

let saying = 0;
let rest = 0;
let isSaid = false;

awaited.changed.push(() => {
  const { come, all } = awaited;
  const line = at("waiting");
  const host = document.querySelector("dialog[open]") ?? document.body;
  const tell = () => {
    if (!awaited.all) return;
    isSaid = true;
    line.textContent = say("page.loading.files", { come: awaited.come, all: awaited.all });
  };
  if (line.parentElement !== host) host.append(line);
  clearTimeout(rest);
  if (isSaid) tell();
  else saying ||= setTimeout(tell, 1000);
  // one thing after the other is one wait
  if (come === all) rest = setTimeout(() => {
    clearTimeout(saying);
    [saying, isSaid] = [0, false];
    line.textContent = "";
  }, 300);
});

// Moves on the board.

/** Ask which of some moves between the same squares is meant. */
function ask(moves) {
  asked = moves;
  show();
  at("options").querySelector("button:last-child")?.focus();
}

/** What a square that was pressed means, and where the pieces there go. */
function explain(place) {
  const { words } = session.about.board;
  const [side] = place.split(" ");
  at("meaning").textContent = words[place] ? `${place}: ${words[place]}` : "";
  if (!words[place]) drawPath(side);
  else {
    const { paths } = session.about;
    const own = session.answer.side;
    drawPath(paths[own].includes(place) ? own : other(own), place);
  }
}

function playAsked(move) {
  asked = [];
  at("board").focus();
  return session.play(move);
}

/** A throw that was chosen: Enter then plays a move, and does not press the throw again. */
async function chosen(throws) {
  await session.choose(throws);
  at("board").focus();
}

async function thrown() {
  if (at("throw").getAttribute("aria-disabled") === "true") return;
  await (opening.isOn ? opening.roll() : session.roll());
  if (!at("options").contains(document.activeElement)) at("board").focus({ preventScroll: true });
}

// Keys, where the board has the focus.

const isOwnTurn = () => session.players[session.answer.side] === "human";

const KEYS = {
  r: () => (opening.isOn ? opening.roll() : isOwnTurn() ? session.roll() : null),
  ArrowUp: () => pick(-1),
  ArrowDown: () => pick(1),
  Enter: () => doIt(session.moves[session.chosen]),
  " ": () => doIt(session.isPlayed ? session.moves[session.chosen] : session.best),
  ArrowLeft: () => session.go(session.at.parent),
  ArrowRight: () => session.go(session.at.next),
  Home: () => session.go(session.root),
  End: () => session.go(session.at.line.at(-1)),
  u: () => session.undo(),
  h: hint,
  p: togglePath,
  f: flip,
  v: toggleValues,
  "?": () => dialogs.help(),
};
for (const [key, mark] of [["b", "blunder"], ["m", "mistake"], ["i", "inaccuracy"]]) {
  KEYS[key] = () => meet(1, [mark]);
  KEYS[key.toUpperCase()] = () => meet(-1, [mark]);
}

at("board").addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || session.editing) return;
  const { key } = event;
  if (!(key in KEYS || /^\d$/.test(key))) return;
  event.preventDefault();
  pressKey(key);
});

const pressKey = act((key) => {
  if (session.editing) return null;
  if (key in KEYS) return KEYS[key]();
  if (session.isPlayed) return null;
  const entry = session.throws.find((each) => each.throw === Number(key));
  return entry?.isPossible ? session.choose(throwsOf(entry)) : null;
});

/** Go to the next turn of a side with such a mark, or to the one before. */
function meet(step, marks = ["mistake", "blunder"]) {
  return learning.meet(session.marked(step, marks, at("mistake-side").value));
}

/** Choose among the moves, or among the choices before the throw. */
function pick(step) {
  const count = session.offered.length;
  if (session.choices.length > 1 && !session.entry) {
    const next = session.choices[(session.choices.indexOf(session.choice) + step + 2) % 2];
    return session.takeChoice(next);
  }
  if (!count) return null;
  session.chosen = (session.chosen + step + count) % count;
  show();
  presses.point(session.offered[session.chosen]);
  return null;
}

/** Play a move; pass where there is none; throw before; choose the best before a throw that needs a choice. */
function doIt(move) {
  if (opening.isOn) return opening.roll();
  if (isBeingRead(session)) return goOn(session);
  if (!isOwnTurn()) return null;
  if (session.mustChoose) return session.takeChoice(bestChoice());
  if (session.mustPass) return session.play(null);
  if (!session.entry) return session.roll();
  return move ? session.play(move) : null;
}

function bestChoice() {
  const { choices } = session.answer;
  if (!choices || session.isPlayed) return session.choices[0];
  return session.choices.reduce((one, other) => (choices[other] > choices[one] ? other : one));
}

function flip() {
  setOption("turned", session.view === session.farSide);
  session.look(options.turned);
  return session.changed();
}

function toggleValues() {
  session.showsValues = !session.showsValues;
  session.chosen = 0;
  show();
}

function hint() {
  session.isHinted = !session.isHinted;
  show();
}

function togglePath() {
  isPathShown = !isPathShown;
  show();
}

// Buttons.

for (const [id, action] of [
  ["first", KEYS.Home], ["back", KEYS.ArrowLeft], ["forward", KEYS.ArrowRight], ["last", KEYS.End],
  ["undo", KEYS.u], ["flip", flip], ["hint", hint], ["path", togglePath], ["throw", thrown],
  ["again", () => start(session.players, session.names)],
  ["learn-now", () => play({ path: `rules/${GUIDED.name}:${GUIDED.pieces}`, players: { light: "human", dark: "random" }, names: {}, isGuided: true })],
  ["go-on", () => {
    at("board").focus({ preventScroll: true });
    return goOn(session);
  }],
  ["leave", leave],
  ["mistake-back", () => meet(-1)],
  ["mistake-next", () => meet(1)],
  ["edit", () => {
    session.editing = !session.editing;
    return session.changed();
  }],
  ["rules", () => openRules(session.source ?? new Source(fallback))],
]) at(id).addEventListener("click", act(action));
at("show-values").addEventListener("change", act(toggleValues));
for (const [id, name] of [["sound", "sound"], ["forced", "forced"], ["show-chances", "chances"]]) {
  at(id).checked = options[name];
  at(id).addEventListener("change", act((event) => {
    setOption(name, event.target.checked);
    return session.changed();
  }));
}
at("pace").value = options.pace;
at("pace").addEventListener("change", (event) => setOption("pace", event.target.value));
at("language").value = options.language;
at("language").addEventListener("change", (event) => {
  setOption("language", event.target.value);
  // an address that has a language would go on with that
  if (location.search) location.replace(`${location.pathname}${location.hash}`);
  else location.reload();
});
at("nav").addEventListener("toggle", (event) => at("menu").setAttribute("aria-expanded", String(event.newState === "open")));
// before what the button does, so that the focus comes back to the menu from a dialog
at("nav").addEventListener("click", (event) => {
  if (event.target.closest("button")) at("nav").hidePopover();
}, { capture: true });
at("table").addEventListener("change", act(async (event) => {
  at("nav").hidePopover();
  session.editing = false;
  session.players = { light: "human", dark: "human" };
  await session.take(event.target.value);
  await session.changed();
}));

function leaveEditor(position) {
  session.editing = false;
  if (position) session.begin(position);
  act(() => session.changed())();
}

async function start(players, names, isGuided = false) {
  session.editing = false;
  session.players = players;
  session.look(options.turned);
  session.begin(session.about.start);
  for (const side of ["light", "dark"]) session.names[side] = names[side] || null;
  session.isGuided = isGuided;
  at("board").focus();
  await session.changed();
}

/** Begin a game from the first screen. */
async function play({ path, players, names, isGuided }) {
  session.showsValues = false;
  await session.take(path);
  await start(players, names, isGuided);
  at("throw").focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Begin the game that somebody has learnt, as it is played, against the weakest player there is. */
async function playBeginner() {
  const { tables } = await games();
  const { path, hasValues } = sourceOf(GUIDED, tables, true);
  await play({ path, players: { light: "human", dark: hasValues ? "weak" : "random" }, names: {} });
}

function leave() {
  location.hash = "";
}

/** Go on with a game that is kept. @param {import("./exercises.js").Game} game */
async function openKept(game) {
  const [kind, word] = (await pathFor(game)).split("/");
  const rest = game.address.replace(/^(table|rules)=[^&]*/, "");
  await follow(`${kind === "tables" ? "table" : kind}=${encodeURIComponent(word)}${rest}`, game.key);
}

/** See that there are rules by which a game can be read. */
async function ready() {
  if (!session.source) await session.take(fallback);
}

// The beginning.

function option(path, text) {
  return make("option", { value: path }, text);
}

async function begin() {
  const { rules, tables } = await games();
  fallback = tables.length ? `tables/${tables[0].id}` : `rules/${rules[0].name}:${rules[0].pieces}`;
  at("table").replaceChildren(
    make("option", { value: "", hidden: true }, say("head.table.choose")),
    ...[[say("head.tables"), true], [say("head.estimators"), false]].map(([label, isExact]) => {
      const those = tables.filter((each) => each.exact === isExact);
      return those.length ? make("optgroup", { label },
        ...those.map((each) => option(`tables/${each.id}`, each.id))) : null;
    }).filter(Boolean),
    make("optgroup", { label: say("head.rules-only") },
      ...rules.map((each) => option(`rules/${each.name}:${each.pieces}`, say("game.pieces", { game: each.name, pieces: each.pieces })))));
  // a site may have games of its own only
  const arrive = rules.length && (() => showStart({ rules, tables }, { play: act(play), rules: run((path, place) => openRules(new Source(path), place)) }));
  follow = run((...given) => followAddress(arrive, ...given));
  device.listeners.add(showKept);
  showKept();
  onpopstate = () => {
    if (location.hash !== written) follow();
  };
  await followAddress(arrive);
}

/** Show what this device keeps, where the page speaks of it. */
async function showKept() {
  const those = await learning.showKept();
  showLast(those, openKept);
  at("not-kept").textContent = device.fault;
}

/** Show what an address says, by default that of the page: a game, or the games to choose from. */
async function followAddress(arrive, address = location.hash.slice(1), key = keyHere()) {
  clearTimeout(timer);
  clearTimeout(writing);
  written = location.hash;
  if (!address && arrive) {
    at("error").textContent = "";
    document.body.classList.add("arriving");
    document.body.classList.remove("editing");
    document.title = say("page.title");
    at("game-name").textContent = "";
    at("table").value = "";
    at("source").textContent = "";
    arrive();
    showKept();
    return;
  }
  isHeld = true;
  const isNew = address !== location.hash.slice(1);
  await session.follow(address, fallback, key).finally(() => { session.isNew = isNew; });
  learning.saw();
  isHeld = false;
  writeAddress();
}

document.body.classList.remove("unready");
at("waiting").textContent = "";
run(begin)();
