// What gives the values of rows: a server; or files, of a table or of a network, which a search asks.

import { Refusal, once } from "../common.js";

/**
 * The values of a table or an estimator.
 * @param {{kind: "served" | "exact" | "network", head: string, pieces: string}} place where they are
 * @param {{plies: number}} facts of an estimator that lies on a site
 * @param {Promise<any>} rules its rule set's `Moves`
 * @param {(path: string, digest?: string) => Promise<ArrayBuffer>} load gives a file
 * @param {(path: string, body: any) => Promise<any>} ask gives a server's answer
 * @returns {Promise<import("./position.js").Values>}
 */
export async function open({ kind, head, pieces }, { plies }, rules, load, ask) {
  if (kind === "served") {
    const { exact } = (await rules).about;
    return new Served(exact !== false, (states) => ask(head, { states }));
  }
  const [file, moves] = await Promise.all([load(head), rules]);
  return madeOf(() => (kind === "exact" ? new Exact(file, (number, digest) => load(`${pieces}${number}.bin`, digest))
    : new Estimates(new Network(file), moves, plies)));
}

// A server's.

/** The most states of a request. */
const MOST_STATES = 10_000;

/** Values that a server gives: what is asked for at the same time goes in one request. */
class Served {
  /** @param {boolean} isExact @param {(states: number[][]) => Promise<any>} ask */
  constructor(isExact, ask) {
    Object.assign(this, { isExact, ask });
    this.waiting = null;
  }

  async figures(rows) {
    this.waiting ??= { rows: [], answer: Promise.resolve().then(() => this.send()) };
    const { rows: all, answer } = this.waiting;
    const first = all.length;
    all.push(...rows);
    const found = await answer;
    return Object.fromEntries(Object.entries(found).map(([name, each]) =>
      [name, each?.slice(first, first + rows.length)]));
  }

  async send() {
    const { rows } = this.waiting;
    this.waiting = null;
    const parts = [];
    for (let k = 0; k < rows.length; k += MOST_STATES) parts.push(rows.slice(k, k + MOST_STATES));
    const [first, ...others] = await Promise.all(parts.map(this.ask));
    return others.reduce((all, each) => Object.fromEntries(Object.entries(all)
      .map(([name, list]) => [name, list && [...list, ...each[name]]])), first ?? {});
  }
}

// Files of numbers: a head of JSON, and arrays after it. `ur_solver.publish.values` writes them.

const TYPES = {
  float64: Float64Array, float32: Float32Array, int32: Int32Array, uint32: Uint32Array,
  int16: Int16Array, uint16: Uint16Array, uint8: Uint8Array,
};

/** The array of a type over some bytes. @param {string} type @returns {ArrayLike<number>} */
function arrayOf(type, ...over) {
  return new TYPES[type](...over);
}

function check(isSound) {
  if (!isSound) throw new Refusal("A file of this site is damaged: it is cut, or has impossible numbers.");
}

/** What is made of a file, whose contents may be anything. */
function madeOf(make) {
  try {
    return make();
  } catch {
    return check(false);
  }
}

/**
 * What a file holds: its values, and its arrays by name, which are views.
 * @param {ArrayBuffer} buffer
 * @returns {{values: any, arrays: Record<string, ArrayLike<number>>}}
 */
function readArrays(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const { values, arrays } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const first = Math.ceil((4 + length) / 8) * 8;
  return {
    values,
    arrays: Object.fromEntries(Object.entries(arrays).map(([name, { type, size, at }]) =>
      [name, arrayOf(type, buffer, first + at, size)])),
  };
}

// A table's, which lies in pieces on the site, of which those asked for are loaded. The rank of a
// state is the place of its value: counted by the tables of numbers that `ur_solver.space` has made
// of the rules; nothing here knows a rule.

const MOST_KEPT = 64;
/** The bytes of a piece's digest. */
const DIGEST = 32;

