"""The dates of games: one rule for every notation.

A moment, such as ``2026-11-27T23:30:00-05:00``, or milliseconds since 1970 in RoyalUr's JSON, is on
the day that it is in the time zone of the machine (``TZ``). A date without a time zone is that day.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from ur_solver.records.record import GameRecord

START_TIME = "StartTime"
"""RoyalUr's header of a moment."""

_DATES = ("date", START_TIME.lower(), "utcdate")
_UTC_TIME = "utctime"
_LEAST_TIME = 10**11
"""Milliseconds; smaller times of a record count from the start of the game."""

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|[+-]\d\d:?\d\d)")
_YEAR_FIRST = re.compile(r"(\d{4})([-./])(\d{1,2})(?:\2(\d{1,2}))?(?![\d-])")
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(?!\d)")
_YEAR_LAST = re.compile(r"(\d{1,2})([-./])(\d{1,2})\2(\d{4})(?!\d)")
_YEAR = re.compile(r"\d{4}")
_OPEN = re.compile(r"[-./]\?\?.*")
"""What PGN has for a month or a day that is not known."""

_UNKNOWN = re.compile(r"[?.\s-]*")


def day_of(record: GameRecord) -> str | None:
    """The day on which a game was played, as ``2026-11-27``; None if the record does not say it.

    If no more is known, it is ``2026-11`` or ``2026``.
    """
    days = (_day(text) for text in _written(record))
    found = next((day for day in days if day is not None), None)
    moment = started(record)
    return found or (moment.date().isoformat() if moment else None)


def unread_date(record: GameRecord) -> str | None:
    """The date of a record if it is not understood, as it is written."""
    texts = [text for text in _written(record) if not _UNKNOWN.fullmatch(text)]
    return texts[0] if texts and day_of(record) is None else None


def started(record: GameRecord) -> datetime | None:
    """When a game began by its times, in the machine's time zone."""
    if record.start_time < _LEAST_TIME:
        return None
    seconds, milliseconds = divmod(record.start_time, 1000)
    try:
        whole = datetime.fromtimestamp(seconds, UTC).replace(microsecond=1000 * milliseconds)
        return whole.astimezone()
    except (OverflowError, ValueError, OSError):
        return None


def dated_metadata(record: GameRecord) -> dict[str, str]:
    """The metadata of a record, with the moment at which it began for notations without times."""
    metadata = dict(record.metadata)
    moment = started(record)
    if moment is not None and START_TIME.lower() not in map(str.lower, metadata):
        is_whole = moment.microsecond == 0
        metadata[START_TIME] = moment.isoformat(timespec="seconds" if is_whole else "milliseconds")
    return metadata


def _written(record: GameRecord) -> list[str]:
    """The dates in the headers of a record."""
    headers = {name.lower(): text.strip() for name, text in record.metadata.items()}
    if _UTC_TIME in headers and (utc := headers.get("utcdate")):
        headers["utcdate"] = f"{utc.replace('.', '-')} {headers[_UTC_TIME]}Z"
    return [headers[name] for name in _DATES if name in headers]


def _day(text: str) -> str | None:
    """The day of a date in figures; None for any other, and for one with two meanings."""
    text = _OPEN.sub("", text)
    if found := _MOMENT.match(text):
        try:
            return (
                datetime.fromisoformat(found[0].replace(" Z", "Z")).astimezone().date().isoformat()
            )
        except (ValueError, OverflowError, OSError):
            return None
    if found := _COMPACT.match(text):
        return _valid(*map(int, found.groups()))
    if found := _YEAR_FIRST.match(text):
        year, _, month, day = found.groups()
        return _valid(int(year), int(month), None if day is None else int(day))
    if found := _YEAR_LAST.match(text):
        first, mark, second, year = found.groups()
        day, month = int(first), int(second)
        if mark != "." and day <= 12 and month <= 12 and day != month:
            return None  # the month may come first or second
        if mark != "." and month > 12:
            day, month = month, day
        return _valid(int(year), month, day)
    return text if _YEAR.fullmatch(text) else None


def _valid(year: int, month: int, day: int | None) -> str | None:
    try:
        whole = date(year, month, 1 if day is None else day).isoformat()
    except ValueError:
        return None
    return whole if day is not None else whole[:7]
