"""Comparisons of studies: the figures, their tables, their plots and one page of HTML.

Plots are SVG by matplotlib (the extra ``plots``).
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import pathlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from importlib.resources import files
from operator import getitem
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ur_solver.common.text import cell, decoded, json_text, json_values
from ur_solver.errors import InputError, missing_extra
from ur_solver.rules.payoff import signed
from ur_solver.study.estimates import (
    as_count,
    as_number,
    as_share,
    ends_of,
    halves_of,
    payoff_of,
    value_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_THROWS = "length/distributions/throws"

Study = dict[str, Any]
"""The result of `ur_solver.study.study`."""


@dataclass(frozen=True)
class Row:
    """A figure of a comparison.

    `key` is its name in JSON and CSV, `form` formats it for people. `source` gives it of a study,
    or None: a function, or the figure's path in the study's JSON.
    """

    key: str
    label: str
    form: Callable[[Any], str]
    source: str | Callable[[Study], Any]

    def of(self, study: Study) -> Any:
        """The figure of a study; None if it is missing."""
        if not isinstance(self.source, str):
            return self.source(study)
        return reduce(getitem, self.source.split("/"), study)

    def check(self, study: Study) -> None:
        """ValueError, KeyError or TypeError unless a study has a figure that can be."""
        value, low, high = ends_of(self.of(study))
        most = 1.0 if self.form is as_share else math.inf
        if not (0 <= value <= most and low <= value <= high):
            raise ValueError(f"{self.key} is {value!r}")

    def text(self, study: Study) -> str:
        """The figure for people."""
        figure = self.of(study)
        if figure is None:
            return "-"
        if isinstance(figure, int):
            return f"{figure:,}"
        return self.form(figure)


def first_player_wins(study: Study) -> Any:
    """How often the first player wins: exact, unless the values of the game are none of that."""
    is_sampled = "chance" in payoff_of(study).figures
    return study["fairness"]["first_player_wins" if is_sampled else "first_player"]


def beaten_by_table(study: Study, name: str) -> Any:
    """The share of games that a policy wins against the table."""
    names = study["ladder"]["policies"]
    return study["ladder"]["wins"][names.index(name)][0] if name in names else None


def _beaten_by(name: str) -> Callable[[Study], Any]:
    return partial(beaten_by_table, name=name)


def best_order(study: Study) -> str | None:
    """The best order of priorities that a study found."""
    orders = study["thumbs"]["orders"]
    return orders[-1]["order"] if orders else None


ROWS = (
    Row("positions", "positions", as_number, "positions"),
    Row("first_player", "the first player wins", as_share, first_player_wins),
    Row("throws", "throws a game", as_number, "length/throws"),
    Row("throws_deviation", "  standard deviation", as_number, f"{_THROWS}/deviation"),
    Row("median", "  half take no more than", as_count, f"{_THROWS}/quantiles/0.5"),
    Row("ninety_five", "  95 % take no more than", as_count, f"{_THROWS}/quantiles/0.95"),
    Row("longest", "  longest seen", as_number, f"{_THROWS}/longest"),
    Row("longer", "  longer than that", as_share, "length/beyond"),
    Row("turns", "turns a game", as_number, "length/turns"),
    Row("moves", "moves a game", as_number, "length/moves"),
    Row("captures", "captures a game", as_number, "length/captures"),
    Row("extra_throws", "extra throws a game", as_number, "length/extra_throws"),
    Row("with_a_choice", "throws with a choice", as_share, "choices/with_a_choice"),
    Row("choices_a_turn", "choices a turn", as_number, "choices/choices_a_turn"),
    Row("moves_to_choose_from", "moves to choose from", as_number, "choices/moves_to_choose_from"),
    Row("without_a_move", "throws without a move", as_share, "choices/without_a_move"),
    Row("lead_changes", "changes of the lead", as_number, "drama/lead_changes"),
    Row("won_from_below_10", "won from below 10 %", as_share, "drama/comebacks/10"),
    Row("swing", "a throw changes the chance by", as_share, "drama/swing"),
    Row(
        "greedy_beats_table",
        "greedy beats the table",
        as_share,
        _beaten_by("greedy"),
    ),
    Row(
        "random_beats_table",
        "random beats the table",
        as_share,
        _beaten_by("random"),
    ),
    Row(
        "order_beats_table",
        "the best order beats the table",
        as_share,
        lambda study: beaten_by_table(study, best_order(study) or ""),
    ),
)
"""The figures, in the order in which they are shown."""


def read_study(path: pathlib.Path) -> Study:
    """A study that ``ur study --json`` wrote; InputError if the file is none."""
    try:
        found = json_values(decoded(path.read_bytes()))
    except OSError as error:
        raise InputError(f"study {str(path)!r}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"study {str(path)!r}: not JSON: {error}") from None
    try:
        for row in ROWS:
            row.check(found)
        if not (isinstance(found["word"], str) and min(found["games"], found["seed"]) >= 0):
            raise ValueError("its head")
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        raise InputError(
            f"study {str(path)!r}: not a study as 'ur study --json' writes it"
        ) from None
    return dict(found)


def table_of(studies: Sequence[Study]) -> list[list[str]]:
    """The figures as text: a row for each, a column for each study, with heads."""
    head = ["", *(str(study["word"]) for study in studies)]
    rows = [[row.label, *map(row.text, studies)] for row in ROWS]
    order = ["  the best order", *(best_order(study) or "-" for study in studies)]
    return [head, *rows, order]


def comparison_json(studies: Sequence[Study]) -> str:
    """The figures as JSON: an object in a line for each study."""
    return "\n".join(
        json_text(
            {
                "word": study["word"],
                "games": study["games"],
                "seed": study["seed"],
                **{row.key: row.of(study) for row in ROWS},
                "best_order": best_order(study),
            }
        )
        for study in studies
    )


def comparison_csv(studies: Sequence[Study]) -> str:
    """The figures as CSV: a line for each figure of each study, with the ends of its interval."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["rules", "figure", "value", "low", "high"])
    for study in studies:
        for row in ROWS:
            figure = row.of(study)
            if figure is None:
                continue
            value, low, high = ends_of(figure)
            if math.isfinite(value):
                writer.writerow([cell(study["word"]), row.key, value, low, high])
    return text.getvalue()


