"""The compiled options of turns are those of the readable rules, in their order."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.golden import each_kind
from tests.paths import random_paths
from ur_solver.moves import AGAIN, CAPTURE, OPTIONAL, PASS, ROSETTE, WIN, MoveGenerator
from ur_solver.rules import CATALOGUE, RuleSet, named_rules
from ur_solver.rules.board import Dice
from ur_solver.rules.turns import turn

pytestmark = pytest.mark.medium

NAMES = each_kind(CATALOGUE)


def random_states(generator: MoveGenerator, n: int, plies: int, seed: int) -> np.ndarray:
    """States on the way of random games, among them the start."""
    rng = np.random.default_rng(seed)
    rows = generator.start(n)
    found = [rows[:1]]
    for _ in range(plies):
        after = []
        for choices, members in generator.by_choices(rows):
            choice = choices[int(rng.integers(len(choices)))]
            chances = [chance for _, chance in choice.outcomes]
            drawn = rng.choice(len(chances), size=len(members), p=chances)
            throws = np.array([choice.outcomes[k][0] for k in drawn], dtype=np.int32)
            turns = generator.successors(
                rows[members], throws, np.full(len(members), choice.may, "u1")
            )
            chosen = turns.starts[:-1] + (rng.random(len(turns)) * turns.n_options).astype(int)
            after.append(turns.after[chosen[~turns.has(WIN)[chosen]]])
        rows = np.concatenate([*after, generator.start(1)])
        found.append(rows[rng.random(len(rows)) < 0.2])
    return np.concatenate(found)


@pytest.mark.parametrize("name", NAMES)
def test_every_position_with_one_piece(name):
    generator = MoveGenerator(named_rules(name, 1))
    space = generator.space
    ranks = np.arange(space.n_positions) * space.values_per_position
    assert_moves_are_the_readable_ones(generator, space.unrank_states(ranks + space.reach))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pieces", [pytest.param(2, marks=pytest.mark.memory), 4, None])
def test_options_are_the_readable_moves(name, pieces):
    generator = MoveGenerator(named_rules(name, pieces) if pieces else CATALOGUE[name])
    assert_moves_are_the_readable_ones(generator, random_states(generator, 12, 60, seed=2)[:80])


@pytest.mark.memory
@pytest.mark.parametrize("pieces", [1, 15])
def test_long_throws_and_many_pieces(pieces):
    chances = {throw: Fraction(6 - abs(throw - 7), 36) for throw in range(2, 13)}
    rules = named_rules("finkel", pieces).changed(name="far", dice=Dice.of("2d6", chances))
    generator = MoveGenerator(rules)
    assert_moves_are_the_readable_ones(generator, random_states(generator, 12, 60, seed=2)[:80])


@pytest.mark.memory
@given(random_paths(), st.sampled_from([{0: 1, 2: 1}, {1: 2, 3: 1}]), st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_options_on_any_path_with_any_dice(path, weights, pieces):
    chances = {throw: Fraction(each, sum(weights.values())) for throw, each in weights.items()}
    generator = MoveGenerator(RuleSet("random", path, Dice.of("odd", chances), pieces))
    assert_moves_are_the_readable_ones(generator, random_states(generator, 3, 30, seed=pieces)[:20])


def assert_moves_are_the_readable_ones(generator, rows):
    for row in rows:
        position = generator.position(row)
        ((choices, _),) = generator.by_choices(row[np.newaxis])
        readable = turn(position)
        assert [choice.name for choice in choices] == [choice.name for choice in readable]
        for choice, expected in zip(choices, readable, strict=True):
            assert_choice_is_the_readable_one(generator, row, position, choice, expected)


def assert_choice_is_the_readable_one(generator, row, position, choice, expected):
    turns = generator.every_throw(row[np.newaxis], choice)
    assert sum(chance for _, chance in choice.outcomes) == pytest.approx(1)
    outcomes = by_throw(generator, position, expected)
    for k, (number, chance) in enumerate(choice.outcomes):
        assert chance == pytest.approx(float(sum(o.probability for o in outcomes[number])))
        moves = outcomes[number][0].moves
        options = range(turns.starts[k], turns.starts[k + 1])
        single = [] if number < 0 else generator.compiled.moves(row.tobytes(), number, choice.may)
        assert len(single) == len(moves)
        if not moves:
            assert turns.flags[options].tolist() == [PASS]
            passed = generator.space.encode(position.pass_turn())
            assert turns.after[options[0]].tolist() == list(passed)
            continue
        for i, move, one in zip(options, moves, single, strict=True):
            assert (turns.source[i], turns.target[i]) == (move.source, move.target)
            assert generator.tables.movers[turns.mover[i]].source == move.source
            flags = int(turns.flags[i])
            assert bool(flags & CAPTURE) == move.is_capture == (turns.taken[i] > 0)
            assert bool(flags & AGAIN) == move.again
            assert bool(flags & ROSETTE) == move.is_rosette
            choice_of = [m for m in moves if (m.source, m.target) == (move.source, move.target)]
            choice_of = [m for m in choice_of if m.text.split()[0] == move.text.split()[0]]
            assert bool(flags & OPTIONAL) == (len(choice_of) > 1)
            won = move.position.winner is not None
            assert bool(flags & WIN) == won
            after = np.array([*generator.space.encode(move.position)], row.dtype)
            assert turns.after[i].tolist() == (row if won else after).tolist()
            assert one == (turns.mover[i], move.target, flags, after.tobytes())


@pytest.mark.memory
def test_what_does_not_fit_is_refused():
    generator = MoveGenerator(CATALOGUE["finkel"])
    rows, throws = generator.start(3), np.array([0, 1, -1], dtype=np.int32)
    assert generator.throws == (1, 2, 3, 4)
    turns = generator.successors(rows, throws)
    assert turns.n_options.tolist() == [1, 1, 1]
    assert turns.source.tolist() == [-1, -1, -1]
    assert turns.target.tolist() == [0, 1, -1]
    with pytest.raises(ValueError, match="3 states, 2 throws, 3 choices"):
        generator.successors(rows, throws[:2])
    with pytest.raises(ValueError, match="throw 4; their numbers end at 3"):
        generator.successors(rows, throws + 3)
    with pytest.raises(ValueError, match="states of 21 numbers"):
        generator.successors(rows[:, 1:], throws)


def by_throw(generator, position, choice):
    """The outcomes of a choice by the number of the throw that moves."""
    candidate = min(position.numbers("L"), default=None)
    rolls = position.rules.mechanics.rolls(choice.name, candidate)
    found = {}
    for roll, outcome in zip(rolls, choice.outcomes, strict=True):
        number = generator.throws.index(roll.moves_by) if roll.moves_by in generator.throws else -1
        found.setdefault(number, []).append(outcome)
    return found


@pytest.mark.memory
@pytest.mark.parametrize("name", NAMES)
def test_chance_of_a_capture(name):
    generator = MoveGenerator(named_rules(name, 3))
    rows = random_states(generator, 12, 50, seed=5)[:100]
    expected = [
        max(
            float(
                sum(
                    outcome.probability
                    for outcome in choice.outcomes
                    if any(move.is_capture for move in outcome.moves)
                )
            )
            for choice in turn(generator.position(row))
        )
        for row in rows
    ]
    assert generator.capture_chances(rows) == pytest.approx(expected)


@pytest.mark.memory
@pytest.mark.parametrize("name", NAMES)
def test_mirror_is_the_position_passed(name):
    generator = MoveGenerator(named_rules(name, 3))
    rows = random_states(generator, 12, 30, seed=9)[:50]
    passed = [list(generator.space.encode(generator.position(row).pass_turn())) for row in rows]
    assert generator.mirror(rows).tolist() == passed
    assert generator.n_mine(rows).sum(axis=1).tolist() == [
        generator.position(row).on_board("L") for row in rows
    ]
