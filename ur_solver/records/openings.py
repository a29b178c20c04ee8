"""Openings in records: how the first player was found, in one text for every notation.

    2-2, 0-3 A3A2 C3B1

A round is what was thrown, light's throw first, and both markers' moves, which may be left out
where neither side could choose. Rounds are separated by commas. In Skiriuk's opening a 1 of light
stands alone. A side alone, ``dark``, says who began, and not why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ur_solver.errors import RecordError
from ur_solver.records.endings import side_of
from ur_solver.records.faults import Placed
from ur_solver.records.record import GameRecord, Replay
from ur_solver.rules import DARK, SIDE_NAMES, RuleSet
from ur_solver.rules.openings import Round

OPENING = "opening"
"""The name of the header, and in capitals of the tag and the metadata, that hold this text."""

_ROUND = re.compile(r"(\d{1,2})(?:\s*-\s*(\d{1,2}))?(?:\s+(\S.*))?")


def opened(rules: RuleSet, text: str) -> Replay:
    """A game in progress that begins with an opening.

    Raises
    ------
    RecordError
        If the text is not an opening of these rules.
    """
    side = side_of(text.strip())
    if side is not None:
        return Replay(rules, replace(rules.start(), side=side))
    replay = Replay(rules)
    for number, part in enumerate(text.split(","), start=1):
        with Placed(f"round {number}"):
            replay.open(_round(replay, part.strip()))
    return replay


def is_opening(text: str) -> bool:
    """Whether a text means an opening; metadata of other programs may have the same name."""
    return bool(_ROUND.match(text.strip())) or side_of(text.strip()) is not None


def _round(replay: Replay, text: str) -> Round:
    match = _ROUND.fullmatch(text)
    if match is None:
        raise RecordError(f"{text[:60]!r} is not a round such as '3-1' or '0-3 A@A1 C@C2'")
    throws = tuple(int(throw) for throw in match.groups()[:2] if throw is not None)
    rounds = replay.rounds(throws)
    if match[3] is None and len(rounds) == 1:
        return rounds[0]
    moves = " ".join((match[3] or "").upper().split())
    for each in rounds:
        if each.text == moves:
            return each
    legal = " or ".join(repr(each.text) for each in rounds if each.text) or "none"
    after = f"the moves of both markers after {'-'.join(map(str, throws))}"
    if match[3] is None:
        raise RecordError(f"{after} are missing; expected {legal}")
    raise RecordError(f"{match[3][:40]!r} are not {after}; expected {legal}")


def round_text(each: Round) -> str:
    """A round: both throws, and the moves of both markers."""
    return f"{'-'.join(map(str, each.throws))} {each.text}".strip()


def opening_text(rounds: Sequence[Round]) -> str:
    """The rounds of an opening; `opened` is the inverse."""
    return ", ".join(map(round_text, rounds))


def opening_words(record: GameRecord) -> str:
    """How a record's game began, for people; empty if light began, and nothing more is known."""
    rules, rounds = record.rules, record.opening
    began = f"{SIDE_NAMES[record.start.side]} began"
    if rounds:
        is_over = rounds[-1].position is not None
        return f"opening {opening_text(rounds)}{f': {began}' if is_over else ''}"
    is_start = replace(record.start, side=rules.start().side) == rules.start()
    return began if is_start and record.start.side == DARK else ""
