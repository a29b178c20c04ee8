"""What a site consists of, and what `ur publish` says of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from tests.estimators.test_file import stored_of
from ur_solver.cli import cli
from ur_solver.common.files import write_file
from ur_solver.estimators.file import packed, write
from ur_solver.publish.folder import MARK
from ur_solver.publish.site import publish
from ur_solver.publish.values import PIECE_BYTES
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.table.names import table_folders

pytestmark = pytest.mark.medium


def run(*words):
    return CliRunner().invoke(cli, ["publish", *map(str, words)])


def index_of(folder):
    return json.loads((folder / "data" / "index.json").read_text())


def test_the_whole_catalogue_is_on_a_site(tmp_path, solved):
    solved(named_rules("finkel:1"))
    (table_folders()[0] / "estimators").mkdir(exist_ok=True)
    write(table_folders()[0] / "estimators" / "aseb-5.h5", stored_of("aseb:5"))
    folder = tmp_path / "site"
    result = run(folder, "finkel:1")
    assert result.exit_code == 0, result.output
    index = index_of(folder)
    named = [(each["name"], each["pieces"]) for each in index["rules"]]
    assert named == [(rules.name, rules.pieces) for rules in CATALOGUE.values()]
    entries = {each["id"]: each for each in index["tables"]}
    assert entries["finkel-1"]["values"]["kind"] == "exact"
    assert entries["aseb-5"]["values"]["kind"] == "network"
    for each in (*index["files"], *index["tables"]):
        rules = json.loads((folder / "data" / each["data"]).read_text())["about"]
        assert json.loads((folder / "data" / each["prose"]).read_text())["title"]
        assert (rules["name"], rules["pieces"]) == (each["name"], each["pieces"])


def test_all_files_are_listed_and_every_address_is_relative(site):
    there = {
        each.relative_to(site.folder).as_posix()
        for each in site.folder.rglob("*")
        if each.is_file()
    }
    assert {*json.loads((site.folder / MARK).read_text())["files"], MARK} == there
    page = (site.folder / "index.html").read_text()
    addresses = re.findall(r'(?:href|src)="([^"]+)"', page)
    assert len(addresses) > 10
    for address in addresses:
        assert address.startswith(("data:", "#")) or address in there, address


def chained(folder):
    """The digests of a site's files: by `index.html`, by the data's index, by heads, by `sw.js`."""
    page = (folder / "index.html").read_text()
    found = dict(re.findall(r'(?:src|href)="([\w./]+)" integrity="([^"]+)"', page))
    found["data/index.json"] = re.search(r'data-index="([^"]+)"', page)[1]
    for name, (size, digest) in index_of(folder)["sums"].items():
        assert found.setdefault(name, digest) == digest
        assert (folder / name).stat().st_size == size
    for head in folder.rglob("head.bin"):
        digests = head_arrays(head.read_bytes())["digests"].reshape(-1, 32)
        for number, digest in enumerate(digests):
            name = head.with_name(f"{number}.bin").relative_to(folder).as_posix()
            named = f"sha256-{base64.b64encode(digest).decode()}"
            assert found.setdefault(name, named) == named
    worker = (folder / "sw.js").read_text()
    for name, digest in json.loads(re.search(r"^const PAGE = (.+);$", worker, re.M)[1]).items():
        assert found.setdefault(name or "index.html", digest) == digest
    return found


def head_arrays(content):
    """The arrays of a file of numbers, as `ur_solver.publish.values` describes it."""
    length = int.from_bytes(content[:4], "little")
    first = -(-(4 + length) // 8) * 8
    return {
        name: np.frombuffer(content, each["type"], each["size"], first + each["at"])
        for name, each in json.loads(content[4 : 4 + length])["arrays"].items()
    }


def test_every_file_has_its_digest(site):
    """All but those by which a version is found."""
    names = {*json.loads((site.folder / MARK).read_text())["files"]} - {"sw.js", "version.json"}
    assert chained(site.folder) == {
        name: "sha256-"
        + base64.b64encode(hashlib.sha256((site.folder / name).read_bytes()).digest()).decode()
        for name in names
    }


def test_the_index_has_all_but_the_pieces_of_large_tables(site, monkeypatch, tmp_path):
    monkeypatch.setattr("ur_solver.publish.site._FEW_PIECES", 1)
    folder = tmp_path / "site"
    publish(folder, [*site.values.values()])
    named = {*json.loads((folder / MARK).read_text())["files"]}
    pieces = {name for name in named if re.search(r"birds-2-\w+/\d+\.bin$", name)}
    assert len(pieces) == 2
    own = {"index.html", "sw.js", "version.json", "data/index.json"}
    assert {*index_of(folder)["sums"]} == named - pieces - own
    assert pieces < {*chained(folder)}


def test_sizes(site):
    names = [name for name in site.folder.rglob("*") if name.is_file()]
    sizes = {each.relative_to(site.folder).as_posix(): each.stat().st_size for each in names}
    own = {
        name: size for name, size in sizes.items() if not name.startswith("data/") and name != MARK
    }
    texts = {name: size for name, size in own.items() if name.startswith("languages/")}
    assert sum(own.values()) - sum(texts.values()) < 370_000, own
    assert max(texts.values()) < 70_000, texts  # of which a reader loads one
    assert all(size <= PIECE_BYTES for name, size in sizes.items() if "tables/" in name)


def test_estimators_keep_their_weights(site):
    for name, evaluator in site.values.items():
        path = site.folder / "data" / "estimators" / f"{name}.bin"
        if path.exists():
            for array in packed(evaluator.stored.shape, evaluator.stored.weights).values():
                assert array.tobytes() in path.read_bytes()


def test_a_change_of_the_contents_makes_another_version(tmp_path, solved):
    solved(named_rules("finkel:1"))
    versions = []
    for words in (["finkel:1"], ["finkel:1"], ["finkel:1", "blitz:1"]):
        assert run(tmp_path / "site", *words, "--only", "-q").exit_code == 0
        version = json.loads((tmp_path / "site" / "version.json").read_text())["version"]
        assert f'data-version="{version}"' in (tmp_path / "site" / "index.html").read_text()
        assert f'VERSION = "{version}"' in (tmp_path / "site" / "sw.js").read_text()
        versions.append(version)
    assert versions[0] == versions[1] != versions[2]


def test_the_pieces_of_another_table_have_other_addresses(tmp_path, solved):
    for word in ("finkel:1", "finkel:2"):
        path = solved(named_rules(word))
        assert run(tmp_path / "site", path, "--only", "-q").exit_code == 0
    (entry,) = index_of(tmp_path / "site")["tables"]
    folders = [each.name for each in (tmp_path / "site" / "data" / "tables").iterdir()]
    assert folders == [entry["values"]["pieces"].split("/")[1]]


def test_two_tables_of_a_game_have_names_of_their_own(tmp_path, solved):
    path = solved(named_rules("finkel:1"))
    assert run(tmp_path / "site", path, path, "--only", "-q").exit_code == 0
    assert [each["id"] for each in index_of(tmp_path / "site")["tables"]] == [
        "finkel-1",
        "finkel-1-2",
    ]


def test_a_faulty_estimator_is_left_out_and_named(tmp_path):
    path = table_folders()[0] / "estimators" / "blitz-5.h5"
    path.parent.mkdir(exist_ok=True)
    write_file(path, b"none")
    try:
        result = run(tmp_path / "site")
    finally:
        path.unlink()
    assert result.exit_code == 0
    assert "blitz-5.h5' is not an estimator" in result.stderr
    assert "it is ignored" in result.stderr
    assert "blitz-5" not in {each["id"] for each in index_of(tmp_path / "site")["tables"]}


def test_a_table_of_endings_is_refused(tmp_path):
    import ur_solver as ur

    path = tmp_path / "endings.h5"
    ur.solve("finkel:2", path, left=1).close()
    result = run(tmp_path / "site", path, "--only")
    assert result.exit_code != 0
    assert "ur publish takes the whole game" in result.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("words", [["thesis.txt"], ["."], ["x" * 300]])
def test_other_places_are_left_alone(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "thesis.txt").write_text("mine")
    result = run(*words)
    assert result.exit_code != 0
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.startswith(("Error: ", "Usage: "))
    assert [each.name for each in tmp_path.iterdir()] == ["thesis.txt"]
