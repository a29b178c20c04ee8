// A network's values of states: the same sums as `ur_solver.estimators.network` has.

import { readArrays } from "./arrays.js";

const LEAST = -30;

export class Network {
  /** @param {ArrayBuffer} buffer as `ur_solver.publish.networks` writes it */
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
    this.layers = [];
    let first = 0;
    for (let k = 0; k + 1 < sizes.length; k++) {
      const [n, m] = [sizes[k], sizes[k + 1]];
      const matrix = arrays.weights.subarray(first, first + n * m);
      const biases = arrays.weights.subarray(first + n * m, first + (n + 1) * m);
      this.layers.push({ n, m, matrix, biases, sums: new Float64Array(m) });
      first += (n + 1) * m;
    }
    this.first = arrays.first;
    this.parts = arrays.parts;
    this.added = added(arrays.starts, arrays.features, this.layers[0]);
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
    return (this.about.is_chance ? 1 / (1 + Math.exp(-Math.max(output, LEAST))) : output) * scale;
  }

  firstLayer(state, scale) {
    const { first, parts, added, width } = this;
    const { m, biases, sums } = this.layers[0];
    sums.set(biases);
    let mine = this.full;
    let theirs = this.full;
    for (let column = 0; column < width; column++) {
      const held = state[column];
      if (!held) continue;
      const number = first[column] + held;
      mine -= parts[2 * number];
      theirs -= parts[2 * number + 1];
      add(sums, added, number * m, m);
    }
    if (mine > 0) add(sums, added, (first[width] + mine) * m, m);
    if (theirs > 0) add(sums, added, (first[width + 1] + theirs) * m, m);
    if (this.ofFine) {
      const fine = Math.fround(this.scale.fine / scale);
      for (let k = 0; k < m; k++) sums[k] += fine * this.ofFine[k];
    }
    return sums;
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
