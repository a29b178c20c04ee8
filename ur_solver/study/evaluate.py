"""One policy against another: exactly for small games, otherwise by playing games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ur_solver.answers.values import Values
from ur_solver.common.text import whole_number
from ur_solver.errors import InputError
from ur_solver.moves import generator_of
from ur_solver.players.policies import Policy, PolicyLike, policy_of
from ur_solver.study.estimates import IntervalEstimate, deviation_of, mean_of
from ur_solver.study.exact_play import MOST_POSITIONS, ExactPlay, can_play_exactly
from ur_solver.study.first_states import first_states
from ur_solver.study.match import play

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

    Raises
    ------
    InputError
        If both are best replies.
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
