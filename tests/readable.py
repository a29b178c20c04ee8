"""Value iteration over the readable moves: slow, and the reference for all other code."""

from __future__ import annotations

from ur_solver.rules import DARK, LIGHT, Position, RuleSet


def reachable(rules: RuleSet) -> list[Position]:
    """All positions that are not over and reachable from the start with light to throw."""
    first = rules.start()
    found, todo = {first}, [first]
    while todo:
        position = todo.pop()
        for after in _all_successors(rules, position):
            if after not in found and after.winner is None:
                found.add(after)
                todo.append(after)
    return list(found)


def solve_readably(rules: RuleSet) -> dict[Position, float]:
    """The value to light of every reachable position with light about to throw."""
    positions = list({_as_light(rules, position) for position in reachable(rules)})
    # The moves do not change between sweeps, so they are found once. A choice is the position
    # that it leads to and whether the other side throws there.
    chances = [float(rules.dice.probabilities[throw]) for throw in rules.dice.throws]
    choices = {
        position: [_choices(rules, position, throw) for throw in rules.dice.throws]
        for position in positions
    }
    values = dict.fromkeys(positions, 0.5)

    def worth(after: Position, is_theirs: bool) -> float:
        over = after.winner
        value = values[after] if over is None else float(over == LIGHT)
        return 1 - value if is_theirs else value

    for _ in range(2000):
        delta = 0.0
        for position in positions:
            value = sum(
                chance * max(worth(*choice) for choice in options)
                for chance, options in zip(chances, choices[position], strict=True)
            )
            delta = max(delta, abs(value - values[position]))
            values[position] = value
        if delta < 1e-15:
            return values
    raise AssertionError(f"no fixed point, the last change was {delta}")


def _choices(rules: RuleSet, position: Position, throw: int) -> list[tuple[Position, bool]]:
    moves = rules.legal_moves(position, throw)
    after = [move.position for move in moves] or [position.pass_turn()]
    return [(_as_light(rules, each), each.side == DARK) for each in after]


def _all_successors(rules: RuleSet, position: Position) -> list[Position]:
    after = []
    for throw in rules.dice.throws:
        moves = rules.legal_moves(position, throw)
        after += [move.position for move in moves] or [position.pass_turn()]
    return after


def _as_light(rules: RuleSet, position: Position) -> Position:
    return position if position.side == LIGHT else position.mirror()
