"""The rule sets of the literature, by name, and the words that name a rule set."""

from __future__ import annotations

import pathlib

from ur_solver.common.text import counted, decoded
from ur_solver.errors import InputError, RuleSetError
from ur_solver.rules.board import DICE, PATHS
from ur_solver.rules.families import Race
from ur_solver.rules.family import FAMILIES, LOTS, MAY
from ur_solver.rules.game import CATALOGUE, RuleSet, catalogued, register_rules
from ur_solver.rules.limits import MAX_PIECES
from ur_solver.rules.payoff import Stakes
from ur_solver.rules.registry import load_plugins

MAX_JSON_BYTES = 1 << 16
"""A rule set's JSON is a few hundred bytes; a larger file is not one."""


def _add(
    name: str,
    pieces: int,
    path: str,
    dice: str,
    family: str = Race.name,
    **switches: bool | int | str | Stakes,
) -> None:
    register_rules(RuleSet(name, PATHS[path], DICE[dice], pieces, family, switches))


# name, N, path, dice, family if it is not the race; then the switches that are turned
_add("finkel", 7, "bell", "4-binary")
_add("british-museum", 5, "bell", "4-binary")
_add("finkel-3dice", 7, "bell", "3-binary")
_add("conventional", 7, "masters", "3-binary-0as4")
for _name, _dice in (("four-again", "3-binary-0as4"), ("four-again-d4", "d4")):
    _add(
        *(_name, 7, "masters", _dice),
        extra_on_rosette=False,
        extra_on_throw=4,
        extra_throw=MAY,
        opening=LOTS,
    )
_add("murray", 7, "murray", "3-binary-0as4")
_add("murray-0-to-3", 7, "murray", "3-binary")
_add("masters", 7, "masters", "3-binary-0as4", safe_rosettes=False)
_add("masters-4dice", 7, "masters", "4-binary", safe_rosettes=False)
_add("blitz", 5, "masters", "4-binary", safe_rosettes=False, extra_on_capture=True)
_add("aseb", 5, "aseb", "4-binary")
_add("bell", 7, "bell", "bell", "bell")
_add("bell-stakes", 7, "bell", "bell", "bell", stakes=Stakes())
_add("casual", 7, "bell", "4-binary", "casual")
_add("casual-d4", 7, "bell", "d4", "casual")
_add("casual-roll-again", 7, "bell", "4-binary", "casual", roll_again=True)
_add("birds", 5, "bell", "4-binary", "birds")
_add("birds-d4", 4, "bell", "d4", "birds")
_add("skiriuk", 7, "skiriuk", "3-binary-0as4", "skiriuk")
_add("skiriuk-d4", 7, "skiriuk", "d4", "skiriuk")
_add("ben", 7, "skiriuk", "3-binary", "ben")
_add("ben-4dice", 7, "skiriuk", "4-binary", "ben")
_add("ben-d4", 7, "skiriuk", "d4", "ben")

RACES: dict[str, RuleSet] = {
    name: rules for name, rules in CATALOGUE.items() if FAMILIES[rules.family].has_race_turns()
}
"""The catalogue's names of the race family: a game that names no rule set has one of these."""


def named_rules(word: str, pieces: int | None = None) -> RuleSet:
    """The rule set of a word: ``finkel``, ``finkel:3``, or the path of a JSON file.

    `pieces` replaces the rule set's own number. RuleSetError if there is no such rule set, or it
    cannot have that number of pieces.
    """
    name, colon, count = word.partition(":")
    is_file = word.endswith(".json")
    if catalogued(name) is None and not is_file:
        load_plugins()
    named = catalogued(name)
    if named is not None:
        rules = named
        if colon:
            if not (count.isascii() and count.isdigit() and len(count) < 3):
                raise RuleSetError(
                    f"{word!r:.100}: after the colon comes the count of pieces, 1 to {MAX_PIECES}"
                )
            if pieces is not None and pieces != int(count):
                asked = counted(int(count), "piece")
                raise RuleSetError(f"{word!r} asks for {asked} and -n for {pieces}")
            pieces = int(count)
    elif is_file:
        rules = _read_json(pathlib.Path(word))
    else:
        from ur_solver.rules.descriptions import did_you_mean_rules  # noqa: PLC0415 - rarely asked for

        raise RuleSetError(
            f"no rule set is called {name!r:.100}{did_you_mean_rules(name)} ('ur rules' lists "
            "them; a custom one is the path of a .json file)"
        )
    return rules if pieces is None else rules.with_pieces(pieces)


def _read_json(path: pathlib.Path) -> RuleSet:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_JSON_BYTES + 1)
    except (OSError, ValueError) as error:  # the latter where the path holds a null byte
        reason = getattr(error, "strerror", None) or error
        raise RuleSetError(f"rule set {str(path)!r}: {reason}") from None
    if len(content) > MAX_JSON_BYTES:
        raise RuleSetError(f"rule set {str(path)!r}: larger than {MAX_JSON_BYTES} bytes")
    try:
        return RuleSet.from_json(decoded(content))
    except InputError as error:
        kind = type(error) if isinstance(error, RuleSetError) else RuleSetError
        raise kind(f"{str(path)!r}: {error}") from None
