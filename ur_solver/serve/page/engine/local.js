// The page's own answers, on a site without a server: those of the HTTP interface, made of files.

import { once } from "../once.js";
import { Refusal } from "../refusal.js";
import { diceAnswer } from "./dice.js";
import { auditAnswer, converted } from "./games.js";
import { exercisesAnswer } from "./exercises.js";
import { lineAnswer } from "./line.js";
import { Moves } from "./moves.js";
import { openingAnswer } from "./opening.js";
import { Unfolded, boardAnswer } from "./position.js";

const VERSION = 1;

/** What a site cannot answer, as `about.missing` has it. */
const MISSING = ["report"];

/** The notations that are read and written here. */
const NOTATIONS = ["ur", "rgn"];

export class Local {
  /** @param {string} folder the address of the data, with a slash at its end */
  constructor(folder) {
    this.folder = folder;
    /** @type {Map<string, Promise<any>>} what was loaded, by address or id */
    this.kept = new Map();
  }

  /** The answer to a request; with a body that of POST. @param {string} path @param {any} [body] */
  async answer(path, body) {
    const url = new URL(path, "http://page/");
    const [kind, word, what = "about"] = url.pathname.slice(1).split("/").map(decodeURIComponent);
    const index = await this.index();
    if (path === "/rules") return index.games;
    if (path === "/tables") return { tables: index.tables };
    const handler = HANDLERS[body ? `${what} of a body` : what];
    if (!word || !handler) throw new Refusal("This site has no server, which this would need; “ur serve” is one.");
    return handler.call(this, await this.judge(kind, word), body ?? url.searchParams);
  }

  // Files.

  async file(path) {
    const reply = await fetch(this.folder + path).catch(() => null);
    if (!reply?.ok) throw new Refusal("A file of this site cannot be loaded; is there a network?");
    return reply;
  }

  index() {
    return once(this.kept, "index", async () => {
      const index = await (await this.file("index.json")).json();
      if (index.version !== VERSION) throw new Refusal("The page and its data are of different versions; load the page again.");
      return index;
    });
  }

  // Rule sets and their values.

  moves(path) {
    return once(this.kept, path, async () => new Moves(await (await this.file(path)).json()));
  }

  /** A table or a rule set, with what answers for it. */
  async judge(kind, word) {
    const index = await this.index();
    if (kind === "tables") {
      const entry = index.tables.find((each) => each.id === word);
      if (!entry) throw new Refusal(`There is no table ${word} on this site.`);
      const rules = this.moves(entry.rules_file);
      const values = await once(this.kept, `values of ${word}`, () => this.values(entry, rules));
      return { moves: await rules, values, entry, opening: entry.opening_value, prose: entry.prose };
    }
    const found = index.rules.find((each) => `${each.name}:${each.pieces}` === word || each.name === word);
    if (!found) throw new Refusal(`The rules ${word} are not on this site.`);
    return { moves: await this.moves(found.rules_file), values: null, entry: null, opening: null, prose: found.prose };
  }

  async buffer(path) {
    return (await this.file(path)).arrayBuffer();
  }

  /** What gives the values of a table; its first file and its rules are loaded side by side. */
  async values({ values, ...entry }, rules) {
    const [{ open }, head, moves] = await Promise.all([
      import("./values.js"), this.buffer(values.head), rules]);
    return open({ ...entry, values }, moves, async (path) => (path === values.head ? head : this.buffer(path)));
  }
}

/** By what is asked: what answers, given the judge and the parameters or the body. */
const HANDLERS = {
  about: ({ moves, entry }) => ({
    ...moves.about, ...entry, missing: MISSING,
    notations: moves.about.notations.filter((each) => NOTATIONS.includes(each)),
  }),
  async prose({ prose }) {
    return (await this.file(prose)).json();
  },
  position: ({ moves, values }, asked) =>
    new Unfolded(moves, values, asked.get("position"), asked.get("drawing")).answer(),
  board: ({ moves }, asked) =>
    boardAnswer(moves, asked.get("position"), asked.get("drawing") ?? "light"),
  opening: (judge, asked) => openingAnswer(judge, asked.get("marker"), asked.get("drawing")),
  exercises: (judge, asked) => exercisesAnswer(judge, asked),
  "line of a body": (judge, { start, turns }) => lineAnswer(judge, start, turns),
  "audit of a body": (judge, { text }) => auditAnswer(judge, text),
  "dice of a body": (judge, counts) => diceAnswer(judge, counts),
  "convert of a body": ({ moves }, { text, notation }) => converted(moves, text, notation),
};
