"""Value iteration over every position that the readable rules reach, and nothing else.

No ranking, no blocks, no compiled code: `ur_solver.rules.turns.turn` unfolds each position once
into flat arrays, and each sweep updates all of them from the last one's values.
"""

import dataclasses

import numpy as np

from ur_solver.rules import LIGHT
from ur_solver.rules.turns import final_value, is_draw, total, turn


def reachable(rules, max_fines=0, seen_by=lambda position: position):
    """All reachable positions that are not over; fines are counted up to `max_fines`."""
    found = {rules.start(): turn(rules.start())}
    todo = list(found)
    while todo:
        position = todo.pop()
        for following in successors(position, found[position]):
            kept = seen_by(following)
            if kept.fines > max_fines:
                kept = dataclasses.replace(kept, fines=max_fines)
            if kept not in found and kept.winner is None:
                found[kept] = turn(kept)
                todo.append(kept)
    return found


def as_light(position):
    """A position as light has it, who is to throw: half as many, where both sides are alike."""
    return position if position.side == LIGHT else position.mirror()


def _without_fines(position):
    return position.contents, position.side, position.light_home, position.dark_home


def successors(position, choices):
    for choice in choices:
        for outcome in choice.outcomes:
            for move in outcome.moves:
                yield move.position
            if not outcome.moves:
                yield position.pass_turn()


class Equations:
    """The values of `reachable` positions, as arrays of moves, throws and choices.

    A move is worth ``constant + factor * value[target]``; a throw the largest of its
    moves, a choice the sum of its throws by their probabilities, a position the largest
    of its choices.
    """

    def __init__(self, rules, max_fines=0, chances=None, seen_by=lambda position: position):
        """`chances` are the chances of winning without stakes, for moves past `max_fines`.

        `seen_by` is `as_light`, or all positions count.
        """
        self.rules, self.max_fines, self.seen_by = rules, max_fines, seen_by
        self.chances = {_without_fines(each): value for each, value in (chances or {}).items()}
        self.turns = reachable(rules, max_fines, seen_by)
        self.index = {position: k for k, position in enumerate(self.turns)}
        constant, factor, target = [], [], []
        probability, first_move, first_throw, first_choice = [], [], [], []
        for position, choices in self.turns.items():
            assert not is_draw(position)
            first_choice.append(len(first_throw))
            for choice in choices:
                first_throw.append(len(first_move))
                for outcome in choice.outcomes:
                    first_move.append(len(target))
                    probability.append(float(outcome.probability))
                    options = [(m.position, m.again, m.cost) for m in outcome.moves]
                    for option in options or [(position.pass_turn(), False, 0)]:
                        worth = self._worth(*option)
                        constant.append(worth[0])
                        factor.append(worth[1])
                        target.append(worth[2])
        self.constant, self.factor, self.target = map(np.array, (constant, factor, target))
        self.probability = np.array(probability)
        self.first_move, self.first_throw, self.first_choice = first_move, first_throw, first_choice

    def _worth(self, reached, again, cost):
        """(constant, factor, target) of a move to `reached`."""
        final = final_value(reached) if reached.winner else None
        if final is not None:
            constant, factor, target = final, 0.0, 0
        elif reached.fines > self.max_fines:
            kept = dataclasses.replace(reached, fines=self.max_fines)
            gain = self.rules.stakes.fine * self.chances[_without_fines(reached)]
            constant, factor, target = gain, 1.0, self.index[self.seen_by(kept)]
        else:
            constant, factor, target = 0.0, 1.0, self.index[self.seen_by(reached)]
        if again:
            return constant - cost, factor, target
        return total(reached) - constant - cost, -factor, target

    def solve(self, tolerance=1e-14, sweeps=20_000):
        """The value of every reachable position, by value iteration."""
        value = np.zeros(len(self.index))
        for _ in range(sweeps):
            moves = self.constant + self.factor * value[self.target]
            throws = self.probability * np.maximum.reduceat(moves, self.first_move)
            choices = np.add.reduceat(throws, self.first_throw)
            after = np.maximum.reduceat(choices, self.first_choice)
            delta = np.abs(after - value).max()
            value = after
            if delta <= tolerance * max(1.0, value.max()):
                return dict(zip(self.index, value.tolist(), strict=True))
        raise AssertionError(f"no fixed point after {sweeps} sweeps")
