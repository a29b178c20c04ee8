// Everything next to the board: chances, throws, moves, the game's turns, its graph and its account.

import { at, figures, make, makeSvg, swatch, turnStory } from "./dom.js";
import { showsChances, whoIs } from "./play.js";
import { capitalised, number, percent, say } from "./speech.js";
import { lossErrorOf, sideOf, verdictOf } from "./tree.js";
import { MARKS, SIDES, choiceWord, errorOf, lossWords, moveWords, other, resultWords, sideWord, throwsOf, turnWords } from "./words.js";

/** Whose chance is what: two bars in one, with numbers. */
export function showChances(session) {
  const { answer, units } = session;
  const host = at("chances");
  const isPlain = showsChances(session);
  host.hidden = !(session.showsValues && session.source.hasValues || isPlain) || session.editing;
  if (host.hidden) return;
  const total = answer.total;
  const values = { [answer.side]: answer.value, [other(answer.side)]: total - answer.value };
  const share = session.share(answer.side, answer.value, answer.position);
  const words = (side) => (isPlain ? say("chances.of", { who: whoIs(session, side), value: units.rough(values[side], total) })
    : say("chances.of", { who: sideWord(side), value: units.value(values[side], errorOf(answer)) }));
  host.setAttribute("aria-label",
    SIDES.map(words).join(", "));
  const bar = make("div", {}, ...SIDES.map((side) => make("div", { class: side })));
  [...bar.children].forEach((part, k) => { part.style.flexGrow = k ? 1 - share : share; });
  host.replaceChildren(bar, ...SIDES.map((side) => make("span", { class: side }, words(side))));
}

/** A button for every throw: how likely it is, what it is worth, and how lucky. */
export function showThrows(session, choose) {
  const { units } = session;
  const hasValues = session.source.hasValues && session.showsValues;
  at("throws").hidden = at("throws-title").hidden = session.isPlayed || !session.throws.length;
  if (session.isPlayed) return;
  const more = !hasValues ? say("throws.likely") : units.isMoney ? say("throws.money") : say("throws.chance");
  at("throws-title").replaceChildren(say("throws.title"), make("span", { class: "faint" }, more));
  at("throws").replaceChildren(...session.throws.map((each) => {
    const throws = throwsOf(each);
    const steps = throws.map((value) =>
      session.about.dice.find((die) => die.throw === value).steps);
    const isOwn = steps.some((step, k) => step !== throws[k]);
    const label = [each.choice && session.mustChoose ? `${choiceWord(each.choice)} ` : "", throws.join(" ")].join("");
    const facts = [make("b", {}, label)];
    if (isOwn) facts.push(make("span", { class: "faint" }, say("throws.steps", { steps: steps[0] })));
    const likely = percent(each.probability, 1);
    facts.push(make("span", { class: "faint" }, likely));
    if (hasValues) {
      facts.push(make("span", {}, units.short(each.value, errorOf(each))));
      facts.push(make("span", { class: each.luck < 0 ? "bad" : "good" },
        units.gain(each.luck, 1, errorOf(each))));
    }
    const isChosen = String(session.entry && throwsOf(session.entry)) === String(throws);
    const name = say("throws.name", {
      label, likely, far: isOwn ? "yes" : "no", steps: steps[0], valued: hasValues ? "yes" : "no",
      ...(hasValues && { value: units.short(each.value, errorOf(each)), luck: units.gain(each.luck, 1, errorOf(each)) }),
    });
    return make("button", {
      "aria-label": name, "aria-pressed": String(isChosen), disabled: !each.isPossible, onclick: () => choose(throws),
      title: hasValues ? say("throws.figures") : say("throws.figures.plain"),
    }, ...facts);
  }));
}

