"""Lengths of games: exact fractions by the readable rules, and the proof that a table makes."""

from __future__ import annotations

import dataclasses
import random
from fractions import Fraction

import h5py
import numpy as np
import pytest

import ur_solver as ur
from tests.oracles.exact import exact_values
from tests.oracles.lengths import exact_lengths
from tests.test_exact import all_positions
from ur_solver.api.lengths import open_lengths
from ur_solver.api.table import Table
from ur_solver.blocks.folder import BlockRecord, BlockResult
from ur_solver.errors import (
    CertificateError,
    DamagedTableError,
    InputError,
    MemoryLimitError,
    MissingTableError,
    ObjectiveError,
    OutputError,
    UnsolvableError,
)
from ur_solver.moves import WIN
from ur_solver.players.policies import first_best
from ur_solver.rules import Dice, named_rules
from ur_solver.rules.turns import choice_value, final_value, move_value, turn
from ur_solver.space import space_of
from ur_solver.study.exact_play import evaluate
from ur_solver.study.lengths import check_lengths, proven_error, solve_lengths, verify_lengths
from ur_solver.study.match import play
from ur_solver.table.format import LENGTH, LONGEST, OBJECTIVES
from ur_solver.table.reader import TableFile
from ur_solver.table.writer import TableWriter

pytestmark = pytest.mark.medium

FINKEL = named_rules("finkel:1")


@pytest.fixture
def lengths_of(tmp_path, solved):
    """Makes tables of lengths, and opens them."""
    opened = []

    def made(rules, objective=LONGEST):
        path = tmp_path / f"{len(opened)}.h5"
        if objective == LENGTH:
            with Table(solved(rules)) as table:
                solve_lengths(rules, objective, path, table)
        else:
            solve_lengths(rules, objective, path)
        opened.append(ur.Lengths(path))
        return opened[-1]

    yield made
    for each in opened:
        each.close()


def check_exact(lengths, positions, value=None):
    exact = exact_lengths(positions, value)
    for position, length in exact.items():
        # the table proves this much, and no test has to trust it
        assert abs(Fraction(lengths.length(position)) - length) <= lengths.error(position)
    return exact


@pytest.mark.parametrize("name", ["finkel", "four-again", "casual-roll-again", "birds"])
def test_one_piece_in_fractions(name, lengths_of, solved):
    rules = named_rules(name, 1)
    positions = all_positions(rules)
    longest = check_exact(lengths_of(rules), positions)
    with Table(solved(rules)) as table:
        values = exact_values(rules, positions, table.value).values
    played = check_exact(lengths_of(rules, LENGTH), positions, values.__getitem__)
    assert all(played[position] <= length for position, length in longest.items())


@pytest.mark.parametrize("name", ["finkel", "bell"])
def test_endings_of_two_pieces_in_fractions(name, lengths_of, solved):
    rules = named_rules(name, 2)
    space = space_of(rules)
    # moves lead to earlier blocks only, so the first ones are a game of their own
    end = max(each.offset for each in space.blocks if each.offset <= 130)
    positions = [space.unrank(rank) for rank in range(end)]
    assert len(positions) > 100
    check_exact(lengths_of(rules), positions)
    with Table(solved(rules)) as table:
        values = exact_values(rules, positions, table.value).values
    check_exact(lengths_of(rules, LENGTH), positions, values.__getitem__)


def one_step(position, length):
    """1 more than the mean of the longest moves, in fractions."""
    if final_value(position) is not None:
        return Fraction(0)
    means = []
    for choice in turn(position):
        mean = Fraction(1)
        for outcome in choice.outcomes:
            after = [move.position for move in outcome.moves] or [position.pass_turn()]
            mean += outcome.probability * max(map(length, after))
        means.append(mean)
    return max(means)


def check_bounds(lengths, positions):
    """The residual that a table states holds in fractions, which is all that its proof needs."""
    residual = Fraction(lengths.file.header.residual)
    for position in positions:
        stored = Fraction(lengths.length(position))
        found = one_step(position, lambda each: Fraction(lengths.length(each)))
        assert abs(found - stored) <= residual, position.notation


@pytest.mark.parametrize("name", ["finkel", "conventional", "casual"])
def test_two_pieces_are_proven_in_fractions(name, lengths_of):
    rules = named_rules(name, 2)
    space = space_of(rules)
    drawn = random.Random(1).sample(range(space.n_values), 40)
    positions = [rules.start(), *(space.unrank(rank) for rank in drawn)]
    check_bounds(lengths_of(rules), positions)


