"""Rule sets drawn at random, each taken all the way: refused in a sentence, or solved and used."""

from __future__ import annotations

import json
import math
import pathlib
import pickle
import random
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from click.testing import CliRunner

from tests.games import random_game
from tests.solving import make_table
from tests.value_iteration import Equations, as_light
from ur_solver.api.table import Table
from ur_solver.audit.games import play_many
from ur_solver.cli import cli
from ur_solver.cli.rules import rules_text
from ur_solver.errors import RuleSetError, SolveError
from ur_solver.players.policies import TablePolicy
from ur_solver.publish.site import publish
from ur_solver.records.plain import read_plain, write_plain
from ur_solver.rules import DICE, PATHS, UR, Board, Dice, Path, Position, RuleSet, mirror_square
from ur_solver.rules.contents import is_marked, split
from ur_solver.rules.descriptions import sections_of
from ur_solver.rules.effects import idle_words
from ur_solver.rules.family import FAMILIES
from ur_solver.rules.openings import opening_of
from ur_solver.rules.payoff import Stakes
from ur_solver.rules.settings import (
    CountSwitch,
    Flag,
    OneOf,
    SquaresSwitch,
    StakesSwitch,
    Switch,
    ThrowSwitch,
    squares_of,
)
from ur_solver.rules.squares import (
    Dueling,
    Ordinary,
    Paired,
    Refuge,
    Shared,
    SquareRule,
    Stack,
)
from ur_solver.rules.turns import Choice, evaluate, final_value, turn
from ur_solver.serve.answers import audit_text, position_answer
from ur_solver.space import space_of

OWN_FAMILIES = ("race", "bell", "casual", "birds", "skiriuk", "ben")
_PLIES = 300
_MOST_REACHED = 500
_ERROR = 1e-9


# What is drawn.


def drawn_rules(family: str, rng: random.Random) -> dict[str, Any]:
    """What `RuleSet` takes: any values of the right types, whether they fit or not."""
    path = _drawn_path(rng)
    dice = _drawn_dice(rng)
    if family == "bell" and rng.random() < 0.7:
        dice = DICE["bell"]
    kind = FAMILIES[family]
    switches = {
        switch.key: _drawn_value(switch, path, rng)
        for switch in (*kind.switches, *kind.shorthands)
        if rng.random() < 0.35
    }
    if family == "ben" and rng.random() < 0.6:  # few paths visit the squares drawn, or the usual
        switches["conversions"] = squares_of(rng.sample(path.light, rng.randint(1, 2)))
    return {
        "name": f"random-{family}",
        "path": path,
        "dice": dice,
        "pieces": rng.choice((1, 1, 1, 2) if len(path) < 12 else (1,)),
        "family": family,
        "switches": switches,
        "squares": {
            rng.choice(path.board.squares): _drawn_square(rng)
            for _ in range(rng.choice((0, 0, 0, 1, 2)))
        },
    }


def _drawn_path(rng: random.Random) -> Path:
    if rng.random() < 0.45:
        return rng.choice([*PATHS.values()])
    board = UR
    if rng.random() < 0.4:
        lane = "".join(rng.choice("..._") for _ in range(rng.randint(3, 6)))
        rows = (lane, "." * len(lane), lane)
        bare = Board("small", rows, frozenset())
        rosettes = rng.sample(bare.squares, rng.randint(0, 3))
        board = Board("small", rows, frozenset(rosettes) | {*map(mirror_square, rosettes)})
    while True:
        light = rng.sample(board.squares, rng.randint(3, min(12, len(board.squares))))
        light += rng.sample(light, rng.choice((0, 0, 0, 1, 2)))
        try:
            return Path.of("drawn", board, light)
        except RuleSetError:
            continue


def _drawn_dice(rng: random.Random) -> Dice:
    if rng.random() < 0.75:
        return DICE[rng.choice(("4-binary", "3-binary", "3-binary-0as4", "d4", "d6"))]
    throws = rng.sample(range(6), rng.randint(1, 5))
    weights = [rng.randint(1, 4) for _ in throws]
    try:
        chances = (Fraction(each, sum(weights)) for each in weights)
        return Dice.of("drawn", dict(zip(throws, chances, strict=True)))
    except RuleSetError:  # a throw of 0 alone
        return DICE["d4"]


