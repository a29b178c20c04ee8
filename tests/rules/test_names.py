"""Names of custom rule sets, and rule sets as values."""

from __future__ import annotations

import itertools
import pickle
import subprocess
import sys

import pytest

from ur_solver.errors import RuleSetError
from ur_solver.rules import (
    CATALOGUE,
    DICE,
    FAMILIES,
    PATHS,
    Board,
    Path,
    RuleSet,
    Stakes,
    named_rules,
)
from ur_solver.rules.settings import Flag

FINKEL = CATALOGUE["finkel"]

FLAGS = [
    (name, switch.key)
    for name, rules in CATALOGUE.items()
    for switch in FAMILIES[rules.family].switches
    if isinstance(switch, Flag)
]


@pytest.mark.parametrize(("name", "key"), FLAGS)
def test_a_switch_that_is_turned_back_leaves_no_trace(name, key):
    rules = CATALOGUE[name].with_pieces(3)
    turned = rules.changed(**{key: not rules.switches[key]})
    assert turned != rules
    assert not turned.is_same_game(rules)
    assert turned.name != rules.name
    # as itself, from its JSON and with another count of pieces
    for each in (turned, RuleSet.from_json(turned.to_json())):
        assert each.changed(**{key: rules.switches[key]}) == rules
    assert turned.changed(pieces=2, **{key: rules.switches[key]}) == rules.with_pieces(2)


def test_the_order_of_changes_does_not_matter():
    changes = [
        {"safe_rosettes": False},
        {"path": PATHS["masters"]},
        {"extra_on_throw": 3},
        {"dice": DICE["d4"]},
    ]
    for order in itertools.permutations(changes):
        rules = FINKEL
        for change in order:
            rules = rules.changed(**change)
        assert rules.name == "finkel-d4-extra-on-throw-3-masters-no-safe-rosettes"
        back = rules.changed(path=PATHS["bell"], extra_on_throw=None)
        assert back.name == "finkel-d4-no-safe-rosettes"
    assert rules.changed(extra_on_throw=4).name.startswith("finkel-d4-extra-on-throw-4-masters")


@pytest.mark.parametrize(
    ("base", "changes", "name"),
    [
        ("masters-games", {"extra_on_throw": None}, "masters-games-no-extra-on-throw"),
        ("casual", {"roll_again": True}, "casual-roll-again"),
        ("casual-roll-again", {"roll_again": False}, "casual"),
        ("casual", {"extra_throw": "may"}, "casual-roll-again"),
        ("casual-roll-again", {"extra_throw": "must"}, "casual-extra-throw-must"),
        ("birds", {"extra_throw": "may"}, "birds-roll-again"),
        ("masters-games", {"extra_throw": "must"}, "masters-games-extra-throw-must"),
        ("bell", {"stakes": Stakes(fine=3)}, "bell-stakes-fine-3"),
        ("bell-stakes", {"stakes": Stakes(20, 3)}, "bell-stakes-ante-20-fine-3"),
        ("bell-stakes", {"stakes": Stakes(reach=3)}, "bell-stakes"),
        ("bell-stakes", {"stakes": None}, "bell"),
        ("skiriuk", {"dice": DICE["d4"]}, "skiriuk-d4"),
        ("finkel", {"name": "mine", "safe_rosettes": False}, "mine"),
    ],
)
def test_names(base, changes, name):
    rules = named_rules(base).changed(**changes)
    assert rules.name == name
    if name in CATALOGUE:
        assert rules.is_same_game(CATALOGUE[name])


def test_a_rule_set_of_ones_own_is_the_base_of_its_changes():
    mine = FINKEL.changed(name="mine", path=PATHS["aseb"])
    assert mine.changed(safe_rosettes=False).name == "mine-no-safe-rosettes"
    assert mine.changed(pieces=2) == mine.with_pieces(2)
    # a name that tells changes which the rules do not have is one's own
    liar = FINKEL.changed(name="finkel-d4")
    assert liar.changed(safe_rosettes=False).name == "finkel-d4-no-safe-rosettes"


