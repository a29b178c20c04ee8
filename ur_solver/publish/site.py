"""A site written into a folder: pages, rules and values as plain files, under any address.

What there is, by path:

``index.html``, ``*.js``, ``*.css``, ``engine/*.js``
    The page.
``sw.js``, ``offline.js``, ``manifest.webmanifest``, ``icon*``
    That by which it opens without a network.
``version.json``
    The version of the site, another one for every change.
``data/index.json``
    Which rule sets there are, and what gives their values; the lengths and digests of all files.
``data/rules/NAME.json``, ``data/prose/NAME.json``
    A rule set (`ur_solver.serve.rules_data`), and its rules in words.
``data/estimators/NAME.bin``
    An estimator (`ur_solver.publish.values`).
``data/tables/NAME-DIGEST/head.bin``, ``0.bin``, ``1.bin`` and so on
    A table, likewise.
``site.json``
    The list of all (`ur_solver.publish.folder`).

A file that a host answers with other bytes is neither used nor kept. ``index.html`` has the digests
of scripts, style sheets and ``data/index.json``; this one those of the data; a table's head those
of its pieces; ``sw.js``, which checks what it keeps, those of the page.
"""

from __future__ import annotations

import hashlib
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ur_solver.common.text import dumped
from ur_solver.estimators.evaluator import Evaluator
from ur_solver.publish.folder import SiteFolder
from ur_solver.publish.page import DATA, index_page, page_contents, worker_file
from ur_solver.publish.values import head_file, n_pieces, network_file, piece_files
from ur_solver.rules import CATALOGUE, RuleSet
from ur_solver.serve.page_files import integrity_of
from ur_solver.serve.rules_data import (
    answering_values,
    game_values,
    prose_values,
    rules_data,
    whole_table_values,
    with_sentences,
)
from ur_solver.table.names import readable_name

PLIES = 2
"""How far choices of estimators look ahead in a page: so that a slow phone answers at once."""

GUIDED, GUIDED_PIECES = "finkel", 3
"""The game that is learnt by playing, which needs no values; ``page/guide.js`` has the same."""

_VERSION = 4

_PAGE, _INDEX = "index.html", f"{DATA}index.json"

_FEW_PIECES = 4
"""Of tables that have no more pieces, a megabyte, all is kept by browsers that keep everything."""


@dataclass
class Written:
    """What a site has come to, in bytes, by the name of its parts: the page, tables and so on."""

    sizes: dict[str, int] = field(default_factory=dict)
    n_files: int = 0


@dataclass(frozen=True)
class _Files:
    """Some files of a site, whose contents are made as they are written.

    `part` is what they are, for `Written.sizes`; the index has those that are listed.
    """

    part: str
    names: Sequence[str]
    contents: Iterable[bytes]
    is_listed: bool = True


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
    digests: dict[str, str] = {}
    listed: dict[str, tuple[int, str]] = {}
    place = SiteFolder(folder)
    files = list(_files(evaluators, games, digests, listed))
    place.begin([name for each in files for name in each.names])
    written = Written()
    for each in files:
        for name, content in zip(each.names, each.contents, strict=True):
            place.write(name, content)
            written.n_files += 1
            written.sizes[each.part] = written.sizes.get(each.part, 0) + len(content)
            digests[name] = integrity_of(content)
            if each.is_listed:
                listed[name] = len(content), digests[name]
    place.finish()
    return written


def _files(
    evaluators: Sequence[Evaluator],
    games: Sequence[RuleSet],
    digests: Mapping[str, str],
    listed: Mapping[str, tuple[int, str]],
) -> Iterator[_Files]:
    """All files in their order: what is needed first comes last, when its data are there.

    Files that have the digests of others are made when those are written, which fills `digests` and
    `listed`.
    """
    ids = _names_of([each.rules for each in evaluators])
    answering = [_answering(*each) for each in zip(ids, evaluators, strict=True)]
    # people play a game together with its usual pieces, whatever the values are of
    own = [
        CATALOGUE.get(each["game"], found.rules)
        for each, found in zip(answering, evaluators, strict=True)
    ]
    cards = list(dict.fromkeys([*games, *own]))
    guided = [each.with_pieces(GUIDED_PIECES) for each in cards if each.name == GUIDED]
    rules = list(dict.fromkeys([*(each.rules for each in evaluators), *cards, *guided]))
    files_of = {
        each: {"data": f"rules/{name}.json", "prose": f"prose/{name}.json"}
        for each, name in zip(rules, _names_of(rules), strict=True)
    }
    entries = []
    for found, evaluator in zip(answering, evaluators, strict=True):
        values, files = _values(found["id"], evaluator, digests)
        facts = found | whole_table_values(found["id"], evaluator)
        entries.append(facts | files_of[evaluator.rules] | {"values": values})
        yield from files
    for key, make in (("data", rules_data), ("prose", prose_values)):
        names = [f"{DATA}{files_of[each][key]}" for each in rules]
        yield _Files("rules", names, [dumped(make(each)) for each in rules])
    index = with_sentences(
        {
            "version": _VERSION,
            "tables": entries,
            "rules": [*map(game_values, cards)],
            "files": [
                {"name": each.name, "pieces": each.pieces, **files_of[each]} for each in rules
            ],
        }
    )
    page = page_contents()
    yield _Files("page", list(page), page.values())
    yield _Files(
        "rules", [_INDEX], _made(lambda: dumped(index | {"sums": listed})), is_listed=False
    )

    @cache
    def version() -> str:  # of the page's text too, which then gets it
        lines = [f"{name} {digest}" for name, digest in sorted(digests.items())]
        last = index_page("", digests[_INDEX]) + worker_file("", {})
        return hashlib.sha256("\n".join(lines).encode() + last).hexdigest()[:16]

    def worker() -> bytes:
        return worker_file(version(), {each: digests[each] for each in (*page, _INDEX, _PAGE)})

    last: dict[str, Callable[[], bytes]] = {
        _PAGE: lambda: index_page(version(), digests[_INDEX]),
        "sw.js": worker,
        "version.json": lambda: dumped({"version": version()}),
    }
    for name, content in last.items():
        yield _Files("page", [name], _made(content), is_listed=False)


def _answering(name: str, evaluator: Evaluator) -> dict[str, Any]:
    """What answers for a game: one of the catalogue, or one of another name."""
    found, own = answering_values(name, evaluator), evaluator.rules.name
    return found | {"game": found["game"] or (None if own in CATALOGUE else own)}


def _values(
    name: str, evaluator: Evaluator, digests: Mapping[str, str]
) -> tuple[dict[str, Any], list[_Files]]:
    """Where the page finds the values of a table or an estimator, and these files."""
    if not evaluator.are_exact:
        path = f"estimators/{name}.bin"
        files = _Files("estimators", [DATA + path], [network_file(evaluator.stored)])
        return {"kind": "network", "head": path}, [files]
    # another table has another folder, as pieces are kept by their address
    folder = f"tables/{name}-{evaluator.file.digest[:8]}/"
    pieces = [f"{DATA}{folder}{k}.bin" for k in range(n_pieces(evaluator.file))]

    def head() -> bytes:
        return head_file(evaluator.file, [digests[each] for each in pieces])

    return {"kind": "exact", "head": f"{folder}head.bin", "pieces": folder}, [
        _Files("tables", pieces, piece_files(evaluator.file), is_listed=len(pieces) <= _FEW_PIECES),
        _Files("tables", [f"{DATA}{folder}head.bin"], _made(head)),
    ]


def _made(make: Callable[[], bytes]) -> Iterator[bytes]:
    """A content that is made when it is to be written."""
    yield make()


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
