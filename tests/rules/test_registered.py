"""Rule sets, kinds of squares and families that come from outside the package."""

from __future__ import annotations

import dataclasses
import json
import pickle
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import click
import numpy as np
import pytest
from click.testing import CliRunner

from tests.games import random_game, write_text
from tests.solving import assert_as_the_rules_say, make_table, solve
from tests.value_iteration import Equations, as_light
from ur_solver.answers.verify import verify_table
from ur_solver.api.table import Table
from ur_solver.cli import cli
from ur_solver.cli.custom import custom_rule_options, custom_rules
from ur_solver.errors import RuleSetError, UnregisteredError
from ur_solver.records import NOTATIONS, settings_of, write_plain
from ur_solver.rules import (
    CATALOGUE,
    DICE,
    FAMILIES,
    PATHS,
    SQUARE_RULES,
    UR,
    Path,
    RuleSet,
    SquareRule,
    named_rules,
    register_family,
    register_rules,
    register_square_rule,
)
from ur_solver.rules.families import Bell, Birds, Race
from ur_solver.rules.payoff import Stakes
from ur_solver.rules.registry import load_plugins
from ur_solver.rules.settings import CountSwitch, Flag, SquaresSwitch, ThrowSwitch
from ur_solver.rules.squares import CapturedBy, Ordinary, Stack, rule_from_json, rule_to_json
from ur_solver.rules.turns import evaluate
from ur_solver.space import TileSpace, is_race_of_tiles, positions_of, space_of
from ur_solver.table.reader import TableFile

pytestmark = pytest.mark.medium


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test registers is gone after it."""
    known = CATALOGUE, FAMILIES, SQUARE_RULES
    before = [dict(each) for each in known]
    yield
    for each, kept in zip(known, before, strict=True):
        each.clear()
        each.update(kept)


@dataclass(frozen=True)
class Guarded(SquareRule):
    """One piece, which only a throw of `key` captures."""

    name = "guarded"

    key: int = 4

    def land(self, piece, held, throw):
        if held and (held[0] == piece or throw != self.key):
            return None
        return held

    def fault(self, held):
        return "it holds one piece at most" if len(held) > 1 else None


PLUGIN = """
from ur_solver.rules import DICE, PATHS, RuleSet, register_rules

from ur_solver.records import Notation, register_notation, write_plain

register_rules(RuleSet("finkel-d4", PATHS["bell"], DICE["d4"], 7))
register_notation(Notation("mine", (".mine",), write_plain))
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """A module that registers a rule set, in a folder where Python looks for modules."""
    (tmp_path / "mygames.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    load_plugins.cache_clear()
    yield tmp_path
    sys.modules.pop("mygames", None)
    NOTATIONS.pop("mine", None)
    load_plugins.cache_clear()


def test_a_module_is_imported_on_request(plugin):
    result = CliRunner().invoke(cli, ["--import", "mygames", "moves", "finkel-d4:1"])
    assert result.exit_code == 0, result.output


def test_an_installed_package_names_its_module(plugin):
    info = plugin / "mygames-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mygames\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[ur_solver.plugins]\nmygames = mygames\n")
    game = random_game(named_rules("finkel:1"), 1)
    assert write_text(game, ".mine") == write_plain(game)
    assert named_rules("finkel-d4:2").dice == DICE["d4"]
    assert "finkel-d4" in CliRunner().invoke(cli, ["rules"]).output


@pytest.mark.parametrize(
    ("text", "reason"),
    [("raise ValueError('no')", "ValueError: no"), (None, "No module named 'absent'")],
)
def test_a_module_that_cannot_be_imported_is_named(tmp_path, monkeypatch, text, reason):
    monkeypatch.syspath_prepend(tmp_path)
    if text is not None:
        (tmp_path / "absent.py").write_text(text)
    result = CliRunner().invoke(cli, ["--import", "absent", "rules"])
    assert result.exit_code == 2
    assert "module 'absent' cannot be imported: " in result.output
    assert reason in result.output


