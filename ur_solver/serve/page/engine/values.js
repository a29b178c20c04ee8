// What gives the values of rows: a server; or files, of a table or of an estimator.

import { Refusal, once } from "../common.js";

/**
 * The values of a table or an estimator.
 * @param {{kind: "served" | "exact" | "network", head: string, pieces: string}} place where they are
 * @param {{plies: number, agreement: number}} facts of an estimator that lies on a site
 * @param {Promise<any>} rules its rule set's `Moves`
 * @param {(path: string, digest?: string) => Promise<ArrayBuffer>} load gives a file
 * @param {(path: string, body: any) => Promise<any>} ask gives a server's answer
 * @returns {Promise<import("./position.js").Values>}
 */
export async function open({ kind, head, pieces }, { plies, agreement }, rules, load, ask) {
  if (kind === "served") {
    const { about } = await rules;
    return new Served(about.exact !== false, about.agreement, (states) => ask(head, { states }));
  }
  const [file, moves] = await Promise.all([load(head), rules]);
  if (kind === "exact") return madeOf(() => new Exact(file, (number, digest) => load(`${pieces}${number}.bin`, digest)));
  const found = new Estimates(file, moves.data, plies, agreement);
  await found.figures([]); // which a damaged file does not give
  return found;
}

// A server's.

/** The most states of a request. */
const MOST_STATES = 10_000;

/** Values that a server gives: what is asked for at the same time goes in one request. */
class Served {
  /**
   * @param {boolean} isExact @param {number} agreement of an estimator's errors
   * @param {(states: number[][]) => Promise<any>} ask
   */
  constructor(isExact, agreement, ask) {
    Object.assign(this, { isExact, agreement, ask });
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
  int16: Int16Array, uint16: Uint16Array, int8: Int8Array, uint8: Uint8Array,
};

/** The array of a type over some bytes. @param {string} type @returns {ArrayLike<number>} */
function arrayOf(type, ...over) {
  return type === "float16" ? Float32Array.from(new Uint16Array(...over), half) : new TYPES[type](...over);
}

/** The number of 16 bits, NaN if it is infinite: not all browsers have arrays of such. */
function half(bits) {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return NaN;
  const size = exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24;
  return bits >> 15 ? -size : size;
}

export function check(isSound) {
  if (!isSound) throw new Refusal(["values.damaged"]);
}

/** What is made of a file, whose contents may be anything. */
export function madeOf(make) {
  try {
    return make();
  } catch {
    return check(false);
  }
}

/**
 * What a file holds: its values, and its arrays by name, which are views but for float16.
 * @param {ArrayBuffer} buffer
 * @returns {{values: any, arrays: Record<string, ArrayLike<number>>}}
 */
export function readArrays(buffer) {
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

// An estimator's, in a thread of its own: a search takes longer than a page may stand still.

class Estimates {
  /**
   * @param {ArrayBuffer} file of a network @param {any} rules what `Moves` takes @param {number} plies
   * @param {number} agreement of its errors
   */
  constructor(file, rules, plies, agreement) {
    this.isExact = false;
    this.agreement = agreement;
    this.given = { file, rules, plies };
    this.worker = null;
    this.number = 0;
    /** @type {Map<number, {resolve: (found: any) => void, reject: (fault: Error) => void}>} */
    this.waiting = new Map();
  }

  figures(rows) {
    this.worker ??= this.started();
    const number = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage({ number, rows });
    });
  }

  started() {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data: { number, found, fault } }) => {
      const { resolve, reject } = this.waiting.get(number);
      this.waiting.delete(number);
      if (fault) reject(new Refusal(fault));
      else resolve(found);
    };
    worker.onerror = () => { // its script did not come; it is asked for anew the next time
      this.worker = null;
      for (const { reject } of this.waiting.values()) {
        reject(new Refusal(["values.search"]));
      }
      this.waiting.clear();
    };
    worker.postMessage(this.given);
    return worker;
  }
}
