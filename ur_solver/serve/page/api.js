// What the server is asked, or on a site without one the page's own engine, which answers the same.
// Answers on rules and positions are kept: a state of the board costs one request.

import { once } from "./once.js";
import { Refusal } from "./refusal.js";

const BASE = "api/v1"; // relative: the server may be under a path of a proxy
const kept = new Map();
const MOST_KEPT = 500;

/** The folder of a published site's data; undefined where a server answers. */
const DATA = document.querySelector("meta[name=ur-data]")?.getAttribute("content");
const local = DATA && import("./engine/local.js").then(({ Local }) => new Local(DATA));

/** The answer to a request, which has a body if there are `values`: what its JSON says, or a text. */
async function get(path, values) {
  if (local) return (await local).answer(path, values);
  const headers = { "Content-Type": "application/json" };
  const options = values && { method: "POST", headers, body: JSON.stringify(values) };
  let reply;
  try {
    reply = await fetch(BASE + path, options);
  } catch {
    throw new Refusal("The server does not answer; is “ur serve” still running?");
  }
  if (!reply.ok) {
    const { message, place } = await reply.json().catch(() => ({}));
    throw new Refusal(message ?? `The server answered ${reply.status}.`, place);
  }
  return reply.headers.get("Content-Type").startsWith("application/json") ? reply.json() : reply.text();
}

/** The games to choose from, and the tables and estimators that answer for them. */
export const games = () => once(kept, "rules", () => get("/rules"), MOST_KEPT);

/** A source of answers: `tables/finkel-3`, or `rules/finkel:3` where nothing is solved. */
export class Source {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
  }

  get hasValues() {
    return this.path.startsWith("tables/");
  }

  about() {
    return once(kept, this.path, () => get(`/${this.path}`), MOST_KEPT);
  }

  /** A position unfolded, with the board drawn for the side `view` on top. */
  position(text, view) {
    const path = `/${this.path}/position?position=${encodeURIComponent(text)}&drawing=${view}`;
    return once(kept, path, () => get(path), MOST_KEPT);
  }

  /** A position that may have faults. */
  board(text, view) {
    return get(`/${this.path}/board?position=${encodeURIComponent(text)}&drawing=${view}`);
  }

  /** The rules in prose. */
  prose() {
    return get(`/${this.path}/prose`);
  }

  /** A round of the opening, from light's marker on a square, or from home. */
  opening(marker, view) {
    return get(`/${this.path}/opening?marker=${marker ?? ""}&drawing=${view}`);
  }

  line(start, turns) {
    return get(`/${this.path}/line`, { start, turns });
  }

  audit(text) {
    return get(`/${this.path}/audit`, { text });
  }

  report(text) {
    return get(`/${this.path}/report`, { text });
  }

  convert(text, notation) {
    return get(`/${this.path}/convert`, { text, notation });
  }

  /**
   * Decisions drawn from play, by a seed; `cost` is the least that a mistake loses, a share of what there
   * is to win. @returns {Promise<import("./kept.js").Exercise[]>}
   */
  async exercises({ seed, count, cost }) {
    const { path } = this;
    const { exercises } = await get(`/${path}/exercises?seed=${seed}&count=${count}&cost=${cost}`);
    return exercises.map(({ position, choice, throws }) => ({ path, position, choice, throws }));
  }

  /** Counts of throws by side, compared with those of fair dice. */
  dice(counts) {
    return get(`/${this.path}/dice`, counts);
  }
}
