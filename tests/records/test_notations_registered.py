"""A notation that a module registers is read and written everywhere."""

import json

import pytest

from tests.games import random_game, write_text
from ur_solver.errors import RecordError
from ur_solver.records import (
    NOTATIONS,
    Notation,
    find_files,
    notation_of,
    read_json_game,
    read_text,
    register_notation,
    write_games,
    write_json_game,
)
from ur_solver.rules import named_rules

HEAD = "HEX "


def read_hex(text, rules, file, first_line):
    for number, line in enumerate(text.split(), start=1):
        if line != HEAD.strip():
            yield read_json_game(json.loads(bytes.fromhex(line)), file, number)


@pytest.fixture
def hexadecimal():
    """A registered notation: RoyalUr's JSON in hexadecimal digits."""
    notation = Notation(
        "hexadecimal",
        (".hex",),
        lambda game: HEAD + write_json_game(game).encode().hex(),
        is_used=lambda text: text.startswith(HEAD),
        read=read_hex,
    )
    yield register_notation(notation)
    del NOTATIONS["hexadecimal"]


def test_a_registered_notation_is_written_and_read(hexadecimal, tmp_path):
    games = [random_game(named_rules("finkel:2"), seed) for seed in (1, 2)]
    write_games(games, tmp_path / "two.hex")
    (path,) = find_files([str(tmp_path)])
    text = (tmp_path / "two.hex").read_text()
    assert path.endswith("two.hex")
    assert [*map(write_json_game, read_text(text))] == [*map(write_json_game, games)]
    assert write_text(games[0], ".HEX").startswith(HEAD)
    assert notation_of("Hexadecimal") is notation_of("hex") is hexadecimal


@pytest.mark.parametrize(("name", "suffix"), [("rgn", ".other"), ("other", ".rgn")])
def test_names_and_suffixes_are_not_shared(name, suffix):
    with pytest.raises(RecordError, match=r"'\.?rgn' belongs to 'rgn'"):
        register_notation(Notation(name, (suffix,), write_json_game))
