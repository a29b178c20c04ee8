"""Make the atlas: docs/atlas, a page for every rule set, from studies of their tables.

    python scripts/make_atlas.py --study      # studies what docs/atlas/data lacks, then the pages
    python scripts/make_atlas.py              # the pages from the studies that are there

Tables are taken from where `ur` finds them, and solved if they are missing. The counts of pieces
are those of `COUNTS`; another count is a change there. The games of `ESTIMATED` are studied by the
estimators that come with the program, a minute of a core each.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # games are divided over threads

import numpy as np

import ur_solver as ur
from ur_solver.estimators.rollouts import rolled_out
from ur_solver.moves import AGAIN, PASS, ROSETTE, MoveGenerator
from ur_solver.players.policies import PRIORITIES, TablePolicy
from ur_solver.rules import LIGHT
from ur_solver.rules.board import UR, WAVY_CORNERS
from ur_solver.rules.words import counted
from ur_solver.study import evaluate, study
from ur_solver.study.comparison import ROWS, Study, best_order, first_player_wins, table_of
from ur_solver.study.estimates import IntervalEstimate, beyond_of, mean_of, ratio_of
from ur_solver.study.figures import (
    as_count,
    as_number,
    as_points,
    as_share,
    halves_of,
    loss_text,
    payoff_of,
    points,
    value_of,
)
from ur_solver.study.first_states import first_states
from ur_solver.study.match import GameStep, play
from ur_solver.study.observers import Counts, Squares
from ur_solver.study.openings import opening_tree
from ur_solver.study.plots import fairness, lengths, skill, throws, worth

ROOT = pathlib.Path(__file__).resolve().parents[1]
ATLAS = ROOT / "docs" / "atlas"
MEASURED = ROOT / "ur_solver" / "serve" / "measured.json"
GAMES, SEED = 20_000, 1
GAMES_ESTIMATED, ROLLOUTS, PLIES = 1000, 500, 3
"""Games and rollouts of each estimator, and how far its values look ahead."""

COUNTS = {
    "finkel": 7,
    "british-museum": 5,
    "finkel-3dice": 7,
    "conventional": 7,
    "four-again": 4,
    "murray": 4,
    "murray-0-to-3": 4,
    "masters": 7,
    "masters-4dice": 7,
    "blitz": 5,
    "aseb": 5,
    "bell": 7,
    "bell-stakes": 6,
    "casual": 7,
    "casual-roll-again": 7,
    "birds": 3,
    "skiriuk": 4,
    "skiriuk-d4": 4,
    "ben": 4,
}
"""The pieces of every rule set's page: those that it is played with, or fewer, which two cores
solve in a quarter of an hour and 16 GiB."""

ESTIMATED = {
    "murray": 7,
    "murray-0-to-3": 7,
    "ben": 7,
    "ben-4dice": 7,
    "ben-d4": 7,
    "skiriuk": 7,
    "skiriuk-d4": 7,
    "birds": 5,
    "birds-d4": 4,
    "four-again": 7,
    "four-again-d4": 7,
    "bell-stakes": 7,
    "casual-d4": 7,
}
"""Games without a page by a table, with their usual pieces; estimators make their pages."""

_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven"}

GROWTH = ("finkel:1", "finkel:2", "finkel:3", "finkel:4", "finkel:5", "finkel:7")


_SKIRIUK = ur.PATHS["skiriuk"]
OTHER_WAY = ur.Path(
    "other-way", UR, ur.PATHS["masters"].light + _SKIRIUK.light[16:], _SKIRIUK.second_leg
)
"""The path skiriuk with the short end walked round the other way."""


def variants_of_skiriuk() -> dict[str, dict[str, ur.RuleSet]]:
    """The alternatives that Skiriuk's claims are about, by claim and alternative."""
    three, two = ur.rule_set("skiriuk:3"), ur.rule_set("skiriuk:2")
    return {
        "ways": {"own half first": two, "opponent's half first": two.changed(path=OTHER_WAY)},
        "corners": {
            f"{flip} the corner, corners {'safe' if is_safe else 'not safe'}": three.changed(
                flip=flip, safe_corners=is_safe
            )
            for flip in ("beyond", "on")
            for is_safe in (False, True)
        },
        "depots": {
            "no depots": three.changed(depots=()),
            "stacks of one piece": three.changed(stack_height=1),
            "stacks of two": three.changed(stack_height=2),
            "stacks of four, his rule": three,
        },
    }


