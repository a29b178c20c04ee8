// What somebody likes the page to do, kept in the browser.

const KEY = "ur-options";

/** @type {{sound: boolean, forced: boolean, chances: boolean, pace: string}} */
export const options = { sound: false, forced: false, chances: false, pace: "easy", ...read(KEY, {}) };

/** Set an option, and keep it. */
export function setOption(name, value) {
  options[name] = value;
  keep(KEY, options);
}

/** What was kept under a key; browsers may forbid it. */
export function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // a browser that keeps nothing
  }
}
