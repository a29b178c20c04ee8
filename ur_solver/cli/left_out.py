"""Games that a command could not use: reported, and then an error."""

from __future__ import annotations

from collections.abc import Sequence

from ur_solver.cli.output import say
from ur_solver.errors import RecordError
from ur_solver.records import RecordFault


def report_left_out(faults: Sequence[RecordFault], what: str) -> None:
    """Report games that were left out, and fail if there are any.

    Parameters
    ----------
    faults : sequence of RecordFault
    what : str
        What was not done with them, such as ``not audited``.

    Raises
    ------
    RecordError
        Of the last fault, after the others have been printed.
    """
    for fault in faults[:-1]:
        say(f"{what}: {fault}")
    if faults:
        raise RecordError(f"{what}: {faults[-1]}")
