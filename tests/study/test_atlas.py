"""The atlas's pages are what its script makes of its studies."""

from __future__ import annotations

import shutil

import pytest

from tests.scripts import SCRIPTS, script_module
from ur_solver.study import comparison

pytestmark = [
    pytest.mark.skipif(not SCRIPTS.exists(), reason="a tree without scripts"),
    pytest.mark.slow,
]


def test_pages_are_those_of_the_studies(tmp_path, monkeypatch):
    atlas, data = map(script_module, ("make_atlas", "atlas_data"))
    kept = data.ATLAS
    shutil.copytree(kept / "data", tmp_path / "data")
    monkeypatch.setattr(data, "ATLAS", tmp_path)
    # how a picture looks depends on the version of matplotlib
    monkeypatch.setattr(comparison, "_svg", lambda _figure, _name: "<svg/>")
    atlas.make_pages()
    pages = sorted(path.name for path in tmp_path.glob("*.md"))
    assert pages == sorted(path.name for path in kept.glob("*.md"))
    for page in pages:
        assert (kept / page).read_text() == (tmp_path / page).read_text()
    pictures = {path.name for path in (tmp_path / "img").glob("*.svg")}
    assert pictures == {path.name for path in (kept / "img").glob("*.svg")}