THERE_AND_BACK = Path.of("there and back", UR, ["A3", "A2", "B3", "B4", "B5", "A2", "A3"])

# a short way over the middle, so that the readable rules get through it in seconds
SHORT = Path.of("short", UR, ["A2", "A1", "B1", "B2", "B3", "B4", "B5", "A8"])


def guarded() -> RuleSet:
    register_square_rule(Guarded)
    rules = RuleSet("guarded", SHORT, DICE["4-binary"], 7, squares={"B4": Guarded()})
    return register_rules(rules)


class TestASquareThatAThrowOpens:
    def test_its_moves(self):
        rules = guarded()
        at_b1 = rules.position("....__../L..D..../....__.. L 6 6")
        assert "B1B4x*" not in [move.text for move in rules.legal_moves(at_b1, 3)]
        at_a1 = rules.position("L...__../...D..../....__.. L 6 6")
        assert "A1B4x*" in [move.text for move in rules.legal_moves(at_a1, 4)]

    def test_every_value_of_its_table_by_the_readable_rules(self, tmp_path):
        guarded()
        rules = named_rules("guarded:2")
        make_table(rules, tmp_path / "guarded-2.h5")
        with Table(tmp_path / "guarded-2.h5") as table:
            assert table.rules == rules
            assert isinstance(table.space, TileSpace)
            positions = [table.space.unrank(rank) for rank in range(table.space.n_values)]
            assert len(positions) > 1500
            # each value by those of the positions that it leads to, reachable or not
            for position, value in zip(positions, table.values(positions), strict=True):
                assert value == pytest.approx(evaluate(position, table.value), abs=1e-11)
            # and those that the start leads to by value iteration of another program
            for position, value in Equations(rules, seen_by=as_light).solve().items():
                assert table.value(position) == pytest.approx(value, abs=1e-11)
        # the rule matters
        assert table.rules.squares

    def test_a_table_of_a_rule_that_is_not_registered_here(self, tmp_path):
        guarded()
        make_table(named_rules("guarded:1"), tmp_path / "t.h5")
        del SQUARE_RULES["guarded"]
        with pytest.raises(UnregisteredError, match=r"t\.h5': square rule 'guarded' is unknown"):
            Table(tmp_path / "t.h5")
        SQUARE_RULES["guarded"] = Guarded
        with Table(tmp_path / "t.h5") as table:
            assert table.rules == named_rules("guarded:1")

    def test_another_throw_and_no_such_square_make_other_games(self):
        rules = guarded().with_pieces(1)
        starts = [
            solve(space_of(each), tolerance=1e-12)[space_of(each).rank(each.start())]
            for each in (
                rules,
                rules.changed(squares={"B4": Guarded(2)}),
                rules.changed(squares={}),
                rules.changed(squares={"B4": Ordinary()}),
            )
        ]
        assert len({round(value, 9) for value in starts}) == 4

    def test_json_names_and_pickles(self):
        rules = guarded()
        values = rules.to_json()
        assert values["squares"] == {"B4": "guarded"}
        assert RuleSet.from_json(json.dumps(values)) == rules
        other = rules.changed(squares={"B4": Guarded(2)})
        assert other.to_json()["squares"] == {"B4": {"rule": "guarded", "key": 2}}
        assert RuleSet.from_json(other.to_json()) == other
        assert not other.is_same_game(rules)
        assert other.name == "guarded-B4-guarded"
        for each in (rules, other):
            copy = pickle.loads(pickle.dumps(each))
            assert copy == each
            assert hash(copy) == hash(each)

    def test_who_serves_it(self):
        plain = named_rules("finkel:1")
        rules = plain.changed(squares={"B4": Guarded()})
        assert is_race_of_tiles(plain)
        assert not is_race_of_tiles(rules)
        with pytest.raises(RuleSetError, match="RoyalUr's JSON cannot hold games of"):
            settings_of(rules)


