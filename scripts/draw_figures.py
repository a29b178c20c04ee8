"""Draw the figures of docs/how-it-works.md from the program's own numbers.

    python scripts/draw_figures.py

Writes blocks.svg, tile.svg and sweeps.svg into docs/img; takes some seconds.
"""

from __future__ import annotations

import math
import pathlib
from collections.abc import Iterable
from itertools import combinations
from unittest import mock

from ur_solver.engine import block as iteration
from ur_solver.engine.runners import ThreadRunner
from ur_solver.engine.solve import solve
from ur_solver.kernel.kernels import RaceKernel
from ur_solver.rules import named_rules
from ur_solver.space import TileSpace
from ur_solver.space.tiles import Config

ROOT = pathlib.Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "img"
INK, SOFT, RED, BLUE, SAND = "#222", "#777", "#b5362c", "#2a5d9f", "#e9dfc7"


def text(
    x: float, y: float, words: str, size: int = 13, anchor: str = "middle", **style: object
) -> str:
    """A line of text, its middle (or start, or end) at a point."""
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{more}>{words}</text>'
    )


def rect(x: float, y: float, width: float, height: float, fill: str, stroke: str = INK) -> str:
    """A rectangle."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" '
        f'stroke="{stroke}"/>'
    )


def arrow(x1: float, y1: float, x2: float, y2: float, color: str = RED) -> str:
    """A line with a head at its end."""
    return (
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" '
        'stroke-width="2" marker-end="url(#head)"/>'
    )


def piece(x: float, y: float, is_mine: bool, radius: float = 8) -> str:
    """A piece of mine (white) or of the opponent's (black)."""
    fill = "#fff" if is_mine else INK
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{INK}"/>'


def save(name: str, width: int, height: int, label: str, parts: Iterable[str]) -> None:
    """Write a drawing."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{label}" font-family="sans-serif" fill="{INK}">'
        f'<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" '
        f'markerHeight="6" orient="auto"><path d="M0 0 8 4 0 8z" fill="{RED}"/></marker></defs>'
        f'<rect width="{width}" height="{height}" fill="#fff"/>'
    )
    (IMAGES / name).write_text("\n".join([head, *parts, "</svg>\n"]))


def draw_blocks() -> None:
    """The blocks of finkel with two pieces, and what the middle one reads."""
    space = TileSpace(named_rules("finkel:2"))
    n, cell, left, top = space.n_configs, 66, 110, 70

    def corner(mine: int, theirs: int) -> tuple[float, float]:
        low, high = sorted((mine, theirs))
        return left + low * cell, top + high * cell

    largest = math.log(max(block.size for block in space.blocks))
    parts = [
        text(
            left + n * cell / 2, 24, "what one side can no longer lose: pieces off and out of reach"
        ),
        text(
            20,
            top + n * cell / 2,
            "the other side",
            transform=f"rotate(-90 20 {top + n * cell / 2})",
        ),
    ]
    for k, name in enumerate(_label(space, config) for config in space.configs):
        parts.append(text(left + (k + 0.5) * cell, top - 12, name, 11))
        parts.append(text(left - 8, top + (k + 0.55) * cell, name, 11, "end"))
    for block in space.blocks:
        half = block.halves[0]
        x, y = corner(half.mine, half.theirs)
        share = math.log(block.size) / largest
        parts.append(rect(x, y, cell, cell, f"hsl(42 60% {96 - 36 * share:.0f}%)", "#998"))
        parts.append(text(x + cell / 2, y + cell / 2 + 2, f"{block.size:,}", 14))
        parts.append(text(x + cell / 2, y + cell - 8, f"no. {block.index + 1}", 9, fill=SOFT))
    example = space.block_number(4, 6)
    half = space.blocks[example].halves[0]
    x, y = corner(half.mine, half.theirs)
    parts.append(
        f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" fill="none" stroke="{RED}" '
        'stroke-width="3"/>'
    )
    for index in space.reads(example):
        other = space.blocks[index].halves[0]
        to_x, to_y = corner(other.mine, other.theirs)
        parts.append(arrow(x + cell / 2, y + 14, to_x + cell / 2, to_y + cell / 2 + 10))
    bottom = top + n * cell
    lines = (
        "A cell is a block: its positions, and when it is solved.",
        f"Red: the blocks to which moves from no. {example + 1} lead. They are final by then.",
    )
    parts += [text(left, bottom + 26 + 20 * k, line, 13, "start") for k, line in enumerate(lines)]
    save("blocks.svg", left + n * cell + 20, bottom + 60, "Blocks of finkel with two pieces", parts)


def _label(space: TileSpace, config: Config) -> str:
    """What a side cannot lose: pieces off, and those on the path's last squares."""
    squares = [
        space.squares[square.cells[0]]
        for square, part in zip(space.frozen, config.frozen, strict=True)
        if part
    ]
    return ", ".join([f"{config.off} off"] * bool(config.off) + squares) or "nothing"


def _ahead(squares: list[int]) -> int:
    """Entry squares in the order of rows, the furthest on first."""
    return -sum(1 << square for square in squares)


