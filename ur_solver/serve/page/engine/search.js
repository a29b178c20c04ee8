// Values by a full search of some plies over the chances of throws, as `ur_solver.estimators.search`.

const MOST_KNOWN = 50_000;

export class Search {
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
