// "Record a game": a game at a real table is written down, throw by throw and move by move.

import { Source, games } from "./api.js";
import { Board, Presses } from "./board.js";
import { Dialog, button, download, make, named, swatch, turnStory } from "./dom.js";
import { device } from "./device.js";
import { kept } from "./exercises.js";
import { Recording } from "./recording.js";
import { sourceOf } from "./start.js";
import { capitalised, say } from "./speech.js";
import { SIDES, choiceWord, thrownWords, throwsOf } from "./words.js";

/** The key, in this tab, of the record that it writes. */
const KEY = "ur-recording";

export class Record extends Dialog {
  /**
   * @param {import("./session.js").Session} session
   * @param {(text: string, saved: any) => Promise<void>} audit judges a record, kept as `saved`, on the page
   */
  constructor(session, audit) {
    super("recording", say("learning.record"), "recording");
    this.session = session;
    this.audit = audit;
    this.dialog.addEventListener("keydown", (event) => this.key(event));
  }

  /** Go on with a record: with that under a key, or with that of this tab, or with the last one that is not over. */
  open(key = sessionRead()) {
    this.dialog.showModal();
    return this.run(async () => {
      const saved = await recordOf(key);
      this.games = await gamesToRecord();
      try {
        await this.begin(saved?.path ?? this.session.source?.path ?? this.games[0].path, saved);
      } catch (error) {
        if (!saved) throw error;
        await this.begin(`rules/${saved.word}`, saved); // its table is not served any more
      }
    });
  }

  async begin(path, saved = null) {
    const source = new Source(path);
    this.recording = new Recording(source, await source.about(), saved);
    this.line = this.recording.line;
    sessionKeep(this.recording.key);
    /** What fell in the round of an opening that is written down. @type {number[]} */
    this.fallen = [];
    this.build();
    await this.recording.check(0);
    const fault = this.recording.firstFault;
    this.recording.go(fault >= 0 ? fault : this.recording.turns.length);
    await this.show();
    this.title.focus();
  }

  /** Do something to the record, keep it, and show it. */
  change(action) {
    return this.run(async () => {
      await action(this.recording);
      await this.keep();
      await this.show();
    });
  }

  async keep() {
    const { recording } = this;
    const { saved, turns, rounds, names, key, line } = recording;
    if (!turns.length && !rounds.length && !names.light && !names.dark) {
      await device.change("games", [[key, (there) => (there?.line === this.line ? null : undefined)]]);
      this.line = line;
      return;
    }
    const end = turns.at(-1)?.after;
    const made = await kept.keep({
      key, kind: "recorded", path: saved.path, word: saved.word, line, recording: saved,
      names: { light: names.light || null, dark: names.dark || null }, players: { light: "human", dark: "human" },
      result: recording.resultAfter(end && await recording.source.position(end, this.session.view)),
    }, this.line);
    this.line = line;
    recording.key = made.key; // another one, if another tab has gone on with this record
    sessionKeep(made.key);
  }

  // The dialog.

