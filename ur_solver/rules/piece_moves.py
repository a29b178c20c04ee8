"""The moves of a rule set's pieces, computed once for every piece, square content and throw.

Everything is from the side of the player to move:

* a *mover* is a piece in a place: at home, or in a place of the path;
* a *step* takes a mover by a throw to a *landing*, which has, for every content of the
  target square, the new content and the captured pieces, or that landing is forbidden; steps
  with the same outcomes share a landing, also with different throws;
* a *choice* before the throw decides which pieces may move, and which throws are possible.

Users of this module that make arrays number contents as they need.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ur_solver.errors import RuleSetError
from ur_solver.rules.contents import LIGHT, RESTING, Pieces, awake, is_resting, split
from ur_solver.rules.families import HOME
from ur_solver.rules.ruleset import RuleSet

Landed = tuple[str, Pieces]
"""The content of a square after a landing, and the captured pieces."""


class Mover(NamedTuple):
    """A piece of the side to move, and its path index."""

    piece: str
    source: int


class Landing(NamedTuple):
    """The landings on a cell by its content; None if landing is forbidden."""

    cell: int
    outcomes: tuple[Landed | None, ...]


class PieceChoice(NamedTuple):
    """A choice before the throw: which pieces may move after it, and the chance of each throw.

    Attributes
    ----------
    name : str
        `FREE_THROW` in rule sets without a choice.
    from_home, from_board : bool
        Whether a piece at home, and one on the board, may then move.
    chances : tuple of float
        Of being moved by each throw, in the order of `PieceMoves.throws`.
    passes : float
        The chance of throws that move nothing, whatever the position.
    """

    name: str
    from_home: bool
    from_board: bool
    chances: tuple[float, ...]
    passes: float

    @property
    def may(self) -> int:
        """1 if a piece may enter, plus 2 if one on the board may move."""
        return self.from_home + 2 * self.from_board

    @property
    def source(self) -> int:
        """The lowest path index from which a piece may then move."""
        return HOME if self.from_home else 0

    @property
    def outcomes(self) -> tuple[tuple[int, float], ...]:
        """The number of each throw that can be made, -1 for those that move nothing; its chance."""
        chances = [(-1, self.passes), *enumerate(self.chances)]
        return tuple((number, chance) for number, chance in chances if chance)


class PieceMoves:
    """The moves of a rule set's pieces, and their effects on squares.

    Attributes
    ----------
    contents : tuple of tuple of str
        By cell, in the order of the board's squares: all that it may hold.
    movers : tuple of Mover
        At home first, then by path index; the pieces of one place by number.
    throws : tuple of int
        The throws that move some piece somewhere; the others only pass.
    starts : list of list of int
        The steps of mover m with throw n are `starts[m][n]` to `starts[m][n + 1]`.
    targets, landing_of : list of int
        By step: the path index, the path's length for off; and the number of its landing, -1
        for off.
    landings : tuple of Landing
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.mechanics = rules.mechanics
        self._path = rules.path.light
        self._squares = rules.board.squares
        self._cell = {square: k for k, square in enumerate(self._squares)}
        self.contents = tuple(self.mechanics.contents_on(square) for square in self._squares)
        self._held = [[split(content) for content in contents] for contents in self.contents]
        self.movers = self._all_movers()
        self.throws = tuple(
            throw
            for throw in rules.dice.throws
            if any(self.mechanics.reached(*mover, throw) for mover in self.movers)
        )
        self.targets: list[int] = []
        self.landing_of: list[int] = []
        self.starts: list[list[int]] = []
        landings: dict[Landing, int] = {}
        # by piece, target and what is captured, which a throw may decide
        known: dict[tuple[str, int, tuple[Pieces | None, ...]], int] = {}
        for mover in self.movers:
            self.starts.append([len(self.targets)])
            for throw in self.throws:
                for target in self.mechanics.reached(*mover, throw):
                    self._check_step(mover, throw, target)
                    self.targets.append(target)
                    self.landing_of.append(-1)
                    if target < len(self._path):
                        key = mover.piece, target, self._captured(mover.piece, target, throw)
                        if key not in known:
                            known[key] = landings.setdefault(self._landed(*key), len(landings))
                        self.landing_of[-1] = known[key]
                self.starts[-1].append(len(self.targets))
        self.landings = tuple(landings)

    def _all_movers(self) -> tuple[Mover, ...]:
        numbers = range(1, self.rules.pieces + 1) if self.mechanics.is_numbered else ("",)
        home = (Mover(f"{LIGHT}{number}", HOME) for number in numbers)
        placed = (
            Mover(f"{place.letter}{number}", place.path_index)
            for place in self.mechanics.places[LIGHT]
            for number in numbers
        )
        return (*home, *placed)

    def _check_step(self, mover: Mover, throw: int, target: int) -> None:
        if not mover.source < target <= len(self._path):
            raise RuleSetError(
                f"{self.rules.word}: family {self.mechanics.name!r} takes a piece from path index "
                f"{mover.source} to {target} by a throw of {throw}, not further on to "
                f"{len(self._path)} at most"
            )

    def _captured(self, piece: str, target: int, throw: int) -> tuple[Pieces | None, ...]:
        square = self._path[target]
        land, met = self.mechanics.squares[square].land, self.mechanics.meets(piece, target)
        return tuple(
            None if any(map(is_resting, held)) else land(met, held, throw)
            for held in self._held[self._cell[square]]
        )

    def _landed(self, piece: str, target: int, captured: tuple[Pieces | None, ...]) -> Landing:
        square = self._path[target]
        cell = self._cell[square]
        # where a piece may rest it does, until the other side throws (`MoveTables.mirror_content`)
        stands = self.mechanics.stands(piece, target) + RESTING * (target in self.mechanics.rests)
        outcomes: list[Landed | None] = []
        for held, taken in zip(self._held[cell], captured, strict=True):
            if taken is None:
                outcomes.append(None)
                continue
            left = list(held)
            for other in taken:
                left.remove(other)
            after = self.mechanics.arranged(square, (*left, stands))
            # otherwise a side has more pieces on this square than in the game
            outcomes.append((after, taken) if after in self.contents[cell] else None)
        return Landing(cell, tuple(outcomes))

    def cell_of(self, mover: Mover) -> int:
        """The cell that a mover stands on, -1 for home."""
        return -1 if mover.source == HOME else self._cell[self._path[mover.source]]

    def lifted(self, mover: Mover) -> list[str | None]:
        """By content of a mover's square: the content without it, None if it may not leave."""
        square = self._path[mover.source]
        left: list[str | None] = []
        for content in self.contents[self._cell[square]]:
            held = split(content)
            free = held[-1:] if self.mechanics.squares[square].is_stack else held
            if mover.piece in free:
                below, _, above = awake(content).rpartition(mover.piece)
                left.append(below + above)
            else:
                left.append(None)
        return left

    def again(self, throw: int) -> list[list[int]]:
        """By target and whether it captures: 1 if the turn may end, plus 2 if it may continue."""
        return [
            [
                sum({1 << again for again in self.mechanics.again(throw, square, is_capture)})
                for is_capture in (False, True)
            ]
            for square in (*self._path, None)
        ]

    def choice(self, name: str, candidate: int | None) -> PieceChoice:
        """The rolls after a choice; `candidate` is the lowest number at home."""
        chances: Counter[int | None] = Counter()
        for roll in self.mechanics.rolls(name, candidate):
            moves_by = roll.moves_by if roll.moves_by in self.throws else None
            chances[moves_by] += roll.probability  # type: ignore[assignment]
        return PieceChoice(
            name,
            *self.mechanics.moves_from(name),
            tuple(float(chances[throw]) for throw in self.throws),
            float(chances[None]),
        )