def _drawn_value(switch: Switch, path: Path, rng: random.Random) -> Any:
    match switch:
        case Flag():
            return rng.random() < 0.5
        case OneOf():
            return rng.choice([*switch.meanings])
        case CountSwitch():
            return rng.randint(1, switch.most)
        case ThrowSwitch():
            return rng.choice((None, 1, 2, 3, 4))
        case StakesSwitch():
            return rng.choice(
                (None, Stakes(rng.randint(0, 9), rng.randint(1, 3), rng.randint(0, 3)))
            )
        case SquaresSwitch():
            return squares_of(rng.sample(path.board.squares, rng.randint(0, 3)))
    raise NotImplementedError(type(switch).__name__)


def _drawn_square(rng: random.Random) -> SquareRule:
    kinds = [
        Ordinary(is_safe=True),
        Ordinary(),
        Shared(),
        Refuge(2),
        Paired(),
        Dueling(),
        Stack(2, one_side=False),
    ]
    return rng.choice(kinds)


# What is tried.


@dataclass
class Case:
    """What became of a rule set: why it was refused, or the table that was published."""

    refusal: str | None
    table: Table | None = None
    asks: tuple[dict[str, Any], ...] = ()


def tried(given: dict[str, Any], folder: pathlib.Path, rng: random.Random) -> Case:
    """Make, describe, solve, open, play and audit a rule set; AssertionError where one fails."""
    try:
        rules = RuleSet(**given)
    except RuleSetError as error:
        return Case(_sentence(error))
    assert RuleSet.from_json(json.loads(json.dumps(rules.to_json()))) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    path = folder / "table.h5"
    try:
        space_of(rules)
        _check_page(rules, folder / "rules.json")
        make_table(rules, path, threads=1)
    except (RuleSetError, SolveError) as error:
        assert not path.exists()
        return Case(_sentence(error))
    table = Table(path)
    turns = _reached(rules)
    check_description(rules, turns)
    rows = list(turns)
    _check_values(table, rows, rng)
    audits = _check_games(table, rng)
    positions = [each.notation for each in rng.sample(rows, min(2, len(rows)))]
    asks = [{"what": "position", "text": text} for text in positions]
    asks += [{"what": "audit", "text": text} for text in audits]
    if rules.mechanics.both_enter:
        asks.append({"what": "opening"})
    return Case(None, table, tuple(asks))


def _check_page(rules: RuleSet, path: pathlib.Path) -> None:
    """`ur rules` writes them as they are, and says what changes nothing."""
    path.write_text(json.dumps(rules.to_json()))
    shown = CliRunner().invoke(cli, ["rules", str(path), "--json"], catch_exceptions=False)
    assert shown.exit_code == 0, shown.output
    assert RuleSet.from_json(shown.stdout) == rules
    assert all(section.text for section in sections_of(rules))
    said = idle_words(rules)
    assert shown.stderr == f"{said}\n" * bool(said)


def _sentence(error: Exception) -> str:
    text = str(error)
    assert text.strip(), repr(error)
    assert "\n" not in text, text
    clauses = text.partition(": ")[2].split("; ")
    assert len({*clauses}) == len(clauses), text
    return text


def _reached(rules: RuleSet) -> dict[Position, tuple[Choice, ...]]:
    """Positions that games go through, each with its turn, from the start or an opening on."""
    found: dict[Position, tuple[Choice, ...]] = {}
    todo = [rules.start()]
    opening = opening_of(rules)
    if opening is not None and rules.mechanics.both_enter:
        rounds = (each for throws in opening.throws for each in opening.rounds(-1, throws))
        todo += [each.position for each in rounds if each.position is not None]
    for position in todo:
        if position in found or position.winner is not None:
            continue
        assert not position.faults(), position
        found[position] = turn(position)
        if len(found) == _MOST_REACHED:
            break
        for choice in found[position]:
            for outcome in choice.outcomes:
                todo += [move.position for move in outcome.moves] or [position.pass_turn()]
    return found


