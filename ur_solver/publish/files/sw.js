// The worker of a published site. It keeps the page when it is installed, what the page uses when it is
// asked for, and whatever the page tells it to keep. A file is kept under its digest, so versions live side by
// side, and no other bytes are kept or answered. Above are `VERSION` and `PAGE`, by `ur publish`.

const SCOPE = self.registration.scope;
const PREFIX = `ur-solver ${SCOPE} `;
const NAME = `${PREFIX}files`;
const INDEX = "data/index.json";
const AT_ONCE = 4;
/** Seconds before a file is asked for again, the first time past all caches. */
const PAUSES = [0, 2, 8, 30];
const LONGEST = 120;

/** Whether the browser refused to keep a file; keeping is an extra, which play never waits for. */
let isFull = false;
/** When the host wants to be asked again, and not before. */
let notBefore = 0;

const keyOf = (path, digest) => `${SCOPE}${path}?${encodeURIComponent(digest)}`;
const pathOf = (url) => {
  const path = url.slice(SCOPE.length).split(/[?#]/)[0];
  return path === "index.html" ? "" : path;
};
const folderOf = (path) => path.slice(0, path.lastIndexOf("/") + 1);
const opened = () => caches.open(NAME).catch(() => null);

async function isSound(bytes, digest) {
  const found = await crypto.subtle.digest("SHA-256", bytes);
  return digest === `sha256-${btoa(String.fromCharCode(...new Uint8Array(found)))}`;
}

/** A kept file; one that holds other bytes is thrown away. */
async function keptFile(path, digest) {
  const cache = await opened();
  const found = await cache?.match(keyOf(path, digest)).catch(() => null);
  const bytes = await found?.arrayBuffer().catch(() => null);
  if (!bytes) return null;
  if (await isSound(bytes, digest)) return new Response(bytes, { headers: found.headers });
  await cache.delete(keyOf(path, digest));
  return null;
}

/** Keep an answer if it is the file of this digest; whether it is. */
async function keepFile(path, digest, reply) {
  const bytes = reply.ok && await reply.arrayBuffer().catch(() => null);
  if (!bytes || !(await isSound(bytes, digest))) return false;
  const headers = { "Content-Type": reply.headers.get("Content-Type") ?? "", "Content-Length": bytes.byteLength };
  try {
    await (await caches.open(NAME)).put(keyOf(path, digest), new Response(bytes, { headers }));
  } catch {
    isFull = true;
  }
  return true;
}

/** Load a file and keep it: out of the browser's own cache, else as often as it takes; whether it came. */
async function loadFile(path, digest) {
  const comes = async (cache) => {
    await new Promise((come) => setTimeout(come, notBefore - Date.now()));
    const reply = await fetch(SCOPE + path, { cache }).catch(() => null);
    const wanted = Math.min(Number(reply?.headers.get("Retry-After")) || 0, LONGEST);
    if (wanted) notBefore = Math.max(notBefore, Date.now() + 1000 * wanted);
    return Boolean(reply && await keepFile(path, digest, reply));
  };
  if (await comes("force-cache")) return true;
  for (const pause of PAUSES) {
    await new Promise((come) => setTimeout(come, 1000 * pause));
    if (await comes("reload")) return true;
  }
  return false;
}

/** Keep files, several at a time; `told` hears how far it is. Whether all came. */
async function keepAll(files, told = () => null) {
  isFull = false;
  const there = await keptKeys();
  const missing = files.filter(([path, digest]) => !there.has(keyOf(path, digest)));
  const of = missing.length;
  let come = 0;
  const next = async () => {
    while (missing.length && !isFull) {
      if (await loadFile(...missing.shift())) told({ come: come += 1, of });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return come === of;
}

const keptKeys = async () =>
  new Set(((await (await opened())?.keys().catch(() => null)) ?? []).map((request) => request.url));

async function isWhole() {
  const there = await keptKeys();
  return Object.entries(PAGE).every(([path, digest]) => there.has(keyOf(path, digest)));
}

self.addEventListener("install", (event) => event.waitUntil(install()));

async function install() {
  const names = (await caches.keys().catch(() => [])).filter((name) => name.startsWith(PREFIX));
  // pages of a version that checked nothing may be broken, and then cannot ask for this one
  if (names.some((name) => name !== NAME)) await self.skipWaiting();
  const haveCome = await keepAll(Object.entries(PAGE));
  // what came stays for the next try; until then the version that is whole goes on
  if (!haveCome && !isFull && self.registration.active) throw new Error("some files did not come");
}

self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([forgetOthers(), self.clients.claim()]));
});

/** Drop what is no longer part of the site, and what versions without digests kept. */
async function forgetOthers() {
  const names = (await caches.keys().catch(() => [])).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => (name === NAME ? null : caches.delete(name))));
  const index = await keptFile(INDEX, PAGE[INDEX]);
  if (!index) return;
  const { sums } = await index.json();
  const own = new Set([...Object.entries(PAGE), ...Object.entries(sums).map(([path, [, digest]]) => [path, digest])]
    .map(([path, digest]) => keyOf(path, digest)));
  const cache = await opened();
  for (const request of await cache.keys()) {
    const path = pathOf(request.url);
    // pieces of large tables are in no index; another table has another folder
    const isPiece = !(path in sums) && `${folderOf(path)}head.bin` in sums;
    if (!own.has(request.url) && !isPiece) await cache.delete(request);
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = pathOf(request.url);
  // the page says by the fragment which file it wants, scripts and style sheets say it themselves
  const digest = request.integrity || request.url.split("#sha256-")[1]?.replace(/^/, "sha256-") || PAGE[path];
  if (request.method === "GET" && request.url.startsWith(SCOPE) && digest) {
    event.respondWith(answer(event, path, digest));
  }
});

/** A file as it is kept, or as the host answers: the page checks that by itself. */
async function answer(event, path, digest) {
  const { request } = event;
  // an incomplete page may be of another version than what the host has by now
  const mayBeKept = request.cache !== "reload" && (path !== "" || await isWhole());
  const kept = mayBeKept && await keptFile(path, digest);
  if (kept) return kept;
  try {
    const reply = await fetch(request);
    event.waitUntil(keepFile(path, digest, reply.clone()));
    return reply;
  } catch (error) {
    const last = await keptFile(path, digest);
    if (last) return last;
    throw error;
  }
}

self.addEventListener("message", (event) => {
  const { isNewWanted, files } = event.data;
  if (isNewWanted) self.skipWaiting();
  if (files) event.waitUntil(keepFor(event.ports[0], files));
});

/** Keep the page and some files, and say how it goes and what there is then. */
async function keepFor(port, files) {
  const haveCome = await keepAll([...Object.entries(PAGE), ...files], (state) => port.postMessage(state));
  const there = (await (await opened())?.matchAll().catch(() => null)) ?? [];
  port.postMessage({
    isFull, haveCome, keys: [...await keptKeys()],
    bytes: there.reduce((sum, reply) => sum + Number(reply.headers.get("Content-Length")), 0),
  });
}
