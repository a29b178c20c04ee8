"""The limits of rule sets: one sentence beyond each, and right answers up to each."""

from __future__ import annotations

import json
import pathlib
import re
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dense import DenseGame
from tests.solving import assert_as_the_rules_say, solve
from tests.value_iteration import Equations, as_light
from tests.ways import count_positions
from ur_solver.cli import cli
from ur_solver.errors import MapError, PositionSyntaxError, RuleSetError
from ur_solver.kernel import _row_rules, _turns
from ur_solver.kernel.interface import ArrayBlocks, Values
from ur_solver.kernel.kernels import RowKernel
from ur_solver.moves import _generator
from ur_solver.records.maps import MapKeys
from ur_solver.rules import PATHS, UR, Board, Dice, Path, Position, RuleSet, named_rules
from ur_solver.rules import limits as of_rules
from ur_solver.rules.drawing import position_text
from ur_solver.rules.families import Birds, Race
from ur_solver.rules.family import FAMILIES
from ur_solver.rules.squares import Refuge, Shared, Stack
from ur_solver.rules.svg import board_svg
from ur_solver.space import Space, _tile_ranking, is_race_of_tiles, space_of

pytestmark = pytest.mark.medium

DOCS = pathlib.Path(__file__).parents[2] / "docs"


def dice_of(weights: dict[int, int], name: str = "own") -> Dice:
    total = sum(weights.values())
    return Dice.of(name, {throw: Fraction(weight, total) for throw, weight in weights.items()})


TWO_D6 = dice_of({throw: 6 - abs(throw - 7) for throw in range(2, 13)}, "2d6")
D12 = dice_of(dict.fromkeys(range(1, 13), 1), "d12")
WITH_NONE = dice_of({0: 3, **dict.fromkeys(range(1, 13), 1)}, "0 to 12")
ORDINARY = dice_of({1: 4, 2: 4, 3: 4, **dict.fromkeys(range(4, 13), 1)}, "many ordinary")

FULL = Board("full", ("............",) * 3, frozenset({"B4"}))
EVERYWHERE = [f"{row}{column}" for column in range(1, 13) for row in "ABC"]


def race_rules(name: str, path: Path, dice: Dice, pieces: int, **switches: object) -> RuleSet:
    return RuleSet(name, path, dice, pieces, "race", switches)


# Constants.


def test_compiled_constants_are_the_limits():
    assert _tile_ranking.LIMITS == {
        "squares": of_rules.MAX_SQUARES,
        "shared": of_rules.MAX_SQUARES,
    }
    assert _turns.LIMITS["throws"] == of_rules.MAX_THROW
    assert _row_rules.LIMITS == {"throws": of_rules.MAX_THROW}
    # a row may hold a count of fines as well
    assert _generator.LIMITS["squares"] >= of_rules.MAX_SQUARES
    assert _generator.LIMITS["pieces"] == of_rules.MAX_PIECES
    assert of_rules.MAX_CONTENTS == _tile_ranking.NO_CONTENT - 1


def test_the_documents_list_the_limits():
    text = (DOCS / "custom-rules.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", text.partition("## Limits")[2], re.M))
    assert rows["throw"] == f"0 to {of_rules.MAX_THROW}"
    assert rows["pieces of a side"] == f"1 to {of_rules.MAX_PIECES}"
    assert rows["pieces of a side, numbered"] == f"1 to {of_rules.MAX_NUMBERED_PIECES}"
    assert rows["columns of a board"] == f"1 to {of_rules.MAX_COLUMNS}"
    assert rows["squares of a path"] == f"{of_rules.MIN_PATH} to {of_rules.MAX_PATH}"
    assert rows["visits of a path to a square"] == f"{of_rules.MAX_VISITS}"
    assert rows["squares that both sides visit"] == f"{of_rules.MAX_SQUARES}, all of the board"
    assert rows["capacity of a stack or a refuge"] == f"1 to {of_rules.MAX_CAPACITY}"
    assert rows["sets of pieces on a square"] == f"{of_rules.MAX_CONTENTS:,}"
    assert rows["choices before a throw"] == f"{of_rules.MAX_CHOICES}"
    assert rows["positions"] == "2^63 - 1"


# Beyond them.


class Numbered(Birds):
    name = "many-birds"
    max_pieces: ClassVar[int] = 12