class Runs:
    """Notes of games: the longest row of moves that one side made, and landings on rosettes."""

    def __init__(self, generator: MoveGenerator, n_games: int, rng: np.random.Generator) -> None:
        self._now, self._most = np.zeros(n_games, np.int32), np.zeros(n_games, np.int32)
        self._landings = np.zeros(n_games, np.int32)

    def see(self, step: GameStep) -> None:
        games, flags = step.games, step.turns.flags[step.chosen]
        self._now[games] += (flags & PASS) == 0
        self._most[games] = np.maximum(self._most[games], self._now[games])
        self._now[games[(flags & AGAIN) == 0]] = 0
        self._landings[games] += (flags & ROSETTE) != 0

    def notes(self) -> dict[str, Any]:
        return {"longest_run": self._most, "landings": self._landings}


def path_of(word: str) -> pathlib.Path:
    return ATLAS / "data" / f"{word.replace(':', '-')}.study.json"


def words() -> Iterator[str]:
    yield from (f"{name}:{pieces}" for name, pieces in COUNTS.items())


def make_studies() -> None:
    path_of("x").parent.mkdir(parents=True, exist_ok=True)
    for word in dict.fromkeys((*words(), *GROWTH)):
        if not path_of(word).exists():
            print(word, flush=True)
            with ur.solve(word) as table:
                found = study(table, games=GAMES, seed=SEED)
            path_of(word).write_text(json.dumps(found) + "\n")


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
            "opening": IntervalEstimate(value, value - margin, value + margin).to_json(),
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


def make_claims() -> None:
    """Figures that the claims of the sources are held against, besides the studies."""
    found: dict[str, Any] = {"lengths": {}, "runs": {}, "landings": {}}
    for name in ("finkel-3dice", "finkel", "murray-0-to-3", "murray", "skiriuk", "skiriuk-d4"):
        with ur.solve(f"{name}:2") as table:
            found["lengths"][f"{name}:2"] = evaluate(table).throws.to_json()
    for word in ("skiriuk:3", "finkel:3", "blitz:3", "bell:3", "bell-stakes:3"):
        with ur.solve(word) as table:
            best = TablePolicy(table)
            games = play(table.rules, best, best, GAMES, seed=SEED, observers=(Runs,))
        runs, landings = games.notes["longest_run"], games.notes["landings"]
        found["runs"][word] = {
            "mean": mean_of(runs).to_json(),
            "longest": int(runs.max()),
            "beyond": beyond_of(len(games)).to_json(),
            "twenty": mean_of(runs >= 20).to_json(),
        }
        found["landings"][word] = mean_of(landings).to_json()
    found |= {
        claim: {name: figures_of(rules) for name, rules in variants.items()}
        for claim, variants in variants_of_skiriuk().items()
    }
    (ATLAS / "data" / "claims.json").write_text(json.dumps(found) + "\n")


def figures_of(rules: ur.RuleSet) -> dict[str, Any]:
    """The figures of a variant, of which the first player's chance is exact."""
    with ur.solve(rules) as table:
        best = TablePolicy(table)
        games = play(rules, best, best, GAMES, seed=SEED, observers=(Counts, Squares))
        corners = [i for i, square in enumerate(rules.path.light) if square in WAVY_CORNERS]
        on_corners = games.notes["captured"][:, corners].sum(axis=1)
        first = table.opening_value()
        length = evaluate(table).throws if rules.pieces < 3 else mean_of(games.throws)
    return {
        "first_player": first,
        "throws": length.to_json(),
        "without_a_move": ratio_of(games.notes["passes"], games.throws).to_json(),
        "captures": mean_of(games.notes["captures"]).to_json(),
        "captures_on_corners": mean_of(on_corners).to_json(),
    }


def markdown(rows: list[list[str]]) -> str:
    head, *rest = rows
    lines = [head, ["---", *("--:" for _ in head[1:])], *rest]
    return "\n".join(f"| {' | '.join(cell.strip() for cell in line)} |" for line in lines)


def picture(name: str, plot: Callable[[list[Study]], str], studies: list[Study]) -> str:
    folder = ATLAS / "img"
    folder.mkdir(exist_ok=True)
    text = f'<?xml version="1.0" encoding="utf-8"?>\n{plot(studies)}'
    (folder / f"{name}.svg").write_text(text)
    return f"img/{name}.svg"


