// What is on screen: the rules, the game, the place in it, what was chosen and thrown; and the same as
// an address. Nothing here draws: whoever wants to know gets `changed`.

import { Source } from "./api.js";
import { Node, isSame, nodeAt, numberOf, pliesByTurn, pliesOf, readLines, sideOf, writeTree } from "./tree.js";
import { placed, wayOf } from "./board.js";
import { newKey, picked } from "./common.js";
import { GUIDED, wanted } from "./guide.js";
import { say } from "./speech.js";
import { SIDES, Units, choicesOf, entryOf, errorOf, other, throwsOf } from "./words.js";

export class Session {
  /** @param {(moved?: [string, string] | null) => Promise<void>} changed */
  constructor(changed) {
    this.changed = changed;
    this.view = "light";
    this.showsValues = true;
    this.players = { light: "human", dark: "human" };
    this.editing = false;
  }

  /** Whether somebody plays, and wants to see no values. */
  get isPlayed() {
    return !this.showsValues;
  }

  /** The only side that a person plays; null where a person plays both, or none. */
  get ownSide() {
    const own = SIDES.filter((side) => this.players[side] === "human");
    return own.length === 1 ? own[0] : null;
  }

  /** The side whose row is far, on top, unless somebody turns the board: one's own is near. */
  get farSide() {
    return this.ownSide ? other(this.ownSide) : "light";
  }

  /** Show the board from the usual side, or turned. */
  look(isTurned) {
    this.view = isTurned ? other(this.farSide) : this.farSide;
  }

  // The rules, and games.

  async take(path) {
    const source = new Source(path);
    const about = await source.about();
    this.source = source;
    this.about = about;
    this.units = new Units(about);
    this.begin(about.start);
  }

  begin(start) {
    this.root = new Node(start);
    this.names = { light: null, dark: null };
    this.result = null;
    /** Who has won a game from elsewhere. @type {"light" | "dark" | null} */
    this.winner = null;
    /** The key under which the game is kept; null until a turn is made here. @type {string | null} */
    this.key = null;
    this.opening = "";
    /** Whether somebody learns the game by it, see `guide.js`. */
    this.isGuided = false;
    /** Throws that fell in turns that were taken back, to fall again. @type {number[][]} */
    this.fallen = [];
    /** Whether no address has this game yet. */
    this.isNew = true;
    this.stand(this.root);
  }

  /** Begin where an opening ends, whose rounds a record writes like this. */
  beginAfter(opening, start) {
    const { names } = this;
    this.begin(start);
    Object.assign(this, { names, opening });
  }

  /** Stand at a node, with what was chosen and thrown there if the game goes on. */
  stand(node) {
    node.prefer();
    this.at = node;
    this.choice = node.next?.turn.choice ?? null;
    this.thrown = node.next?.turn.throws ?? null;
    this.chosen = 0;
    /** Whether the best move is shown for this throw. */
    this.isHinted = false;
  }

  async go(node, moved = null) {
    if (!node || node.path[0] !== this.root) return;
    this.stand(node);
    await this.changed(moved);
  }

  /** Keep what is on screen, and return to it where an answer fails to come. */
  keep() {
    const { kept: _, ...all } = this;
    this.kept = all;
  }

  restore() {
    if (!this.kept) return;
    Object.assign(this, this.kept);
    this.at.prefer();
  }

  /** The position unfolded, by the engine or from before. */
  async unfold() {
    const text = this.at.position;
    const answer = await this.source.position(text, this.view);
    if (this.at.position !== text) return false;
    this.answer = answer;
    this.at.share = this.share(answer.side, answer.value, text);
    if (this.choices.length === 1) [this.choice] = this.choices;
    return true;
  }

  // What can be done here.

  get isOver() {
    return Boolean(this.answer.winner || this.answer.is_draw);
  }

  /** What may be chosen before the throw; empty where nothing is. */
  get choices() {
    return choicesOf(this.answer);
  }

  get mustChoose() {
    return this.choices.length > 0 && !this.choices.includes(this.choice);
  }

  /** Whether the rules give the first throw of the game, of light's or of dark's. */
  get isGiven() {
    return this.about.opening_throw !== null && this.root.position.replace(" D ", " L ") === this.about.start;
  }