class TestARaceRuleSet:
    def test_one_row(self, tmp_path, monkeypatch):
        register_rules(RuleSet("finkel-d4", PATHS["bell"], DICE["d4"], 7))
        monkeypatch.setenv("UR_TABLES", str(tmp_path))
        result = CliRunner().invoke(cli, ["rules"])
        assert "finkel-d4               7  bell     d4" in result.output
        start = "....__../......../....__.. L 1 1"
        answer = CliRunner().invoke(cli, ["query", "finkel-d4:1", start, "--json"])
        value = json.loads(answer.stdout)["value"]
        rules = named_rules("finkel-d4:1")
        assert Equations(rules).solve()[rules.start()] == pytest.approx(value, abs=1e-11)
        # what differs from it is called after it
        assert rules.changed(safe_rosettes=False).name == "finkel-d4-no-safe-rosettes"

    @pytest.mark.parametrize(
        "name", ["finkel", "Finkel", "fin kel", "finkel-", "a:2", "", "a.json"]
    )
    def test_names_that_cannot_be(self, name):
        rules = RuleSet(name or "x", PATHS["bell"], DICE["d4"], 7)
        object.__setattr__(rules, "name", name)
        with pytest.raises(RuleSetError, match=r"name is already taken|expected lower-case"):
            register_rules(rules)


class Sprint(Race):
    """A race in which throws of `double` move a piece twice as far."""

    name = "sprint"
    max_pieces = 3
    switches = (
        Flag("safe_rosettes", False, "Whether a piece on a rosette cannot be captured."),
        Flag("extra_on_rosette", True, "Whether landing on a rosette gives an extra throw."),
        Flag("extra_on_capture", False, "Whether a capture gives an extra throw."),
        ThrowSwitch("extra_on_throw", None, "The throw whose move gives an extra throw."),
        ThrowSwitch("double", 2, "The throw that counts twice."),
    )

    def steps(self, throw):
        return 2 * throw if throw == self.rules.switches["double"] else throw


