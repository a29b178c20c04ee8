"""Small estimators that are trained in seconds, held against exact tables."""

from __future__ import annotations

import dataclasses
import pathlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from click.testing import CliRunner

import ur_solver as ur
from tests.estimators.test_file import stored_of
from tests.scripts import script_module
from ur_solver.answers.decisions import Values
from ur_solver.api.table import Table
from ur_solver.cli import cli
from ur_solver.errors import CheckpointError, InputError, OutputError
from ur_solver.estimators import calibration
from ur_solver.estimators import training as making
from ur_solver.estimators.against_table import differences_inside, losses, share_inside
from ur_solver.estimators.calibration import (
    Effort,
    Widths,
    calibrated,
    positions_of_play,
    value_errors,
)
from ur_solver.estimators.estimator import Estimator
from ur_solver.estimators.file import Stored
from ur_solver.estimators.network import NetworkValues, Shape, features_of
from ur_solver.estimators.search import Searched
from ur_solver.estimators.training import (
    PLIES,
    Training,
    TrainingGames,
    checkpoint_path,
    resume,
    save,
    state_of,
)
from ur_solver.players.policies import PRIORITIES, TablePolicy, policy_of
from ur_solver.rules import RuleSet, named_rules
from ur_solver.space import space_of
from ur_solver.study.match import share_of_wins

pytestmark = pytest.mark.medium

QUICK = Effort(positions=60, rollouts=8)


def fixed_rng() -> np.random.Generator:
    return np.random.default_rng(1)


def shuffled(estimator: Estimator) -> Estimator:
    """The same with its weights in any order."""
    weights = np.random.default_rng(1).permutation(estimator.stored.weights)
    return Estimator(dataclasses.replace(estimator.stored, weights=weights), plies=1)


def with_widths(estimator: Estimator, widths: Widths) -> Estimator:
    """The same with other intervals."""
    return Estimator(dataclasses.replace(estimator.stored, **vars(widths)), plies=estimator.plies)


def test_it_beats_every_rule_of_thumb(estimator):
    own = TablePolicy(estimator.player)
    for name in ("random", "first", "greedy", "capture+safe+furthest", *PRIORITIES):
        other = policy_of(name, estimator)
        # more games where a few do not show it
        assert any(
            share_of_wins(estimator.rules, own, other, games, seed=1).low > 0.5
            for games in (400, 6000)
        ), name


def test_exact_values_are_within_the_stated_intervals(estimator, exact):
    rows = positions_of_play(estimator.network, 500, seed=5)
    for plies in (1, 2):
        deeper = estimator.looking(plies)
        assert len(rows) == 500
        assert share_inside(deeper, exact, rows) >= 0.9
        # so are the differences of moves
        assert differences_inside(deeper, exact, rows) >= 0.85


def test_a_deeper_search_loses_less(estimator, exact):
    one, two = (
        losses(TablePolicy(estimator.looking(plies).player), exact, 400) for plies in (1, 2)
    )
    (one_game, one_choice, n), (two_game, two_choice, _) = one, two
    assert n == 400
    assert one_game.value < 0.15
    assert two_game.high < one_game.low
    assert two_choice.value < one_choice.value


def test_a_broken_network_is_noticed_by_the_same_measurements(estimator, exact):
    broken = shuffled(estimator)
    rows = positions_of_play(estimator.network, 500, seed=5)
    assert share_inside(broken, exact, rows) < 0.85  # not the 0.9 that are demanded of a sound one
    well, badly = (value_errors(each.player, exact, rows).rms for each in (estimator, broken))
    assert badly > 1.5 * well
    (badly, _, _), (well, _, _) = (
        losses(TablePolicy(each.player), exact, 200) for each in (broken, estimator)
    )
    assert badly.low > well.high
    # without a table, too
    widths, measured = calibrated(broken.network, QUICK)
    assert widths.errors[0] > 1.5 * estimator.stored.errors[0]
    assert (
        measured["against_rollouts"]["rms"]
        > 1.5 * estimator.stored.measured["against_rollouts"]["rms"]
    )