class Ranking {
  /** @param {Record<string, any>} arrays @param {any} values as `ur_solver.publish.values` writes them */
  constructor(arrays, values) {
    Object.assign(this, arrays);
    this.nStocks = values.stocks;
    this.nReserves = values.reserves;
    this.isNumbered = values.is_numbered;
    this.nCells = this.n_contents.length;
    this.nShapes = this.n_digits.length / this.nReserves / 2;
    this.nContents = this.parts.length / 2;
    this.nCodes = this.placement_of.length / this.nReserves;
    this.nFrozenCodes = this.config_of.length / this.nStocks;
    this.nConfigs = this.config_own.length;
    this.hasDetails = [...this.shared].map((cell) => this.n_shapes[cell] < this.n_contents[cell]);
    this.hasAnyDetails = this.hasDetails.includes(true);
  }

  /** The rank of a state among positions without fines; -1 if it is over or no state. */
  rank(state) {
    const tally = this.tally(state);
    return tally ? this.rankOf(state, tally) : -1;
  }

  /** What the contents of a state add up to: what each side has off, and the codes of squares. */
  tally(state) {
    const { nCells, nStocks, first_content: first, parts, codes } = this;
    const used = [state[nCells], state[nCells + 1]];
    const either = [...used];
    const placement = [0, 0];
    const frozen = [0, 0];
    if (!(used[0] < nStocks && used[1] < nStocks)) return null;
    for (let cell = 0; cell < nCells; cell++) {
      if (!(state[cell] < this.n_contents[cell])) return null;
      const content = first[cell] + state[cell];
      for (let side = 0; side < 2; side++) {
        used[side] += parts[2 * content + side];
        either[side] |= parts[2 * content + side];
        placement[side] += codes[4 * content + 2 * side];
        frozen[side] += codes[4 * content + 2 * side + 1];
      }
    }
    if (this.isNumbered && (used[0] !== either[0] || used[1] !== either[1])) return null;
    if (used[0] >= nStocks || used[1] >= nStocks) return null;
    return { off: used.map((each) => nStocks - 1 - each), placement, frozen };
  }

  rankOf(state, { off, placement, frozen }) {
    const [mine, theirs] = [0, 1].map((side) =>
      this.config_of[off[side] * this.nFrozenCodes + frozen[side]]);
    if (mine < 0 || theirs < 0) return -1;
    const { shared, uses, first_content: first, first_shape: firstShape } = this;
    // what is left of reserves
    let i = this.config_own[mine];
    let j = this.config_free[theirs];
    const begun = j;
    let tile = this.half_offset[mine * this.nConfigs + theirs];
    let [myRow, myDetails, theirDetails] = [0, 1, 1];
    for (let s = 0; s < shared.length; s++) {
      const cell = shared[s];
      const content = first[cell] + state[cell];
      const shape = this.shape_of[content];
      const place = (i * this.nReserves + j) * this.n_shapes[cell] + shape;
      tile += myDetails * theirDetails * this.below[this.below_start[s] + place];
      if (this.hasDetails[s]) {
        const mineHere = this.digits(i, firstShape[cell] + shape, 0);
        myRow = myRow * mineHere + this.digit(i, content, 0);
        myDetails *= mineHere;
        theirDetails *= this.digits(j, firstShape[cell] + shape, 1);
      }
      i -= uses[2 * content];
      j -= uses[2 * content + 1];
    }
    const theirRow = this.hasAnyDetails ? this.theirRow(state, begun) : 0;
    const row = myRow * this.n_placements[i] + this.placement_of[i * this.nCodes + placement[0]];
    const column = theirRow * this.n_placements[j]
      + this.placement_of[j * this.nCodes + placement[1]];
    return tile + row * theirDetails * this.n_placements[j] + column;
  }

  /** Their details on shared squares, in the order in which they are mine as the other side sees. */
  theirRow(state, reserve) {
    let found = 0;
    for (let s = 0; s < this.shared.length; s++) {
      const cell = this.mirror_cell[this.shared[s]];
      const content = this.first_content[cell] + state[cell];
      if (this.hasDetails[s]) {
        const shape = this.first_shape[cell] + this.shape_of[content];
        found = found * this.digits(reserve, shape, 1) + this.digit(reserve, content, 1);
      }
      reserve -= this.uses[2 * content + 1];
    }
    return found;
  }