/** All legal moves of the throw, the best first. */
export function showMoves(session, play) {
  const { offered: moves, units, played } = session;
  const isShown = session.showsValues && session.source.hasValues;
  at("no-moves").textContent = session.isOver ? say("moves.over")
    : !session.isOwnTurn ? say("moves.computer")
    : session.mustChoose ? say("moves.choose")
    : !session.entry ? (session.isPlayed ? say("moves.throw") : say("moves.throw-or-choose"))
    : moves.length ? "" : say("moves.none");
  const words = moves.map((move) => moveWords(move.move, move.again));
  at("moves").replaceChildren(...moves.map((move, number) => {
    const facts = [make("span", { class: "named" }, make("span", {}, words[number]), make("b", {}, move.move))];
    if (isShown) {
      const bar = make("span", { class: "track", "aria-hidden": "true" }, make("span", { class: "fill" }));
      const share = session.total(move.position) ? move.value / session.total(move.position) : 0;
      bar.firstChild.style.width = `${100 * Math.min(1, Math.max(0, share))}%`;
      const verdict = verdictOf(session.answer.total, move.loss, move.loss_error);
      const loss = lossWords(units.gain(-move.loss, move.loss_error ? 1 : 2), verdict);
      facts.push(make("span", {}, units.value(move.value, errorOf(move))), bar, verdict === "best"
        ? make("span", { class: "good" }, say("verdict.best")) : make("span", { class: "faint" }, loss));
      if (move.mark) facts.push(badge(move.mark));
      if ("chance" in move) facts.push(make("span", { class: "faint" }, say("moves.wins", { chance: percent(move.chance, 1) })));
    }
    if (move === played) facts.push(make("span", { class: "faint" }, say("moves.played")));
    // where there is little room, the notation is shown only of those that it tells apart
    const isAlike = words.filter((each) => each === words[number]).length > 1;
    const css = `${number === session.chosen ? "chosen" : ""}${isAlike ? " alike" : ""}`;
    return make("li", {}, make("button", { class: css, onclick: () => play(move) }, ...facts));
  }));
}

function badge(mark) {
  const word = say("mark", { mark });
  return make("span", { class: `tag ${mark}`, title: word },
    MARKS[mark], make("span", { class: "unseen" }, ` ${word}`));
}

// The game.

export function showTurns(session, go) {
  const host = at("turns");
  const items = [];
  const draw = (node, into) => {
    while (node.children.length) {
      const [main, ...others] = node.children;
      into.push(turnButton(session, main, go));
      for (const one of others) {
        const line = make("div", { class: "variation" }, turnButton(session, one, go));
        const rest = [];
        draw(one, rest);
        line.append(...rest);
        into.push(line);
      }
      node = main;
    }
  };
  draw(session.root, items);
  host.replaceChildren(...items);
  host.hidden = !items.length;
  const current = host.querySelector("[aria-current]");
  if (current) {
    const top = current.offsetTop;
    if (top < host.scrollTop || top + current.offsetHeight > host.scrollTop + host.clientHeight) {
      host.scrollTop = top - host.clientHeight / 2;
    }
  } else {
    host.scrollTop = 0;
  }
}

function turnButton(session, node, go) {
  const { side, luck } = node.plies.at(-1);
  const error = errorOf(node.plies.at(-1));
  const mark = node.plies.map((ply) => ply.mark).find(Boolean);
  const isClose = !mark && node.plies.some((ply) => ply.verdict === "close");
  const isShown = session.showsValues && session.source.hasValues;
  return make("button", {
    class: "turn", "aria-current": node === session.at ? "step" : null, onclick: () => go(node),
  },
  swatch(side),
  ...turnStory(node.turn),
  isShown && mark ? badge(mark) : null,
  isShown && isClose ? make("span", { class: "faint", title: say("verdict.close") },
    "≈", make("span", { class: "unseen" }, ` ${say("verdict.close")}`)) : null,
  isShown && luck !== undefined ? make("span", { class: "faint luck" }, session.units.gain(luck, 1, error)) : null);
}

const [WIDTH, HEIGHT] = [720, 200];

