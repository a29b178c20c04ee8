"""Hold estimators against exact tables: the tables of docs/estimates.md, in rows of Markdown.

    python scripts/measure_estimators.py ESTIMATOR... [--plies 1 2 3] [--games 1600]
    python scripts/measure_estimators.py ESTIMATOR... --left 4
    python scripts/measure_estimators.py ESTIMATOR... --start 200
    python scripts/measure_estimators.py ESTIMATOR --against OTHER --plies 1 --games 6000

The tables are looked for where 'ur solve' puts them. Where there is only one of the endings, values
alone are compared, of positions of play that it holds. With --left these are the endings with as
many pieces a side, by the table of the game with as many pieces. With --start the row says what the
estimator is, and the value of the start: by the network, by a search, by rollouts, and as the atlas
has it, where a table was solved. With --against the estimator plays another one of its game,
without a table.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.answers.locate import open_file_of
from ur_solver.api.table import Table
from ur_solver.cli.evaluate import comparison_cells
from ur_solver.estimators.against_table import GAMES, POSITIONS, compared
from ur_solver.estimators.calibration import positions_of_play
from ur_solver.estimators.estimator import Estimator
from ur_solver.estimators.file import Stored
from ur_solver.estimators.network import Rows
from ur_solver.estimators.search import CUT, Searched, rolled_out
from ur_solver.moves import generator_of
from ur_solver.players.policies import TablePolicy
from ur_solver.rules import RuleSet, named_rules
from ur_solver.study.estimates import IntervalEstimate
from ur_solver.study.match import share_of_wins

ROLLED_OUT = 64
SEARCHED = 3
STUDIES = pathlib.Path(__file__).resolve().parents[1] / "docs" / "atlas" / "data"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("estimators", nargs="+")
    parser.add_argument("--positions", type=int, default=POSITIONS)
    parser.add_argument("--games", type=int, default=GAMES, help="at 1 ply, a quarter a ply more")
    parser.add_argument("--plies", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--rollouts", action="store_true", help="hold rollouts against it too")
    parser.add_argument("--left", type=int, metavar="N", help="compare endings of N pieces a side")
    parser.add_argument("--start", type=int, metavar="N", help="value the start, by N rollouts")
    parser.add_argument("--against", metavar="OTHER", help="play against another estimator")
    parser.add_argument("--threads", type=int)
    asked = parser.parse_args()
    for path in asked.estimators:
        estimator = Estimator(path, plies=1)
        if asked.start:
            print(_start_row(estimator, asked.start), flush=True)
            continue
        if asked.against:
            _play(estimator, Estimator(asked.against, plies=1), asked)
            continue
        rules = estimator.rules
        with Table(open_file_of(named_rules(rules.name, asked.left or rules.pieces))) as exact:
            exact.load()
            is_whole = not asked.left and exact.file.part.is_whole
            _measure(estimator, _Endings(rules, exact) if asked.left else exact, is_whole, asked)


class _Endings(Values):
    """The endings of a game by the table of the game with fewer pieces, on the same squares."""

    def __init__(self, rules: RuleSet, table: Table) -> None:
        self._rules = rules
        self._generator = generator_of(rules)
        self._table = table

    @property
    def rules(self) -> RuleSet:
        """The rule set of the game."""
        return self._rules

    @property
    def tolerance(self) -> float:
        """As the table's."""
        return self._table.tolerance

    def holds_states(self, states: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether neither side has more pieces left than there are in the table."""
        off = self.rules.pieces - self._table.rules.pieces
        mine, theirs = (
            self._generator.placed(each)[:, -2] >= off
            for each in (states, self._generator.mirror(states))
        )
        return mine & theirs

    def state_values(self, states: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """As `Values.state_values`; the notation of a position does not count pieces borne off."""
        return self._table.values(self._generator.space.state_layout.notations(states))


def _start_row(estimator: Estimator, rollouts: int) -> str:
    """What an estimator is, and the value of the start with a free first throw."""
    rules, units = estimator.rules, estimator.rules.payoff.units
    start, stored = rules.start(), estimator.stored
    off = stored.measured["against_rollouts"]["rms"]
    cells = [_name(stored), _learnt(stored.made_by), units.number(off, 2)]
    for plies in (1, SEARCHED):
        looking = estimator.looking(plies)
        value = looking.value(start)
        cells.append(units.estimate(value, looking.error_of(value, start)))
    played = estimator.rollout(start, rollouts)
    cells.append(f"{units.value(played.value, 2)} ± {units.number(played.margin, 2)}")
    study = STUDIES / f"{rules.word.replace(':', '-')}.study.json"
    exact = None
    if study.exists() and "exact" not in (found := json.loads(study.read_text())):
        fairness = found["fairness"]
        exact = fairness.get("with_a_free_first_throw", fairness["first_player"])
    cells.append("" if exact is None else units.value(exact, 2))
    return _row(cells)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _name(stored: Stored) -> str:
    rules = stored.rules
    return f"{rules.name} {rules.pieces}, {'/'.join(map(str, stored.shape.hidden))}"


def _learnt(made_by: dict[str, Any]) -> str:
    """The millions of positions that a network learnt from, of each training in turn."""
    own = f"{made_by['positions'] / 1e6:.1f}"
    return f"{_learnt(made_by['first'])} + {own}" if "first" in made_by else own


def _play(estimator: Estimator, other: Estimator, asked: argparse.Namespace) -> None:
    """Let two estimators play, each half of the games as light."""
    rules = estimator.rules
    for plies in asked.plies:
        own, their = (TablePolicy(Searched(each.network, plies - 1)) for each in (estimator, other))
        won = share_of_wins(rules, own, their, asked.games, seed=1)
        print(f"{rules.word}, {plies}-ply: wins {_text(won, 1)} % of {asked.games}", flush=True)


def _measure(
    estimator: Estimator, exact: Values, is_whole: bool, asked: argparse.Namespace
) -> None:
    network, stored = estimator.network, estimator.stored
    head = [_name(stored), _learnt(stored.made_by)]
    for plies in asked.plies:
        looking = estimator.looking(plies)
        one = compared(
            looking,
            looking.player,
            exact,
            play_of=network,
            plies=plies,
            is_whole=is_whole,
            positions=asked.positions,
            games=asked.games,
            threads=asked.threads,
        )
        depth, _, rms, p99, *others, _ = comparison_cells(one, estimator.rules.payoff.units)
        print(_row([*head, depth, f"{rms} / {p99}", *others]), flush=True)
        head = ["", ""]
    if asked.rollouts:
        rows = positions_of_play(network, asked.positions, 1001)
        rows = rows[exact.holds_states(rows)]
        _measure_rollouts(estimator, exact, rows[:: max(1, len(rows) // 200)])


def _measure_rollouts(estimator: Estimator, exact: Values, rows: Rows) -> None:
    network, worth = estimator.network, exact.state_values(rows)
    rng = np.random.default_rng(1)
    own, cut = network.state_values(rows), rolled_out(network, rows, ROLLED_OUT, rng, CUT)
    whole = rolled_out(network, rows, ROLLED_OUT, rng)
    print(
        f"  of {len(rows)} positions the network is off by {_rms(own - worth)}, {ROLLED_OUT} "
        f"rollouts cut after {CUT} plies by {_rms(cut.mean(axis=1) - worth)}, whole ones by "
        f"{_rms(whole.mean(axis=1) - worth)} with a standard error of "
        f"{100 * whole.std(axis=1).mean() / ROLLED_OUT**0.5:.2f}; network less cut rollouts "
        f"{_rms(own - cut.mean(axis=1))}",
        flush=True,
    )


def _rms(errors: np.ndarray) -> str:
    return f"{100 * np.sqrt(np.mean(errors**2)):.2f}"


def _text(figure: IntervalEstimate, decimals: int) -> str:
    return f"{100 * figure.value:.{decimals}f} ± {100 * figure.margin:.{decimals}f}"


if __name__ == "__main__":
    main()
