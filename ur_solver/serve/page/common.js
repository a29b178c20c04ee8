// What any part of the page needs: what is kept, chance, refusals, actions one after the other, options.

import { said } from "./speech.js";

/**
 * A refusal: one sentence, and the place in the text that it is about. It keeps the key and the arguments of
 * its sentence, as a worker, which has no texts, hands them to the page.
 * @typedef {string | [string, Record<string, any>?]} Saying a text as it is, or a key with its arguments
 */
export class Refusal extends Error {
  /** @param {Saying} saying @param {{line: number, column: number | null} | null} place */
  constructor(saying, place = null) {
    super(said(saying));
    this.saying = saying;
    this.place = place;
  }
}

/** A turn of several that cannot be played, and why. */
export class TurnRefusal extends Refusal {
  /** @param {number} turn from 1 @param {Refusal} fault */
  constructor(turn, fault) {
    super(["refused.turn", { turn: String(turn), fault: fault.message }]);
    this.turn = turn;
    this.fault = fault;
  }
}

/** Something that did not come; whoever wants it may try again. */
export class Missing extends Refusal {
  /** @param {Saying} saying @param {(() => void) | null} again what brings it, other than doing the same */
  constructor(saying, again = null) {
    super(saying);
    this.again = again;
  }
}

/** A module that is loaded when it is needed. @param {Promise<any>} loaded */
export function part(loaded) {
  return loaded.catch(() => {
    throw new Missing(["guard.fault"], window.loadAnew);
  });
}

/**
 * What is kept under a key, made if it is not there. A failure is not kept; of more than `most` the
 * one that nobody has asked for for longest goes.
 * @param {Map<string, Promise<any>>} kept @param {string} key @param {() => Promise<any>} make
 */
export function once(kept, key, make, most = Infinity) {
  const found = kept.get(key) ?? make().catch((error) => {
    kept.delete(key);
    throw error;
  });
  kept.delete(key);
  kept.set(key, found);
  if (kept.size > most) kept.delete(kept.keys().next().value);
  return found;
}

// Chance: from a seed, so that the same question has the same answer, or fair.

/** Numbers in [0, 1) from a seed (mulberry32). @param {number} seed */
export function drawnFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}

const fair = () => crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;

/** One of several by their weights, and by a number in [0, 1). */
export function picked(options, weight, number = fair()) {
  let left = number * options.reduce((sum, each) => sum + weight(each), 0);
  return options.find((each) => (left -= weight(each)) < 0) ?? options.at(-1);
}

/** A key that nothing else has. */
export const newKey = () => [...crypto.getRandomValues(new Uint32Array(3))].map((each) => each.toString(36)).join("-");

/** A short key of a text (FNV-1a, twice with different starts). */
export function hashed(text) {
  return [0x811c9dc5, 0x9dc5811c].map((start) => [...text]
    .reduce((sum, letter) => Math.imul(sum ^ letter.codePointAt(0), 0x01000193) >>> 0, start).toString(36)).join("");
}

/** The same decision has the same key, whatever was played. */
export function keyOf({ path, position, choice, throws }) {
  return [path, position, choice ?? "", throws.join("-")].join(" ");
}

// What people do, one thing after the other: nothing happens while an answer is awaited.

const MOST_WAITING = 8;

/** A queue of actions. An action looks at the state when its turn comes, not when it was asked for. */
export class Queue {
  /** @param {{busy: (isBusy: boolean) => void, failed: (error: Error, again: () => void) => void}} on */
  constructor(on) {
    this.on = on;
    this.waiting = 0;
    this.last = Promise.resolve();
  }

  /** A handler that puts an action into the queue; what comes too fast to be meant is ignored. */
  run(action) {
    return (...given) => {
      if (this.waiting >= MOST_WAITING) return this.last;
      this.waiting += 1;
      this.on.busy(true);
      const failed = (error) => this.on.failed(error, () => this.run(action)(...given));
      this.last = this.last.then(() => action(...given)).catch(failed).then(() => {
        this.waiting -= 1;
        if (!this.waiting) this.on.busy(false);
      });
      return this.last;
    };
  }
}

/**
 * Change the entry of the browser's history, or add one; false where the browser refuses, as WebKit does
 * after 100 of them in 30 seconds. @param {"pushState" | "replaceState"} how
 */
export function entered(how, state, address) {
  try {
    history[how](state, "", address);
    return true;
  } catch {
    return false;
  }
}

// What somebody likes the page to do, kept in the browser.

const KEY = "ur-options";

/** `language` is empty for that of the browser. @type {{sound: boolean, forced: boolean, chances: boolean, turned: boolean, pace: string, language: string}} */
export const options = { sound: false, forced: false, chances: false, turned: false, pace: "easy", language: "", ...read(KEY, {}) };

/** Set an option, and keep it. */
export function setOption(name, value) {
  options[name] = value;
  keep(KEY, options);
}

/** What was kept under a key; browsers may forbid it. */
export function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // a browser that keeps nothing
  }
}
