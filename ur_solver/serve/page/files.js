// The files of a site: what a host answers is checked by its digest, and asked for again where it is
// something else. And what is awaited, from a site or a server.

import { Missing } from "./common.js";

/** Seconds before a file is asked for again, the first time past all caches; a host may want longer ones. */
const PAUSES = [0, 1, 3];
const LONGEST = 20;

/** What was used of a site, by its digest. @type {Map<string, string>} */
export const used = new Map();

/**
 * The bytes of the file that has a digest, as `integrity` of a script has it.
 * @param {string} address @param {string} digest @returns {Promise<ArrayBuffer>}
 */
export async function soundFile(address, digest) {
  let found = await asked(address, digest, "force-cache");
  for (const pause of PAUSES) {
    if (found.bytes || found.wanted > LONGEST || (pause && !found.isBusy)) break;
    await new Promise((come) => setTimeout(come, 1000 * Math.max(pause, found.wanted)));
    found = await asked(address, digest, "reload");
  }
  if (!found.bytes) throw new Missing(found.saying);
  used.set(address, digest);
  return found.bytes;
}

/** The file; or why it did not come, whether the host has much to do, and what pause it wants. */
async function asked(address, digest, cache) {
  // where a page may not make digests, the browser checks them
  const check = crypto.subtle ? {} : { integrity: digest };
  const reply = await fetch(`${address}#${digest}`, { cache, ...check }).catch(() => null);
  if (!reply) return { saying: ["files.lost"], isBusy: navigator.onLine, wanted: 0 };
  if (!reply.ok) {
    const { status } = reply;
    const wanted = Number(reply.headers.get("Retry-After")) || 0;
    const saying = wanted ? ["files.status.later", { status: String(status), wanted }] : ["files.status", { status: String(status) }];
    return { saying, isBusy: status === 429 || status >= 500, wanted };
  }
  const bytes = await reply.arrayBuffer().catch(() => null);
  if (bytes && (!crypto.subtle || digest === await digestOf(bytes))) return { bytes, wanted: 0 };
  return { saying: ["files.damaged"], isBusy: false, wanted: 0 };
}

async function digestOf(bytes) {
  const found = await crypto.subtle.digest("SHA-256", bytes);
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(found)))}`;
}

/** How many answers have come of those that are awaited together; `changed` hears of it. */
export const awaited = { come: 0, all: 0, changed: [] };

/** Await an answer, so that the page can say so. */
export async function counting(answer) {
  awaited.all += 1;
  for (const hear of awaited.changed) hear();
  try {
    return await answer;
  } finally {
    awaited.come += 1;
    for (const hear of awaited.changed) hear();
    if (awaited.come === awaited.all) Object.assign(awaited, { come: 0, all: 0 });
  }
}
