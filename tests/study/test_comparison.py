"""Studies side by side: text, JSON, CSV, and a page that needs nothing else."""

from __future__ import annotations

import csv
import json
import pathlib
import re
import xml.etree.ElementTree as ET

import pytest

from tests.cli.test_commands import run
from ur_solver.errors import InputError
from ur_solver.rules import named_rules
from ur_solver.study.comparison import ROWS, read_study

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def studies(solved, tmp_path_factory) -> list[str]:
    """Two studies, as files."""
    folder = tmp_path_factory.mktemp("studies")
    paths = []
    for word in ("finkel:2", "bell-stakes:1"):
        table = solved(named_rules(word))
        paths.append(str(folder / f"{word.replace(':', '-')}.study.json"))
        text = run("study", str(table), "-g", "300", "--json")
        pathlib.Path(paths[-1]).write_text(text)
    return paths


def test_as_text(studies):
    lines = run("compare", *studies).splitlines()
    assert lines[0].split() == ["finkel:2", "bell-stakes:1"]
    assert len(lines) == len(ROWS) + 2
    assert "51.8573 %" in lines[2]
    assert "±" in lines[2]  # money is exact, and chances then are not


def test_as_json_and_csv(studies, tmp_path):
    finkel, stakes = map(json.loads, run("compare", *studies, "--json").splitlines())
    assert (finkel["word"], stakes["word"]) == ("finkel:2", "bell-stakes:1")
    assert finkel["first_player"] == pytest.approx(0.518572907495, abs=1e-11)
    path = tmp_path / "c.csv"
    assert run("compare", *studies, "--csv", str(path)) == ""
    rows = list(csv.DictReader(path.read_text().splitlines()))
    (turns,) = [row for row in rows if (row["rules"], row["figure"]) == ("finkel:2", "turns")]
    assert float(turns["low"]) == pytest.approx(finkel["turns"]["low"])
    assert float(turns["high"]) == pytest.approx(finkel["turns"]["high"])
    (first,) = [
        row for row in rows if (row["rules"], row["figure"]) == ("finkel:2", "first_player")
    ]
    assert first["low"] == first["high"] == first["value"]


def test_the_page_needs_nothing_else(studies, tmp_path):
    path = tmp_path / "c.html"
    run("compare", *studies, "--html", str(path))
    page = path.read_text()
    assert "finkel:2" in page
    svgs = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(svgs) == 5
    ids = []
    for svg in svgs:
        ET.fromstring(svg)
        ids += re.findall(r'\bid="(.+?)"', svg)
        for used in re.findall(r'href="#(.+?)"|url\(#(.+?)\)', svg):
            assert "".join(used) in ids
    assert len(ids) == len(set(ids))
    outside = re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"|@import|<script', outside)
    again = tmp_path / "again.html"
    run("compare", *studies, "--html", str(again))
    assert again.read_text() == page


def test_what_is_no_study(tmp_path):
    path = tmp_path / "x.study.json"
    with pytest.raises(InputError, match="No such file"):
        read_study(path)
    path.write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        read_study(path)
    for text in ("[]", "{}", '{"positions": 1}', "3"):
        path.write_text(text)
        with pytest.raises(InputError, match="not a study as 'ur study --json' writes it"):
            read_study(path)
    assert "not a study" in run("compare", str(path), code=2)
