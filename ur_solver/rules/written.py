"""Rule sets as they are written: as JSON, and by names that say in what they were changed.

JSON is in files, in tables and in records of games:

    {"name": "finkel", "family": "race", "path": "bell", "dice": "4-binary", "pieces": 7,
     "safe_rosettes": true, ...}

The switches are those of the family; one that is left out is at its default. Dice and paths
of the literature are written by their names, others in full:

    "dice": {"name": "coin", "throws": {"0": "1/2", "1": "1/2"}}
    "path": {"name": "short", "board": "ur", "squares": ["A4", "B1", ...], "second_leg": 6}

without `second_leg` where the path does not come back to a square. A custom board is
``{"name": "small", "rows": ["....", "........", "...."], "rosettes": ["A1", "C1"]}``. Squares
that have another rule than the family's are listed with it:

    "squares": {"B4": "shared", "A2": {"rule": "stack", "capacity": 4, "one_side": true}}
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ur_solver.common.text import json_values, normal
from ur_solver.errors import RuleSetError
from ur_solver.rules.board import BOARDS, DICE, PATHS, Board, Dice, Path
from ur_solver.rules.family import family_named, known_switches
from ur_solver.rules.settings import MAX_NAME, Flag, RuleData, is_name, whole_number
from ur_solver.rules.squares import rule_from_json, rule_to_json

_NEEDED = ("name", "path", "dice", "pieces")
_THROW = re.compile("0|[1-9][0-9]?")
_CHANCE = re.compile(r"[0-9]{1,20}(?:/(?=[0-9]*[1-9])[0-9]{1,20}|\.[0-9]{1,20})?")
"""Without exponents: a fraction of 1e-999999999 has that many digits."""


def rules_to_json(rules: RuleData) -> dict[str, Any]:
    """A rule set as JSON values."""
    values: dict[str, Any] = {
        "name": rules.name,
        "family": rules.family,
        "path": _path_to_json(rules.path),
        "dice": _dice_to_json(rules.dice),
        "pieces": rules.pieces,
    }
    family = family_named(rules.family)
    for short in family.shorthands:
        values[short.key] = rules.switches[short.of] == short.on
    for switch in family.switches:
        value = rules.switches[switch.key]
        is_short = any(short.of == switch.key and short.on == value for short in family.shorthands)
        if switch.is_written(value) and not is_short:
            values[switch.key] = switch.to_json(value)
    if rules.squares:
        values["squares"] = {square: rule_to_json(rule) for square, rule in rules.squares.items()}
    return values


def rules_from_json(values: object) -> dict[str, Any]:
    """What `RuleData` is made of, from JSON values or from their text.

    RuleSetError says which key is wrong, what it holds and what would be right.
    """
    if isinstance(values, str):
        try:
            values = json_values(normal(values), keys_once=True)
        except (ValueError, RecursionError) as error:
            raise RuleSetError(f"rule set: not JSON: {error}") from None
    if not isinstance(values, Mapping):
        raise RuleSetError("rule set: expected a JSON object such as 'ur rules finkel --json'")
    name = values.get("family", "race")
    family = family_named(name)  # before its switches are found to be unknown keys
    switches = known_switches()
    known = (*_NEEDED, "family", *switches, "squares")
    for key in values:
        if key not in known:
            raise RuleSetError(f"rule set: unknown key {key!r:.100}; the keys are {_listed(known)}")
    for key in _NEEDED:
        if key not in values:
            raise RuleSetError(f"rule set: the key {key!r} is missing")
    own = {switch.key: switch for switch in (*family.switches, *family.shorthands)}
    given = {
        key: own.get(key, switches[key]).from_json(values[key]) for key in switches if key in values
    }
    return {
        "name": values["name"],
        "path": _path(values["path"]),
        "dice": _dice(values["dice"]),
        "pieces": whole_number("pieces", values["pieces"]),
        "family": name,
        # a switch that the family lacks is off, and JSON may state that
        "switches": {key: value for key, value in given.items() if key in own or value},
        "squares": _squares(values.get("squares", {})),
    }


def _dice_to_json(dice: Dice) -> Any:
    if DICE.get(dice.name) == dice:
        return dice.name
    chances = dice.probabilities
    return {
        "name": dice.name,
        "throws": {str(throw): str(chances[throw]) for throw in dice.throws},
    }


def _dice(value: object) -> Dice:
    if isinstance(value, str) and value in DICE:
        return DICE[value]
    if not isinstance(value, Mapping):
        raise RuleSetError(f"dice is {value!r:.100}; the dice are {_listed(DICE)}")
    if set(value) != {"name", "throws"} or not isinstance(value["throws"], Mapping):
        raise RuleSetError(
            'dice: write custom dice as {"name": "coin", "throws": {"0": "1/2", "1": "1/2"}}'
        )
    name = _name("dice", value["name"])
    chances = {}
    for throw, chance in value["throws"].items():
        is_throw = isinstance(throw, str) and _THROW.fullmatch(throw)
        if not is_throw or not _CHANCE.fullmatch(f"{chance!s:.100}"):
            raise RuleSetError(
                f"dice: {throw!r:.40}: {chance!r:.100} is not a throw and its chance, such as "
                "'1': '1/4'"
            )
        chances[int(throw)] = Fraction(chance)
    if not chances:
        raise RuleSetError("dice: no throws given")
    return Dice.of(name, chances)


def _path_to_json(path: Path) -> Any:
    if PATHS.get(path.name) == path:
        return path.name
    values: dict[str, Any] = {
        "name": path.name,
        "board": _board_to_json(path.board),
        "squares": list(path.light),
    }
    if path.second_leg < len(path):
        values["second_leg"] = path.second_leg
    return values


def _path(value: object) -> Path:
    if isinstance(value, str) and value in PATHS:
        return PATHS[value]
    if not isinstance(value, Mapping):
        raise RuleSetError(f"path is {value!r:.100}; the paths are {_listed(PATHS)}")
    least = {"name", "board", "squares"}
    if not (least <= set(value) <= least | {"second_leg"} and _is_texts(value["squares"])):
        raise RuleSetError(
            'path: write a custom path as {"name": "short", "board": "ur", "squares": '
            '["A4", "B1", "B2"]}, with "second_leg" or not'
        )
    name = _name("path", value["name"])
    leg = value.get("second_leg")
    if leg is not None:
        leg = whole_number("path: second_leg", leg)
    path = Path.of(name, _board(value["board"]), value["squares"], leg)
    if PATHS.get(name, path) != path:
        raise RuleSetError(
            f"path {name!r}: another path has that name, {' '.join(PATHS[name].light)}; choose "
            "one that is free"
        )
    return path


def _board_to_json(board: Board) -> Any:
    if BOARDS.get(board.name) == board:
        return board.name
    return {"name": board.name, "rows": list(board.rows), "rosettes": sorted(board.rosettes)}


def _board(value: object) -> Board:
    if isinstance(value, str) and value in BOARDS:
        return BOARDS[value]
    if not isinstance(value, Mapping):
        raise RuleSetError(
            f"path: board is {value!r:.100}; the boards are {_listed(BOARDS)}, others are given by "
            "their rows"
        )
    is_right = (
        set(value) == {"name", "rows", "rosettes"}
        and is_name(value["name"])
        and _is_texts(value["rows"])
        and len(value["rows"]) == 3
        and _is_texts(value["rosettes"])
    )
    if not is_right:
        raise RuleSetError(
            'path: write a custom board as {"name": "small", "rows": ["....", "......", '
            '"...."], "rosettes": ["A1", "C1"]}, rows A, B and C of one width, \'_\' where there '
            "is no square"
        )
    a, b, c = value["rows"]
    board = Board(value["name"], (a, b, c), frozenset(value["rosettes"]))
    if BOARDS.get(board.name, board) != board:
        raise RuleSetError(
            f"board {board.name!r}: another board has that name; choose one that is free"
        )
    return board


def _name(what: str, value: object) -> str:
    if isinstance(value, str) and is_name(value):
        return value
    raise RuleSetError(f"{what}: name is {value!r:.100}, not a text of 1 to {MAX_NAME} characters")


def _is_texts(value: object) -> bool:
    """Whether `value` is a list of texts."""
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and all(isinstance(each, str) for each in value)
    )


def _squares(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise RuleSetError(f'rule set: squares is {value!r:.100}, not such as {{"B4": "shared"}}')
    return {square: rule_from_json(rule) for square, rule in value.items()}


def _listed(names: Iterable[object]) -> str:
    return ", ".join(map(str, names))


def name_of_changed(before: RuleData, rules: RuleData, catalogue: Iterable[RuleData]) -> str:
    """The name of `rules`, made from `before`, whose name they still have.

    It is the name of the catalogue's rule set that `before` is called after, with a word for
    all in which `rules` differ from that one; so what is turned back leaves no trace. If
    `before` is called after none, as one with a name of somebody's own, words are added to its
    name, and those that no longer hold are taken out of it.
    """
    bases = [
        known
        for known in sorted(catalogue, key=lambda known: len(known.name))
        if known.family == before.family and _named(known, before) == before.name
    ]
    if bases:
        return _named(bases[0], rules)
    stem, turned_back = _stem(before, rules)
    return _named(before, rules, stem, turned_back)


def _stem(before: RuleData, rules: RuleData) -> tuple[str, set[str]]:
    """The name of `before` without words that do not hold for `rules`, and flags turned back."""
    stem, found = before.name, set()
    for key, word in _words(rules, before).items():
        shorter = re.sub(rf"-{re.escape(word)}(?=-|$)", "", stem)
        if shorter and shorter != stem:
            stem = shorter
            found.add(key)
    # a flag has two values: without its word it has the other one again
    switches = family_named(before.family).switches
    return stem, {each.key for each in switches if isinstance(each, Flag) and each.key in found}


def _named(
    base: RuleData, rules: RuleData, stem: str = "", omitted: Collection[str] = frozenset()
) -> str:
    """The name of `base` with a word for every difference of `rules` but their pieces.

    Words are added to `stem` in place of the name, if it is given, and none for `omitted` switches.
    """
    words = _words(base, rules)
    for square in rules.board.squares:
        own, usual = rules.squares.get(square), base.squares.get(square)
        if own != usual and not square.startswith("C"):  # row C is row A's mirror image
            words[f"square-{square}"] = f"{square}-{own.name if own else 'usual'}"
    stem = stem or base.name
    name = "-".join([stem, *(words[key] for key in sorted(words) if key not in omitted)])
    return name if len(name) <= MAX_NAME else f"{base.name}-custom"[:MAX_NAME]


def _words(base: RuleData, rules: RuleData) -> dict[str, str]:
    """By key the words for the path, the dice and the switches of `rules` that `base` has not."""
    words = {}
    if rules.path != base.path:
        words["path"] = rules.path.name
    if rules.dice != base.dice:
        words["dice"] = rules.dice.name
    for switch in family_named(base.family).switches:
        value = rules.switches[switch.key]
        if switch.played(value) != switch.played(base.switches[switch.key]):
            words[switch.key] = switch.word(value)
    return words