def page_of(found: Study) -> str:
    name = found["rules"]["name"]
    first = [
        f"{each['throw']}: {points(each['gain'])}"
        for each in found["fairness"].get("first_throw", ())
    ]
    facts = markdown([["", found["word"]], *table_of([found])[1:-1]])
    spread = picture(f"{name}-lengths", lengths, [found])
    opening = ""
    if first and found["rules"].get("stakes") is None:
        opening = f"\nWhat the first throw changes, in points: {', '.join(first)}.\n"
    whole = ""
    if name in ESTIMATED and path_of(f"{name}:{ESTIMATED[name]}").exists():
        more = ESTIMATED[name]
        whole = f" What it is like with {more} is [estimated]({name}-{more}.md)."
    pieces = counted(found["rules"]["pieces"], "piece")
    return f"""# {name}

With {pieces} a side; {found["games"]:,} games of the table against
itself, seed {found["seed"]}. Figures with ± or an interval are sampled, and the longest game is
that of these; all others are exact ([what the figures mean](../study.md)).{whole}

{facts}
{opening}
![How long games of {name} take]({spread})

## Who beats the table

{ladder_of(found, "the table")}
{remember_of(found)}
{squares_of(found, name)}
Made by `python scripts/make_atlas.py --study`, or the figures alone by

<!-- not run: takes minutes -->

    $ ur solve {name} -n {found["rules"]["pieces"]}
    $ ur study {found["word"]} --games {found["games"]} --seed {found["seed"]}
"""


def ladder_of(found: Study, best: str) -> str:
    """What policies win against the best player."""
    ladder = found["ladder"]
    return markdown(
        [
            ["policy", f"wins against {best}", "games to tell them apart"],
            *(
                [
                    f"`{policy}`",
                    as_share(ladder["wins"][k][0]),
                    "-" if ladder["games_apart"][k][0] is None
                    else as_count(ladder["games_apart"][k][0]),
                ]
                for k, policy in enumerate(ladder["policies"])
                if k
            ),
        ]
    )  # fmt: skip


def remember_of(found: Study) -> str:
    """The best order of priorities; empty if there is none."""
    thumbs = "\n".join(
        f"{k}. {'Prefer' if k == 1 else 'Among equals,'} {PRIORITIES[each]}."
        for k, each in enumerate((best_order(found) or "").split("+"), start=1)
        if each
    )
    return f"""
## What to remember

The best order of priorities that was found, by games against `greedy`:

{thumbs}
""" if thumbs else ""  # fmt: skip


def squares_of(found: Study, name: str) -> str:
    squares = picture(f"{name}-squares", worth, [found])
    return f"""## What a piece is worth

On each square of light's path, in points more than at home, with 95 % intervals:

![What a piece is worth on each square of {name}]({squares})
"""


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
                "loses a game",
                "spread of luck",
                "of losses",
                "skill's part",
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

How much is luck, where one side plays worse, in points; skill's part is that of the losses in the
spread of results:

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
best move loses is in {unit}; *perhaps* stands where that is within the interval of the difference.

{markdown(rows)}
"""


def thrown_text(branch: dict[str, Any]) -> str:
    return ", ".join("+".join(map(str, throws)) for throws in branch["throws"])


def claims_of(studies: dict[str, Study]) -> str:
    claims = json.loads((ATLAS / "data" / "claims.json").read_text())
    skiriuk, d4 = (studies[f"{name}:{COUNTS[name]}"] for name in ("skiriuk", "skiriuk-d4"))
    free = skiriuk["fairness"]["with_a_free_first_throw"]
    forced = skiriuk["fairness"]["first_player"]

    def next_to(part: str, key: str, text: Callable[[Any], str]) -> str:
        return f"{text(skiriuk[part][key])} with sticks, {text(d4[part][key])} with the die"

    runs = markdown(
        [
            ["", "longest row in a game, on average", "longest seen", "longer", "20 or more"],
            *(
                [
                    word,
                    as_number(each["mean"]),
                    str(each["longest"]),
                    as_share(each["beyond"]),
                    as_share(each["twenty"]),
                ]
                for word, each in claims["runs"].items()
            ),
        ]
    )
    quick = markdown(
        [
            ["", "throws a game"],
            *(
                [word, as_number(each)]
                for word, each in sorted(
                    claims["lengths"].items(), key=lambda item: value_of(item[1])
                )
            ),
        ]
    )
    means = {word: value_of(each) for word, each in claims["lengths"].items()}
    assert sorted(means, key=means.__getitem__)[:4] == [
        "finkel:2",
        "skiriuk-d4:2",
        "finkel-3dice:2",
        "skiriuk:2",
    ], "the sentence about Finkel's three dice is not true any more"
    landings = claims["landings"]
    return f"""## What the sources claim

