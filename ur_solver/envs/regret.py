"""The regret of a policy over every decision of a solved game.

The regret of a decision is the value of its best option less the mean value of what the policy
chooses, by the table. A decision is a position with a throw, or with a choice before it, that has
two options or more. All positions of the table count, whether or not play reaches them; the
decisions of play are counted apart.

The loss of a policy in a game against best play is the sum of its regrets there: the difference
lemma of Kakade and Langford ("Approximately optimal approximate reinforcement learning", 2002).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.common.machine import chosen_threads
from ur_solver.common.progress import Progress
from ur_solver.common.text import whole_number
from ur_solver.envs.game_batch import GameBatch
from ur_solver.errors import InputError
from ur_solver.moves import TurnBatch, generator_of
from ur_solver.players.policies import Policy, PolicyLike, TablePolicy, decision_turns, policy_of
from ur_solver.study.estimates import IntervalEstimate, mean_of, ratio_of
from ur_solver.study.exact_play import ExactPlay, can_play_exactly

EDGES = (0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Between the classes of margins, as probabilities; ties are a class of their own."""

_CHUNK = 1 << 14
"""States that are judged together: some 30 MB."""

_AHEAD = 8
"""Chunks that are judged ahead of the one that is added up."""

_GAMES = 20_000


@dataclass(frozen=True)
class JudgedDecision:
    """A decision that stands out.

    Attributes
    ----------
    position : str
        Light is about to decide.
    throw : int or None
        None before the throw.
    best, other : str
        The best option, and the second best one or the likeliest of the policy: moves in RGN's
        notation, or choices before the throw.
    value : float
        Of the best option.
    difference : float
        By how much the other one is worse; of a policy's decision, its regret.
    """

    position: str
    throw: int | None
    best: str
    other: str
    value: float
    difference: float


@dataclass(frozen=True)
class PlayRegret:
    """The regret of a policy in games against the table, in half of which it begins.

    Attributes
    ----------
    decisions, loss : IntervalEstimate
        The policy's decisions in a game, and the sum of their regrets.
    mean : IntervalEstimate
        The regret of a decision.
    games : int
        The number of games played; 0 if the figures are exact.
    """

    decisions: IntervalEstimate
    loss: IntervalEstimate
    mean: IntervalEstimate
    games: int

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "decisions": self.decisions.to_json(),
            "loss": self.loss.to_json(),
            "mean": self.mean.to_json(),
            "games": self.games,
        }


@dataclass(frozen=True)
class SpaceRegret:
    """The regret of a policy over all decisions of a game; all values are probabilities.

    Attributes
    ----------
    decisions : int
    mean : float
        The regret of a decision; all count the same.
    best : float
        The share of decisions in which the policy chooses a best option, those within the table's
        tolerance included.
    ties : int
        Decisions whose two best options are equal within the table's tolerance.
    margins : list of int
        How many of the others have a margin between the best option and the second best in each
        class of `EDGES`.
    closest : list of JudgedDecision
        The smallest margins beyond ties, the smallest first.
    worst : list of JudgedDecision
        The largest regrets, the largest first.
    in_play : PlayRegret
    """

    decisions: int
    mean: float
    best: float
    ties: int
    margins: list[int]
    closest: list[JudgedDecision]
    worst: list[JudgedDecision]
    in_play: PlayRegret

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        ends = zip((0.0, *EDGES), (*EDGES, 1.0), strict=True)
        return {
            "decisions": self.decisions,
            "mean": self.mean,
            "best": self.best,
            "ties": self.ties,
            "margins": [
                {"from": low, "to": high, "decisions": n}
                for (low, high), n in zip(ends, self.margins, strict=True)
            ],
            "closest": [asdict(each) for each in self.closest],
            "worst": [asdict(each) for each in self.worst],
            "in_play": self.in_play.to_json(),
        }