_INK, _FAINT, _MAIN = "#2b2620", "#8a8072", "#2f5d8a"
_COLOURS = ("#2f5d8a", "#c0272d", "#2e7d4f", "#c9971c", "#7b4f9d", "#d9661f", "#3a8f95", "#776d60")


def _figure(height: float) -> tuple[Figure, Axes]:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - the extra
    except ImportError:
        raise InputError(missing_extra("plots need matplotlib", "plots", "matplotlib")) from None
    figure = Figure(figsize=(8.0, height), layout="constrained")
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_FAINT)
    axes.tick_params(colors=_INK, labelsize=9)
    return figure, axes


def _svg(figure: Figure, name: str) -> str:
    import matplotlib as mpl  # noqa: PLC0415 - the extra

    text = io.StringIO()
    # the same studies give the same bytes; ids of one plot are not those of another
    with mpl.rc_context(
        {"svg.hashsalt": name, "svg.fonttype": "none", "font.family": "sans-serif"}
    ):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = re.sub(r"^.*?(?=<svg)", "", text.getvalue(), flags=re.DOTALL)
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\1{name}-", svg)


def _halves(figure: Any, unit: float) -> list[float]:
    """How far a figure's interval reaches below it, and above it, in a unit."""
    return [unit * each for each in halves_of(figure)]


def _error_bar(figure: Any, unit: float) -> list[list[float]]:
    """The same for one point of matplotlib's."""
    return [[each] for each in _halves(figure, unit)]


def lengths(studies: Sequence[Study]) -> str:
    """The distribution of throws in a game: a line for every study, with a band of intervals."""
    figure, axes = _figure(3.6)
    for k, study in enumerate(studies):
        colour = _COLOURS[k % len(_COLOURS)]
        shares, edges = (
            study["length"]["distributions"]["throws"]["histogram"][name]
            for name in ("shares", "edges")
        )
        middles = [(low + high) / 2 for low, high in itertools.pairwise(edges)]
        values, lows, highs = zip(
            *(
                [100 * end / (high - low) for end in ends_of(share)]
                for share, (low, high) in zip(shares, itertools.pairwise(edges), strict=True)
            ),
            strict=True,
        )
        axes.fill_between(middles, lows, highs, color=colour, alpha=0.3, lw=0)
        axes.plot(middles, values, color=colour, lw=1.2, label=study["word"])
    axes.set_xlabel("throws in a game")
    axes.set_ylabel("% of games a throw")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=9)
    return _svg(figure, "lengths")


def fairness(studies: Sequence[Study]) -> str:
    """The first player's chance of each study."""
    figure, axes = _figure(0.9 + 0.3 * len(studies))
    labels, values, margins = [], [], []
    for study in studies:
        figure_of = first_player_wins(study)
        labels.append(study["word"])
        values.append(100 * value_of(figure_of) - 50)
        margins.append(_halves(figure_of, 100))
    _bars(axes, labels, values, margins)
    axes.axvline(0, color=_INK, lw=0.8)
    axes.set_xlabel("what the first player wins beyond 50 %, in points")
    return _svg(figure, "fairness")


