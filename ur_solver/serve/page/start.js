// The first screen: games to choose from, and whom to play.

import { games } from "./api.js";
import { at, button, make } from "./dom.js";
import { LEVELS, counted } from "./words.js";

const OPPONENTS = ["weak", "medium", "strong", "table", "human"];
const FRIEND = "Two people here";

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

function facts({ measured, pieces, sources }, source) {
  const items = [source.pieces === pieces ? counted(pieces, "piece") + " each"
    : `${counted(source.pieces, "piece")} each here against the computer; the whole game has ${pieces}`];
  if (measured) {
    const few = measured.pieces === source.pieces ? "" : ` with ${measured.pieces} pieces`;
    items.push(`about ${Math.round(measured.throws)} throws a game${few}`);
    const won = Math.max(1, Math.round(100 * measured.greedy));
    items.push(`luck or skill: against perfect play, a simple rule of thumb wins ${won} of 100 games${few}`);
  }
  if (sources.length) items.push(`source: ${sources.join("; ")}`);
  return items;
}

/** The opponent that is chosen. */
const opponent = () => document.querySelector("#opponents input:checked").value;

/**
 * Show the games.
 * @param {{rules: any[], tables: any[]}} known
 * @param {{play: (choice: object) => void, rules: (path: string) => void}} on
 */
export function showStart({ rules, tables }, on) {
  at("opponents").replaceChildren(make("legend", {}, "Whom do you play?"),
    ...OPPONENTS.map((name) => make("label", {},
      make("input", { type: "radio", name: "opponent", value: name, checked: name === "medium" }),
      ` ${LEVELS[name] ?? FRIEND}`)));
  const show = () => {
    const cards = rules.map((game) => card(game, tables, on));
    at("hero-card").replaceChildren(...cards[0].childNodes);
    at("games").replaceChildren(...cards.slice(1));
    showHero(rules[0], sourceOf(rules[0], tables, opponent() !== "human").pieces);
  };
  at("opponents").onchange = show;
  show();
}

/** The way on with the game that was played last, if it is not over. */
export function showLast(kept, open) {
  const played = kept.filter((each) => each.address && each.kind !== "opened");
  const last = played.reduce((one, two) => (!one || two.changed > one.changed ? two : one), null);
  const isOpen = last && !last.result;
  at("continue").hidden = !isOpen;
  if (isOpen) at("continue").replaceChildren(button("Go on with the last game", () => open(last)));
}

/** Let the first picture have as many pieces as the game beside it, if it shows that game. */
function showHero({ name }, pieces) {
  const picture = at("hero").firstElementChild;
  picture.hidden = picture.dataset.game !== name;
  for (const tray of picture.querySelectorAll(".tray")) {
    const spares = [...tray.querySelectorAll(".spare")];
    const text = tray.querySelector("text");
    text.textContent = text.textContent.replace(/\d+$/, String(pieces));
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
    make("ul", { class: "facts faint" }, ...facts(game, source).map((fact) => make("li", {}, fact)),
      source.hasValues || opponent() === "human" ? null : make("li", {}, "not solved here: the computer plays any legal move")),
    make("p", { class: "buttons" },
      button("Play", play, { class: "main", "aria-describedby": id }),
      button("Rules", () => on.rules(source.path), { "aria-describedby": id })));
}
