"""How games begin: who the first player is, and what that is worth."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

from ur_solver.answers.openings import sources_of
from ur_solver.api.table import Table
from ur_solver.cli import cli
from ur_solver.errors import RuleSetError
from ur_solver.rules import CATALOGUE, DICE, PATHS, UR, Dice, Path, RuleSet, named_rules
from ur_solver.rules.openings import beginnings, level, opening_of, opening_value
from ur_solver.study import evaluate

BEN = named_rules("ben:1")


def values_of(solved, word):
    return Table(solved(named_rules(word)))


# Ben's opening.


@pytest.mark.parametrize(
    ("pieces", "percent"),
    [(1, 55.3971), (2, 50.6803), pytest.param(3, 49.4305, marks=pytest.mark.long)],
)
def test_bens_first_player_by_another_program(pieces, percent, solved):
    with values_of(solved, f"ben:{pieces}") as table:
        assert 100 * table.opening_value() == pytest.approx(percent, abs=5.1e-5)


@pytest.mark.parametrize("pieces", [1, 2])
def test_bens_opening_as_a_linear_system(pieces, solved):
    """Ben's seven paragraphs again, for three pyramids and the path skiriuk, without the rules."""
    with values_of(solved, f"ben:{pieces}") as table:
        rows = dict(enumerate(table.rules.path.light))

        def ahead(first, second):
            board = {}
            board[rows[first]] = "L"
            board[rows[second].translate(str.maketrans("A", "C"))] = "D"
            text = "/".join(
                "".join(
                    "_" if row != "B" and column in (5, 6) else board.get(f"{row}{column}", ".")
                    for column in range(1, 9)
                )
                for row in "ABC"
            )
            return table.value(table.rules.position(f"{text} L {pieces - 1} {pieces - 1}"))

        def best(start, other):
            # up to A1 (index 3), and from there up to B4 (index 7)
            squares = range(start + 1, (7 if start == 3 else 3) + 1)
            worth = {
                index: 0.5 if index == other else ahead(index, other) if index > other
                else 1 - ahead(other, index)
                for index in squares
            }  # fmt: skip
            return max(worth, key=worth.__getitem__)

        chances = {0: 1 / 8, 1: 3 / 8, 2: 3 / 8, 3: 1 / 8}
        places = [-1, 0, 1, 2, 3]  # both at home, both on A4, A3, A2, A1
        matrix, right = np.eye(5), np.zeros(5)
        for k, start in enumerate(places):
            for mine, theirs in itertools.product(chances, chances):
                if mine == theirs == 0:
                    continue
                weight = chances[mine] * chances[theirs] / (1 - 1 / 64)
                one, other = start + mine, start + theirs
                if mine == 0:
                    one = best(start, other)
                elif theirs == 0:
                    other = best(start, one)
                if one != other:
                    right[k] += weight * ahead(max(one, other), min(one, other))
                else:
                    matrix[k, places.index(one if one < 4 else -1)] -= weight
        expected = np.linalg.solve(matrix, right)[0]
        assert table.opening_value() == pytest.approx(expected, abs=1e-12)


def test_probabilities_of_beginnings_by_hand():
    # With a D4 nobody jumps. Both throw the same with 1/4. From A1 (index 3) that is a shared
    # square and both go home; R(i) is the chance to go home from index i before one is ahead:
    #     R(3) = 1/4, R(2) = 1/16 R(3) + 3/16 = 13/64, R(1) = 1/16 (R(2) + R(3)) + 2/16 = 157/1024,
    #     R(0) = 1/16 (R(1) + R(2) + R(3)) + 1/16 = 1645/16384,
    # so both go home, from home, with 1/16 (R(0) + R(1) + R(2) + R(3)) = 11581/262144. One on A1
    # and the other on A4 needs a 4 and a 1 from home: 2/16 / (1 - 11581/262144) = 32768/250563.
    rules = BEN.changed(dice=DICE["d4"])
    found = {each.position.notation: each.probability for each in beginnings(rules, lambda _: 0.5)}
    assert sum(found.values()) == pytest.approx(1, abs=1e-15)
    first = "L...__../......../...D__.. L 0 0"
    assert found[first] == pytest.approx(float(Fraction(32768, 250563)), abs=1e-15)
    # A1 and B1 to B4 are all that a marker can be ahead on, light's being the one ahead
    assert {text[:4] for text in found} == {"L...", ".L..", "..L.", "...."}
    assert all(text.split()[1:] == ["L", "0", "0"] for text in found)


