"""Counts in words."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """A count and what is counted.

    Parameters
    ----------
    count : int
    one : str
        What is counted, where there is one of it.
    many : str, optional
        The same where there is none or more than one; by default `one` and an s.

    Examples
    --------
    >>> counted(1, "piece")
    '1 piece'
    >>> counted(1234, "entry is", "entries are")
    '1,234 entries are'
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
