"""Training, from the first game to the file: value iteration over positions of own play.

In rounds. In each, games go on for a window of plies, played by the mean of the weights; every
position gets its full backup B, over all throws and moves, and from these a lambda return

    G[t] = B[t] + lambda * sign * (G[t + 1] - V[t + 1])

backwards, V being the network's value (a table's where it asks one) and the sign -1 where the other
side throws next. It is cut where a move explored, at the end of a game and at the end of the
window. The network is then fitted to the returns. Without them (lambda 0) a network soon agrees
with itself and stays wrong.

The first half of a training is fast: a backup looks one ply ahead. But a network plays worse by it
than its values are, and learns what that play is worth: in skiriuk it gives a lead too little. In
the second half its values are replaced by their full backups wherever B and the play ask for them,
so that both look two plies ahead. A position takes some four times as long, but few of them mend
what whole games by one ply taught (`docs/notes/estimator-trials.md`).

The last quarter learns more often from the same positions, since returns are best and steps are
small then. Noise would be learnt closely if it were so from the start.

Where there is a table, of the game or of its endings, its exact values stand in play for those of
the network. Returns of its positions are then exact, and positions before it are backed up from
them. A table of the whole game chooses all moves itself, nothing is searched, and the network is
fitted to it in the positions that these games come to.

A training that begins with the weights of another network first lets it play each game for a random
number of plies. Otherwise all games would end at about the same time, and a short training would
see positions of one stage of the game after the other.

Games are divided into streams with random numbers of their own, and minibatches into shares, both
the same with any number of threads: so is what comes out.

A training that is not finished is kept in a file next to that of the estimator. It is NumPy's
``.npz``, read without pickle: the optimiser's arrays, the games as they stand, and a head as JSON
that says of what training they are.
"""

from __future__ import annotations

import math
import os
import pathlib
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ur_solver.answers.decisions import Values
from ur_solver.api.solving import rule_set
from ur_solver.api.table import Table
from ur_solver.blocks.stored import is_measure
from ur_solver.common.files import make_folder, new_file, path_text
from ur_solver.common.machine import chosen_threads
from ur_solver.common.text import json_text, json_values, real_number, whole_number
from ur_solver.errors import CheckpointError, InputError, WrongTypeError
from ur_solver.estimators.calibration import Effort, calibrated
from ur_solver.estimators.estimator import (
    ALL,
    ENDINGS,
    Estimator,
    known_table,
    new_estimator_path,
    with_tables,
)
from ur_solver.estimators.file import Stored, check_replaceable, rounded, write
from ur_solver.estimators.network import (
    Adam,
    AnyInputs,
    NetworkValues,
    Rows,
    Shape,
    Weights,
    default_hidden,
    features_of,
    features_read,
    is_sound,
    scale_of,
)
from ur_solver.estimators.search import Plies, Searched, ending_rows, play_ply, start_rows
from ur_solver.rules import RuleSet
from ur_solver.space import positions_of, space_of
from ur_solver.table.reader import has_room


@dataclass(frozen=True)
class Sizes:
    """How much is played and learnt at once.

    Games are played in `streams`; a minibatch of `batch` positions is divided into `shares` by
    different threads; a network learns `epochs` times from the same positions, `last_epochs` times
    from `_LAST_FROM` on.
    """

    streams: int
    games: int
    batch: int
    shares: int
    epochs: int
    last_epochs: int

    def epochs_at(self, done: float) -> int:
        """How often a network learns from the same positions, by how far its training is."""
        return self.epochs if done < _LAST_FROM else self.last_epochs


