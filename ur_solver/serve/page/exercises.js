// Exercises: decisions to practise, where they come from, and what their options are worth.

import { Source } from "./api.js";
import { hashed, keyOf, newKey } from "./common.js";
import { device } from "./device.js";
import { sideOf, verdictOf, writeTree } from "./tree.js";
import { say } from "./speech.js";
import { SIDES, Units, choiceWord, entryOf, errorOf, lossWords, other, throwsOf, thrownWords } from "./words.js";

const SERIOUS = ["mistake", "blunder"];

/** The mistakes and blunders of the line that is followed, against the program one's own. @returns {Exercise[]} */
export function mistakesOf(session) {
  const { ownSide } = session;
  if (!session.source?.hasValues) return [];
  return session.root.line.flatMap((node) => node.plies)
    .filter((ply) => SERIOUS.includes(ply.mark) && (!ownSide || ply.side === ownSide))
    .map((ply) => exerciseOf(session, ply));
}

/** The decision of a judged ply. @returns {Exercise} */
export function exerciseOf(session, ply) {
  const isBeforeThrow = ply.throw === null;
  return {
    path: session.source.path, position: ply.position, side: ply.side,
    choice: isBeforeThrow ? null : ply.choice ?? null, throws: isBeforeThrow ? [] : throwsOf(ply),
    played: ply.move,
  };
}

/** An exercise with the position unfolded, and its options in an order that gives nothing away. */
export class Question {
  /** @param {Exercise} exercise @param {boolean} isTurned whether the pieces to move are far instead of near */
  static async of(exercise, isTurned = false) {
    const own = exercise.position.split(" ")[1] === "L" ? "light" : "dark";
    const view = isTurned ? own : other(own);
    const source = new Source(exercise.path);
    const [about, answer] = await Promise.all([source.about(), source.position(exercise.position, view)]);
    return new Question(exercise, source, about, answer, view);
  }

  constructor(exercise, source, about, answer, view) {
    Object.assign(this, { exercise, source, about, answer, view });
    this.units = new Units(about);
    this.options = (exercise.throws.length ? this.moves() : this.choices())
      .sort((one, two) => one.text.localeCompare(two.text));
    [this.best, this.second] = [...this.options].sort((one, two) => one.loss - two.loss);
  }

  get isBeforeThrow() {
    return !this.exercise.throws.length;
  }

  get words() {
    const { side } = this.answer;
    if (this.isBeforeThrow) return say("question.choice", { side });
    const { choice, throws } = this.exercise;
    const given = { side, throws: thrownWords(throws) };
    return choice ? say("question.chosen", { ...given, choice: choiceWord(choice) }) : say("question.move", given);
  }

  moves() {
    const { choice, throws } = this.exercise;
    const entry = entryOf(this.answer.throws.filter((each) => (each.choice ?? null) === choice), throws);
    return (entry?.moves ?? []).map((move) => ({
      ...move, text: move.move, doubt: move.loss_error ?? 0, error: errorOf(move),
    }));
  }

  choices() {
    const { choices, choice_errors: errors, choice_loss_errors: doubts } = this.answer;
    const known = Object.entries(choices ?? {}).filter(([, value]) => value !== null);
    const most = Math.max(...known.map(([, value]) => value));
    return known.map(([text, value]) => ({
      text, value, loss: most - value, doubt: doubts?.[text] ?? 0, error: errors?.[text] ?? 0,
    }));
  }

  /** An option: a move in the notation, or a choice before the throw in words. */
  textOf({ text }) {
    return this.isBeforeThrow ? choiceWord(text) : text;
  }

  /** Whether an option is the best, too close to call or worse. */
  verdict(option) {
    return verdictOf(this.answer.total, option.loss, option.doubt);
  }

  /** What an option loses, with its unit. */
  lost(option) {
    return lossWords(this.units.difference(-option.loss, 2, option.doubt), this.verdict(option));
  }

  /** What the next throw may do after an option, in numbers; null after a choice before the throw. */
  async after(option) {
    if (!option.position) return null;
    const next = await this.source.position(option.position, this.view);
    if (next.winner || next.throws.some((each) => each.choice)) return null;
    const chance = (does) => next.throws
      .filter((each) => each.moves.some((move) => move[does]))
      .reduce((sum, each) => sum + each.probability, 0);
    return { side: next.side, captures: chance("capture"), again: chance("again") };
  }
}

// What this device keeps of games (`device.js`): games themselves, and mistakes to be practised.

/** Days until an exercise comes again, by its box: a right answer moves it to the next box. */
export const DAYS = [0, 1, 3, 7, 21];