**Skiriuk's starter has a forced throw of 1, so that the first player has no "too great
advantage".** With {_NUMBERS[COUNTS["skiriuk"]]} pieces the first player wins {100 * forced:.4f} %
with the forced 1, and would win {100 * free:.4f} % with a free first throw. Both are exact.

**Three sticks play more interestingly there than a four-sided die.** A four comes once in eight
throws of the sticks and once in four of the die. Changes of the lead in a game:
{next_to("drama", "lead_changes", as_number)}. Throws with a choice:
{next_to("choices", "with_a_choice", as_share)}. What a throw changes:
{next_to("drama", "swing", as_share)}. Throws in a game:
{next_to("length", "throws", as_number)}.

**Extra throws for anything but rosettes would let one player move twenty times in a row.** Rows of
moves in {GAMES:,} games with three pieces, of the table against itself. Blitz gives extra throws
for captures too, Bell's game after every move:

{runs}

**Finkel's game with three dice is the quickest variant.** With two pieces a side, exactly, where
best play meets best play, it is quicker than Murray's and than Skiriuk's with sticks, but neither
than Finkel's own with four dice nor than Skiriuk's with a die:

{quick}

**Bell's fines change how one plays.** With three pieces, players for the chance of winning land on
rosettes {as_number(landings["bell:3"])} times a game, players for money, who pay a fine of a
twentieth of both antes for it, {as_number(landings["bell-stakes:3"])} times.

{claims_of_variants(claims)}

{claim_of_the_museum(studies)}
"""


def claims_of_variants(claims: dict[str, Any]) -> str:
    """What Skiriuk says of his rules against their alternatives."""
    own, other = claims["ways"].values()
    first, other_first = own["first_player"], other["first_player"]
    assert abs(first - other_first) < 1e-10, "the way after the bridge makes a difference"
    assert abs(value_of(own["throws"]) - value_of(other["throws"])) < 1e-8

    def table(claim: str) -> str:
        head = ["", "the first player wins", "throws a game", "throws without a move"]
        head += ["captures a game", "captures on corners"]
        rows = [
            [
                name,
                f"{100 * each['first_player']:.4f} %",
                as_number(each["throws"]),
                as_share(each["without_a_move"]),
                as_number(each["captures"]),
                as_number(each["captures_on_corners"]),
            ]
            for name, each in claims[claim].items()
        ]
        return markdown([head, *rows])

    corners = claims["corners"]
    beyond, safe, on, same = (each["first_player"] for each in corners.values())
    assert beyond == safe
    assert abs(beyond - same) < 1e-10 < abs(beyond - on)
    jams = [value_of(each["without_a_move"]) for each in claims["depots"].values()]
    assert jams[1] < jams[2] < jams[3], "the sentence about depots is not true any more"
    duels = as_number(corners["on the corner, corners not safe"]["captures_on_corners"])

    return f"""**It makes no difference to which side one turns after the bridge.** With two pieces
the first player wins {100 * first:.8f} % and a game takes {value_of(own["throws"]):.6f} throws,
whichever half of the short end both players walk first. The values agree to ten digits.

**Turning pieces over on the corner would lead to duels there, and to jams.** With three pieces,
the chance of the first player being exact:

{table("corners")}

In his own game nothing is ever captured on a corner, since one side comes there blank and the
other marked. So corners are safe there anyway, and turning over on safe corners is the same game,
value for value: what jams is that a corner holds one piece, wherever pieces turn over. On corners
that are not safe there are duels, {duels} captures a game on the corners.

**Depots for four pieces prevent jams.** With three pieces, likewise. Stacks are those on depots and
islands:

{table("depots")}

Higher stacks make games shorter, as fewer pieces are captured. Throws without a move they do not
make rarer."""


def claim_of_the_museum(studies: dict[str, Study]) -> str:
    museum, finkel, conventional = (
        as_number(studies[word]["length"]["throws"])
        for word in ("british-museum:5", "finkel:7", "conventional:7")
    )
    return f"""**The British Museum's game is shorter.** It takes {museum} throws, Finkel's with