@pytest.mark.parametrize(
    ("index", "throw", "squares"),
    [
        # a zero: any square of the starting row, and from the marker on up to the rosette
        (-1, 0, "A4 A3 A2 A1"),
        (0, 0, "A3 A2 A1"),
        (2, 0, "A1"),
        (3, 0, "B1 B2 B3 B4"),
        (-1, 1, "A4"),
        (-1, 3, "A2"),
        (1, 3, "B1"),
        (3, 3, "B3"),
    ],
)
def test_where_a_marker_may_go_by_the_leaflet(index, throw, squares):
    path = BEN.path.light
    assert " ".join(path[target] for target in BEN.mechanics.targets("L", index, throw)) == squares


def test_what_a_round_is_worth():
    def value(position):
        return 0.6 if "L...__" in position.notation or "D...__" in position.notation else 0.3

    opening = opening_of(BEN)

    def worth(source, throws, text):
        return opening.worth(the_round(BEN, source, throws, text), value)

    # light on A1, dark on C2: ahead, and the first player; the other way round
    assert worth(-1, (0, 3), "A@A1 C@C2") == 0.6
    assert worth(-1, (3, 0), "A@A2 C@C1") == 1 - 0.6
    assert worth(-1, (3, 1), "A@A2 C@C4") == 0.3
    # both as far on squares of their own, on a shared square, and both thrown a zero
    assert worth(-1, (2, 2), "A@A3 C@C3") == 0.5
    assert worth(3, (3, 3), "A1B3 C1B3") == 0.5
    assert worth(-1, (0, 0), "") == 0.5


def the_round(rules, source, throws, text):
    (found,) = (each for each in opening_of(rules).rounds(source, throws) if each.text == text)
    return found


def test_what_follows_a_round():
    assert the_round(BEN, -1, (2, 2), "A@A3 C@C3").then == 1
    assert the_round(BEN, 3, (3, 3), "A1B3 C1B3").then == -1
    assert the_round(BEN, 2, (0, 0), "").then == 2
    begun = the_round(BEN, -1, (1, 3), "A@A4 C@C2").position
    assert begun.notation == "...L__../......../.D..__.. D 0 0"
    assert [each.text for each in opening_of(BEN).rounds(3, (2, 0))] == [
        "A1B2 C1B1", "A1B2 C1B2", "A1B2 C1B3", "A1B2 C1B4",
    ]  # fmt: skip


# Ben's opening on other paths and conversion squares.


def test_a_marker_that_cannot_make_its_throw_stays():
    # beyond B1 (index 4), the only conversion square, no blank piece may go
    rules = BEN.changed(path=PATHS["bell"], conversions=("B1",), dice=DICE["d4"])
    opening = opening_of(rules)
    (both,) = opening.rounds(3, (2, 4))
    assert (both.text, both.then, both.position) == ("", 3, None)
    (one,) = opening.rounds(3, (3, 1))
    assert one.text == "-- C1B1"
    assert one.position.notation == "L...__../d......./....__.. D 0 0"
    # from home a throw of 4 goes to A1; where A3 converts, a marker waits by a throw of 3 or 4
    waits = BEN.changed(path=PATHS["bell"], conversions=("B1",), dice=DICE["d6"])
    (home,) = opening_of(waits).rounds(-1, (6, 2))
    assert (home.text, home.position.notation) == ("-- C@C3", "....__../......../..D.__.. D 1 0")
    (none,) = opening_of(waits).rounds(-1, (6, 6))
    assert (none.text, none.then) == ("", -1)
    found = beginnings(waits, lambda _: 0.5)
    assert sum(each.probability for each in found) == pytest.approx(1, abs=1e-15)