  build() {
    const { recording } = this;
    this.board = new Board(make("div", { class: "board" }));
    this.presses = new Presses(this.board, (move) => this.finish(move.move));
    const group = (id, label, css) => make("div", { id, class: css, role: "group", "aria-label": label });
    this.opening = group("recording-opening", say("recorder.opening"), "buttons");
    this.status = make("p", { id: "recording-status", role: "status" });
    this.choices = group("recording-choices", say("recorder.chosen"), "buttons");
    this.throws = group("recording-throws", say("recorder.fell"), "throws");
    this.moves = group("recording-moves", say("moves.title"), "buttons");
    this.turns = make("ol", { id: "recording-turns", "aria-label": say("turns.name") });
    this.tools = group("recording-tools", say("recorder.correct"), "buttons");
    this.ends = group("recording-ends", say("head.save"), "buttons");
    this.unjudged = make("p", { class: "faint" }, say("recorder.unjudged"));
    const names = SIDES.map((side) => make("label", {}, `${say("recorder.name", { side })} `, make("input", {
      id: `recording-${side}`, value: recording.names[side], autocomplete: "off", maxlength: 80,
      onchange: (event) => {
        recording.names[side] = event.target.value;
        this.run(() => this.keep());
      },
    })));
    const { path } = recording.source;
    const those = this.games.some((each) => each.path === path) ? this.games
      : [{ path, words: recording.about.word }, ...this.games];
    this.game = make("select", { id: "recording-game", onchange: (event) =>
      this.run(() => this.begin(event.target.value, { names: recording.names })) },
    ...those.map((each) => make("option", { value: each.path, selected: each.path === path }, each.words)));
    this.who = make("details", { open: true }, make("summary", {}, say("recorder.who")),
      make("label", {}, `${say("archive.word")} `, this.game), make("div", { class: "names" }, ...names));
    this.ending = make("select", { id: "recording-ending", onchange: (event) => {
      recording.ending = event.target.value;
      this.run(() => this.keep());
    } }, ...["", ...SIDES].map((value) => [value, say("recorder.ending", { side: value || "none" })])
      .map(([value, words]) => make("option", { value, selected: value === recording.ending }, words)));
    this.body.replaceChildren(
      make("p", { class: "faint" }, recording.hasOpening ? say("recorder.how.opening") : say("recorder.how")),
      this.who,
      this.board.host, this.status, this.opening, this.choices, this.throws, this.moves,
      make("h3", {}, say("turns.name")), this.turns, this.tools,
      make("label", {}, `${say("recorder.ended")} `, this.ending),
      this.unjudged, this.ends);
  }

  async show() {
    const { recording, session } = this;
    await recording.unfold(session.view);
    const { answer, turn } = recording;
    const isOver = Boolean(answer && (answer.winner || answer.is_draw));
    if (recording.round) this.board.show(recording.round.svg);
    else if (answer) this.board.show(answer.svg);
    this.showOpening();
    this.presses.offer(recording.moves, answer?.side ?? "light");
    const words = capitalised(this.words(isOver));
    if (this.status.textContent !== words) this.status.textContent = words;
    const choices = recording.choices.length > 1 && !isOver ? recording.choices : [];
    this.choices.replaceChildren(...choices.map((name) => button(choiceWord(name), () => this.change((it) => it.takeChoice(name)),
      { "aria-pressed": String(turn.choice === name) })));
    this.throws.replaceChildren(...(isOver || recording.round ? [] : recording.throws).map((each) => {
      const fallen = throwsOf(each);
      return button(fallen.join(" "), () => this.change((it) => it.choose(fallen)), {
        "aria-pressed": String(String(turn.throws) === String(fallen)), "data-throw": fallen.join("-"),
        "aria-label": say("recorder.throw", { throws: thrownWords(fallen) }),
      });
    }));
    this.moves.replaceChildren(...recording.moves.map((move) => button(named(move.move), () => this.finish(move.move),
      { "data-move": move.move, "aria-pressed": String(turn.move === move.move) })));
    this.showTurns();
    this.showTools();
    this.showEnds(isOver);
    this.focus();
  }

  finish(move) {
    return this.change((it) => it.finish(move));
  }

  words(isOver) {
    const { recording } = this;
    if (recording.round) return this.roundWords();
    const { answer, turn, at, nWaiting, firstFault } = recording;
    if (!answer) return say("recorder.waits", { turn: at + 1, first: firstFault + 1 });
    if (turn.fault) {
      const fault = say("recorder.turn", { turn: at + 1, what: say("recorder.fault", { fault: turn.fault }) });
      return nWaiting ? `${fault} ${say("recorder.left", { count: nWaiting })}` : fault;
    }
    const last = recording.isAtEnd && recording.turns.at(-1);
    const what = this.asks(isOver && recording.isAtEnd);
    if (!recording.isAtEnd) return say("recorder.turn", { turn: at + 1, what });
    if (!last) return what;
    return `${say("recorder.last", { side: last.side, throws: thrownWords(last.throws), move: last.move ?? say("turn.none") })} ${what}`;
  }

