"""A site written into a folder: pages, rules and values as plain files, under any address.

What there is, by path:

``index.html``, ``*.js``, ``*.css``, ``engine/*.js``
    The page.
``sw.js``, ``offline.js``, ``manifest.webmanifest``, ``icon*``
    That by which it opens without a network.
``data/index.json``
    Which rule sets there are, and what gives their values.
``data/rules/NAME.json``, ``data/prose/NAME.json``
    A rule set (`ur_solver.serve.rules_data`), and its rules in words.
``data/estimators/NAME.bin``
    An estimator (`ur_solver.publish.values`).
``data/tables/NAME-DIGEST/head.bin``, ``0.bin``, ``1.bin`` and so on
    A table, likewise.
``site.json``
    The list of all (`ur_solver.publish.folder`).
"""

from __future__ import annotations

import hashlib
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ur_solver.common.text import dumped
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.publish.folder import SiteFolder
from ur_solver.publish.page import DATA, page_contents, worker_file
from ur_solver.publish.values import head_file, n_pieces, network_file, piece_files
from ur_solver.rules import CATALOGUE, RuleSet
from ur_solver.serve.rules_data import (
    answering_values,
    game_values,
    prose_values,
    rules_data,
    whole_table_values,
)
from ur_solver.table.names import readable_name

PLIES = 2
"""How far choices of estimators look ahead in a page: so that a slow phone answers at once."""

_VERSION = 2

_FEW_PIECES = 4
"""Browsers keep all of a table from the first visit on that has no more pieces: a megabyte."""


@dataclass
class Written:
    """What a site has come to, in bytes, by the name of its parts: the page, tables and so on."""

    sizes: dict[str, int] = field(default_factory=dict)
    n_files: int = 0


@dataclass(frozen=True)
class _Files:
    """Some files of a site, whose contents are made as they are written.

    `part` is what they are, for `Written.sizes`; browsers keep those that are kept from the first
    visit on.
    """

    part: str
    names: Sequence[str]
    contents: Iterable[bytes]
    is_kept: bool = True


def publish(
    folder: pathlib.Path,
    evaluators: Sequence[Evaluator],
    games: Sequence[RuleSet] = (),
) -> Written:
    """Write a site into a folder that is new, empty, or has an earlier site, which is replaced.

    Tables are of whole games. Each evaluator is known by its rule set's name and pieces
    (``finkel-3``); another one of the same name gets a number besides. `games` are what there is to
    choose from, besides those of the evaluators. OutputError if the folder holds anything else, or
    cannot be written; DamagedTableError if values cannot be read.
    """
    place, files = SiteFolder(folder), list(_files(evaluators, games))
    names = [name for each in files for name in each.names]
    place.begin([*names, "sw.js"])
    written, digest = Written(), hashlib.sha256()
    kept: list[str] = []
    for each in files:
        for name, content in zip(each.names, each.contents, strict=True):
            place.write(name, content)
            written.n_files += 1
            written.sizes[each.part] = written.sizes.get(each.part, 0) + len(content)
            digest.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode())
        kept += each.names if each.is_kept else []
    place.write("sw.js", worker_file(digest.hexdigest()[:16], kept))
    place.finish()
    return written


def _files(evaluators: Sequence[Evaluator], games: Sequence[RuleSet]) -> Iterator[_Files]:
    """All files but the worker; what the page needs first comes last, when its data are there."""
    ids = _names_of([each.rules for each in evaluators])
    answering = [_answering(*each) for each in zip(ids, evaluators, strict=True)]
    # people play a game together with its usual pieces, whatever the values are of
    own = [
        CATALOGUE.get(each["game"], found.rules)
        for each, found in zip(answering, evaluators, strict=True)
    ]
    cards = list(dict.fromkeys([*games, *own]))
    rules = list(dict.fromkeys([*(each.rules for each in evaluators), *cards]))
    files_of = {
        each: {"data": f"rules/{name}.json", "prose": f"prose/{name}.json"}
        for each, name in zip(rules, _names_of(rules), strict=True)
    }
    entries = []
    for found, evaluator in zip(answering, evaluators, strict=True):
        values, files = _values(found["id"], evaluator)
        facts = found | whole_table_values(found["id"], evaluator)
        entries.append(facts | files_of[evaluator.rules] | {"values": values})
        yield from files
    for key, make in (("data", rules_data), ("prose", prose_values)):
        names = [f"{DATA}{files_of[each][key]}" for each in rules]
        yield _Files("rules", names, [dumped(make(each)) for each in rules])
    index = {
        "version": _VERSION,
        "tables": entries,
        "rules": [*map(game_values, cards)],
        "files": [{"name": each.name, "pieces": each.pieces, **files_of[each]} for each in rules],
    }
    yield _Files("rules", [f"{DATA}index.json"], [dumped(index)])
    page = dict(page_contents())
    yield _Files("page", list(page), page.values())


def _answering(name: str, evaluator: Evaluator) -> dict[str, Any]:
    """What answers for a game: one of the catalogue, or one of another name."""
    found, own = answering_values(name, evaluator), evaluator.rules.name
    return found | {"game": found["game"] or (None if own in CATALOGUE else own)}


def _values(name: str, evaluator: Evaluator) -> tuple[dict[str, Any], list[_Files]]:
    """Where the page finds the values of a table or an estimator, and these files."""
    if not evaluator.are_exact:
        path = f"estimators/{name}.bin"
        files = _Files("estimators", [DATA + path], [network_file(evaluator.stored)])
        return {"kind": "network", "head": path}, [files]
    # another table has another folder, as pieces are kept by their address
    folder = f"tables/{name}-{evaluator.file.digest[:8]}/"
    pieces = [f"{DATA}{folder}{k}.bin" for k in range(n_pieces(evaluator.file))]
    return {"kind": "exact", "head": f"{folder}head.bin", "pieces": folder}, [
        _Files("tables", [f"{DATA}{folder}head.bin"], [head_file(evaluator.file)]),
        _Files("tables", pieces, piece_files(evaluator.file), is_kept=len(pieces) <= _FEW_PIECES),
    ]


def _names_of(rules: Iterable[RuleSet]) -> list[str]:
    """A name for each rule set, with a number where others have it."""
    found: list[str] = []
    for each in rules:
        name, number = readable_name(each), 1
        while name in found:
            number += 1
            name = f"{readable_name(each)}-{number}"
        found.append(name)
    return found
