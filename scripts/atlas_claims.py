"""What the sources claim of their rules, held against figures of tables."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import atlas_data
import numpy as np
from atlas_data import COUNTS, GAMES, SEED
from atlas_pages import markdown

import ur_solver as ur
from ur_solver.moves import AGAIN, PASS, ROSETTE, MoveGenerator
from ur_solver.players.policies import TablePolicy
from ur_solver.rules.board import UR, WAVY_CORNERS
from ur_solver.study import evaluate
from ur_solver.study.comparison import Study
from ur_solver.study.estimates import as_number, as_share, beyond_of, mean_of, ratio_of, value_of
from ur_solver.study.match import Counts, GameStep, Squares, play

_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven"}

_SKIRIUK = ur.PATHS["skiriuk"]
OTHER_WAY = ur.Path(
    "other-way", UR, ur.PATHS["masters"].light + _SKIRIUK.light[16:], _SKIRIUK.second_leg
)
"""The path skiriuk with the short end walked round the other way."""


def claims_path() -> pathlib.Path:
    return atlas_data.ATLAS / "data" / "claims.json"


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
    claims_path().write_text(json.dumps(found) + "\n")


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


def claims_of(studies: dict[str, Study]) -> str:
    claims = json.loads(claims_path().read_text())
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