def draw_tile() -> None:
    """One tile: a placement on the shared squares, and the matrix of what it leaves open."""
    parts: list[str] = []
    cell, left, top = 34, 20, 60
    mine_on, theirs_on = 2, 5  # columns of row B, from 0
    parts.append(text(left + 4 * cell, 28, "the shared squares: B3 is mine, B6 theirs"))
    for row in range(3):
        for column in range(8):
            if row != 1 and column in (4, 5):
                continue
            fill = SAND if row == 1 else "#f4f4f4" if column > 5 else "#dcebdc"
            fill = "#dfe6f2" if row == 2 and column < 4 else fill
            parts.append(rect(left + column * cell, top + row * cell, cell, cell, fill))
    for column, is_mine in ((mine_on, True), (theirs_on, False)):
        parts.append(piece(left + (column + 0.5) * cell, top + 1.5 * cell, is_mine, 12))
    for y, words in ((0, "my entry squares"), (2, "theirs")):
        parts.append(
            text(left + 2 * cell, top + y * cell + (-6 if y == 0 else cell + 16), words, 11)
        )
    # the furthest on first among those of as many pieces
    held = [sorted(map(list, combinations(range(4), size)), key=_ahead) for size in range(3)]
    mine, theirs = held[0] + held[1], held[0] + held[1] + held[2]
    x0, y0, size = 390, 100, 26
    parts.append(text(x0 + len(theirs) * size / 2, 28, "the tile: a value for each row and column"))
    for k, squares in enumerate(theirs):
        for square in range(4):
            y = y0 - 56 + square * 12
            parts.append(rect(x0 + k * size + 7, y, 11, 11, "#dfe6f2", SOFT))
            if square in squares:
                parts.append(piece(x0 + k * size + 12.5, y + 5.5, False, 4))
    for k, squares in enumerate(mine):
        for square in range(4):
            x = x0 - 58 + square * 13
            parts.append(rect(x, y0 + k * size + 7, 12, 12, "#dcebdc", SOFT))
            if square in squares:
                parts.append(piece(x + 6, y0 + k * size + 13, True, 4))
        for column in range(len(theirs)):
            fill = SAND if k == 2 else "#fff"
            parts.append(rect(x0 + column * size, y0 + k * size, size, size, fill, SOFT))
    bottom = y0 + len(mine) * size
    lines = (
        f"{len(mine)} rows: where my other piece may be, at home or on an entry square;",
        f"{len(theirs)} columns: the same for both of theirs.",
        "A move of mine leads from a whole row to a whole row, here or in another tile:",
        "the kernel compares vectors of values, not one value with another.",
    )
    parts += [text(x0, bottom + 24 + 19 * k, line, 12, "start") for k, line in enumerate(lines)]
    save("tile.svg", 880, bottom + 100, "A tile of finkel with three pieces", parts)


def deltas(extrapolate: bool) -> list[float]:
    """The largest change of each sweep of finkel:4's last block."""
    space = TileSpace(named_rules("finkel:4"))
    found: list[float] = []
    iterate = iteration.iterate

    class Watched:
        """A block's values, noting what each sweep changes."""

        def __init__(self, work: object) -> None:
            self._work = work

        def __getattr__(self, name: str) -> object:
            return getattr(self._work, name)

        def sweep(self, threads: int) -> float:
            delta: float = self._work.sweep(threads)  # type: ignore[attr-defined]
            found.append(delta)
            return delta

    def watched(work: object, *arguments: object, **options: object) -> object:
        found.clear()
        return iterate(Watched(work), *arguments, **options)  # type: ignore[arg-type]

    cycle = iteration._CYCLE if extrapolate else 10**9
    with (
        mock.patch.object(iteration, "_CYCLE", cycle),
        mock.patch("ur_solver.engine.block.iterate", watched),
    ):
        solve(space, tolerance=1e-12, kernel=RaceKernel(space), runner=ThreadRunner(1))
    return list(found)


def draw_sweeps() -> None:
    """How the largest change shrinks, sweep by sweep, with extrapolation and without."""
    lines = [("plain sweeps", deltas(False), SOFT), ("with extrapolation", deltas(True), BLUE)]
    left, top, width, height = 80, 30, 620, 330
    longest = max(len(values) for _, values, _ in lines)

    def at(sweep: int, delta: float) -> tuple[float, float]:
        return left + width * sweep / longest, top + height * -math.log10(delta) / 15

    parts = []
    for power in range(0, 16, 3):
        _, y = at(0, 10.0**-power)
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y:g}" y2="{y:g}" stroke="#ddd"/>')
        parts.append(text(left - 8, y + 4, f"1e-{power}" if power else "1", 12, "end"))
    for sweep in range(0, longest + 1, 10):
        x, _ = at(sweep, 1)
        parts.append(text(x, top + height + 18, str(sweep), 12))
    for k, (name, values, color) in enumerate(lines):
        points = [at(number, max(delta, 1e-15)) for number, delta in enumerate(values, 1)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>' for x, y in points]
        words = f"{name}: {len(values)} sweeps"
        parts.append(text(left + width, top + 16 + 20 * k, words, 13, "end", fill=color))
    parts.append(
        text(left + width / 2, top + height + 40, "sweep of the last block of finkel, N = 4")
    )
    middle = top + height / 2
    parts.append(
        text(20, middle, "largest change of a value", transform=f"rotate(-90 20 {middle})")
    )
    save("sweeps.svg", left + width + 30, top + height + 56, "Changes by sweep", parts)


if __name__ == "__main__":
    draw_blocks()
    draw_tile()
    draw_sweeps()
    for name in ("blocks", "tile", "sweeps"):
        path = IMAGES / f"{name}.svg"
        print(f"{path} ({path.stat().st_size:,} bytes)")
