"""A site replaces an earlier one, and nothing else."""

from __future__ import annotations

import json

import pytest

from ur_solver.errors import OutputError
from ur_solver.publish.folder import MARK, SiteFolder


def published(path, **files):
    """Write a site of some files, whose names have a point for each double underscore."""
    folder = SiteFolder(path)
    contents = {name.replace("__", "."): text.encode() for name, text in files.items()}
    folder.begin([*contents])
    for name, content in contents.items():
        folder.write(name, content)
    folder.finish()
    return folder


def names_in(path):
    return {each.relative_to(path).as_posix() for each in path.rglob("*") if each.is_file()}


def test_a_site_is_replaced_and_what_is_no_longer_part_of_it_goes(tmp_path):
    published(tmp_path / "site", index__html="one", old__js="2")
    (tmp_path / "site" / "CNAME").write_text("example.org")
    published(tmp_path / "site", index__html="three", new__js="4")
    assert names_in(tmp_path / "site") == {"index.html", "new.js", "CNAME", MARK}
    assert (tmp_path / "site" / "index.html").read_text() == "three"


def test_folders_that_are_empty_in_the_end_go_too(tmp_path):
    folder = SiteFolder(tmp_path)
    folder.begin(["data/one/0.bin", "data/two/0.bin"])
    for name in ("data/one/0.bin", "data/two/0.bin"):
        folder.write(name, b"x")
    folder.finish()
    (tmp_path / "data" / "one" / "notes").write_text("mine")
    published(tmp_path, index__html="x")
    assert names_in(tmp_path) == {"index.html", "data/one/notes", MARK}
    assert not (tmp_path / "data" / "two").exists()


def test_a_folder_with_other_files_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="has files that are not a site"):
        SiteFolder(tmp_path)
    assert names_in(tmp_path) == {"thesis.txt"}


def test_an_empty_repository_is_no_obstacle(tmp_path):
    (tmp_path / ".git").mkdir()
    published(tmp_path, index__html="x")


def test_a_file_of_the_same_name_is_not_replaced(tmp_path):
    published(tmp_path, index__html="x")
    (tmp_path / "sw.js").write_text("mine")
    with pytest.raises(OutputError, match=r"sw\.js.* exists and is not from 'ur publish'"):
        SiteFolder(tmp_path).begin(["index.html", "sw.js"])
    assert (tmp_path / "sw.js").read_text() == "mine"


def test_a_site_that_was_interrupted_is_written_again(tmp_path):
    published(tmp_path, old__js="1")
    folder = SiteFolder(tmp_path)
    folder.begin(["one.js", "two.js"])
    folder.write("one.js", b"1")
    published(tmp_path, two__js="2")
    assert names_in(tmp_path) == {"two.js", MARK}


@pytest.mark.parametrize(
    "mark",
    [
        "{}",
        "no JSON",
        json.dumps({"format": "ur-solver site", "files": ["../thesis.txt"]}),
        json.dumps({"format": "ur-solver site", "files": ["/etc/passwd"]}),
        json.dumps({"format": "ur-solver site", "files": ["a/../../thesis.txt"]}),
        json.dumps({"format": "another", "files": []}),
        json.dumps({"format": "ur-solver site", "files": [1]}),
    ],
)
def test_a_mark_that_leads_elsewhere_is_none(tmp_path, mark):
    (tmp_path / "thesis.txt").write_text("mine")
    site = tmp_path / "site"
    site.mkdir()
    (site / MARK).write_text(mark)
    with pytest.raises(OutputError):
        SiteFolder(site)
    assert (tmp_path / "thesis.txt").exists()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "site").write_text("mine")
    with pytest.raises(OutputError, match="cannot write into"):
        SiteFolder(tmp_path / "site")
