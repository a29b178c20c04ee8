"""RoyalUr's solved maps: keys, reading, writing, and the public map of finkel 2.

The public map is not ours to pass on. It is looked for as $UR_PUBLIC_MAP, or as
``shared/games/finkel2p.rgu`` beside the checkout.
"""

import itertools
import json
import os
from pathlib import Path

import numpy as np
import pytest

from tests.games import HashValues
from ur_solver.errors import MapError, OutputError
from ur_solver.records.maps import (
    VALUE_TYPES,
    MapKeys,
    block_results,
    read_header,
    read_values,
    write_map,
)
from ur_solver.rules import Position, RuleSet, named_rules
from ur_solver.space import space_of

CHECKOUT = Path(__file__).parents[2]
PUBLIC_MAP = Path(
    os.environ.get("UR_PUBLIC_MAP", CHECKOUT.parent / "shared" / "games" / "finkel2p.rgu")
)
needs_public_map = pytest.mark.skipif(
    not PUBLIC_MAP.is_file(),
    reason="RoyalUr's map finkel2p.rgu is not ours to pass on; name it as UR_PUBLIC_MAP",
)
WITH_MAPS = ("finkel:1", "finkel:2", "finkel:3", "masters:2", "masters-4dice:2", "blitz:2",
             "aseb:2", "conventional:1")  # fmt: skip


def entries_of(path):
    """A map's keys, with their map's number as upper bits, and stored values."""
    header = read_header(path)
    content = path.read_bytes()
    total = sum(header.entries)
    keys = np.frombuffer(content, ">u4", total, header.keys_offset).astype(np.int64)
    keys |= np.repeat(np.arange(len(header.entries)), header.entries) << 32
    return keys, np.frombuffer(content, VALUE_TYPES[header.value_type], total, header.values_offset)


def position_of(rules: RuleSet, key: int) -> Position:
    (state,) = MapKeys(rules).decode(np.array([key]))
    return space_of(rules).decode(state)


@pytest.mark.parametrize("word", WITH_MAPS)
def test_keys_and_positions_are_one_to_one(word):
    rules = named_rules(word)
    keys = MapKeys(rules)
    found = np.concatenate(list(keys.all_keys()))
    assert (np.diff(found) > 0).all()
    states = keys.decode(found)
    is_won = keys.is_won(states)
    ranks = keys.space.rank_states(states)
    assert ((ranks < 0) == is_won).all()
    assert sorted(ranks[~is_won]) == list(range(keys.space.n_values))
    assert int(found[-1] >> 32) == keys.n_maps - 1


STARTS = {"finkel:2": 75497472, "finkel": 7 << 28 | 7 << 25, "masters": 7 << 31 | 7 << 28}


def test_known_counts_and_keys():
    for word, key in STARTS.items():
        rules = named_rules(word)
        assert position_of(rules, key) == rules.start()
    assert sum(map(len, MapKeys(named_rules("finkel:2")).all_keys())) == 12_990
    # finkel 7 has 31 bits of keys, masters 34: four maps.
    assert MapKeys(named_rules("finkel")).n_maps == 1
    assert MapKeys(named_rules("masters")).n_maps == 4


@pytest.mark.long
def test_the_count_of_finkel_7():
    assert sum(map(len, MapKeys(named_rules("finkel")).all_keys())) == 137_892_016


@pytest.mark.parametrize(
    ("text", "key"),
    [
        # A1 is the lowest of light's squares, C1 of dark's; B1 is the first digit of the segment.
        ("L...__../......../....__.. L 0 1", 1 << 16 | 1 << 22),
        ("....__../......../D...__.. L 1 0", 1 | 1 << 25),
        ("....__../......../....__.D L 1 0", 1 << 5 | 1 << 25),
        ("....__../.......D/....__.. L 1 0", 1 << 6 | 1 << 25),
        ("....__../.......L/....__.. L 0 1", 2 << 6 | 1 << 22),
        ("....__../......D./....__.. L 1 0", 3 << 6 | 1 << 25),
    ],
)
def test_keys_by_hand(text, key):
    rules = named_rules("finkel:2")
    assert position_of(rules, key) == rules.position(text)