@pytest.mark.long
def test_all_positions_of_finkel_2_are_proven_in_fractions(lengths_of):
    rules = named_rules("finkel:2")
    check_bounds(lengths_of(rules), all_positions(rules))


def first_of_the_best(options, worths):
    """The first of the options that are worse than the best by 1e-9 at most."""
    least = max(worths) - 1e-9
    return next(each for each, worth in zip(options, worths, strict=True) if worth >= least)


def expected_length(position, length, value=None):
    """1 more than the mean of the successors' lengths, 0 once the game is over or drawn.

    Both sides play for the longest game, or if there is a value their best by it.
    """
    if final_value(position) is not None:
        return 0.0
    choices = turn(position)
    if value is not None:
        choices = [first_of_the_best(choices, [choice_value(position, e, value) for e in choices])]
    lengths = []
    for choice in choices:
        mean = 0.0
        for outcome in choice.outcomes:
            moves = outcome.moves
            if value is not None and moves:
                moves = [first_of_the_best(moves, [move_value(move, value) for move in moves])]
            reached = [move.position for move in moves] or [position.pass_turn()]
            longest = max(0.0 if each.winner else length(each) for each in reached)
            mean += float(outcome.probability) * longest
        lengths.append(mean)
    return 1 + max(lengths)


@pytest.mark.parametrize("word", ["finkel:2", "birds:1"])
def test_the_readable_rules_define_the_same(word, lengths_of, solved):
    rules = named_rules(word)
    space = space_of(rules)
    positions = [space.unrank(k) for k in random.Random(2).sample(range(space.n_values), 60)]
    longest, played = lengths_of(rules), lengths_of(rules, LENGTH)
    with Table(solved(rules)) as table:
        for position in positions:
            assert expected_length(position, longest.length) == pytest.approx(
                longest.length(position), abs=1e-9
            )
            assert expected_length(position, played.length, table.value) == pytest.approx(
                played.length(position), abs=1e-9
            )


@pytest.mark.parametrize(("name", "pieces"), [("finkel", 2), ("casual", 2), ("birds", 1)])
def test_best_play_is_as_long_as_its_evaluation_says(name, pieces, lengths_of, solved):
    rules = named_rules(name, pieces)
    with Table(solved(rules)) as table:
        expected = evaluate(table).throws.value
    assert lengths_of(rules, LENGTH).length(rules.start()) == pytest.approx(expected, abs=1e-8)


def test_games_played_for_length_are_as_long(lengths_of):
    rules = named_rules("finkel:2")
    lengths = lengths_of(rules)

    class Longest:
        def weights(self, turns):
            found = np.zeros(len(turns.after))
            goes_on = ~turns.has(WIN)
            found[goes_on] = lengths.lengths(turns.after[goes_on])
            return first_best(found, turns)

    throws = play(rules, Longest(), Longest(), 1000, seed=1).throws
    error = throws.std() / np.sqrt(len(throws))
    assert abs(throws.mean() - lengths.length(rules.start())) < 4 * error < 10


def test_one_piece_of_finkel_as_another_program_has_it(lengths_of):
    # there are no choices with one piece
    assert lengths_of(FINKEL).length(FINKEL.start()) == pytest.approx(17.0619, abs=5e-5)


def test_a_game_without_end_is_refused(tmp_path):
    fives = dataclasses.replace(FINKEL, dice=Dice.of("fives", {5: Fraction(1)}))
    with pytest.raises(UnsolvableError, match=r"finkel: play may go on for ever from '[.LD_/]+ L"):
        solve_lengths(fives, LONGEST, tmp_path / "fives.h5")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "chances",
    [
        {0: Fraction(1, 3), 5: Fraction(2, 3)},
        {2: Fraction(1)},
        {1: Fraction(1, 3), 3: Fraction(2, 3)},
    ],
)
def test_unusual_dice(chances, lengths_of):
    # thirds are no floats; with twos alone both pieces get stuck, and no more throws are counted
    rules = dataclasses.replace(FINKEL, dice=Dice.of("unusual", chances))
    lengths = lengths_of(rules)
    exact = check_exact(lengths, [rules.start()])
    if 2 in chances:
        stuck = rules.position("....__L./......../....__D. L 0 0")
        assert exact[stuck] == lengths.length(stuck) == 0


def test_a_verification_proves_it_again(lengths_of, solved):
    for objective in (LONGEST, LENGTH):
        lengths = lengths_of(FINKEL, objective)
        with Table(solved(FINKEL)) as table:
            found = verify_lengths(lengths.file, table)
        assert found.error == lengths.max_error > 0
        assert found.positions == 217


