// "My games": what is kept on this device, to be found again, opened, renamed, deleted, counted, and
// taken to another device as a file.

import { games as known } from "./api.js";
import { device } from "./device.js";
import { Dialog, button, cautious, download, figures, make } from "./dom.js";
import { fileText, joinedGames, joinedMistakes, readText } from "./exchange.js";
import { DAYS, isDue, kept } from "./exercises.js";
import { capitalised, date as dateText, say } from "./speech.js";
import { LEVELS, SIDES, other, sideWord, signed } from "./words.js";

const AT_ONCE = 50;
const PEOPLE = "people";

/** The side that a person plays against the program; null where people play both, or none. */
function ownSide({ players }) {
  const own = SIDES.filter((side) => players[side] === "human");
  return own.length === 1 ? own[0] : null;
}

/** How well the program played; null where it did not. */
function levelOf(game) {
  const own = ownSide(game);
  return own && game.players[other(own)];
}

const RESULTS = [
  ["open", say("result.open"), ({ result }) => !result],
  ["won", say("archive.won"), (game) => ownSide(game) !== null && game.result === ownSide(game)],
  ["lost", say("archive.lost"), (game) => ownSide(game) !== null && game.result === other(ownSide(game))],
  ["light", say("result.won", { side: "light" }), ({ result }) => result === "light"],
  ["dark", say("result.won", { side: "dark" }), ({ result }) => result === "dark"],
  ["draw", say("archive.draw"), ({ result }) => result === "draw"],
];

/** When a game was ended, or else changed. */
const dateOf = (game) => game.ended ?? game.changed;

/** A date as the fields of dates have it, in the time of this place. */
function dayOf(time) {
  const date = new Date(time);
  return new Date(time - 60000 * date.getTimezoneOffset()).toISOString().slice(0, 10);
}

function whoIs(game, side) {
  if (game.names[side]) return game.names[side];
  const player = game.players[side];
  if (player !== "human") return LEVELS[player] ?? player;
  return ownSide(game) === side ? say("who", { who: "you" }) : sideWord(side);
}

function resultWords(game) {
  const { result } = game;
  if (!result) return say("result.open");
  if (result === "draw") return say("archive.draw");
  const own = ownSide(game);
  if (!own) return say("archive.who-won", { who: whoIs(game, result) });
  return result === own ? say("archive.own-won") : say("archive.own-lost");
}

/** What the dice brought, and what choices lost, of those that a person played. */
function costWords(game) {
  const { costs } = game;
  if (!costs) return [];
  const scale = costs.isMoney ? 1 : 100;
  const own = ownSide(game);
  return (own ? [own] : SIDES).map((side) => say("archive.costs", {
    side: own ? "own" : side, luck: signed(scale * costs[side].luck),
    lost: say("unit.difference", { amount: signed(-scale * costs[side].loss), unit: costs.isMoney ? "money" : "points" }),
  }));
}

export class Archive extends Dialog {
  /**
   * @param {{open: (game: import("./exercises.js").Game) => Promise<void>, record: (key: string) => Promise<void>}} on
   *   shows a game on the board, or in its recorder
   */
  constructor(on) {
    super("games", say("archive.title"), "games");
    this.on = on;
    device.listeners.add(() => {
      if (this.dialog.open) this.run(() => this.load());
    });
  }

  async open() {
    this.shown = AT_ONCE;
    this.titles = new Map((await known()).rules.map((each) => [each.name, each.title]));
    this.build();
    this.dialog.showModal();
    await this.run(() => this.load());
    this.title.focus();
  }

