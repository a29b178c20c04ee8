"""The atlas's pages of games that estimators alone know."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from atlas_data import COUNTS, SEED, path_of
from atlas_pages import ladder_of, markdown, picture, remember_of, squares_of

import ur_solver as ur
from ur_solver.common.text import counted
from ur_solver.estimators.search import rolled_out
from ur_solver.rules import LIGHT
from ur_solver.study import study
from ur_solver.study.comparison import Study, lengths, table_of
from ur_solver.study.estimates import (
    IntervalEstimate,
    as_number,
    as_points,
    as_share,
    halves_of,
    loss_text,
    payoff_of,
    value_of,
)
from ur_solver.study.match import first_states
from ur_solver.study.studies import opening_tree

GAMES_ESTIMATED, ROLLOUTS, PLIES = 1000, 500, 3
"""Games and rollouts of each estimator, and how far its values look ahead."""

ESTIMATED = {
    "murray": 7,
    "murray-0-to-3": 7,
    "ben": 7,
    "ben-4dice": 7,
    "ben-d4": 7,
    "skiriuk": 7,
    "skiriuk-d4": 7,
    "birds": 5,
}
"""Games without a page by a table, with their usual pieces; estimators make their pages."""


def estimated_words() -> Iterator[str]:
    yield from (f"{name}:{pieces}" for name, pieces in ESTIMATED.items())


def make_estimates(words: Iterator[str]) -> None:
    """Studies of games without a table, by estimators.

    They hold besides, as ``estimated``, the value of the opening by a search and by rollouts.
    """
    for word in words:
        if path_of(word).exists():
            continue
        print(word, flush=True)
        estimator = ur.open_estimator(word, plies=PLIES)
        margin = estimator.error(estimator.rules.start()) or 0.0
        value = estimator.opening_value()
        found = study(estimator.looking(1), games=GAMES_ESTIMATED, seed=SEED)
        found["openings"] = opening_tree(estimator, depth=2)
        found["estimated"] = {
            "plies": PLIES,
            "opening": IntervalEstimate.within(value, margin).to_json(),
            "rollouts": ROLLOUTS,
            "rolled_out": rolled_out_opening(estimator, ROLLOUTS).to_json(),
        }
        path_of(word).write_text(json.dumps(found) + "\n")


def rolled_out_opening(estimator: ur.Estimator, n: int) -> IntervalEstimate:
    """What the first player has before the opening, by rollouts of the network to the end."""
    rules = estimator.rules
    throw = rules.mechanics.opening_throw
    if throw is not None:
        best = estimator.best(rules.start(), throw)
        assert best is not None
        found = estimator.rollout(best.move.position, n, seed=SEED)
        return found if best.move.position.side == LIGHT else found.rest()
    first = first_states(estimator)
    each = max(2, n // len(first.rows))
    results = rolled_out(estimator.network, first.rows, each, np.random.default_rng(SEED))
    variance = first.chances**2 @ results.var(axis=1, ddof=1) / each
    return IntervalEstimate.around(
        float(first.chances @ results.mean(axis=1)), math.sqrt(float(variance))
    )


def page_of_estimate(found: Study) -> str:
    """The page of a game that is known by an estimator alone."""
    rules, payoff = found["rules"], payoff_of(found)
    name, pieces = rules["name"], rules["pieces"]
    stem = f"{name}-{pieces}"
    fewer = ""
    if name in COUNTS:
        fewer = f"\nWith {counted(COUNTS[name], 'piece')} the game is [solved]({name}.md).\n"
    facts = [
        [label.replace("the table", "the estimator"), text]
        for label, text in table_of([found])[1:-1]
        if label != "the first player wins"
    ]
    estimated = found["estimated"]
    won = [
        f"games won by the first player, of {found['games']:,}",
        as_share(found["fairness"]["first_player_wins"]),
    ]
    opening = markdown(
        [
            ["", f"the first player {payoff.verb}"],
            [f"by a search of {estimated['plies']} plies", value_text(found, estimated["opening"])],
            [
                f"by {estimated['rollouts']:,} rollouts, its own play",
                sampled_text(found, estimated["rolled_out"]),
            ],
            won,
        ]
    )
    luck = markdown(
        [
            [
                "the estimator against",
                "points the other loses a game",
                "luck, standard deviation",
                "losses, standard deviation",
                "share due to skill",
            ],
            *(
                [
                    f"`{policy}`",
                    as_share(each["loss"]),
                    as_points(each["luck_deviation"], sign=False),
                    as_points(each["loss_deviation"], sign=False),
                    as_share(each["skill"]),
                ]
                for policy, each in found["luck"]["against"].items()
            ),
        ]
    )
    return f"""# {found["word"]}, estimated

