// "My games": what is kept on this device, to be found again, opened, renamed, deleted, counted, and
// taken to another device as a file.

import { games as known } from "./api.js";
import { device } from "./device.js";
import { Dialog, button, cautious, download, figures, make } from "./dom.js";
import { fileText, joinedGames, joinedMistakes, readText } from "./exchange.js";
import { DAYS, isDue, kept } from "./exercises.js";
import { LEVELS, SIDES, capitalised, counted, other, signed } from "./words.js";

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
  ["open", "not finished", ({ result }) => !result],
  ["won", "won against the computer", (game) => ownSide(game) !== null && game.result === ownSide(game)],
  ["lost", "lost to the computer", (game) => ownSide(game) !== null && game.result === other(ownSide(game))],
  ["light", "light won", ({ result }) => result === "light"],
  ["dark", "dark won", ({ result }) => result === "dark"],
  ["draw", "a draw", ({ result }) => result === "draw"],
];

const KINDS = { played: "played", analysed: "analysed", opened: "opened", recorded: "recorded" };

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
  return ownSide(game) === side ? "you" : side;
}

function resultWords(game) {
  const { result } = game;
  if (!result) return "not finished";
  if (result === "draw") return "a draw";
  const own = ownSide(game);
  if (!own) return `${whoIs(game, result)} won`;
  return result === own ? "won" : "lost";
}

/** What the dice brought, and what choices lost, of those that a person played. */
function costWords(game) {
  const { costs } = game;
  if (!costs) return [];
  const scale = costs.isMoney ? 1 : 100;
  const own = ownSide(game);
  return (own ? [own] : SIDES).map((side) => `${own ? "" : `${side}: `}dice ${signed(scale * costs[side].luck)}, `
    + `choices ${signed(-scale * costs[side].loss)} ${costs.isMoney ? "money" : "points"}`);
}

export class Archive extends Dialog {
  /**
   * @param {{open: (game: import("./exercises.js").Game) => Promise<void>, record: (key: string) => Promise<void>}} on
   *   shows a game on the board, or in its recorder
   */
  constructor(on) {
    super("games", "My games", "games");
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
      make("fieldset", { id: "games-filters" }, make("legend", {}, "Which games"),
        select("word", "Game"), select("level", "Against"), select("result", "Result"),
        make("label", {}, "Player or name ", make("input", { id: "games-name", autocomplete: "off", oninput: again })),
        date("from", "From"), date("to", "To")),
      this.count, this.list, this.more, this.figures,
      make("h3", {}, "Take them along"),
      make("p", { class: "faint" }, "Games and mistakes are kept on this device and nowhere else. A file takes them to another one, where they join those that are there."),
      make("p", { class: "buttons" }, button("Save all as a file", () => this.run(() => this.save()), { id: "games-save" })),
      make("p", {}, make("label", {}, "Take in a file ", this.file)), this.said,
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
    this.fill("word", "all", words.map((word) => [word, this.wordOf(word)]));
    this.fill("level", "anybody", [...levels.map((each) => [each, LEVELS[each] ?? each]), [PEOPLE, "people only"]]);
    this.fill("result", "any", RESULTS.map(([value, name]) => [value, name]));
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
    return title && pieces ? `${title}, ${counted(Number(pieces), "piece")}` : word;
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
      ? `${found.length} of ${counted(this.all.length, "game")}`
      : "No game is kept yet: play one, or record one.";
    this.list.replaceChildren(...found.slice(0, this.shown).map((game) => this.item(game)));
    const left = found.length - this.shown;
    this.more.replaceChildren(...(left > 0 ? [button(`Show ${Math.min(left, AT_ONCE)} more`, () => {
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
    const facts = [new Date(dateOf(game)).toLocaleDateString(), this.wordOf(game.word), KINDS[game.kind], resultWords(game), ...costWords(game)];
    const opens = () => this.run(async () => {
      this.dialog.close();
      await (game.recording ? this.on.record(game.key) : this.on.open(game));
    });
    const rename = () => {
      const field = make("input", { "aria-label": "Name of this game", value: game.title ?? "", maxlength: 80,
        onchange: () => this.run(() => this.rename(game, field.value.trim())) });
      heading.replaceChildren(field);
      field.focus();
    };
    const remove = cautious("Delete", "Really delete?", () => this.run(async () => {
      await device.change("games", [[game.key, () => null]]);
      this.title.focus();
    }));
    const buttons = [button(game.result || game.kind === "opened" ? "Open" : "Go on", opens), button("Rename", rename), remove];
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
      return those.length ? `${those.filter(isWon).length} of ${those.length}` : "–";
    };
    const table = figures("Games won against the computer", ["", ...levels.map((each) => LEVELS[each])],
      words.map((word) => [this.wordOf(word), ...levels.map((level) => cell(word, level))]));
    let [streak, longest] = [0, 0];
    for (const game of over) {
      streak = isWon(game) ? streak + 1 : 0;
      longest = Math.max(longest, streak);
    }
    const sum = (key) => this.mistakes.reduce((all, each) => all + (each[key] ?? 0), 0);
    const isKnown = ({ box }) => box === DAYS.length - 1;
    this.figures.replaceChildren(...(over.length ? [
      make("div", { class: "wide-table", tabindex: "0", role: "group", "aria-label": "Games won" }, table),
      make("p", { id: "games-streak" }, `${counted(streak, "win")} in a row now; ${longest} at the longest.`)] : []),
    this.mistakes.length ? make("p", { id: "games-practice" },
      `Practice: ${counted(this.mistakes.length, "mistake")} kept, ${this.mistakes.filter(isDue).length} due today, `
      + `${this.mistakes.filter(isKnown).length} known well; ${sum("right")} of ${counted(sum("asked"), "first answer")} right.`) : "");
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
    this.said.textContent = `${counted(fresh, "new game")}, ${counted(longer, "game")} that went on elsewhere, ${counted(here, "game")} that ${here === 1 ? "was" : "were"} here.`;
  }
}