  build() {
    const again = () => {
      this.shown = AT_ONCE;
      this.show();
    };
    const select = (id, words) => make("label", {}, `${words} `, make("select", { id: `games-${id}`, onchange: again }));
    const date = (id, words) => make("label", {}, `${words} `, make("input", { id: `games-${id}`, type: "date", onchange: again }));
    this.file = make("input", { id: "games-file", type: "file", accept: ".json", onchange: () => this.run(() => this.take()) });
    this.fault = make("p", { class: "bad" });
    this.count = make("p", { id: "games-count", role: "status" });
    this.list = make("ol", { id: "games-list" });
    this.more = make("p", { class: "buttons" });
    this.figures = make("div", { id: "games-figures" });
    this.said = make("p", { id: "games-said", role: "status" });
    this.body.replaceChildren(
      this.fault,
      make("fieldset", { id: "games-filters" }, make("legend", {}, say("archive.which")),
        select("word", say("archive.word")), select("level", say("archive.against")), select("result", say("archive.result")),
        make("label", {}, `${say("archive.name")} `, make("input", { id: "games-name", autocomplete: "off", oninput: again })),
        date("from", say("archive.from")), date("to", say("archive.to"))),
      this.count, this.list, this.more, this.figures,
      make("h3", {}, say("archive.along")),
      make("p", { class: "faint" }, say("archive.along.how")),
      make("p", { class: "buttons" }, button(say("archive.save"), () => this.run(() => this.save()), { id: "games-save" })),
      make("p", {}, make("label", {}, `${say("archive.take")} `, this.file)), this.said,
      make("p", { class: "buttons" }, this.closing()));
  }

  field(id) {
    return this.body.querySelector(`#games-${id}`);
  }

  async load() {
    const [games, mistakes] = await Promise.all([kept.games(), kept.mistakes()]);
    // of some games, those of an earlier version, only the throws are known
    this.all = games.filter((each) => each.address || each.recording).sort((one, two) => dateOf(two) - dateOf(one));
    this.mistakes = mistakes;
    this.fault.textContent = device.fault;
    const words = [...new Set(this.all.map(({ word }) => word))].sort();
    const levels = [...new Set(this.all.map(levelOf))].filter(Boolean).sort();
    this.fill("word", say("archive.all"), words.map((word) => [word, this.wordOf(word)]));
    this.fill("level", say("archive.anybody"), [...levels.map((each) => [each, LEVELS[each] ?? each]), [PEOPLE, say("archive.people")]]);
    this.fill("result", say("archive.any"), RESULTS.map(([value, name]) => [value, name]));
    this.show();
    this.showFigures();
  }

  fill(id, all, choices) {
    const field = this.field(id);
    const { value } = field;
    field.replaceChildren(...[["", all], ...choices].map(([key, words]) => make("option", { value: key, selected: key === value }, words)));
  }

  /** A rule set in words. */
  wordOf(word) {
    const [name, pieces] = word.split(":");
    const title = this.titles.get(name);
    return title && pieces ? say("game.pieces", { game: title, pieces: Number(pieces) }) : word;
  }

  /** The games that the filters leave. */
  get found() {
    const [word, level, result, from, to] = ["word", "level", "result", "from", "to"].map((id) => this.field(id).value);
    const name = this.field("name").value.trim().toLowerCase();
    const fits = RESULTS.find(([value]) => value === result)?.[2] ?? (() => true);
    return this.all.filter((game) => (!word || game.word === word)
      && (!level || (levelOf(game) ?? PEOPLE) === level) && fits(game)
      && (!name || [game.title, ...SIDES.map((side) => game.names[side])].some((each) => each?.toLowerCase().includes(name)))
      && (!from || dayOf(dateOf(game)) >= from) && (!to || dayOf(dateOf(game)) <= to));
  }

  show() {
    const { found } = this;
    this.count.textContent = this.all.length
      ? say("archive.found", { found: found.length, all: this.all.length })
      : say("archive.none");
    this.list.replaceChildren(...found.slice(0, this.shown).map((game) => this.item(game)));
    const left = found.length - this.shown;
    this.more.replaceChildren(...(left > 0 ? [button(say("archive.more", { count: Math.min(left, AT_ONCE) }), () => {
      const first = this.shown;
      this.shown += AT_ONCE;
      this.show();
      this.list.children[first].querySelector("button").focus();
    })] : []));
  }

