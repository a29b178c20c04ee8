"""Copies of objects that never change."""

from __future__ import annotations

from typing import Self


class Unchanging:
    """A base of objects that never change: a copy is the object itself.

    Each class says for itself, in `__reduce__`, how it is pickled.
    """

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return self
