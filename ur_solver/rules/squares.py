"""What a square may hold, and what happens to a piece that lands there.

One small class for each kind of square in the rules. None of them knows where on the
board it is: a rule set's family says which square is of which kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from ur_solver.rules.contents import Pieces, is_marked, side_of


class SquareRule(ABC):
    """A kind of square.

    Attributes
    ----------
    is_stack : bool
        Whether the order of the pieces matters, and only the top one may move. Elsewhere
        contents are kept in the order of `contents.in_order`.
    """

    is_stack = False

    @abstractmethod
    def land(self, piece: str, held: Pieces) -> Pieces | None:
        """What happens when `piece` lands where `held` stand.

        Returns
        -------
        tuple of str or None
            The pieces captured, none of them as a rule; None if it may not land.
        """

    @abstractmethod
    def fault(self, held: Pieces) -> str | None:
        """Why `held` cannot stand here together, in words; None if they can."""


class _Single(SquareRule):
    """A square for one piece."""

    def fault(self, held: Pieces) -> str | None:
        return "it holds one piece at most" if len(held) > 1 else None


@dataclass(frozen=True)
class Ordinary(_Single):
    """One piece; an opponent's is captured unless the square is safe (section 4)."""

    is_safe: bool = False

    def land(self, piece: str, held: Pieces) -> Pieces | None:
        """Capture an opponent's piece that is not safe."""
        if held and (self.is_safe or side_of(held[0]) == side_of(piece)):
            return None
        return held


@dataclass(frozen=True)
class Dueling(_Single):
    """One piece; only an opponent's of the same status is captured (5.4, 5.5).

    `shelters_marked` keeps a marked piece from being captured at all.
    """

    shelters_marked: bool = False

    def land(self, piece: str, held: Pieces) -> Pieces | None:
        """Capture an opponent's piece of the same status."""
        if not held:
            return ()
        other = held[0]
        is_match = is_marked(other) == is_marked(piece) and side_of(other) != side_of(piece)
        is_sheltered = self.shelters_marked and is_marked(other)
        return held if is_match and not is_sheltered else None


class Converting(_Single):
    """One piece; only a piece that is marked already captures an opponent's (5.5)."""

    def land(self, piece: str, held: Pieces) -> Pieces | None:
        """Capture an opponent's piece if `piece` was marked before it landed."""
        if not held:
            return ()
        return held if is_marked(piece) and side_of(held[0]) != side_of(piece) else None


class Shared(SquareRule):
    """Any number of pieces of both sides, none captured (5.2, 5.3)."""

    def land(self, piece: str, held: Pieces) -> Pieces | None:
        """Join what stands there."""
        return ()

    def fault(self, held: Pieces) -> str | None:
        """Nothing: any pieces may share it."""
        return None


@dataclass(frozen=True)
class Stack(SquareRule):
    """Up to `capacity` pieces on top of each other, none captured (5.4).

    With `one_side` they all belong to the side that holds the square: a depot; without
    it is an island.
    """

    capacity: int
    one_side: bool
    is_stack = True

    def land(self, piece: str, held: Pieces) -> Pieces | None:
        """Go on top."""
        return () if self.fault((*held, piece)) is None else None

    def fault(self, held: Pieces) -> str | None:
        """Too many pieces, or pieces of both sides in a depot."""
        if len(held) > self.capacity:
            return f"it holds {self.capacity} pieces at most"
        if self.one_side and len({side_of(piece) for piece in held}) > 1:
            return "it holds pieces of one side only"
        return None


@dataclass(frozen=True)
class Refuge(SquareRule):
    """Up to `capacity` pieces of each letter, none captured (5.5's rosettes)."""

    capacity: int

    def land(self, piece: str, held: Pieces) -> Pieces | None:
        """Join what stands there."""
        return () if self.fault((*held, piece)) is None else None

    def fault(self, held: Pieces) -> str | None:
        """Too many of one kind."""
        if any(held.count(piece) > self.capacity for piece in held):
            return f"it holds {self.capacity} pieces of one status and side at most"
        return None


class Paired(SquareRule):
    """Two pieces if one is marked and one is not, whoever owns them (5.5)."""

    def land(self, piece: str, held: Pieces) -> Pieces | None:
        """Meet the piece of the same status, if any: capture it if it is an opponent's."""
        met = tuple(other for other in held if is_marked(other) == is_marked(piece))
        return None if any(side_of(other) == side_of(piece) for other in met) else met

    def fault(self, held: Pieces) -> str | None:
        """Two pieces of one status."""
        if len({is_marked(piece) for piece in held}) < len(held):
            return "it holds one unmarked and one marked piece at most"
        return None
