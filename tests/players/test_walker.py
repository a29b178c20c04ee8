"""The compiled options of turns are those of the readable rules, in their order."""

from fractions import Fraction

import numpy as np
import pytest

from ur_solver.players.turns import AGAIN, CAPTURE, PASS, ROSETTE, WIN
from ur_solver.players.walker import Walker
from ur_solver.rules import CATALOGUE, Dice, named_rules
from ur_solver.rules.turns import turn

NAMES = list(CATALOGUE)


def random_states(walker: Walker, n: int, plies: int, seed: int) -> np.ndarray:
    """States on the way of random games, among them the start."""
    rng = np.random.default_rng(seed)
    rows = walker.start(n)
    found = [rows[:1]]
    for _ in range(plies):
        after = []
        for sayings, members in walker.kinds(rows):
            saying = sayings[int(rng.integers(len(sayings)))]
            chances = [chance for _, chance in saying.outcomes]
            drawn = rng.choice(len(chances), size=len(members), p=chances)
            throws = np.array([saying.outcomes[k][0] for k in drawn], dtype=np.int32)
            turns = walker.expand(rows[members], throws, np.full(len(members), saying.may, "u1"))
            chosen = turns.starts[:-1] + (rng.random(len(turns)) * turns.n_options).astype(int)
            after.append(turns.after[chosen[~turns.has(WIN)[chosen]]])
        rows = np.concatenate([*after, walker.start(1)])
        found.append(rows[rng.random(len(rows)) < 0.2])
    return np.concatenate(found)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pieces", [2, 4])
def test_options_are_the_readable_moves(name, pieces):
    assert_options_are_readable(Walker(named_rules(name, pieces)), seed=pieces)


@pytest.mark.parametrize("pieces", [1, 15])
def test_long_throws_and_many_pieces(pieces):
    chances = {throw: Fraction(6 - abs(throw - 7), 36) for throw in range(2, 13)}
    rules = named_rules("finkel", pieces).changed(name="far", dice=Dice.of("2d6", chances))
    assert_options_are_readable(Walker(rules), seed=pieces)


def assert_options_are_readable(walker: Walker, seed: int) -> None:
    path = walker.rules.path.light
    for row in random_states(walker, 12, 60, seed=seed)[:120]:
        position = walker.position(row)
        ((sayings, _),) = walker.kinds(row[np.newaxis])
        choices = turn(position)
        assert [saying.name for saying in sayings] == [choice.name for choice in choices]
        for saying, choice in zip(sayings, choices, strict=True):
            turns, chances = walker.every_throw(row[np.newaxis], saying)
            assert chances.sum() == pytest.approx(1)
            outcomes = by_throw(walker, position, choice)
            for k, (number, chance) in enumerate(saying.outcomes):
                assert chance == pytest.approx(float(sum(o.probability for o in outcomes[number])))
                readable = outcomes[number][0].moves
                options = range(turns.starts[k], turns.starts[k + 1])
                if not readable:
                    assert turns.flags[options].tolist() == [PASS]
                    passed = walker.space.encode(position.pass_turn())
                    assert turns.after[options[0]].tolist() == list(passed)
                    continue
                for i, move in zip(options, readable, strict=True):
                    assert (turns.source[i], turns.target[i]) == (move.source, move.target)
                    flags = int(turns.flags[i])
                    assert bool(flags & CAPTURE) == move.is_capture == (turns.taken[i] > 0)
                    assert bool(flags & AGAIN) == move.again
                    assert bool(flags & ROSETTE) == move.is_rosette
                    won = move.position.winner is not None
                    assert bool(flags & WIN) == won
                    if not won:
                        assert turns.after[i].tolist() == list(walker.space.encode(move.position))
                    assert move.target <= len(path)


def by_throw(walker, position, choice):
    """The outcomes of a choice by the number of the throw that moves."""
    candidate = min(position.numbers("L"), default=None)
    rolls = position.rules.mechanics.rolls(choice.name, candidate)
    found = {}
    for roll, outcome in zip(rolls, choice.outcomes, strict=True):
        number = walker.throws.index(roll.moves_by) if roll.moves_by in walker.throws else -1
        found.setdefault(number, []).append(outcome)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_chance_of_a_capture(name):
    walker = Walker(named_rules(name, 3))
    rows = random_states(walker, 12, 50, seed=5)[:100]
    expected = [
        max(
            float(
                sum(
                    outcome.probability
                    for outcome in choice.outcomes
                    if any(move.is_capture for move in outcome.moves)
                )
            )
            for choice in turn(walker.position(row))
        )
        for row in rows
    ]
    assert walker.capture_chances(rows) == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
def test_mirror_is_the_position_passed(name):
    walker = Walker(named_rules(name, 3))
    rows = random_states(walker, 12, 30, seed=9)[:50]
    passed = [list(walker.space.encode(walker.position(row).pass_turn())) for row in rows]
    assert walker.mirror(rows).tolist() == passed
    assert walker.n_mine(rows).sum(axis=1).tolist() == [
        walker.position(row).on_board("L") for row in rows
    ]
