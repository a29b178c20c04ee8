"""The legal moves, in plain Python: the definition of the game.

Slow and readable on purpose. The compiled solver is tested against this module. It moves
pieces alike for every rule set; the rule set's family (`ur_solver.rules.families`) defines
squares, throws and turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ur_solver.rules.contents import DARK, RESTING, Pieces, is_resting, number_of, opponent, split
from ur_solver.rules.families import FREE_THROW, HOME
from ur_solver.rules.position import Position


@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """One legal move and its successor.

    Parameters
    ----------
    text : str
        In RGN's notation: ``A@A4``, ``B2B5x``, ``A8A7*``, ``A7A+``.
    source, target : int
        Path indices; `HOME` for a piece entering, the path's length for one borne off.
    is_capture, is_rosette : bool
        Whether it captures, and whether it lands on a rosette.
    again : bool
        Whether the same side throws again.
    position : Position
        The successor, with the side that throws next.
    cost : int
        The mover's payment, in the payoff's money; 0 without stakes.
    """

    text: str
    source: int
    target: int
    is_capture: bool
    is_rosette: bool
    again: bool
    position: Position
    cost: int = 0

    def __repr__(self) -> str:
        return f"Move({self.text!r})"

    def __str__(self) -> str:
        return self.text


def legal_moves(position: Position, throw: int, choice: str = FREE_THROW) -> list[Move]:
    """All legal moves of the side to throw; see `RuleSet.legal_moves`."""
    rules = position.rules
    rules.dice.check(throw)
    if position.winner is not None:
        return []
    moves: list[Move] = []
    awake_all = position.awake()
    for piece, source in _movers(position, choice):
        for target in rules.mechanics.reached(piece, source, throw):
            moves += _moves(awake_all, piece, source, target, throw)
    return moves


def _movers(position: Position, choice: str) -> Iterator[tuple[str, int]]:
    """The pieces that may be moved, each with its path index; none that rests."""
    rules, side = position.rules, position.side
    from_home, on_board = rules.mechanics.moves_from(choice)
    if from_home and position.home(side):
        yield _entering_piece(position), HOME
    if not on_board:
        return
    board = dict(zip(rules.board.squares, position.contents, strict=True))
    for index, square, letter in rules.mechanics.places[side]:
        if letter in board[square]:
            held = split(board[square])
            free = held[-1:] if rules.mechanics.squares[square].is_stack else held
            # Equal pieces have equal moves.
            for piece in dict.fromkeys(free):
                if piece[0] == letter and not is_resting(piece):
                    yield piece, index


def _entering_piece(position: Position) -> str:
    """The piece of the side to throw that enters next: the lowest number at home."""
    side = position.side
    return f"{side}{position.numbers(side)[0]}" if position.rules.mechanics.is_numbered else side


def _moves(position: Position, piece: str, source: int, target: int, throw: int) -> Iterator[Move]:
    """The move of `piece` to `target`: none if it may not land, two if it may throw again."""
    rules, side = position.rules, position.side
    family, path = rules.mechanics, rules.path.squares(side)
    board = dict(zip(rules.board.squares, position.contents, strict=True))
    square = path[target] if target < len(path) else None
    captured: Pieces = ()
    if square is not None:
        held = split(board[square])
        landing = family.squares[square].land(family.meets(piece, target), held, throw)
        if landing is None:
            return
        captured = landing
    if source != HOME:
        board[path[source]] = _without(board[path[source]], (piece,))
    if square is not None:
        left = split(_without(board[square], captured))
        board[square] = family.arranged(square, (*left, family.stands(piece, target)))
    is_capture, is_rosette = bool(captured), square in rules.rosettes
    entered = (piece,) if source == HOME else ()
    reached = _with_homes(position, tuple(board.values()), entered, captured)
    cost = rules.payoff.cost(is_rosette)
    if cost:
        reached = replace(reached, fines=position.fines + 1)
    is_over = reached.winner is not None
    options = (False,) if is_over else family.decisions(throw, square, is_capture)
    text = move_text(path, piece, source, target, is_capture, is_rosette)
    for again in options:
        yield Move(
            text=text + family.decision_marks[again] if len(options) > 1 else text,
            source=source,
            target=target,
            is_capture=is_capture,
            is_rosette=is_rosette,
            again=again,
            position=_resting(reached, piece, target)
            if again
            else replace(reached, side=opponent(side)),
            cost=cost,
        )


def _resting(position: Position, piece: str, target: int) -> Position:
    """The position in which a piece that has just landed rests, if the rules say so."""
    rules = position.rules
    if target not in rules.mechanics.rests:
        return position
    square = rules.path.squares(position.side)[target]
    at = rules.board.squares.index(square)
    stands = rules.mechanics.stands(piece, target)
    left = split(_without(position.contents[at], (stands,)))
    content = rules.mechanics.arranged(square, (*left, stands + RESTING))
    return replace(
        position, contents=(*position.contents[:at], content, *position.contents[at + 1 :])
    )


def _without(content: str, pieces: Pieces) -> str:
    """Contents without some of their pieces, the topmost of equal ones."""
    for piece in pieces:
        below, _, above = content.rpartition(piece)
        content = below + above
    return content


def _with_homes(
    position: Position,
    contents: tuple[str, ...],
    entered: Pieces,
    captured: Pieces,
) -> Position:
    """The position with other contents, and homes after entering and captures."""
    mine = int(position.side == DARK)
    homes, numbers = [position.light_home, position.dark_home], list(position.numbers_home)
    homes[mine] -= len(entered)
    homes[1 - mine] += len(captured)
    if position.rules.mechanics.is_numbered:
        numbers[mine] = tuple(sorted({*numbers[mine]} - {*map(number_of, entered)}))
        numbers[1 - mine] = tuple(sorted({*numbers[1 - mine], *map(number_of, captured)}))
    return replace(
        position,
        contents=contents,
        light_home=homes[0],
        dark_home=homes[1],
        numbers_home=(numbers[0], numbers[1]),
    )


def move_text(
    path: tuple[str, ...],
    piece: str,
    source: int,
    target: int,
    is_capture: bool = False,
    is_rosette: bool = False,
) -> str:
    """The notation of a move, ``1A@A3*`` for the first of numbered pieces.

    Parameters
    ----------
    path : tuple of str
        Of the side that moves.
    piece : str
        As `ur_solver.rules.contents` writes it.
    source, target : int
        As in `Move`.
    is_capture, is_rosette : bool
    """
    start = f"{path[0][0]}@" if source == HOME else path[source]
    end = path[target] if target < len(path) else f"{path[-1][0]}+"
    return f"{piece[1:]}{start}{end}{'x' * is_capture}{'*' * is_rosette}"