def test_the_same_shared_square_sends_both_home():
    """Light comes to B2 by a throw of 2, dark, whose path is light's mirror, by one of 4."""
    squares = ["B1", "B2", "B3", "B4", "A8", "A7"]
    path = Path.of("down", UR, ["A4", *squares])
    rules = BEN.changed(path=path, dice=DICE["d4"], conversions=("A8",))
    (same,) = opening_of(rules).rounds(-1, (3, 3))
    assert (same.text, same.then, same.position) == ("A@B2 C@B2", -1, None)


@pytest.mark.parametrize("path", ["bell", "masters", "skiriuk", "murray", "aseb"])
def test_every_opening_of_bens_ends_or_is_refused(path):
    """Every conversion square with five dice: positions of all rounds are legal."""
    refused = 0
    squares = dict.fromkeys(each for each in PATHS[path].light if not each.startswith("C"))
    dice = [*map(DICE.get, ("3-binary", "4-binary", "d4", "d6"))]
    for square, each in itertools.product(squares, [*dice, Dice.of("one-two", ONE_TWO)]):
        try:
            rules = BEN.changed(path=PATHS[path], conversions=(square,), dice=each)
        except RuleSetError:
            refused += 1
            continue
        opening = opening_of(rules)
        for source in sources_of(opening).values():
            rules.position(level(rules, source).notation)
            for throws in opening.throws:
                for found in opening.rounds(source, throws):
                    if found.position is not None:
                        rules.position(found.position.notation)
        found = beginnings(rules, lambda _: 0.5)
        assert sum(each.probability for each in found) == pytest.approx(1, abs=1e-12)
    assert 0 < refused < 5 * len(squares) or path in ("skiriuk", "murray")


ONE_TWO = {1: Fraction(1, 2), 2: Fraction(1, 2)}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"conversions": ("A4",)}, "markers that are level on A3 are marked depends on"),
        ({"conversions": ("A2",)}, "depends on whether they were on A2; choose 'lots' or"),
        ({"dice": Dice.of("twos", {2: Fraction(1)})}, "no two throws bring the markers apart"),
        ({"conversions": ("A1",), "dice": Dice.of("2-3", {2: Fraction(1, 2), 3: Fraction(1, 2)})},
         "no throw moves a marker on from A2"),
    ],
)  # fmt: skip
def test_an_opening_of_bens_that_has_no_rule_is_refused(changes, fault):
    changes = {"path": PATHS["bell"]} | changes
    with pytest.raises(RuleSetError, match=fault):
        BEN.changed(**changes)
    assert BEN.changed(**changes, opening="highest").mechanics.has_free_first_throw


def test_other_openings_by_hand():
    def value(position):
        return 0.6 if position == position.rules.start() else 0.5

    higher = opening_of(CATALOGUE["finkel"])
    assert higher.rounds(-1, (2, 3))[0].position.side == "D"
    assert higher.rounds(-1, (2, 2))[0].position is None
    assert higher.worth(higher.rounds(-1, (2, 3))[0], lambda _: 0.6) == 0.4
    assert opening_of(CATALOGUE["four-again"]) is None
    # a 1 of three pyramids has 3/8: light is first with 3/8, dark with 15/64 of 39/64; whoever
    # is first has 0.4, a move after which the other throws at 0.6
    first_one = opening_of(named_rules("skiriuk:1"))
    expected = (3 / 8 * 0.4 + 15 / 64 * 0.6) / (39 / 64)
    assert first_one.value(lambda _: 0.6) == pytest.approx(expected, abs=1e-15)
    assert sum(first_one.throws.values()) == 1
    for rules in (BEN, CATALOGUE["finkel"]):
        assert sum(opening_of(rules).throws.values()) == 1


