// What the server is asked. Answers to positions are kept: a state of the board costs one request.

const BASE = "api/v1"; // relative: the server may be under a path of a proxy
const kept = new Map();
const MOST_KEPT = 500;

/** A refusal of the server: one sentence, and the place in the text that it is about. */
export class Refusal extends Error {
  /** @param {string} message @param {{line: number, column: number | null} | null} place */
  constructor(message, place = null) {
    super(message);
    this.place = place;
  }
}

async function ask(path, options) {
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
  return reply;
}

async function post(path, values) {
  const headers = { "Content-Type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(values) });
}

/** @param {string} path */
export async function get(path) {
  return (await ask(path)).json();
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

  about() {
    return get(`/${this.path}`);
  }

  /** A position unfolded, with the board drawn for the side `view` on top. */
  position(text, view) {
    const path = `/${this.path}/position?position=${encodeURIComponent(text)}&drawing=${view}`;
    if (!kept.has(path)) {
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
      kept.set(path, get(path).catch((error) => {
        kept.delete(path);
        throw error;
      }));
    }
    return kept.get(path);
  }

  /** A position that may have faults. */
  board(text, view) {
    return get(`/${this.path}/board?position=${encodeURIComponent(text)}&drawing=${view}`);
  }

  /** The rules in prose. */
  prose() {
    return get(`/${this.path}/prose`);
  }

  async line(start, turns) {
    return (await post(`/${this.path}/line`, { start, turns })).json();
  }

  async audit(text) {
    return (await post(`/${this.path}/audit`, { text })).json();
  }

  async report(text) {
    return (await post(`/${this.path}/report`, { text })).text();
  }

  async convert(text, notation) {
    return (await post(`/${this.path}/convert`, { text, notation })).text();
  }

  /** Decisions drawn from play, by a seed; `cost` is the least that a mistake loses. */
  async exercises({ seed, count, cost }) {
    return (await get(`/${this.path}/exercises?seed=${seed}&count=${count}&cost=${cost}`)).exercises;
  }

  /** Counts of throws by side, compared with those of fair dice. */
  async dice(counts) {
    return (await post(`/${this.path}/dice`, counts)).json();
  }
}