def check_description(rules: RuleSet, turns: Mapping[Position, tuple[Choice, ...]]) -> None:
    """Every claim of the description, against positions that are reached and their moves."""
    words, positions = rules_text(rules), list(turns)
    # whether pieces come to every square of the path
    is_walked = (
        1 in rules.dice.throws
        and rules.dice.is_ordinary
        and rules.family != "bell"
        and len(turns) < _MOST_REACHED
    )
    moves = [
        (move, outcome.throws[-1])
        for choices in turns.values()
        for choice in choices
        for outcome in choice.outcomes
        for move in outcome.moves
    ]
    marked = {
        (index, square)
        for position in positions
        for index, square, letter in rules.mechanics.places["L"]
        if letter.islower() and letter in position.contents[rules.board.squares.index(square)]
    }
    said = [each for each in words if each.startswith(("The second leg", "Pieces turn over at"))]
    if "There is no second leg." in words or "No piece turns over." in words:
        assert not said
        assert not any(map(is_marked, _pieces(positions)))
    for each in said:
        index = int(each.partition(" index ")[2].split(",")[0])
        assert each[:-1].split(", ")[1] == f"on {rules.path.light[index]}"
        assert all(at >= index for at, _ in marked)
        assert marked or not is_walked, words
    again = [move for move, _ in moves if move.again]
    if "There are no extra throws." in words:
        assert not again
    for each in words:
        if each.startswith("An extra throw") and " a move that " in each:
            causes = {
                "lands on a rosette": lambda move, _: move.is_rosette,
                "captures": lambda move, _: move.is_capture,
                "with a throw of": lambda _, throw: throw == rules.switches["extra_on_throw"],
            }
            named = [has for cause, has in causes.items() if cause in each]
            for move, throw in moves:
                earned = any(has(move, throw) for has in named)
                assert not move.again or earned, (move, words)
                assert move.again or not earned or move.position.winner or "may be" in each, move
            assert again or not is_walked, words
        if each == "It must be used by another piece.":
            assert any("^" in position.notation for position in positions), words
        if each == "An extra throw may be declined." or "may be made" in each:
            assert any(move.text.endswith((" stop", " again")) for move, _ in moves), words
    if "A piece on a rosette is safe." in words:
        assert not any(move.is_capture and move.is_rosette for move, _ in moves)
    assert len({*words}) == len(words), words


def _pieces(positions: Sequence[Position]) -> Iterator[str]:
    for position in positions:
        for content in position.contents:
            yield from split(content)


def _check_values(table: Table, rows: Sequence[Position], rng: random.Random) -> None:
    """Every position by value iteration over the readable moves, if there are few; else some."""
    rules, tolerance = table.rules, _ERROR * max(1, table.rules.payoff.total(3))

    def value(position: Position) -> float:
        final = final_value(position) if position.winner else None
        return table.value(position) if final is None else final

    idle = rules
    for key in rules.idle_switches:
        default = next(each for each in rules.mechanics.switches if each.key == key).default
        idle = idle.changed(name=idle.name, **{key: default})
    if rules.stakes is None and rules.dice.is_ordinary and len(rows) < 400:
        try:
            expected = Equations(rules, seen_by=as_light).solve()
        except AssertionError:  # a draw, or play that goes on and on
            expected = {}
        for position, worth in expected.items():
            assert abs(table.value(position) - worth) < tolerance, position
    for position in rng.sample(rows, min(6, len(rows))):
        if rules.stakes is None:
            assert abs(evaluate(position, value) - table.value(position)) < tolerance, position
        same = Position(idle, *(getattr(position, key) for key in Position.__match_args__[1:]))
        if idle is not rules:  # the same moves without what is said to change nothing
            assert _texts(turn(same)) == _texts(turn(position)), (rules.idle_switches, position)
    whole = rules.payoff.total(0)
    for found in (table.start_value, table.opening_value()):
        assert math.isfinite(found)
        assert -_ERROR <= found or rules.stakes
        assert rules.stakes or found <= whole + _ERROR


def _texts(choices: Sequence[Any]) -> list[Any]:
    return [
        (each.name, [(outcome.throws, [*map(str, outcome.moves)]) for outcome in each.outcomes])
        for each in choices
    ]


def _check_games(table: Table, rng: random.Random) -> list[str]:
    """A game of best moves to its end, and one of random moves: judged, written and read."""
    rules = table.rules
    best = TablePolicy(table)
    seeded = np.random.default_rng(rng.randrange(1 << 30))
    records = [
        next(play_many(rules, best, best, 1, seeded, entering=table)) if rules.dice.is_ordinary
        else random_game(rules, 1, _PLIES),
        random_game(rules, rng.randrange(1 << 30), _PLIES),
    ]  # fmt: skip
    texts = []
    for record in records:
        text = write_plain(record) + "\n"
        (again,) = read_plain(text, rules)
        assert write_plain(again) + "\n" == text
        audit = table.audit(record)
        assert math.isfinite(audit.start_value)
        assert math.isfinite(audit.end_value)
        for ply in audit.plies:
            assert math.isfinite(ply.luck)
            assert ply.loss >= -_ERROR
        if not record.opening:  # which the page does not judge
            texts.append(text)
    if rules.dice.is_ordinary and rules.stakes is None:
        judged = table.audit(records[0])
        assert max((ply.loss for ply in judged.plies), default=0.0) < _ERROR
    return texts


