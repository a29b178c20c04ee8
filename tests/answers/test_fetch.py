"""Tables from a web server that breaks off, begins anew, lies, or is not there."""

from __future__ import annotations

import gzip
import json
import pathlib
from hashlib import sha256

import pytest
from click.testing import CliRunner

from tests.answers.web import Web
from ur_solver.answers.fetch import _locked, fetch, name_of, part_of_fetch
from ur_solver.api.lengths import solve_lengths
from ur_solver.cli import cli
from ur_solver.errors import FetchError, InputError, NotATableError, OutputError
from ur_solver.table.names import FOLDER_VARIABLE
from ur_solver.table.reader import TableFile


@pytest.fixture
def web(finkel2):
    web = Web(pathlib.Path(finkel2).read_bytes())
    yield web
    web.close()


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, ["fetch", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


def test_a_table_is_fetched_into_the_folder_of_tables(web, tmp_path, monkeypatch, finkel2):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "tables"))
    found = json.loads(run(web.url, "--json", "-q"))
    path = tmp_path / "tables" / "t.h5"
    assert path.read_bytes() == pathlib.Path(finkel2).read_bytes()
    with TableFile(path) as table:
        assert found == {"path": str(path), "digest": table.digest, "bytes": table.n_bytes}
    assert "finkel with 2 pieces" in run(web.url, "-o", str(tmp_path / "other.h5"))
    assert "--force replaces it" in run(web.url, code=1)
    assert run(web.url, "--force")
    assert [each.name for each in path.parent.iterdir()] == ["t.h5"]


def test_a_table_of_lengths_is_fetched_like_any_other(web, tmp_path):
    with solve_lengths("finkel:1", path=tmp_path / "made.h5"):
        web.files["/t.h5"] = (tmp_path / "made.h5").read_bytes()
    reported = run(
        web.url, "-o", str(tmp_path / "t.h5"), "--sha256", sha256(web.files["/t.h5"]).hexdigest()
    )
    assert "finkel with 1 piece" in reported


def test_connections_that_break_off_are_made_again(web, tmp_path):
    web.breaks = [1000, 5000, 1]
    fetch(web.url, tmp_path / "t.h5")
    ranges = [asked for path, asked in web.asked if path == "/t.h5"]
    assert ranges == [None, "bytes=1000-", "bytes=6000-", "bytes=6001-"]
    assert (tmp_path / "t.h5").read_bytes() == web.files["/t.h5"]


def test_a_fetch_goes_on_where_an_earlier_one_has_stopped(web, tmp_path):
    web.breaks = [4000, *[0] * 5]
    output = tmp_path / "t.h5"
    assert "broke off" in run(web.url, "-o", str(output), code=1)
    assert not output.exists()
    assert part_of_fetch(output).stat().st_size == 4000
    web.asked.clear()
    run(web.url, "-o", str(output))
    assert ("/t.h5", "bytes=4000-") in web.asked
    assert [each.name for each in tmp_path.iterdir()] == ["t.h5"]


def test_a_server_without_ranges_begins_anew(web, tmp_path):
    output = tmp_path / "t.h5"
    part_of_fetch(output).write_bytes(b"something else")
    web.has_ranges = False
    fetch(web.url, output)
    assert output.read_bytes() == web.files["/t.h5"]


def test_what_was_fetched_whole_is_not_fetched_again(web, tmp_path):
    output = tmp_path / "t.h5"
    part_of_fetch(output).write_bytes(web.files["/t.h5"])
    fetch(web.url, output)
    assert output.read_bytes() == web.files["/t.h5"]


def test_what_does_not_match_its_checksum_is_removed(web, tmp_path):
    output = tmp_path / "t.h5"
    output.write_bytes(web.files["/t.h5"])
    earlier = bytearray(web.files["/t.h5"][:500])
    earlier[400] ^= 1
    part_of_fetch(output).write_bytes(earlier)
    with pytest.raises(FetchError, match="does not match its checksum"):
        fetch(web.url, output, force=True)
    assert output.read_bytes() == web.files["/t.h5"]
    assert [each.name for each in tmp_path.iterdir()] == ["t.h5"]
    with pytest.raises(FetchError, match="does not match"):
        fetch(web.url, tmp_path / "u.h5", sha256="0" * 64)
    assert fetch(web.url, tmp_path / "u.h5", sha256=web.files["/t.h5.sha256"].decode()[:64]) is None


