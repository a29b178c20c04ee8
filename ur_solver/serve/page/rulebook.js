// The rules at hand: a rule set in short, with its path and its throws, then its prose.

import { Board } from "./board.js";
import { drawn } from "./dice.js";
import { at, make, parsedSvg } from "./dom.js";
import { wayOf } from "./presses.js";

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
export async function openRules(source) {
  const [about, prose] = await Promise.all([source.about(), source.prose()]);
  const { svg } = await source.position(about.start, "light");
  const host = make("div", { class: "example" });
  at("rules-title").textContent = prose.title;
  const [first, ...others] = prose.short;
  at("rules-text").replaceChildren(
    make("p", { class: "lead" }, first), host,
    make("p", { class: "faint" }, "Light’s path, from the pieces that wait to those that have finished. Dark’s is its mirror image."),
    make("p", { class: "faint" }, "The throws, and how often they fall."),
    make("ul", { class: "throws" }, ...about.dice.map((die) =>
      make("li", {}, drawn(about.look, die.throw), make("b", {}, String(die.throw)),
        make("span", { class: "faint" }, ` ${die.fraction}${die.steps === die.throw ? "" : `, ${die.steps} sq.`}`)))),
    make("ul", {}, ...others.map((sentence) => make("li", {}, sentence))),
    ...prose.sections.map((section) => make("details", {}, make("summary", {}, section.title),
      ...written(section.blocks))),
    prose.sources.length ? make("p", { class: "faint" }, `Source: ${prose.sources.join("; ")}.`) : "",
  );
  at("rules-dialog").showModal();
  const board = new Board(host);
  board.show(svg);
  board.drawWay(wayOf(about, "light"), "light");
  at("rules-dialog").scrollTop = 0;
}
