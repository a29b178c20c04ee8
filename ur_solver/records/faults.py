"""Faults of a text with their places, collected and reported together."""

from __future__ import annotations

import re
from types import TracebackType

from ur_solver.errors import InputError, RecordError
from ur_solver.rules.words import counted


class Placed:
    """A context that makes an InputError raised inside a RecordError that begins with a place.

    It is entered for every token, which takes 0.3 us; with `contextlib.contextmanager` it would
    take 0.8 us.
    """

    __slots__ = ("_place",)

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, InputError):
            raise RecordError(f"{self._place}: {error}") from None


_PLACE = re.compile(r"line (\d+)(?:, column (\d+))?: ")


def _place_of(fault: str) -> tuple[int, int]:
    """The line and the column that a fault begins with; those without a place come first."""
    match = _PLACE.match(fault)
    return (int(match[1]), int(match[2] or 0)) if match else (0, 0)


class Faults:
    """A context that collects the InputErrors raised inside, so that all can be reported."""

    MOST = 20
    """The most faults reported of one game."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def copy(self) -> Faults:
        """The same faults, to which others can be added."""
        faults = Faults()
        faults._found = self._found.copy()
        return faults

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, InputError):
            return False
        self._found.append(str(error))
        return True

    def add(self, fault: str) -> None:
        """Add a fault; a loop over tokens is faster with this than with the context."""
        self._found.append(fault)

    def __bool__(self) -> bool:
        return bool(self._found)

    def check(self, most: int = MOST) -> None:
        """Raise RecordError with the first `most` faults and the number of others, if any."""
        if not self._found:
            return
        more = len(self._found) - most
        found = sorted(self._found, key=_place_of)
        listed = found[:most] + ([f"and {counted(more, 'more fault')}"] if more > 0 else [])
        raise RecordError("; ".join(listed))
