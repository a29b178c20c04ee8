// Chance: from a seed, so that the same question has the same answer, or fair.

/** Numbers in [0, 1) from a seed (mulberry32). @param {number} seed */
export function drawnFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}

const fair = () => crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;

/** One of several by their weights, and by a number in [0, 1). */
export function picked(options, weight, number = fair()) {
  let left = number * options.reduce((sum, each) => sum + weight(each), 0);
  return options.find((each) => (left -= weight(each)) < 0) ?? options.at(-1);
}
