"""Extra throws that may be declined: values, names, notation, and what earlier versions wrote."""

from __future__ import annotations

import pathlib

import pytest

from tests.games import random_game
from tests.golden import each_kind
from tests.solving import solve
from tests.value_iteration import Equations, as_light
from ur_solver.api.table import Table
from ur_solver.errors import RecordError
from ur_solver.records import GameRecord, read_plain, read_rgn, write_plain, write_rgn
from ur_solver.rules import CATALOGUE, RuleSet, named_rules
from ur_solver.rules.game import digest_of
from ur_solver.space import space_of

pytestmark = pytest.mark.medium

OLD_TABLE = pathlib.Path(__file__).parents[1] / "data/tables/masters-games-1-compulsory.h5"

TURNED = [
    ("four-again", "must"),
    *(("casual", value) for value in ("must", "may")),
    *((name, "may") for name in ("finkel", "four-again", "blitz", "aseb", "bell", "birds")),
    *((name, "may") for name in ("skiriuk", "ben")),
]
OTHERS = [(name, "may") for name in CATALOGUE if name not in ("bell-stakes", "casual-roll-again")]


def turned(name: str, value: str, pieces: int) -> RuleSet:
    return CATALOGUE[name].with_pieces(pieces).changed(extra_throw=value)


def check_every_position(rules: RuleSet) -> None:
    """A solved space against plain value iteration over the readable turns."""
    space = space_of(rules)
    values = solve(space, tolerance=1e-12)
    expected = Equations(rules, seen_by=as_light).solve()
    found = [values[space.rank(position)] for position in expected]
    assert found == pytest.approx([*expected.values()], abs=1e-11)


long = pytest.mark.long


@pytest.mark.parametrize(
    ("name", "value"),
    each_kind([*TURNED, *(each for each in OTHERS if each not in TURNED)]),
)
def test_every_position_of_one_piece(name, value):
    check_every_position(turned(name, value, 1))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "value"),
    TURNED,
)
def test_every_position_of_two_pieces(name, value):
    check_every_position(turned(name, value, 2))


# by a program that shares nothing with this one; in per cent, to four digits
@pytest.mark.parametrize(
    ("name", "value", "pieces", "percent"),
    [
        ("four-again", "may", 2, 51.1456),
        ("four-again", "must", 2, 51.1503),
        pytest.param("four-again", "may", 3, 50.8144, marks=long),
        pytest.param("four-again", "must", 3, 50.8151, marks=long),
        ("conventional", "may", 2, 51.2736),
        ("conventional", "must", 2, 51.2827),
    ],
)
def test_the_first_player_by_another_program(name, value, pieces, percent, solved):
    rules = turned(name, value, pieces)
    with Table(solved(rules)) as table:
        assert 100 * table.value(rules.start()) == pytest.approx(percent, abs=5.1e-5)


def test_a_declined_throw_is_a_move_with_its_value(solved):
    # One piece each, dark's on A1's mirror image. Light's 4 goes from B4 to the rosette C7.
    with Table(solved(named_rules("masters-games:1"))) as table:
        here = table.rules.position("....__../...L..../D...__.. L 0 0")
        worth = {each.move.text: each for each in table.moves(here, 4)}
        assert set(worth) == {"B4C7*", "B4C7* stop"}
        made, declined = worth["B4C7*"].move.position, worth["B4C7* stop"].move.position
        assert (made.side, declined.side) == ("L", "D")
        assert worth["B4C7* stop"].value == pytest.approx(1 - table.value(declined), abs=1e-15)
        assert worth["B4C7*"].value == pytest.approx(table.value(made), abs=1e-15)


def test_declining_can_be_better(solved):
    # Dark is on C8 and C7 with both pieces. From C7 light may be captured only from behind, and a
    # second throw would take it off that square.
    with Table(solved(named_rules("masters-games:2"))) as table:
        best = table.best("....__DD/...L..../....__.. L 0 0", 4)
        assert best.move.text == "B4C7* stop"


# One mechanism, two names.


