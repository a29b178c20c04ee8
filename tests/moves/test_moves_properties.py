"""Invariants of moves, in random games and in random positions."""

import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ur_solver.rules import CATALOGUE, Position, Stakes, opponent
from ur_solver.rules.contents import number_of, side_of, split
from ur_solver.rules.turns import turn

pytestmark = pytest.mark.medium

MOVE_TEXT = re.compile(r"(\d?)([ABC](?:\d+|@))([ABC](?:\d+|\+))(x?)(\*?)( again| stop)?")
RULES = [
    *CATALOGUE.values(),
    CATALOGUE["bell"].changed(stakes=Stakes()),
    *(CATALOGUE[name].changed(extra_throw="may") for name in ("bell", "birds", "skiriuk", "ben")),
]


@st.composite
def rule_sets(draw):
    rules = draw(st.sampled_from(RULES))
    return rules.with_pieces(draw(st.integers(1, rules.pieces)))


@cache
def contents_on(rules, square):
    return rules.mechanics.contents_on(square)


@st.composite
def positions(draw):
    """A rule set and any position that it allows, reachable or not."""
    rules = draw(rule_sets())
    free = {side: set(range(1, rules.pieces + 1)) for side in "LD"}
    board = dict.fromkeys(rules.board.squares, "")
    for square in draw(st.permutations(rules.board.squares))[:12]:
        content = draw(st.sampled_from(contents_on(rules, square)))
        left = {side: set(numbers) for side, numbers in free.items()}
        fits = True
        for piece in split(content):
            side = side_of(piece)
            number = number_of(piece) if rules.mechanics.is_numbered else min(left[side], default=0)
            fits = fits and number in left[side]
            left[side].discard(number)
        if fits:
            board[square], free = content, left
    home = {
        side: tuple(number for number in sorted(numbers) if draw(st.booleans()))
        for side, numbers in free.items()
    }
    numbers = (home["L"], home["D"]) if rules.mechanics.is_numbered else ((), ())
    fines = draw(st.integers(0, 99)) if rules.stakes else 0
    position = Position(
        rules,
        tuple(board.values()),
        draw(st.sampled_from("LD")),
        len(home["L"]),
        len(home["D"]),
        numbers,
        fines,
    )
    if all(position.n_off(side) == rules.pieces for side in "LD"):
        position = rules.start()
    return rules, position


def check(rules, position):
    """The notation's invariants."""
    assert position.faults() == []
    text = position.notation
    assert rules.position(text) == position
    mirrored = position.mirror()
    assert mirrored.faults() == []
    assert mirrored.mirror() == position


def plies(rules, position):
    """Everything that can happen next, as comparable values that end with the position reached."""
    return sorted(
        (
            *(choice.name, outcome.throws),
            *(move.again, move.source, move.target, move.is_capture),
            move.position.notation,
        )
        for choice in turn(position)
        for outcome in choice.outcomes
        for move in outcome.moves
    )


def mirrored_plies(rules, position):
    return sorted(
        (*ply[:-1], rules.position(ply[-1]).mirror().notation) for ply in plies(rules, position)
    )


@pytest.mark.slow
@given(rule_sets(), st.randoms(use_true_random=False))
def test_random_games_keep_the_invariants(rules, dice):
    position = rules.start()
    for _ in range(60):
        check(rules, position)
        if position.winner is not None:
            assert turn(position) == ()
            break
        choices = turn(position)
        assert all(sum(o.probability for o in choice.outcomes) == 1 for choice in choices)
        outcome = dice.choice(dice.choice(choices).outcomes)
        off = {side: position.n_off(side) for side in "LD"}
        if not outcome.moves:
            position = position.pass_turn()
            continue
        move = dice.choice(outcome.moves)
        mover, other = position.side, opponent(position.side)
        assert (move.position.side == mover) == move.again
        gained = move.position.n_off(mover) - off[mover]
        assert gained == (move.target == len(rules.path))
        assert move.position.n_off(other) == off[other]
        assert move.is_capture == (move.position.home(other) > position.home(other))
        position = move.position


@given(positions())
def test_positions_survive_writing_and_mirroring(rules_and_position):
    check(*rules_and_position)


@given(positions())
def test_moves_lead_to_positions_that_obey_the_rules(rules_and_position):
    rules, position = rules_and_position
    for choice in turn(position):
        for outcome in choice.outcomes:
            texts = [move.text for move in outcome.moves]
            assert len(set(texts)) == len(texts)
            for move in outcome.moves:
                if move.position.winner is None:
                    check(rules, move.position)


@given(positions())
def test_a_move_is_written_as_it_is_made(rules_and_position):
    rules, position = rules_and_position
    path = rules.path.squares(position.side)
    for choice in turn(position):
        for outcome in choice.outcomes:
            for move in outcome.moves:
                number, start_, end, x, star, mark = MOVE_TEXT.fullmatch(move.text).groups()
                assert bool(number) == rules.mechanics.is_numbered
                assert start_ == (path[move.source] if move.source >= 0 else f"{path[0][0]}@")
                is_off = move.target == len(path)
                assert end == (f"{path[-1][0]}+" if is_off else path[move.target])
                assert bool(x) == move.is_capture
                assert bool(star) == (end in rules.rosettes)
                if mark:
                    assert rules.switches["extra_throw"] == "may"
                    assert move.again == (mark == " again")
                found = rules.find_move(position, outcome.throws[-1], move.text, choice.name)
                assert found == move


@given(positions())
def test_the_mirrored_position_has_the_mirrored_moves(rules_and_position):
    rules, position = rules_and_position
    if position.winner is None:
        assert plies(rules, position.mirror()) == mirrored_plies(rules, position)


@given(positions())
def test_no_moves_once_the_game_is_over(rules_and_position):
    rules, position = rules_and_position
    if position.winner is not None:
        assert not any(rules.legal_moves(position, throw) for throw in rules.dice.throws)