class TestAFamily:
    def test_its_switches_are_known_to_json_options_and_names(self):
        register_family(Sprint)
        register_rules(RuleSet("sprint", PATHS["bell"], DICE["d4"], 3, family="sprint"))
        rules = named_rules("sprint")
        assert rules.to_json()["double"] == 2
        assert rules.to_json()["safe_rosettes"] is False

        @click.command()
        @custom_rule_options
        def command(**given):
            click.echo(json.dumps(custom_rules("sprint", None, **given).to_json()))

        result = CliRunner().invoke(command, ["--double", "3", "--safe-rosettes"])
        other = RuleSet.from_json(result.output)
        assert other.name == "sprint-double-3-safe-rosettes"
        assert other.switches["double"] == 3
        assert not other.is_same_game(rules)
        assert "The throw that counts twice." in CliRunner().invoke(command, ["--help"]).output
        with pytest.raises(RuleSetError, match="double is 7, which d4 dice cannot show"):
            rules.changed(double=7)
        with pytest.raises(RuleSetError, match="race has no switch 'double'"):
            RuleSet.from_json({**named_rules("finkel").to_json(), "double": 2})

    def test_no_switch_needs_a_sentence_of_its_own(self):
        class Hop(Sprint):
            name = "hop"
            switches = (
                *Sprint.switches,
                CountSwitch("hop_length", 2, 5, "How far a hop goes."),
                SquaresSwitch("hop_squares", frozenset(), "Where pieces hop."),
            )

        register_family(Hop)
        rules = RuleSet("hop", PATHS["bell"], DICE["d4"], 3, family="hop")
        assert rules.changed(hop_length=3, hop_squares=("A2",)).to_json()["hop_squares"] == ["A2"]
        length, squares = Hop.switches[-2:]
        assert length.meaning.format(3) == "hop-length: 3."
        assert squares.meaning.format("A2, B7") == "hop-squares: A2, B7."

    def test_it_is_solved_as_what_it_is(self):
        register_family(Sprint)
        rules = RuleSet("sprint", SHORT, DICE["4-binary"], 1, family="sprint")
        space = space_of(rules)
        assert isinstance(space, TileSpace)  # a subclass of the race is no plain race
        assert_as_the_rules_say(space, solve(space, tolerance=1e-12), range(space.n_values))

    def test_numbered_pieces_close_squares_on_which_their_path_begins(self):
        class Flock(Birds):
            name = "flock"
            paths = ()

        register_family(Flock)
        rules = RuleSet("flock", THERE_AND_BACK, DICE["4-binary"], 2, family="flock")
        space = positions_of(rules)
        assert [square.is_closing for square in space.frozen] == [True, True]
        values = solve(space, tolerance=1e-12)
        assert_as_the_rules_say(space, values, range(0, space.n_values, 7))

    def test_a_numbered_piece_stands_on_a_square_once(self):
        # on a refuge that its path visits twice
        class Flock(Birds):
            name = "flock"
            paths = ()

        register_family(Flock)
        path = Path.of("twice", UR, ["A2", "A1", "B1", "B2", "B3", "A1", "A2"])
        rules = RuleSet("flock", path, DICE["4-binary"], 2, family="flock")
        contents = rules.mechanics.contents_on("A1")
        assert sorted(contents) == ["", "L1", "L1L2", "L1l2", "L2", "L2l1", "l1", "l1l2", "l2"]
        space = space_of(rules)
        ranks = np.arange(space.n_values)
        assert np.array_equal(space.rank_states(space.unrank_states(ranks)), ranks)

    def test_levels_of_fines_are_proven_where_positions_have_other_numbers(self, tmp_path):
        class Toll(Bell):
            name = "toll"
            paths = ()

        register_family(Toll)
        plain = RuleSet("toll", THERE_AND_BACK, DICE["bell"], 1, family="toll")
        rules = plain.changed(stakes=Stakes(ante=10, fine=1, reach=4))
        make_table(rules, tmp_path / "toll.h5", certify=True)
        with TableFile(tmp_path / "toll.h5") as table:
            assert table.space.first_version == 7
            assert len(table.header.level_errors) == 5
            verify_table(table)

    def test_moves_that_go_back_are_refused(self):
        class Back(Sprint):
            name = "back"

            def targets(self, piece, source, throw):
                return (source - 1,) if source > 3 else super().targets(piece, source, throw)

        register_family(Back)
        rules = RuleSet("back", PATHS["bell"], DICE["d4"], 1, family="back")
        with pytest.raises(RuleSetError, match="takes a piece from path index 4 to 3 by a throw"):
            solve(space_of(rules), tolerance=1e-9)

    def test_one_key_is_one_kind_of_switch(self):
        class Odd(Race):
            name = "odd"
            switches = (Flag("extra_on_throw", False, "No throw at all."),)

        with pytest.raises(RuleSetError, match="'extra_on_throw' is a Flag, and a ThrowSwitch in"):
            register_family(Odd)