def test_casual_roll_again_is_casual_with_throws_that_may_be_declined():
    casual, again = CATALOGUE["casual"], CATALOGUE["casual-roll-again"]
    assert casual.changed(extra_throw="may") == again
    assert casual.changed(roll_again=True) == again
    values = {key: value for key, value in casual.to_json().items() if key != "roll_again"}
    for written in ({"roll_again": True}, {"extra_throw": "may"}):
        assert RuleSet.from_json({**values, **written}).is_same_game(again)
    must = casual.changed(extra_throw="must")
    assert RuleSet.from_json(must.to_json()) == must


FROM_B3 = "....__../..L...../....__.. L 0 1"
TO_B4 = "....__../L..D..../....__.. L 0 0"


@pytest.mark.parametrize(
    ("word", "value", "text", "throw", "expected"),
    [
        # casual: the rosette B4; without the switch the turn ends there
        ("casual", "none", FROM_B3, 1, {"B3B4*": "D"}),
        ("casual", "must", FROM_B3, 1, {"B3B4*": "L"}),
        ("casual", "may", FROM_B3, 1, {"B3B4*": "D", "B3B4* again": "L"}),
        # a plain square earns nothing
        ("casual", "may", FROM_B3, 2, {"B3B5": "D"}),
        ("finkel", "may", "....__../......../....__.. L 1 1", 4, {"A@A1*": "L", "A@A1* stop": "D"}),
        ("finkel", "may", "....__../......../....__.. L 1 1", 3, {"A@A2": "D"}),
        # a capture gives an extra throw in blitz, with its rosette or without
        ("blitz", "may", "....__../LD....../....__.. L 0 0", 1, {"B1B2x": "L", "B1B2x stop": "D"}),
        ("blitz", "may", TO_B4, 3, {"B1B4x*": "L", "B1B4x* stop": "D"}),
        # bell: any move, here the step of one square that a throw of 2 gives
        ("bell", "may", "....__../L......./....__.. L 0 1", 2, {"B1B2": "L", "B1B2 stop": "D"}),
        # nothing is left to throw for
        ("bell", "may", "....__L./......../....__.. L 0 1", 2, {"A7A+": "D"}),
        ("skiriuk", "may", FROM_B3, 1, {"B3B4*": "L", "B3B4* stop": "D"}),
        # ben: the 4-eyes A2, and a jump
        ("ben", "may", "...L__../......../....__.. L 0 1", 2, {"A4A2": "L", "A4A2 stop": "D"}),
        ("ben", "may", "..L.__../......../....__.. L 0 1", 0,
         {"A3A2": "L", "A3A2 stop": "D", "A3A1*": "L", "A3A1* stop": "D"}),
    ],
)  # fmt: skip
def test_moves_by_hand(word, value, text, throw, expected):
    rules = turned(word, value, 1)
    moves = rules.legal_moves(rules.position(text), throw)
    assert {move.text: move.position.side for move in moves} == expected


def test_birds_may_throw_again_from_a_rosette():
    rules = CATALOGUE["birds"].with_pieces(1).changed(extra_throw="may")
    here = rules.position("....__../..L1...../....__.. L - 1")
    moves = {move.text: move.position.side for move in rules.legal_moves(here, 1, "move")}
    assert moves == {"1B3B4*": "D", "1B3B4* again": "L"}


# Records.

OLD = """\
rules: masters-games:1

L 1 A@A4
D 3 C@C2
L 1 A4A3
D 2 C2B1
L 2 A3A1*
D 2 B1B3
L 2 A1B2
D 2 B3B5
L 1 B2B3
D 2 B5B7
L 1 B3B4*
D 1 B7A7*
L 4 B4C7*
L 2 C7B8
D 1 A7A8
L 1 B8A8x
D 2 C@C3
L 4 --
D 1 C3C2
L 2 A8A+
end: won, winner L"""

OLD_RGN = """\
[Rules "masters-games:1"]

1. A@A4 / C@C3
2. A4A2 / C3C2
3. A2A1 * / C2B1
4. A1B2 / B1B5 B5B7
5. B2B3 / B7C8 C8C7 *
6. B3B5 / 3 --
7. B5B7 / C7C+#"""

OLD_CASUAL = """\
rules: casual-roll-again:1

L 3 A@A2
D 3 C@C2
L 2 A2B1
D 1 C2C1* again
D 2 C1B2
L 4 B1B5
D 2 B2B4*
L 3 B5B8
end: unfinished"""


