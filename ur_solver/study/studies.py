"""The study of a rule set, as one JSON object.

Figures that are exact are numbers; sampled ones are objects with their 95 % interval, as
`IntervalEstimate.to_json` writes them. docs/study.md explains each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values, to_side, totals_of
from ur_solver.answers.query import (
    Answers,
    Decision,
    EvaluatedChoice,
    EvaluatedMove,
    ThrowValue,
    decision,
)
from ur_solver.common.text import counted, whole_number
from ur_solver.moves import MoveGenerator, generator_of
from ur_solver.players.policies import Policy, TablePolicy, policy_of
from ur_solver.rules import LIGHT, Move, Position
from ur_solver.rules.turns import has_choices, total
from ur_solver.study.estimates import (
    IntervalEstimate,
    beyond_of,
    deviation_of,
    mean_of,
    part_of_spread,
    quantile_of,
    ratio_of,
    share_of,
)
from ur_solver.study.exact_play import ExactPlay, can_play_exactly, exact_evaluation
from ur_solver.study.match import (
    ChanceObserver,
    Choices,
    Counts,
    PlayedGames,
    Snapshots,
    Squares,
    best_order,
    choices_of,
    first_states,
    play,
    share_of_wins,
)


def opening_tree(table: Answers, depth: int = 3) -> list[dict[str, Any]]:
    """The tree of the first `depth` throws: a branch for every throw, and branches of it.

    ``say`` is the best choice before the throw, and ``other_loses`` the loss of the other (None if
    there is none). ``throws`` are those that lead to the branch, each as a list of what the dice
    show; all that pass are one branch. Then their ``chance``, the best ``move`` (None for a pass),
    light's ``value`` after it, what the ``second`` best move loses (None if there is none), the
    ``position`` that it leads to and ``then``, the branches from there. Estimated values and losses
    are objects with their 95 % intervals.
    """
    start = table.rules.start()
    throw = table.rules.mechanics.opening_throw
    throws = () if throw is None else (throw,)
    return _branches(table, decision(table, start, throws=throws), depth)


def _branches(table: Answers, found: Decision, depth: int) -> list[dict[str, Any]]:
    if depth == 0 or not found.choices:
        return []
    choices = sorted(found.choices, key=lambda each: each.loss)
    chosen = {"say": choices[0].name or None, "other_loses": _least_loss(choices)}
    thrown = choices[0].throws
    whole = sum(each.probability for each in thrown)  # below 1 where the rules give the throw
    return [
        chosen | _branch(table, found.position, depth, throws, whole)
        for throws in _by_moves(thrown)
    ]


def _by_moves(throws: Iterable[ThrowValue]) -> Iterable[list[ThrowValue]]:
    """Throws that leave the same moves, together."""
    found: dict[tuple[Move, ...], list[ThrowValue]] = {}
    for each in throws:
        found.setdefault(tuple(option.move for option in each.options), []).append(each)
    return found.values()


def _branch(
    table: Answers, position: Position, depth: int, throws: list[ThrowValue], whole: Fraction | int
) -> dict[str, Any]:
    thrown, moves = throws[0], throws[0].moves
    reached = moves[0].move.position if moves else position.pass_turn()
    to_light = to_side(thrown.value, position.side == LIGHT, total(position))
    error = moves[0].error if moves else thrown.error
    return {
        "throws": [list(each.throws) for each in throws],
        "chance": float(sum(each.probability for each in throws) / whole),
        "move": moves[0].move.text if moves else None,
        "value": IntervalEstimate.within(to_light, error).to_json(),
        "second": _least_loss(moves),
        "position": reached.notation,
        "then": _branches(table, decision(table, reached), depth - 1) if depth > 1 else [],
    }


def _least_loss(best_first: Sequence[EvaluatedChoice | EvaluatedMove]) -> Any:
    """What the second best option loses, as JSON; None without one."""
    if len(best_first) < 2:
        return None
    second = best_first[1]
    return IntervalEstimate.within(second.loss, second.loss_error).to_json()


LADDER = ("table", "greedy", "capture", "rosette", "safe", "furthest", "first", "random")
"""The policies of the ladder."""

_OPPONENT = "greedy"
"""The opponent of orders of priorities."""

MOST_EXACT = 30_000
"""The most positions for an exact ladder and an exact length of games."""

_LEAST = 1000
"""The least games between two policies."""

_LEAST_TRIED = 400
"""The least games by which orders of priorities are chosen."""

_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
_AHEAD = 1.6448536269514722
"""The standard deviations that 5 % of normal draws exceed on one side."""


def study(
    table: Answers,
    *,
    games: int = 100_000,
    seed: int = 1,
    say: Callable[[str], object] = lambda text: None,
) -> dict[str, Any]:
    """Study how a rule set plays, by its table.

    Parameters
    ----------
    table : Answers
        Of a whole game. By an estimator's, the values of the start and of openings are objects with
        their 95 % intervals, too, and what is exact by a table alone is missing.
    games : int
        Of the table against itself. Each pair of the ladder plays a twentieth of them, the table
        and a worse player a fifth, and always at least 1,000.
    seed : int
        The same seed gives the same study.
    say : callable, optional
        Called with a sentence about the next step.

    Returns
    -------
    dict
        JSON values; docs/study.md explains them.

    Raises
    ------
    InputError
        If the seed or the number of games is invalid.
    """
    whole_number("seed", seed)
    whole_number("games", games, 2)
    rules, generator = table.rules, generator_of(table.rules)
    begin = decision(table, rules.start())
    say(f"{counted(games, 'game')} of the table against itself")
    best = TablePolicy(table)
    observers = (Counts, partial(ChanceObserver, table), Squares, Snapshots)
    first = first_states(table)
    played = play(rules, best, best, games, seed=seed, observers=observers, first=first)
    exact = None
    if can_play_exactly(generator, MOST_EXACT):
        exact = ExactPlay(generator, first=first)
    choices = choices_of(played.notes, best)
    say("rules of thumb")
    orders = []
    if choices is not None:
        opponent = policy_of(_OPPONENT, table)
        orders = best_order(rules, opponent, max(_LEAST_TRIED, games // 50), seed + 7, first)
    order = "+".join(orders[-1][0]) if orders else None
    say("the ladder")
    names = (*LADDER[:1], *((order,) if order else ()), *LADDER[1:])
    wins = _ladder(table, names, max(_LEAST, games // 20), seed, exact, say)
    return {
        "rules": rules.to_json(),
        "word": rules.word,
        "positions": generator.space.n_positions,
        "games": games,
        "seed": seed,
        **({"exact": False} if begin.error else {}),
        "fairness": _fairness(table, begin, played),
        "length": _length(played, best, exact),
        "choices": _turns(played),
        "drama": _drama(played),
        "luck": _luck(table, played, seed, max(_LEAST, games // 5)),
        "ladder": {
            "policies": list(names),
            "wins": [[each.to_json() for each in row] for row in wins],
            "games_apart": [[_games_apart(each) for each in row] for row in wins],
        },
        "squares": _squares(table, played, generator),
        "openings": opening_tree(table),
        "thumbs": {
            "against": _OPPONENT,
            "orders": [
                {"order": "+".join(order), "wins": share.to_json()} for order, share in orders
            ],
            "loss_at_a_choice": _losses(table, choices, names[1:]),
            "loss_a_game": {
                name: row[0].rest().plus(-0.5).to_json()
                for name, row in zip(names[1:], wins[1:], strict=True)
            },
        },
    }


def _fairness(table: Answers, begin: Decision, played: PlayedGames) -> dict[str, Any]:
    value, margin = begin.value, begin.error
    fairness: dict[str, Any] = {
        "first_player": IntervalEstimate.within(table.opening_value(), margin).to_json(),
        "first_player_wins": mean_of(played.results).to_json(),
        "unfinished": share_of(int((~played.is_finished).sum()), len(played)).to_json(),
    }
    if not table.rules.mechanics.has_free_first_throw:
        fairness["with_a_free_first_throw"] = IntervalEstimate.within(value, margin).to_json()
    if margin == 0 and not has_choices(table.rules):
        worth = table.throws(begin.position)
        fairness["first_throw"] = [
            {"throw": each.throw, "chance": float(each.probability), "gain": each.luck}
            for each in worth
        ]
        fairness["first_throw_spread"] = math.sqrt(
            sum(float(each.probability) * each.luck**2 for each in worth)
        )
    return fairness


def _length(played: PlayedGames, best: TablePolicy, exact: ExactPlay | None) -> dict[str, Any]:
    notes = played.notes
    seen = {"throws": played.throws, "turns": notes["turns"], "moves": notes["moves"]}
    means = {name: mean_of(each) for name, each in seen.items()}
    distributions = {name: _distribution(each) for name, each in seen.items()}
    if exact is not None:
        found = exact_evaluation(exact, best, best)
        means["throws"] = found.throws
        distributions["throws"]["deviation"] = found.deviation.to_json()
    return {
        **{name: mean.to_json() for name, mean in means.items()},
        "captures": mean_of(notes["captures"]).to_json(),
        "extra_throws": mean_of(notes["extras"]).to_json(),
        "distributions": distributions,
        "beyond": beyond_of(len(played)).to_json(),
    }


def _distribution(seen: npt.NDArray[np.int32]) -> dict[str, Any]:
    counts, edges = np.histogram(seen, bins=min(60, int(np.ptp(seen)) + 1))
    return {
        "deviation": deviation_of(seen).to_json(),
        "shortest": int(seen.min()),
        "longest": int(seen.max()),
        "quantiles": {str(share): quantile_of(seen, share).to_json() for share in _SHARES},
        "histogram": {
            "counts": counts.tolist(),
            "edges": edges.tolist(),
            "shares": [share_of(count, len(seen)).to_json() for count in counts.tolist()],
        },
    }


def _turns(played: PlayedGames) -> dict[str, Any]:
    notes = played.notes
    return {
        "with_a_choice": ratio_of(notes["choices"], played.throws).to_json(),
        "without_a_choice": ratio_of(played.throws - notes["choices"], played.throws).to_json(),
        "without_a_move": ratio_of(notes["passes"], played.throws).to_json(),
        "moves_to_choose_from": ratio_of(notes["options"], notes["choices"]).to_json(),
        "most_moves": int(notes["most_options"].max()),
        "beyond": beyond_of(len(played)).to_json(),
        "choices_a_turn": ratio_of(notes["choices"], notes["turns"]).to_json(),
        "choices_a_game": mean_of(notes["choices"]).to_json(),
    }


def _drama(played: PlayedGames) -> dict[str, Any]:
    notes, over = played.notes, played.is_finished
    decided = notes["decided"][over] / played.throws[over]
    least = notes["least_of_winner"][over]
    return {
        "lead_changes": mean_of(notes["lead_changes"][over]).to_json(),
        "decided_after": mean_of(decided).to_json(),
        "comebacks": {
            "25": mean_of(least < 0.25).to_json(),
            "10": mean_of(least < 0.1).to_json(),
            "1": mean_of(least < 0.01).to_json(),
        },
        "least_of_a_winner": float(least.min()) if len(least) else None,
        "beyond": beyond_of(len(least)).to_json() if len(least) else None,
        "swing": ratio_of(notes["swing"], played.throws).to_json(),
    }


def _luck(table: Values, played: PlayedGames, seed: int, games: int) -> dict[str, Any]:
    """The shares of luck and losses in the spread of results if one side plays worse."""
    best, first, divided = TablePolicy(table), first_states(table), {}
    for name in ("medium", "greedy", "random"):
        other = policy_of(name, table)
        observers = (partial(ChanceObserver, table),)
        halves = [
            play(
                *(table.rules, light, dark, games // 2),
                seed=seed + 1 + k,
                observers=observers,
                first=first,
            )
            for k, (light, dark) in enumerate(((best, other), (other, best)))
        ]
        luck, loss = (
            np.concatenate([halves[0].notes[what], -halves[1].notes[what]])
            for what in ("luck", "loss")
        )
        divided[name] = {
            "loss": mean_of(loss).to_json(),
            "luck_deviation": deviation_of(luck).to_json(),
            "loss_deviation": deviation_of(loss).to_json(),
            "skill": part_of_spread(loss, luck).to_json(),
        }
    return {"deviation": deviation_of(played.notes["luck"]).to_json(), "against": divided}


def _ladder(
    table: Values,
    names: tuple[str, ...],
    games: int,
    seed: int,
    exact: ExactPlay | None,
    say: Callable[[str], object],
) -> list[list[IntervalEstimate]]:
    """The share that each policy wins against each, half of the games as the first player."""
    policies = {name: policy_of(name, table) for name in names}
    starts = first_states(table)
    written = {}
    if exact is not None:
        written = {name: exact.weights(policy) for name, policy in policies.items()}
    wins = [[IntervalEstimate.exact(0.5) for _ in names] for _ in names]
    for i, first in enumerate(names):
        for k, second in enumerate(names[:i]):
            say(f"{second} against {first}")
            if exact is not None:
                chance = _exact_share(exact, written, policies, first, second)
            else:
                pair = policies[first], policies[second]
                chance = share_of_wins(table.rules, *pair, games, seed + 100 * i + 2 * k, starts)
            wins[i][k], wins[k][i] = chance, chance.rest()
    return wins


def _exact_share(
    exact: ExactPlay,
    written: dict[str, Any],
    policies: dict[str, Policy],
    first: str,
    second: str,
) -> IntervalEstimate:
    ours = exact.beginnings(policies[first])
    theirs = exact.beginnings(policies[second])
    as_light = ours.chance(exact.chances(written[first], written[second]))
    as_dark = 1 - theirs.chance(exact.chances(written[second], written[first]))
    return IntervalEstimate.exact((as_light + as_dark) / 2)


def _games_apart(chance: IntervalEstimate) -> int | dict[str, int] | None:
    """The number of games after which the better side has won more of them in 95 cases of 100.

    None if the interval does not show which side is better.
    """
    if chance.low - 1e-9 <= 0.5 <= chance.high + 1e-9:
        return None
    value, *ends = (
        max(1, math.ceil(_AHEAD**2 * each * (1 - each) / (each - 0.5) ** 2))
        for each in (chance.value, chance.low, chance.high)
    )
    return value if chance.is_exact else {"value": value, "low": min(ends), "high": max(ends)}


def _squares(table: Values, played: PlayedGames, generator: MoveGenerator) -> dict[str, Any]:
    path, rosettes = table.rules.path.light, table.rules.rosettes
    notes = played.notes
    regression = _Regression(table, notes["row"], generator)
    places = []
    for index, square in enumerate(path):
        places.append(
            {
                "path_index": index,
                "square": square,
                "is_rosette": square in rosettes,
                "stood": ratio_of(notes["stood"][:, index], played.throws).to_json(),
                "captures": mean_of(notes["captured"][:, index]).to_json(),
                "worth": regression.worth({index: 1}).to_json(),
            }
        )
    return {
        "places": places,
        "off": regression.worth({len(path): 1}).to_json(),
        "rosettes": [
            {
                "square": square,
                "path_index": index,
                "more_than_its_neighbours": regression.worth(
                    {index: 1, index - 1: -0.5, index + 1: -0.5}
                ).to_json(),
            }
            for index, square in enumerate(path)
            if square in rosettes and index > 0
        ],
    }


class _Regression:
    """The effect of one more piece on each path index, and off, on the chance: least squares.

    It uses one state of each game; a piece at home counts 0.
    """

    def __init__(self, table: Values, rows: npt.NDArray[Any], generator: MoveGenerator) -> None:
        mine = generator.placed(rows)
        theirs = generator.placed(generator.mirror(np.ascontiguousarray(rows)))
        features = np.column_stack([(mine - theirs)[:, :-1], np.ones(len(rows))]).astype(float)
        values = table.state_values(rows) / totals_of(table.rules.payoff, rows)
        inverse = np.linalg.pinv(features.T @ features)
        self._weights = inverse @ features.T @ values
        left = values - features @ self._weights
        # from each state's own spread (White's estimator)
        self._covariance = inverse @ (features.T * left**2) @ features @ inverse

    def worth(self, pieces: dict[int, float]) -> IntervalEstimate:
        """The effect of pieces, as parts of a piece by path index, the path's length for off."""
        parts = np.zeros(len(self._weights))
        parts[list(pieces)] = list(pieces.values())
        variance = float(parts @ self._covariance @ parts)
        return IntervalEstimate.around(float(parts @ self._weights), math.sqrt(max(0.0, variance)))


def _losses(table: Values, choices: Choices | None, names: tuple[str, ...]) -> dict[str, Any]:
    if choices is None:
        return {}
    return {name: choices.loss(policy_of(name, table)).to_json() for name in names}
