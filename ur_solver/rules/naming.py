"""Names of rule sets: by their differences from one of the catalogue, or by a digest."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from ur_solver.rules.registry import CATALOGUE, OLD_NAMES, catalogued, family_named
from ur_solver.rules.switches import Flag

if TYPE_CHECKING:
    from ur_solver.rules.ruleset import RuleSet

MAX_NAME = 80
"""The longest name of a rule set, in characters."""


def is_name(name: object) -> bool:
    """Whether a text is a valid name of a rule set."""
    return isinstance(name, str) and name.isprintable() and 1 <= len(name) <= MAX_NAME


def is_catalogued(rules: RuleSet) -> bool:
    """Whether a rule set is the catalogue's of its name, with any count of pieces."""
    known = catalogued(rules.name)
    return (
        known is not None
        and known.family == rules.family
        and known.with_pieces(rules.pieces).is_same_game(rules)
    )


def by_every_name(rules: RuleSet) -> list[RuleSet]:
    """A rule set by its name, then by the others that it has or had in the catalogue."""
    if not is_catalogued(rules):
        return [rules]
    name = OLD_NAMES.get(rules.name, rules.name)
    names = [name, *(old for old, new in OLD_NAMES.items() if new == name)]
    return [rules, *(replace(rules, name=each) for each in names if each != rules.name)]


def digest_of(rules: RuleSet) -> str:
    """A digest of a rule set's data without its name: 16 hexadecimal digits."""
    import hashlib  # noqa: PLC0415 - 3 ms that positions and moves do not need

    values = rules.settled().to_json()
    del values["name"]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def name_of_changed(before: RuleSet, rules: RuleSet) -> str:
    """The name of `rules`, made from `before`, whose name they still have.

    It is the name of the catalogue's rule set that `before` is called after, with a word for
    all in which `rules` differ from that one; so what is turned back leaves no trace. If
    `before` is called after none, as one with a name of somebody's own, words are added to its
    name, and those that no longer hold are taken out of it.
    """
    bases = [
        known
        for known in sorted(
            (*CATALOGUE.values(), *filter(None, map(catalogued, OLD_NAMES))),
            key=lambda known: len(known.name),
        )
        if known.family == before.family and _name(known, before) == before.name
    ]
    if bases:
        return _name(bases[0], rules)
    stem, turned_back = _stem(before, rules)
    return _name(before, rules, stem, turned_back)


def _stem(before: RuleSet, rules: RuleSet) -> tuple[str, set[str]]:
    """The name of `before` without words that do not hold for `rules`, and flags turned back."""
    outdated = {}
    if rules.path != before.path:
        outdated["path"] = before.path.name
    if rules.dice != before.dice:
        outdated["dice"] = before.dice.name
    flags = set()
    for switch in family_named(before.family).switches:
        value = before.switches[switch.key]
        if switch.played(rules.switches[switch.key]) != switch.played(value):
            outdated[switch.key] = switch.word(value)
            if isinstance(switch, Flag):
                flags.add(switch.key)
    stem, found = before.name, set()
    for key, word in outdated.items():
        shorter = re.sub(rf"-{re.escape(word)}(?=-|$)", "", stem)
        if shorter and shorter != stem:
            stem = shorter
            found.add(key)
    # a flag has two values: without its word it has the other one again
    return stem, found & flags


def _name(
    base: RuleSet, rules: RuleSet, stem: str = "", omitted: Collection[str] = frozenset()
) -> str:
    """The name of `base` with a word for every difference of `rules` but their pieces.

    Words are added to `stem` in place of the name, if it is given, and none for `omitted` switches.
    """
    words = {}
    if rules.path != base.path:
        words["path"] = rules.path.name
    if rules.dice != base.dice:
        words["dice"] = rules.dice.name
    for switch in family_named(base.family).switches:
        value = rules.switches[switch.key]
        if switch.played(value) != switch.played(base.switches[switch.key]):
            words[switch.key] = switch.word(value)
    for square in rules.board.squares:
        own, usual = rules.squares.get(square), base.squares.get(square)
        if own != usual and not square.startswith("C"):  # row C is row A's mirror image
            words[f"square-{square}"] = f"{square}-{own.name if own else 'usual'}"
    stem = stem or base.name
    name = "-".join([stem, *(words[key] for key in sorted(words) if key not in omitted)])
    return name if len(name) <= MAX_NAME else f"{base.name}-custom"[:MAX_NAME]
