"""Studies side by side as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from markupsafe import Markup

from ur_solver.study.comparison import Study, table_of
from ur_solver.study.plots import PLOTS


def comparison_page(studies: Sequence[Study]) -> str:
    """The page, with its plots inline.

    Raises
    ------
    InputError
        If matplotlib is not installed.
    """
    from jinja2 import Environment  # noqa: PLC0415 - 20 ms that no other output needs

    source = files("ur_solver.study").joinpath("templates/comparison.html").read_text("utf-8")
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        source
    )
    head, *rows = table_of(studies)
    plots = [(title, Markup(plot(studies))) for title, plot in PLOTS]
    return template.render(head=head, rows=rows, plots=plots, studies=studies)
