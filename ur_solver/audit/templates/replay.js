// The replay of a game: a step puts what has changed since the step before into the drawing.
for (const replay of document.querySelectorAll(".replay")) {
  const steps = JSON.parse(replay.querySelector("script").textContent);
  const svg = replay.querySelector("svg");
  const [text, slider] = [replay.querySelector("p"), replay.querySelector("input")];
  const buttons = replay.querySelectorAll("button");
  const count = svg.children.length;
  const play = buttons[4];
  let at = -1, timer = 0;

  function show(number) {
    const wanted = Math.max(0, Math.min(steps.length - 1, number));
    const from = wanted < at ? 0 : at + 1;
    const parts = {};
    for (let k = from; k <= wanted; k++) Object.assign(parts, steps[k].parts);
    if (wanted < at) for (let k = 0; k < count; k++) parts[k] ??= first[k];
    for (const [index, part] of Object.entries(parts)) svg.children[index].outerHTML = part;
    while (svg.children.length > count) svg.lastElementChild.remove();
    svg.insertAdjacentHTML("beforeend", steps[wanted].arrows);
    text.textContent = steps[wanted].text;
    slider.value = at = wanted;
    slider.setAttribute("aria-valuetext", steps[wanted].text);
    if (at === steps.length - 1) stop();
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }

  const first = [...svg.children].map((child) => child.outerHTML);
  const moves = [() => 0, () => at - 1, () => at + 1, () => steps.length - 1];
  moves.forEach((to, k) => buttons[k].addEventListener("click", () => { stop(); show(to()); }));
  play.addEventListener("click", () => {
    if (timer) { stop(); return; }
    if (at === steps.length - 1) show(0);
    play.textContent = "Stop";
    timer = setInterval(() => show(at + 1), 1500);
  });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  show(0);
  replay.hidden = false;
}
