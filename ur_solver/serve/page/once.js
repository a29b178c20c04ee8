// What is asked for once, and kept.

/**
 * What is kept under a key, made if it is not there. A failure is not kept; of more than `most` the
 * one that nobody has asked for for longest goes.
 * @param {Map<string, Promise<any>>} kept @param {string} key @param {() => Promise<any>} make
 */
export function once(kept, key, make, most = Infinity) {
  const found = kept.get(key) ?? make().catch((error) => {
    kept.delete(key);
    throw error;
  });
  kept.delete(key);
  kept.set(key, found);
  if (kept.size > most) kept.delete(kept.keys().next().value);
  return found;
}
