// A game in the plain notation, as the program writes it (ur_solver/records/plain.py).

/**
 * @param {{record_rules: string, start: string}} about the rules
 * @param {{rounds?: string | null, start: string, names: {[key: string]: string | null}, turns: {side: string,
 *   choice: string | null, throws: number[], move: string | null}[]}} game
 * @param {string} end how it ended; empty where the last move says it
 */
export function plainText(about, { rounds, start, names, turns }, end) {
  const head = { rules: about.record_rules };
  if (rounds) head.opening = rounds;
  else if (start !== about.start) head.start = start;
  const lines = Object.entries({ ...head, ...names }).filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${quoted(value)}`);
  lines.push("", ...turns.map(({ side, choice, throws, move }) =>
    [side[0].toUpperCase(), choice, ...throws, move ?? "--"].filter((word) => word !== null).join(" ")));
  if (end) lines.push(`end: ${end}`);
  return `${lines.join("\n")}\n`;
}

function quoted(value) {
  const isPlain = value && value === value.trim() && !value.startsWith('"') && !/\p{C}/u.test(value);
  return isPlain ? value : JSON.stringify(value);
}