class _Generous(Values):
    """A table that gives the side to throw too much."""

    tolerance = 0.0

    def __init__(self, exact):
        self._exact, self.rules = exact, exact.rules

    def holds_states(self, states):
        return self._exact.holds_states(states)

    def state_values(self, states):
        return 1 - 0.3 * (1 - self._exact.state_values(states))


def test_intervals_hold_where_a_table_has_positions(estimator, exact):
    network, wrong = estimator.network, _Generous(exact)
    rows = positions_of_play(network, 500, seed=5)
    without, _ = calibrated(network, QUICK)
    assert share_inside(with_widths(estimator, without), wrong, rows) < 0.5
    effort = Effort(positions=400, rollouts=8)
    widths, measured = calibrated(network, effort, exact=wrong)
    sound = with_widths(estimator, widths)
    assert share_inside(sound, wrong, rows) > 0.9
    assert differences_inside(sound, wrong, rows) > 0.9
    assert differences_inside(with_widths(estimator, without), wrong, rows) < 0.8
    assert measured["against_table"]["positions"] == calibration._BY_TABLE * effort.positions
    # a table of what no game comes to says nothing
    wrong.holds_states = lambda states: np.zeros(len(states), dtype=bool)
    again, _ = calibrated(network, QUICK, exact=wrong)
    assert np.array_equal(again.errors, without.errors)
    assert np.array_equal(again.differences, without.differences)


def test_what_rollouts_are_off_by_is_not_the_networks_error():
    rng = np.random.default_rng(1)
    off, noise = rng.normal(0, 0.03, 4000), rng.normal(0, 0.04, 4000)
    found = calibration._width(off + noise, np.full(4000, 0.04))
    assert found == pytest.approx(1.96 * 0.03, rel=0.05)
    assert calibration._width(off + noise, np.zeros(4000)) == pytest.approx(1.96 * 0.05, rel=0.05)
    # what is all noise is not taken for a perfect network
    assert calibration._width(noise, np.full(4000, 0.04)) > 0.4 * 1.96 * 0.04


class _Off(Values):
    """A table that moves away from a search of a ply, from which the network is as far again."""

    tolerance = 0.0

    def __init__(self, network):
        self._network, self.rules = network, network.rules

    def holds_states(self, states):
        return np.ones(len(states), dtype=bool)

    def state_values(self, states):
        near, far = (Searched(self._network, depth).state_values(states) for depth in (0, 1))
        return near + 5 * (near - far)


def test_intervals_hold_where_a_deeper_search_is_worse(estimator):
    """By the table a search of 2 plies is off by 6 of what one of 1 ply is off by 5 of."""
    network = estimator.network
    table = _Off(network)
    widths, _ = calibrated(network, QUICK, exact=table)
    assert widths.errors[1] > widths.errors[0]
    rows = positions_of_play(network, 400, 1, table)
    for plies in (1, 2, 3):
        # of 95 % of all positions: the network and these rows differ from machine to machine
        assert share_inside(with_widths(estimator, widths).looking(plies), table, rows) >= 0.9
    assert widths.errors[3] == widths.errors[2]
    assert widths.differences[3] == widths.differences[2]


def test_only_a_table_of_the_whole_game_makes_intervals_narrower(estimator):
    """By these tables the network is right."""
    network = estimator.network
    without, _ = calibrated(network, QUICK)

    class Same(_Off):
        def state_values(self, states):
            return self._network.state_values(states)

    widths, _ = calibrated(network, QUICK, exact=Same(network))
    assert widths.errors[0] == widths.differences[0] == 0

    class OfSome(Same):
        def holds_states(self, states):
            return states.sum(axis=1) % 2 == 0

    widths, _ = calibrated(network, QUICK, exact=OfSome(network))
    assert widths.errors[0] == without.errors[0] > 0
    assert widths.differences[0] == without.differences[0] > 0