/** Light's chance throughout the line, with a dot for each marked turn. */
export function showGraph(session, go) {
  const host = at("graph");
  const line = session.at.line;
  host.hidden = line.length < 3 || !session.source.hasValues || !session.showsValues;
  if (host.hidden) return;
  const curve = session.curve;
  const known = curve.filter((value) => value !== null);
  const step = WIDTH / (line.length - 1);
  const point = (k, value) => `${(k * step).toFixed(1)},${(HEIGHT * (1 - value)).toFixed(1)}`;
  const points = known.map((value, k) => point(k, value)).join(" ");
  const index = line.indexOf(session.at);
  const parts = [0, 0.5, 1].map((share) => makeSvg("line", {
    class: "grid", x1: 0, x2: WIDTH, y1: HEIGHT * share, y2: HEIGHT * share,
  }));
  parts.push(
    makeSvg("polygon", { class: "area", points: `0,${HEIGHT} ${points} ${((known.length - 1) * step).toFixed(1)},${HEIGHT}` }),
    makeSvg("polyline", { class: "curve", points }),
    makeSvg("line", { class: "here", x1: index * step, x2: index * step, y1: -8, y2: HEIGHT + 8 }),
  );
  line.forEach((node, k) => {
    const mark = node.plies.map((ply) => ply.mark).find(Boolean);
    if (!mark || known[k - 1] === undefined) return;
    const [cx, cy] = point(k - 1, known[k - 1]).split(",");
    const title = say("graph.dot", { side: node.plies[0].side, turn: turnWords(node.turn), mark: say("mark", { mark }) });
    parts.push(makeSvg("circle", { class: `dot ${mark}`, cx, cy, r: 6 }, makeSvg("title", {}, title)));
  });
  host.replaceChildren(makeSvg("svg", { class: "graph", viewBox: `-8 -10 ${WIDTH + 16} ${HEIGHT + 20}`, "aria-hidden": "true" }, ...parts));
  host.setAttribute("aria-valuemin", 0);
  host.setAttribute("aria-valuemax", line.length - 1);
  host.setAttribute("aria-valuenow", index);
  const value = known[index];
  host.setAttribute("aria-valuetext",
    value === undefined ? say("graph.at", { at: index, count: line.length - 1 })
      : say("graph.at.value", { at: index, count: line.length - 1, value: percent(value, 1) }));
  host.onclick = (event) => {
    const box = host.firstChild.getBoundingClientRect();
    const share = ((event.clientX - box.x) / box.width) * (WIDTH + 16) - 8;
    go(line[Math.min(line.length - 1, Math.max(0, Math.round(share / step)))]);
  };
  host.onkeydown = (event) => {
    const goal = { ArrowLeft: index - 1, ArrowDown: index - 1, ArrowRight: index + 1,
      ArrowUp: index + 1, Home: 0, End: line.length - 1 }[event.key];
    if (goal === undefined) return;
    event.preventDefault();
    if (line[goal]) go(line[goal]);
  };
}

/** Who plays, for what where there are stakes, and how the game ended. */
export function showNames(session) {
  const named = SIDES.map((side) => {
    const player = session.players[side];
    const name = session.names[side] ?? (player === "human" ? null : say("names.computer", { level: say("level.inside", { name: player }) }));
    return name ? say("names.side", { side, name }) : null;
  }).filter(Boolean);
  if (session.about.stakes) named.push(say("names.pot", { pot: session.answer.total }));
  if (session.result) named.push(resultWords(session.result));
  at("names").textContent = named.join(", ");
  at("names").hidden = !named.length;
}

/** How luck and losses led from the start of the line to where it stands. */
export function showSummary(session) {
  const host = at("summary");
  const plies = session.at.path.flatMap((node) => node.plies);
  host.hidden = !plies.length || !session.source.hasValues || !session.showsValues;
  if (host.hidden) return;
  const { units, answer, account: { start, terms, end, error } } = session;
  const sum = terms.reduce((total, { value }) => total + value, start.value);
  // the last digits of a network's values depend on what is computed together
  const isSound = Math.abs(sum - end.value) < (error ? 1e-4 : 1e-6) * Math.max(1, answer.total);
  const rows = [[say("summary.start"), units.value(start.value, start.error)],
    ...terms.map(({ side, what, value }) => [capitalised(say("account.term", { side, what })), units.gain(value, 2, error)]),
    [answer.winner ? say("summary.result") : say("summary.now"), units.value(sum, end.error)]];
  const head = units.isMoney ? say("summary.money") : say("summary.chance");
  const account = figures(isSound ? head : say("summary.unsound", { head }), [], rows);
  account.classList.add("account");
  Object.assign(account.dataset, { sum: sum.toFixed(12), end: end.value.toFixed(12) });
  host.replaceChildren(account, make("div", { class: "players" },
    ...SIDES.map((side) => sideSummary(session, side, plies.filter((ply) => ply.side === side)))));
}

function sideSummary({ units, about }, side, plies) {
  const { choices, best, close, worse, loss, worse_loss: sure, luck } = sideOf(plies);
  const count = (mark) => plies.filter((ply) => ply.mark === mark).length;
  const error = Math.max(0, ...plies.map(errorOf));
  const facts = [
    [say("summary.luck"), units.gain(luck, 1, error)],
    [say("summary.lost"), units.amount(loss, error, lossErrorOf(plies))],
    [say("summary.best"), say("number.of", { value: best, total: choices })],
    ...(about.exact === false ? [[capitalised(say("verdict.close")), number(close)],
      [say("summary.sure"), say("summary.sure.lost", { worse, lost: units.amount(sure, error) })]] : []),
    [say("summary.inaccuracies"), number(count("inaccuracy"))],
    [say("summary.mistakes"), number(count("mistake"))],
    [say("summary.blunders"), number(count("blunder"))],
  ];
  return make("div", { class: `player ${side}` }, make("h3", {}, sideWord(side)),
    make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))])));
}
