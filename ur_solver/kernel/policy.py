"""Solving a block by policy iteration, where sweeps hardly contract.

A *policy* says which move is made after every throw. Under a policy the equations of a block are
linear and sparse, and are solved by factorisation, however long play stays in the block. Where a
move, or a choice before the throw, is worth more by the solution, the policy takes it, and the
equations are solved again (Howard, Dynamic Programming and Markov Processes, 1960; both sides
improve at once, as Pollatschek and Avi-Itzhak, Management Science 15, 1969, do).

Positions whose turns pass to each other are two equations in two unknowns. They are put into each
other, so that nothing is lost to rounding where nearly every throw passes.

Needs SciPy (the extra ``policy``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.errors import SolveError, missing_extra
from ur_solver.kernel._inputs import Inputs
from ur_solver.kernel._turns import Turns
from ur_solver.kernel.interface import Values
from ur_solver.kernel.rounding import NOISE
from ur_solver.space import Block

MOST_POLICY_POSITIONS = 1 << 17
"""Of a block: a factorisation takes some kilobytes a position."""

_MOST_ROUNDS = 100
"""The most improvements of the policy. As both sides change theirs at once, they might cycle."""

_OUTSIDE = -1
"""In place of a target: the move leaves the block, and its worth is known."""

_Floats = npt.NDArray[np.float64]
_Indices = npt.NDArray[np.int64]


class _Equations(NamedTuple):
    """A block as flat arrays; values are those above 1/2.

    The moves of a throw, the throws of a choice and the choices of a position lie next to each
    other. Throws that move nothing are in `passes` alone.
    """

    target: _Indices  # by move: the position that it leads to in the block, or _OUTSIDE
    factor: _Floats  # -1 where the turn passes on, or 1; 0 for a move that leaves the block
    worth: _Floats  # of a move that leaves the block
    first_move: _Indices  # by throw
    chance: _Floats
    choice: _Indices
    passes: _Floats  # by choice: the chance that the turn passes
    position: _Indices
    first_choice: _Indices  # by position
    image: _Indices  # the position in which the turn is passed

    def by_move(self, values: _Floats) -> _Floats:
        """What every move is worth."""
        return self.worth + self.factor * values[self.target]


def iterate_policies(turns: Turns, block: Block, values: Values, inputs: Inputs) -> Values:
    """The values of a block under optimal play, which must leave the block (`Turns.endless_rank`).

    The first policy is the best one by the given values, shape (block size,), near the solution;
    `inputs` has the values of other blocks that moves of this one lead to. SolveError if the block
    is too large, SciPy is missing, or no policy is optimal after many rounds.
    """
    short = f"block {block.index}: sweeps do not bring its values within the tolerance"
    if block.size > MOST_POLICY_POSITIONS:
        raise SolveError(
            f"{short}, and policy iteration serves blocks of at most {MOST_POLICY_POSITIONS:,} "
            f"positions, not {block.size:,}; ask for a larger tolerance"
        )
    try:
        from scipy.sparse import csc_array  # noqa: PLC0415 - an extra, which few rule sets need
        from scipy.sparse.linalg import splu  # noqa: PLC0415
    except ImportError:
        need = f"{short}, and policy iteration needs SciPy"
        raise SolveError(missing_extra(need, "policy", "scipy")) from None
    equations = _equations_of(turns, block, inputs)
    centred = values - 0.5
    for _ in range(_MOST_ROUNDS):
        chosen, moves = _policy(equations, centred)
        rows, columns, entries, right = _linear(equations, chosen, moves)
        matrix = csc_array((entries, (rows, columns)), shape=(block.size, block.size))
        solution = splu(matrix).solve(right)
        change = float(np.abs(solution - centred).max())
        centred = solution
        if not change > NOISE:
            break
    else:
        raise SolveError(
            f"block {block.index}: no policy is optimal after {_MOST_ROUNDS} improvements"
        )
    solved: Values = np.clip(centred + 0.5, 0.0, 1.0)
    return solved


def _equations_of(turns: Turns, block: Block, inputs: Inputs) -> _Equations:
    target: list[int] = []
    factor: list[float] = []
    worth: list[float] = []
    first_move: list[int] = []
    chance: list[float] = []
    choice: list[int] = []
    passes: list[float] = []
    position: list[int] = []
    first_choice: list[int] = []
    image: list[int] = []
    for number in range(block.size):
        rank = block.offset + number
        passed, choices = turns.successors(rank)
        image.append(passed - block.offset)
        first_choice.append(len(passes))
        for throws, (chances, always) in zip(choices, turns.chances(rank), strict=True):
            passing = always
            for moves, probability in zip(throws, chances, strict=True):
                if not moves:
                    passing += probability
                    continue
                first_move.append(len(target))
                chance.append(probability)
                choice.append(len(passes))
                for reached, is_turned in moves:
                    sign = -1.0 if is_turned else 1.0
                    is_inside = 0 <= reached - block.offset < block.size
                    value = 0.0 if reached < 0 or is_inside else inputs.value_of(reached)
                    target.append(reached - block.offset if is_inside else _OUTSIDE)
                    factor.append(sign if is_inside else 0.0)
                    worth.append(0.0 if is_inside else sign * (value - 0.5))
            passes.append(passing)
            position.append(number)
    return _Equations(
        target=np.array(target),
        factor=np.array(factor),
        worth=np.array(worth),
        first_move=np.array(first_move),
        chance=np.array(chance),
        choice=np.array(choice),
        passes=np.array(passes),
        position=np.array(position),
        first_choice=np.array(first_choice),
        image=np.array(image),
    )


def _policy(equations: _Equations, values: _Floats) -> tuple[_Indices, _Indices]:
    """The best policy by some values: for each position a choice, for each throw a move."""
    worth = equations.by_move(values)
    moves = _best(worth, equations.first_move)
    by_choice = np.zeros(len(equations.passes))
    np.add.at(by_choice, equations.choice, equations.chance * worth[moves])
    by_choice -= equations.passes * values[equations.image[equations.position]]
    return _best(by_choice, equations.first_choice), moves


def _best(worth: _Floats, first: _Indices) -> _Indices:
    """Where the largest number of each run is."""
    largest = np.maximum.reduceat(worth, first)
    run = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(worth))))
    places = np.flatnonzero(worth == largest[run])
    return places[np.searchsorted(run[places], np.arange(len(first)))]


def _linear(
    equations: _Equations, chosen: _Indices, moves: _Indices
) -> tuple[_Indices, _Indices, _Floats, _Floats]:
    """The equations under a policy: rows, columns and entries of the matrix, and the right side.

    With w and w' what the moves of a position and of its image are worth, and p and p' the
    chances of passing, x = w - p x' and x' = w' - p' x, so that (1 - p p') x = w - p w'.
    """
    is_chosen = np.zeros(len(equations.passes), dtype=bool)
    is_chosen[chosen] = True
    throws = np.flatnonzero(is_chosen[equations.choice])
    own = equations.position[equations.choice[throws]]
    move, chance = moves[throws], equations.chance[throws]
    moving = np.zeros(len(chosen))
    np.add.at(moving, own, chance)
    passes, image = equations.passes[chosen], equations.image
    scale = moving + passes * moving[image]
    constant = np.zeros(len(chosen))
    np.add.at(constant, own, chance * equations.worth[move])
    is_inside = equations.factor[move] != 0.0
    own, move, chance = own[is_inside], move[is_inside], chance[is_inside]
    entries = chance * equations.factor[move]
    numbers = np.arange(len(chosen))
    is_drawn = scale == 0.0
    return (
        np.concatenate([numbers, own, image[own]]),
        np.concatenate([numbers, equations.target[move], equations.target[move]]),
        np.concatenate([np.where(is_drawn, 1.0, scale), -entries, passes[image[own]] * entries]),
        constant - passes * constant[image],
    )
