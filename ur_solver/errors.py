"""Every exception that this package raises on purpose, in one tree.

`UrError` is the root. `InputError` covers what the caller can mend by writing something
else (a rule set, a position, a move, a file's name); the command line ends with exit
code 2 on it and with 1 on any other `UrError`.
"""

from __future__ import annotations


class UrError(Exception):
    """Root of the errors of this package; its text is one sentence for people."""


class InputError(UrError, ValueError):
    """What was asked for cannot be: the request itself has to change."""


class RuleSetError(InputError):
    """A rule set is unknown, malformed or contradicts itself."""


class PositionSyntaxError(InputError):
    """A position's text does not follow the notation."""


class IllegalPositionError(InputError):
    """A position is well written, but the rule set does not allow it."""


class ThrowError(InputError):
    """A throw that the rule set's dice cannot show."""


class MoveError(InputError):
    """A move's text does not follow the notation, or the move is not legal here."""


class RuleSetMismatchError(InputError):
    """Two things that must share a rule set do not."""


class RecordError(InputError):
    """A game record is malformed or breaks the rules; the text begins with the place."""


class MapError(InputError):
    """A solved map in RoyalUr's format is malformed, or is of rules without one."""


class MissingTableError(InputError):
    """There is no table where one was looked for; the text names the command that makes it."""


class NotATableError(InputError):
    """A file is not a solution table at all."""


class TableVersionError(UrError):
    """A table is of a format version that this program does not read."""


class DamagedTableError(UrError):
    """A table is truncated, incomplete or does not match its checksums."""


class CertificateError(UrError):
    """How far values are off cannot be proven, or not as it is claimed."""


class SolveError(UrError):
    """A solve cannot start or cannot go on."""


class MemoryLimitError(SolveError):
    """A solve would need more memory than there is."""


class OutputError(SolveError):
    """A solve's output or checkpoint cannot be written, or another solve holds it."""


class CheckpointError(SolveError):
    """A checkpoint belongs to another solve or is of another version."""
