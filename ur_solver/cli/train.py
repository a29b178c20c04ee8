"""`ur train`."""

from __future__ import annotations

import pathlib
import time
from typing import Any

import click

from ur_solver.cli.custom import SectionedCommand, custom_rule_options, custom_rules
from ur_solver.cli.messages import Messages, message_options
from ur_solver.cli.options import (
    TABLE_PATH,
    FiniteFloat,
    json_option,
    number_option,
    output_option,
    pieces_option,
    rules_argument,
    seed_option,
    threads_option,
)
from ur_solver.cli.output import echo, time_text
from ur_solver.common.text import counted, json_text, size_text
from ur_solver.estimators.calibration import half_widths
from ur_solver.estimators.estimator import Estimator
from ur_solver.estimators.training import Training, train

_SECONDS = 10.0
"""Between lines of progress."""


def _layers(text: str) -> tuple[int, ...]:
    """The sizes of hidden layers, as in 128,64."""
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise click.BadParameter(f"{text!r:.60} is not a list of sizes such as 128,64")
    return tuple(int(part) for part in parts)


@click.command(cls=SectionedCommand)
@rules_argument
@pieces_option
@output_option("Write the estimator to this file instead of the folder of tables.", TABLE_PATH)
@click.option(
    "--minutes",
    type=FiniteFloat(0, min_open=True),
    help="Train for this long; by default until it no longer improves.",
)
@number_option(
    "--rounds",
    within=(1, None),
    help="Train for N rounds instead; the same seed and table then give the same estimator.",
)
@click.option(
    "--hidden",
    type=_layers,
    metavar="SIZES",
    help="Set the sizes of the network's hidden layers, such as 128,64.",
)
@seed_option("Seed the initial weights and the games.")
@threads_option
@click.option("--force", is_flag=True, help="Replace an existing estimator.")
@json_option
@message_options
@custom_rule_options
def train_command(
    rules: str,
    pieces: int | None,
    output: pathlib.Path | None,
    minutes: float | None,
    rounds: int | None,
    hidden: tuple[int, ...] | None,
    seed: int,
    threads: int | None,
    force: bool,
    as_json: bool,
    messages: Messages,
    **custom: Any,
) -> None:
    """Train an estimator of RULES: a small network that estimates the value of any position.

    For games that are too large to be solved, or whose tables are too large to keep. The network
    plays against itself and learns by backing up the values of every throw and move in the
    positions that it meets. If there is a table of the game or of its endings (ur solve --left),
    the network learns from its exact values.
    Interrupted training resumes when the same command is given again. Values of an estimator are
    never exact; each comes with its error.

    \b
    ur train finkel -n 1 --rounds 2
    """
    if minutes is not None and rounds is not None:
        raise click.UsageError("--minutes and --rounds both say how long to train: give one")
    chosen = custom_rules(rules, pieces, **custom)
    last = time.monotonic()

    def on_round(training: Training, seconds: float) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS:
            last = time.monotonic()
            _say_round(messages, training, seconds)

    def on_resume(training: Training, seconds: float) -> None:
        messages.say(
            f"resuming after {counted(training.rounds, 'round')} of an earlier training",
            "taken_up",
            rounds=training.rounds,
            seconds=seconds,
        )

    try:
        with messages.task("training"):
            estimator = train(
                chosen,
                output,
                minutes=minutes,
                rounds=rounds,
                hidden=hidden,
                seed=seed,
                threads=threads,
                force=force,
                on_round=on_round,
                on_resume=on_resume,
            )
    except KeyboardInterrupt:
        messages.say("interrupted; the same command resumes from the checkpoint", "interrupted")
        raise
    with estimator:
        if as_json:
            echo(json_text(estimator.info()), raw=True)
        elif not messages.is_quiet:
            echo(report(estimator))


def _say_round(messages: Messages, training: Training, seconds: float) -> None:
    rms = training.errors[-1] ** 0.5
    messages.say(
        f"{time_text(seconds)}: {counted(training.rounds, 'round')}, {training.positions:,} "
        f"positions of play; returns differ from values by {100 * rms:.2f} % (RMS)",
        "training",
        rounds=training.rounds,
        positions=training.positions,
        seconds=round(seconds, 1),
        rms=rms,
    )


def report(estimator: Estimator) -> str:
    """What an estimator is, how it was made and what its errors were measured as."""
    made, measured = estimator.stored.made_by, estimator.stored.measured
    assert estimator.path is not None
    lines = [
        f"{estimator.rules.title}: an estimator of {estimator.stored.shape.n_weights:,} weights",
        f"  {made['positions']:,} positions of play in {time_text(made['seconds'])}, seed "
        f"{made['seed']}, {made['made'][:10]} by ur_solver {made['program']}",
    ]
    if "table_positions" in made:
        lines.append(f"  with the exact values of a table of {made['table_positions']:,} positions")
    if "first" in made:
        lines.append(
            f"  begun with the weights of an estimator of {made['first']['rules']}, of "
            f"{made['first']['positions']:,} positions"
        )
    for key, name in (("against_rollouts", "rollouts"), ("against_table", "the table")):
        if key in measured:
            lines.append(f"  off by {_off(estimator, measured[key]['rms'])} against {name} (RMS)")
    chance = " of the pot" if estimator.rules.payoff.has_fines else ""
    errors = estimator.stored.errors.tolist()
    widths = ", ".join(f"{100 * float(half_widths(each, 0.5)):.1f}" for each in errors)
    lines.append(
        f"  95 % intervals at even chances: ± {widths} %{chance} by a search of 1 to 4 plies"
    )
    size = size_text(estimator.path.stat().st_size)
    return "\n".join([*lines, f"  {estimator.path}, {size}"])


def _off(estimator: Estimator, error: float) -> str:
    return f"{100 * error:.2f} points" if not estimator.rules.payoff.has_fines else f"{error:.3g}"
