"""Rule sets as RoyalUr's seven game settings, which its games and its solved maps use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ur_solver.common.text import counted, json_text
from ur_solver.errors import RecordError, RuleSetError
from ur_solver.records.parts import Faults
from ur_solver.rules import CATALOGUE, DICE, MAX_PIECES, PATHS, RuleSet, named_rules
from ur_solver.rules.board import BOARDS
from ur_solver.rules.game import catalogued, is_catalogued

_BOARDS = {"standard": "ur", "aseb": "aseb"}
_PATHS = {
    "bell": "bell",
    "masters": "masters",
    "murray": "murray-royalur",
    "skiriuk": "skiriuk",
    "aseb": "aseb",
}
_DICE = {"four_binary": "4-binary", "three_binary_0eq4": "3-binary-0as4"}
_PIECES = "start_pieces"
_SWITCHES = {
    "safe_rosettes": "safe_rosettes",
    "extra_on_rosette": "rosettes_grant_rolls",
    "extra_on_capture": "captures_grant_rolls",
}
"""Ours and theirs."""

_OLD_NAMES = {"fourbinary": "four_binary", "threebinary0max": "three_binary_0eq4"}
"""Names that earlier versions of RoyalUr's library wrote, in lower case. The names of boards and
paths have changed in case only."""

_OLD_KEYS = {
    _PIECES: "starting_piece_count",
    "rosettes_grant_rolls": "rosettes_grant_extra_rolls",
    "captures_grant_rolls": "captures_grant_extra_rolls",
    "src": "source",
    "dest": "destination",
    "moves": "available_moves",
}
"""Of settings, and of the moves of games."""


def rules_from_settings(settings: object) -> RuleSet:
    """The rule set of RoyalUr's settings, with its name in the catalogue if it has one.

    RecordError names each key at fault, its value and the values allowed.
    """
    if not isinstance(settings, Mapping):
        raise RecordError(f"settings: expected an object, not {settings!r:.60}")
    faults = Faults()
    with faults:
        board = _one_of(settings, "board_shape", _BOARDS)
    with faults:
        path = PATHS[_one_of(settings, "paths", _PATHS)]
    with faults:
        dice = DICE[_one_of(settings, "dice", _DICE)]
    with faults:
        pieces = _pieces(settings)
    switches = {}
    for key, theirs in _SWITCHES.items():
        with faults:
            switches[key] = _switch(settings, theirs)
    faults.check()
    if path.board.name != board:
        raise RecordError(
            f"settings: the path {settings['paths']!r} is not on the board "
            f"{settings['board_shape']!r}"
        )
    return known_rules(RuleSet("custom", path, dice, pieces, switches=switches))


def settings_of(rules: RuleSet) -> dict[str, Any]:
    """RoyalUr's settings for a rule set, in the order in which RoyalUr's library writes them.

    RuleSetError if the settings cannot express `rules`.
    """
    names = {
        "board_shape": _key(_BOARDS, rules.board.name),
        "paths": _key(_PATHS, rules.path.name),
        "dice": _key(_DICE, rules.dice.name),
    }
    if not rules.mechanics.has_race_turns() or rules.squares:
        raise RuleSetError(
            f"RoyalUr's JSON cannot hold games of {rules_word(rules)}, which do not have the rules "
            "of the race family; use the plain notation, .ur"
        )
    missing = [key for key, value in names.items() if value is None]
    if rules.switches["extra_on_throw"] is not None:
        missing.append("extra_on_throw")
    if rules.mechanics.may_decline:
        missing.append("extra_throw")
    settings = {
        **names,
        _PIECES: rules.pieces,
        **{theirs: rules.switches[key] for key, theirs in _SWITCHES.items()},
    }
    if missing or not rules_from_settings(settings).is_same_game(rules):
        raise RuleSetError(
            f"{rules_word(rules)}: RoyalUr's settings cannot express its "
            f"{', '.join(missing) or 'rules'}; write RGN, which names the rules in a tag"
        )
    return settings


def settings_or_none(rules: RuleSet) -> dict[str, Any] | None:
    """The same; None if the settings cannot express `rules`."""
    try:
        return settings_of(rules)
    except RuleSetError:
        return None


def check_agreement(rules: RuleSet, name: str, value: str) -> None:
    """Check that an entry of a game's metadata does not name other rules than the game's.

    RecordError if it does: which of them were meant is not known. What no rules are is no matter.
    """
    key, word = name.lower(), value.strip().lower()
    if key == "pieces":
        found = re.match(r"\d{1,3}\b", word)
        is_other = found is not None and int(found[0]) != rules.pieces
    elif key == "rules":
        known = catalogued(word.partition(":")[0])
        is_other = known is not None and word not in (rules.name, rules.word, rules_word(rules))
    else:
        kinds: Mapping[str, tuple[Mapping[str, Any], str]] = {
            "path": (PATHS, rules.path.name),
            "dice": (DICE, rules.dice.name),
            "board": (BOARDS, rules.board.name),
        }
        names, own = kinds.get(key, ({}, ""))
        is_other = word in names and word != own
    if is_other:
        raise RecordError(
            f"{name} is {value!r:.60}, but the game is {rules_word(rules)}, with "
            f"{counted(rules.pieces, 'piece')}, {rules.dice.name} dice and the path "
            f"{rules.path.name}; name the rules as in 'rules: finkel:3', and leave out {name}"
        )


def known_rules(rules: RuleSet) -> RuleSet:
    """`rules` with their name in the catalogue, if they are in it with any count of pieces."""
    for known in CATALOGUE.values():
        if known.family != rules.family:
            continue  # the count of pieces may not fit there
        candidate = known.with_pieces(rules.pieces)
        if candidate.is_same_game(rules):
            return candidate
    return rules


def rules_word(rules: RuleSet) -> str:
    """The word for a rule set: ``finkel``, or ``finkel:3`` if the count is not the usual one."""
    known = catalogued(rules.name)
    usual = known is not None and known.pieces == rules.pieces
    return rules.name if usual else f"{rules.name}:{rules.pieces}"


def rules_text(rules: RuleSet) -> str:
    """The text that names a rule set in a record; `rules_of_text` is the inverse.

    It is the rule set's word if it is in the catalogue, and its JSON otherwise.
    """
    if is_catalogued(rules):
        return rules_word(rules)
    return json_text(rules.to_json(), separators=(",", ":"))


def rules_of_text(text: str) -> RuleSet:
    """The rule set that a record names by a word such as ``finkel:3`` or by its JSON.

    RuleSetError if the text is neither. A path is not opened.
    """
    if text.startswith("{"):
        return RuleSet.from_json(text)
    if catalogued(text.partition(":")[0]) is None:
        text = re.sub(r"\s*[:\s]\s*(?=\d+$)", ":", text.strip().lower())
    # Names of the catalogue only: reading a record must not open other files.
    if catalogued(text.partition(":")[0]) is None:
        raise RuleSetError(f"{text[:60]!r} is not in the catalogue ('ur rules' lists it)")
    return named_rules(text)


def _one_of(settings: Mapping[str, Any], key: str, known: Mapping[str, str]) -> str:
    value = settings.get(key)
    if isinstance(value, str):
        name = _OLD_NAMES.get(value.lower(), value.lower())
        if name in known:
            return known[name]
    raise RecordError(f"settings.{key} is {value!r:.60}; known: {', '.join(known)}")


def of_any_version(values: Mapping[str, Any], key: str) -> Any:
    """The value of a key by its name, or by the name that it had first; None if it is not there."""
    value = values.get(key)
    return values.get(_OLD_KEYS.get(key, key)) if value is None else value


def _pieces(settings: Mapping[str, Any]) -> int:
    pieces = of_any_version(settings, _PIECES)
    if isinstance(pieces, int) and not isinstance(pieces, bool) and 1 <= pieces <= MAX_PIECES:
        return pieces
    raise RecordError(
        f"settings.{_PIECES} is {pieces!r:.60}, not a whole number from 1 to {MAX_PIECES}"
    )


def _switch(settings: Mapping[str, Any], key: str) -> bool:
    value = of_any_version(settings, key)
    if not isinstance(value, bool):
        raise RecordError(f"settings.{key} is {value!r:.60}, not true or false")
    return value


def _key(known: Mapping[str, str], value: str) -> str | None:
    return next((key for key, name in known.items() if name == value), None)