  /** What the dice may show after the choice before it, each with whether the rules allow it now. */
  get throws() {
    const opening = this.at === this.root && this.isGiven ? this.about.opening_throw : null;
    return this.answer.throws
      .filter((each) => this.mustChoose || !each.choice || each.choice === this.choice)
      .map((each) => ({
        ...each,
        isPossible: !this.mustChoose && !this.isOver && (opening === null || each.throw === opening),
      }));
  }

  /** Those of the throws that the rules allow now. */
  get possible() {
    return this.throws.filter((each) => each.isPossible);
  }

  /** The throw that was made or chosen; null before. */
  get entry() {
    return this.thrown && entryOf(this.possible, this.thrown);
  }

  /** The moves of the throw: the best first, or along the path where that would be a hint. */
  get moves() {
    const moves = this.entry?.moves ?? [];
    if (!this.isPlayed) return moves;
    const path = this.about.paths[this.answer.side];
    return [...moves].sort((one, two) => path.indexOf(one.from) - path.indexOf(two.from));
  }

  /** Whether somebody here plays the side to throw; whoever analyses plays both. */
  get isOwnTurn() {
    return !this.isPlayed || this.players[this.answer.side] === "human";
  }

  /** The moves that may be made here: none of the program's. */
  get offered() {
    return this.isOwnTurn ? this.moves : [];
  }

  get best() {
    return this.entry?.moves[0] ?? null;
  }

  /** Whether the throw has no move, so that the turn passes. */
  get mustPass() {
    return Boolean(this.entry) && this.moves.length === 0;
  }

  /** The move that was played from here on the line that is followed; null for none or a pass. */
  get played() {
    const turn = this.at.next?.turn;
    if (!turn || turn.choice !== this.choice || String(turn.throws) !== String(this.thrown)) return null;
    return this.moves.find((move) => move.move === turn.move) ?? null;
  }

  // Doing it.

  takeChoice(name) {
    if (!this.choices.includes(name) || (this.isPlayed && this.entry)) return null;
    this.choice = name;
    this.thrown = null;
    this.chosen = 0;
    return this.changed();
  }

  choose(throws) {
    if (!entryOf(this.possible, throws)) return null;
    this.thrown = throws;
    this.chosen = 0;
    this.isHinted = false;
    return this.changed();
  }

  /** Whether the dice may be thrown: whoever plays throws them once. */
  get mayRoll() {
    return !this.isOver && !this.mustChoose && !(this.isPlayed && this.entry);
  }

  roll() {
    const { possible } = this;
    if (!possible.length || !this.mayRoll) return null;
    const again = this.isPlayed ? this.fallen.shift() : null;
    return this.choose(throwsOf(entryOf(possible, again) ?? picked(wanted(this, possible), (each) => each.probability)));
  }

  /** Play a move of the throw, or pass with null. */
  async play(move) {
    if (move ? !this.moves.includes(move) : !this.mustPass) return;
    const turn = { choice: this.choice, throws: this.thrown, move: move?.move ?? null };
    const position = move?.position ?? this.answer.after_pass;
    const { at, answer: { side } } = this;
    const before = at.children.length;
    if (this.isPlayed && at.next && !isSame(at.next.turn, turn)) {
      this.fallen = at.next.line.slice(at.path.length + 1).map((node) => node.turn.throws);
    }
    const child = at.add(turn, position, this.plies(turn, move));
    this.result = null;
    if (!this.isGuided) this.key ??= newKey();
    try {
      await this.go(child, move && { side, along: this.alongOf(move, side), capture: move.capture });
    } catch (error) {
      if (at.children.length > before) child.remove();
      throw error;
    }
  }

  /** The places that a piece passes in a move, its first and last among them. */
  alongOf(move, side) {
    const path = wayOf(this.about, side);
    const [from, to] = [placed(move.from, side), placed(move.to, side)];
    const runs = path.flatMap((place, start) => {
      const end = path.indexOf(to, start + 1);
      return place === from && end > start ? [path.slice(start, end + 1)] : [];
    });
    return runs.reduce((one, two) => (two.length < one.length ? two : one), runs[0] ?? [from, to]);
  }

  /** The plies of a turn as the engine's lines have them. */
  plies(turn, move) {
    const { about, answer, entry, source } = this;
    const first = this.at === this.root && this.isGiven ? entry : answer;
    return pliesOf(answer, entry, turn, move, source.hasValues ? {
      before: first.value, error: errorOf(first),
      total: this.total(answer.position), isExact: about.exact !== false,
    } : null);
  }

