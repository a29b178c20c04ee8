// What this device keeps: games and mistakes, each an entry of its own in the browser's database, and
// nowhere else. Tabs hear of each other. Where the browser keeps nothing, the page keeps it while it is open.

import { say } from "./speech.js";

const NAME = "ur-solver";
const SHELVES = ["games", "mistakes"];
/** The keys of `localStorage` under which earlier versions of the page kept games and mistakes. */
const EARLIER = ["ur-recording", "ur-learning", "ur-last-game"];

/** What a request gives. @param {IDBRequest} request @returns {Promise<any>} */
const given = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/**
 * Makes an entry of what is under a key: `undefined` leaves that, `null` removes it. An entry with
 * another key is put there, and what is under this one stays.
 * @typedef {(there: any) => any} Make
 */

class Device {
  constructor() {
    /** Why something is not kept beyond this page; empty where all is. */
    this.fault = "";
    /** What the database has not taken. @type {Map<string, Map<string, any>>} */
    this.own = new Map(SHELVES.map((each) => [each, new Map()]));
    this.last = Promise.resolve();
    /** @type {Promise<IDBDatabase | null> | null} */
    this.opened = null;
    /** Called after a change, of this tab or another. @type {Set<() => void>} */
    this.listeners = new Set();
    this.channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(NAME);
    this.channel?.addEventListener("message", () => this.heard());
  }

  heard() {
    for (const each of this.listeners) each();
  }

  /** All entries of a shelf. @returns {Promise<any[]>} */
  all(shelf) {
    return this.next(async () => {
      const database = await this.database();
      const found = database ? await this.tried(() => given(database.transaction(shelf).objectStore(shelf).getAll())) : [];
      const own = this.own.get(shelf);
      return [...(found ?? []).filter((each) => !own.has(each.key)), ...own.values()].filter(Boolean);
    });
  }

  /** The entry under a key; null if there is none. */
  async find(shelf, key) {
    return (await this.all(shelf)).find((each) => each.key === key) ?? null;
  }

  /**
   * Change some entries, all or none; the entries as they were made.
   * @param {string} shelf @param {[string, Make][]} changes
   */
  change(shelf, changes) {
    return this.next(() => this.changed(shelf, changes));
  }

  /** Remove all entries of a shelf. */
  clear(shelf) {
    return this.next(async () => {
      const database = await this.database();
      this.own.get(shelf).clear();
      if (database) {
        await this.tried(() => given(database.transaction(shelf, "readwrite").objectStore(shelf).clear()));
      }
      this.tell();
    });
  }

  // One thing after the other.

  next(action) {
    const done = this.last.then(action);
    this.last = done.catch(() => null);
    return done;
  }

  tell() {
    this.channel?.postMessage(null);
    this.heard();
  }

  database() {
    this.opened ??= opened().then((database) => {
      // cleared by its user, or another version of the page wants it
      const forget = () => {
        this.opened = null;
      };
      database.addEventListener("close", forget);
      database.addEventListener("versionchange", () => {
        database.close();
        forget();
      });
      return database;
    }).catch(() => {
      this.fault = say("device.nothing");
      return null;
    }).then(async (database) => {
      await this.takeEarlier(database);
      return database;
    });
    return this.opened;
  }

  /** What a use of the database gives; null where it fails. */
  async tried(use) {
    try {
      return await use();
    } catch {
      this.fault ||= say("device.unread");
      return null;
    }
  }

  async changed(shelf, changes) {
    const database = await this.database();
    const made = await this.made(database, shelf, changes);
    this.tell();
    return made;
  }

  async made(database, shelf, changes) {
    const own = this.own.get(shelf);
    const take = (key, there, make) => {
      const entry = make(there ?? null);
      return entry === undefined ? { key, entry: there ?? null, isChanged: false } : { key: entry?.key ?? key, entry, isChanged: true };
    };
    const taken = [];
    try {
      if (!database) throw new Error("no database");
      const transaction = database.transaction(shelf, "readwrite");
      const store = transaction.objectStore(shelf);
      const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      done.catch(() => null);
      for (const [key, make] of changes) {
        const there = own.has(key) ? own.get(key) : await given(store.get(key));
        const each = take(key, there, make);
        if (each.isChanged) await given(each.entry ? store.put(each.entry) : store.delete(each.key));
        taken.push(each);
      }
      await done;
      for (const { key } of taken) own.delete(key);
    } catch (error) {
      if (database) {
        this.fault = error?.name === "QuotaExceededError"
          ? say("device.full")
          : say("device.failed");
      }
      taken.splice(0);
      for (const [key, make] of changes) {
        const there = own.has(key) ? own.get(key) : database && await this.tried(() =>
          given(database.transaction(shelf).objectStore(shelf).get(key)));
        const each = take(key, there, make);
        if (each.isChanged) own.set(each.key, each.entry);
        taken.push(each);
      }
    }
    return taken.map(({ entry }) => entry);
  }

  /** Take over, once, what an earlier version of the page has kept; what cannot be read stays there. */
  async takeEarlier(database) {
    let texts = [];
    try {
      texts = EARLIER.map((key) => localStorage.getItem(key));
    } catch {
      // a browser that keeps nothing has nothing
    }
    if (!texts.some(Boolean)) return;
    const exchange = await import("./exchange.js").catch(() => null); // without a network, the next time
    for (const [k, text] of exchange ? texts.entries() : []) {
      const entries = text ? exchange.entriesOf(EARLIER[k], text) : null;
      if (!entries) continue;
      for (const shelf of SHELVES) {
        await this.made(database, shelf, entries[shelf].map((each) => [each.key, (there) => (there ? undefined : each)]));
      }
      if (!this.fault) localStorage.removeItem(EARLIER[k]);
    }
  }
}

/** @returns {Promise<IDBDatabase>} */
function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      for (const each of SHELVES) request.result.createObjectStore(each, { keyPath: "key" });
    };
    given(request).then(resolve, reject);
  });
}

export const device = new Device();
