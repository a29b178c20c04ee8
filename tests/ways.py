"""The positions of a plain race, counted the long way round: no counting table, no ranks."""

from __future__ import annotations

from ur_solver.rules import RuleSet


def count_positions(rules: RuleSet) -> int:
    """The positions that are not over, by a polynomial in the pieces of both sides on the board.

    Each square holds nothing, or a piece of a side on one of its visits; the rest of a side's
    pieces are anywhere between home and off.
    """
    pieces = rules.pieces
    ways = {(0, 0): 1}
    for square in rules.board.squares:
        mine, theirs = rules.path.light.count(square), rules.path.dark.count(square)
        more: dict[tuple[int, int], int] = {}
        for (i, j), count in ways.items():
            for di, dj, kinds in ((0, 0, 1), (1, 0, mine), (0, 1, theirs)):
                more[i + di, j + dj] = more.get((i + di, j + dj), 0) + count * kinds
        ways = more
    # off: 0 .. N - on board, but never all N
    return sum(
        count * min(pieces, pieces - i + 1) * min(pieces, pieces - j + 1)
        for (i, j), count in ways.items()
        if i <= pieces and j <= pieces
    )