def test_finkel_7_has_the_keys_of_the_first_readers():
    """RoyalUr-Python has keys for finkel with seven pieces only, with fields at fixed bits."""
    rules = named_rules("finkel")
    space = space_of(rules)
    middles = [
        digits
        for digits in itertools.product(range(3), repeat=8)
        if digits.count(1) <= 7 and digits.count(2) <= 7
    ]
    middle_rank = {digits: rank for rank, digits in enumerate(middles)}
    ranks = np.random.default_rng(1).integers(space.n_values, size=300)
    states = space.unrank_states(ranks)
    keys = []
    for state in states.tolist():
        position = space.decode(state)
        board = dict(zip(rules.board.squares, position.contents, strict=True))
        lanes = {
            row: sum(bool(board[f"{row}{column}"]) << bit
                     for bit, column in enumerate((1, 2, 3, 4, 7, 8)))
            for row in "AC"
        }  # fmt: skip
        middle = tuple(["", "D", "L"].index(board[f"B{column}"]) for column in range(1, 9))
        keys.append(
            lanes["C"] | middle_rank[middle] << 6 | lanes["A"] << 19
            | position.dark_home << 25 | position.light_home << 28
        )  # fmt: skip
    assert (MapKeys(rules).decode(np.array(keys)) == states).all()


@pytest.mark.parametrize("value_type", sorted(VALUE_TYPES))
@pytest.mark.parametrize("word", ["finkel:2", "masters:1", "blitz:1", "aseb:1"])
def test_round_trip(tmp_path, word, value_type):
    values = HashValues(named_rules(word))
    path = tmp_path / "map.rgu"
    entries = write_map(path, values, value_type, author="Ann")
    header = read_header(path)
    assert sum(header.entries) == entries
    assert header.rules.is_same_game(values.rules)
    assert list(header.metadata) == ["value_type", "author", "game_settings"]
    space = space_of(values.rules)
    found = np.empty(space.n_values)
    read_values(header, found)
    states = space.unrank_states(np.arange(space.n_values))
    tolerance = {"percent16": 0.5 / 65535, "f32": 2.0**-25, "f64": 0.0}[value_type]
    assert np.abs(found - values.state_values(states)).max() <= tolerance + 1e-15
    again = tmp_path / "again.rgu"
    write_map(again, values, value_type, author="Ann")
    assert again.read_bytes() == path.read_bytes()


def test_several_maps_are_split_on_the_upper_bits(tmp_path):
    # With three pieces on the path masters, keys have 34 bits and there are two maps.
    values = HashValues(named_rules("masters:3"))
    path = tmp_path / "map.rgu"
    write_map(path, values)
    keys, stored = entries_of(path)
    assert len(read_header(path).entries) == 2
    expected = MapKeys(values.rules)
    assert (keys == np.concatenate(list(expected.all_keys()))).all()
    last = expected.decode(keys[-1:])
    assert stored[-1] == round(65535 * values.state_values(last)[0])
    found = np.empty(space_of(values.rules).n_values)
    read_values(read_header(path), found)


def test_residuals_come_with_the_blocks(query2):
    space = query2.space
    values = query2.state_values(space.unrank_states(np.arange(space.n_values)))
    results = list(block_results(query2.rules, values))
    assert [result.record.index for result in results] == list(range(len(space.blocks)))
    assert max(result.record.residual for result in results) < 1e-11
    values[-1] += 0.01
    assert max(result.record.residual for result in block_results(query2.rules, values)) > 0.005


def test_maps_of_percentages_are_read(tmp_path):
    values = HashValues(named_rules("finkel:1"))
    path = tmp_path / "map.rgu"
    write_map(path, values, "f64")
    header = read_header(path)
    content = path.read_bytes()
    stored = np.frombuffer(content, ">f8", sum(header.entries), header.values_offset)
    path.write_bytes(content[: header.values_offset] + (100 * stored).astype(">f8").tobytes())
    space = space_of(header.rules)
    found = np.empty(space.n_values)
    read_values(read_header(path), found)
    expected = values.state_values(space.unrank_states(np.arange(space.n_values)))
    assert found == pytest.approx(expected, abs=1e-15)


@needs_public_map
def test_the_public_map_of_finkel_2(tmp_path, query2):
    """The keys are equal; the values, computed in single precision, differ by one unit at most."""
    path = tmp_path / "ours.rgu"
    write_map(path, query2)
    keys, ours = entries_of(path)
    public_keys, public = entries_of(PUBLIC_MAP)
    assert len(keys) == 12_990
    assert (keys == public_keys).all()
    assert public[keys == 75497472] == 33985
    difference = ours.astype(int) - public.astype(int)
    differing = np.count_nonzero(difference)
    print(f"{differing} of {len(keys)} values differ from the public map's, all by one unit")
    assert np.abs(difference).max() <= 1
    assert differing <= 10
    found = np.empty(query2.space.n_values)
    read_values(read_header(PUBLIC_MAP), found)
    exact = query2.state_values(query2.space.unrank_states(np.arange(len(found))))
    assert np.abs(found - exact).max() <= 1.01 / 65535


# Malformed maps


