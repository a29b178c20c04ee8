"""Names of rule sets that differ from one of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ur_solver.rules.registry import CATALOGUE, family_named

if TYPE_CHECKING:
    from ur_solver.rules.ruleset import RuleSet

MAX_NAME = 80
"""The longest name of a rule set, in characters."""


def is_name(name: object) -> bool:
    """Whether a rule set may be called so."""
    return isinstance(name, str) and name.isprintable() and 1 <= len(name) <= MAX_NAME


def name_of_changed(before: RuleSet, rules: RuleSet) -> str:
    """The name of `rules`, made from `before`, whose name they still have.

    It is the name of the catalogue's rule set that `before` is called after, with a word for
    all in which `rules` differ from that one; so what is turned back leaves no trace. If
    `before` is called after none, it is the one that words are added to.
    """
    bases = [
        known
        for known in sorted(CATALOGUE.values(), key=lambda known: len(known.name))
        if known.family == before.family and _name(known, before) == before.name
    ]
    return _name(bases[0] if bases else before, rules)


def _name(base: RuleSet, rules: RuleSet) -> str:
    """The name of `base` with a word for every difference of `rules` but their pieces."""
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
    name = "-".join([base.name, *(words[key] for key in sorted(words))])
    return name if len(name) <= MAX_NAME else f"{base.name}-custom"[:MAX_NAME]
