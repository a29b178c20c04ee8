"""Lengths of games in `ur solve`, `ur query`, `ur best` and `ur verify`."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ur_solver.api.lengths import Lengths, lengths_there, make_lengths, open_lengths, values_for
from ur_solver.cli.messages import Messages
from ur_solver.cli.moves import STDIN, Forms, Question, answer_batch, answer_questions
from ur_solver.cli.options import position_of
from ur_solver.cli.output import (
    bound_text,
    columns,
    draw_position,
    echo,
    say,
    say_nothing,
    time_text,
)
from ur_solver.common.text import counted, json_text, size_text
from ur_solver.rules import Position, RuleSet
from ur_solver.space import space_of

if TYPE_CHECKING:
    from ur_solver.study.lengths import LengthVerification


def solve(
    rules: RuleSet,
    objective: str,
    output: pathlib.Path | None,
    messages: Messages,
    *,
    force: bool,
    as_json: bool,
) -> None:
    """Solve lengths, unless their table exists, and print what was found."""
    found = None if force else lengths_there(rules, objective, output)
    is_there = found is not None
    if found is None:
        with messages.progress("solving", space_of(rules).n_positions) as progress:
            note = say_nothing if messages.is_quiet else say
            found = make_lengths(rules, objective, output, force=force, progress=progress, say=note)
    with found as lengths:
        if as_json:
            echo(json_text(_facts(lengths, is_solved=not is_there)), raw=True)
        elif is_there:
            messages.say(f"{lengths.path} already exists; --force solves it again", "present")
        elif not messages.is_quiet:
            echo(_report(lengths))


def _facts(lengths: Lengths, *, is_solved: bool) -> dict[str, Any]:
    info, blocks = lengths.info(), lengths.file.blocks
    sweeps = float(blocks["sweeps"] @ blocks["size"]) / info["positions"]
    return {
        "rules": lengths.rules.name,
        "pieces": lengths.rules.pieces,
        "path": str(lengths.path),
        "solved": is_solved,
        **{key: info[key] for key in _SAME},
        "seconds": info["seconds"] if is_solved else None,
        "sweeps": sweeps if is_solved else None,
    }


_SAME = ("objective", "positions", "length", "residual", "error", "bytes")
"""What `ur solve --json` says as `ur info --json` does."""


def _report(lengths: Lengths) -> str:
    header, start = lengths.file.header, lengths.length(lengths.rules.start())
    return (
        f"{lengths.rules.title}: {_KINDS[lengths.objective]} takes {start:.6f} throws on average\n"
        f"  {counted(header.positions, 'position')} in {time_text(header.seconds)}\n"
        f"  no length is off by more than {bound_text(lengths.max_error)} throws, proven\n"
        f"  {lengths.path}, {size_text(lengths.file.n_bytes)}"
    )


_KINDS = {"length": "a game that both sides play to win", "length-max": "the longest game"}


def query(word: str, objective: str, position: str | None, *, as_json: bool) -> None:
    """Print the length of a position, or of those of standard input."""
    with open_lengths(word, objective) as lengths:
        rules = lengths.rules
        if position == STDIN:
            form = partial(_json_lines if as_json else _lines, lengths)
            answer_batch(rules.position, form, as_json=as_json)
            return
        asked = position_of(rules, position)
        if as_json:
            echo(_json_lines(lengths, [asked])[0], raw=True)
            return
        rows = [
            ["  throws to come", f"{lengths.length(asked):.6f}"],
            ["  proven within", bound_text(lengths.error(asked))],
        ]
        echo(f"{draw_position(asked)}\n\n{columns(rows, '<>')}")


def _lines(lengths: Lengths, positions: list[Position]) -> list[str]:
    found = lengths.lengths(positions).tolist()
    return [f"{each.notation}\t{length:.6f}" for each, length in zip(positions, found, strict=True)]


def _json_lines(lengths: Lengths, positions: list[Position]) -> list[str]:
    found = lengths.lengths(positions).tolist()
    return [
        json_text(
            {
                "position": each.notation,
                "objective": lengths.objective,
                "length": length,
                "error": lengths.error(each),
            }
        )
        for each, length in zip(positions, found, strict=True)
    ]


def best(
    word: str, objective: str, position: str | None, throw: tuple[str, ...], *, as_json: bool
) -> None:
    """Print the moves, those after which the game is longest first."""
    with open_lengths(word, objective) as lengths:
        forms = Forms(
            json=lambda asked: [_moves_json(lengths, found) for found in _moves(lengths, asked)],
            over=lambda _position: _moves_json(lengths, []),
            line=lambda asked: [_moves_line(found) for found in _moves(lengths, asked)],
            page=lambda asked: [_moves_page(found) for found in _moves(lengths, asked)],
        )
        answer_questions(lengths.rules, position, throw, forms, as_json=as_json)


class _After(NamedTuple):
    """A move, or None for a pass, in words, and the length of the game after it."""

    move: str | None
    text: str
    length: float


def _moves(lengths: Lengths, asked: Question) -> Iterator[list[_After]]:
    """What may be done with each roll, the longest game first."""
    for each in asked.rolls:
        if moves := each.outcome.moves:
            found = lengths.lengths([move.position for move in moves]).tolist()
            after = (_After(one.text, one.text, k) for one, k in zip(moves, found, strict=True))
            yield sorted(after, key=lambda one: -one.length)
        else:
            yield [_After(None, each.passing, lengths.length(asked.position.pass_turn()))]


def _moves_json(lengths: Lengths, found: list[_After]) -> dict[str, Any]:
    moves = [{"move": each.move, "length": each.length} for each in found]
    return {"objective": lengths.objective, "moves": moves}


def _moves_line(found: list[_After]) -> str:
    return ", ".join(f"{each.text} {each.length:.4f}" for each in found)


def _moves_page(found: list[_After]) -> str:
    head = ["  move", "throws after it"]
    return columns([head, *([f"  {each.text}", f"{each.length:.6f}"] for each in found)], "<>")


def verified(lengths: Lengths, messages: Messages) -> LengthVerification:
    """Verify a table of lengths and return what is right of it; raises as `verify_lengths`."""
    from ur_solver.study.lengths import verify_lengths  # noqa: PLC0415 - 0.1 s

    positions = lengths.file.header.positions
    with (
        messages.progress("verifying", positions) as progress,
        values_for(lengths.rules, lengths.objective, say) as values,
    ):
        return verify_lengths(lengths.file, values, progress=progress)


def verify(word: str, objective: str, messages: Messages, *, as_json: bool) -> None:
    """Verify a table of lengths and print what was checked."""
    with open_lengths(word, objective) as lengths:
        found = verified(lengths, messages)
        path = lengths.path
    if as_json:
        echo(
            json_text({"path": str(path), "right": True, "message": None, **asdict(found)}),
            raw=True,
        )
    elif not messages.is_quiet:
        echo(
            f"{path}: right\n"
            f"  {counted(found.positions, 'position')} in {counted(found.blocks, 'block')}, "
            f"each within {found.residual:.3g} throws of what its moves are worth\n"
            f"  none off by more than {bound_text(found.error)} throws, proven again"
        )