def test_games_that_seldom_come_to_a_tables_positions_are_not_played_for_ever(finkel2):
    with Table(finkel2) as table:
        start = table.encode([table.rules.start()])

        class Rare(_Generous):
            """It has the start, in the first of several games."""

            def holds_states(self, states):
                return (states == start).all(axis=1) & (np.arange(len(states)) == 0)

        found = positions_of_play(table, 500, 1, Rare(table))
        assert 0 < len(found) < 100
        assert (found == start).all()
        assert len(positions_of_play(table, 500)) == 500


def test_endings_are_worth_what_the_game_with_fewer_pieces_says(solved):
    endings_of = script_module("measure_estimators")._Endings
    paths = (solved(named_rules(word)) for word in ("skiriuk:2", "skiriuk:1"))
    with Table(next(paths)) as whole, Table(next(paths)) as fewer:
        endings = endings_of(whole.rules, fewer)
        rows = positions_of_play(whole, 300)
        is_held = endings.holds_states(rows)
        assert 20 < is_held.sum() < 100
        left = [
            max(2 - position.n_off(side) for side in "LD")
            for position in (whole.space.decode(row) for row in rows.tolist())
        ]
        assert np.array_equal(is_held, np.array(left) == 1)
        held = rows[is_held]
        np.testing.assert_allclose(endings.state_values(held), whole.state_values(held), atol=1e-9)


def test_returns_are_full_backups_of_one_ply_or_of_two(estimator):
    for depth in (0, 1):
        games = TrainingGames.begun(estimator.rules, 20, np.random.default_rng(1))
        window = games.play(estimator.network, np.random.default_rng(2), 0.0, depth)
        wanted = Searched(estimator.network, depth + 1).state_values(window.rows)
        np.testing.assert_allclose(window.returns, wanted, atol=1e-6)


def ended_by_window(games: TrainingGames, training: Training) -> list[int]:
    """How many games end in each of the next windows of plies."""
    values, rng = training.backend.values(training.shape, training.weights), fixed_rng()
    ended = []
    for _ in range(6):
        before = games.ages.copy()
        games.play(values, rng, 0.0)
        ended.append(int((games.ages < before + PLIES).sum()))
    return ended


def test_games_that_were_played_apart_end_at_all_times():
    training = Training(named_rules("skiriuk:2"), (8,))
    together, apart = (TrainingGames.begun(training.rules, 400, fixed_rng()) for _ in range(2))
    waves = ended_by_window(together, training)
    assert max(waves) > 2 * min(waves)
    apart.play_apart(training.backend.values(training.shape, training.weights), fixed_rng())
    evenly = ended_by_window(apart, training)
    assert max(evenly) < 1.3 * min(evenly)


def test_the_second_half_looks_two_plies_ahead(monkeypatch: pytest.MonkeyPatch):
    depths, play = [], TrainingGames.play

    def noting(self, values, rng, weight, depth, table):
        depths.append(depth)
        return play(self, values, rng, weight, depth, table)

    monkeypatch.setattr(TrainingGames, "play", noting)
    training = Training(named_rules("finkel:1"), (8,))
    with ThreadPoolExecutor(1) as pool:
        for done in (0.0, 0.49, 0.5, 1.0):
            training.round(pool, done)
    assert depths == [0] * 8 + [1] * 8


def test_the_last_quarter_learns_more_often_from_the_same_positions():
    training = Training(named_rules("finkel:1"), (8,))
    steps = []
    with ThreadPoolExecutor(1) as pool:
        for done in (0.0, 0.7, 0.8, 1.0):
            before = training.optimiser.steps
            training.round(pool, done)
            steps.append(training.optimiser.steps - before)
    once = training.positions // 4 // 256
    assert [n / once for n in steps] == [2, 2, 8, 8]


