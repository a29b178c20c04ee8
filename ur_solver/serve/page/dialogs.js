// Dialogs: a new game, a game from elsewhere, saving and sharing, the keys.

import { Source, games } from "./api.js";
import { Board, wayOf } from "./board.js";
import { drawn } from "./dice.js";
import { at, button, download, make, parsedSvg } from "./dom.js";
import { part } from "./common.js";
import { language, list, say } from "./speech.js";
import { pathFor } from "./start.js";
import { LEVELS, SIDES, plainText, resultWords, sideWord } from "./words.js";

/** @param {import("./session.js").Session} session */
export function wireDialogs(session, { start, load, run, ready }) {
  const open = (name) => at(`${name}-dialog`).showModal();
  at("help").addEventListener("click", () => open("help"));
  at("new").addEventListener("click", () => {
    at("levels").hidden = !session.source.hasValues;
    const players = ["human", ...Object.keys(session.about.players ?? {}), "random"];
    for (const side of SIDES) {
      at(`${side}-player`).replaceChildren(...players.map((name) => make("option",
        { value: name, selected: name === session.players[side] }, LEVELS[name] ?? say("new.person"))));
      at(`${side}-name`).value = session.names[side] ?? "";
    }
    open("new");
  });
  at("new-dialog").addEventListener("close", () => {
    if (at("new-dialog").returnValue !== "start") return;
    at("new-dialog").returnValue = "";
    const of = (what) => Object.fromEntries(SIDES.map((side) => [side, at(`${side}-${what}`).value.trim()]));
    start(of("player"), of("name"));
  });
  wireOpening(session, { load, open, ready });
  const showLink = () => {
    const own = at("link-language").checked ? `?language=${language}` : "";
    at("link").value = `${location.origin}${location.pathname}${own}${location.hash}`;
  };
  at("link-language").addEventListener("change", showLink);
  at("save").addEventListener("click", () => {
    showLink();
    at("copied").textContent = "";
    showSaves(session, run);
    open("save");
  });
  return { help: () => open("help") };
}

// Games from elsewhere.

/** Tables that a text may be a game of, by the names in it; those of the right size first. */
function namedIn(text, tables) {
  const named = tables.filter(({ game }) => game && new RegExp(`\\b${game}\\b`, "i").test(text));
  const isWhole = ({ game, pieces }) => text.includes(`${game}:${pieces}`);
  return named.sort((one, two) => Number(isWhole(two)) - Number(isWhole(one))).map(({ id }) => `tables/${id}`);
}

/** What may answer for the games of a text: for the rules that it names, or else for those on screen. */
async function pathsFor({ source, about }, text) {
  const { rules, tables } = await games();
  const { wordsIn } = await part(import("./reading.js"));
  const words = wordsIn(text, rules);
  if (words.length) {
    const found = await Promise.all(words.map((word) => pathFor({ path: word === about.word ? source.path : "", word })));
    const isBefore = (path) => Number(path.startsWith("tables/")) + Number(path === source.path);
    return [...new Set(found)].sort((one, two) => isBefore(two) - isBefore(one));
  }
  return [...new Set([source.path, ...namedIn(text, tables)])];
}

/** The games of a text by the first that reads some of them. */
async function auditOf(session, text) {
  const paths = await pathsFor(session, text);
  let first = null;
  for (const path of paths) {
    const found = await new Source(path).audit(text);
    if (found.games.length) return { ...found, path };
    first ??= found;
  }
  return { ...first, path: null };
}

function wireOpening(session, { load, open, ready }) {
  const show = (...items) => at("found").replaceChildren(...items.map((item) => make("li", {}, item)));
  at("open").addEventListener("click", () => {
    show();
    open("open");
    at("text").focus();
  });
  const read = async (warnings = []) => {
    show();
    if (!at("text").value.trim()) {
      show(say("open.empty"));
      return;
    }
    let found;
    try {
      await ready();
      found = await auditOf(session, at("text").value);
    } catch (error) {
      show(error.message);
      return;
    }
    const { games: those, faults } = found;
    const take = (game) => {
      at("open-dialog").close();
      return load(game, found.path);
    };
    if (those.length === 1 && !faults.length && !warnings.length) await take(those[0]);
    else if (!those.length && !faults.length) show(...warnings, say("open.none"));
    else {
      show(...warnings, ...those.map((game) => button(gameWords(game), () => take(game))), ...faults.map((fault) => faultItem(fault, those.length + faults.length)));
    }
  };
  at("read").addEventListener("click", () => read());
  const readFile = async (file) => {
    if (!file) return;
    if (file.size > 1 << 20) {
      show(say("open.large"));
      return;
    }
    const warnings = [];
    try {
      const { fileText } = await part(import("./reading.js"));
      at("text").value = fileText(new Uint8Array(await file.arrayBuffer()), (words) => warnings.push(words));
    } catch (error) {
      show(error.message);
      return;
    }
    await read(warnings);
  };
  at("file").addEventListener("change", (event) => readFile(event.target.files[0]));
  addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    if (!at("open-dialog").open) open("open");
    readFile(file);
  });
}

function gameWords(game) {
  const names = SIDES.map((side) => game.names[side] ?? sideWord(side)).join(" – ");
  return say("open.game", { number: game.game, names, throws: game.plies.length, result: resultWords(game.result) });
}

