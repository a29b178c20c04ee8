"""The legal moves, in plain Python: the definition of the game.

Slow and readable on purpose. The compiled solver is tested against this module, which
moves pieces for every rule set alike; what the squares, the throws and the turn mean is
said by the rule set's family (`ur_solver.rules.families`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ur_solver.errors import MoveError, ThrowError
from ur_solver.position import Position, format_position, winner
from ur_solver.rules import FREE_THROW, HOME, RuleSet
from ur_solver.rules.contents import DARK, Pieces, number_of, opponent, split

__all__ = [
    "HOME",
    "Move",
    "check_throw",
    "find_move",
    "legal_moves",
    "move_text",
    "parse_throw",
    "pass_turn",
]


@dataclass(frozen=True, slots=True)
class Move:
    """One legal move and where it leads.

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
        The position it leads to, with the side that throws next.
    cost : int
        The money that the mover pays into the pot, where there are stakes.
    """

    text: str
    source: int
    target: int
    is_capture: bool
    is_rosette: bool
    again: bool
    position: Position
    cost: int = 0


def check_throw(rules: RuleSet, throw: int) -> None:
    """Raise ThrowError if the rule set's dice cannot show `throw`."""
    if throw not in rules.dice.throws:
        shown = ", ".join(map(str, rules.dice.throws))
        raise ThrowError(f"throw {throw!r}: {rules.dice.name} dice show {shown}")


def parse_throw(rules: RuleSet, text: str) -> int:
    """The throw that `text` writes; ThrowError if the dice cannot show it."""
    if not (text.isascii() and text.isdigit() and len(text) < 3):
        shown = ", ".join(map(str, rules.dice.throws))
        raise ThrowError(f"throw {text!r}: expected one of {shown}")
    throw = int(text)
    check_throw(rules, throw)
    return throw


def legal_moves(
    rules: RuleSet, position: Position, throw: int, choice: str = FREE_THROW
) -> list[Move]:
    """All legal moves of the side to throw, by path index of the piece that moves.

    Parameters
    ----------
    rules : RuleSet
    position : Position
        Must obey `rules`.
    throw : int
        What the dice show; where a turn takes two throws, the second.
    choice : str
        What was said before throwing, in birds `MOVE` (as if nothing is given) or
        `ENTER`.

    Returns
    -------
    list of Move
        Empty if the throw moves nothing, there is no legal move, or the game is over;
        the turn then passes to the other side (`pass_turn`).

    Raises
    ------
    ThrowError
        If the dice cannot show `throw`.
    """
    check_throw(rules, throw)
    if winner(rules, position) is not None:
        return []
    moves: list[Move] = []
    for piece, source in _movers(rules, position, choice):
        for target in rules.play.targets(piece, source, throw):
            moves += _moves(rules, position, piece, source, target, throw)
    return moves


def pass_turn(position: Position) -> Position:
    """The position after a turn without a move."""
    return replace(position, side=opponent(position.side))


def _movers(rules: RuleSet, position: Position, choice: str) -> Iterator[tuple[str, int]]:
    """The pieces that may be moved, each with its path index."""
    side = position.side
    from_home, on_board = rules.play.moves_from(choice)
    if from_home and position.home(side):
        yield _entering_piece(rules, position), HOME
    if not on_board:
        return
    board = dict(zip(rules.board.squares, position.contents, strict=True))
    for index, square, letter in rules.play.slots[side]:
        if letter in board[square]:
            held = split(board[square])
            free = held[-1:] if rules.play.squares[square].is_stack else held
            # Pieces that are written alike move alike.
            for piece in dict.fromkeys(free):
                if piece[0] == letter:
                    yield piece, index


def _entering_piece(rules: RuleSet, position: Position) -> str:
    """The piece of the side to throw that enters next: the lowest number at home."""
    side = position.side
    return f"{side}{position.numbers(side)[0]}" if rules.play.is_numbered else side


def _moves(
    rules: RuleSet, position: Position, piece: str, source: int, target: int, throw: int
) -> Iterator[Move]:
    """The move of `piece` to `target`: none if it may not land, two if it may throw again."""
    side, family, path = position.side, rules.play, rules.path.squares(position.side)
    board = dict(zip(rules.board.squares, position.contents, strict=True))
    square = path[target] if target < len(path) else None
    captured: Pieces = ()
    if square is not None:
        landing = family.squares[square].land(family.meets(piece, target), split(board[square]))
        if landing is None or (landing and not family.may_capture(throw)):
            return
        captured = landing
    if source != HOME:
        board[path[source]] = _without(board[path[source]], (piece,))
    if square is not None:
        left = split(_without(board[square], captured))
        board[square] = family.arranged(square, (*left, family.stands(piece, target)))
    is_capture, is_rosette = bool(captured), square in rules.rosettes
    entered = (piece,) if source == HOME else ()
    reached = _with_homes(rules, position, tuple(board.values()), entered, captured)
    cost = 0
    if rules.stakes is not None and is_rosette:
        cost = rules.stakes.fine
        reached = replace(reached, fines=position.fines + 1)
    is_over = winner(rules, reached) is not None
    options = (False,) if is_over else family.again(throw, square, is_capture)
    text = move_text(path, piece, source, target, is_capture, is_rosette)
    for again in options:
        yield Move(
            text=f"{text} again" if again and len(options) > 1 else text,
            source=source,
            target=target,
            is_capture=is_capture,
            is_rosette=is_rosette,
            again=again,
            position=reached if again else replace(reached, side=opponent(side)),
            cost=cost,
        )


def _without(content: str, pieces: Pieces) -> str:
    """Contents without some of their pieces, those on top where pieces are alike."""
    for piece in pieces:
        below, _, above = content.rpartition(piece)
        content = below + above
    return content


def _with_homes(
    rules: RuleSet,
    position: Position,
    contents: tuple[str, ...],
    entered: Pieces,
    captured: Pieces,
) -> Position:
    """The position with other contents, homes changed by what entered and was captured."""
    mine = int(position.side == DARK)
    homes, numbers = [position.light_home, position.dark_home], list(position.numbers_home)
    homes[mine] -= len(entered)
    homes[1 - mine] += len(captured)
    if rules.play.is_numbered:
        numbers[mine] = tuple(sorted({*numbers[mine]} - {*map(number_of, entered)}))
        numbers[1 - mine] = tuple(sorted({*numbers[1 - mine], *map(number_of, captured)}))
    return Position(
        contents, position.side, homes[0], homes[1], (numbers[0], numbers[1]), position.fines
    )


def move_text(
    path: tuple[str, ...],
    piece: str,
    source: int,
    target: int,
    is_capture: bool = False,
    is_rosette: bool = False,
) -> str:
    """A move as it is written, ``1A@A3*`` for the first piece of numbered ones.

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


def find_move(
    rules: RuleSet, position: Position, throw: int, text: str, choice: str = FREE_THROW
) -> Move:
    """The legal move that `text` writes; `throw` and `choice` as for `legal_moves`.

    Raises
    ------
    MoveError
        If it is not legal here; the message lists what is.
    """
    moves = legal_moves(rules, position, throw, choice)
    for move in moves:
        if move.text == text:
            return move
    legal = ", ".join(move.text for move in moves) or "none, the turn passes"
    raise MoveError(
        f"move {text[:40]!r} is not legal with throw {throw} in "
        f"{format_position(rules, position)!r}; legal: {legal}"
    )
