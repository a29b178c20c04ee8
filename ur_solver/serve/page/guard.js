// Sees that the page comes whole, as scripts that did not come cannot say so. What a host answered wrongly is
// loaded once more, past all caches, and the page anew: by itself once, then when somebody asks for it.

(() => {
  /** What it says, by language, from the language files: these may be what did not come. */
  const WORDS = /* words */ {};
  const say = (key) => WORDS[document.documentElement.lang][key];
  const PAUSES = [0, 1, 4];
  const LONGEST = 20;
  let isFailing = false;

  const parts = () => [...document.querySelectorAll("script[integrity], link[rel=stylesheet]")];
  const modules = () => Object.entries(JSON.parse(document.querySelector("[type=importmap]")?.textContent ?? "{}").integrity ?? {});
  const isArriving = () => document.body.matches(".arriving");

  function show(...words) {
    const line = document.getElementById("error") ?? document.createElement("p");
    if (!line.isConnected) document.body.prepend(line);
    line.replaceChildren(...words);
  }

  function offer() {
    const again = document.createElement("button");
    again.textContent = say("page.retry");
    again.addEventListener("click", window.loadAnew);
    show(`${say("guard.fault")} `, again);
  }

  /** Whether a part of the page is as it should be, or has been loaded again. */
  async function mended(address, integrity) {
    let reply = integrity && await fetch(address, { integrity, cache: "force-cache" }).catch(() => null);
    let wanted = 0;
    for (const pause of PAUSES) {
      if (reply?.ok || wanted > LONGEST) break;
      await new Promise((come) => setTimeout(come, 1000 * Math.max(pause, wanted)));
      reply = await fetch(address, { cache: "reload" }).catch(() => null);
      wanted = Number(reply?.headers.get("Retry-After")) || 0;
    }
    return Boolean(reply?.ok);
  }

  /** Load what is damaged once more, then the page. */
  window.loadAnew = async () => {
    isFailing = true;
    show(say("guard.again"));
    const all = await Promise.all([mended(location.pathname + location.search, ""),
      ...parts().map((part) => mended(part.href || part.src, part.integrity)),
      ...modules().map(([address, integrity]) => mended(address, integrity))]);
    if (all.every(Boolean)) location.reload();
    else offer();
  };

  window.failing = () => {
    if (isFailing) return;
    isFailing = true;
    const wasReloaded = performance.getEntriesByType("navigation")[0]?.type === "reload";
    if (isArriving() && !wasReloaded) window.loadAnew();
    else offer();
  };

  addEventListener("error", ({ target }) => {
    const isPart = target === window ? document.body.matches(".unready") : target.hasAttribute?.("integrity");
    if (isPart) window.failing();
  }, true);
  const isCut = !document.getElementById("whole");
  if (isCut || parts().some((part) => part.rel === "stylesheet" && !part.sheet)) window.failing();
})();
