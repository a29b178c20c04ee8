"""The style sheets: of boards, of pictures in files, and of the pages that boards are on."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources

from markupsafe import Markup


@lru_cache(maxsize=1)
def board_style() -> Markup:
    """The style sheet of all boards on a page, to be put there once."""
    return _sheet("board.css")


@lru_cache(maxsize=1)
def picture_style() -> str:
    """The style sheet of a picture in a file: without variables, which only browsers know."""
    light, dark, rest = board_style().split("\n}\n", 2)

    def filled(block: str) -> str:
        colours = dict(re.findall(r"--([\w-]+): ([^;]+);", block))
        return re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], rest)

    return (
        f"{filled(light)}.ur-board {{ font-family: sans-serif; }}\n"
        f"@media (prefers-color-scheme: dark) {{\n{filled(dark)}}}\n"
    )


@lru_cache(maxsize=1)
def page_style() -> Markup:
    """The style sheet that reports and the page of `ur serve` share."""
    return _sheet("page.css")


def _sheet(name: str) -> Markup:
    file = resources.files("ur_solver.rules.drawing") / name
    return Markup(file.read_text(encoding="utf-8"))
