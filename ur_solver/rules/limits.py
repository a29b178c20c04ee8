"""The limits of rule sets, set by compiled code, encoded states and the notation.

No other module defines limits. `tests/rules/test_limits.py` compares the constants of the
compiled modules with them, and docs/custom-rules.md lists them.
"""

MAX_THROW = 12
"""The longest step that dice may show, so that two six-sided dice work."""

MAX_PIECES = 15
"""The most pieces of a side."""

MAX_NUMBERED_PIECES = 7
"""The same where pieces are numbered: state spaces have tables by pairs of sets of pieces."""

MAX_COLUMNS = 12
"""The widest board that state rows and the notation have room for."""

MAX_SQUARES = 3 * MAX_COLUMNS
"""The most squares of a board. Both sides may visit all of them."""

MIN_PATH, MAX_PATH = 2, 63
"""The shortest and the longest path: compiled code has a bit of a word for each index."""

MAX_VISITS = 2
"""The most visits of a path to one square: a piece's letter distinguishes two of them."""

MAX_CAPACITY = 7
"""The most pieces in a stack, or of one letter in a refuge: eight pieces on top of each other, of
four letters, are more than `MAX_CONTENTS`."""

MAX_CONTENTS = 0xFFFE
"""The most sets of pieces that one square may hold: numbers of 16 bits, the last one for none."""

MAX_CHOICES = 2
"""The most choices before a throw."""

MAX_LINES = (1 << 31) - 1
"""The most ways to place one side's pieces, given the squares that both sides visit."""

MAX_VALUES = (1 << 63) - 1
"""The most positions: ranks are signed numbers of 64 bits."""