def test_threads_change_nothing():
    found = []
    for threads in (1, 3):
        training = Training(named_rules("birds:1"), (8,))
        with ThreadPoolExecutor(threads) as pool:
            training.round(pool, 0.0)
            training.round(pool, 1.0)
        found.append(training.optimiser.mean)
    assert np.array_equal(*found)


def test_a_training_that_was_interrupted_ends_as_one_that_was_not(tmp_path: pathlib.Path):
    rules = named_rules("bell-stakes:1")
    whole, half = tmp_path / "whole.h5", tmp_path / "half.h5"
    wanted = {"rounds": 4, "hidden": (8,), "threads": 1, "effort": QUICK}
    making.train_estimator(rules, whole, **wanted)

    def stop(training, _seconds):
        if training.rounds in (1, 3):
            raise KeyboardInterrupt

    resumed: list[int] = []
    for _ in range(2):  # in the middle, and before the last quarter
        with pytest.raises(KeyboardInterrupt):
            making.train_estimator(
                rules,
                half,
                on_round=stop,
                on_resume=lambda at, _: resumed.append(at.rounds),
                **wanted,
            )
        assert checkpoint_path(half).exists()
        assert not half.exists()
    making.train_estimator(rules, half, on_resume=lambda at, _: resumed.append(at.rounds), **wanted)
    assert resumed == [1, 3]
    assert not checkpoint_path(half).exists()
    first, second = Estimator(whole), Estimator(half)
    assert np.array_equal(first.stored.weights, second.stored.weights)
    assert first.stored.errors.tolist() == second.stored.errors.tolist()


def test_a_training_that_is_interrupted_in_a_round_begins_that_round_again(tmp_path, monkeypatch):
    rules = named_rules("finkel:1")
    whole, half = tmp_path / "whole.h5", tmp_path / "half.h5"
    wanted = {"rounds": 3, "hidden": (8,), "threads": 1, "effort": QUICK}
    making.train_estimator(rules, whole, **wanted)
    gradient = Training._gradient

    def stop(training, *arguments):
        if training.rounds == 3:  # the last: the weights have changed in it
            if stop.left == 0:
                raise KeyboardInterrupt
            stop.left -= 1
        return gradient(training, *arguments)

    stop.left = 2
    with monkeypatch.context() as patched:
        patched.setattr(Training, "_gradient", stop)
        with pytest.raises(KeyboardInterrupt):
            making.train_estimator(rules, half, **wanted)
    resumed: list[int] = []
    making.train_estimator(rules, half, on_resume=lambda at, _: resumed.append(at.rounds), **wanted)
    assert resumed == [2]
    assert np.array_equal(Estimator(whole).stored.weights, Estimator(half).stored.weights)


def test_nothing_is_trained_for_a_file_that_cannot_be_written(tmp_path, monkeypatch):
    def fail(*_arguments):
        raise AssertionError

    monkeypatch.setattr(Training, "round", fail)
    with pytest.raises(OutputError, match=r"cannot write .*No such file"):
        making.train_estimator(named_rules("finkel:1"), tmp_path / "nowhere" / "e.h5", rounds=1)


def test_checkpoints_of_other_trainings_and_damaged_ones_are_refused(
    solved, tmp_path: pathlib.Path
):
    path = tmp_path / "checkpoint.npz"
    training = Training(named_rules("finkel:1"), (8,))
    save(path, state_of(training, 5.0))
    assert resume(path, Training(named_rules("finkel:1"), (8,))) == 5.0
    for other in (
        Training(named_rules("finkel:2"), (8,)),
        Training(named_rules("finkel:1"), (9,)),
        Training(named_rules("finkel:1"), (8,), seed=2),
    ):
        with pytest.raises(CheckpointError, match="of another training"):
            resume(path, other)
    with Table(solved(training.rules)) as table:
        learning = Training(training.rules, (8,), table=table)
        with pytest.raises(CheckpointError, match="of another training"):
            resume(path, learning)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="damaged"):
        resume(path, training)


