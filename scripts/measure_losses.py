"""Measure the spread of losses that the thresholds of marks were chosen by.

    python scripts/measure_losses.py finkel

For each player that the program knows: its mean loss per choice in games against itself,
the share of best moves, quantiles of what its wrong moves lose, and which share of its
choices gets each mark. All in points, hundredths of the chance to win.
"""

from __future__ import annotations

import sys

import numpy as np

from ur_solver.answers.decisions import TIE, Thresholds
from ur_solver.answers.locate import open_file
from ur_solver.api.table import Table
from ur_solver.audit.games import losses_per_choice, play_many
from ur_solver.audit.judge import audit_games
from ur_solver.players.policies import PLAYERS, policy_of

N_GAMES = 200
QUANTILES = (0.25, 0.5, 0.75, 0.95)


def main(word: str) -> None:
    thresholds = Thresholds()
    limits = [thresholds.inaccuracy, thresholds.mistake, thresholds.blunder]
    print(f"{'player':8} choices  mean  best %   wrong moves at 25 50 75 95 %   marks %")
    with Table(open_file(word, say=print)) as query:
        for name in PLAYERS:
            player = policy_of(name, query)
            records = play_many(query.rules, player, player, N_GAMES, np.random.default_rng(1))
            losses = losses_per_choice(audit_games(records, query))
            wrong = losses[losses > TIE]
            quantiles = np.quantile(wrong, QUANTILES) if len(wrong) else np.zeros(len(QUANTILES))
            marks = [float(np.mean(losses >= limit)) for limit in limits]
            print(
                f"{name:8} {len(losses):7}  {100 * losses.mean():4.2f}  "
                f"{100 * np.mean(losses <= TIE):5.1f}   "
                + " ".join(f"{100 * quantile:5.2f}" for quantile in quantiles)
                + "   "
                + " ".join(f"{100 * mark:5.2f}" for mark in marks)
            )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