# What a site of them answers, by the page's own engine.

_NODE = """
import fs from "node:fs";
const [folder, given] = process.argv.slice(2);
const [, index] = /data-index="([^"]+)"/.exec(fs.readFileSync(`${folder}/index.html`, "utf8"));
const meta = { getAttribute: (name) => ({ "content": "data/", "data-index": index })[name] };
globalThis.document = { querySelector: () => meta, querySelectorAll: () => [],
  documentElement: { lang: "en", dataset: {}, setAttribute() {} } };
globalThis.navigator ??= { languages: ["en"] };
globalThis.fetch = async (address) => {
  const path = `${folder}/${address.split("#")[0]}`;
  if (!fs.existsSync(path)) return { ok: false };
  const content = fs.readFileSync(path);
  return { ok: true, arrayBuffer: async () =>
    content.buffer.slice(content.byteOffset, content.byteOffset + content.length) };
};
const { Source } = await import(`file://${folder}/api.js`);
const found = [];
for (const [id, { what, text }] of JSON.parse(fs.readFileSync(given))) {
  try {
    const source = new Source(`tables/${id}`);
    found.push(what === "opening" ? await source.opening(null, "light")
      : what === "audit" ? await source.audit(text) : await source.position(text, "light"));
  } catch (error) { found.push({ fault: String(error.stack ?? error.message ?? error) }); }
}
fs.writeFileSync(given, JSON.stringify(found));
"""


def check_site(cases: Sequence[Case], folder: pathlib.Path) -> list[str]:
    """Publish tables, and compare what the page answers with Python; the faults, in words.

    Without Node the files are only written.
    """
    site, given, script = folder / "site", folder / "asked.json", folder / "ask.mjs"
    tables = [case.table for case in cases if case.table is not None]
    publish(site, tables)
    node = shutil.which("node")
    if node is None:
        return []
    index = json.loads((site / "data" / "index.json").read_text())
    ids = [each["id"] for each in index["tables"]]
    asked = [
        (name, table, ask)
        for name, table, case in zip(ids, tables, [c for c in cases if c.table], strict=True)
        for ask in case.asks
    ]
    given.write_text(json.dumps([(name, ask) for name, _, ask in asked]))
    script.write_text(_NODE)
    subprocess.run([node, script, site.resolve(), given], check=True, capture_output=True)
    faults = []
    for (_, table, ask), found in zip(asked, json.loads(given.read_text()), strict=True):
        try:
            _compare(table, ask, found)
        except (AssertionError, KeyError, IndexError, TypeError) as error:
            faults.append(f"{json.dumps(table.rules.to_json())} {ask}: {error!r:.600}")
    return faults


def _compare(table: Table, ask: dict[str, Any], found: dict[str, Any]) -> None:
    assert "fault" not in found, found["fault"]
    whole = table.rules.payoff.total(3)

    def is_near(one: Any, other: Any) -> bool:
        return one == other or abs(one - other) < 1e-6 * max(1, whole)

    if ask["what"] == "position":
        expected = json.loads(
            json.dumps(position_answer(table, table.rules.position(ask["text"])), default=str)
        )
        assert is_near(found["value"], expected["value"])
        for mine, theirs in zip(found["throws"], expected["throws"], strict=True):
            values = [
                {each["move"]: each["value"] for each in of["moves"]} for of in (mine, theirs)
            ]
            assert values[0].keys() == values[1].keys()
            assert all(is_near(values[0][key], values[1][key]) for key in values[0])
    elif ask["what"] == "audit":
        (mine,), (theirs,) = found["games"], audit_text(table, ask["text"])["games"]
        for side in ("light", "dark"):
            for key in ("choices", "best", "loss", "luck"):
                assert is_near(mine[side][key], theirs[side][key]), (side, key)
    else:
        opening = opening_of(table.rules)
        assert opening is not None
        expected = sum(len(opening.rounds(-1, throws)) for throws in opening.throws)
        assert sum(len(each["outcomes"]) for each in found["throws"]) == expected
