// What a network and a search estimate: the same sums as `ur_solver.estimators` has.

import { check, readArrays } from "./values.js";

const LEAST = -30;

export class Network {
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
    const sizes = [values.features, ...values.hidden, 1];
    const { first_layer: multiples, scales, weights } = arrays;
    check(sizes.every((each) => each > 0) && scales.length === sizes[0] && multiples.length === sizes[0] * sizes[1]
      && multiples.length + weights.length === sizes.slice(1).reduce((sum, m, k) => sum + (sizes[k] + 1) * m, 0)
      && this.errors.every((each) => each >= 0));
    this.layers = [];
    let begun = 0;
    for (let k = 0; k + 1 < sizes.length; k++) {
      const [n, m] = [sizes[k], sizes[k + 1]];
      const matrix = k ? weights.subarray(begun, begun += n * m)
        : Float32Array.from(multiples, (each, i) => each * scales[Math.floor(i / m)]);
      const biases = weights.subarray(begun, begun += m);
      check(matrix.every(Number.isFinite) && biases.every(Number.isFinite));
      this.layers.push({ n, m, matrix, biases, sums: new Float64Array(m) });
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
  /** @param {Network} network @param {any} moves the rule set's `Moves` */
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

/** Values that a network and a search estimate; half the widths of their 95 % intervals. */
export class Estimator {
  /** @param {Network} network @param {any} moves the rule set's `Moves` @param {number} plies */
  constructor(network, moves, plies) {
    this.network = network;
    this.search = new Search(network, moves);
    this.depth = plies - 1;
  }

  figures(rows) {
    const values = rows.map((row) => this.search.value(row, this.depth));
    const { is_chance: isChance, scale: { owed } } = this.network.about;
    const most = isChance ? 1e-9 : owed;
    check(values.every((each, k) => each >= -most && each <= this.search.moves.total(rows[k]) + most));
    return { values, errors: rows.map((row, k) => this.margin(row, values[k])) };
  }

  margin(row, value) {
    const scale = this.network.scaleOf(row);
    return halfWidth(this.network.errors[this.depth], value / scale) * scale;
  }
}

/** `half_widths` of `ur_solver.estimators.calibration`: of a value that is a share of the most it can be. */
export function halfWidth(error, share) {
  const inside = Math.min(1, Math.max(0, share));
  return Math.min(1, error * (Math.sqrt(inside * (1 - inside)) + 0.02));
}
