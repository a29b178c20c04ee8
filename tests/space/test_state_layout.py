"""Encoded states as notation and as structures, against the readable positions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.docs.session import ROOT
from ur_solver.errors import IllegalPositionError, InputError
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.space import space_of

pytestmark = pytest.mark.memory

WORDS = [
    *("finkel:3", "murray:2", "aseb:3", "casual:3", "birds:3", "skiriuk:2", "ben:2"),
    *("bell-stakes:2", "casual-roll-again:2", "masters:2"),
]


def some(space, count, seed=5):
    """States drawn at random, each with a side to throw."""
    rng = np.random.default_rng(seed)
    return space.unrank_states(rng.integers(space.n_values, size=count)), rng.random(count) < 0.5


RESTING = named_rules("finkel:3").changed(another_piece=True)
"""With pieces that rest, of either side as the notation writes them."""


@pytest.mark.parametrize("rules", [*map(named_rules, WORDS), RESTING], ids=lambda each: each.word)
def test_notation_is_that_of_positions(rules):
    space = space_of(rules)
    states, is_dark = some(space, 200)
    expected = [
        space.decode(state, "D" if dark else "L").notation
        for state, dark in zip(states.tolist(), is_dark, strict=True)
    ]
    found = space.state_layout.notations(states, is_dark)
    assert found.tolist() == expected
    letters, starts = space.state_layout.notation_bytes(states, is_dark)
    assert bytes(letters).decode() == "".join(expected)
    assert np.diff(starts).tolist() == [*map(len, expected)]
    read, dark, is_read = space.state_layout.read(found)
    assert is_read.tolist() == [
        "^" not in text for text in expected
    ]  # the readable reader has those
    assert np.array_equal(read[is_read], states[is_read])
    assert np.array_equal(dark[is_read], is_dark[is_read])


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_start_of_every_rule_set_is_read(name):
    rules = CATALOGUE[name]
    space = space_of(rules)
    texts = np.array([rules.start().notation, rules.start().pass_turn().notation], dtype=object)
    states, is_dark, is_read = space.state_layout.read(texts)
    assert is_read.tolist() == [True, True]
    assert is_dark.tolist() == [False, True]
    assert states.tolist() == [list(space.encode(rules.start()))] * 2


def test_only_texts_as_they_are_written_are_read():
    layout = space_of(named_rules("skiriuk:3")).state_layout
    good = "..L.__../..(Ld).d.../....__.. L 1 1"
    texts = [
        good,
        f" {good}",
        good.replace(" L", "  L"),
        good[:-2],
        good + " 1",
        good + " ",
        good.replace("(Ld)", "(Ld"),
        good.replace("__", "._"),
        good.replace(" 1 1", " 1 9"),
        good.replace(" 1 1", " 01 1"),
        good.replace(" L ", " X "),
        good.replace("d.", "\u0434."),
        "",
        "(",
        None,
        7,
        good.encode(),
    ]
    _, _, is_read = layout.read(np.array(texts, dtype=object))
    assert is_read.tolist() == [True, *[False] * (len(texts) - 1)]


@pytest.mark.parametrize(
    ("fines", "is_read"),
    [("p0", 1), ("p37", 1), ("p1000000", 1), ("p1000001", 0), ("p", 0), ("37", 0), ("p-1", 0)],
)
def test_fines_are_read_up_to_their_limit(fines, is_read):
    layout = space_of(named_rules("bell-stakes:1")).state_layout
    text = f"....__../......../....__.. D 1 1 {fines}"
    states, _, found = layout.read(np.array([text], dtype=object))
    assert found[0] == is_read
    if is_read:
        assert states[0, -1] == int(fines[1:])
        assert layout.notations(states, True).tolist() == [text]


def test_contents_are_numbered_as_the_page_says():
    contents = space_of(named_rules("ben:2")).state_layout.contents
    assert contents["B3"] == ("", "D", "L", "d", "l", "Dd", "Dl", "Ld", "Ll")
    assert contents["A4"] == ("", "L")
    stack = space_of(named_rules("skiriuk:2")).state_layout.contents["A4"]
    assert stack == ("", "L", "LL")
    assert space_of(named_rules("birds:2")).state_layout.contents["A7"] == ("", "L1", "L2", "L1L2")
    page = (ROOT / "docs" / "file-formats.md").read_text(encoding="utf-8")
    assert '`""`, `D`, `L`, `d`, `l`, `DL`' in page


@pytest.mark.parametrize("word", ["finkel:2", "bell-stakes:1", "birds:2"])
def test_states_as_structures(word):
    space = space_of(named_rules(word))
    layout = space.state_layout
    states, _ = some(space, 50)
    records = layout.structured(states)
    assert records.shape == (50,)
    for column, name in enumerate(records.dtype.names):
        assert np.array_equal(records[name], states[:, column])
    assert list(records.dtype.names) == [
        *space.rules.board.squares,
        "home",
        "their_home",
        *(["fines"] if word.startswith("bell") else []),
    ]
    assert np.array_equal(layout.plain(records), states)
    difference = records["home"] - records["their_home"]
    assert difference.tolist() == [
        row[0] - row[1] for row in records[["home", "their_home"]].tolist()
    ]
    # as they come back from a data frame: other types, another order
    names = sorted(records.dtype.names)
    wide = np.zeros(50, dtype=[(name, np.int64) for name in names])
    for name in names:
        wide[name] = records[name]
    assert np.array_equal(layout.plain(wide), states)


def test_rows_of_another_layout_are_refused():
    layout = space_of(named_rules("finkel:2")).state_layout
    states, _ = some(space_of(named_rules("finkel:2")), 3)
    for records in (np.zeros(2, dtype=[("A4", "u2")]), None):
        with pytest.raises(InputError, match="expected those of the layout"):
            layout.plain(records)
    with pytest.raises(InputError, match=r"states of shape \(3, 4\)"):
        layout.structured(states[:, :4])
    states[1, 3] = 9
    with pytest.raises(IllegalPositionError, match="row 1: A4 has contents 0 to 1, not 9"):
        layout.notations(states)
    states[1, 3], states[1, -2] = 0, 3
    with pytest.raises(IllegalPositionError, match="row 1: it has more pieces at home"):
        layout.notations(states)
    assert layout.notations(states[:0]).tolist() == []
    with pytest.raises(InputError, match=r"is_dark of shape \(2,\), expected \(3,\)"):
        layout.notations(states, np.array([True, False]))
    for narrow in (states[:, :5], states[0]):
        with pytest.raises(InputError, match="states of shape"):
            layout.notations(narrow)


@pytest.mark.parametrize("word", ["finkel:2", "bell-stakes:1"])
def test_numbers_that_are_too_large_for_a_row_are_no_state(word):
    space = space_of(named_rules(word))
    states, _ = some(space, 3)
    for add in (1 << 16, -(1 << 16), 1 << 32):
        wide = states.astype(np.int64)
        wide[1, 3] += add
        assert space.rank_states(wide).tolist() == [
            *(int(space.rank_states(states[:1])[0]), -1, int(space.rank_states(states[2:])[0])),
        ]
        with pytest.raises(IllegalPositionError, match="row 1"):
            space.state_layout.notations(wide)
    for fractions in (states + 0.5, states.astype(str)):
        with pytest.raises(InputError, match="expected whole numbers"):
            space.rank_states(fractions)
    with pytest.raises(InputError, match="ranks of type float64, expected whole numbers"):
        space.unrank_states([1.5])
