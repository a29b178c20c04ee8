"""What copies and pickles of objects are."""

from __future__ import annotations

from typing import Self


class Unchanging:
    """What never changes: a copy of it is itself. What is pickled is each class's own business."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return self
