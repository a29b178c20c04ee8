"""Comparisons of studies: the figures, and their tables and pages."""

from __future__ import annotations

import csv
import io
import json
import math
import pathlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import getitem
from typing import Any

from ur_solver.common.text import cell, decoded, json_values
from ur_solver.errors import InputError
from ur_solver.study.figures import as_count, as_number, as_share, ends_of, payoff_of

_THROWS = "length/distributions/throws"

Study = dict[str, Any]
"""The result of `ur_solver.study.study`."""


@dataclass(frozen=True)
class Row:
    """A figure of a comparison.

    Attributes
    ----------
    key : str
        Its name in JSON and CSV.
    label : str
    form : callable
        Formats it for people.
    source : str or callable
        Gives the figure of a study, or None: a function, or the figure's path in the study's JSON.
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
    """A study that ``ur study --json`` wrote.

    Raises
    ------
    InputError
        If the file is not a study.
    """
    try:
        found = json_values(decoded(path.read_bytes()))
    except OSError as error:
        raise InputError(f"study {str(path)!r}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"study {str(path)!r}: not JSON: {error}") from None
    try:
        for row in ROWS:
            row.of(found)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
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
        json.dumps(
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
