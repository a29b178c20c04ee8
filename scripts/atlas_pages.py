"""The parts that the atlas's pages have in common."""

from __future__ import annotations

from collections.abc import Callable

import atlas_data

from ur_solver.players.policies import PRIORITIES
from ur_solver.study.comparison import Study, best_order, worth
from ur_solver.study.estimates import as_count, as_share


def markdown(rows: list[list[str]]) -> str:
    head, *rest = rows
    lines = [head, ["---", *("--:" for _ in head[1:])], *rest]
    return "\n".join(f"| {' | '.join(cell.strip() for cell in line)} |" for line in lines)


def picture(name: str, plot: Callable[[list[Study]], str], studies: list[Study]) -> str:
    folder = atlas_data.ATLAS / "img"
    folder.mkdir(exist_ok=True)
    text = f'<?xml version="1.0" encoding="utf-8"?>\n{plot(studies)}'
    (folder / f"{name}.svg").write_text(text)
    return f"img/{name}.svg"


def ladder_of(found: Study, best: str) -> str:
    """What policies win against the best player."""
    ladder = found["ladder"]
    return markdown(
        [
            ["policy", f"wins against {best}", "games to tell them apart"],
            *(
                [
                    f"`{policy}`",
                    as_share(ladder["wins"][k][0]),
                    "-" if ladder["games_apart"][k][0] is None
                    else as_count(ladder["games_apart"][k][0]),
                ]
                for k, policy in enumerate(ladder["policies"])
                if k
            ),
        ]
    )  # fmt: skip


def remember_of(found: Study) -> str:
    """The best order of priorities; empty if there is none."""
    thumbs = "\n".join(
        f"{k}. {'Prefer' if k == 1 else 'Among equals,'} {PRIORITIES[each]}."
        for k, each in enumerate((best_order(found) or "").split("+"), start=1)
        if each
    )
    return f"""
## What to remember

The best order of priorities that was found, by games against `greedy`:

{thumbs}
""" if thumbs else ""  # fmt: skip


def squares_of(found: Study, name: str) -> str:
    squares = picture(f"{name}-squares", worth, [found])
    return f"""## What a piece is worth

On each square of light's path, in points more than at home, with 95 % intervals:

![What a piece is worth on each square of {name}]({squares})
"""