seven pieces {finkel} and the conventional game of the same article {conventional}."""


def make_pages() -> None:
    studies = {
        word: json.loads(path_of(word).read_text()) for word in dict.fromkeys((*words(), *GROWTH))
    }
    shown = [studies[word] for word in words()]
    for found in shown:
        (ATLAS / f"{found['rules']['name']}.md").write_text(page_of(found))
    paths = map(path_of, estimated_words())
    estimated = [json.loads(path.read_text()) for path in paths if path.exists()]
    for found in estimated:
        (ATLAS / f"{stem_of(found)}.md").write_text(page_of_estimate(found))
    growth = [studies[word] for word in GROWTH]
    listed = "\n".join(f"{found['rules']['name']}" for found in shown)
    rows = [row for row in ROWS if row.key in ("first_player", "throws", "greedy_beats_table")]
    overview = markdown(
        [
            ["", *(row.label for row in rows), "the best order of priorities"],
            *(
                [
                    f"[{found['word']}]({found['rules']['name']}.md)",
                    *(row.text(found) for row in rows),
                    f"`{best_order(found) or '-'}`",
                ]
                for found in shown
            ),
        ]
    )
    listed_estimates = "\n".join(map(stem_of, estimated))
    sizes = markdown(
        [
            ["", "by a search", "by rollouts", *(row.label for row in rows[1:])],
            *(
                [
                    f"[{found['word']}]({stem_of(found)}.md)",
                    value_text(found, found["estimated"]["opening"]),
                    sampled_text(found, found["estimated"]["rolled_out"]),
                    *(row.text(found) for row in rows[1:]),
                ]
                for found in estimated
            ),
        ]
    ).replace("the table", "the estimator")
    changes = markdown(table_of(growth))
    by_fairness = sorted(shown, key=first_player_of)
    fair = picture("fairness", fairness, by_fairness)
    text = f"""# Atlas

What every rule set is like to play: how fair it is, how long, and how much the moves matter. What
the first player wins beyond one half, in points, where both play as well as can be:

![What the first player wins beyond one half, by rule set]({fair})

A rule set's name, with its count of pieces, leads to its page:

{overview}

![How long games take, by rule set]({picture("throws", throws, shown)})

![What policies win against the table, by rule set]({picture("skill", skill, shown)})

Figures with ± are sampled: they give half the width of their 95 % interval, or both of its ends
where these are not as far from the figure. The longest games are those that were seen. All other
figures are exact. [Studies](../study.md) explain them.

## As they are played, estimated

With as many pieces as they are played with these games have no table here. Their pages have what
the [estimators](../estimates.md) that come with the program say, with intervals. What the first
player has is by a search of {PLIES} plies, and by rollouts of the network's own play; other figures
are of games that the network played with itself one ply ahead:

{sizes}

{claims_of(studies)}
## What changes when the number of pieces grows

Finkel's game with one piece to seven:

{changes}

![How the lengths of finkel's games spread]({picture("growth-lengths", lengths, growth)})

## How it was made

By {GAMES:,} games of every solved table against itself, with seed {SEED}, and games of rules of
thumb against it. This studies what `docs/atlas/data` lacks and writes all pages; `COUNTS` in the
script has the counts of pieces:

<!-- not run: studies every rule set -->

    $ python scripts/make_atlas.py --study

```{{toctree}}
:caption: Rule sets
:maxdepth: 1

{listed}
```

```{{toctree}}
:caption: Estimated
:maxdepth: 1

{listed_estimates}
```
"""
    (ATLAS / "index.md").write_text(text)


def stem_of(found: Study) -> str:
    """The name of the page of an estimated game."""
    return f"{found['rules']['name']}-{found['rules']['pieces']}"


def first_player_of(found: Study) -> float:
    return -value_of(first_player_wins(found))


def measured() -> dict[str, dict[str, float]]:
    """What the page of `ur serve` says of the rule sets' games, by name."""
    found = {}
    for word in words():
        study = json.loads(path_of(word).read_text())
        name, _, pieces = word.partition(":")
        policies, wins = study["ladder"]["policies"], study["ladder"]["wins"]
        greedy = wins[policies.index("greedy")][policies.index("table")]
        throws = study["length"]["throws"]
        found[name] = {
            "pieces": int(pieces),
            "throws": round(throws["value"] if isinstance(throws, dict) else throws, 1),
            "greedy": round(greedy["value"] if isinstance(greedy, dict) else greedy, 4),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--study", action="store_true", help="study what is missing first")
    if parser.parse_args().study:
        make_studies()
        make_estimates(estimated_words())
        if not (ATLAS / "data" / "claims.json").exists():
            make_claims()
    make_pages()
    MEASURED.write_text(json.dumps(measured(), indent=1) + "\n")


if __name__ == "__main__":
    main()
