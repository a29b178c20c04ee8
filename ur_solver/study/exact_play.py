"""One policy against another: exactly for small games, otherwise by playing games.

Under two policies a position's chance is a mean over its successors, without a maximum. The
equations are swept block by block in solving order, as in the solver, but expanded in memory,
which suits small games. A side without a policy plays the *best reply* to the other's, a maximum
again. The throws of a game are counted alike, and their squares.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.common.text import whole_number
from ur_solver.errors import InputError, SolveError
from ur_solver.moves import AGAIN, PASS, WIN, MoveGenerator, Rows, generator_of
from ur_solver.moves.tables import PieceChoice
from ur_solver.players.policies import Policy, PolicyLike, TablePolicy, Weights, policy_of
from ur_solver.rules import RuleSet
from ur_solver.study._sweeps import sweep_means, sweep_reply
from ur_solver.study.estimates import IntervalEstimate, deviation_of, mean_of
from ur_solver.study.match import FirstStates, first_states, play

MOST_POSITIONS = 1_000_000
"""The most positions of a space that is expanded: some 400 bytes per position."""

_PART = 1 << 15
_TOLERANCE = 1e-13
_MOST_SWEEPS = 100_000

Pair = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""By rank: where light throws, and where dark does, each seen by that side."""


@dataclass(frozen=True)
class StateBatch:
    """Some states of a block with their turns written out; all of them have the same choices.

    `option_starts`, shape (states * outcomes + 1,), are of the options by state and by outcome, of
    all choices one after the other. `reached` are the options' ranks, complemented where the other
    side throws there; the number of all ranks for a game that is won. `only_passes` is by state.
    """

    generator: MoveGenerator
    ranks: npt.NDArray[np.int64]
    choices: tuple[PieceChoice, ...]
    option_starts: npt.NDArray[np.int64]
    reached: npt.NDArray[np.int64]
    only_passes: npt.NDArray[np.bool_]

    @cached_property
    def chances(self) -> npt.NDArray[np.float64]:
        """The probabilities of the outcomes, choice after choice."""
        return np.array([chance for choice in self.choices for _, chance in choice.outcomes])

    @cached_property
    def choice_starts(self) -> npt.NDArray[np.int32]:
        """Where the outcomes of each choice begin."""
        sizes = [len(choice.outcomes) for choice in self.choices]
        return np.cumsum([0, *sizes]).astype(np.int32)

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """Where the options of each state begin."""
        return np.ascontiguousarray(self.option_starts[:: len(self.chances)])

    def weights(self, policy: Policy) -> Weights:
        """The probability that each option comes up and is chosen."""
        rows = self.generator.space.unrank_states(self.ranks)
        turns = self.generator.every_throw(rows, *self.choices)
        chances = np.tile(self.chances, len(rows))
        if len(self.choices) > 1:
            chosen = policy.weights(self.generator.before_throw(rows, self.choices))
            chances *= np.repeat(chosen, np.tile(np.diff(self.choice_starts), len(rows)))
        return np.asarray(policy.weights(turns) * chances[turns.turn_of])


def can_play_exactly(generator: MoveGenerator, most_positions: int = MOST_POSITIONS) -> bool:
    """Whether `ExactPlay` accepts a rule set, which may have this number of positions at most."""
    return not generator.rules.payoff.has_fines and generator.space.n_values <= most_positions


