// Chooses the language before anything else is loaded, so that its texts come with the other files: it stands
// in the page's own text. That of the address, or what was chosen in the settings, or the browser's.

(() => {
  const sums = JSON.parse(document.querySelector("[type=importmap]").textContent).integrity;
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem("ur-options"))?.language;
  } catch {
    // a browser that keeps nothing
  }
  const wanted = [new URLSearchParams(location.search).get("language"), kept, ...navigator.languages];
  const known = wanted.map((each) => String(each).split("-")[0]).find((each) => `./languages/${each}.js` in sums);
  const language = known ?? "en";
  const address = `languages/${language}.js`;
  document.documentElement.lang = language;
  const link = document.createElement("link");
  Object.assign(link, { rel: "modulepreload", href: address, integrity: sums[`./${address}`] });
  document.head.append(link);
})();