def test_a_wrong_length_is_found(lengths_of, tmp_path):
    file = lengths_of(FINKEL).file
    path = tmp_path / "wrong.h5"
    with TableWriter(path, FINKEL, tolerance=0.0, objective=LONGEST) as writer:
        for row in file.blocks:
            values = file.read_block(int(row["index"])).copy()
            if row["index"] == 5:
                values[7] += 1e-9
            writer.add(BlockResult(BlockRecord.of(row), values))
        writer.finish(seconds=0.0)
    with TableFile(path, OBJECTIVES) as table, pytest.raises(DamagedTableError, match="block 5"):
        verify_lengths(table)


@pytest.mark.parametrize("objective", ["win", "shortest", "length"])
def test_an_objective_that_was_changed_is_damage(objective, lengths_of):
    lengths = lengths_of(FINKEL)
    lengths.close()
    with h5py.File(lengths.path, "r+") as file:
        file.attrs["objective"] = np.bytes_(objective.encode())
    with pytest.raises(DamagedTableError, match=r"objective is|digest"):
        TableFile(lengths.path, OBJECTIVES)


def test_nothing_is_proven_by_a_residual_of_a_throw():
    with pytest.raises(CertificateError, match="nothing is proven"):
        proven_error(1.0, np.ones(3))
    assert proven_error(0.5, np.array([1.0, 2.0])) == pytest.approx(2.0)


def test_what_has_no_lengths(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="expected 'length' or 'length-max'"):
        check_lengths(FINKEL, "win")
    with pytest.raises(InputError, match="has stakes"):
        check_lengths(named_rules("bell-stakes:1"), LONGEST)
    with pytest.raises(InputError, match="needs the values"):
        solve_lengths(FINKEL, LENGTH, tmp_path / "x.h5")
    monkeypatch.setattr("ur_solver.study.lengths.free_memory", lambda: 1000)
    with pytest.raises(MemoryLimitError, match="GiB are free"):
        check_lengths(FINKEL, LONGEST)


def test_tables_of_lengths_are_not_taken_for_chances(lengths_of, solved):
    lengths = lengths_of(FINKEL)
    with pytest.raises(ObjectiveError, match="has the objective 'length-max', not 'win'"):
        ur.Table(lengths.path)
    with pytest.raises(ObjectiveError, match="has the objective 'win'"):
        ur.Lengths(solved(FINKEL))
    with pytest.raises(
        ObjectiveError, match=r"not 'length'; .* read it with --objective length-max"
    ):
        open_lengths(str(lengths.path), LENGTH)


def test_lengths_in_python(tmp_path, monkeypatch):
    monkeypatch.setenv("UR_TABLES", str(tmp_path))
    with pytest.raises(MissingTableError, match="'ur solve finkel -n 1 --objective length' makes"):
        open_lengths("finkel:1", LENGTH)
    seen = []
    with ur.solve_lengths(
        "finkel:1", progress=lambda done, total: seen.append((done, total))
    ) as lengths:
        assert lengths.path == tmp_path / "finkel-1-length-max.h5"
        assert seen[-1] == (217, 217)
        start, won = lengths.rules.start(), "......../......../........ L 0 0"
        assert lengths.lengths([start, start.notation]).tolist() == [lengths.length(start)] * 2
        assert (lengths.length(start.mirror()), lengths.objective) == (
            lengths.length(start),
            LONGEST,
        )
        assert repr(lengths).endswith("finkel-1-length-max.h5': length-max of finkel:1)")
        over = next(
            move.position
            for throw in (1, 2, 3, 4)
            for each in all_positions(FINKEL)
            for move in FINKEL.legal_moves(each, throw)
            if move.position.winner
        )
        assert (lengths.length(over), lengths.error(over)) == (0.0, 0.0), won
        moves = lengths.moves("L...__../..D...../....__.. L 0 0", 2)
        assert [each.move.text for each in moves] == ["A1B2"]
    with ur.solve_lengths("finkel:1", progress=lambda *_: pytest.fail("solved again")) as again:
        assert again.path == lengths.path
    with pytest.raises(InputError, match=r"one file, which ends in \.h5"):
        ur.solve_lengths("finkel:1", path=tmp_path / "folder")
    with pytest.raises(OutputError, match="lengths of finkel with 1 piece"):
        ur.solve_lengths("masters:1", path=lengths.path)
    with ur.solve_lengths("finkel:1", "length", force=True) as played:
        assert played.objective == LENGTH
    assert {each.name for each in tmp_path.iterdir()} == {
        "finkel-1.h5",
        "finkel-1-length.h5",
        "finkel-1-length-max.h5",
    }
