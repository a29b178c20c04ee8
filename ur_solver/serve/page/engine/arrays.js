// Files of numbers: a head of JSON, and arrays after it. `ur_solver.publish.arrays` writes them.

const TYPES = {
  float64: Float64Array, float32: Float32Array, int32: Int32Array, uint32: Uint32Array,
  int16: Int16Array, uint16: Uint16Array, uint8: Uint8Array,
};

/** The array of a type over some bytes. @param {string} type @returns {ArrayLike<number>} */
export function arrayOf(type, ...over) {
  return new TYPES[type](...over);
}

/**
 * What a file holds: its values, and its arrays by name, which are views.
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
