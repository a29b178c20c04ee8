"""Rounds of openings over the interface: those of the rules, with the values of the table."""

from __future__ import annotations

import pytest

PATH = "/api/v1/tables/{}/opening"


@pytest.mark.parametrize("marker", [None, "A3", "a1"])
def test_rounds_are_those_of_the_python_interface(asker, tables, marker):
    query = "" if marker is None else f"?marker={marker}"
    found = asker.get(PATH.format("ben-1") + query).json
    assert found["marker"] == (marker and marker.upper())
    assert found["value"] == 0.5
    assert sum(each["probability"] for each in found["throws"]) == pytest.approx(1)
    table = tables["ben-1"]
    assert len(found["throws"]) == len(table.rules.dice.throws) ** 2
    for thrown in found["throws"]:
        expected = table.opening_rounds(tuple(thrown["throws"]), marker)
        outcomes = thrown["outcomes"]
        assert [each["round"] for each in outcomes] == [
            f"{'-'.join(map(str, each.round.throws))} {each.round.text}".strip()
            for each in expected
        ]
        for each, known in zip(outcomes, expected, strict=True):
            assert each["value"] == known.value
            assert each["loss"] == known.loss
            begun = known.round.position
            assert each["position"] == (begun and begun.notation)
        chooses = thrown["throws"].count(0) == 1 and len(outcomes) > 1
        assert thrown["chooser"] == (
            None if not chooses else "light" if thrown["throws"][0] == 0 else "dark"
        )
        assert (outcomes[0]["move"] is None) == (thrown["chooser"] is None)


def test_a_round_of_its_own_square_is_drawn(asker):
    found = asker.get(PATH.format("ben-1") + "?marker=A3&drawing=light").json
    assert found["svg"].startswith("<svg")
    level = next(each for each in found["throws"] if each["throws"] == [3, 3])
    assert [(each["round"], each["marker"]) for each in level["outcomes"]] == [
        ("3-3 A3B1 C3B1", None)
    ]
    assert level["outcomes"][0]["position"] is None


def test_without_a_table_there_are_no_values(asker):
    found = asker.get("/api/v1/rules/ben:7/opening").json
    assert "value" not in found
    assert all("loss" not in each for throw in found["throws"] for each in throw["outcomes"])


def test_other_openings(asker):
    higher = asker.get(PATH.format("finkel-1")).json
    assert len(higher["throws"]) == 25
    assert asker.get("/api/v1/tables/finkel-1").json["opening"] == "highest"
    first = asker.get(PATH.format("skiriuk-1")).json
    assert [each["throws"] for each in first["throws"] if len(each["throws"]) == 1] == [[1]]
    assert "need no throws" in asker.get("/api/v1/rules/four-again/opening").sentence
    assert "cannot continue from" in asker.get(PATH.format("ben-1") + "?marker=B4").sentence
    assert "no markers" in asker.get(PATH.format("finkel-1") + "?marker=A4").sentence


def test_an_audited_opening(asker):
    text = "rules: ben:1\nopening: 0-1 A@A2 C@C4\n\nL 0 --\nend: unfinished"
    (game,) = asker.post("/api/v1/tables/ben-1/audit", {"text": text.replace("L 0 --\n", "")}).json[
        "games"
    ]
    assert [ply["move"] for ply in game["opening"]] == ["A@A2", "C@C4"]
    assert game["start"].split()[1] == "L"
    assert game["start_value"] == 0.5
