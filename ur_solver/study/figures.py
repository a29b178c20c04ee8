"""Figures of a study as text: shares in per cent, numbers, with what they may be off."""

from __future__ import annotations

import math
import string
from typing import Any


def parts_of(figure: Any) -> tuple[float, float]:
    """A figure of a study as JSON has it: its value, and half the width of its interval.

    What could not be seen, as there was nothing of its kind, is None there and 0 here.
    """
    if figure is None:
        return 0.0, 0.0
    if isinstance(figure, dict):
        return float(figure["value"]), (float(figure["high"]) - float(figure["low"])) / 2
    return float(figure), 0.0


def _decimals(margin: float, exact: int) -> int:
    """As many as the margin leaves two digits of."""
    if margin <= 0 or not math.isfinite(margin):
        return exact
    return max(0, min(6, 1 - math.floor(math.log10(margin))))


def as_number(figure: Any) -> str:
    """A figure with its margin: ``69.64 ± 0.20``; an exact one without; ``none`` was seen."""
    value, margin = parts_of(figure)
    if value == 0:
        return "none"
    decimals = _decimals(margin, 4)
    return f"{value:.{decimals}f}" + (f" ± {margin:.{decimals}f}" if margin else "")


def as_share(figure: Any) -> str:
    """A share in per cent: ``63.55 % ± 0.10``; ``none`` where nothing was seen of it."""
    value, margin = parts_of(figure)
    if value == 0:
        return "none"
    decimals = _decimals(100 * margin, 4)
    return f"{100 * value:.{decimals}f} %" + (f" ± {100 * margin:.{decimals}f}" if margin else "")


def points(value: float, *, sign: bool = True) -> str:
    """A change of a chance in points, hundredths: ``+1.25``."""
    text = f"{100 * value:{'+' if sign else ''}.2f}"
    return text.replace("-", "\N{MINUS SIGN}")


def names_of(n: int) -> list[str]:
    """Letters for the columns of a matrix."""
    return list(string.ascii_uppercase[:n])
