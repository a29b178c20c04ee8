// What gives the values of a published rule set: its table, or an estimator and a search.

import { Exact } from "./exact.js";
import { Network } from "./network.js";
import { Search } from "./search.js";

/**
 * The values of an entry of the site's index, as `unfold` asks for them.
 * @param {any} entry @param {any} moves its rule set's `Moves`
 * @param {(path: string) => Promise<ArrayBuffer>} fetchFile gives a file of the data
 */
export async function open(entry, moves, fetchFile) {
  const { kind, head, pieces } = entry.values;
  const file = await fetchFile(head);
  if (kind === "network") return new Estimates(new Network(file), moves, entry.plies);
  return new TableValues(new Exact(file, (number) => fetchFile(`${pieces}${number}.bin`)), moves);
}

/** Values that a network and a search estimate. */
export class Estimates {
  constructor(network, moves, plies) {
    this.isExact = false;
    this.network = network;
    this.moves = moves;
    this.search = new Search(network, moves);
    this.depth = plies - 1;
  }

  async values(rows) {
    return rows.map((row) => this.search.value(row, this.depth));
  }

  /** Half the widths of their 95 % intervals, as `ur_solver.estimators.estimator` has them. */
  async margins(rows, values) {
    const error = this.network.errors[this.depth];
    return rows.map((row, k) => {
      const scale = this.network.scaleOf(row);
      const share = Math.min(1, Math.max(0, values[k] / scale));
      return error * (Math.sqrt(share * (1 - share)) + 0.02) * scale;
    });
  }

  /** What is known of a position besides its value; a margin of 0 is that of a value by the rules. */
  async facts(_row, _value, margin) {
    return margin ? { tolerance: null, exact: false, error: margin }
      : { tolerance: 0, error: null, exact: true };
  }
}

/** The values of a table. */
export class TableValues {
  constructor(exact, moves) {
    this.isExact = true;
    this.exact = exact;
    this.moves = moves;
    if (exact.about.is_money) this.chances = (rows) => exact.chances(rows);
  }

  values(rows) {
    return this.exact.values(rows);
  }

  async facts(row, value) {
    const { tolerance, is_money: isMoney } = this.exact.about;
    const facts = { tolerance, error: this.exact.error(row) };
    if (!isMoney) return facts;
    const isOver = this.exact.rank(row) < 0;
    const [chance] = isOver ? [Number(value > 0)] : await this.exact.chances([row]);
    return { ...facts, cut_error: this.exact.cutError(row), chance };
  }
}
