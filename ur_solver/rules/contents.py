"""The contents of a square, as text.

A piece is written ``L`` or ``D``, in lower case once it is *marked* (on the second leg
of its path, or turned over), followed by its number in games with numbered
pieces, and by ``^`` while it *rests*: while its side has an extra throw that has to be used by
another piece. A square's contents are its pieces one after the other, from the bottom up; an
empty square is the empty string.
"""

from __future__ import annotations

import re

LIGHT, DARK = "L", "D"
LETTERS = "LDld"
"""The letters of pieces, in the order of contents whose order does not matter."""

Pieces = tuple[str, ...]
"""The pieces on a square, from the bottom up."""

_SWAP = str.maketrans("LDld", "DLdl")
_PIECE = re.compile(r"[LDld][0-9]?\^?")
RESTING = "^"
"""What follows a piece that rests."""


def opponent(side: str) -> str:
    """The other side."""
    return DARK if side == LIGHT else LIGHT


def side_of(piece: str) -> str:
    """Whose piece it is, ``"L"`` or ``"D"``."""
    return piece[0].upper()


def is_marked(piece: str) -> bool:
    """Whether a piece is written in lower case."""
    return piece[0].islower()


def with_mark(piece: str, marked: bool) -> str:
    """The same piece, marked or not."""
    return piece.lower() if marked else piece.upper()


def is_resting(piece: str) -> bool:
    """Whether a piece rests."""
    return piece.endswith(RESTING)


def awake(content: str) -> str:
    """The same pieces, none of which rests."""
    return content.replace(RESTING, "")


def number_of(piece: str) -> int:
    """The number of a numbered piece."""
    return int(piece[1:])


def split(content: str) -> Pieces:
    """The pieces of a square's contents; ``"".join`` is the inverse."""
    if len(content) < 2:
        return (content,) if content else ()
    return tuple(_PIECE.findall(content))


def in_order(pieces: Pieces) -> Pieces:
    """Pieces sorted for a square whose order does not matter."""
    return tuple(sorted(pieces, key=lambda piece: (LETTERS.index(piece[0]), piece[1:])))


def swap_sides(text: str) -> str:
    """Contents with light's and dark's pieces exchanged, in the same order."""
    return text.translate(_SWAP)