**All figures of this page are estimates.** With {counted(pieces, "piece")} a side the game has
{found["positions"]:,} positions and no table here; [the estimator](../estimates.md) that comes with
the program plays in its place. The interval of a value is calibrated, not proven; that of a figure
of games covers their number alone. There are {found["games"]:,} games of the estimator against
itself, seed {found["seed"]}, in which it looks one ply ahead. That is not perfect play.
{fewer}
## What the first player has

{opening}

The search's interval is that of the estimator's errors. Rollouts and games say what the network's
own play is worth, with the interval of the throws.

{first_moves_of(found)}
## What games are like

{markdown([["", found["word"]], *facts])}

![How long games of {found["word"]} take]({picture(f"{stem}-lengths", lengths, [found])})

## Who beats the estimator

{ladder_of(found, "the estimator")}

How much is luck, where one side plays worse, in points; the share due to skill is that of the
losses in the spread of results:

{luck}
{remember_of(found)}
{squares_of(found, stem)}
Made by `python scripts/make_atlas.py --study`, or the figures of games alone by

<!-- not run: takes minutes -->

    $ ur study {found["word"]} --games {found["games"]} --seed {found["seed"]}
"""


def value_text(found: Study, figure: Any) -> str:
    """A value of a study with the digits that it has."""
    units, margin = payoff_of(found).units, max(halves_of(figure))
    return units.estimate(value_of(figure), margin) if margin else units.value(figure)


def sampled_text(found: Study, figure: Any) -> str:
    """A value of a study that was sampled."""
    return as_number(figure) if payoff_of(found).has_fines else as_share(figure)


def first_moves_of(found: Study) -> str:
    """The best moves with the first two throws, where they leave a choice."""
    payoff = payoff_of(found)
    rows = [
        [
            "first throw",
            "",
            "second throw",
            "best",
            f"the first player {payoff.verb}",
            "the second best loses",
        ]
    ]
    for first in found["openings"]:
        begun = [thrown_text(first), first["move"] or "pass"]
        if first["second"] is not None:
            rows.append(
                [
                    *begun[:1],
                    "",
                    "",
                    first["move"],
                    value_text(found, first["value"]),
                    loss_text(payoff, first["second"]),
                ]
            )
        for second in first["then"]:
            if second["second"] is None:
                continue
            value = value_text(found, second["value"])
            loss = loss_text(payoff, second["second"])
            rows.append([*begun, thrown_text(second), second["move"], value, loss])
    if len(rows) == 1:
        return "## First moves\n\nThe first two throws leave no choice of a move.\n"
    unit = payoff.units.name
    return f"""## First moves

By a search of {found["estimated"]["plies"]} plies, of throws that leave a choice. What the second
best move loses is in {unit}; *too close to call* stands where that is within the
interval of the difference.

{markdown(rows)}
"""


def thrown_text(branch: dict[str, Any]) -> str:
    return ", ".join("+".join(map(str, throws)) for throws in branch["throws"])


def stem_of(found: Study) -> str:
    """The name of the page of an estimated game."""
    return f"{found['rules']['name']}-{found['rules']['pieces']}"
