// A published page keeps itself: with its worker it opens without a network once it was open with one.

if ("serviceWorker" in navigator) {
  // where the browser keeps nothing, in a private window perhaps, the page works all the same
  addEventListener("load", () => navigator.serviceWorker.register("sw.js").catch(() => null));
}
