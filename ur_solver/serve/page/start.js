// The first screen: games to choose from, and whom to play.

import { games } from "./api.js";
import { at, button, make } from "./dom.js";
import { GUIDED } from "./guide.js";
import { language, parts, say } from "./speech.js";
import { LEVELS } from "./words.js";

const OPPONENTS = ["weak", "medium", "strong", "table", "human"];

/**
 * Games to begin with, after the first of all: one for each kind. A shorter one with the same rules, one that
 * takes the longer way, one of shelters without extra throws, pieces that turn over, and pieces of their own numbers.
 */
const FIRST = ["british-museum", "conventional", "casual", "skiriuk", "birds"];

/** Before these come the games of the documents in the reader's language, but for those that take an hour. */
const OF_LANGUAGE = {
  ru: ["skiriuk", "finkel-3dice"],
  fr: ["ben", "casual", "birds", "four-again"],
  nl: ["conventional", "british-museum", "bell-stakes"],
  es: ["conventional", "british-museum", "bell-stakes"],
};
const MOST_AT_FIRST = 6;

/**
 * How long a throw takes: of the computer's at its easy pace two seconds, from 0.6 before it to 1.2 after it and
 * the way of its piece (`PAUSES` in play.js); of a person's, who looks and presses twice, four.
 */
const SECONDS = 3;

/** The least of throws without a choice that makes two and three stars of luck. */
const LUCK = [0.18, 0.5];
/** The most games that a rule of thumb wins against best play where skill has two and three stars. */
const SKILL = [0.2, 0.06];

/**
 * What answers for a rule set: with its usual pieces if there is such a table or estimator,
 * otherwise with the most pieces; exact values first. Without values, the rules alone.
 */
export function sourceOf(game, tables, needsValues) {
  const rank = (each) => [each.pieces === game.pieces, each.pieces, each.exact].map(Number);
  const isBefore = (one, two) => rank(one).map((each, k) => each - rank(two)[k]).find(Boolean) > 0;
  const own = tables.filter((each) => each.game === game.name);
  const best = own.reduce((one, two) => (!one || isBefore(two, one) ? two : one), null);
  const isWhole = best?.pieces === game.pieces;
  if (best && (needsValues || isWhole)) return { path: `tables/${best.id}`, pieces: best.pieces, hasValues: true };
  return { path: `rules/${game.name}:${game.pieces}`, pieces: game.pieces, hasValues: false };
}

/** What answers for a game by its rules: what answered before, or another table or estimator; or the rules alone. */
export async function pathFor({ path, word }) {
  const { tables } = await games();
  if (tables.some(({ id }) => `tables/${id}` === path)) return path;
  const those = tables.filter(({ game, pieces }) => `${game}:${pieces}` === word);
  const found = those.find(({ exact }) => exact) ?? those[0];
  return found ? `tables/${found.id}` : `rules/${word}`;
}

/** About how long a game is, in words. */
function timeWords(throws) {
  const minutes = throws * SECONDS / 60;
  if (minutes > 100) return say("start.hours", { count: Math.round(minutes / 60) });
  const step = minutes > 20 ? 5 : 1;
  return say("start.minutes", { count: Math.max(1, step * Math.round(minutes / step)) });
}

const stars = (name, count) => make("li", {}, `${name} `,
  make("span", { class: "stars", role: "img", "aria-label": say("start.stars", { count }) }, "★".repeat(count) + "☆".repeat(3 - count)));

function facts({ measured, pieces, sources }, source, on) {
  const items = [make("li", {}, source.pieces === pieces ? say("start.pieces", { count: pieces })
    : say("start.fewer", { count: source.pieces, all: pieces }))];
  if (measured) {
    // a game with fewer pieces is shorter by as much, or a little more
    items.push(make("li", {}, timeWords(measured.throws * source.pieces / measured.pieces)),
      stars(say("start.luck"), 1 + LUCK.filter((least) => measured.forced >= least).length),
      stars(say("start.skill"), 1 + SKILL.filter((most) => measured.greedy < most).length));
  }
  for (const each of sources) {
    const link = button(each, () => on.rules(source.path, "rules-sources"), { class: "link" });
    items.push(make("li", {}, ...parts("start.source", { source: link })));
  }
  return items;
}

