"""The dates of games, in every form, under several time zones, and through conversions."""

from __future__ import annotations

import dataclasses
import json
import time

import pytest
from click.testing import CliRunner

from tests.games import GAMES, random_game, write_text
from ur_solver.cli import cli
from ur_solver.records import read_file, read_text, write_games
from ur_solver.records.dates import day_of, unread_date
from ur_solver.rules import named_rules

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="TZ is of Unix")
GAME = random_game(named_rules("finkel:2"), 1)
LATE = 1_795_840_200_000 - 4 * 3_600_000
"""2026-11-28 00:30 UTC in milliseconds, the evening before in New York."""

ZONES = {"UTC": "2026-11-28", "America/New_York": "2026-11-27", "Asia/Tokyo": "2026-11-28"}


@pytest.fixture
def zone(monkeypatch):
    def set_to(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield set_to
    monkeypatch.undo()
    time.tzset()


def dated(text: str, name: str = "Date", **others: str):
    return dataclasses.replace(GAME, metadata={name: text, **others})


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-27", "2026-11-27"),
        ("2026.01.02", "2026-01-02"),
        ("2024-1-5", "2024-01-05"),
        ("2024/1/5", "2024-01-05"),
        ("20240115", "2024-01-15"),
        ("15.01.2024", "2024-01-15"),
        ("1.2.2024", "2024-02-01"),  # with dots the day is first everywhere
        ("15/01/2024", "2024-01-15"),
        ("01/15/2024", "2024-01-15"),
        ("02/02/2024", "2024-02-02"),
        ("2026-11-27 20:15", "2026-11-27"),
        ("2026-11-27, at home", "2026-11-27"),
        ("2026-11-27T23:30:00", "2026-11-27"),  # no time zone: as it is written
        ("2024-01", "2024-01"),
        ("2024", "2024"),
        ("2024.??.??", "2024"),
        ("2024-01-??", "2024-01"),
    ],
)
@pytest.mark.parametrize("name", ZONES)
def test_a_date_is_the_day_that_is_written(text, day, name, zone):
    zone(name)
    assert day_of(dated(text)) == day
    assert unread_date(dated(text)) is None


@pytest.mark.parametrize(
    "text",
    ["01/02/2024", "1-2-2024", "27 November", "2024-13-01", "31.02.2024", "20241350", "yesterday",
     "2024-01-011", "202401151", "15.01.24", "2026-02-30T12:00:00Z"],
)  # fmt: skip
def test_what_has_two_meanings_or_none_is_kept_as_text(text):
    assert day_of(dated(text)) is None
    assert unread_date(dated(text)) == text
    for suffix in (".ur", ".rgn", ".json"):
        (back,) = read_text(write_text(dated(text), suffix))
        assert back.metadata["Date"] == text


def test_unknown_dates_are_no_fault():
    for text in ("????.??.??", "?", "", "-"):
        assert day_of(dated(text)) is None
        assert unread_date(dated(text)) is None
    assert day_of(dated("2026-11-27", "Event")) is None
    # another header says it
    assert day_of(dated("soon", StartTime="2024-01-15")) == "2024-01-15"
    assert unread_date(dated("soon", StartTime="2024-01-15")) is None


@pytest.mark.parametrize("name", ZONES)
def test_a_moment_is_on_one_day_however_it_is_written(name, zone):
    zone(name)
    at = dataclasses.replace(GAME, start_time=LATE)
    forms = [
        at,
        dated("2026-11-27T19:30:00-05:00", "StartTime"),
        dated("2026-11-27T19:30:00.000-0500", "starttime"),
        dated("2026-11-28T00:30:00Z", "StartTime"),
        dated("2026-11-28 00:30:00+00:00", "StartTime"),
        dated("2026-11-28T09:30+09:00"),
        dated("2026.11.28", "UTCDate", UTCTime="00:30:00"),
    ]
    assert [day_of(each) for each in forms] == [ZONES[name]] * len(forms)


@pytest.mark.parametrize("name", ZONES)
def test_the_times_of_json_are_kept_by_conversion(name, zone):
    zone(name)
    offset = {"UTC": "+00:00", "America/New_York": "-05:00", "Asia/Tokyo": "+09:00"}[name]
    for milliseconds, digits in ((0, ""), (7, ".007")):
        game = dataclasses.replace(GAME, start_time=LATE + milliseconds)
        (back,) = read_text(write_text(game, ".json"))
        assert back.start_time == game.start_time
        for suffix in (".ur", ".rgn"):
            (back,) = read_text(write_text(game, suffix))
            written = back.metadata["StartTime"]
            assert written.startswith(ZONES[name])
            assert written.endswith(f":00{digits}{offset}" if digits else f":00{offset}")
            zone("Pacific/Auckland")
            assert day_of(back) == day_of(game) == "2026-11-28"
            zone(name)
    own = dataclasses.replace(game, metadata={"StartTime": "noon"})
    (back,) = read_text(write_text(own, ".ur"))
    assert back.metadata == own.metadata


def test_times_from_the_start_of_a_game_are_no_dates(zone):
    zone("UTC")
    (game,) = read_file(str(GAMES / "finkel-1.json"))
    assert day_of(game) == game.metadata["StartTime"][:10]
    for milliseconds in (0, 5_000, 1 << 60):
        at = dataclasses.replace(GAME, start_time=milliseconds)
        assert day_of(at) is None
        assert "StartTime" not in write_text(at, ".ur")


def test_a_review_is_by_local_days_and_says_once_what_it_does_not_understand(
    finkel2, tmp_path, zone
):
    zone("America/New_York")
    path = tmp_path / "games.json"
    texts = ["2026-11-28T00:30:00Z", "27.11.2026", "1/2/2026", "2/3/2026", "2026-11"]
    games = [dated(text) for text in texts]
    write_games([*games, dataclasses.replace(GAME, start_time=LATE)], path)
    words = ["review", str(finkel2), str(path), "--by", "day", "--json"]
    result = CliRunner().invoke(cli, words)
    rows = json.loads(result.stdout)["over_time"]
    found = {row["period"]: row["games"] for row in rows if row["player"] == "light"}
    assert found == {"2026-11-27": 3, "unknown": 3}
    assert result.stderr == (
        f"{path}, game 3: the date '1/2/2026' is not understood, nor are those of 1 other game; "
        "write it as 2026-11-27\n"
    )
    assert CliRunner().invoke(cli, [*words, "--by", "2"]).stderr == ""