/**
 * A decision to practise: the choice before a throw where `throws` is empty, else a move. `asked` and
 * `right` count first answers.
 * @typedef {{path: string, position: string, choice: string | null, throws: number[], side?: string,
 *   played?: string | null, key?: string, box?: number, due?: number, asked?: number, right?: number}} Exercise
 * A game that is kept: `line` has its turns as an address has them, `recording` what its recorder needs to
 * go on, `costs` what the dice brought and moves lost by side, and `throws` how often each number fell.
 * @typedef {{key: string, kind: "played" | "analysed" | "opened" | "recorded", begun: number, changed: number,
 *   path: string, word: string, names: {[side: string]: string | null}, players: {[side: string]: string},
 *   title?: string, ended: number | null, result: "light" | "dark" | "draw" | null, line: string, address: string | null,
 *   recording?: any, costs?: any, throws: {light: object, dark: object}}} Game
 */

/** The number of a day, in the time of this place. */
export function today() {
  const now = new Date();
  return Math.floor((now.getTime() / 60000 - now.getTimezoneOffset()) / 1440);
}

export const isDue = (mistake) => mistake.due <= today();

export const kept = {
  /** @returns {Promise<Exercise[]>} */
  mistakes: () => device.all("mistakes"),

  /** @returns {Promise<Game[]>} */
  games: () => device.all("games"),

  /** Keep mistakes that are new. @param {Exercise[]} mistakes */
  async learn(mistakes) {
    if (!mistakes.length) return;
    await device.change("mistakes", mistakes.map((each) => [keyOf(each), (there) =>
      (there ? undefined : { ...each, key: keyOf(each), box: 0, due: today(), asked: 0, right: 0 })]));
  },

  /**
   * Keep a game under its key; one that another tab has changed since it had the line `base` here stays, and
   * this one gets a key of its own. @returns {Promise<Game>} as it is kept
   */
  async keep(game, base = game.line) {
    const [made] = await device.change("games", [[game.key, (there) => {
      const isOurs = !there || there.line === base || game.line.startsWith(there.line);
      const own = isOurs ? game : { ...game, key: newKey() };
      const now = Date.now();
      const made = { begun: now, changed: now, result: null, ...there, ...own };
      if (there?.line !== made.line) made.changed = now;
      made.ended = made.result && (there?.result === made.result ? there.ended : now);
      return made;
    }]]);
    return made;
  },

  /**
   * Note the verdict on the first answer to an exercise; the days until it comes again, null of one that is
   * not kept. What is too close to call counts as no right answer, but is no reason to ask again soon.
   */
  async answer(exercise, verdict) {
    const [found] = await device.change("mistakes", [[keyOf(exercise), (there) => {
      if (!there) return undefined;
      const box = verdict !== "worse" ? Math.min(there.box + 1, DAYS.length - 1) : 1;
      const count = (key, more) => (there[key] ?? 0) + Number(more);
      return { ...there, box, due: today() + DAYS[box], asked: count("asked", true), right: count("right", verdict === "best") };
    }]]);
    return found && DAYS[found.box];
  },
};

/** What fell in a round of an opening, light's throw first, as records write it. */
const ROUND = /(?:^|,)\s*(\d+)(?:-(\d+))?/g;

/**
 * The throws of the game on the page by side: those of the opening too, but no first throw that the
 * rules give.
 */
export function throwsIn({ root, about, opening, isGiven }) {
  const throws = { light: {}, dark: {} };
  const count = (side, fallen) => {
    // an address may say anything of an opening
    if (!about.dice.some((face) => face.throw === fallen)) return;
    throws[side][fallen] = (throws[side][fallen] ?? 0) + 1;
  };
  for (const [, light, dark] of opening.matchAll(ROUND)) {
    count("light", Number(light));
    count("dark", Number(dark));
  }
  root.line.slice(isGiven ? 2 : 1).forEach(({ turn, plies }) => {
    for (const each of turn.throws) count(plies.at(-1).side, each);
  });
  return throws;
}

/** The game on the page, to be kept. @returns {Partial<Game> & {key: string, line: string}} */
export function gameOf(session) {
  const { about, source, players, names, root } = session;
  const tree = writeTree(root);
  const line = `${root.position} ${tree}`;
  const isPlayed = session.isPlayed || SIDES.some((side) => players[side] !== "human");
  // what is tried out when a game is gone through is no part of what it has come to
  const facts = session.isPlayed || !tree.includes("(") ? factsOf(session) : {};
  return {
    key: session.key ?? hashed(line), kind: isPlayed ? "played" : session.key ? "analysed" : "opened",
    path: source.path, word: about.word, names: { ...names }, players: { ...players }, address: session.address,
    line, ...facts,
  };
}

/** What a game has come to: its throws, and costs and result as far as they are known. */
function factsOf(session) {
  const { root, at, answer, source, units } = session;
  const plies = root.line.flatMap((node) => node.plies);
  const sums = (side) => {
    const { loss, luck } = sideOf(plies.filter((ply) => ply.side === side));
    return [side, { loss, luck }];
  };
  return {
    throws: throwsIn(session),
    ...(source.hasValues && { costs: { ...Object.fromEntries(SIDES.map(sums)), isMoney: units.isMoney } }),
    ...(session.result ? { result: session.winner } : !at.next && answer?.position === at.position
      && { result: session.isOver ? answer.winner ?? "draw" : null }),
  };
}
