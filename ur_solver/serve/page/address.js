// Addresses that somebody may have changed: their parts, and a game as far as it can be played.

/** The parts of an address, by key. */
export function partsOf(address) {
  const parts = new Map();
  let fault = null;
  for (const part of address.split("&").filter(Boolean)) {
    const [key, value = ""] = part.split("=");
    try {
      parts.set(key, decodeURIComponent(value));
    } catch {
      fault = new Error(`The address cannot be read at “${key}”: a % in it is not followed by two hexadecimal digits.`);
    }
  }
  return { parts, fault };
}

/** As many of some turns as the rules allow, judged; and what is wrong with the next one. */
export async function playedOf(source, start, turns) {
  const sent = turns.map(({ choice, throws, move }) => [choice, throws, move]);
  try {
    return { line: await source.line(start, sent) };
  } catch (fault) {
    const count = Number(/^turn (\d+)/.exec(fault.message)?.[1] ?? 1) - 1;
    return { line: count ? await source.line(start, sent.slice(0, count)) : null, fault };
  }
}
