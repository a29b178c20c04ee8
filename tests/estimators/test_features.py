from __future__ import annotations

import numpy as np
import pytest

from ur_solver.estimators.network import features_of
from ur_solver.rules import Position, named_rules
from ur_solver.rules.contents import DARK, LIGHT, split
from ur_solver.space import space_of

WORDS = ["finkel:7", "skiriuk:7", "ben:5", "birds:3", "murray:4", "casual:5", "bell-stakes:3"]


def read_features(position: Position) -> set[str]:
    """The features of a position with light to throw, read off its notation."""
    rules, found = position.rules, set()
    board = dict(zip(rules.board.squares, position.contents, strict=True))
    counts = {LIGHT: [], DARK: []}
    for square in rules.board.squares:
        pieces = split(board[square])
        for piece in pieces:
            counts[piece[0].upper()].append(piece[1:])
        if rules.mechanics.squares[square].is_stack:
            found |= {f"{square} {k}:{piece}" for k, piece in enumerate(reversed(pieces), 1)}
        else:
            found |= {
                f"{square} {piece}>={k}"
                for piece in pieces
                for k in range(1, pieces.count(piece) + 1)
            }
    for side in (LIGHT, DARK):
        if rules.mechanics.is_numbered:
            home = {str(n) for n in position.numbers(side)}
            every = {str(n) for n in range(1, rules.pieces + 1)}
            found |= {f"home {side}:{n}" for n in home}
            found |= {f"off {side}:{n}" for n in every - home - set(counts[side])}
        else:
            home = position.home(side)
            off = rules.pieces - home - len(counts[side])
            found |= {f"home {side}>={k}" for k in range(1, home + 1)}
            found |= {f"off {side}>={k}" for k in range(1, off + 1)}
    return found


def read_wide_features(position: Position) -> set[str]:
    """What wide features say besides, read off the notation."""
    rules, found, tops = position.rules, set(), {}
    squares = rules.board.squares
    for square, content in zip(squares, position.contents, strict=True):
        pieces = split(content)
        if rules.mechanics.squares[square].is_stack:
            tops[square] = pieces[-1] if pieces else ""
            found |= {f"{square} {k}:{pieces[-k]}{pieces[-k - 1]}" for k in range(1, len(pieces))}
            if len(pieces) >= 2:
                found.add(f"{square} {content}")
        else:
            tops[square] = "".join(letter for letter in "LDld" if letter in content)
    for path in (rules.path.light, rules.path.dark):
        for k, one in enumerate(path):
            for other in path[k + 1 : k + 5]:
                first, second = sorted((one, other), key=squares.index)
                if tops[first] and tops[second] and first != second:
                    found.add(f"{first} {tops[first]} {second} {tops[second]}")
    return found


@pytest.mark.parametrize("is_wide", [False, True])
@pytest.mark.parametrize("word", WORDS)
def test_they_say_what_the_notation_says(word, is_wide):
    rules = named_rules(word)
    features, space = features_of(rules, is_wide), space_of(rules)
    rows = space.unrank_states(np.random.default_rng(1).integers(0, space.n_values, 60))
    for row, inputs in zip(rows, features.of(rows), strict=True):
        position = space.decode(row.tolist())
        names = {name for name, each in zip(features.names, inputs, strict=True) if each == 1}
        wanted = read_features(position) | (read_wide_features(position) if is_wide else set())
        assert names == wanted, position.notation


def test_names_are_all_different_and_in_order():
    for word in WORDS:
        assert len(set(features_of(named_rules(word)).names)) == len(features_of(named_rules(word)))
        wide = features_of(named_rules(word), True).names
        assert len(set(wide)) == len(wide) > len(features_of(named_rules(word)))
    names = features_of(named_rules("skiriuk:2")).names
    assert names[:5] == ("A1 L>=1", "A2 1:L", "A2 2:L", "A3 L>=1", "A4 1:L")
    assert names[-4:] == ("off L>=1", "off L>=2", "off D>=1", "off D>=2")


def test_features_show_the_order_of_a_stack():
    rules = named_rules("skiriuk:3")
    below, above = "....__../..(LD)...../....__.. L 2 2", "....__../..(DL)...../....__.. L 2 2"
    rows = np.array([space_of(rules).encode(rules.position(text)) for text in (below, above)])
    one, other = features_of(rules).of(rows)
    names = features_of(rules).names
    assert {names[k] for k in np.flatnonzero(one)} - {names[k] for k in np.flatnonzero(other)} == {
        "B3 1:D",
        "B3 2:L",
    }


def test_a_fine_is_a_share_of_the_pot():
    rules = named_rules("bell-stakes:1")
    row = np.array([space_of(rules).encode(rules.position("....__../......../....__.. L 1 1 p4"))])
    # antes of 10, four fines of 1 and one more
    assert features_of(rules).of(row)[0, -1] == pytest.approx(1 / 25)
