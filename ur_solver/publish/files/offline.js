// A published page keeps itself: with its worker it opens without a network. It says what is kept, keeps
// everything when it is asked to, and offers a new version once there is one.

import { games } from "./api.js";
import { at, button, make } from "./dom.js";
import { awaited, used } from "./files.js";
import { number, say } from "./speech.js";

const HOUR = 3_600_000;
/** Milliseconds without a load after which what was loaded is kept. */
const QUIET = 1500;
const HERE = new URL("./", location.href);
const { version: VERSION } = document.querySelector("meta[name=ur-data]").dataset;

const line = make("p", { id: "offline", role: "status" });
const news = make("p", { id: "news", role: "status" });
document.querySelector("footer").append(line);
at("error").after(news);

// What is kept.

/** What to keep, of everything on the site. @type {(all: [string, string][]) => [string, string][]} */
let wanted = () => [...used].map(([address, digest]) => [new URL(address, HERE).href.slice(HERE.href.length), digest]);

const sizeText = (bytes) => (bytes < 1e6 ? say("offline.kilobytes", { size: Math.ceil(bytes / 1000) })
  : say("offline.megabytes", { size: number(bytes / 1e6, 1) }));

/** Keep what is wanted, by the worker, and say how far it is. */
async function keepWanted() {
  const { active } = await navigator.serviceWorker.ready;
  const sums = Object.entries((await games()).sums);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => show(data, sums);
  active.postMessage({ files: wanted(sums.map(([path, [, digest]]) => [path, digest])) }, [port2]);
}

function keepEverything() {
  wanted = (all) => all;
  return keepWanted();
}

function show({ come, of, isFull, haveCome, keys, bytes }, sums) {
  if (of) {
    line.textContent = say("offline.loading", { come, of });
    return;
  }
  const again = (words, action) => button(words, () => action().catch(refused));
  if (isFull || !haveCome) {
    line.replaceChildren(`${isFull ? say("offline.no-room") : say("offline.missing")} `, again(say("page.retry"), keepWanted));
    return;
  }
  const there = new Set(keys);
  const left = sums.filter(([path, [, digest]]) => !there.has(`${HERE}${path}?${encodeURIComponent(digest)}`));
  const more = left.reduce((sum, [, [size]]) => sum + size, 0);
  const size = sizeText(bytes);
  line.replaceChildren(left.length ? `${say("offline.some", { size })} ` : say("offline.all", { size }),
    left.length ? again(say("offline.keep", { size: sizeText(more + bytes) }), keepEverything) : "");
}

function refused() {
  line.textContent = say("offline.refused");
}

let quiet = 0;

async function keep() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) throw new Error("no worker");
  const there = await serviceWorker.getRegistration();
  // the worker of another version is replaced when that one is wanted
  if (there?.scope !== HERE.href) await serviceWorker.register(workerOf(VERSION));
  if (matchMedia("(display-mode: standalone)").matches && !navigator.connection?.saveData) await keepEverything();
  else await keepWanted();
  awaited.changed.push(() => {
    clearTimeout(quiet);
    quiet = setTimeout(() => keepWanted().catch(refused), QUIET);
  });
}

// A new version.

/** An address of its own, as browsers take a file that was replaced within a second for the same. */
const workerOf = (version) => `sw.js?${version}`;

let isReloading = false;

async function lookForNews() {
  if (!navigator.onLine) return;
  const reply = await fetch("version.json", { cache: "reload" }).catch(() => null);
  const { version } = await reply?.json().catch(() => null) ?? {};
  if (!version || version === VERSION) return;
  // it is loaded in the background, and shown when it is asked for
  navigator.serviceWorker?.register(workerOf(version)).catch(() => null);
  news.replaceChildren(`${say("offline.news")} `, button(say("offline.reload"), () => change(version)));
}

async function change(version) {
  news.textContent = say("offline.changing");
  const { serviceWorker } = navigator;
  const registration = await serviceWorker?.register(workerOf(version)).catch(() => null);
  if (registration?.active) {
    const next = registration.installing ?? registration.waiting;
    while (next?.state === "installing") {
      await new Promise((come) => next.addEventListener("statechange", come, { once: true }));
    }
    if (next?.state === "installed") {
      isReloading = true;
      next.postMessage({ isNewWanted: true });
      return;
    }
  }
  await window.loadAnew();
}

navigator.serviceWorker?.addEventListener("controllerchange", () => {
  if (isReloading) location.reload();
});

function begin() {
  keep().catch(refused);
  lookForNews();
}

// the texts are awaited, and may come after everything else
if (document.readyState === "complete") begin();
else addEventListener("load", begin);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) lookForNews();
});
setInterval(lookForNews, HOUR);