def test_what_is_no_table_gets_no_name(web, tmp_path):
    web.files = {"/t.h5": b"<html>", "/t.h5.sha256": Web.line_of(b"<html>")}
    with pytest.raises(NotATableError):
        fetch(web.url, tmp_path / "t.h5")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_chunked", [False, True])
@pytest.mark.parametrize("first", [0, 5000])
def test_a_body_without_end_is_refused_at_the_size_of_the_table(web, tmp_path, is_chunked, first):
    """It says that in its head; nothing is left of it."""
    output = tmp_path / "t.h5"
    if first:
        part_of_fetch(output).write_bytes(web.files["/t.h5"][:first])
    web.tail, web.is_chunked = b"x" * 100_000, is_chunked
    said = run(web.url, "-o", str(output), code=1)
    size = len(web.files["/t.h5"])
    assert said.endswith(
        f"{web.url} goes on after the {size:,} bytes that its head says; nothing of it is kept\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"x", gzip.compress(bytes(1 << 20))])
def test_an_endless_body_that_is_no_table_is_refused_at_once(web, tmp_path, content):
    web.files["/t.h5"], web.tail = content, b"x" * 100_000
    with pytest.raises(NotATableError, match=r"expected an HDF5 file .*; nothing of it is kept"):
        fetch(web.url, tmp_path / "t.h5")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("by", [-1000, 1000, 10**15])
def test_a_length_that_is_not_the_tables_is_refused(web, tmp_path, by):
    web.length = len(web.files["/t.h5"]) + by
    with pytest.raises(FetchError, match=r"bytes by its server, and .* by its own head; nothing"):
        fetch(web.url, tmp_path / "t.h5")
    assert list(tmp_path.iterdir()) == []


def test_a_chunked_body_is_fetched_and_resumed(web, tmp_path):
    web.is_chunked = True
    web.breaks = [20, 7000]
    fetch(web.url, tmp_path / "t.h5")
    assert (tmp_path / "t.h5").read_bytes() == web.files["/t.h5"]


def test_what_is_left_behind_is_said(web, tmp_path):
    output = tmp_path / "t.h5"
    web.breaks = [4000, *[0] * 5]
    said = run(web.url, "-o", str(output), code=1)
    assert f"4 kB of the table are kept in {str(part_of_fetch(output))!r}" in said
    # a server that is away for a while costs nothing of it
    web.files.pop("/t.h5")
    assert "404" in run(web.url, "-o", str(output), "--sha256", "0" * 64, code=1)
    assert part_of_fetch(output).stat().st_size == 4000
    web.breaks = [0] * 6
    assert "kept" not in run(web.url, "-o", str(tmp_path / "u.h5"), "--sha256", "0" * 64, code=1)
    assert not part_of_fetch(tmp_path / "u.h5").exists()


def test_a_server_without_the_file_or_its_checksum_is_named(web, tmp_path):
    del web.files["/t.h5"]
    with pytest.raises(FetchError, match=r"t\.h5 answers 404, Not Found"):
        fetch(web.url, tmp_path / "t.h5")
    del web.files["/t.h5.sha256"]
    with pytest.raises(FetchError, match=r"there is no checksum: .*--sha256 gives one"):
        fetch(web.url, tmp_path / "t.h5")
    web.files["/t.h5.sha256"] = b"<html>"
    with pytest.raises(FetchError, match="is not a checksum as sha256sum writes it"):
        fetch(web.url, tmp_path / "t.h5")
    web.close()
    for known in ("0" * 64, None):
        with pytest.raises(FetchError, match=r"^http://\S+ does not answer: [^;]+$"):
            fetch(web.url, tmp_path / "t.h5", sha256=known)


def test_two_do_not_fetch_to_one_file(web, tmp_path):
    output = tmp_path / "t.h5"
    with _locked(part_of_fetch(output)), pytest.raises(OutputError, match="another program"):
        fetch(web.url, output)


@pytest.mark.parametrize(
    "url",
    ["t.h5", "file:///etc/passwd.h5", "ftp://host/t.h5", "http:///t.h5", "http://host/",
     "http://host/t.html", "http://host/.h5", "http://[/t.h5",
     "http://host/a%00.h5", ""],
)  # fmt: skip
def test_what_is_no_address_of_a_table_is_refused(url, tmp_path):
    with pytest.raises(InputError, match="expected one such as"):
        name_of(url)
    assert "expected one such as" in run(url, "-o", str(tmp_path / "t.h5"), code=2)
    assert list(tmp_path.iterdir()) == []


def test_names_are_those_of_the_address():
    assert name_of("https://host:1/a/b/finkel-7.h5?x=/y.h5#z") == "finkel-7.h5"
