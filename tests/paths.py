"""Boards and paths drawn at random."""

from __future__ import annotations

from hypothesis import strategies as st

from ur_solver.rules import UR, Board, Path, mirror_square


@st.composite
def random_boards(draw: st.DrawFn) -> Board:
    """A board of three rows with some rosettes, the middle row without gaps."""
    columns = draw(st.integers(4, 6))
    lane = draw(st.text(alphabet="._", min_size=columns, max_size=columns))
    rows = (lane, "." * columns, lane)
    shape = Board("random", rows, frozenset())
    chosen = draw(st.sets(st.sampled_from(shape.squares), max_size=4))
    return Board("random", rows, frozenset(chosen | {*map(mirror_square, chosen)}))


@st.composite
def any_paths(draw: st.DrawFn, boards: st.SearchStrategy[Board]) -> Path:
    """Squares in any order, some of them visited again: most fall into no tiles."""
    board = draw(boards)
    squares = draw(st.permutations(board.squares))
    first = squares[: draw(st.integers(4, 12))]
    again = draw(st.lists(st.sampled_from(first), unique=True, max_size=4))
    return Path.of("random", board, [*first, *again])


@st.composite
def parted_paths(draw: st.DrawFn, boards: st.SearchStrategy[Board]) -> Path:
    """Squares of one's own, then contested ones, then perhaps squares of one's own again."""
    board = draw(boards)
    lane = draw(st.permutations([square for square in board.squares if square[0] == "A"]))
    middle = draw(st.permutations([square for square in board.squares if square[0] == "B"]))
    n_entry = draw(st.integers(0, len(lane)))
    entry, rest = lane[:n_entry], lane[n_entry:]
    back = draw(st.lists(st.sampled_from(middle), unique=True, max_size=3))
    end = draw(st.lists(st.sampled_from([*rest, *entry] or middle), unique=True, max_size=6))
    others = draw(st.booleans()) * [square for a in rest[:1] for square in (a, mirror_square(a))]
    path = [*entry, *middle, *others, *back, *end]
    counted: list[str] = []
    for square in path:
        if counted.count(square) < 2:
            counted.append(square)
    return Path.of("random", board, counted)


@st.composite
def lanes(draw: st.DrawFn) -> Path:
    """Four private squares, then contested ones, then perhaps private ones again."""
    own = draw(st.permutations([square for square in UR.squares if square[0] == "A"]))
    middle = draw(st.permutations([square for square in UR.squares if square[0] == "B"]))
    n_middle, n_own = draw(st.integers(4, len(middle))), draw(st.integers(4, len(own)))
    return Path.of("lane", UR, [*own[:4], *middle[:n_middle], *own[4:n_own]])


def random_paths(boards: st.SearchStrategy[Board] | None = None) -> st.SearchStrategy[Path]:
    """Paths of at least four squares, of both kinds."""
    chosen = boards or st.one_of(st.just(UR), random_boards())
    return st.one_of(any_paths(chosen), parted_paths(chosen)).filter(lambda path: len(path) >= 4)