  /** What is asked of the turn that is written or corrected. */
  asks(isEnd) {
    const { recording } = this;
    const { answer, turn } = recording;
    const { side } = answer;
    if (isEnd) return answer.winner ? say("play.won", { who: answer.winner }) : say("recorder.draw");
    if (recording.choices.length > 1 && !turn.choice) return say("recorder.what-chosen", { side });
    if (!recording.entry) return say("recorder.what-thrown", { side });
    const given = { side, throws: thrownWords(turn.throws) };
    return recording.moves.length ? say("recorder.which-move", given) : say("recorder.no-move", given);
  }

  /** The opening's rounds, asked for before the first turn: what fell for light, for dark, and the square. */
  showOpening() {
    const { recording, fallen } = this;
    const { view } = this.session;
    const { round, rounds } = recording;
    const buttons = [];
    if (recording.hasOpening && !recording.at && !round) {
      buttons.push(button(rounds.length ? say("recorder.opening.correct") : say("recorder.opening.record"), () => this.change((it) => {
        this.fallen = [];
        return it.askOpening(view);
      })));
    } else if (round && !this.outcomes) {
      const thrown = new Set(round.throws.map((each) => each.throws[fallen.length]));
      buttons.push(...[...thrown].map((each) => button(String(each), () => this.change((it) => {
        this.fallen = [...fallen, each];
        return this.outcomes?.length === 1 ? this.takeRound(it, this.outcomes[0]) : null;
      }), { "data-throw": each })));
    } else if (round) {
      const sorted = [...this.outcomes].sort((one, two) => one.move.localeCompare(two.move));
      buttons.push(...sorted.map((outcome) => button(outcome.move, () => this.change((it) => this.takeRound(it, outcome)))));
    }
    const words = rounds.length && !recording.at ? [make("span", {}, say("recorder.opening.was", { rounds: rounds.join(", ") }))] : [];
    this.opening.replaceChildren(...words, ...buttons);
  }

  /** What may come of the throws of both sides; null until both are known. */
  get outcomes() {
    const { recording, fallen } = this;
    return recording.round.throws.find((each) => String(each.throws) === String(fallen))?.outcomes ?? null;
  }

  takeRound(it, outcome) {
    this.fallen = [];
    return it.takeRound(outcome, this.session.view);
  }

  /** What is asked in a round of the opening. */
  roundWords() {
    const { fallen } = this;
    if (fallen.length < 2) return say("recorder.opening.throw", { side: SIDES[fallen.length] });
    return say("recorder.opening.square", { light: fallen[0], dark: fallen[1] });
  }

  showTurns() {
    const { recording } = this;
    this.turns.replaceChildren(...recording.turns.map((turn, k) => {
      const { side, fault } = turn;
      return make("li", {}, button([
        make("span", { class: "faint" }, `${k + 1}`),
        side ? swatch(side) : null,
        ...(turn.throws ? turnStory(turn) : [make("span", { class: "played" }, "…")]),
        fault ? make("span", { class: "bad" }, `⚠ ${fault}`) : null,
        turn.before === null ? make("span", { class: "faint" }, say("recorder.turn-waits")) : null,
      ], () => this.change((it) => it.go(k)), { class: "turn", "aria-current": k === recording.at ? "step" : null }));
    }));
    const here = this.turns.querySelector("[aria-current]") ?? this.turns.lastElementChild;
    if (here) this.turns.scrollTop = here.offsetTop - this.turns.clientHeight / 2;
  }

