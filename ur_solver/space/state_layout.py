"""The layout of encoded states: what each number of a row means, and rows as notation.

A row has a number for each square of the board, in the order of `Board.squares`; then the pieces
at home of the side about to throw, and of the other; with stakes the fines paid besides. It is seen
by the side about to throw, whose pieces are ``L`` and whose row is A. The number of a square is
that of its contents in `StateLayout.contents`. Pieces at home are a count or, where they are
numbered, a sum of 2 ** (number - 1).

docs/file-formats.md says in which order contents are numbered. A layout whose numbers mean
anything else will have another `VERSION`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ur_solver.errors import IllegalPositionError, InputError, WrongTypeError
from ur_solver.rules.position import MAX_FINES, content_text
from ur_solver.space._state_texts import StateTexts, as_strings, read_texts, write_texts

if TYPE_CHECKING:
    from ur_solver.space.base import Space
    from ur_solver.space.tiles import TileSpace

VERSION = 1
"""Of the layout; the same for every rule set."""

_BOARD = {"_": -1, "/": -2}


def rows_of(states: npt.ArrayLike, dtype: np.dtype[Any], width: int) -> npt.NDArray[Any]:
    """Encoded states as contiguous rows of a type.

    A row with a number that the type does not hold becomes one of its largest number, which is no
    state.

    Raises
    ------
    WrongTypeError
        If they are not whole numbers, or no rows of that width.
    """
    try:
        found = np.asarray(states)
    except ValueError as error:
        raise WrongTypeError(f"{states!r:.60} is not an array of encoded states: {error}") from None
    if found.ndim != 2 or found.shape[1] != width:
        raise WrongTypeError(f"states of shape {found.shape}, expected (n, {width})")
    if found.dtype.kind not in "iu":
        raise WrongTypeError(f"states of type {found.dtype}, expected whole numbers")
    rows = np.ascontiguousarray(found, dtype=dtype)
    if found.dtype == dtype or not found.size:
        return rows
    most, is_signed = np.iinfo(dtype).max, found.dtype.kind == "i"
    if found.max() > most or (is_signed and found.min() < 0):
        rows[((found < 0) | (found > most)).any(axis=1)] = most
    return rows


class StateLayout:
    """The layout of the encoded states of one rule set; thread safe.

    Attributes
    ----------
    version : int
        Two layouts of the same rule set and version are equal.
    contents : mapping of str to tuple of str
        For each square, in the order of a row, what it may hold, by number. Pieces are written as
        in the notation, from the bottom up; the empty text comes first.
    dtype : numpy dtype
        A row as a structure: a field for each square, then ``home`` and ``their_home``, with stakes
        ``fines``.
    number_type : numpy dtype
        Of a row's numbers.
    width : int
        How many numbers a row has.

    Examples
    --------
    >>> import ur_solver as ur
    >>> table = ur.solve("finkel:3")
    >>> table.layout.contents["B1"]
    ('', 'D', 'L')
    >>> states = table.encode(["L...__../..D...../....__.. L 2 1"])
    >>> found = table.layout.structured(states)
    >>> found["A1"].tolist(), found["B3"].tolist(), found["their_home"].tolist()
    ([1], [1], [1])
    """

    version = VERSION

    def __init__(self, space: Space, positions: TileSpace) -> None:
        self.contents: Mapping[str, tuple[str, ...]] = MappingProxyType(
            dict(zip(positions.squares, positions.contents, strict=True))
        )
        has_fines = space.rules.payoff.has_fines
        self._names = names = [
            *self.contents,
            "home",
            "their_home",
            *(["fines"] if has_fines else []),
        ]
        self.dtype = np.dtype([(name, space.state_dtype) for name in names])
        self.number_type = space.state_dtype
        self.width = len(names)
        cells = iter(range(len(self.contents)))
        rows = "/".join(space.rules.board.rows)
        board = [next(cells) if kind == "." else _BOARD[kind] for kind in rows]
        stock = positions.stock
        homes = [
            "".join(map(str, stock.numbers(each))) or "-" if stock.is_numbered else str(each)
            for each in range(stock.size)
        ]
        texts = [*(map(content_text, held) for held in positions.contents), homes]
        listed = [[text.encode() for text in each] for each in texts]
        self._texts = StateTexts(
            np.array(board, dtype=np.int32),
            np.cumsum([0, *map(len, listed)]).astype(np.int32),
            [text for each in listed for text in each],
            positions.mirror_cells,
            np.concatenate(positions.mirrored),
            MAX_FINES if has_fines else -1,
        )

    def structured(self, states: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Encoded states as structures.

        Parameters
        ----------
        states : unsigned integers, shape (n, state width)

        Returns
        -------
        `dtype`, shape (n,)
            A view of `states`, if these are contiguous and of the rule set's own type.
        """
        return rows_of(states, self.number_type, self.width).view(self.dtype)[:, 0]

    def plain(self, records: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The inverse of `structured`: unsigned integers, shape (n, state width).

        Raises
        ------
        InputError
            If the fields are not those of `dtype`, in any order and of whole numbers of any size.
        """
        names, records = self._names, np.asarray(records)
        if set(records.dtype.names or ()) != {*names}:
            raise InputError(
                f"fields {records.dtype.names}, expected those of the layout: {', '.join(names)}"
            )
        if records.dtype != self.dtype:
            columns = np.stack([records[name] for name in names], axis=1)
            return rows_of(columns, self.number_type, self.width)
        return np.ascontiguousarray(records).view(self.number_type).reshape(-1, len(names))

    def notations(
        self, states: npt.NDArray[Any], is_dark: npt.NDArray[np.bool_] | bool = False
    ) -> npt.NDArray[np.object_]:
        """The positions of encoded states in the notation.

        Parameters
        ----------
        states : unsigned integers, shape (n, state width)
        is_dark : bool, or array of bool, shape (n,)
            Whether dark is about to throw.

        Returns
        -------
        array of str, shape (n,)

        Raises
        ------
        IllegalPositionError
            For the first row with a number that is no content of its square.
        WrongTypeError
            If they are no encoded states.

        Notes
        -----
        About a million a second and core.
        """
        letters, starts = self.notation_bytes(states, is_dark)
        texts = np.empty(len(states), dtype=object)
        if len(texts):
            as_strings(letters, starts, texts)
        return texts

    def notation_bytes(
        self, states: npt.NDArray[Any], is_dark: npt.NDArray[np.bool_] | bool = False
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        """As `notations`, as ASCII: all texts one after the other, and where each begins.

        Returns
        -------
        letters : uint8
        starts : int64, shape (n + 1,)
        """
        states = rows_of(states, self.number_type, self.width)
        if np.shape(is_dark) not in ((), (len(states),)):
            raise WrongTypeError(f"is_dark of shape {np.shape(is_dark)}, expected ({len(states)},)")
        dark = np.empty(len(states), dtype=np.uint8)
        dark[:] = is_dark
        starts = np.zeros(len(states) + 1, dtype=np.int64)
        fault = write_texts(self._texts, states, dark, starts, np.empty(0, dtype=np.uint8))
        if fault >= 0:
            raise IllegalPositionError(f"row {fault}: {self._fault(states[fault])}")
        letters = np.empty(starts[-1], dtype=np.uint8)
        write_texts(self._texts, states, dark, starts, letters)
        return letters, starts

    def _fault(self, state: npt.NDArray[Any]) -> str:
        """What is wrong with a row that has too large a number."""
        for number, (square, held) in zip(state.tolist(), self.contents.items(), strict=False):
            if number >= len(held):
                return f"{square} has contents 0 to {len(held) - 1}, not {number}"
        return "it has more pieces at home than a side has"

    def read(
        self, texts: npt.NDArray[np.object_]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Positions read from the notation, as far as they are written as `notations` does.

        Parameters
        ----------
        texts : object array, shape (n,)

        Returns
        -------
        states : unsigned integers, shape (n, state width)
            They need not be legal.
        is_dark : bool, shape (n,)
            Whether dark is about to throw.
        is_read : bool, shape (n,)
            False for other texts and objects, whose state is undefined.
        """
        states = np.zeros((len(texts), self.width), dtype=self.number_type)
        is_dark, is_read = (np.zeros(len(texts), dtype=np.uint8) for _ in range(2))
        read_texts(self._texts, texts, states, is_dark, is_read)
        return states, is_dark.astype(bool), is_read.astype(bool)