@pytest.fixture
def valid(tmp_path):
    path = tmp_path / "map.rgu"
    write_map(path, HashValues(named_rules("finkel:1")))
    return path


def with_metadata(path, **changes):
    content = path.read_bytes()
    length = int.from_bytes(content[4:8], "big")
    metadata = json.loads(content[8 : 8 + length])
    metadata["game_settings"] |= changes.pop("game_settings", {})
    text = json.dumps(metadata | changes).encode()
    path.write_bytes(content[:4] + len(text).to_bytes(4, "big") + text + content[8 + length :])


def read_all(path):
    header = read_header(path)
    read_values(header, np.empty(space_of(header.rules).n_values))


def test_a_map_without_a_value_type_is_percent16(valid):
    content = valid.read_bytes()
    text = content[8 : read_header(valid).keys_offset - 8].replace(
        b'"value_type":"percent16",', b""
    )
    valid.write_bytes(
        content[:4] + len(text).to_bytes(4, "big") + text
        + content[read_header(valid).keys_offset - 8 :]
    )  # fmt: skip
    assert read_header(valid).value_type == "percent16"
    read_all(valid)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda c, h: b"RGX" + c[3:], "does not begin with 'RGU'"),
        (lambda c, h: c[:3] + b"\x01" + c[4:], "has version b'.x01', expected 0"),
        (lambda c, h: c[:4] + b"\xff" * 4 + c[8:], "gives -1 as the length of its metadata"),
        (lambda c, h: c[:4] + b"\x7f" * 4 + c[8:], "as the length of its metadata"),
        (lambda c, h: c[:20], "that is not JSON|gives nothing"),
        (lambda c, h: c[:-1], "has .* bytes, expected"),
        (lambda c, h: c + b"\0", "has .* bytes, expected"),
        (lambda c, h: c[: h.keys_offset - 8] + b"\0\0\0\x02" + c[h.keys_offset - 4 :],
         "holds 2 maps, expected 1"),
        (lambda c, h: c[: h.keys_offset] + c[h.keys_offset + 4 : h.keys_offset + 8]
         + c[h.keys_offset : h.keys_offset + 4] + c[h.keys_offset + 8 :], "do not ascend"),
        (lambda c, h: c[: h.values_offset - 4] + b"\x7f\xff\xff\xff" + c[h.values_offset :],
         "segment|more bits|no position"),
        (lambda c, h: c[: h.values_offset] + b"\0\0" + c[h.values_offset + 2 :],
         "a won position whose value is not 1"),
    ],
)  # fmt: skip
def test_spoilt_maps_are_refused(valid, spoil, message):
    header = read_header(valid)
    valid.write_bytes(spoil(valid.read_bytes(), header))
    with pytest.raises(MapError, match=message):
        read_all(valid)


def test_a_map_that_lacks_a_position_is_refused(valid):
    header, content = read_header(valid), valid.read_bytes()
    entries = sum(header.entries) - 1
    valid.write_bytes(
        content[: header.keys_offset - 4] + entries.to_bytes(4, "big")
        + content[header.keys_offset : header.values_offset - 4]
        + content[header.values_offset : -2]
    )  # fmt: skip
    with pytest.raises(MapError, match="holds 216 of 217 positions"):
        read_all(valid)


def test_maps_of_other_rules_are_refused(valid):
    with_metadata(valid, game_settings={"dice": "three_coins"})
    with pytest.raises(MapError, match=r"has unknown rules: settings.dice is 'three_coins'"):
        read_header(valid)


def test_maps_of_unknown_values_are_refused(valid):
    for value_type in ("u8", 3, [], {}):
        with_metadata(valid, value_type=value_type)
        with pytest.raises(MapError, match=r"has values of .*; known: percent16, f32, f64"):
            read_header(valid)


def test_rule_sets_without_maps_are_refused(tmp_path):
    for word in ("murray:1", "masters-games:1", "finkel-3dice:1"):
        with pytest.raises(MapError):
            write_map(tmp_path / "map.rgu", HashValues(named_rules(word)))
    with pytest.raises(OutputError):
        write_map(tmp_path / "no" / "map.rgu", HashValues(named_rules("finkel:1")))
    with pytest.raises(MapError, match="No such file"):
        read_header(tmp_path / "nowhere.rgu")


def test_a_signalling_nan_is_no_value(tmp_path):
    path = tmp_path / "map.rgu"
    write_map(path, HashValues(named_rules("finkel:1")), "f32")
    content = bytearray(path.read_bytes())
    content[-4:] = b"\x7f\xbf\xff\xff"
    path.write_bytes(content)
    with pytest.raises(MapError, match="has values from nan to nan"):
        read_all(path)
