"""The graph of a game as inline SVG. Colours are CSS classes, which the report's style defines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

_LEFT, _EDGE = 72, 20
"""Room for the labels, and on the other sides, where labels and dots reach over the edge. On a
phone labels are 32 units high, which makes them 11 pixels, and 53 wide."""


@dataclass(frozen=True)
class GraphMark:
    """A dot on the graph at a ply, with a CSS class, which links to an element of the page."""

    ply: int
    css: str
    target: str
    title: str


def graph_svg(curve: Sequence[float], marks: Sequence[GraphMark], worth: str) -> Markup:
    """What light has throughout the game, with a dot for each marked move.

    Parameters
    ----------
    curve : sequence of float
        In [0, 1], before each ply and at the end.
    marks : sequence of GraphMark
    worth : str
        What that is, such as ``chance to win``.
    """
    width, height = 720.0, 240.0
    step = width / max(len(curve) - 1, 1)
    points = [(ply * step, height * (1 - value)) for ply, value in enumerate(curve)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    grid = "".join(
        f'<line class="grid" x1="0" x2="{width}" y1="{height * share}" y2="{height * share}"/>'
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    labels = "".join(
        f'<text class="axis" x="-8" y="{height * (1 - share)}">{round(100 * share)}</text>'
        for share in (0.0, 0.5, 1.0)
    )
    dots = "".join(
        f'<a href="#{escape(mark.target)}"><circle class="dot {mark.css}" '
        f'cx="{points[mark.ply][0]:.1f}" cy="{points[mark.ply][1]:.1f}" r="6">'
        f"<title>{escape(mark.title)}</title></circle></a>"
        for mark in marks
    )
    area = f"0,{height} {line} {width:.1f},{height}"
    return Markup(
        f'<svg class="graph" viewBox="{-_LEFT} {-_EDGE} {width + _LEFT + _EDGE} '
        f'{height + 2 * _EDGE}" role="img" '
        f'aria-label="light&#39;s {worth} in percent, throw by throw">{grid}{labels}'
        f'<polygon class="area" points="{area}"/><polyline class="curve" points="{line}"/>'
        f"{dots}</svg>"
    )
