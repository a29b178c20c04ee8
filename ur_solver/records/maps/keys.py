"""The keys of RoyalUr's solved maps.

A key stands for a position with light to throw, or for the mirror of one with dark to throw. From
the lowest bit upwards it holds

    dark's private squares     one bit each, by column from the left
    the shared squares         in segments, the last one lowest
    light's private squares    one bit each, by column from the left
    dark's home count          3 bits
    light's home count         3 bits

The shared squares are ordered by column, and within a column by row A, B, C. They are divided into
equal segments of at most 8 squares: one of 8 on the path bell, two of 6 on the paths masters and
aseb. A segment is a number in base 4 whose most significant digit is its first square: 0 empty, 1
dark, 2 light. The key holds the rank of that number among those with at most N pieces a side, in
as many bits as the largest rank needs.

A map has a key for every position that is not over, and for those that light has won. Keys of more
than 32 bits are split: the upper bits are the number of the map, the lower 32 are stored.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ur_solver.errors import MapError
from ur_solver.rules import RuleSet
from ur_solver.rules.contents import DARK, LIGHT
from ur_solver.space import positions_of

Keys = npt.NDArray[np.int64]

_MAX_SEGMENT = 8
_HOME_BITS = 3
_CONTENTS = ("", DARK, LIGHT)
"""Of a shared square; the index here is the digit."""


class MapKeys:
    """The keys of one rule set's map.

    Raises
    ------
    MapError
        If the path visits a square twice, or there are more than 7 pieces, since such rule sets
        have no maps.
    """

    def __init__(self, rules: RuleSet) -> None:
        if rules.path.second_leg < len(rules.path):
            raise MapError(
                f"{rules.name}: RoyalUr's maps have no keys for the path {rules.path.name!r}, "
                "which visits a square twice"
            )
        if rules.pieces >= 1 << _HOME_BITS:
            raise MapError(
                f"{rules.word}: RoyalUr's maps have keys for at most {(1 << _HOME_BITS) - 1} pieces"
            )
        self.rules = rules
        self.space = space = positions_of(rules)
        by_column = sorted(rules.board.squares, key=lambda square: (int(square[1:]), square[0]))
        cell = {square: k for k, square in enumerate(rules.board.squares)}
        light, dark = set(rules.path.light), set(rules.path.dark)
        self._light_cells = [cell[square] for square in by_column if square in light - dark]
        self._dark_cells = [cell[square] for square in by_column if square in dark - light]
        shared = [cell[square] for square in by_column if square in light & dark]
        self._number_of = {
            at: np.array([space.content_numbers[at][held] for held in _CONTENTS]) for at in shared
        }
        self._mine = np.array([numbers.get(LIGHT, -1) for numbers in space.content_numbers])
        self._theirs = np.array([numbers.get(DARK, -1) for numbers in space.content_numbers])
        n_segments = -(-len(shared) // _MAX_SEGMENT)
        length = -(-len(shared) // n_segments)
        self._segments = [shared[at : at + length] for at in range(0, len(shared), length)]
        self._raw = _segment_numbers(length, rules.pieces)
        self._segment_bits = int(len(self._raw) - 1).bit_length()
        self._shared_bits = len(self._segments) * self._segment_bits
        self._light_shift = len(self._dark_cells) + self._shared_bits
        self._dark_home_shift = self._light_shift + len(self._light_cells)
        self._light_home_shift = self._dark_home_shift + _HOME_BITS

    @property
    def n_maps(self) -> int:
        """The number of maps into which the keys are split."""
        return (self.rules.pieces << self._light_home_shift >> 32) + 1

    def decode(self, keys: Keys) -> npt.NDArray[np.uint16]:
        """The states of keys.

        Returns
        -------
        array, shape (n, `Space.state_width`)
            From the view of the side to throw, which the key calls light.

        Raises
        ------
        MapError
            If a segment of a key is out of range, or the key has too many bits.
        """
        states = np.zeros((len(keys), self.space.state_width), dtype=self.space.state_dtype)
        for bit, cell in enumerate(self._dark_cells):
            states[:, cell] = (keys >> bit & 1) * self._theirs[cell]
        mask = (1 << self._segment_bits) - 1
        for k, cells in enumerate(self._segments):
            shift = len(self._dark_cells) + (len(self._segments) - 1 - k) * self._segment_bits
            rank = keys >> shift & mask
            if len(rank) and rank.max() >= len(self._raw):
                bad = int(keys[np.argmax(rank)])
                raise MapError(f"key {bad}: its segment {k} is {int(rank.max())}, not below "
                               f"{len(self._raw)}")  # fmt: skip
            raw = self._raw[rank]
            for at, cell in enumerate(cells):
                digit = raw >> 2 * (len(cells) - 1 - at) & 3
                states[:, cell] = self._number_of[cell][digit]
        for bit, cell in enumerate(self._light_cells):
            states[:, cell] = (keys >> (self._light_shift + bit) & 1) * self._mine[cell]
        states[:, -1] = keys >> self._dark_home_shift & 7
        states[:, -2] = keys >> self._light_home_shift & 7
        if len(keys) and keys.max() >> self._light_home_shift + _HOME_BITS:
            raise MapError(f"key {int(keys.max())} has more bits than the rule set's keys")
        return states

    def is_won(self, states: npt.NDArray[np.uint16]) -> npt.NDArray[np.bool_]:
        """Whether the side to throw has borne off all its pieces: bool, shape (n,)."""
        is_won: npt.NDArray[np.bool_] = (states[:, -2] == 0) & ~(states[:, :-2] == self._mine).any(
            axis=1
        )
        return is_won

    @cached_property
    def _shared_counts(self) -> tuple[Keys, npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """All fillings of the shared squares, ascending: their bits, light's and dark's pieces."""
        width = 2 * len(self._segments[0])
        digits = self._raw[:, None] >> np.arange(0, width, 2) & 3
        light = (digits == 2).sum(axis=1).astype(np.int8)
        dark = (digits == 1).sum(axis=1).astype(np.int8)
        bits = np.arange(len(self._raw), dtype=np.int64)
        all_bits, all_light, all_dark = bits, light, dark
        for _ in self._segments[1:]:
            all_bits = (all_bits[:, None] << self._segment_bits | bits).ravel()
            all_light = (all_light[:, None] + light).ravel()
            all_dark = (all_dark[:, None] + dark).ravel()
        return all_bits, all_light, all_dark

    def all_keys(self) -> Iterator[Keys]:
        """All keys of the map, ascending, in arrays of at most some ten million."""
        pieces, n_dark = self.rules.pieces, len(self._dark_cells)
        bits, light_on, dark_on = self._shared_counts
        dark_masks = np.arange(1 << n_dark, dtype=np.int64)
        dark_count = np.bitwise_count(dark_masks)
        homes = itertools.product(range(pieces + 1), repeat=2)
        for light_home, dark_home in homes:
            head = light_home << self._light_home_shift | dark_home << self._dark_home_shift
            for light_mask in range(1 << len(self._light_cells)):
                light_rest = pieces - light_home - light_mask.bit_count()
                if light_rest < 0:
                    continue
                fits = (light_on <= light_rest) & (dark_on <= pieces - dark_home)
                rest = pieces - dark_home - dark_on[fits]
                base = (head | light_mask << self._light_shift) + (bits[fits] << n_dark)
                # Keys ascend by the filling of the shared squares, then by dark's squares.
                is_key = dark_count <= rest[:, None]
                if dark_home == 0:
                    # Where dark has no piece left it has won, and light does not throw.
                    is_key[:, 0] &= dark_on[fits] > 0
                row, mask = np.nonzero(is_key)
                if len(row):
                    yield base[row] | dark_masks[mask]


def _segment_numbers(length: int, pieces: int) -> npt.NDArray[np.int64]:
    """The base-4 numbers of a segment with at most `pieces` pieces a side, ascending."""
    digits = np.array(list(itertools.product(range(3), repeat=length)), dtype=np.int64)
    fits = ((digits == 1).sum(axis=1) <= pieces) & ((digits == 2).sum(axis=1) <= pieces)
    weights = 4 ** np.arange(length - 1, -1, -1, dtype=np.int64)
    numbers: npt.NDArray[np.int64] = digits[fits] @ weights
    return numbers