def test_what_is_turned_back_leaves_no_trace_in_a_name_of_ones_own():
    mine = FINKEL.changed(name="mine", path=PATHS["aseb"])
    turned = mine.changed(safe_rosettes=False)
    assert turned.changed(safe_rosettes=True) == mine
    both = turned.changed(extra_on_throw=3, dice=DICE["d4"])
    assert both.name == "mine-no-safe-rosettes-d4-extra-on-throw-3"
    assert both.changed(safe_rosettes=True).name == "mine-d4-extra-on-throw-3"
    assert both.changed(extra_on_throw=4).name == "mine-no-safe-rosettes-d4-extra-on-throw-4"
    assert both.changed(path=PATHS["bell"]).name == f"{both.name}-bell"
    assert both.changed(dice=DICE["4-binary"]).name == (
        "mine-no-safe-rosettes-extra-on-throw-3-4-binary"
    )
    # only whole words are taken out
    safe = FINKEL.changed(name="un-safe-rosettes2", path=PATHS["aseb"])
    assert safe.changed(safe_rosettes=False).name == "un-safe-rosettes2-no-safe-rosettes"


def test_names_that_grow_too_long():
    rules = CATALOGUE["british-museum"].changed(
        path=PATHS["murray-royalur"],
        dice=DICE["3-binary-0as4"],
        safe_rosettes=False,
        extra_on_rosette=False,
        extra_on_capture=True,
        extra_on_throw=4,
    )
    assert rules.name == "british-museum-custom"
    assert RuleSet.from_json(rules.to_json()) == rules


def test_rule_sets_are_values():
    copies = [RuleSet.from_json(rules.to_json()) for rules in CATALOGUE.values()]
    assert copies == list(CATALOGUE.values())
    assert len({*copies, *CATALOGUE.values()}) == len(CATALOGUE)
    for rules in copies:
        assert rules.mechanics  # cached, and not pickled
        copy = pickle.loads(pickle.dumps(rules))
        assert copy == rules
        assert vars(copy).keys().isdisjoint({"mechanics", "_hash", "payoff", "_game"})
    with pytest.raises(TypeError):
        FINKEL.switches["safe_rosettes"] = False
    assert FINKEL.switches == {**FINKEL.switches}


def test_a_pickle_of_another_process_is_found_among_our_own():
    # strings hash differently in every process
    code = (
        "import pickle, sys; from ur_solver.rules import CATALOGUE;"
        "rules = CATALOGUE['blitz']; hash(rules);"
        "sys.stdout.buffer.write(pickle.dumps(rules))"
    )
    text = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout
    assert pickle.loads(text) in {*CATALOGUE.values()}


def test_a_changed_rule_set_that_cannot_be_is_refused():
    with pytest.raises(RuleSetError, match="rule set 'finkel': race has no switch 'stakes'; it ha"):
        FINKEL.changed(stakes=Stakes())
    with pytest.raises(RuleSetError, match="birds has no switch 'roll_again'; it has ext"):
        CATALOGUE["birds"].changed(roll_again=False)


def test_equal_values_given_in_other_ways():
    plain = RuleSet("x", PATHS["bell"], DICE["d4"], 2)
    switches = {"extra_on_throw": None, "safe_rosettes": True}
    full = RuleSet("x", PATHS["bell"], DICE["d4"], 2, "race", switches)
    assert plain == full
    assert hash(plain) == hash(full)
    board = Board(plain.board.name, plain.board.rows, plain.board.rosettes)
    again = Path("bell", board, plain.path.light, 14)
    assert hash(RuleSet("x", again, DICE["d4"], 2)) == hash(plain)
    assert RuleSet("x", again, DICE["d4"], 2).is_same_game(plain)