class ExactPlay:
    """The expanded turns of a rule set without stakes, to evaluate any two policies.

    Games begin at the start, if `first` does not say otherwise. InputError if there are stakes, or
    more than `most_positions`.
    """

    def __init__(
        self,
        generator: MoveGenerator,
        most_positions: int = MOST_POSITIONS,
        first: FirstStates | None = None,
    ) -> None:
        rules, space = generator.rules, generator.space
        if rules.payoff.has_fines:
            raise InputError(f"{rules.name} has stakes; only chances are computed exactly")
        if space.n_values > most_positions:
            raise InputError(
                f"{rules.title} has {space.n_values:,} positions, more "
                f"than the {most_positions:,} that exact play allows"
            )
        self.generator = generator
        self.first = first or FirstStates(generator.start(), np.ones(1))
        self.n = space.n_values
        self.blocks = [
            list(self._parts(block.offset, block.offset + block.size)) for block in space.blocks
        ]
        self._is_drawn = np.zeros(self.n, dtype=bool)
        for part in self._all():
            stuck = part.ranks[part.only_passes]
            self._is_drawn[stuck] = generator.are_drawn(space.unrank_states(stuck))

    def _all(self) -> Iterator[StateBatch]:
        for parts in self.blocks:
            yield from parts

    def _parts(self, first: int, end: int) -> Iterator[StateBatch]:
        generator = self.generator
        for begin in range(first, end, _PART):
            ranks = np.arange(begin, min(begin + _PART, end))
            rows = generator.space.unrank_states(ranks)
            for choices, members in generator.by_choices(rows):
                turns = generator.every_throw(rows[members], *choices)
                reached = generator.space.rank_states(turns.after)
                turned = ~turns.has(AGAIN)
                reached[turned] = ~reached[turned]
                reached[turns.has(WIN)] = self.n
                n_outcomes = sum(len(choice.outcomes) for choice in choices)
                passes = np.logical_and.reduceat(turns.has(PASS), turns.starts[:-1:n_outcomes])
                yield StateBatch(generator, ranks[members], choices, turns.starts, reached, passes)

    def ranks(self) -> Iterator[npt.NDArray[np.int64]]:
        """The ranks of each batch, in order."""
        return (part.ranks for part in self._all())

    def by_block(self, weights: Iterable[Weights]) -> list[list[Weights]]:
        """The weights of each batch, as `StateBatch.weights` gives them, by block."""
        found = iter(weights)
        return [[next(found) for _ in parts] for parts in self.blocks]

    def weights(self, policy: Policy) -> list[list[Weights]]:
        """The weights of a policy everywhere, by block and batch, for repeated use."""
        return self.by_block(part.weights(policy) for part in self._all())

    def chances(self, light: list[list[Weights]] | None, dark: list[list[Weights]] | None) -> Pair:
        """The chances of winning of the side that throws, by rank: light's, and dark's.

        `light` and `dark` are as `weights` gives them; None is the best reply to the other side.
        InputError if both are best replies.
        """
        if light is None and dark is None:
            raise InputError("a best reply needs a policy to reply to")
        # light's, wherever either throws; behind the last one 1 if light has won, 0 if dark has
        values = np.full(self.n + 1, 0.5), np.full(self.n + 1, 0.5)
        values[0][self.n], values[1][self.n] = 1, 0
        ours, theirs = self._swept(light, dark, [np.zeros(self.n)] * 2, values)
        return ours, 1 - theirs

    def throws(
        self,
        light: list[list[Weights]],
        dark: list[list[Weights]],
        means: Pair | None = None,
    ) -> Pair:
        """The mean number of throws to the end, by rank; with these means, that of its square."""
        if means is None:
            means = np.ones(self.n), np.ones(self.n)
        # where neither can ever move, they pass for ever: no throws are counted
        ours, theirs = (np.where(self._is_drawn, 0.0, 2 * each - 1) for each in means)
        return self.sums(light, dark, (ours, theirs))

    def sums(self, light: list[list[Weights]], dark: list[list[Weights]], added: Pair) -> Pair:
        """The mean sum to the end of what each turn adds, where light throws and where dark does.

        `added` is by rank, 0 where neither side can ever move.
        """
        values = np.zeros(self.n + 1), np.zeros(self.n + 1)
        return self._swept(light, dark, added, values)

    def _swept(
        self,
        light: list[list[Weights]] | None,
        dark: list[list[Weights]] | None,
        added: Sequence[npt.NDArray[np.float64]],
        values: Pair,
    ) -> Pair:
        """Sweep means in place until they have settled; return those of ranks."""

        def sweep(index: int) -> float:
            delta = 0.0
            for k, part in enumerate(self.blocks[index]):
                for side, weights in enumerate((light, dark)):
                    own, other = values[side], values[1 - side]
                    if weights is None:
                        changed = sweep_reply(
                            *(part.ranks, part.option_starts, part.reached, part.choice_starts),
                            *(part.chances, own, other, 1 - 2 * side),
                        )
                    else:
                        changed = sweep_means(
                            *(part.ranks, part.starts, part.reached, weights[index][k]),
                            *(added[side], own, other),
                        )
                    delta = max(delta, changed)
            return delta

        self._solve(sweep)
        return values[0][:-1], values[1][:-1]

    def _solve(self, sweep: Callable[[int], float]) -> None:
        for index in range(len(self.blocks)):
            before = math.inf
            for _ in range(_MOST_SWEEPS):
                delta = sweep(index)
                factor = min(delta / before, 0.9999) if before > 0 else 0.0
                if delta * factor / (1 - factor) <= _TOLERANCE and delta < 1e-6:
                    break
                before = delta
            else:
                raise SolveError(
                    f"{self.generator.rules.name}: games of these policies are so long that "
                    f"chances do not converge in {_MOST_SWEEPS:,} sweeps"
                )

    def reply(self, chances: Pair, side: int) -> Policy:
        """The policy that is best by the chances that `chances` gives: 0 for light, 1 for dark."""
        own, other = (_RankValues(self.generator, chances[each]) for each in (side, 1 - side))
        return TablePolicy(own, others=other)

    def beginnings(self, policy: Policy) -> Beginnings:
        """The first states, or those after the first throw if the rules give it."""
        generator = self.generator
        if generator.opening is None:
            ranks = generator.space.rank_states(self.first.rows)
            return Beginnings(0, self.first.chances, ranks, np.zeros(len(ranks), dtype=bool))
        turns = generator.open(generator.start())
        ranks = generator.space.rank_states(turns.after)
        return Beginnings(1, policy.weights(turns), ranks, ~turns.has(AGAIN))


