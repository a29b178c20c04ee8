// Exact values of a table that lies in pieces on the site, of which those asked for are loaded.
//
// The rank of a state is the place of its value: counted by the tables of numbers that
// `ur_solver.space` has made of the rules; nothing here knows a rule.

import { once } from "../once.js";
import { arrayOf, readArrays } from "./arrays.js";

const MOST_KEPT = 64;

class Ranking {
  /** @param {Record<string, any>} arrays @param {any} values as `ur_solver.publish.exact` writes them */
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

export class Exact {
  /**
   * @param {ArrayBuffer} buffer the head of a table, as `ur_solver.publish.exact` writes it
   * @param {(number: number) => Promise<ArrayBuffer>} load gives a piece
   */
  constructor(buffer, load) {
    const { values, arrays } = readArrays(buffer);
    this.about = values;
    this.ranking = new Ranking(arrays, values);
    this.firstRanks = arrays.block_first;
    this.blockErrors = arrays.block_error ?? null;
    this.load = load;
    this.pieces = new Map();
  }

  /** The rank of a state's value, that of its last level where it has more fines; -1 if over. */
  rank(state) {
    const { per_position: levels, reach } = this.about;
    const found = this.ranking.rank(state);
    return found < 0 ? -1 : found * levels + (levels > 1 ? Math.min(state.at(-1), reach) : 0);
  }

  /** The values of states that are not over to their sides to throw. */
  async values(states) {
    const { unit, fine } = this.about;
    const ranks = states.map((state) => this.rank(state));
    const past = states.map((state) => this.past(state));
    const stored = await this.read(ranks);
    // past the levels of fines values grow by a straight line
    const slopes = past.some(Boolean)
      ? await this.read(ranks.map((rank, k) => (past[k] ? this.chanceRank(rank) : rank))) : stored;
    return stored.map((value, k) => value * unit + past[k] * fine * slopes[k]);
  }

  /** The chances of winning if only winning counted. */
  async chances(states) {
    return this.read(states.map((state) => this.chanceRank(this.rank(state))));
  }

  chanceRank(rank) {
    const { per_position: levels, reach, chance } = this.about;
    return rank < 0 || levels === 1 ? rank : rank - (rank % levels) + reach + chance;
  }

  /** By how much a state's value is proven to be off at most; null if that is not known. */
  error(state) {
    if (!this.blockErrors) return null;
    const rank = this.rank(state);
    if (rank < 0) return 0;
    let [low, high] = [0, this.firstRanks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.firstRanks[middle] <= rank) low = middle;
      else high = middle - 1;
    }
    const { unit, fine } = this.about;
    return this.blockErrors[low] * (unit + this.past(state) * fine);
  }

  /** The largest error that leaving out fines past the levels may have made; see `Lookup`. */
  cutError(state) {
    const { unit, reach, cut } = this.about;
    if (!cut) return 0;
    const error = cut.levels?.[Math.min(state.at(-1), reach)] ?? cut.error;
    return (error + this.past(state) * cut.growth) * unit;
  }

  /** The fines past the levels that have values. */
  past(state) {
    return this.about.is_money ? Math.max(0, state.at(-1) - this.about.reach) : 0;
  }

  /** The stored values of ranks, NaN of -1. @param {number[]} ranks @returns {Promise<number[]>} */
  async read(ranks) {
    const { piece, stored_scale: scale } = this.about;
    const place = (rank) => Math.floor(rank / piece);
    const wanted = [...new Set(ranks.filter((rank) => rank >= 0).map(place))];
    const loaded = await Promise.all(wanted.map((number) => this.piece(number)));
    const at = new Map(wanted.map((number, k) => [number, loaded[k]]));
    return ranks.map((rank) => (rank < 0 ? NaN : at.get(place(rank))[rank % piece] / scale));
  }

  /** A piece of the values; the latest ones are kept. */
  piece(number) {
    const load = async () => arrayOf(this.about.value_type, await this.load(number));
    return once(this.pieces, number, load, MOST_KEPT);
  }
}
