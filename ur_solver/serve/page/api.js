// What the page asks: its own engine, which knows rule sets by their data, and gets data and values
// from the server or from the files of a site. Answers are kept.

import { Missing, Refusal, once, part } from "./common.js";
import { counting, soundFile } from "./files.js";
import { gamesOf, proseOf, rulesOf } from "./translated.js";

/** The folder of a published site's data; undefined where a server answers. */
const META = document.querySelector("meta[name=ur-data]");
const SITE = META?.getAttribute("content");
// relative: the page may be under a path of a proxy
const BASE = "api/v1/";
const VERSION = 4;
const INDEX = "index.json";
const MOST_KEPT = 500;

const engine = part(import("./engine/answers.js"));
engine.catch(() => window.failing?.());
/** @type {Map<string, Promise<any>>} */
const kept = new Map();
/** @type {Map<string, Promise<any>>} positions unfolded */
const unfolded = new Map();

/** A file of a site, by its digest, which the index has of most. */
async function buffer(path, digest = null) {
  const known = digest ?? (path === INDEX ? META.getAttribute("data-index") : (await games()).sums[SITE + path]?.[1]);
  if (!known) throw new Refusal(["files.stranger", { path }]);
  return counting(soundFile(SITE + path, known));
}

/** The server's answer to a request, which has a body if there are `values`. */
async function get(path, values) {
  const headers = { "Content-Type": "application/json" };
  const options = values && { method: "POST", headers, body: JSON.stringify(values) };
  const reply = await counting(fetch(BASE + path, options)).catch(() => null);
  if (reply?.ok) return reply;
  if (!reply) throw new Missing(["server.silent"]);
  const { message, place } = await reply.json().catch(() => ({}));
  throw new Refusal(message ?? ["server.status", { status: String(reply.status) }], place);
}

const text = async (path, values) => (await get(path, values)).text();
async function json(path, values) {
  return SITE ? JSON.parse(new TextDecoder().decode(await buffer(path))) : (await get(path, values)).json();
}

/** The games to choose from, and the tables and estimators that answer for them. */
export const games = () => once(kept, "games", async () => {
  const found = await json(SITE ? INDEX : "rules");
  if (SITE && found.version !== VERSION) throw new Missing(["files.versions"], window.loadAnew);
  return gamesOf(found);
});

/**
 * Where the data of a source are, which a site's index says.
 * @returns {Promise<{data: string, prose: string, values: any, facts: any}>}
 */
async function placeOf(kind, word) {
  if (!SITE) {
    const folder = `${kind}/${encodeURIComponent(word)}`;
    const values = kind === "tables" ? { kind: "served", head: `${folder}/values` } : null;
    return { folder, data: `${folder}/data`, prose: `${folder}/prose`, values, facts: {} };
  }
  const { tables, files } = await games();
  if (kind === "tables") {
    const facts = tables.find((each) => each.id === word);
    if (facts) return { ...facts, facts };
    throw new Refusal(["files.no-table", { word }]);
  }
  const found = files.find((each) => `${each.name}:${each.pieces}` === word || each.name === word);
  if (!found) throw new Refusal(["files.no-rules", { word }]);
  return { ...found, values: null, facts: {} };
}

/** A source of answers: `tables/finkel-3`, or `rules/finkel:3` where nothing is solved. */
export class Source {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
  }

  get hasValues() {
    return this.path.startsWith("tables/");
  }

  /** Whether games can be judged on a page of their own, which a server writes. */
  get hasReports() {
    return this.hasValues && !SITE;
  }

  // What answers.

  place() {
    const [kind, word] = [this.path.split("/", 1)[0], this.path.slice(this.path.indexOf("/") + 1)];
    return once(kept, `place ${this.path}`, () => placeOf(kind, word));
  }

  /** The rule set, and what gives its values; both are loaded side by side. */
  judge() {
    return once(kept, `judge ${this.path}`, async () => {
      const { data, values, facts } = await this.place();
      const rules = once(kept, data, async () => rulesOf(await json(data)));
      const { Moves, NOTATIONS, open } = await engine;
      const made = rules.then((found) => new Moves(found));
      const [moves, opened] = await Promise.all([
        made, values && once(kept, values.head, () => open(values, facts, made, buffer, json))]);
      const about = { ...moves.about, ...facts };
      if (SITE) about.notations = about.notations.filter((each) => NOTATIONS.includes(each));
      return { moves, values: opened, opening: about.opening_value, about };
    });
  }

  /** An answer of the engine, by what makes it. */
  async answer(make) {
    const [judge, made] = await Promise.all([this.judge(), engine]);
    return make(made, judge);
  }

  /** An answer of the server about this source. */
  async asked(what, values, as = json) {
    return as(`${(await this.place()).folder}/${what}`, values);
  }

  // What is asked.

  async about() {
    return (await this.judge()).about;
  }

  /** A position unfolded, with the board drawn for the side `view` on top. */
  position(text, view) {
    return once(unfolded, `${this.path} ${view} ${text}`, () => this.answer(({ Unfolded }, { moves, values }) =>
      new Unfolded(moves, values, text, view).answer()), MOST_KEPT);
  }

  /** A position that may have faults. */
  board(text, view) {
    return this.answer(({ boardAnswer }, { moves }) => boardAnswer(moves, text, view));
  }

  /** The rules in prose. */
  async prose() {
    return proseOf(await json((await this.place()).prose));
  }

  /** A round of the opening, from light's marker on a square, or from home. */
  opening(marker, view) {
    return this.answer(({ openingAnswer }, judge) => openingAnswer(judge, marker, view));
  }

  /** Turns played from a position, judged. */
  line(start, turns) {
    return this.answer(({ lineAnswer }, judge) => lineAnswer(judge, start, turns));
  }

  /**
   * Decisions drawn from play, by a seed; `cost` is the least that a mistake loses, a share of what there
   * is to win. `meet` gets each as soon as it is found, and may let the search for others wait.
   * @param {(found: import("./exercises.js").Exercise) => any} meet
   * @returns {Promise<import("./exercises.js").Exercise[]>}
   */
  async exercises(wanted, meet = () => null) {
    const { path } = this;
    const of = ({ position, choice, throws }) => ({ path, position, choice, throws });
    const found = await this.answer(({ exercisesAnswer }, judge) =>
      exercisesAnswer(judge, wanted, (each) => meet(of(each))));
    return found.map(of);
  }

  /** Counts of throws by side, compared with those of fair dice. */
  dice(counts) {
    return this.answer(({ diceAnswer }, judge) => diceAnswer(judge, counts));
  }

  // What people write by hand wants the server; what programs write is read without one.

  async audit(games) {
    const audited = (text) => this.answer(({ auditAnswer }, judge) => auditAnswer(judge, text));
    if (SITE) return audited(games);
    return this.hasValues ? this.asked("audit", { text: games }) : audited(await this.convert(games, "ur"));
  }

  convert(games, notation) {
    return SITE ? this.answer(({ converted }, { moves }) => converted(moves, games, notation))
      : this.asked("convert", { text: games, notation }, text);
  }

  report(games) {
    return this.asked("report", { text: games }, text);
  }
}