class _RankValues(Values):
    """Values of all ranks, as a table has them."""

    rules: RuleSet

    def __init__(self, generator: MoveGenerator, values: npt.NDArray[np.float64]) -> None:
        self.rules = generator.rules
        self._space, self._values = generator.space, values

    def state_values(self, states: Rows) -> npt.NDArray[np.float64]:
        """As `Values.state_values`."""
        return np.asarray(self._values[self._space.rank_states(states)])


class Beginnings(NamedTuple):
    """The first states of light's games.

    `n_throws` have been made already; `weights` are the states' probabilities; `is_turned` says
    where dark throws next.
    """

    n_throws: int
    weights: Weights
    ranks: npt.NDArray[np.int64]
    is_turned: npt.NDArray[np.bool_]

    def chance(self, chances: Pair) -> float:
        """The chance that light wins."""
        ours, theirs = chances
        worth = np.where(self.is_turned, 1 - theirs[self.ranks], ours[self.ranks])
        return float(self.weights @ worth)

    def throws(self, means: Pair, squares: Pair) -> tuple[float, float]:
        """The mean number of throws in a game, and its standard deviation."""
        mean, square = (self.mean(*each) for each in (means, squares))
        return self.n_throws + mean, math.sqrt(max(0.0, square - mean * mean))

    def mean(self, ours: npt.NDArray[np.float64], theirs: npt.NDArray[np.float64]) -> float:
        """The mean over the first states of what `ExactPlay.sums` has where each side throws."""
        found = np.where(self.is_turned, theirs[self.ranks], ours[self.ranks])
        return float(self.weights @ found)


REPLY = "reply"
"""The name of the best reply to the other side's policy."""


@dataclass(frozen=True)
class Evaluation:
    """The result of two policies.

    Attributes
    ----------
    chance : IntervalEstimate
        The chance that light, who throws first, wins.
    throws : IntervalEstimate
        In a game, on average.
    deviation : IntervalEstimate
        The standard deviation of the throws in a game.
    games : int
        The number of games played; 0 if the figures are exact.
    """

    chance: IntervalEstimate
    throws: IntervalEstimate
    deviation: IntervalEstimate
    games: int

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "light_chance": self.chance.to_json(),
            "throws": self.throws.to_json(),
            "throws_deviation": self.deviation.to_json(),
            "games": self.games,
        }


def evaluate(
    values: Values,
    light: PolicyLike = "table",
    dark: PolicyLike = "table",
    *,
    games: int | None = None,
    seed: int = 1,
) -> Evaluation:
    """Evaluate two policies: light, the first player, plays one and dark the other.

    Where both sides enter a marker to find the first player, as in Ben's game, the markers stand
    where two perfect players enter them.

    Parameters
    ----------
    values : Values
        A table: the games have its rules, and ``table`` plays by its values.
    light, dark : Policy, function or str
        As `policy_of` takes them; ``"reply"`` for the best reply to the other one, which shows
        how far that can be exploited.
    games : int, optional
        The number of games to play. By default small games are evaluated exactly, and
        100,000 games of others are played.
    seed : int
        Of the games.

    Raises
    ------
    InputError
        If there is no policy of a name; if a best reply is not possible, as the game is too large
        or both sides have one; if the seed or the number of games is invalid.

    Examples
    --------
    >>> import ur_solver as ur
    >>> from ur_solver.study import evaluate
    >>> table = ur.solve("finkel:2")
    >>> round(evaluate(table, "table", "random").chance.value, 6)
    0.754995
    """
    whole_number("seed", seed)
    if games is not None:
        whole_number("games", games, 2)
    policies = tuple(
        None if isinstance(what, str) and what == REPLY else policy_of(what, values)
        for what in (light, dark)
    )
    generator = generator_of(values.rules)
    if games is None and can_play_exactly(generator):
        exact = ExactPlay(generator, first=first_states(values))
        return exact_evaluation(exact, *policies)
    if policies[0] is None or policies[1] is None:
        raise InputError(
            f"the best reply is computed exactly, for up to {MOST_POSITIONS:,} positions and "
            f"without stakes; {values.rules.word} has {generator.space.n_positions:,}"
        )
    n_games = 100_000 if games is None else games
    played = play(
        values.rules, policies[0], policies[1], n_games, seed=seed, first=first_states(values)
    )
    throws = played.throws
    return Evaluation(mean_of(played.results), mean_of(throws), deviation_of(throws), n_games)


def exact_evaluation(exact: ExactPlay, light: Policy | None, dark: Policy | None) -> Evaluation:
    """The exact result of two policies; None is the best reply to the other.

    InputError if both are best replies.
    """
    policies = (light, dark)
    chances = exact.chances(
        *(None if policy is None else exact.weights(policy) for policy in policies)
    )
    light, dark = (
        exact.reply(chances, side) if policy is None else policy
        for side, policy in enumerate(policies)
    )
    ours, theirs = exact.weights(light), exact.weights(dark)
    begin = exact.beginnings(light)
    means = exact.throws(ours, theirs)
    mean, deviation = begin.throws(means, exact.throws(ours, theirs, means))
    chance = IntervalEstimate.exact(begin.chance(chances))
    return Evaluation(chance, IntervalEstimate.exact(mean), IntervalEstimate.exact(deviation), 0)
