"""The kernels' own move generation against the readable moves.

What the kernels are asked for is where moves lead; how often the dice show a throw is the
rule set's to say.
"""

from collections import Counter

import numpy as np
import pytest

from tests.golden import CHANCES, each_kind
from tests.perft_records import records
from ur_solver.kernel.kernels import kernel_of
from ur_solver.moves import move_tables
from ur_solver.rules import CATALOGUE, DARK, LIGHT
from ur_solver.rules.turns import turn
from ur_solver.space import space_of

pytestmark = pytest.mark.medium

SIDES = (LIGHT, DARK)


class CompiledPlies:
    """The plies of a space by the generic kernel."""

    def __init__(self, rules):
        self.rules, self.space = rules, space_of(rules)
        self.kernel = kernel_of(self.space).turns
        self.throws = move_tables(self.space).throws.tolist()

    def of(self, rank):
        """After each choice and roll: the ranks reached (-1 if won), and who throws there."""
        passed, choices = self.kernel.successors(rank)
        position = self.space.unrank(rank)
        candidate = min(position.numbers(LIGHT), default=None)
        names = self.rules.mechanics.choices(position.home(LIGHT), position.on_board(LIGHT))
        assert len(names) == len(choices)
        for choice, by_throw in zip(names, choices, strict=True):
            rolls = self.rules.mechanics.rolls(choice, candidate)
            moved = {roll.moves_by for roll in rolls if roll.moves_by in self.throws}
            shown = {self.throws[n] for n, moves in enumerate(by_throw) if moves is not None}
            assert moved == shown
            for roll in rolls:
                moves = []
                if roll.moves_by in moved:
                    moves = by_throw[self.throws.index(roll.moves_by)]
                yield choice, roll.throws, moves or [(passed, True)]

    def perft(self, position, depth):
        """The numbers of sequences and positions; no sequence may end the game."""
        reached = Counter({(self.space.rank(position), SIDES.index(position.side)): 1})
        for _ in range(depth):
            following = Counter()
            for (rank, side), ways in reached.items():
                for _, _, moves in self.of(rank):
                    for after, is_turned in moves:
                        assert after >= 0
                        following[after, side ^ is_turned] += ways
            reached = following
        return reached.total(), len(reached)


@pytest.mark.parametrize(("name", "text", "depth", "counts"), list(records(CHANCES)))
def test_perft(name, text, depth, counts):
    rules = CATALOGUE[name]
    assert CompiledPlies(rules).perft(rules.position(text), depth) == counts


@pytest.mark.parametrize("name", each_kind(CHANCES))
@pytest.mark.parametrize("pieces", [pytest.param(1, marks=pytest.mark.memory), 2, 3, None])
def test_every_ply_leads_where_the_readable_one_does(name, pieces):
    rules = CATALOGUE[name] if pieces is None else CATALOGUE[name].with_pieces(pieces)
    compiled = CompiledPlies(rules)
    space = compiled.space
    for rank in np.random.default_rng(5).integers(0, space.n_positions, 25).tolist():
        position = space.unrank(rank)
        expected = [
            (choice.name, outcome.throws, sorted(steps(space, position, outcome)))
            for choice in turn(position)
            for outcome in choice.outcomes
        ]
        found = [(choice, throws, sorted(moves)) for choice, throws, moves in compiled.of(rank)]
        assert found == expected, position.notation


def steps(space, position, outcome):
    for after in [move.position for move in outcome.moves] or [position.pass_turn()]:
        is_won = after.winner is not None
        yield (-1 if is_won else space.rank(after), after.side != position.side)
