// Games and mistakes that come from outside `device.js`: from a file that a page has written, or from
// what earlier versions of the page kept. They may hold anything: what is taken is checked first.

import { Refusal, hashed, keyOf } from "./common.js";
import { say } from "./speech.js";
import { writeTurn } from "./tree.js";
import { SIDES } from "./words.js";

const FORMAT = "ur-solver games";
const VERSION = 1;
const KINDS = ["played", "analysed", "opened", "recorded"];

/** All games and mistakes as the text of a file. */
export function fileText(games, mistakes) {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, games, mistakes })}\n`;
}

/** The games and mistakes of such a file; Refusal if it is another one, or is damaged. */
export function readText(text) {
  let found;
  try {
    found = JSON.parse(text.replace("\ufeff", ""));
  } catch {
    throw new Refusal(["exchange.cut"]);
  }
  if (found?.format !== FORMAT) throw new Refusal(["exchange.other"]);
  if (found.version !== VERSION) throw new Refusal(["exchange.version"]);
  return { games: list(found.games, "games", gameOf), mistakes: list(found.mistakes, "mistakes", mistakeOf) };
}

/** What changes when games come in, and how many are new, longer than here, or here. */
export function joinedGames(games) {
  const counts = { fresh: 0, longer: 0, known: 0 };
  const other = [];
  const change = (game) => [game.key, (there) => {
    if (!there) counts.fresh += 1;
    else if (there.line !== game.line && game.line.startsWith(there.line)) counts.longer += 1;
    else {
      if (there.line.startsWith(game.line)) counts.known += 1;
      else other.push({ ...game, key: `${game.key} ${hashed(game.line)}` }); // two games from one place on
      return undefined;
    }
    return { ...there, ...game };
  }];
  return { counts, changes: games.map(change), others: () => other.splice(0).map(change) };
}

/** What changes when mistakes come in: what has been practised more stays. */
export const joinedMistakes = (mistakes) => mistakes.map((each) =>
  [each.key, (there) => (there && (there.asked ?? 0) >= each.asked ? undefined : each)]);

// What earlier versions kept, by their keys of `localStorage`.

const EARLIER = {
  "ur-recording": (saved) => (saved ? { games: [recordedOf(saved)] } : {}),
  "ur-learning": ({ games, mistakes }) => ({
    games: (games ?? []).map((each) => gameOf({ ...NOTHING, ...each, kind: "opened", line: "", address: null })),
    mistakes: (mistakes ?? []).map((each) => mistakeOf({ ...each, asked: 0, right: 0 })),
  }),
  "ur-last-game": (address) => (address ? { games: [lastOf(address)] } : {}),
};

const NOTHING = { begun: 0, changed: 0, names: { light: null, dark: null }, players: { light: "human", dark: "human" }, result: null };

/** The entries of what was kept under a key; null of what cannot be read. */
export function entriesOf(key, text) {
  try {
    return { games: [], mistakes: [], ...EARLIER[key](JSON.parse(text)) };
  } catch {
    return null;
  }
}

function recordedOf(saved) {
  const { key, path, word, names, start, turns } = saved;
  const line = `${start} ${turns.map(([, choice, throws, move]) => writeTurn({ choice, throws, move })).join("")}`;
  return gameOf({
    ...NOTHING, key, kind: "recorded", path, word, line, address: null, begun: Date.now(), changed: Date.now(),
    names: Object.fromEntries(SIDES.map((side) => [side, names[side] || null])), recording: saved,
  });
}

/** The game that was played last, of which only the address was kept. */
function lastOf(address) {
  const parts = new Map(address.slice(1).split("&").map((each) => {
    const [key, value = ""] = each.split("=");
    return [key, decodeURIComponent(value)];
  }));
  const [kind, place] = ["table", "rules"].filter((each) => parts.has(each)).map((each) => [each, parts.get(each)])[0];
  const of = (ending, otherwise) => Object.fromEntries(SIDES.map((side) => [side, parts.get(`${side}${ending}`) ?? otherwise]));
  return gameOf({
    ...NOTHING, key: `last ${hashed(address)}`, kind: "played", path: `${kind === "table" ? "tables" : kind}/${place}`,
    word: place.replace(/-(\d+)$/, ":$1"), line: "", address: address.slice(1),
    begun: Date.now(), changed: Date.now(), names: of("-name", null), players: of("", "human"),
  });
}

// Checks. An entry has what it should have, and nothing else.

function wrong(what) {
  throw new Refusal(["exchange.damaged", { what }]);
}

const begun = (value) => String(JSON.stringify(value)).slice(0, 40);

function list(values, name, check) {
  if (!Array.isArray(values)) wrong(say("exchange.no-list", { name }));
  return values.map((each, k) => {
    try {
      return check(each);
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal(["exchange.damaged", { what: say("exchange.entry", { name, number: k + 1 }) }]);
    }
  });
}

const text = (value, most = 200) => (typeof value === "string" && value.length <= most ? value : wrong(say("exchange.no-text", { value: begun(value), most })));
const number = (value) => (Number.isFinite(value) ? value : wrong(say("exchange.no-number", { value: begun(value) })));
const one = (value, known) => (known.includes(value) ? value : wrong(say("exchange.none-of", { value: begun(value), known: known.join(", ") })));
const perhaps = (check) => (value, ...given) => (value === null || value === undefined ? null : check(value, ...given));
const bySide = (value, check) => Object.fromEntries(SIDES.map((side) => [side, check(value[side])]));
const place = (value) => (/^(tables|rules)\/[^/]+$/.test(text(value)) ? value : wrong(say("exchange.no-place", { value: value.slice(0, 40) })));
const fallen = (value) => value.map(number);
const MOST_LETTERS = 1 << 20;

function gameOf(game) {
  const { title, costs, throws, recording, ended } = game;
  return {
    key: text(game.key), kind: one(game.kind, KINDS), begun: number(game.begun), changed: number(game.changed),
    ended: perhaps(number)(ended), path: place(game.path), word: text(game.word),
    names: bySide(game.names, perhaps(text)), players: bySide(game.players, text),
    result: one(game.result, ["light", "dark", "draw", null]),
    line: text(game.line, MOST_LETTERS), address: perhaps(text)(game.address, MOST_LETTERS),
    ...(title && { title: text(title) }),
    ...(costs && { costs: { ...bySide(costs, ({ loss, luck }) => ({ loss: number(loss), luck: number(luck) })), isMoney: Boolean(costs.isMoney) } }),
    ...(throws && { throws: bySide(throws, (counts) => Object.fromEntries(
      Object.entries(counts).map(([key, count]) => [String(Number(key)), number(count)]))) }),
    ...(recording && { recording: recordingOf(recording) }),
  };
}

function recordingOf({ path, word, key, names, ending, rounds, start, turns }) {
  return {
    path: place(path), word: text(word), key: text(key), names: bySide(names, text), ending: one(ending, ["", ...SIDES]),
    rounds: rounds.map((each) => text(each)), start: text(start, 1000),
    turns: turns.map(([side, choice, throws, move]) =>
      [one(side, [...SIDES, null]), perhaps(text)(choice), perhaps(fallen)(throws), perhaps(text)(move)]),
  };
}

function mistakeOf(mistake) {
  const { path, position, choice, throws, side, played, box, due, asked, right } = mistake;
  const found = {
    path: place(path), position: text(position, 1000), choice: perhaps(text)(choice), throws: fallen(throws),
    side: one(side, [...SIDES, undefined]), played: perhaps(text)(played),
    box: one(box, [0, 1, 2, 3, 4]), due: number(due), asked: number(asked), right: number(right),
  };
  return { ...found, key: keyOf(found) };
}