def test_a_stage_ends_when_errors_no_longer_fall():
    training = Training(named_rules("finkel:1"), (8,))
    training.rounds = 60
    training.errors = np.geomspace(1, 0.01, 60).tolist()
    assert not training.advance()
    assert training.stage == 0
    training.errors = [0.1] * 60
    assert not training.advance()
    assert (training.stage, training.stage_began) == (1, 60)
    for _ in range(5):
        training.rounds += 60
        training.errors += [0.1] * 60
        is_over = training.advance()
    assert is_over


def test_a_network_learns_from_the_exact_values_of_a_table_of_endings(
    estimator, exact, tmp_path: pathlib.Path
):
    rules, values = estimator.rules, shuffled(estimator).network
    with ur.solve(rules, tmp_path / "endings.h5", left=1) as endings:
        for depth in (0, 1):
            games = TrainingGames.begun(rules, 64, fixed_rng())
            for _ in range(2):
                window = games.play(values, fixed_rng(), 0.9, depth, endings)
            held = endings.holds_states(window.rows)
            assert 100 < held.sum() < len(held) - 100
            errors = np.abs(window.returns - exact.state_values(window.rows))
            assert errors[held].max() < 1e-6
            assert errors[~held].mean() > 0.01
            # without it they are what the network makes of them
            alone = games.play(values, fixed_rng(), 0.9, depth)
            held = endings.holds_states(alone.rows)
            assert np.abs(alone.returns - exact.state_values(alone.rows))[held].mean() > 0.01


@pytest.mark.parametrize("has_room", [True, False])
def test_a_training_finds_the_table_of_a_game_or_of_its_endings(
    has_room: bool, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("UR_TABLES", str(tmp_path))
    monkeypatch.setattr(making, "has_room", lambda _bytes, _limit: has_room)
    counts = []
    for left in (1, None):
        with ur.solve("finkel:2", left=left) as table:
            counts.append(table.info()["positions"])
    n = counts[int(has_room)]
    path = str(tmp_path / "e.h5")
    wanted = ["-n", "2", "--rounds", "1", "--hidden", "8", "--force", "-o", path]
    result = CliRunner().invoke(cli, ["train", "finkel", *wanted])
    assert result.exit_code == 0, result.output
    assert f"with the exact values of a table of {n:,} positions" in result.output
    made = ur.open_estimator(path).stored
    assert made.made_by["table_positions"] == n
    assert made.measured["against_table"]["positions"] > 0


def test_a_network_that_learns_from_a_whole_table_is_nearer_to_it(solved, tmp_path: pathlib.Path):
    rules = named_rules("finkel:2")
    with Table(solved(rules)) as table:
        rows = positions_of_play(table, 2000)
        errors = []
        for known in (None, table):
            made = making.train_estimator(
                rules,
                tmp_path / "e.h5",
                rounds=8,
                hidden=(32, 16),
                effort=QUICK,
                table=known,
                force=True,
            )
            network = Estimator(made, plies=1).network
            errors.append(value_errors(network, table, rows).rms)
    assert errors[1] < 0.75 * errors[0], errors


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"hidden": (0,)}, r"hidden layers \(0,\): expected 1 to 4 layers"),
        ({"hidden": (4.5,)}, r"hidden layers \(4.5,\): expected 1 to 4 layers"),
        ({"rounds": 0}, "rounds is 0; expected 1 or more"),
        ({"rounds": None, "minutes": -1.0}, "minutes -1.0: expected a number above 0"),
        ({"rounds": None, "minutes": float("inf")}, "minutes inf: expected a number above 0"),
        ({"seed": -1}, "seed is -1; expected 0 or more"),
        ({"threads": 0}, "threads is 0; expected 1 or more"),
    ],
)
def test_trainings_that_cannot_be_are_refused(tmp_path: pathlib.Path, wrong, text):
    asked = {"rounds": 1, "hidden": (4,)} | wrong
    with pytest.raises(InputError, match=text):
        making.train_estimator(named_rules("finkel:1"), tmp_path / "e.h5", **asked)