  digits(reserve, shape, side) {
    return this.n_digits[(reserve * this.nShapes + shape) * 2 + side];
  }

  digit(reserve, content, side) {
    return this.digit_of[(reserve * this.nContents + content) * 2 + side];
  }
}

class Exact {
  /**
   * @param {ArrayBuffer} buffer the head of a table, as `ur_solver.publish.values` writes it
   * @param {(number: number, digest: string) => Promise<ArrayBuffer>} load gives a piece
   */
  constructor(buffer, load) {
    const { values, arrays } = readArrays(buffer);
    this.about = values;
    this.ranking = new Ranking(arrays, values);
    const { is_money: isMoney, unit, least, most } = values;
    check(isMoney ? Number.isFinite(unit) : unit === 1 && least[0] > -0.1 && most[0] < 1.1);
    this.isExact = true;
    this.load = load;
    this.digests = arrays.digests;
    this.pieces = new Map();
  }

  /** The rank of a state's value, that of its last level where it has more fines; -1 if over. */
  rank(state) {
    const { per_position: levels, reach } = this.about;
    const found = this.ranking.rank(state);
    return found < 0 ? -1 : found * levels + (levels > 1 ? Math.min(state.at(-1), reach) : 0);
  }

  async figures(states) {
    const { unit, fine, is_money: isMoney } = this.about;
    const ranks = madeOf(() => states.map((state) => this.rank(state)));
    check(ranks.every((rank) => rank >= 0));
    const past = states.map((state) => this.past(state));
    const stored = await this.read(ranks);
    // past the levels of fines values grow by a straight line
    const slopes = past.some(Boolean)
      ? await this.read(ranks.map((rank, k) => (past[k] ? this.chanceRank(rank) : rank))) : stored;
    const values = stored.map((value, k) => value * unit + past[k] * fine * slopes[k]);
    check(values.every(Number.isFinite));
    return isMoney ? { values, chances: await this.read(ranks.map((rank) => this.chanceRank(rank))) } : { values };
  }

  chanceRank(rank) {
    const { per_position: levels, reach, chance } = this.about;
    return levels === 1 ? rank : rank - (rank % levels) + reach + chance;
  }

  /** The fines past the levels that have values. */
  past(state) {
    return this.about.is_money ? Math.max(0, state.at(-1) - this.about.reach) : 0;
  }

  /** The numbers of the pieces in which the values of states are. */
  piecesOf(states) {
    return new Set(states.map((state) => Math.floor(this.rank(state) / this.about.piece)));
  }

  /** The stored values of ranks. @param {number[]} ranks @returns {Promise<number[]>} */
  async read(ranks) {
    const { piece, stored_scale: scale } = this.about;
    const place = (rank) => Math.floor(rank / piece);
    const wanted = [...new Set(ranks.map(place))];
    const loaded = await Promise.all(wanted.map((number) => this.piece(number)));
    const at = new Map(wanted.map((number, k) => [number, loaded[k]]));
    return madeOf(() => ranks.map((rank) => at.get(place(rank))[rank % piece] / scale));
  }

  /** A piece of the values; the latest ones are kept. */
  piece(number) {
    return once(this.pieces, number, async () => {
      const digest = this.digests.subarray(DIGEST * number, DIGEST * (number + 1));
      const buffer = await this.load(number, `sha256-${btoa(String.fromCharCode(...digest))}`);
      return madeOf(() => this.checked(buffer, number * this.about.piece));
    }, MOST_KEPT);
  }

  /** The numbers of a piece, each of which its value can be. */
  checked(buffer, first) {
    const { piece, values, value_type: type, stored_scale: scale, per_position: levels, least, most } = this.about;
    const found = arrayOf(type, buffer, 0, Math.min(piece, values - first));
    check(found.every((each, k) => {
      const level = (first + k) % levels;
      return each / scale >= least[level] && each / scale <= most[level];
    }));
    return found;
  }
}

