"""Every exception that this package raises on purpose, in one tree.

`UrError` is the root. `InputError` is for faults that the caller can correct (another rule set,
position, move or file name). The command line exits with code 2
on an `InputError` and with code 1 on any other `UrError`.
"""

from __future__ import annotations

from collections.abc import Iterable


class UrError(Exception):
    """The root of this package's errors; the text is one sentence for people."""


class InputError(UrError, ValueError):
    """The input is invalid and must change."""


class WrongTypeError(InputError, TypeError):
    """The input is a thing of another kind than expected."""


class RuleSetError(InputError):
    """A rule set is unknown, malformed or contradicts itself."""


class UnregisteredError(RuleSetError):
    """A rule set names an unregistered family or square rule."""


class PositionSyntaxError(InputError):
    """A position's text does not follow the notation."""


class IllegalPositionError(InputError):
    """A position follows the notation, but the rule set does not allow it."""


class ThrowError(InputError):
    """A throw that the rule set's dice cannot show."""


class MoveError(InputError):
    """A move's text does not follow the notation, or the move is not legal here."""


class RuleSetMismatchError(InputError):
    """Two objects with different rule sets that must be equal."""


class RecordError(InputError):
    """A game record is malformed or breaks the rules; the text begins with the place."""


class MapError(InputError):
    """A solved map in RoyalUr's format is malformed, or the format cannot express the rules."""


class MissingTableError(InputError):
    """There is no such table; the text names the command that makes it."""


class BeyondTableError(InputError):
    """A table holds a part of its game without the requested position."""


class NotATableError(InputError):
    """A file is not a solution table."""


class ObjectiveError(InputError):
    """A table holds lengths of games where chances are expected, or the reverse."""


class TableVersionError(UrError):
    """A table has a format version that this program does not read."""


class DamagedTableError(UrError):
    """A table is truncated, incomplete or does not match its checksums."""


class ClosedTableError(UrError):
    """A table is asked after it was closed."""


class TableInUseError(UrError):
    """Another program is writing to a table."""


class CertificateError(UrError):
    """No error can be proven for some values, or not the claimed one."""


class FetchError(UrError):
    """A table cannot be fetched from a web server, or is not what was announced."""


class SolveError(UrError):
    """A solve cannot start or cannot continue."""


class UnsettledError(SolveError):
    """The values of a block do not converge.

    Attributes
    ----------
    sweeps : int
        The number of sweeps.
    """

    def __init__(self, sweeps: int, text: str) -> None:
        super().__init__(sweeps, text)
        self.sweeps = sweeps

    def __str__(self) -> str:
        return str(self.args[1])


class UnsolvableError(SolveError):
    """A rule set has no values, or none that can be proven to the tolerance."""


class MissingBlockError(SolveError):
    """The values of a block are needed that is unsolved or missing."""


class DamagedBlockError(SolveError):
    """The file of a finished block is damaged or gone.

    Attributes
    ----------
    index : int
        The block's number in `Space.blocks`.
    """

    def __init__(self, index: int, text: str) -> None:
        super().__init__(index, text)
        self.index = index

    def __str__(self) -> str:
        return str(self.args[1])


class ClusterError(SolveError):
    """The workers of a cluster cannot be reached, or none of them can take a block."""


class MemoryLimitError(SolveError):
    """A solve would need more memory than is free."""


class DiskLimitError(SolveError):
    """A solve would need more room on disk than is free."""


class OutputError(SolveError):
    """A solve's output or checkpoint cannot be written, or another solve holds it."""


class CheckpointError(SolveError):
    """A checkpoint belongs to another solve or is of another version."""


class MissingEstimatorError(InputError):
    """There is no such estimator; the text names the command that makes it."""


class NotAnEstimatorError(InputError):
    """A file is not an estimator."""


class EstimatorVersionError(UrError):
    """An estimator is of a version, or has features, that this program does not know."""


class DamagedEstimatorError(UrError):
    """An estimator's file is truncated, incomplete or does not match its digest."""


class IgnoredFileWarning(UserWarning):
    """A file in a folder of tables or estimators cannot be used; the search goes on without it."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: the nearest known one, if any."""
    from difflib import get_close_matches  # noqa: PLC0415 - most commands do without

    near = get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def missing_extra(need: str, extra: str, package: str) -> str:
    """A sentence about packages that only some commands need, and how to install them.

    `need` says what is needed, as in ``plots need matplotlib``; `extra` is the name in
    pyproject.toml of the packages together, of which `package` is missing.
    """
    return f"{need} ({package} is missing): pip install 'ur-solver[{extra}]'"