def test_a_training_begins_with_the_weights_of_a_game_with_other_dice(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
):
    wanted = {"effort": QUICK, "threads": 1}
    first = making.train_estimator(
        named_rules("skiriuk:1"), tmp_path / "first.h5", rounds=1, hidden=(8,), **wanted
    )
    rules = named_rules("skiriuk-d4:1")
    assert np.array_equal(Training(rules, (8,), first=first.weights).weights, first.weights)
    begun = []
    monkeypatch.setattr(Training, "play_apart", lambda training, _pool: begun.append(training))
    found = making.train_estimator(rules, tmp_path / "second.h5", rounds=1, first=first, **wanted)
    assert [training.rules for training in begun] == [rules]
    assert found.rules.is_same_game(rules)
    assert found.shape.hidden == (8,)
    assert found.made_by["first"]["positions"] == first.made_by["positions"]
    # most of it is there still, as it is not if weights are drawn anew
    assert np.corrcoef(found.weights, first.weights)[0, 1] > 0.9
    with pytest.raises(InputError, match="cannot begin with one of skiriuk with 1 piece"):
        making.train_estimator(named_rules("finkel:1"), tmp_path / "third.h5", first=first)
    with pytest.raises(InputError, match="cannot begin with one of skiriuk with 1 piece"):
        making.train_estimator(named_rules("skiriuk:2"), tmp_path / "third.h5", first=first)


def with_any_weights(stored: Stored) -> Stored:
    weights = np.random.default_rng(1).normal(0, 0.3, stored.shape.n_weights).astype(np.float32)
    return dataclasses.replace(stored, weights=weights)


@pytest.fixture
def begun_values(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    """The values with which a training of a rule set begins that begins with an estimator."""

    def found(rules: RuleSet, first: Stored, hidden: tuple[int, ...] | None = None):
        begun: list[Training] = []
        monkeypatch.setattr(Training, "play_apart", lambda own, _pool: begun.append(own.weights))
        making.train_estimator(
            rules,
            tmp_path / "e.h5",
            rounds=1,
            first=first,
            hidden=hidden,
            effort=QUICK,
            threads=1,
            force=True,
        )
        shape = Shape(len(features_of(rules, True)), hidden or first.shape.hidden, True)
        rows = space_of(rules).unrank_states(np.arange(0, space_of(rules).n_values, 7))
        return rows, NetworkValues(rules, shape, begun[-1]).state_values(rows)

    return found


def test_a_training_begins_with_the_values_of_a_network_without_wide_features(begun_values):
    rules, first = named_rules("skiriuk-d4:1"), with_any_weights(stored_of("skiriuk:1", False))
    rows, found = begun_values(rules, first)
    wanted = NetworkValues(rules, first.shape, first.weights).state_values(rows)
    assert np.ptp(wanted) > 0.1
    np.testing.assert_allclose(found, wanted, atol=1e-6)


@pytest.mark.parametrize("is_wide", [False, True])
def test_a_training_begins_with_what_a_game_with_more_pieces_says_of_its_endings(
    begun_values, is_wide
):
    rules, first = named_rules("skiriuk:1"), with_any_weights(stored_of("skiriuk:3", is_wide))
    rows, found = begun_values(rules, first)
    notations = space_of(rules).state_layout.notations(rows)
    wanted = Estimator(first, plies=1).values(notations)
    assert np.ptp(wanted) > 0.05
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_a_smaller_first_layer_leaves_out_what_counts_for_nothing(begun_values):
    rules, first = named_rules("skiriuk:1"), with_any_weights(stored_of("skiriuk:1"))
    _, (onward, _), *_ = first.shape.layers(first.weights)
    onward[2] = 1e-9
    rows, found = begun_values(rules, first, (3,))
    wanted = NetworkValues(rules, first.shape, first.weights).state_values(rows)
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    for hidden in ((5,), (3, 2)):
        with pytest.raises(InputError, match="a smaller first one"):
            begun_values(rules, first, hidden)
