"""Flash cards of decisions, as CSV that Anki takes, with pictures if they are asked for."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from ur_solver.common.files import write_file
from ur_solver.common.text import printable
from ur_solver.errors import OutputError
from ur_solver.rules.drawing import position_text
from ur_solver.rules.svg import board_picture
from ur_solver.study.practise import Decision

_HEAD = "#separator:Comma\n#html:true\n#columns:Front,Back,Tags\n#tags column:3\n"
"""Anki reads these lines; other programs take them for comments."""


class Card(NamedTuple):
    """A card.

    Attributes
    ----------
    front, back : str
        As HTML without the picture.
    tags : str
    picture : str
        The SVG of the position.
    """

    front: str
    back: str
    tags: str
    picture: str

    @property
    def picture_name(self) -> str:
        """The name of its picture's file, which is the same for the same picture."""
        return f"ur-{hashlib.sha256(self.picture.encode()).hexdigest()[:16]}.svg"


def card_of(decision: Decision) -> Card:
    """The card of a decision."""
    rules = decision.position.rules
    units = rules.payoff.units
    question = f"{rules.word}: {decision.question}. What is best?"
    options = ", ".join(each.text for each in decision.options)
    rows = "".join(
        f"<tr><td>{escape(each.text)}</td><td>{units.value(each.value)}</td>"
        f"<td>{units.lost(decision.loss(each)) if decision.loss(each) else 'best'}</td></tr>"
        for each in sorted(decision.options, key=lambda each: -each.value)
    )
    source = f", {printable(decision.source)}" if decision.source else ""
    played = f"<p>{escape(f'played: {decision.played}{source}')}</p>" if decision.played else ""
    return Card(
        f"<pre>{escape(position_text(decision.position))}</pre>"
        f"<p>{escape(question)}<br>{escape(options)}</p>",
        f"<p><b>{escape(decision.best.text)}</b></p><table>{rows}</table>{played}",
        f"ur {rules.word.replace(':', '-')}",
        board_picture(decision.position),
    )


def write_cards(cards: Sequence[Card], path: Path, pictures: Path | None = None) -> None:
    """Write cards as CSV, a row each: front, back and tags.

    Every front and back begins with a tag of HTML, so that no program of tables takes a field for
    a formula.

    Parameters
    ----------
    cards : sequence of Card
    path : Path
    pictures : Path, optional
        The folder of the pictures, which fronts then show in place of a board of text. It is made
        if it is not there.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    if pictures is not None:
        try:
            pictures.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot make the folder {str(pictures)!r}: {error}") from None
        for card in cards:
            write_file(pictures / card.picture_name, card.picture)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for card in cards:
        front = card.front
        if pictures is not None:
            _, _, rest = front.partition("</pre>")
            front = f'<img src="{card.picture_name}">{rest}'
        writer.writerow([front, card.back, card.tags])
    write_file(path, _HEAD + out.getvalue())