// A network's: the same sums as `ur_solver.estimators` has.

const LEAST = -30;
/** Sums of products of greater ones may be no numbers. */
const MOST_WEIGHT = 1e30;

class Network {
  /** @param {ArrayBuffer} buffer as `ur_solver.publish.values` writes it */
  constructor(buffer) {
    const { values, arrays } = readArrays(buffer);
    /** What is known of the estimator besides: its errors by plies, its digest, how it was made. */
    this.about = values;
    this.width = values.columns;
    this.full = values.full;
    this.scale = values.scale;
    /** How wide intervals are, by the plies of a search less one. */
    this.errors = arrays.errors;
    check(arrays.weights.every((each) => Math.abs(each) < MOST_WEIGHT) && this.errors.every((each) => each >= 0));
    const sizes = [values.features, ...values.hidden, 1];
    check(sizes.every((each) => each > 0) && arrays.weights.length
      === sizes.slice(1).reduce((sum, m, k) => sum + (sizes[k] + 1) * m, 0));
    this.layers = [];
    let begun = 0;
    for (let k = 0; k + 1 < sizes.length; k++) {
      const [n, m] = [sizes[k], sizes[k + 1]];
      const matrix = arrays.weights.subarray(begun, begun + n * m);
      const biases = arrays.weights.subarray(begun + n * m, begun + (n + 1) * m);
      this.layers.push({ n, m, matrix, biases, sums: new Float64Array(m) });
      begun += (n + 1) * m;
    }
    const { starts, features, first, parts, kinds, pairs, n_kinds: nKinds } = arrays;
    const squares = nKinds.length;
    check(starts[0] === 0 && starts.every((each, k) => !k || starts[k - 1] <= each)
      && starts.at(-1) === features.length && features.every((each) => each >= 0 && each < values.features)
      && values.columns === first.length - 2 && parts.length <= 2 * starts.length - 2
      && squares <= values.columns && pairs.length === squares ** 2
      && (!squares || kinds.length === first[squares]));
    Object.assign(this, { first, parts, kinds, pairs, nKinds });
    this.added = added(starts, features, this.layers[0]);
    const [{ m, matrix, n }] = this.layers;
    this.ofFine = this.scale.step ? matrix.subarray((n - 1) * m, n * m) : null;
  }

  /** What an output of 1 stands for: a certain win or, with stakes, the pot with a fine more. */
  scaleOf(state) {
    const { base, step } = this.scale;
    return step ? base + step * state[this.width] : base;
  }

  /** The value of a state that is not over to its side to throw. */
  value(state) {
    const scale = this.scaleOf(state);
    let sums = this.firstLayer(state, scale);
    for (const layer of this.layers.slice(1)) sums = passed(sums, layer);
    const output = sums[0];
    if (this.about.is_chance) return scale / (1 + Math.exp(-Math.max(output, LEAST)));
    const { fine, owed } = this.scale; // money has no bounds in a network
    return Math.min(scale - fine + owed, Math.max(-owed, output * scale));
  }

  firstLayer(state, scale) {
    const { first, parts, added, width, nKinds } = this;
    const { m, biases, sums } = this.layers[0];
    sums.set(biases);
    let mine = this.full;
    let theirs = this.full;
    const occupied = [];
    for (let column = 0; column < width; column++) {
      const held = state[column];
      if (!held) continue;
      const number = first[column] + held;
      mine -= parts[2 * number];
      theirs -= parts[2 * number + 1];
      add(sums, added, number * m, m);
      if (column < nKinds.length) occupied.push(column);
    }
    if (mine > 0) add(sums, added, (first[width] + mine) * m, m);
    if (theirs > 0) add(sums, added, (first[width + 1] + theirs) * m, m);
    for (const pair of this.pairsOf(state, occupied)) add(sums, added, pair * m, m);
    if (this.ofFine) {
      const fine = Math.fround(this.scale.fine / scale);
      for (let k = 0; k < m; k++) sums[k] += fine * this.ofFine[k];
    }
    return sums;
  }

