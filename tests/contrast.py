"""How well colours can be told apart, as WCAG defines it."""

from __future__ import annotations

import re


def luminance(colour: str) -> float:
    """Of a colour such as ``#1b1a18`` or ``#fff``."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * each for each in colour[1:])
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [
        each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def variables(sheet: str) -> list[dict[str, str]]:
    """The colours that a style sheet names, in the light and in the dark."""
    schemes: list[dict[str, str]] = [{}, {}]
    pattern = r"(@media \(prefers-color-scheme: dark\) \{\s*)?:root \{([^}]*)\}"
    for is_dark, block in re.findall(pattern, sheet):
        found = dict(re.findall(r"--([\w-]+): (#\w+);", block))
        for scheme in schemes[bool(is_dark) :]:
            scheme.update(found)
    return schemes
