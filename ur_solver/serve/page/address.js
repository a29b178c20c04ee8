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
  const tried = async (count) => {
    try {
      return { line: await source.line(start, sent.slice(0, count)), count };
    } catch (error) {
      return { fault: error };
    }
  };
  const whole = await tried(sent.length);
  if (whole.line) return whole;
  let best = { line: null, count: 0 };
  for (let most = sent.length - 1; best.count < most;) {
    const count = Math.ceil((best.count + most) / 2);
    const found = await tried(count);
    if (found.line) best = found;
    else most = count - 1;
  }
  return { ...best, fault: whole.fault };
}