BEYOND = {
    "throw": (lambda: dice_of({1: 1, 13: 1}), "throw 13 is not between 0 and 12"),
    "pieces": (lambda: named_rules("finkel", 16), "pieces is 16, not between 1 and 15"),
    "columns": (
        lambda: Board("wide", ("." * 13,) * 3, frozenset()),
        "not 1 to 12 characters",
    ),
    "long path": (
        lambda: Path.of("long", FULL, [*EVERYWHERE, *EVERYWHERE][:64]),
        "it has 64 squares, not 2 to 63",
    ),
    "short path": (lambda: Path.of("short", UR, ["A1"]), "it has 1 square, not 2 to 63"),
    "visits": (
        lambda: Path.of("thrice", UR, ["B1", "B2", "B1", "B3", "B1"]),
        "it visits B1 3 times, and at most two",
    ),
    "capacity": (lambda: Stack(8, one_side=True), "capacity is 8, not 1 to 7"),
    "refuge": (lambda: Refuge(8), "capacity is 8, not 1 to 7"),
    "positions": (
        lambda: space_of(
            race_rules("vast", Path.of("vast", FULL, [*EVERYWHERE, *EVERYWHERE][:63]), D12, 15)
        ),
        r"about [\d.]+e\+\d+ positions; at most 9\.2e\+18 are supported",
    ),
}


@pytest.mark.parametrize("case", BEYOND)
def test_beyond_a_limit_there_is_one_sentence(case):
    make, expected = BEYOND[case]
    with pytest.raises(RuleSetError, match=expected) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_numbered_pieces_are_fewer(monkeypatch):
    monkeypatch.setitem(FAMILIES, Numbered.name, Numbered)
    rules = named_rules("birds")
    with pytest.raises(RuleSetError, match="pieces is 8, not between 1 and 7"):
        RuleSet("many", rules.path, rules.dice, 8, Numbered.name)


def test_a_square_of_too_many_contents(monkeypatch):
    monkeypatch.setattr("ur_solver.rules.family.MAX_CONTENTS", 100)
    rules = named_rules("finkel", 15).changed(name="crowded", squares={"B4": Shared()})
    with pytest.raises(RuleSetError, match="B4 may hold more than 100 different sets of pieces"):
        space_of(rules)


class Chatty(Race):
    name = "chatty"

    def choices(self, n_home: int, n_on_board: int) -> tuple[str, ...]:
        return ("a", "b", "c")


def test_too_many_choices(monkeypatch):
    monkeypatch.setitem(FAMILIES, Chatty.name, Chatty)
    rules = named_rules("finkel", 1)
    chatty = RuleSet("chatty", rules.path, rules.dice, 1, "chatty")
    with pytest.raises(RuleSetError, match="a turn has 3 choices before the throw; at most 2"):
        RowKernel(space_of(chatty))


def test_the_command_line_says_it(tmp_path):
    rules = named_rules("finkel", 2).to_json()
    file = tmp_path / "mine.json"
    for change, expected in (
        ({"pieces": 16}, "pieces is 16, not between 1 and 15"),
        ({"dice": {"name": "x", "throws": {"1": "1/2", "13": "1/2"}}}, "throw 13 is not between"),
    ):
        file.write_text(json.dumps({**rules, **change}))
        result = CliRunner().invoke(cli, ["solve", str(file), "--dry-run"])
        assert result.exit_code == 2
        assert expected in result.output
        assert "Traceback" not in result.output


def test_royalurs_maps_have_three_bits_for_pieces():
    assert MapKeys(named_rules("finkel", 7)).n_maps == 1
    with pytest.raises(MapError, match="finkel:8: RoyalUr's maps have keys for at most 7 pieces"):
        MapKeys(named_rules("finkel", 8))


# Up to them: throws.


def check_by_both_kernels(rules: RuleSet, expected: dict[Position, float]) -> None:
    """Values by the row kernel are those of the readable rules, and settled by the generic one."""
    space = space_of(rules)
    values = solve(space, tolerance=1e-12, kernel=RowKernel(space))
    found = {position: values[space.rank(position)] for position in expected}
    assert found == pytest.approx(expected, abs=1e-10)
    assert_settled(space, values)


def assert_settled(space: Space, values: Values) -> None:
    """The generic kernel finds no residual."""
    kernel, finished = RowKernel(space), ArrayBlocks(space, values)
    for block in space.blocks:
        own = values[block.offset : block.offset + block.size]
        assert kernel.residual(block, own, finished, block.offset, block.size) < 1e-11


@pytest.mark.parametrize("dice", [TWO_D6, D12, WITH_NONE], ids=lambda dice: dice.name)
def test_one_piece_with_throws_up_to_12(dice):
    rules = race_rules("far", PATHS["bell"], dice, 1, extra_on_throw=12)
    space = space_of(rules)
    values = DenseGame(map(space.unrank, range(space.n_values))).values()
    expected = {each: value for each, value in values.items() if each.winner is None}
    assert len(expected) == space.n_values
    check_by_both_kernels(rules, expected)


