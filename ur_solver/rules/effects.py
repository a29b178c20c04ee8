"""Which switches of a rule set change anything.

A switch may have no effect in some rule sets: a stack on a square that no path visits, an extra
throw that must be used by another piece where nothing earns one. Such rule sets have other names
and the same values. What a family says of squares, moves and throws is compared with and without.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TypeVar

from ur_solver.errors import RuleSetError
from ur_solver.rules.contents import LIGHT, awake, split, with_mark
from ur_solver.rules.family import HOME, Family
from ur_solver.rules.settings import OneOf, RuleData, Switch

_R = TypeVar("_R", bound=RuleData)


def idle_switches(rules: RuleData) -> tuple[str, ...]:
    """The keys of switches that are not at their default and change nothing, all together."""
    found = []
    for switch in type(family_of(rules)).switches:
        value = rules.switches[switch.key]
        if switch.played(value) != switch.played(switch.default) and not is_effective(
            rules, switch, switch.default
        ):
            found.append(switch.key)
            rules = _with(rules, switch, switch.default)
    return tuple(found)


def idle_words(rules: RuleData) -> str:
    """Which switches of a rule set change nothing, in a sentence; empty if there are none."""
    keys = idle_switches(rules)
    if not keys:
        return ""
    verb, them = ("changes", "it") if len(keys) == 1 else ("change", "them")
    return (
        f"{' and '.join(keys)} {verb} nothing in {rules.name}: its values are those of the rules "
        f"without {them}."
    )


def says_something(rules: RuleData, switch: Switch) -> bool:
    """Whether the value of a switch changes anything, compared with another one of it.

    A value other than the default is compared with the default, which itself is compared with the
    other words of `OneOf`.
    """
    value = rules.switches[switch.key]
    others = [switch.default]
    if value == switch.default:
        words = switch.meanings if isinstance(switch, OneOf) else ()
        others = [each for each in words if each != value]
    return any(is_effective(rules, switch, other) for other in others)


def is_effective(rules: RuleData, switch: Switch, other: object) -> bool:
    """Whether a switch with another value is played otherwise."""
    try:
        changed = _with(rules, switch, other)
        return not _plays_alike(family_of(rules), family_of(changed))
    except RuleSetError:  # the other value is not possible, or squares hold too much to compare
        return True


def without(rules: _R, key: str, value: object) -> _R:
    """The rule set with a switch turned, if that changes nothing; otherwise the same."""
    switch = next(each for each in type(family_of(rules)).switches if each.key == key)
    return rules if is_effective(rules, switch, value) else _with(rules, switch, value)


def family_of(rules: RuleData) -> Family:
    """The family's code, bound to a rule set."""
    return rules.mechanics  # type: ignore[attr-defined,no-any-return]  # of RuleSet


def _with(rules: _R, switch: Switch, value: object) -> _R:
    return dataclasses.replace(rules, switches={**rules.switches, switch.key: value})


def _plays_alike(one: Family, other: Family) -> bool:
    """Whether two families of one path, dice and count of pieces have the same games."""
    return [*_turns(one)] == [*_turns(other)] and (
        all(_holds_alike(one, other, square) for square in _visited(one))
        and all(_throws_alike(one, other, throw, target) for throw, target in _landings(one))
    )


def _turns(family: Family) -> Iterator[object]:
    """What is played for, the opening, the choices and rolls, and all moves, in one order."""
    yield family.payoff
    yield family.opening_throw, family.both_enter
    yield family.rests
    for n_home, n_on_board in ((0, 1), (1, 0), (1, 1)):
        yield family.choices(n_home, n_on_board)
    numbers = [None, *range(1, family.rules.pieces + 1)] if family.is_numbered else [None]
    for choice in family.choices(1, 1):
        yield family.moves_from(choice), [family.rolls(choice, number) for number in numbers]
    for marked in (False, True):
        yield family.indices(marked)
    for piece, source in _pieces(family):
        for throw in family.rules.dice.throws:
            for target in family.reached(piece, source, throw):
                yield target
                if target < len(family.rules.path):
                    yield family.meets(piece, target), family.stands(piece, target)
            yield None


def _pieces(family: Family) -> Iterator[tuple[str, int]]:
    """Light's pieces, by their letters and path indices."""
    yield LIGHT, HOME
    for marked in (False, True):
        for index in family.indices(marked):
            yield with_mark(LIGHT, marked), index


def _visited(family: Family) -> set[str]:
    return {*family.rules.path.light, *family.rules.path.dark}


def _landings(family: Family) -> set[tuple[int, int]]:
    """The throws by which pieces come to path indices."""
    return {
        (throw, target)
        for piece, source in _pieces(family)
        for throw in family.rules.dice.throws
        for target in family.reached(piece, source, throw)
    }


def _holds_alike(one: Family, other: Family, square: str) -> bool:
    """Whether a square holds the same pieces, and what lands there captures the same."""
    rules = one.squares[square], other.squares[square]
    if rules[0] == rules[1]:
        return True
    contents = one.contents_on(square)
    if contents != other.contents_on(square):
        return False
    if any(len(split(each)) > 1 for each in contents) and rules[0].is_stack != rules[1].is_stack:
        return False
    return all(
        rules[0].land(piece, held, throw) == rules[1].land(piece, held, throw)
        for piece, held in _meetings(one, square)
        for throw in one.rules.dice.throws
    )


def _meetings(family: Family, square: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The pieces that may come to a square, each with what it may meet there."""
    for content in family.contents_on(square):
        held = split(awake(content))
        for piece in map(awake, family.pieces_on[square]):
            if family.is_in_stock((*held, piece)):
                yield piece, held


def _throws_alike(one: Family, other: Family, throw: int, target: int) -> bool:
    """Whether landing by a throw leads to the same extra throws, where squares hold alike."""
    path = one.rules.path.light
    if target == len(path):  # the last piece ends the game
        is_last = one.rules.pieces == 1
        return is_last or one.decisions(throw, None, False) == other.decisions(throw, None, False)
    square = path[target]
    return all(
        one.decisions(throw, square, is_capture) == other.decisions(throw, square, is_capture)
        or (is_capture and not _captures(one, throw, square))
        for is_capture in (False, True)
    )


def _captures(family: Family, throw: int, square: str) -> bool:
    """Whether a throw may capture on a square."""
    return any(
        family.squares[square].land(piece, held, throw) for piece, held in _meetings(family, square)
    )