  showTools() {
    const { recording } = this;
    const n = recording.turns.length;
    this.tools.replaceChildren(...(recording.isAtEnd
      ? [button(say("recorder.correct-last"), () => this.change((it) => it.go(n - 1)), { disabled: !n })]
      : [
        button(say("recorder.remove"), () => this.change((it) => it.remove())),
        button(say("recorder.insert"), () => this.change((it) => it.insert())),
        button(say("recorder.end"), () => this.change((it) => it.go(n))),
      ]));
  }

  showEnds(isOver) {
    const { recording } = this;
    const isWhole = !recording.round && recording.firstFault < 0 && recording.turns.length > 0;
    const isWon = isOver && recording.isAtEnd;
    this.ending.disabled = isWon;
    const isBegun = recording.turns.length > 0 || Boolean(recording.round) || recording.isOpened;
    if (isBegun && !this.game.disabled) this.who.open = false;
    this.game.disabled = isBegun;
    const buttons = recording.about.notations.map((notation) => button(say("recorder.save", { notation }),
      () => this.run(() => this.save(notation)), { disabled: !isWhole }));
    if (recording.source.hasValues) {
      buttons.push(button(say("recorder.judge"), () => this.run(() => this.judge()), { disabled: !isWhole, class: "main" }));
    }
    this.unjudged.hidden = recording.source.hasValues;
    this.ends.replaceChildren(...buttons, this.beginningAnew(), this.closing());
  }

  beginningAnew() {
    return button(say("recorder.anew"), () => this.run(() => this.begin(this.recording.source.path)),
      { title: say("recorder.anew.title") });
  }

  /** Keep the focus where the next press is likely, and never lose it. */
  focus() {
    if (this.dialog.contains(document.activeElement) && document.activeElement !== this.dialog) return;
    const next = (this.recording.round && this.opening.querySelector("button")) ?? this.moves.firstElementChild ?? this.choices.querySelector("[aria-pressed=false]")
      ?? this.throws.firstElementChild ?? this.title;
    const { choice } = this.recording.turn;
    (choice && !this.moves.firstElementChild ? this.throws.firstElementChild ?? next : next).focus();
  }

  /** A digit is a throw, wherever no text is typed. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
    const button = /^\d$/.test(event.key) && this.body.querySelector(`[data-throw="${event.key}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  }

  // What comes of it.

  async text() {
    const { recording } = this;
    const end = recording.turns.at(-1)?.after ?? recording.about.start;
    const answer = await recording.source.position(end, this.session.view);
    return recording.text(Boolean(answer.winner));
  }

  async save(notation) {
    const { about, source } = this.recording;
    const text = await this.text();
    // the plain notation is what the page writes itself
    const written = notation === "ur" ? text : await source.convert(text, notation);
    download(`${about.name}-${about.pieces}.${notation}`, written, "text/plain");
  }

  async judge() {
    await this.keep();
    const { saved, line } = this.recording;
    await this.audit(await this.text(), { ...saved, line });
    this.dialog.close();
  }
}

/** The games of the first screen, with the pieces they are played with, and what answers for them. */
async function gamesToRecord() {
  const { rules, tables } = await games();
  return rules.map((game) => {
    const { path, pieces } = sourceOf(game, tables, false);
    return { path, words: say("game.pieces", { game: game.title, pieces }) };
  });
}

/** A record that is kept, as its recorder left it: under a key, or else the last one that is not over. */
async function recordOf(key) {
  const games = (await kept.games()).filter((each) => each.recording);
  const found = games.find((each) => each.key === key);
  // a tab that has begun anew stays there
  const last = key ? null : games.filter((each) => !each.result).sort((one, two) => two.changed - one.changed)[0];
  const game = found ?? last;
  return game ? { ...game.recording, key: game.key } : null;
}

function sessionRead() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function sessionKeep(key) {
  try {
    sessionStorage.setItem(KEY, key);
  } catch {
    // a browser that keeps nothing
  }
}
