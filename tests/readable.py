"""Value iteration over the readable moves: slow, and the oracle of the rest."""

from __future__ import annotations

from ur_solver.moves import legal_moves, pass_turn
from ur_solver.position import DARK, LIGHT, Position, mirror, start, winner
from ur_solver.rules import RuleSet


def reachable(rules: RuleSet) -> list[Position]:
    """All positions that are not over and reachable from the start with light to throw."""
    first = start(rules)
    found, todo = {first}, [first]
    while todo:
        position = todo.pop()
        for after in _all_successors(rules, position):
            if after not in found and winner(rules, after) is None:
                found.add(after)
                todo.append(after)
    return list(found)


def solve_readably(rules: RuleSet) -> dict[Position, float]:
    """The value of every reachable position, as light about to throw sees it."""
    positions = list({_as_light(rules, position) for position in reachable(rules)})
    # The moves do not change between sweeps: they are looked up once. A choice is the
    # position it leads to and whether it is to be seen from the other side.
    chances = [float(rules.dice.probabilities[throw]) for throw in rules.dice.throws]
    choices = {
        position: [_choices(rules, position, throw) for throw in rules.dice.throws]
        for position in positions
    }
    values = dict.fromkeys(positions, 0.5)

    def worth(after: Position, is_theirs: bool) -> float:
        over = winner(rules, after)
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
    moves = legal_moves(rules, position, throw)
    after = [move.position for move in moves] or [pass_turn(position)]
    return [(_as_light(rules, each), each.side == DARK) for each in after]


def _all_successors(rules: RuleSet, position: Position) -> list[Position]:
    after = []
    for throw in rules.dice.throws:
        moves = legal_moves(rules, position, throw)
        after += [move.position for move in moves] or [pass_turn(position)]
    return after


def _as_light(rules: RuleSet, position: Position) -> Position:
    return position if position.side == LIGHT else mirror(rules.board, position)