def test_a_zero_chooses_the_best_square():
    """Being ahead from A1 is worth most to a player, or least."""
    on_a1 = {}
    for worth in (0.9, 0.1):

        def value(position, worth=worth):
            return worth if position.notation.startswith("L...__") else 0.6

        on_a1[worth] = sum(
            each.probability
            for each in beginnings(BEN, value)
            if each.position.notation.startswith("L...__")
        )
    # A marker on A1 is ahead of all others of its row. From home a zero against a 1, 2 or 3 has
    # the probability 2 * 1/8 * 7/8 out of 63/64, which is 2/9, and goes there where that is best.
    assert on_a1[0.9] > 2 / 9 > on_a1[0.1]


# Other openings.


def test_skiriuks_starter_has_thrown_a_one(solved):
    # by the golden files of two other programs
    with values_of(solved, "skiriuk:1") as table:
        assert table.opening_value() == pytest.approx(0.4921155682633461, abs=1e-10)
        lots = table.rules.changed(opening="lots")

        def value(position):
            return table.value(position.notation)

        assert opening_value(lots, value) == table.start_value
        assert not lots.is_same_game(table.rules)
        assert lots.name == "skiriuk-opening-lots"


def test_lots_and_the_highest_throw_are_worth_nothing():
    finkel = CATALOGUE["finkel"]
    lots = finkel.changed(opening="lots")
    assert lots.is_same_game(finkel)
    assert lots.name == "finkel"
    assert lots != finkel
    assert RuleSet.from_json(lots.to_json()) == lots
    assert CATALOGUE["four-again"].switches["opening"] == "lots"


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("finkel", {"opening": "ben"}, "opening is 'ben', not 'lots' or 'highest'"),
        ("skiriuk", {"opening": "ben"}, "opening is 'ben', not 'one' or 'lots' or 'highest'"),
        ("ben", {"opening": "one"}, "opening is 'one', not 'ben' or 'lots' or 'highest'"),
    ],
)
def test_openings_that_a_family_has_not(name, change, fault):
    with pytest.raises(RuleSetError, match=fault):
        CATALOGUE[name].changed(**change)


def test_a_one_that_the_dice_cannot_show():
    skiriuk = CATALOGUE["skiriuk"]
    switch = next(each for each in skiriuk.mechanics.switches if each.key == "opening")
    even = skiriuk.changed(opening="lots").mechanics
    even.rules = RuleSet("even", skiriuk.path, Dice.of("even", {2: Fraction(1)}), 1)
    assert switch.fault("one", even.rules) == ("opening is 'one', but even dice cannot show a 1")
    assert switch.fault("one", skiriuk) is None


# The headline.


@pytest.fixture
def ur(solved, monkeypatch):
    folder = solved(BEN).parent
    monkeypatch.setenv("UR_TABLES", str(folder))

    def run(*arguments):
        result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    return run


def test_the_opening_value_is_the_headline_everywhere(ur, tmp_path):
    page = ur("solve", "ben:1", "-o", str(tmp_path / "ben.h5"))
    head, free = page.splitlines()[:2]
    assert head.startswith("ben with 1 piece: the first player wins 55.3971")
    assert free.startswith("  with a free first throw 53.3173")
    assert "first player wins          55.3971" in ur("info", "ben:1")
    assert "the first player wins    55.3971" in ur("query", "ben:1")
    for command in ("info", "query", "solve"):
        found = json.loads(ur(command, "ben:1", "--json").splitlines()[-1])
        assert found["opening_value"] == pytest.approx(0.553971, abs=5e-7), command
        assert found["value"] == pytest.approx(0.533174, abs=5e-7), command
    assert "table (light) wins    55.3971" in ur("evaluate", "ben:1")


def test_two_perfect_players_get_the_opening_value_in_games(solved):
    with values_of(solved, "ben:1") as table:
        found = evaluate(table, games=20_000, seed=3).chance
        assert abs(found.value - 0.553971) < 1.5 * (found.high - found.value)