/** The opponent that is chosen. */
const opponent = () => document.querySelector("#opponents input:checked").value;

/**
 * Show the games.
 * @param {{rules: any[], tables: any[]}} known
 * @param {{play: (choice: object) => void, learn: () => void, rules: (path: string, place?: string) => void}} on
 *   where a place of the rules may be what is looked for
 */
export function showStart({ rules, tables }, on) {
  at("opponents").replaceChildren(make("legend", {}, say("start.whom")),
    ...OPPONENTS.map((name) => make("label", {},
      make("input", { type: "radio", name: "opponent", value: name, checked: name === "medium" }),
      ` ${LEVELS[name] ?? say("start.friend")}`)));
  const [hero, ...others] = rules;
  const wanted = [...OF_LANGUAGE[language] ?? [], ...FIRST];
  const found = [...new Set(wanted)].map((name) => others.find((game) => game.name === name)).filter(Boolean);
  const few = others.length > MOST_AT_FIRST + 2 ? found.slice(0, MOST_AT_FIRST) : others;
  const more = others.filter((game) => !few.includes(game));
  const show = () => {
    const cards = (those) => those.map((game) => card(game, tables, on));
    at("hero-card").replaceChildren(...cards([hero])[0].childNodes);
    at("games").replaceChildren(...cards(few));
    at("more-games").hidden = !more.length;
    at("other-games").replaceChildren(...cards(more));
    showHero(hero, sourceOf(hero, tables, opponent() !== "human").pieces);
  };
  at("learn").hidden = !rules.some(({ name }) => name === GUIDED.name);
  at("opponents").onchange = show;
  show();
}

/** The way on with the game that was played last, if it is not over. */
export function showLast(kept, open) {
  const played = kept.filter((each) => each.address && each.kind !== "opened");
  const last = played.reduce((one, two) => (!one || two.changed > one.changed ? two : one), null);
  const isOpen = last && !last.result;
  at("continue").hidden = !isOpen;
  if (isOpen) at("continue").replaceChildren(button(say("start.last"), () => open(last)));
}

/** Let the first picture have as many pieces as the game beside it, if it shows that game. */
function showHero({ name }, pieces) {
  const picture = at("hero").firstElementChild;
  picture.hidden = picture.dataset.game !== name;
  for (const tray of picture.querySelectorAll(".tray")) {
    const spares = [...tray.querySelectorAll(".spare")];
    const [home, off] = tray.querySelectorAll("text");
    home.textContent = say("place.home", { count: pieces });
    off.textContent = say("place.off", { count: 0 });
    spares.forEach((each, k) => {
      for (const part of [each, each.nextElementSibling]) part.toggleAttribute("hidden", k >= pieces);
    });
    tray.classList.toggle("filled", pieces <= spares.length);
  }
}

function card(game, tables, on) {
  const source = sourceOf(game, tables, opponent() !== "human");
  const play = () => {
    const name = opponent();
    const own = at("own-name").value.trim() || null;
    const others = at("other-name").value.trim() || null;
    on.play({
      path: source.path, names: { light: own, dark: name === "human" ? others : null },
      players: { light: "human", dark: name === "human" || source.hasValues ? name : "random" },
    });
  };
  const id = `game-${game.name}`;
  return make("li", { class: "card" },
    make("h3", { id }, game.title),
    make("p", {}, game.sentence),
    make("ul", { class: "facts faint" }, ...facts(game, source, on),
      source.hasValues || opponent() === "human" ? null : make("li", {}, say("start.unsolved"))),
    make("p", { class: "buttons" },
      button(say("start.play"), play, { class: "main", "aria-describedby": id }),
      button(say("head.rules"), () => on.rules(source.path), { "aria-describedby": id })));
}
