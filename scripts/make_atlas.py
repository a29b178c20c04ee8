"""Make the atlas: docs/atlas, a page for every rule set, from studies of their tables.

    python scripts/make_atlas.py --study      # studies what docs/atlas/data lacks, then the pages
    python scripts/make_atlas.py              # the pages from the studies that are there

Tables are taken from where `ur` finds them, and solved if they are missing. The counts of pieces
are those of `COUNTS` in `atlas_data.py`; another count is a change there. The games of `ESTIMATED`
in `atlas_estimates.py` are studied by the estimators that come with the program, a minute of a core
each.
"""

from __future__ import annotations

import argparse
import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # games are divided over threads

import atlas_data
from atlas_claims import claims_of, claims_path, make_claims
from atlas_data import GAMES, GROWTH, ROOT, SEED, make_studies, path_of, study_of, words
from atlas_estimates import (
    ESTIMATED,
    PLIES,
    estimated_words,
    make_estimates,
    page_of_estimate,
    sampled_text,
    stem_of,
    value_text,
)
from atlas_pages import ladder_of, markdown, picture, remember_of, squares_of

from ur_solver.common.text import counted
from ur_solver.study.comparison import (
    ROWS,
    Study,
    best_order,
    fairness,
    first_player_wins,
    lengths,
    skill,
    table_of,
    throws,
)
from ur_solver.study.estimates import points, value_of

MEASURED = ROOT / "ur_solver" / "serve" / "measured.json"


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


def make_pages() -> None:
    studies = {word: study_of(word) for word in dict.fromkeys((*words(), *GROWTH))}
    shown = [studies[word] for word in words()]
    for found in shown:
        (atlas_data.ATLAS / f"{found['rules']['name']}.md").write_text(page_of(found))
    paths = map(path_of, estimated_words())
    estimated = [json.loads(path.read_text()) for path in paths if path.exists()]
    for found in estimated:
        (atlas_data.ATLAS / f"{stem_of(found)}.md").write_text(page_of_estimate(found))
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
thumb against it. This studies what `docs/atlas/data` lacks and writes all pages; `COUNTS` in
`scripts/atlas_data.py` has the counts of pieces:

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
    (atlas_data.ATLAS / "index.md").write_text(text)


def first_player_of(found: Study) -> float:
    return -value_of(first_player_wins(found))


def measured() -> dict[str, dict[str, float]]:
    """What the page of `ur serve` says of the rule sets' games, by name.

    Where a game's usual pieces are too many for a table, its figures are the estimator's.
    """
    found = {}
    for word in (*words(), *filter(lambda each: path_of(each).exists(), estimated_words())):
        study = study_of(word)
        name, _, pieces = word.partition(":")
        policies, wins = study["ladder"]["policies"], study["ladder"]["wins"]
        greedy = wins[policies.index("greedy")][policies.index("table")]
        found[name] = {
            "pieces": int(pieces),
            "throws": round(value_of(study["length"]["throws"]), 1),
            "greedy": round(value_of(greedy), 4),
            "forced": round(value_of(study["choices"]["without_a_choice"]), 4),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--study", action="store_true", help="study what is missing first")
    if parser.parse_args().study:
        make_studies()
        make_estimates(estimated_words())
        if not claims_path().exists():
            make_claims()
    make_pages()
    MEASURED.write_text(json.dumps(measured(), indent=1) + "\n")


if __name__ == "__main__":
    main()
