// The worker of a published site. Files that the site's version names are kept when it is installed,
// pieces of large tables when they are first asked for. Above are `VERSION` and `FILES`, by `ur publish`.

const SCOPE = self.registration.scope;
const PREFIX = `ur-solver ${SCOPE} `;
const OWN = PREFIX + VERSION;
const PIECES = `${PREFIX}pieces`;
const PIECE = /^data\/tables\/[^/]+\/\d+\.bin$/;

const folderOf = (path) => path.slice(0, path.lastIndexOf("/"));
const pathOf = (url) => {
  const path = url.slice(SCOPE.length).split(/[?#]/)[0];
  return path === "index.html" ? "" : path;
};

self.addEventListener("install", (event) => {
  const requests = FILES.map((path) => new Request(SCOPE + path, { cache: "no-cache" }));
  event.waitUntil(caches.open(OWN).then((cache) => cache.addAll(requests)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([forgetOthers(), self.clients.claim()]));
});

/** Drop what earlier versions of this site kept, and pieces of tables that it no longer has. */
async function forgetOthers() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => (name === OWN || name === PIECES ? null : caches.delete(name))));
  const folders = new Set(FILES.map(folderOf));
  const pieces = await caches.open(PIECES);
  for (const request of await pieces.keys()) {
    if (!folders.has(folderOf(pathOf(request.url)))) await pieces.delete(request);
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(SCOPE)) {
    event.respondWith(answer(request, pathOf(request.url)));
  }
});

async function answer(request, path) {
  const own = await (await caches.open(OWN)).match(SCOPE + path);
  if (own || !PIECE.test(path)) return own ?? fetch(request);
  const pieces = await caches.open(PIECES);
  const piece = await pieces.match(SCOPE + path);
  if (piece) return piece;
  const found = await fetch(request);
  if (found.ok) await pieces.put(SCOPE + path, found.clone());
  return found;
}
