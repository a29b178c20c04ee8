"""Fuzzing of everything that is read, by mutation of a corpus.

Each target takes bytes. It may accept them or raise an error of `ur_solver.errors`, and nothing
else. What it accepts must be the same after being written and read again.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import pathlib
import tempfile
import warnings
from collections.abc import Callable

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.faults.tally import Tally
from ur_solver.errors import UrError
from ur_solver.records import RecordFault, read_file
from ur_solver.records.maps import read_header, read_values
from ur_solver.rules import CATALOGUE, RuleSet, named_rules
from ur_solver.space import space_of
from ur_solver.study.comparison import (
    ROWS,
    comparison_csv,
    comparison_json,
    read_study,
    table_of,
)
from ur_solver.study.estimates import ends_of
from ur_solver.table.names import exact_name, table_name
from ur_solver.table.reader import TableFile

CORPUS = pathlib.Path(__file__).parent.parent / "data" / "corpus"

_MAX_VALUES = 1 << 22
"""Maps with more values are not read completely."""


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _position(content: bytes) -> None:
    text, refused = _text(content), 0
    for rules in CATALOGUE.values():
        try:
            position = rules.position(text)
        except UrError as error:
            refused += 1
            last = error
            continue
        assert rules.position(position.notation) == position
    if refused == len(CATALOGUE):
        raise last


def _move(content: bytes) -> None:
    rules = named_rules("finkel")
    rules.find_move(rules.start(), 2, _text(content))


def _throw(content: bytes) -> None:
    assert named_rules("finkel").dice.parse(_text(content)) in range(5)


def _rules(content: bytes) -> None:
    rules = RuleSet.from_json(_text(content))
    assert RuleSet.from_json(json.dumps(rules.to_json())) == rules
    assert "/" not in table_name(exact_name(rules))
    space = space_of(rules.with_pieces(1))
    assert space.rank(space.rules.start()) < space.n_values


def _word(content: bytes) -> None:
    named_rules(_text(content))


def _in_a_file(content: bytes, suffix: str, read: Callable[[pathlib.Path], None]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"stranger{suffix}"
        path.write_bytes(content)
        read(path)


def _games(path: pathlib.Path) -> None:
    faults = []
    for game in read_file(str(path)):
        if isinstance(game, RecordFault):
            faults.append(str(game))
    assert all("\n" not in fault for fault in faults)
    if faults:
        raise UrError(faults[0])


def _map(path: pathlib.Path) -> None:
    header = read_header(path)
    n_values = space_of(header.rules).n_values
    if n_values < _MAX_VALUES:
        values = np.full(n_values, np.nan)
        read_values(header, values)
        assert ((values >= 0) & (values <= 1)).all()


def _table(path: pathlib.Path) -> None:
    with TableFile(path) as table:
        values = table.load()
        assert len(values) == table.space.n_values


def _study(path: pathlib.Path) -> None:
    study = read_study(path)
    for text in (comparison_csv([study]), comparison_json([study])):
        assert text
        assert "NaN" not in text
    assert table_of([study])
    for row in ROWS:
        value, low, high = ends_of(row.of(study))
        assert 0 <= value < math.inf
        assert low <= value <= high


TARGETS: dict[str, Callable[[bytes], None]] = {
    "positions": _position,
    "moves": _move,
    "throws": _throw,
    "words": _word,
    "rules": _rules,
    "rgn": lambda content: _in_a_file(content, ".rgn", _games),
    "json": lambda content: _in_a_file(content, ".json", _games),
    "plain": lambda content: _in_a_file(content, ".ur", _games),
    "maps": lambda content: _in_a_file(content, ".rgu", _map),
    "tables": lambda content: _in_a_file(content, ".h5", _table),
    "studies": lambda content: _in_a_file(content, ".study.json", _study),
}
"""The targets, by the folder of their corpus."""


@functools.cache
def corpus(target: str) -> list[bytes]:
    """The inputs from which those for `target` are mutated."""
    return [path.read_bytes() for path in sorted((CORPUS / target).iterdir())]


_TOKENS = [
    *(b"", b"\0", b"\xff", b"-1", b"99", b"1e999", b"null", b"[]", b"{}", b'""', b"true"),
    *(b"(", b")", b"[", b"{", b'"', b"\\", b"/", b"\n", b" ", b"L", b"d", b"#", b"*", b"x"),
    *(b"\x7f\xff\xff\xff", b"\xff" * 8, b"9" * 50, "²é\u2028".encode()),
]


_WIDTHS = [0, 1, 1, 2, 4, 8, 64, 1 << 20]
_CHANGES = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from(_WIDTHS),
        st.sampled_from(_TOKENS) | st.binary(max_size=8) | st.none(),
    ),
    max_size=4,
)
"""Where an input is changed, of what width, and what is put there; None for twice the same."""


@st.composite
def mutated(draw: st.DrawFn, target: str) -> bytes:
    """An input of the corpus, or an empty one, with some places changed."""
    content = draw(st.sampled_from([*corpus(target), b""]))
    for share, width, put in draw(_CHANGES):
        at = round(share * len(content))
        end = min(len(content), at + width)
        new = content[at:end] * 2 if put is None else put
        content = content[:at] + new + content[end:]
    return content


def attack(target: str, cases: int, number: int) -> Tally:
    """Try `cases` inputs, drawn with the seed `number`, on a target.

    Raises
    ------
    Exception
        An exception that a target may not raise, with the smallest input found that causes it.
    """
    tally = Tally(f"fuzzed {target}")

    @seed(number)
    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(mutated(target))
    def run(content: bytes) -> None:
        is_read = False
        with contextlib.suppress(UrError), warnings.catch_warnings():
            warnings.simplefilter("error")
            TARGETS[target](content)
            is_read = True
        tally.count(survived=is_read, detected=not is_read, case="")

    run()
    return tally


def rejects(target: str, content: bytes) -> str | None:
    """The sentence with which a target refuses an input; None if it accepts it."""
    try:
        TARGETS[target](content)
    except UrError as error:
        return str(error)
    return None