def policy_regret(
    table: Values,
    policy: PolicyLike,
    *,
    examples: int = 10,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> SpaceRegret:
    """Judge a policy in every decision of a solved game.

    The space is read in chunks, in constant memory besides the table's values. Up to a million
    positions the figures of play are exact too; for more, 20,000 games are played.

    Parameters
    ----------
    table : Values
        Of a whole game without stakes.
    policy : Policy, function or str
        As `policy_of` takes it; it is called from several threads at once. A function decides
        one turn at a time, some 20,000 a second.
    examples : int
        How many of the closest and of the worst decisions to return.
    seed : int
        Of the games played.
    threads : int, optional
        One for each processor, if not given.
    progress : callable, optional
        Called with the positions done and their total.

    Raises
    ------
    InputError
        If the rules have stakes, there is no policy of a name, or a number is out of range.

    Examples
    --------
    >>> import ur_solver as ur
    >>> from ur_solver.envs import policy_regret
    >>> with ur.solve("finkel:2") as table:
    ...     found = policy_regret(table, "greedy")
    >>> found.decisions, round(found.mean, 4)
    (17544, 0.0172)
    """
    rules = table.rules
    if rules.payoff.has_fines:
        raise InputError(f"{rules.name} has stakes; regrets over a whole game are chances")
    whole_number("seed", seed)
    whole_number("examples", examples)
    player = policy_of(policy, table)
    judge = _Judge(table, player, examples)
    generator, found = judge.generator, _Part(0)
    total, done = generator.space.n_values, 0
    exact = ExactPlay(generator) if can_play_exactly(generator) else None
    kept = []
    with ThreadPoolExecutor(chosen_threads(threads)) as pool:
        for part in _in_order(pool, judge, _chunks(total) if exact is None else exact.ranks()):
            found.add(part, examples)
            if exact is not None:
                kept.append(part)
            done += part.n_states
            if progress is not None:
                progress(done, total)
    if exact is not None:
        in_play = _exact_play(judge, exact, kept)
    else:
        in_play = _sampled_play(table, player, seed, threads)
    n_decisions = max(1, found.decisions)
    return SpaceRegret(
        decisions=found.decisions,
        mean=found.total / n_decisions,
        best=found.right / n_decisions,
        ties=found.ties,
        margins=found.margins.tolist(),
        closest=[judge.decision(each, of_policy=False) for each in found.closest],
        worst=[judge.decision(each, of_policy=True) for each in found.worst],
        in_play=in_play,
    )


def _chunks(total: int) -> Iterator[npt.NDArray[np.int64]]:
    """All ranks, in chunks."""
    for first in range(0, total, _CHUNK):
        yield np.arange(first, min(first + _CHUNK, total))


def _in_order(
    pool: ThreadPoolExecutor, judge: _Judge, chunks: Iterable[npt.NDArray[np.int64]]
) -> Iterator[_Part]:
    """The judged chunks of ranks in order, few of them at a time."""
    waiting: deque[Future[_Part]] = deque()
    for ranks in chunks:
        waiting.append(pool.submit(judge.part, ranks))
        if len(waiting) > _AHEAD:
            yield waiting.popleft().result()
    for future in waiting:
        yield future.result()


class _Example(NamedTuple):
    """A decision that may stand out: what differs, and which it is."""

    difference: float
    rank: int
    throw: int
    may: int


class _Part:
    """What is found in some states.

    `by_state`, shape (2, states), has the decisions of a turn there and the sum of their regrets,
    by the policy's choices; `weights`, shape (2, options), the probability that each option of the
    states comes up and is chosen, by the policy and by the table (`StateBatch.weights`). `right` is
    how many decisions choose a best option, `total` the sum of all regrets, `margins` counts
    classes.
    """

    def __init__(self, n_states: int) -> None:
        self.n_states = n_states
        self.by_state = np.zeros((2, n_states))
        self.weights = np.ones((2, 0))
        self.decisions = self.ties = 0
        self.right = self.total = 0.0
        self.margins = np.zeros(len(EDGES) + 1, dtype=np.int64)
        self.closest: list[_Example] = []
        self.worst: list[_Example] = []

    def add(self, other: _Part, examples: int) -> None:
        """Add what is found in other states, except by state."""
        self.decisions += other.decisions
        self.ties += other.ties
        self.right += other.right
        self.total += other.total
        self.margins += other.margins
        self.closest = sorted(self.closest + other.closest)[:examples]
        self.worst = sorted(self.worst + other.worst)[:examples]


class _Judge:
    """Judges a policy by a table, which asks the policy for every decision once."""

    def __init__(self, table: Values, policy: Policy, examples: int) -> None:
        self.generator = generator_of(table.rules)
        self.policy, self.examples = policy, examples
        self.best = TablePolicy(table)
        self._tie = 2 * table.tolerance

    def part(self, ranks: npt.NDArray[np.int64]) -> _Part:
        """What is found in the states of some ranks."""
        generator, found = self.generator, _Part(len(ranks))
        rows = generator.space.unrank_states(ranks)
        for choices, members in generator.by_choices(rows):
            own = rows[members]
            outcomes = [chance for each in choices for _, chance in each.outcomes]
            chances = np.tile(outcomes, (2, len(members), 1))
            if len(choices) > 1:
                before = generator.before_throw(own, choices)
                weights = self._note(found, ranks, before, np.ones(len(members)), members)
                sizes = [len(each.outcomes) for each in choices]
                chances *= weights.reshape(2, len(members), -1).repeat(sizes, axis=2)
            turns = generator.every_throw(own, *choices)
            by_turn = chances.reshape(2, -1)
            found.weights = by_turn.take(turns.turn_of, axis=1)
            is_decision = turns.n_options > 1
            if is_decision.any():
                asked = turns.part(is_decision)
                states = members.repeat(len(outcomes))[is_decision]
                weights = self._note(found, ranks, asked, by_turn[0, is_decision], states)
                found.weights[:, is_decision[turns.turn_of]] *= weights
        return found

    def _note(
        self,
        found: _Part,
        ranks: npt.NDArray[np.int64],
        turns: TurnBatch,
        chances: npt.NDArray[np.float64],
        states: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.float64]:
        """Add some decisions, which come up with these chances in turns of these states.

        Returns the probability of each option by the policy and by the table, shape (2, options).
        """
        weights = self.policy.weights(turns)
        options, starts = self.best.ranked(turns), turns.starts[:-1]
        losses = options.loss
        regrets = np.add.reduceat(weights * losses, starts)
        margins = losses[options.order[starts + 1]]
        is_tie = margins <= self._tie
        found.decisions += len(turns)
        found.ties += int(is_tie.sum())
        found.right += float(weights[losses <= self._tie].sum())
        found.total += float(regrets.sum())
        classes = np.searchsorted(EDGES, margins[~is_tie], side="left")
        found.margins += np.bincount(classes, minlength=len(found.margins))
        n_states = found.by_state.shape[1]
        found.by_state[0] += np.bincount(states, chances, n_states)
        found.by_state[1] += np.bincount(states, chances * regrets, n_states)
        for examples, differences in (
            (found.closest, np.where(is_tie, np.inf, margins)),
            (found.worst, -regrets),
        ):
            least = np.argpartition(differences, min(self.examples, len(turns) - 1))
            examples += [
                _Example(float(differences[k]), int(ranks[states[k]]), *map(int, which))
                for k in least[: self.examples].tolist()
                if np.isfinite(differences[k]) and differences[k] != 0
                for which in [(turns.throws[k], turns.may[k])]
            ]
        best = np.zeros(len(losses))
        best[options.order[starts]] = 1
        return np.stack([weights, best])

    def decision(self, example: _Example, *, of_policy: bool) -> JudgedDecision:
        """What people are shown of a decision, which is compared with the policy or the second."""
        generator, throw = self.generator, example.throw
        row = generator.space.unrank_states(np.array([example.rank]))
        numbers = np.array([throw], dtype=np.int32), np.array([example.may], dtype=np.uint8)
        ((turns, _),) = decision_turns(generator, row, *numbers)
        if turns.choices is not None:
            names = [choice.name for choice in turns.choices]
        else:
            every = np.arange(len(turns.source))
            names = generator.texts(turns, every, np.zeros(len(every), dtype=bool)).tolist()
        options = self.best.ranked(turns)
        first, second = options.order[:2].tolist()
        other = int(self.policy.weights(turns).argmax()) if of_policy else second
        return JudgedDecision(
            position=generator.position(row[0]).notation,
            throw=None if throw < 0 else generator.throws[throw],
            best=names[first],
            other=names[other],
            value=float(options.value[0]),
            difference=abs(example.difference),
        )

    def opening(self) -> tuple[float, float]:
        """The decisions of the first turn, if its throw is given, and their regret."""
        if self.generator.opening is None:
            return 0.0, 0.0
        turns = self.generator.open(self.generator.start())
        regret = float(self.policy.weights(turns) @ self.best.ranked(turns).loss)
        return float(turns.n_options[0] > 1), regret


def _exact_play(judge: _Judge, exact: ExactPlay, parts: Sequence[_Part]) -> PlayRegret:
    """The figures of play from those of all turns, a part for each of the batches of `exact`."""
    own, best = (exact.by_block([part.weights[k] for part in parts]) for k in (0, 1))
    by_rank = np.empty((2, exact.n))
    for ranks, part in zip(exact.ranks(), parts, strict=True):
        by_rank[:, ranks] = part.by_state
    begins, follows = exact.beginnings(judge.policy), exact.beginnings(judge.best)
    figures = []
    for of_opening, added in zip(judge.opening(), by_rank, strict=True):
        ours, theirs = exact.sums(own, best, (added, np.zeros_like(added)))
        figures.append((of_opening + begins.mean(ours, theirs) + follows.mean(theirs, ours)) / 2)
    decisions, loss = figures
    mean = loss / decisions if decisions else 0.0
    decided, lost, meant = map(IntervalEstimate.exact, (decisions, loss, mean))
    return PlayRegret(decided, lost, meant, games=0)


def _sampled_play(table: Values, policy: Policy, seed: int, threads: int | None) -> PlayRegret:
    """The figures of play from games."""
    batch = GameBatch(
        table.rules, _GAMES, opponent="table", table=table, renews=False, threads=threads
    )
    batch.begin(seed)
    decisions, losses = np.zeros(_GAMES), np.zeros(_GAMES)
    while (is_going := batch.masks.any(axis=1)).any():
        batch.step(batch.chosen_by(policy))
        assert batch.regrets is not None
        decisions[is_going] += 1
        losses[is_going] += batch.regrets[is_going]
    batch.close()
    return PlayRegret(mean_of(decisions), mean_of(losses), ratio_of(losses, decisions), _GAMES)
