"""The race family's moves as plain arrays, for compiled code and for replaying games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ur_solver.rules import RuleSet, mirror_square
from ur_solver.space.race import RaceSpace


@dataclass(frozen=True)
class MoveTables:
    """The moves of a rule set of the race family.

    Attributes
    ----------
    my_cell, their_cell : uint8, shape (path length,)
        The square, as a cell of a state row, of a path index of mine and of theirs.
    my_code, their_code : uint8, shape (path length,)
        The content code of a piece there.
    is_rosette : uint8, shape (path length,)
        Whether a path index of mine is a rosette.
    mirror_cell : uint8, shape (squares,)
        The cell across the board.
    chance : float64, shape (throws,)
        The probability of each throw, 0 upwards.
    safe_rosettes, extra_on_rosette, extra_on_capture : bool
    extra_on_throw : int
        -1 if there is none.
    """

    my_cell: npt.NDArray[np.uint8]
    their_cell: npt.NDArray[np.uint8]
    my_code: npt.NDArray[np.uint8]
    their_code: npt.NDArray[np.uint8]
    is_rosette: npt.NDArray[np.uint8]
    mirror_cell: npt.NDArray[np.uint8]
    chance: npt.NDArray[np.float64]
    safe_rosettes: bool
    extra_on_rosette: bool
    extra_on_capture: bool
    extra_on_throw: int


def move_tables(space: RaceSpace) -> MoveTables:
    """The move tables of a space's rule set."""
    rules: RuleSet = space.rules
    layout = space.layout
    cell = {square: k for k, square in enumerate(rules.board.squares)}
    mine = [layout.place(index, mine=True) for index in range(len(rules.path))]
    theirs = [layout.place(index, mine=False) for index in range(len(rules.path))]
    switches, throw = rules.switches, rules.switches["extra_on_throw"]
    return MoveTables(
        my_cell=np.array([cell[square] for square, _ in mine], dtype=np.uint8),
        their_cell=np.array([cell[square] for square, _ in theirs], dtype=np.uint8),
        my_code=np.array([code for _, code in mine], dtype=np.uint8),
        their_code=np.array([code for _, code in theirs], dtype=np.uint8),
        is_rosette=np.array([square in rules.rosettes for square, _ in mine], dtype=np.uint8),
        mirror_cell=np.array([cell[mirror_square(square)] for square in cell], dtype=np.uint8),
        chance=np.array([float(chance) for chance in rules.dice.probabilities]),
        safe_rosettes=switches["safe_rosettes"],
        extra_on_rosette=switches["extra_on_rosette"],
        extra_on_capture=switches["extra_on_capture"],
        extra_on_throw=-1 if throw is None else throw,
    )