  /** The numbers of what two squares that are near each other have on top, of all that hold pieces. */
  * pairsOf(state, occupied) {
    const { first, kinds, pairs, nKinds } = this;
    for (let k = 0; k < occupied.length; k++) {
      const i = occupied[k];
      for (const j of occupied.slice(k + 1)) {
        const pair = pairs[i * nKinds.length + j];
        if (pair >= 0) yield pair + kinds[first[i] + state[i]] * nKinds[j] + kinds[first[j] + state[j]];
      }
    }
  }
}

function add(sums, more, at, n) {
  for (let k = 0; k < n; k++) sums[k] += more[at + k];
}

/** What each number of a row, and each stock borne off, adds to the first layer. */
function added(starts, features, { m, matrix }) {
  const found = new Float32Array((starts.length - 1) * m);
  for (let number = 0; number + 1 < starts.length; number++) {
    const at = number * m;
    for (let k = starts[number]; k < starts[number + 1]; k++) {
      const from = features[k] * m;
      for (let i = 0; i < m; i++) found[at + i] += matrix[from + i];
    }
  }
  return found;
}

/** The sums of a layer by those of the layer before, of which the negative ones count as none. */
function passed(before, { n, m, matrix, biases, sums }) {
  sums.set(biases);
  for (let k = 0; k < n; k++) {
    const x = before[k];
    if (x <= 0) continue;
    for (let i = 0, at = k * m; i < m; i++, at++) sums[i] += x * matrix[at];
  }
  return sums;
}

// By a full search of some plies over the chances of throws.

const MOST_KNOWN = 50_000;

class Search {
  /** @param {import("./network.js").Network} network @param {any} moves the rule set's `Moves` */
  constructor(network, moves) {
    this.network = network;
    this.moves = moves;
    this.known = [];
  }

  /** The value of a state that is not over, by looking some plies ahead; 0 asks the network. */
  value(state, depth) {
    const known = (this.known[depth] ??= new Map());
    const key = String.fromCharCode(...state);
    let found = known.get(key);
    if (found === undefined) {
      found = depth ? this.backedUp(state, depth - 1) : this.network.value(state);
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(key, found);
    }
    return found;
  }

  /** The mean over throws of what the best move is worth, after the best choice before the throw. */
  backedUp(state, depth) {
    return Math.max(...this.moves.choices(state).map(({ may, chances, passes }) => {
      let mean = passes ? passes * this.passed(state, depth) : 0;
      chances.forEach((chance, number) => {
        if (chance) mean += chance * this.best(state, number, may, depth);
      });
      return mean;
    }));
  }

  best(state, number, may, depth) {
    let best = -Infinity;
    for (const step of this.moves.options(state, number, may)) {
      best = Math.max(best, this.worth(step, depth));
    }
    return best === -Infinity ? this.passed(state, depth) : best;
  }

  worth({ row, again, isWin, cost }, depth) {
    if (isWin) return this.moves.total(row) - cost;
    const value = this.value(row, depth);
    return (again ? value : this.moves.total(row) - value) - cost;
  }

  passed(state, depth) {
    return this.moves.total(state) - this.value(this.moves.mirror(state), depth);
  }
}

/** Values that a network and a search estimate. */
class Estimates {
  constructor(network, moves, plies) {
    this.isExact = false;
    this.network = network;
    this.search = new Search(network, moves);
    this.depth = plies - 1;
  }

  async figures(rows) {
    const values = rows.map((row) => this.search.value(row, this.depth));
    const { is_chance: isChance, scale: { owed } } = this.network.about;
    const most = isChance ? 1e-9 : owed;
    check(values.every((each, k) => each >= -most && each <= this.search.moves.total(rows[k]) + most));
    return { values, errors: rows.map((row, k) => this.margin(row, values[k])) };
  }

  /** Half the width of the 95 % interval of a value. */
  margin(row, value) {
    const scale = this.network.scaleOf(row);
    const share = Math.min(1, Math.max(0, value / scale));
    return Math.min(1, this.network.errors[this.depth] * (Math.sqrt(share * (1 - share)) + 0.02)) * scale;
  }
}