  item(game) {
    const id = `game of ${game.key}`.replaceAll(/\s/g, "-");
    const name = game.title ?? SIDES.map((side) => whoIs(game, side)).map((who, k) => (k ? who : capitalised(who))).join(" – ");
    const heading = make("b", { id }, name);
    const facts = [dateText(dateOf(game)), this.wordOf(game.word), say("archive.kind", { kind: game.kind }), resultWords(game), ...costWords(game)];
    const opens = () => this.run(async () => {
      this.dialog.close();
      await (game.recording ? this.on.record(game.key) : this.on.open(game));
    });
    const rename = () => {
      const field = make("input", { "aria-label": say("archive.game-name"), value: game.title ?? "", maxlength: 80,
        onchange: () => this.run(() => this.rename(game, field.value.trim())) });
      heading.replaceChildren(field);
      field.focus();
    };
    const remove = cautious(say("archive.delete"), say("archive.delete.sure"), () => this.run(async () => {
      await device.change("games", [[game.key, () => null]]);
      this.title.focus();
    }));
    const buttons = [button(game.result || game.kind === "opened" ? say("open.read") : say("archive.go-on"), opens), button(say("archive.rename"), rename), remove];
    for (const each of buttons) each.setAttribute("aria-describedby", id);
    return make("li", { "data-key": game.key }, make("div", {}, heading, make("p", { class: "faint" }, facts.join(" · "))),
      make("div", { class: "buttons" }, ...buttons));
  }

  async rename(game, title) {
    await device.change("games", [[game.key, (there) => there && { ...there, title: title || undefined }]]);
    this.title.focus();
  }

  // What it all comes to.

  showFigures() {
    const over = this.all.filter((game) => game.kind === "played" && game.result && levelOf(game))
      .sort((one, two) => dateOf(one) - dateOf(two));
    const isWon = (game) => game.result === ownSide(game);
    const levels = Object.keys(LEVELS).filter((each) => over.some((game) => levelOf(game) === each));
    const words = [...new Set(over.map(({ word }) => word))].sort();
    const cell = (word, level) => {
      const those = over.filter((game) => game.word === word && levelOf(game) === level);
      return those.length ? say("number.of", { value: those.filter(isWon).length, total: those.length }) : "–";
    };
    const table = figures(say("archive.figures"), ["", ...levels.map((each) => LEVELS[each])],
      words.map((word) => [this.wordOf(word), ...levels.map((level) => cell(word, level))]));
    let [streak, longest] = [0, 0];
    for (const game of over) {
      streak = isWon(game) ? streak + 1 : 0;
      longest = Math.max(longest, streak);
    }
    const sum = (key) => this.mistakes.reduce((all, each) => all + (each[key] ?? 0), 0);
    const isKnown = ({ box }) => box === DAYS.length - 1;
    this.figures.replaceChildren(...(over.length ? [
      make("div", { class: "wide-table", tabindex: "0", role: "group", "aria-label": say("archive.figures.name") }, table),
      make("p", { id: "games-streak" }, say("archive.streak", { streak, longest }))] : []),
    this.mistakes.length ? make("p", { id: "games-practice" },
      say("archive.practice", {
        kept: this.mistakes.length, due: this.mistakes.filter(isDue).length, known: this.mistakes.filter(isKnown).length,
        right: sum("right"), asked: sum("asked"),
      })) : "");
  }

  // Files.

  async save() {
    const [games, mistakes] = await Promise.all([kept.games(), kept.mistakes()]);
    download(`ur-games-${dayOf(Date.now())}.json`, fileText(games, mistakes), "application/json");
  }

  async take() {
    const [file] = this.file.files;
    if (!file) return;
    this.said.textContent = "";
    const { games, mistakes } = readText(await file.text());
    this.file.value = "";
    const { counts, changes, others } = joinedGames(games);
    await device.change("games", changes);
    await device.change("games", others());
    await device.change("mistakes", joinedMistakes(mistakes));
    const { fresh, longer, known: here } = counts;
    this.said.textContent = say("archive.taken", { fresh, longer, here });
  }
}