function faultItem(fault, count) {
  const words = count > 1 ? say("open.fault", { number: fault.game, fault: fault.message }) : fault.message;
  if (!fault.place) return words;
  const show = () => {
    const text = at("text");
    const lines = text.value.split("\n");
    const begin = lines.slice(0, fault.place.line - 1).join("\n").length + (fault.place.line > 1 ? 1 : 0);
    const from = begin + (fault.place.column ?? 1) - 1;
    text.focus();
    text.setSelectionRange(from, begin + (lines[fault.place.line - 1] ?? "").length);
  };
  return make("span", {}, `${words} `, button(say("open.show"), show));
}

// Saving and sharing.

/** The line that is followed, to its end, in the plain notation. */
export async function record(session) {
  const { about, players, opening: rounds, root: { position: start }, at: { line } } = session;
  const nameOf = (side) => session.names[side] || (players[side] === "human" ? null : players[side]);
  const names = Object.fromEntries(SIDES.map((side) => [side === "light" ? "Light" : "Dark", nameOf(side)]));
  const turns = line.slice(1).map(({ turn, plies }) => ({ ...turn, side: plies.at(-1).side }));
  const end = await session.source.position(line.at(-1).position, session.view);
  return plainText(about, { rounds, start, names, turns }, end.winner ? "" : "unfinished");
}

function showSaves(session, run) {
  const { about, source } = session;
  const name = `${about.name}-${about.pieces}`;
  const buttons = [
    button(say("save.copy"), async () => {
      at("link").select();
      at("copied").textContent = "";
      const isCopied = await navigator.clipboard?.writeText(at("link").value).then(() => true, () => false);
      at("copied").textContent = say(isCopied ? "save.copied" : "save.selected");
    }),
  ];
  if (navigator.share) {
    const { title } = document;
    buttons.push(button(say("save.share"), () => navigator.share({ title, url: at("link").value }).catch(() => {})));
  }
  for (const notation of about.notations) {
    buttons.push(button(say("save.game", { notation }), run(async () => {
      download(`${name}.${notation}`, await source.convert(await record(session), notation), "text/plain");
    })));
  }
  if (source.hasReports && about.notations.length) {
    buttons.push(button(say("save.report"), run(async () => {
      download(`${name}.html`, await source.report(await record(session)), "text/html");
    })));
  }
  buttons.push(button(say("save.board"), run(async () => {
    const style = await (await fetch("picture.css")).text();
    const picture = at("board").firstElementChild.cloneNode(true);
    picture.removeAttribute("aria-hidden");
    for (const each of picture.querySelectorAll(".way, .moving")) each.remove();
    picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const [x, y, width, height] = picture.getAttribute("viewBox").split(" ");
    const ground = `<rect class="ground" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
    picture.insertAdjacentHTML("afterbegin", ground);
    picture.prepend(make("style", {}, style));
    download(`${name}.svg`, picture.outerHTML, "image/svg+xml");
  })));
  at("saves").replaceChildren(...buttons);
}

// The rules at hand: a rule set in short, with its path and its throws, then its prose.

function paragraph(block) {
  if (block.kind === "pre") return make("pre", { tabindex: "0" }, block.text);
  if (block.kind === "board") return make("div", { class: "example" }, parsedSvg(block.svg));
  const runs = block.runs.map(([style, text]) => (style ? make(style, {}, text) : text));
  return make(block.kind, {}, ...runs);
}

/** Blocks as elements; the items of a list, which follow each other, in one list. */
function written(blocks) {
  const elements = [];
  for (const block of blocks) {
    const element = paragraph(block);
    if (block.kind !== "li") elements.push(element);
    else if (elements.at(-1)?.localName === "ul") elements.at(-1).append(element);
    else elements.push(make("ul", {}, element));
  }
  return elements;
}

/**
 * Show the rules of a source.
 * @param {import("./api.js").Source} source
 */
export async function openRules(source, place = null) {
  const [about, prose] = await Promise.all([source.about(), source.prose()]);
  const { svg } = await source.position(about.start, "light");
  const host = make("div", { class: "example" });
  at("rules-title").textContent = prose.title;
  const [first, ...others] = prose.short;
  at("rules-text").replaceChildren(
    make("p", { class: "lead" }, first), host,
    make("p", { class: "faint" }, say("rules.path")),
    make("p", { class: "faint" }, say("rules.throws")),
    make("ul", { class: "throws" }, ...about.dice.map((die) =>
      make("li", {}, drawn(about.look, die.throw), make("b", {}, String(die.throw)),
        make("span", { class: "faint" }, ` ${die.steps === die.throw ? die.fraction : list([die.fraction, say("throws.steps", { steps: die.steps })])}`)))),
    make("ul", {}, ...others.map((sentence) => make("li", {}, sentence))),
    ...prose.sections.map((section) => make("details", {}, make("summary", {}, section.title),
      ...written(section.blocks))),
    prose.sources.length ? make("p", { id: "rules-sources", class: "faint", tabindex: -1 }, say("rules.sources", { sources: prose.sources.join("; ") })) : "",
  );
  at("rules-dialog").showModal();
  const board = new Board(host);
  board.show(svg);
  board.drawWay(wayOf(about, "light"), "light");
  at("rules-dialog").scrollTop = 0;
  if (place) at(place)?.focus();
}
