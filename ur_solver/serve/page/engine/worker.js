// The thread of an estimator: the first message says which it is, the others ask for figures of rows.

import { Estimator, Network } from "./estimates.js";
import { Moves } from "./moves.js";
import { madeOf } from "./values.js";

let given = null;
let estimator = null;

self.onmessage = ({ data }) => {
  if (!given) {
    given = data;
    return;
  }
  const { number, rows } = data;
  try {
    const { file, rules, plies } = given;
    estimator ??= madeOf(() => new Estimator(new Network(file), new Moves(rules), plies));
    self.postMessage({ number, found: estimator.figures(rows) });
  } catch (error) {
    self.postMessage({ number, fault: error.saying ?? error.message });
  }
};