  /** The turn to take back: the last one; against the program one's own last move. */
  get taken() {
    const isOwn = (node) => node.turn.move && node.plies.at(-1).side === this.ownSide;
    let node = this.at;
    if (this.isPlayed && this.ownSide) while (node.parent && !isOwn(node)) node = node.parent;
    return node.parent ? node : null;
  }

  /** Take a turn back, whose throw stays; those after it fall again in the same order. */
  undo() {
    const node = this.taken;
    if (!node) return null;
    const { parent, turn } = node;
    const after = this.at.path.slice(node.path.length).map((each) => each.turn.throws);
    const pending = this.entry && !this.at.next ? [this.thrown] : [];
    node.remove();
    this.fallen = [...after, ...pending, ...this.fallen];
    this.stand(parent);
    this.choice = turn.choice;
    this.thrown = turn.throws;
    return this.changed();
  }

  /** The next node, or the one before, whose turn has a mark that is wanted. */
  marked(step, wanted, side = "") {
    const line = this.at.line;
    let index = line.indexOf(this.at);
    // standing before a turn is standing at it: its choice is on screen
    for (index += step > 0 ? 2 : 0; index > 0 && index < line.length; index += step) {
      const isWanted = (ply) => wanted.includes(ply.mark) && (!side || ply.side === side);
      if (line[index].plies.some(isWanted)) return line[index].parent;
    }
    return null;
  }

  // The value of a place in the game.

  /** Light's share of what there is to win: before each turn of the line, and where it ends. */
  get curve() {
    return this.at.line.map((node) => {
      const ply = node.next?.plies[0];
      return ply ? this.share(ply.side, ply.value, ply.position) : node.share ?? null;
    });
  }

  /**
   * How luck and losses led from the start of the line to where it stands, to light: the start, terms that
   * are added to it, and the end. `error` is the largest of a value.
   */
  get account() {
    const { answer } = this;
    const plies = this.at.path.flatMap((node) => node.plies);
    const [first] = plies;
    const to = (side, value, position) => this.share(side, value, position) * this.total(position);
    const [light, dark] = SIDES.map((side) => sideOf(plies.filter((ply) => ply.side === side)));
    const term = (side, what, value) => ({ side, what, value });
    const fines = this.units.isMoney ? [term("light", "fines", light.cost)] : [];
    return {
      start: { value: to(first.side, first.value, first.position), error: errorOf(first) },
      terms: [term("light", "dice", light.luck), term("light", "moves", -light.loss), ...fines,
        term("dark", "dice", -dark.luck), term("dark", "moves", dark.loss)],
      end: { value: to(answer.side, answer.value, answer.position), error: errorOf(answer) },
      error: Math.max(errorOf(answer), ...plies.map(errorOf)),
    };
  }

  share(side, value, position) {
    const total = this.total(position);
    const part = total ? value / total : 0.5;
    return side === "light" ? part : 1 - part;
  }

  /** What both sides' values sum to in a position. */
  total(position) {
    const { stakes } = this.about;
    const fines = Number(position.split(" p")[1] ?? 0);
    return stakes ? 2 * stakes.ante + fines * stakes.fine : 1;
  }

  // Games from elsewhere.

  /** A game as a source has audited it. */
  async load(game, path) {
    if (this.source?.path !== path) await this.take(path);
    this.players = { light: "human", dark: "human" };
    this.showsValues = true;
    this.begin(game.start);
    this.names = game.names;
    this.opening = game.rounds ?? "";
    this.result = game.result;
    this.winner = game.winner ?? null;
    this.grow(this.root, game);
    this.stand(this.root);
    this.opened?.();
    await this.changed();
  }

  /** Add the turns of a line after a node; the nodes, that one first. */
  grow(node, { plies, end_value: value }) {
    const nodes = [node];
    for (const own of pliesByTurn(plies)) {
      const { choice, move, best, position_after: after, ...ply } = own.at(-1);
      const isPending = move === null && best; // a record may end before the move
      if (!isPending) nodes.push(nodes.at(-1).add({ choice, throws: throwsOf(ply), move }, after, own));
    }
    const end = nodes.at(-1);
    end.share = value / this.total(end.position);
    return nodes;
  }

  // The address.

