"""The outcomes of a fault that was tried many times."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Tally:
    """One line of the page on reliability.

    Attributes
    ----------
    fault : str
        What is done.
    survived : int
        How often it changed nothing: the result was the right one.
    detected : int
        How often it was answered by one clear sentence, with nothing lost.
    lost : list of str
        Everything else, each described so that it can be repeated.
    """

    fault: str
    survived: int = 0
    detected: int = 0
    lost: list[str] = field(default_factory=list)

    @property
    def tried(self) -> int:
        """How often the fault was tried."""
        return self.survived + self.detected + len(self.lost)

    def count(self, *, survived: bool = False, detected: bool = False, case: str) -> None:
        """Count one case, as lost unless it was survived or detected."""
        if survived:
            self.survived += 1
        elif detected:
            self.detected += 1
        else:
            self.lost.append(case)
