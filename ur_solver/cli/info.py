"""`ur info`."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import click

from ur_solver.cli.options import json_option, table_argument
from ur_solver.cli.output import (
    bound_text,
    columns,
    percent,
    say,
    size_text,
    time_text,
    worth,
)
from ur_solver.locate import open_table
from ur_solver.position import start
from ur_solver.query import Query
from ur_solver.space import StakesSpace
from ur_solver.table import Table


@click.command(short_help="What a table says of itself.")
@table_argument
@json_option
def command(table: str, as_json: bool) -> None:
    """What TABLE, a file or a rule set such as finkel:3, says of itself."""
    with Query(open_table(table, say=say)) as query:
        header, size = query.table.header, query.table.n_bytes
        value, opening = query.value(start(query.rules)), query.opening_value()
        errors = query.table.blocks["error"].tolist()
        if as_json:
            facts: dict[str, Any] = header.attributes() | {
                "path": str(query.table.path),
                "rules": header.rules.to_json(),
                "error": header.error,
                "block_errors": None if header.error is None else errors,
                "bytes": size,
                "blocks": len(query.table.blocks),
                "chunks": query.table.n_chunks,
                "value": value,
            }
            if opening is not None:
                facts["opening_value"] = opening
            if isinstance(query.space, StakesSpace):
                # money, as the value is
                for name in ("tolerance", "residual", "cut_error", "cut_growth"):
                    facts[name] *= query.space.unit
                facts |= {"positions": query.space.n_placements, "fines": query.space.reach}
            click.echo(json.dumps(facts))
            return
        rows = [
            ["file", str(query.table.path)],
            ["rule set", f"{header.rules.name}, {header.rules.pieces} pieces"],
            [
                f"first to throw {'wins' if query.space.is_chance else 'gets'}",
                worth(query.rules, value, query.tolerance),
            ],
            *(
                [["the player who starts wins", percent(opening, header.tolerance)]]
                if opening is not None
                else []
            ),
            *_stakes_rows(query),
            ["positions", f"{query.space.n_placements:,}"],
            ["blocks, chunks", f"{len(query.table.blocks):,}, {query.table.n_chunks:,}"],
            ["value type", header.value_type],
            ["tolerance", f"{query.tolerance:.3g}"],
            ["proven error", _proven(query.table)],
            ["largest residual", f"{header.residual * query.space.unit:.3g}"],
            ["size", size_text(size)],
            ["made", f"{header.made} by ur_solver {header.program}"],
            ["solved in", time_text(header.seconds)],
        ]
        click.echo(columns(rows, "<<"))


def _stakes_rows(query: Query) -> list[list[str]]:
    """What is played for, how far the table reaches and what that may cost."""
    space = query.space
    if not isinstance(space, StakesSpace):
        return []
    begin = start(query.rules)
    error = query.cut_error(begin)
    further = query.cut_error(dataclasses.replace(begin, fines=space.reach + 1)) - error
    return [
        ["stakes", f"ante {space.stakes.ante}, fine {space.stakes.fine}"],
        ["fines", f"0 to {space.reach}; more are worth what a straight line says"],
        ["error of that cut", f"at most {error:.3g}, and {further:.3g} for each fine past it"],
    ]


def _proven(table: Table) -> str:
    if table.header.error is None:
        return "none; 'ur certify' proves one"
    return (
        f"{bound_text(table.header.error)}, by block from {bound_text(table.blocks['error'].min())}"
    )