def only(games) -> GameRecord:
    (game,) = games
    assert isinstance(game, GameRecord), game
    return game


def sides_of(record: GameRecord) -> str:
    return "".join(ply.side for ply in record.plies)


def test_a_record_of_an_earlier_version_means_what_it_meant():
    # a move that earns a throw, with nothing after it, was followed by that throw
    record = only(read_plain(OLD))
    assert record.winner == "L"
    assert sides_of(record) == "LDLDLDLDLDLDLLDLDLDL"
    assert write_plain(record) == OLD
    record = only(read_rgn(OLD_RGN))
    assert record.winner == "D"
    assert write_rgn(record, with_rules=True) == OLD_RGN
    # and in casual-roll-again ended the turn
    record = only(read_plain(OLD_CASUAL))
    assert sides_of(record) == "LDLDDLDL"
    assert write_plain(record) == OLD_CASUAL


def test_a_declined_throw_in_records():
    plain = "rules: masters-games:1\n\nL 4 A@A1* stop\nD 4 C@C1*\nD 2 C1B2\nend: unfinished"
    record = only(read_plain(plain))
    assert sides_of(record) == "LDD"
    assert write_plain(record) == plain
    rgn = '[Rules "masters-games:1"]\n\n1. A@A1 * stop / C@C1 * C1B2'
    again = only(read_rgn(rgn))
    assert [(ply.throws, ply.played) for ply in again.plies] == [((4,), 0), ((4,), 1), ((2,), 0)]
    assert again.plies[-1].state == record.plies[-1].state
    assert write_rgn(record, with_rules=True) == rgn
    # dark throws once light has stopped, and only where there was a throw to decline
    for text, fault in (
        ("1. A@A1 * / C@C1", "it is light's turn"),
        ("1. A@A4 stop", "'A@A4 stop' is not legal"),
        ("1. stop", "'stop' does not follow a move"),
        ("1. A@A1 * stop stop", "'stop' does not follow a move"),
    ):
        (found,) = read_rgn(f'[Rules "masters-games:1"]\n\n{text}')
        assert isinstance(found, RecordError)
        assert fault in str(found)


# Tables and digests.


def test_a_table_of_an_earlier_version_is_of_the_game_that_it_was():
    with Table(OLD_TABLE) as table:
        assert table.rules.switches["extra_throw"] == "must"
        golden = named_rules("masters-games:1").changed(extra_throw="must")
        assert table.rules.is_same_game(golden)
        assert not table.rules.is_same_game(named_rules("masters-games:1"))
        # games by it name its rules in full, as the name alone now means others
        game = write_plain(random_game(table.rules, 1, 4))
        assert only(read_plain(game)).rules == table.rules
        assert table.value(table.rules.start()) == pytest.approx(0.5326205060230841, abs=1e-12)


DIGESTS = {
    "finkel": "74ef7b4b21ae0de3",
    "british-museum": "721ec4064effae61",
    "finkel-3dice": "3a81dfb1415f1549",
    "conventional": "e0c543debac68be1",
    "masters-games-extra-throw-must": "fa7c536f12561150",
    "murray": "53720b06dbf0b36d",
    "murray-3dice": "4d6a9a40a5e75f85",
    "masters": "2633d2ee38896f40",
    "masters-4dice": "f436c98ada1950dc",
    "blitz": "c3570fa762b6c3d0",
    "aseb": "ac40a8074cabbb9e",
    "bell": "2b7101724e699cf4",
    "bell-stakes": "1cef338e46b6fe46",
    "casual": "f92accc980969889",
    "casual-roll-again": "47966f2a005b77a8",
    "birds": "f38c76a8e4c5f5d2",
    "skiriuk": "fb76374311864f3a",
    "skiriuk-d4": "de5a95c7546b1ea1",
    "ben": "6587e7700d04356d",
}
"""As version 1.0.1 computed them."""


def test_digests_stay_as_they_were():
    old = named_rules("masters-games").changed(extra_throw="must", opening="highest")
    sets = [*CATALOGUE.values(), named_rules("murray-3dice"), old]
    found = {rules.name: digest_of(rules) for rules in sets if rules.name in DIGESTS}
    assert found == DIGESTS