  get address() {
    const parts = { [this.source.hasValues ? "table" : "rules"]: this.source.path.split("/")[1] };
    if (this.root.position !== this.about.start) parts.start = this.root.position;
    if (this.opening) parts.opening = this.opening;
    const text = writeTree(this.root);
    if (text) parts.game = text;
    const number = numberOf(this.root, this.at);
    if (number) parts.at = number;
    const next = this.at.next?.turn;
    const isNext = next && isSame(next, { ...next, choice: this.choice, throws: this.thrown ?? [] });
    if (this.choice && this.choices.length > 1 && !isNext) parts.said = this.choice;
    if (this.thrown && !isNext) parts.throw = this.thrown.join("-");
    if (this.view !== this.farSide) parts.top = this.view;
    if (!this.showsValues) parts.values = "no";
    if (this.isGuided) parts.learn = "yes";
    for (const side of SIDES) {
      if (this.players[side] !== "human") parts[side] = this.players[side];
      if (this.names[side]) parts[`${side}-name`] = this.names[side];
    }
    if (this.result) parts.result = this.result;
    if (this.editing) parts.edit = "yes";
    return Object.entries(parts)
      .map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
  }

  /** Show what an address says, as far as that goes; then its fault is thrown. `key` is what the game is kept under. */
  async follow(address, fallback, key = null) {
    const { parts, fault } = partsOf(address);
    const faults = fault ? [fault] : [];
    const tried = async (action) => {
      try {
        return await action();
      } catch (error) {
        faults.push(error);
        return null;
      }
    };
    const path = parts.has("table") ? `tables/${parts.get("table")}`
      : parts.has("rules") ? `rules/${parts.get("rules")}` : fallback;
    this.showsValues = parts.get("values") !== "no";
    this.editing = parts.get("edit") === "yes";
    await tried(() => this.take(path));
    if (faults.length && !this.source) await this.take(fallback);
    const start = parts.get("start");
    if (start && await tried(() => this.source.position(start, this.view))) {
      this.beginAfter(parts.get("opening") ?? "", start);
    }
    for (const side of SIDES) {
      const player = parts.get(side);
      this.players[side] = player === "random" || Object.hasOwn(this.about.players ?? {}, player) ? player : "human";
      this.names[side] = parts.get(`${side}-name`) ?? null;
    }
    this.view = SIDES.includes(parts.get("top")) ? parts.get("top") : this.farSide;
    this.result = parts.get("result") ?? null;
    this.isGuided = parts.get("learn") === "yes" && this.about.name === GUIDED.name;
    const { lines, fault: unread } = readLines(parts.get("game") ?? "");
    if (unread) faults.push(unread);
    for (const each of await this.replay(lines)) faults.push(each);
    this.key = key;
    this.stand(nodeAt(this.root, Number(parts.get("at") ?? 0)));
    if (this.about.choices.includes(parts.get("said"))) this.choice = parts.get("said");
    const throws = parts.get("throw")?.split("-").map(Number);
    this.thrown = throws ?? this.thrown;
    this.isNew = false;
    await this.changed();
    if (faults.length) throw faults[0];
  }

  /** Play the lines of an address; what cannot be played is left out, and its faults returned. */
  async replay(lines) {
    const grown = [];
    const faults = [];
    for (const { from, turns } of lines) {
      const begin = from ? grown[from[0]]?.[from[1]] : this.root;
      const played = turns.length && begin ? await playedOf(this.source, begin.position, turns) : {};
      if (played.fault) faults.push(played.fault);
      const nodes = played.line ? this.grow(begin, played.line) : [begin ?? []].flat();
      grown.push(nodes);
      for (const node of nodes) if (node.children.length) node.preferred = 0;
    }
    return faults;
  }
}

// Addresses that somebody may have changed: their parts, and a game as far as it can be played.

/** The parts of an address, by key. */
function partsOf(address) {
  const parts = new Map();
  let fault = null;
  for (const part of address.split("&").filter(Boolean)) {
    const [key, value = ""] = part.split("=");
    try {
      parts.set(key, decodeURIComponent(value));
    } catch {
      fault = new Error(say("address.percent", { key }));
    }
  }
  return { parts, fault };
}

/** As many of some turns as the rules allow, judged; and what is wrong with the next one. */
async function playedOf(source, start, turns) {
  const sent = turns.map(({ choice, throws, move }) => [choice, throws, move]);
  try {
    return { line: await source.line(start, sent) };
  } catch (fault) {
    const count = (fault.turn ?? 1) - 1;
    return { line: count ? await source.line(start, sent.slice(0, count)) : null, fault };
  }
}