class TestSquareRules:
    @pytest.mark.parametrize(
        ("rule", "values"),
        [
            (Ordinary(), "ordinary"),
            (Ordinary(is_safe=True), {"rule": "ordinary", "is_safe": True}),
            (Stack(4, True), {"rule": "stack", "capacity": 4, "one_side": True}),
            (
                CapturedBy(Stack(2, False), (1, 4)),
                {
                    "rule": "captured-by",
                    "of": {"rule": "stack", "capacity": 2, "one_side": False},
                    "throws": [1, 4],
                },
            ),
        ],
    )
    def test_json_there_and_back(self, rule, values):
        assert rule_to_json(rule) == values
        assert rule_from_json(values) == rule
        assert rule_from_json(json.loads(json.dumps(values))) == rule

    @pytest.mark.parametrize("name", SQUARE_RULES)
    def test_rules_are_values(self, name):
        fields = {"stack": (4, True), "refuge": (2,), "finish": (2,)}
        fields["captured-by"] = Ordinary(), (4,)
        first, second = (SQUARE_RULES[name](*fields.get(name, ())) for _ in range(2))
        assert first == second
        assert hash(first) == hash(second)
        assert pickle.loads(pickle.dumps(first)) == first
        assert len({first, *(SQUARE_RULES[other] for other in SQUARE_RULES)}) > 1

    @pytest.mark.parametrize(
        ("values", "fault"),
        [
            ("moat", "square rule 'moat' is unknown; the square rules are ordinary, "),
            (3, "square rule 3 is unknown"),
            ({"is_safe": True}, "square rule None is unknown"),
            ({"rule": "ordinary", "safe": True}, "unknown field 'safe'; it has is_safe"),
            ({"rule": "shared", "safe": True}, "unknown field 'safe'; it has none"),
            ({"rule": "ordinary", "is_safe": 1}, "is_safe is 1, not true or false"),
            ({"rule": "refuge", "capacity": True}, "capacity is True, not a whole number"),
            ({"rule": "refuge", "capacity": 8}, "capacity is 8, not 1 to 7"),
            ({"rule": "stack", "capacity": 2}, "'stack': the field 'one_side' is missing"),
            ({"rule": "captured-by", "of": "shared", "throws": 4}, "throws is 4, not a list of"),
            ({"rule": "captured-by", "of": "moat", "throws": [4]}, "'moat' is unknown"),
        ],
    )
    def test_what_is_wrong_is_said(self, values, fault):
        with pytest.raises(RuleSetError, match=fault):
            RuleSet.from_json({**CATALOGUE["finkel"].to_json(), "squares": {"B4": values}})

    @pytest.mark.parametrize(
        ("squares", "fault"),
        [
            ({"B9": Ordinary()}, "'B9' is no square of the board 'ur'"),
            ({"B4": "shared"}, "the rule of B4 is 'shared', not a SquareRule"),
            ({"A1": Ordinary(), "C1": Stack(2, True)}, "A1 and C1 mirror each other and have"),
        ],
    )
    def test_which_squares(self, squares, fault):
        with pytest.raises(RuleSetError, match=fault):
            CATALOGUE["finkel"].changed(squares=squares)

    def test_squares_in_their_normal_form(self):
        finkel = CATALOGUE["finkel"]
        # the mirror image goes along; what the family says anyway is left out
        assert set(finkel.changed(squares={"C1": Ordinary()}).squares) == {"A1", "C1"}
        same = finkel.changed(squares={"B4": Ordinary(is_safe=True)})
        assert same == finkel
        assert same.mechanics.is_plain_race
        with pytest.raises(RuleSetError, match="squares is 3, not such as"):
            RuleSet.from_json({**finkel.to_json(), "squares": 3})

    def test_only_values_are_registered(self):
        class Loose(Ordinary):
            name = "loose"

            def __init__(self, key):
                self.key = key

        @dataclass
        class Thawed(SquareRule):
            name = "thawed"
            key: int = 1

        for kind in (Loose, Thawed):
            with pytest.raises(RuleSetError, match="has fields and is not a frozen dataclass"):
                register_square_rule(kind)
        with pytest.raises(RuleSetError, match="'ordinary': the name is already taken"):
            register_square_rule(Ordinary)

    def test_shared_and_stacked_squares_of_a_race(self):
        # a table of a race rule set with squares from elsewhere, by the readable rules
        squares = {"B2": rule_from_json("shared"), "A1": Stack(2, True)}
        rules = RuleSet("mixed", SHORT, DICE["3-binary"], 2, squares=squares)
        space = space_of(rules)
        values = solve(space, tolerance=1e-12)
        for position, value in Equations(rules, seen_by=as_light).solve().items():
            assert values[space.rank(position)] == pytest.approx(value, abs=1e-11)
        assert np.isfinite(values).all()
        assert dataclasses.replace(rules, squares={}).mechanics.is_plain_race
