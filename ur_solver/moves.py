"""The legal moves, in plain Python: the definition of the game.

Slow and readable on purpose. The compiled solver is tested against this module, which
follows the rules of the race family sentence by sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

from ur_solver.errors import MoveError, ThrowError
from ur_solver.position import (
    Position,
    format_position,
    opponent,
    piece_letter,
    winner,
)
from ur_solver.rules import RuleSet

HOME = -1
"""The path index of a piece that has not entered."""


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
    """

    text: str
    source: int
    target: int
    is_capture: bool
    is_rosette: bool
    again: bool
    position: Position


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


def legal_moves(rules: RuleSet, position: Position, throw: int) -> list[Move]:
    """All legal moves of the side to throw, by path index of the piece that moves.

    Parameters
    ----------
    rules : RuleSet
    position : Position
        Must obey `rules`.
    throw : int
        What the dice show.

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
    if throw == 0 or winner(rules, position) is not None:
        return []
    side = position.side
    board = dict(zip(rules.board.squares, position.contents, strict=True))
    path = rules.path.squares(side)
    sources = [HOME] if position.home(side) else []
    sources += [
        index
        for index, square in enumerate(path)
        if board[square] == piece_letter(rules, side, index)
    ]
    moves = []
    for source in sources:
        target = source + throw
        if target > len(path):
            continue  # bearing off needs the exact count
        if target < len(path):
            square = path[target]
            occupant = board[square].upper()
            if occupant == side:
                continue
            if occupant and rules.safe_rosettes and square in rules.rosettes:
                continue
        moves.append(_move(rules, position, board, source, target, throw))
    return moves


def pass_turn(position: Position) -> Position:
    """The position after a turn without a move."""
    return Position(
        position.contents, opponent(position.side), position.light_home, position.dark_home
    )


def _move(
    rules: RuleSet,
    position: Position,
    board: dict[str, str],
    source: int,
    target: int,
    throw: int,
) -> Move:
    side = position.side
    path = rules.path.squares(side)
    homes = {"L": position.light_home, "D": position.dark_home}
    after = dict(board)
    if source == HOME:
        homes[side] -= 1
    else:
        after[path[source]] = ""
    is_capture = is_rosette = False
    if target < len(path):
        if after[path[target]]:
            is_capture = True
            homes[opponent(side)] += 1
        after[path[target]] = piece_letter(rules, side, target)
        is_rosette = path[target] in rules.rosettes
    reached = Position(tuple(after.values()), side, homes["L"], homes["D"])
    again = winner(rules, reached) is None and (
        (rules.extra_on_rosette and is_rosette)
        or (rules.extra_on_capture and is_capture)
        or rules.extra_on_throw == throw
    )
    return Move(
        text=_move_text(path, source, target, is_capture, is_rosette),
        source=source,
        target=target,
        is_capture=is_capture,
        is_rosette=is_rosette,
        again=again,
        position=reached if again else pass_turn(reached),
    )


def _move_text(
    path: tuple[str, ...], source: int, target: int, is_capture: bool, is_rosette: bool
) -> str:
    start = f"{path[0][0]}@" if source == HOME else path[source]
    end = path[target] if target < len(path) else f"{path[-1][0]}+"
    return f"{start}{end}{'x' * is_capture}{'*' * is_rosette}"


def find_move(rules: RuleSet, position: Position, throw: int, text: str) -> Move:
    """The legal move that `text` writes.

    Raises
    ------
    MoveError
        If it is not legal here; the message lists what is.
    """
    moves = legal_moves(rules, position, throw)
    for move in moves:
        if move.text == text:
            return move
    legal = ", ".join(move.text for move in moves) or "none, the turn passes"
    raise MoveError(
        f"move {text[:40]!r} is not legal with throw {throw} in "
        f"{format_position(rules, position)!r}; legal: {legal}"
    )