@pytest.mark.parametrize("dice", [TWO_D6, ORDINARY], ids=lambda dice: dice.name)
def test_two_pieces_with_throws_up_to_12(dice):
    rules = race_rules("far", PATHS["bell"], dice, 2, extra_on_capture=True)
    space = space_of(rules)
    values = solve(space, tolerance=1e-12)
    ranks = np.linspace(0, space.n_values - 1, 100).astype(int)
    assert_as_the_rules_say(space, values, ranks.tolist())
    assert_settled(space, values)


def test_more_throws_than_the_tiled_kernel_has_room_for():
    few = dice_of({throw: 4 if throw < 4 else 1 for throw in range(1, 5)})
    many = dice_of({throw: 4 if throw < 4 else 1 for throw in range(1, 6)})
    assert few.is_ordinary
    assert many.is_ordinary
    path = PATHS["aseb"]
    assert is_race_of_tiles(race_rules("few", path, few, 2))
    assert not is_race_of_tiles(race_rules("many", path, many, 2))


# Up to them: pieces.

SHORT = Path.of("short", UR, ["A2", "B1", "B2"])
SHORTER = Path.of("shorter", UR, ["B1", "B2"])
COIN = dice_of({0: 1, 1: 2, 2: 1}, "coins")


@pytest.mark.parametrize(("path", "pieces"), [(SHORT, 8), (SHORTER, 15)])
def test_many_pieces_on_a_short_path(path, pieces):
    rules = race_rules("crowd", path, COIN, pieces)
    check_by_both_kernels(rules, Equations(rules, seen_by=as_light).solve())


def test_more_than_seven_pieces_by_the_tiled_kernel():
    pieces = 8
    path = Path.of("tiled", UR, ["A4", "A3", "A2", "A1", "B1", "B2", "B3"])
    rules = race_rules("tiles", path, dice_of({1: 1, 2: 1, 3: 1}), pieces)
    assert is_race_of_tiles(rules)
    space = space_of(rules)
    values = solve(space, tolerance=1e-12)
    assert_settled(space, values)
    ranks = np.linspace(0, space.n_values - 1, 60).astype(int)
    assert_as_the_rules_say(space, values, ranks.tolist())


@pytest.mark.parametrize("pieces", range(8, 16))
@pytest.mark.parametrize("name", ["finkel", "masters", "aseb", "bell"])
def test_counts_of_many_pieces(name, pieces):
    rules = named_rules(name, pieces)
    assert space_of(rules).n_values == count_positions(rules)


MANY = [
    *((name, n) for name in ("finkel", "murray", "skiriuk", "ben", "casual") for n in (8, 11, 15)),
]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(MANY), st.floats(0, 1, exclude_max=True), st.sampled_from("LD"))
def test_ranks_of_many_pieces(which, fraction, side):
    rules = named_rules(*which)
    space = space_of(rules)
    rank = int(fraction * space.n_values)
    position = space.unrank(rank, side)
    assert position.faults() == []
    assert space.rank(position) == rank
    assert rules.position(position.notation) == position
    states = space.unrank_states(np.array([rank, space.n_values - 1]))
    assert space.rank_states(states).tolist() == [rank, space.n_values - 1]


def test_every_square_may_be_shared():
    rules = race_rules("all", Path.of("all", FULL, EVERYWHERE), TWO_D6, 1)
    space = space_of(rules)
    assert space.n_values == count_positions(rules)
    ranks = np.arange(space.n_values)
    assert np.array_equal(space.rank_states(space.unrank_states(ranks)), ranks)
    values = solve(space, tolerance=1e-12)
    assert_as_the_rules_say(space, values, ranks[:: len(ranks) // 40].tolist())


def test_counts_of_two_digits_are_written_read_and_drawn():
    rules = named_rules("finkel", 15)
    assert rules.start().notation == "....__../......../....__.. L 15 15"
    text = "....__../L......./....__.. D 10 12"
    position = rules.position(text)
    assert position.notation == text
    assert (position.n_off("L"), position.n_off("D")) == (4, 3)
    assert "home 12  off 3" in str(position)
    drawn = position_text(rules.position("L...__../......../....__.. L 3 12"))
    assert drawn.splitlines()[-2:] == [
        "  light  home  3  off 11  to throw",
        "  dark   home 12  off  3",
    ]
    drawn = board_svg(position)
    assert ">waiting 12<" in drawn
    width = 8 * 40 / 2 - 2
    assert all(float(x) <= width for x in re.findall(r'class="spare \w+" cx="([\d.]+)"', drawn))
    with pytest.raises(PositionSyntaxError, match="light's home is '100', expected the count"):
        rules.position("....__../......../....__.. L 100 1")