def throws(studies: Sequence[Study]) -> str:
    """The mean number of throws of each study, with the range of nine games of ten."""
    figure, axes = _figure(0.9 + 0.3 * len(studies))
    for k, study in enumerate(studies):
        length = study["length"]
        quantiles = length["distributions"]["throws"]["quantiles"]
        ends = [quantiles[share] for share in ("0.05", "0.95")]
        axes.plot([value_of(end) for end in ends], [k, k], color=_MAIN, lw=5, alpha=0.3)
        for end in (*ends, length["throws"]):
            is_mean = end is length["throws"]
            axes.errorbar(
                value_of(end), k, xerr=_error_bar(end, 1), fmt="o" if is_mean else "none",
                color=_MAIN, ecolor=_INK, ms=6, lw=0.8, capsize=2,
            )  # fmt: skip
    _name_rows(axes, [study["word"] for study in studies])
    axes.set_xlim(left=0)
    axes.set_xlabel("throws in a game: the mean, and nine games of ten")
    return _svg(figure, "throws")


def skill(studies: Sequence[Study]) -> str:
    """The shares that policies win against the table, for each study."""
    figure, axes = _figure(0.9 + 0.3 * len(studies))
    kinds = (("the best order", _COLOURS[2]), ("greedy", _COLOURS[0]), ("random", _COLOURS[1]))
    for k, study in enumerate(studies):
        for name, colour in kinds:
            policy = best_order(study) if name == "the best order" else name
            figure_of = beaten_by_table(study, policy or "")
            if figure_of is None:
                continue
            axes.errorbar(
                100 * value_of(figure_of), k, xerr=_error_bar(figure_of, 100), fmt="o",
                color=colour, ms=6, lw=1.2,
                label=name if k == 0 else None,
            )  # fmt: skip
    _name_rows(axes, [study["word"] for study in studies])
    axes.set_xlim(0, 52)
    axes.axvline(50, color=_FAINT, lw=0.8, ls=":")
    axes.set_xlabel("% of games won against the table (the further left, the more play matters)")
    axes.legend(frameon=False, fontsize=9, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))
    return _svg(figure, "skill")


def worth(studies: Sequence[Study]) -> str:
    """The worth of a piece on each square of the path, for each study."""
    figure, axes = _figure(3.6)
    for k, study in enumerate(studies):
        colour = _COLOURS[k % len(_COLOURS)]
        places = study["squares"]["places"]
        values = [100 * value_of(place["worth"]) for place in places]
        margins = zip(*(_halves(place["worth"], 100) for place in places), strict=True)
        axes.errorbar(
            range(len(places)), values, yerr=[*margins], color=colour, lw=1.5, label=study["word"]
        )
        at = [i for i, place in enumerate(places) if place["is_rosette"]]
        axes.plot(at, [values[i] for i in at], "*", color=colour, ms=10)
    if len(studies) == 1:
        places = studies[0]["squares"]["places"]
        axes.set_xticks(range(len(places)), [place["square"] for place in places], fontsize=8)
        axes.set_xlabel("square of light's path (* a rosette)")
    else:
        axes.set_xlabel("path index (* a rosette)")
        axes.legend(frameon=False, fontsize=9)
    axes.set_ylabel("points more than at home")
    return _svg(figure, "worth")


def _name_rows(axes: Axes, words: Sequence[str]) -> None:
    """Name the rows of a plot from the top down."""
    axes.set_yticks(range(len(words)), words)
    axes.invert_yaxis()


def _bars(
    axes: Any, labels: list[str], values: list[float], margins: Sequence[Sequence[float]]
) -> None:
    at = range(len(labels))
    errors = [*zip(*margins, strict=True)]
    has_errors = any(map(any, margins))
    axes.barh(
        at, values, xerr=errors if has_errors else None, color=_MAIN, height=0.65,
        error_kw={"ecolor": _INK, "lw": 0.8, "capsize": 2},
    )  # fmt: skip
    _name_rows(axes, labels)
    for k, value in enumerate(values):
        axes.annotate(
            signed(value, 2),
            (value + margins[k][1] if value >= 0 else value - margins[k][0], k),
            xytext=(4 if value >= 0 else -4, 0),
            textcoords="offset points",
            va="center",
            ha="left" if value >= 0 else "right",
            fontsize=8,
            color=_INK,
        )
    axes.margins(x=0.15)


PLOTS = (
    ("How fair they are", fairness),
    ("How long games take", throws),
    ("How much play matters", skill),
    ("How lengths spread", lengths),
    ("What a piece is worth, square by square", worth),
)
"""The plots of a page, with their titles."""


def comparison_page(studies: Sequence[Study]) -> str:
    """The page, with its plots inline; InputError if matplotlib is not installed."""
    from jinja2 import Environment  # noqa: PLC0415 - 20 ms that no other output needs

    source = files("ur_solver.study").joinpath("templates/comparison.html").read_text("utf-8")
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        source
    )
    head, *rows = table_of(studies)
    plots = [(title, Markup(plot(studies))) for title, plot in PLOTS]
    return template.render(head=head, rows=rows, plots=plots, studies=studies)