class Backend:
    """Where a network is trained: by NumPy. `scripts/gpu_backend.py` has another one, by CuPy.

    `network` computes with the arrays of either.
    """

    sizes = Sizes(streams=4, games=256, batch=256, shares=2, epochs=2, last_epochs=8)

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    def array(self, array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """An array of this backend."""
        return array

    def numpy(self, array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """An array of this backend as NumPy's."""
        return array

    def inputs(self, rows: Rows) -> AnyInputs:
        """The features of some states, as this backend multiplies them."""
        return features_of(self.rules, True).inputs(rows)

    def values(self, shape: Shape, weights: Weights) -> Values:
        """What a network says of states, now and after its weights have changed."""
        return NetworkValues(self.rules, shape, weights.copy())


PLIES = 32
"""Of a window."""

_APART = 256
"""The most plies that games are played on before a training, so that they do not end together."""

_EXPLORE = 0.15
"""How often a move explores, in every other game."""

_MOST_PLIES = 2000
"""After which a game is given up, as bad players may go on for ever."""

_FIRST_RATE, _LAST_RATE = 2e-3, 1e-5
"""Twice the first rate has killed all units of a layer of networks that learn from 1024 at once."""

STAGES = 6
"""Of a training that goes on until it no longer improves: the rates between first and last."""

_LEAST_ROUNDS = 30
_FIRST_LAMBDA, _LAST_LAMBDA = 0.95, 0.8

_DEEP_FROM = 0.5
"""How far a training is when its backups begin to look two plies ahead."""

_NARROW_FROM = 0.3
"""How far a training is that begins with the weights of a network without wide features."""

_LAST_FROM = 0.75
"""How far it is when targets are good enough to be learnt closely: before, that fits their noise.

Of networks of skiriuk 3 after as many positions, 1-ply values are off by 2.71 points with 8 epochs
from here on, by 3.02 with 2 all the time, and by 3.06 with 6."""


class Window(NamedTuple):
    """What a stream's games brought.

    `rows` are its positions; `returns` their lambda returns, as outputs of the network; `error` is
    the mean square of what those differ from the network's own values by.
    """

    rows: Rows
    returns: npt.NDArray[np.float64]
    error: float


def _first_rows(rules: RuleSet, n: int, rng: np.random.Generator) -> Rows:
    """Where games begin: at the start or, every other one, with pieces that are borne off already.

    Bad players of some rule sets hardly ever reach the end of a game from its start.
    """
    rows = start_rows(rules, n)
    rows[1::2] = ending_rows(rules, n // 2, rng)
    return rows


@dataclass
class TrainingGames:
    """Games of a stream, which go on from window to window: their states, and the plies played."""

    rows: Rows
    ages: npt.NDArray[np.int64]

    @classmethod
    def begun(cls, rules: RuleSet, n: int, rng: np.random.Generator) -> TrainingGames:
        """As they begin."""
        return cls(_first_rows(rules, n, rng), np.zeros(n, dtype=np.int64))

    def play_apart(self, values: Values, rng: np.random.Generator) -> None:
        """Play each game for a random number of plies, fewer than `_APART`."""
        plies = rng.integers(_APART, size=len(self.ages))
        rows, ages = self.rows.copy(), self.ages.copy()
        for n in range(1, _APART):
            self._play_ply(values, rng)
            is_there = plies == n
            rows[is_there], ages[is_there] = self.rows[is_there], self.ages[is_there]
        self.rows, self.ages = rows, ages

    def _play_ply(
        self, values: Values, rng: np.random.Generator, explore: float | npt.NDArray[np.float64] = 0
    ) -> tuple[Plies, npt.NDArray[np.bool_]]:
        """Play a ply, and begin anew where a game is over; the ply, and which games it ended."""
        ply = play_ply(values, self.rows, rng, explore)
        self.ages += 1
        is_over = (ply.sign == 0) | (self.ages >= _MOST_PLIES)
        self.rows, self.ages = ply.after, np.where(is_over, 0, self.ages)
        self.rows[is_over] = _first_rows(values.rules, len(is_over), rng)[is_over]
        return ply, is_over

    def play(
        self,
        values: Values,
        rng: np.random.Generator,
        weight: float,
        depth: int = 0,
        table: Values | None = None,
    ) -> Window:
        """Play a window of plies.

        `weight` is lambda, that of what comes later; `depth` is that of the search that values what
        a ply leads to; `table` is asked for what it holds.
        """
        n, known = len(self.rows), Searched(values, 0, table)
        looking = Searched(values, depth, table)
        explore = np.where(np.arange(n) % 2, _EXPLORE, 0.0)
        rows, worth, before, own, carried = [], [], [], [], []
        for _ in range(PLIES):
            rows.append(self.rows)
            before.append(known.state_values(self.rows))
            own.append(before[-1] if table is None else values.state_values(self.rows))
            ply, is_over = self._play_ply(looking, rng, explore)
            worth.append(ply.worth)
            carried.append(np.where(ply.is_best & ~is_over, ply.sign, 0.0))
        returns, later = worth, np.zeros(n)
        for t in reversed(range(PLIES)):
            returns[t] = worth[t] + weight * carried[t] * later
            later = returns[t] - before[t]
        all_rows = np.concatenate(rows)
        scale = scale_of(values.rules, all_rows)
        found, network = np.concatenate(returns) / scale, np.concatenate(own) / scale
        if not values.rules.payoff.has_fines:
            found = np.clip(found, 0, 1)
        return Window(all_rows, found, float(np.mean((found - network) ** 2)))


class Training:
    """The state of a training, round after round.

    `hidden` are the sizes of the hidden layers (`default_hidden`), `first` the weights to begin
    with, random ones by default, and `table` one of the game, whole or of its endings. `games` are
    by stream; `errors` by round, the mean square of what returns and values differed by. Where a
    training goes on until it no longer improves, `stage` of `STAGES` is at work, and began with the
    round `stage_began`.
    """

    def __init__(
        self,
        rules: RuleSet,
        hidden: tuple[int, ...] | None = None,
        seed: int = 1,
        backend: Backend | None = None,
        first: Weights | None = None,
        table: Table | None = None,
    ) -> None:
        self.rules = rules
        self.seed = seed
        self.table = table
        self.backend = backend or Backend(rules)
        self.sizes = self.backend.sizes
        n = len(features_of(rules, True))
        self.shape = Shape(n, hidden or default_hidden(n), not rules.payoff.has_fines)
        drawn = self.shape.drawn(np.random.default_rng([seed, 0]))
        self.optimiser = Adam.of(self.backend.array(drawn if first is None else first.copy()))
        self.games = [
            TrainingGames.begun(rules, self.sizes.games, np.random.default_rng([seed, 0, k]))
            for k in range(self.sizes.streams)
        ]
        self.rounds = 0
        self.errors: list[float] = []
        self.stage = self.stage_began = 0

    @property
    def weights(self) -> Weights:
        """The mean of the weights as it is now."""
        return self.backend.numpy(self.optimiser.mean).copy()

    @property
    def positions(self) -> int:
        """The positions of play that it has learnt from."""
        return self.rounds * self.sizes.streams * self.sizes.games * PLIES

    def play_apart(self, pool: Executor) -> None:
        """Let the network play each game for a random number of plies, and learn nothing."""
        values = self.backend.values(self.shape, self.optimiser.weights)
        own = [np.random.default_rng([self.seed, 0, k, 1]) for k in range(self.sizes.streams)]
        list(pool.map(lambda games, rng: games.play_apart(values, rng), self.games, own))

    def round(self, pool: Executor, done: float) -> None:
        """Play a window and learn from it.

        `done` is how far the training is, from 0 to 1: the rate of learning and lambda fall with
        it, backups look a ply further from `_DEEP_FROM` on, and it learns more often from the same
        positions from `_LAST_FROM` on.
        """
        self.rounds += 1
        weight = _FIRST_LAMBDA + (_LAST_LAMBDA - _FIRST_LAMBDA) * done
        sizes = self.sizes
        rate = _FIRST_RATE * (_LAST_RATE / _FIRST_RATE) ** done
        depth = int(done >= _DEEP_FROM)
        values = self.backend.values(self.shape, self.optimiser.weights)
        own = [np.random.default_rng([self.seed, self.rounds, k]) for k in range(sizes.streams)]
        windows = list(
            pool.map(
                lambda games, rng: games.play(values, rng, weight, depth, self.table),
                self.games,
                own,
            )
        )
        rows = np.concatenate([window.rows for window in windows])
        returns = np.concatenate([window.returns for window in windows]).astype(np.float32)
        rng = np.random.default_rng([self.seed, self.rounds])
        epochs = sizes.epochs_at(done)
        for _ in range(epochs):
            order = rng.permutation(len(rows))
            for first in range(0, len(order), sizes.batch):
                batch = order[first : first + sizes.batch]
                gradient = self._gradient(pool, rows, returns, batch)
                self.optimiser.step(gradient, rate, len(batch) / epochs)
        self.errors.append(float(np.mean([window.error for window in windows])))

    def advance(self) -> bool:
        """Go on to the next stage if this one brings no more; return whether there is none.

        It brings no more once the errors of the later half of its rounds are smaller than those of
        the earlier half by no more than chance, or by a fiftieth.
        """
        seen = np.array(self.errors[self.stage_began :])
        if len(seen) < _LEAST_ROUNDS:
            return False
        early, late = np.array_split(seen[len(seen) // 3 :], 2)
        chance = np.hypot(early.std() / len(early) ** 0.5, late.std() / len(late) ** 0.5)
        if early.mean() - late.mean() < max(chance, early.mean() / 50):
            self.stage, self.stage_began = self.stage + 1, self.rounds
        return self.stage >= STAGES

    def _gradient(
        self,
        pool: Executor,
        rows: Rows,
        returns: npt.NDArray[np.float32],
        batch: npt.NDArray[np.int64],
    ) -> Weights:
        """The mean gradient of a batch."""
        weights = self.optimiser.weights

        def of_share(share: npt.NDArray[np.int64]) -> Weights:
            inputs, targets = self.backend.inputs(rows[share]), self.backend.array(returns[share])
            return self.shape.gradient(weights, inputs, targets)

        total, *others = pool.map(of_share, np.array_split(batch, self.sizes.shares))
        for each in others:
            total += each
        total /= len(batch)
        return total


_VERSION = 2
"""Of checkpoints and of the features that a training reads: 2 since there are wide ones."""
_MOST_FIGURE = 1e15
_MOMENTS = ("weights", "mean", "first", "second")
_OFF = re.compile(r"(off [LD]>=)(\d+)")
"""The name of a feature: how many pieces of a side are borne off."""


def checkpoint_path(path: pathlib.Path) -> pathlib.Path:
    """Where the training of an estimator is kept while it lasts."""
    return path.with_name(f"{path.name}.training.npz")


def _identity(training: Training) -> dict[str, object]:
    return {
        "version": _VERSION,
        "rules": training.rules.to_json(),
        "hidden": list(training.shape.hidden),
        "seed": training.seed,
        "sizes": asdict(training.sizes),
        "table": None if training.table is None else training.table.digest,
    }


_Arrays = dict[str, npt.NDArray[Any]]


def _arrays(training: Training) -> _Arrays:
    """The arrays of a checkpoint, copied."""
    numpy = training.backend.numpy
    moments = {name: numpy(getattr(training.optimiser, name)).copy() for name in _MOMENTS}
    return moments | {
        "rows": np.array([games.rows for games in training.games]),
        "ages": np.array([games.ages for games in training.games]),
    }


def state_of(training: Training, seconds: float) -> _Arrays:
    """The content of a checkpoint, which the training does not change any more."""
    optimiser = training.optimiser
    head = _identity(training) | {
        "rounds": training.rounds,
        "steps": optimiser.steps,
        "seconds": seconds,
        "errors": training.errors,
        "stage": training.stage,
        "stage_began": training.stage_began,
    }
    arrays = _arrays(training)
    arrays["head"] = np.frombuffer(json_text(head).encode(), dtype=np.uint8)
    return arrays


def save(path: pathlib.Path, state: _Arrays) -> None:
    """Write a checkpoint in place of one that is there; OutputError if it cannot be written."""
    with new_file(path) as file:
        np.savez(file, allow_pickle=False, **state)


def resume(path: pathlib.Path, training: Training) -> float:
    """Take a training up again from a checkpoint; return the seconds that were spent on it.

    CheckpointError if the checkpoint is damaged, or of another training.
    """
    names = (*_MOMENTS, "rows", "ages")
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            head = json_values(file["head"].tobytes().decode())
            arrays = {name: file[name] for name in names}
        own = {key: head.pop(key) for key in _identity(training)}
    except Exception as error:  # whatever zip files and NumPy raise
        raise _damaged(path, " ".join(str(error).split())[:200]) from error
    before = _arrays(training)
    are_alike = all(
        (arrays[name].shape, arrays[name].dtype) == (before[name].shape, before[name].dtype)
        for name in names
    )
    if own != _identity(training) or not are_alike:
        raise CheckpointError(
            f"checkpoint {str(path)!r} is of another training: of other rules, layers or seed, "
            "by another table or backend; ask for those, or remove it to begin again"
        )
    if not _is_possible(head, arrays, training):
        raise _damaged(path, "it has impossible numbers")
    for name in _MOMENTS:
        setattr(training.optimiser, name, training.backend.array(arrays[name]))
    training.optimiser.steps = head["steps"]
    training.rounds = head["rounds"]
    training.errors = head["errors"]
    training.stage, training.stage_began = head["stage"], head["stage_began"]
    training.games = [
        TrainingGames(rows, ages) for rows, ages in zip(arrays["rows"], arrays["ages"], strict=True)
    ]
    return float(head["seconds"])


def _damaged(path: pathlib.Path, fault: str) -> CheckpointError:
    return CheckpointError(
        f"checkpoint {str(path)!r} is damaged ({fault}); remove it to begin again"
    )


def _is_possible(
    head: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], training: Training
) -> bool:
    """Whether a training can have come to a checkpoint's figures, weights and games."""
    counts = [head.get(name) for name in ("steps", "rounds", "stage", "stage_began")]
    errors, seconds = head.get("errors"), head.get("seconds")
    figures: list[Any] = [*errors, seconds] if isinstance(errors, list) else [None]
    return (
        all(type(each) is int and 0 <= each < 1 << 53 for each in counts)
        and all(type(each) in (int, float) and 0 <= each <= _MOST_FIGURE for each in figures)
        and len(figures) - 1 == head["rounds"] >= head["stage_began"]
        and all(training.shape.is_finite(arrays[name]) for name in ("weights", "mean"))
        and bool(np.isfinite(arrays["first"]).all())
        and is_measure(arrays["second"])
        and is_measure(arrays["ages"], _MOST_PLIES)
        and bool(space_of(training.rules).go_on(np.concatenate(arrays["rows"])).all())
    )


_CHECKPOINT_SECONDS = 60.0

OnRound = Callable[[Training, float], object]
"""Called after every round with the training and the seconds spent on it."""


def train_estimator(
    rules: RuleSet,
    path: pathlib.Path,
    *,
    minutes: float | None = None,
    rounds: int | None = None,
    hidden: tuple[int, ...] | None = None,
    seed: int = 1,
    threads: int | None = None,
    effort: Effort | None = None,
    table: Table | None = None,
    backend: Backend | None = None,
    first: Stored | None = None,
    force: bool = False,
    on_resume: Callable[[Training, float], object] = lambda _training, _seconds: None,
    on_round: OnRound = lambda _training, _seconds: None,
) -> Stored:
    """Train an estimator and write its file; go on with a training that was interrupted.

    The checkpoint lies next to the file at `path` until the end. Either `minutes` (including the
    time before an interruption) or `rounds` say how long to train, where the same rounds, with the
    same table, give the same weights; with neither, until it no longer improves. Nothing depends on
    `threads` but the time. `table`, of the game or of its endings, is asked in play for what it
    holds, so that the network learns from it; the values are compared with it at the end.
    `first` is an estimator of the same squares, of the same game, the game with other dice or with
    more pieces, whose weights are begun with: it is trained as one that has gone half of the way,
    or less if it reads fewer features. Where `hidden` asks for a smaller first layer, the units
    that count least are left out. An estimator that is at `path` is replaced with `force`, at the
    end. InputError if the hidden layers or a number are invalid, or the first estimator has other
    features; CheckpointError if there is a checkpoint of another training; OutputError if something
    is at the path that must stay, or the checkpoint or the file cannot be written, which is checked
    first.
    """
    if hidden is not None and not is_sound(hidden):
        raise InputError(f"hidden layers {hidden!r}: expected 1 to 4 layers of 1 to 1024 units")
    if minutes is not None and not 0 < real_number("minutes", minutes) < math.inf:
        raise InputError(f"minutes {minutes!r:.40}: expected a number above 0")
    if rounds is not None:
        whole_number("rounds", rounds, 1)
    whole_number("seed", seed)
    check_replaceable(path, rules, force=force)
    weights, begun = None, 0.0
    if first is not None:
        hidden = hidden or first.shape.hidden
        weights = _begun_with(first, rules, hidden)
        is_wide = features_read(first.rules, first.shape.inputs).is_wide
        begun = _DEEP_FROM if is_wide else _NARROW_FROM
    training = Training(rules, hidden, seed, backend, weights, table)
    checkpoint = checkpoint_path(path)
    seconds = 0.0
    if checkpoint.exists():
        seconds = resume(checkpoint, training)
        on_resume(training, seconds)
    began, saved = time.monotonic() - seconds, seconds
    with ThreadPoolExecutor(chosen_threads(threads)) as pool:
        if first is not None and training.rounds == 0:
            training.play_apart(pool)
        state = state_of(training, seconds)
        try:
            while (done := _done(training, seconds, minutes, rounds)) < 1:
                training.round(pool, begun + (1 - begun) * done)
                seconds = time.monotonic() - began
                state = state_of(training, seconds)
                on_round(training, seconds)
                if seconds - saved > _CHECKPOINT_SECONDS:
                    save(checkpoint, state)
                    saved = seconds
        except KeyboardInterrupt:  # maybe in the middle of a round, which is lost
            save(checkpoint, state)
            raise
    weights = rounded(training.shape, training.weights)
    values = NetworkValues(rules, training.shape, weights)
    widths, measured = calibrated(values, effort or Effort(), exact=table, seed=seed)
    made_by: dict[str, Any] = {
        "seed": seed,
        "rounds": training.rounds,
        "positions": training.positions,
        "seconds": round(seconds, 1),
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "program": version("ur-solver"),
    }
    if table is not None:
        made_by["table_positions"] = table.file.part.n_positions
    if first is not None:
        made_by["first"] = {"rules": first.rules.title, **first.made_by}
    stored = Stored(
        rules.settled(),
        training.shape,
        weights,
        widths.errors,
        widths.differences,
        made_by,
        measured,
    )
    write(path, stored)
    checkpoint.unlink(missing_ok=True)
    return stored


def _begun_with(first: Stored, rules: RuleSet, hidden: tuple[int, ...]) -> Weights:
    """The weights of an estimator for a training; what it does not read has none.

    Of a game with more pieces it is what they are for its endings. The first layer may be smaller:
    those units are left out that have the least product of the norms of what comes in and goes out.
    """
    known = features_read(first.rules, first.shape.inputs).names
    names = features_of(rules, True).names
    more = first.rules.pieces - rules.pieces
    alike = first.rules if more <= 0 else first.rules.with_pieces(rules.pieces)
    is_ending = more > 0 and not positions_of(rules).stock.is_numbered
    if features_of(alike, True).names != names or not (more == 0 or is_ending):
        raise InputError(
            f"an estimator of {rules.title} cannot begin with one of {first.rules.title}: they "
            "have other features"
        )
    units, *others = first.shape.hidden
    if [*hidden[1:]] != others or hidden[0] > units:
        raise InputError(
            f"hidden layers {hidden!r}: a training from an estimator with {first.shape.hidden} "
            "has the same ones, or a smaller first one"
        )
    (matrix, biases), (onward, _), *_ = first.shape.layers(first.weights)
    norms = np.linalg.norm(matrix, axis=0) * np.linalg.norm(onward, axis=1)
    kept = np.sort(np.argsort(norms)[units - hidden[0] :])
    place = {name: k for k, name in enumerate(names)}
    begun, own = np.zeros((len(names), hidden[0]), dtype=np.float32), biases[kept]
    for name, row in zip(known, matrix[:, kept], strict=True):
        off = _OFF.fullmatch(name) if more else None
        if off is not None and int(off[2]) <= more:
            own += row  # these pieces are always off
        elif (now := f"{off[1]}{int(off[2]) - more}" if off else name) in place:
            begun[place[now]] = row
    later = first.weights[(len(known) + 1) * units + onward.size :]
    return np.concatenate([begun.ravel(), own, onward[kept].ravel(), later])


def _done(training: Training, seconds: float, minutes: float | None, rounds: int | None) -> float:
    """How far a training is, from 0 to 1."""
    if rounds is not None:
        return training.rounds / rounds
    if minutes is not None:
        return seconds / (60 * minutes)
    return 1.0 if training.advance() else training.stage / STAGES


def learnt_from(rules: RuleSet, tables: str = ALL) -> Table | None:
    """The table for a training, by `TABLES`; one of the whole game only if memory has room for it.

    A training asks it for all that a move may lead to, far too much to be read from a file.
    """
    table = known_table(rules, tables)
    if table is None or not table.file.part.is_whole:
        return table
    if has_room(table.file.n_decoded_bytes, None):
        return table
    table.close()
    return known_table(rules, ENDINGS)


def train(
    rules: str | os.PathLike[str] | Mapping[str, Any] | RuleSet,
    path: str | os.PathLike[str] | None = None,
    *,
    pieces: int | None = None,
    minutes: float | None = None,
    rounds: int | None = None,
    hidden: tuple[int, ...] | None = None,
    seed: int = 1,
    threads: int | None = None,
    force: bool = False,
    on_round: Callable[[Training, float], object] = lambda _training, _seconds: None,
    on_resume: Callable[[Training, float], object] = lambda _training, _seconds: None,
) -> Estimator:
    """Train an estimator of a rule set, and open it.

    A training that is interrupted goes on from its checkpoint when it is asked for again. If there
    is a table of the game for which memory has room, or one of its endings, the network learns from
    its exact values, and is compared with it at the end.

    Parameters
    ----------
    rules, pieces
        As for `rule_set`.
    path : path, optional
        Where the estimator will be; among the tables by default (`open_estimator`).
    minutes : float, optional
        How long to train. By default until it no longer improves.
    rounds : int, optional
        How many rounds of play and learning, in place of a time: the same rounds, seed and table
        make the same estimator.
    hidden : tuple of int, optional
        The sizes of the hidden layers.
    seed : int
        Of the first weights and of the games.
    threads : int, optional
        One a processor by default.
    force : bool
        Replace an estimator that is there, at the end.
    on_round, on_resume : callable, optional
        Called with the training and the seconds spent on it: after every round, and if it goes on
        from a checkpoint.

    Returns
    -------
    Estimator

    Raises
    ------
    RuleSetError
        If nothing goes by that name.
    InputError
        If the hidden layers cannot be so, or a number is none, or too small; or if both minutes
        and rounds are given.
    CheckpointError
        If there is a checkpoint of another training.
    OutputError
        If the estimator cannot be written, or one is there; nothing is trained then.

    Examples
    --------
    >>> import ur_solver as ur
    >>> estimator = ur.train("finkel:1", rounds=2, hidden=(16,), force=True)
    >>> estimator.rules.word
    'finkel:1'
    """
    if minutes is not None and rounds is not None:
        raise InputError("minutes and rounds both say how long to train: give one")
    if hidden is not None and not isinstance(hidden, (tuple, list)):
        raise WrongTypeError(f"hidden is {hidden!r:.60}; expected the sizes of layers: (128, 64)")
    chosen = rule_set(rules, pieces)
    if path is None:
        output = new_estimator_path(chosen)
        make_folder(output.parent)
    else:
        output = pathlib.Path(path_text(path))
    with learnt_from(chosen) or nullcontext() as table:
        train_estimator(
            chosen,
            output,
            minutes=minutes,
            rounds=rounds,
            hidden=hidden and tuple(whole_number("a layer's size", each) for each in hidden),
            seed=seed,
            threads=threads,
            table=table,
            force=force,
            on_round=on_round,
            on_resume=on_resume,
        )
    return with_tables(Estimator(output))
