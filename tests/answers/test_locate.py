from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import re
import shutil

import pytest

from tests.meaningless import write_meaningless
from tests.solving import make_table
from ur_solver.answers.locate import find_file, find_part, is_table_word, open_file, open_file_of
from ur_solver.errors import (
    IgnoredFileWarning,
    MissingTableError,
    NotATableError,
    OutputError,
    RuleSetError,
)
from ur_solver.rules import named_rules
from ur_solver.solving.execution import run
from ur_solver.solving.plan import plan_of
from ur_solver.solving.request import Request
from ur_solver.space import part_of
from ur_solver.table.names import (
    FOLDER_VARIABLE,
    exact_name,
    readable_name,
    table_folders,
    table_name,
)
from ur_solver.table.output import new_table_path

pytestmark = pytest.mark.medium

RULES = named_rules("finkel:1")
LARGER = named_rules("finkel:3")


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "chosen"))
    (tmp_path / "chosen").mkdir()
    return tmp_path / "chosen"


def silent(text: str) -> None:
    raise AssertionError(f"unexpected word: {text}")


def test_names():
    assert table_name("finkel-1") == "finkel-1.h5"
    assert table_name("finkel-1", "uint16") == "finkel-1-uint16.h5"
    hostile = dataclasses.replace(RULES, name="../../etc/passwd: x")
    assert readable_name(hostile) == "etc-passwd-x-1"
    assert re.fullmatch("etc-passwd-x-1-[0-9a-f]{16}", exact_name(hostile))
    assert readable_name(dataclasses.replace(RULES, name="..")) == "custom-1"


def test_folders_in_order(folder, tmp_path, monkeypatch):
    assert table_folders()[0] == folder
    assert table_folders()[-1] == tmp_path / "user" / "tables"
    assert new_table_path(RULES) == folder / "finkel-1.h5"
    monkeypatch.delenv(FOLDER_VARIABLE)
    assert folder not in table_folders()


def test_the_folder_of_a_checkout_that_may_only_be_read_is_searched_last(tmp_path, monkeypatch):
    checkout, own = tmp_path / "checkout", tmp_path / "user" / "tables"
    checkout.mkdir()
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr("ur_solver.table.names.checkout_tables", lambda: checkout)
    assert table_folders() == [checkout, own]
    # root, who may write everywhere, runs tests too
    monkeypatch.setattr("os.access", lambda path, mode: (path, mode) != (checkout, os.W_OK))
    assert table_folders() == [own, checkout]
    assert new_table_path(RULES) == own / "finkel-1.h5"


@pytest.mark.parametrize(
    ("made", "asked"),
    [("murray-3dice:1", "murray-0-to-3:1"), ("murray-0-to-3:1", "murray-3dice:1")],
)
def test_a_table_is_found_by_an_old_name_and_by_the_new_one(folder, made, asked):
    rules = named_rules(made)
    path = folder / table_name(readable_name(rules))
    write_meaningless(path, rules)
    with open_file(asked) as table:
        assert table.path == path
    # and is not solved twice
    assert new_table_path(named_rules(asked)) == path


def test_a_path_is_opened(folder):
    write_meaningless(folder / "any name.h5", RULES)
    with open_file(str(folder / "any name.h5"), say=silent) as table:
        assert table.rules == RULES


@pytest.mark.parametrize("word", ["finkel:1", "british-museum:1"])
def test_a_rule_set_finds_its_table_by_the_game(folder, word):
    write_meaningless(folder / table_name(readable_name(named_rules(word))), RULES)
    with open_file(word, say=silent) as table:
        assert table.path.parent == folder


def test_a_json_file_finds_its_table(folder, tmp_path):
    custom = RULES.changed(name="mine", safe_rosettes=False)
    (tmp_path / "my.json").write_text(json.dumps(custom.to_json()))
    write_meaningless(folder / "mine-1.h5", custom)
    with open_file(str(tmp_path / "my.json"), say=silent) as table:
        assert table.rules == custom


def test_the_most_exact_value_type_is_preferred(folder):
    for value_type in ("uint16", "float64", "float32"):
        write_meaningless(folder / table_name(readable_name(RULES), value_type), RULES, value_type)
    with open_file("finkel:1", say=silent) as table:
        assert table.header.value_type == "float64"
    (folder / "finkel-1.h5").unlink()
    with open_file("finkel:1", say=silent) as table:
        assert table.header.value_type == "float32"


def test_a_table_of_another_game_is_passed_over(folder):
    write_meaningless(folder / "finkel-1.h5", named_rules("blitz:1"))
    assert find_file(RULES) is None


def test_a_file_of_the_right_name_that_is_no_table_is_reported(folder):
    (folder / "finkel-1.h5").write_text("nothing")
    with pytest.warns(IgnoredFileWarning, match=r"finkel-1\.h5"), pytest.raises(MissingTableError):
        open_file("finkel:1")


def test_a_small_missing_table_is_solved_there_and_then(folder):
    words = []
    with open_file("finkel:1", say=words.append) as table:
        assert table.path == folder / "finkel-1.h5"
    assert len(words) == 1
    assert "217 positions" in words[0]
    open_file("finkel:1", say=silent).close()


def test_a_folder_that_cannot_be_made_is_reported(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "file" / "tables"))
    message = r"cannot make the folder '.*tables': Not a directory; .*tables in \$UR_TABLES"
    with pytest.raises(OutputError, match=message):
        open_file("murray:1", say=print)


def test_a_large_missing_table_names_the_command(folder):
    in_both = r"'ur solve finkel -n 7' \(in Python, ur.solve\('finkel', pieces=7\)\) makes it"
    with pytest.raises(MissingTableError, match=in_both):
        open_file("finkel", say=silent)


def test_what_cannot_be_solved_here_is_not_advised(folder):
    """Murray with seven pieces takes more than any machine has, skiriuk with 7 any kernel."""
    for word in ("murray:7", "skiriuk:7"):
        with pytest.raises(MissingTableError, match="this machine cannot make it") as raised:
            open_file(word, say=silent)
        assert "ur solve" not in str(raised.value)
        assert "the largest count that fits is" in str(raised.value)


def test_what_is_advised_is_what_a_json_file_asks_for(folder, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(named_rules("finkel:6").changed(safe_rosettes=False).to_json()))
    with pytest.raises(MissingTableError, match=f"'ur solve {path} -n 6'"):
        open_file(str(path), say=silent)
    with pytest.raises(MissingTableError, match="from a JSON file with these rules"):
        open_file_of(named_rules(str(path)), say=silent)


def test_which_words_are_tables(folder, tmp_path):
    write_meaningless(tmp_path / "table.any", RULES)
    (tmp_path / "rules.json").write_text(json.dumps(RULES.to_json()))
    (tmp_path / "game.json").write_text('{"format_version": 1}')
    (tmp_path / "game.rgn").write_text("1. A@A4")
    words = ("table.any", "rules.json", "game.json", "game.rgn", ".")
    assert [is_table_word(str(tmp_path / word)) for word in words] == [True, True] + 3 * [False]
    for word in ("finkel", "finkel:3", "finkle", "nowhere.h5", "nowhere.json"):
        assert is_table_word(word)
    for word in ("-", "nowhere.rgn", "nowhere.ur", "games/nowhere", ""):
        assert not is_table_word(word)


def test_a_missing_file_and_an_unknown_name(folder):
    with pytest.raises(MissingTableError, match="nowhere"):
        open_file(str(folder / "nowhere.h5"), say=silent)
    with pytest.raises(RuleSetError, match="did you mean 'finkel'"):
        open_file("finkle", say=silent)


@pytest.mark.parametrize("word", ["x" * 300, "x/" * 3000, "x\0.h5", "x\0", "\udcff"])
def test_words_that_can_be_no_path_are_refused(folder, word):
    with pytest.raises((RuleSetError, MissingTableError, NotATableError)):
        open_file(word, say=silent)


def test_by_name_the_whole_table_comes_first(endings, monkeypatch):
    folder = endings.parent
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    assert find_file(LARGER) is None
    shutil.copy(endings, folder / "finkel-3.h5")  # by its name the whole
    assert find_file(LARGER) is None
    (folder / "finkel-3.h5").unlink()
    words = []
    with open_file("finkel:3") as table:
        assert table.path == endings
    with open_file("finkel:3", say=words.append) as table:  # small enough to be solved
        assert table.part.is_whole
    assert len(words) == 1
    with open_file("finkel:3") as table:
        assert table.part.is_whole


def test_of_two_parts_the_one_with_the_position_is_found(folder):
    late = LARGER.position("L...__../.......L/....__.D L 0 1")
    other = LARGER.position("....__../......../....__.D L 0 2")
    for name, left in (("finkel-3-left-1.h5", 1), ("finkel-3-left-2", 2)):
        make_table(LARGER, folder / name, part=part_of(LARGER, left))
    make_table(
        named_rules("aseb:3"), folder / "finkel-3-x.h5", part=part_of(named_rules("aseb:3"), 2)
    )
    (folder / "finkel-3-y.h5").write_text("no table")
    with find_part(LARGER) as table:
        assert table.part.left == 2
    with find_part(LARGER, LARGER.start()) as table:
        assert table.part.left == 2
    with find_part(LARGER, late) as table:
        assert table.holds_position(late)
    shutil.rmtree(folder / "finkel-3-left-2")
    with find_part(LARGER, other) as table:
        assert table.part.left == 1


CHINESE = RULES.changed(name="乌尔", safe_rosettes=False)


def test_a_table_of_an_earlier_version_keeps_its_name(folder):
    make_table(CHINESE, folder / "custom-1.h5")
    assert new_table_path(CHINESE) == folder / "custom-1.h5"
    with open_file_of(CHINESE, say=silent) as table:
        assert table.path == folder / "custom-1.h5"
    other = RULES.changed(name="波斯", extra_on_rosette=False)
    assert new_table_path(other) == folder / f"{exact_name(other)}.h5"


def test_a_damaged_file_under_a_shared_name_is_nobodys(folder):
    (folder / "custom-1.h5").write_text("damaged")
    words = []
    with open_file_of(CHINESE, say=words.append) as table:
        assert table.path == folder / f"{exact_name(CHINESE)}.h5"
    assert len(words) == 1
    assert (folder / "custom-1.h5").read_text() == "damaged"


@pytest.mark.parametrize("one", ["a/b", "a:b", "a b", "a-b"])
def test_names_that_would_be_one_files_are_kept_apart(folder, one):
    first = RULES.changed(name=one, safe_rosettes=False)
    second = RULES.changed(name="a-b", extra_on_rosette=False)
    paths = []
    for rules in (first, second):
        with open_file_of(rules, say=lambda text: None) as table:
            paths.append(table.path)
            assert table.rules == rules
    assert len(set(paths)) == 2
    for rules, path in zip((first, second), paths, strict=True):
        with open_file_of(rules, say=silent) as table:
            assert table.path == path


def test_a_solve_of_other_rules_has_its_name(folder):
    second = RULES.changed(name="finkel-x", extra_on_rosette=False)
    first = RULES.changed(name="finkel-x", safe_rosettes=False)

    def stop(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_table(first, new_table_path(first), threads=1, progress=stop)
    assert new_table_path(first) == folder / "finkel-x-1.h5"
    assert new_table_path(second) == folder / f"{exact_name(second)}.h5"


@pytest.mark.parametrize(("value_type", "left"), [("float64", 1), ("float32", None)])
def test_parts_and_smaller_tables_of_other_rules_have_their_names(folder, value_type, left):
    other = LARGER.changed(name="finkel", safe_rosettes=False)
    path = new_table_path(LARGER, value_type, part_of(LARGER, left))
    make_table(other, path, value_type=value_type, part=part_of(other, left))
    found = new_table_path(LARGER, value_type, part_of(LARGER, left))
    assert found.name == exact_name(LARGER) + path.name.removeprefix("finkel-3")
    make_table(LARGER, found, value_type=value_type, part=part_of(LARGER, left))
    with open_file("finkel:3") as table:
        assert table.path == found


def test_a_table_with_as_many_fines_comes_first(folder):
    rules = named_rules("bell-stakes:1")
    fewer = rules.changed(stakes=dataclasses.replace(rules.stakes, reach=3))
    make_table(rules, new_table_path(rules))
    with open_file_of(fewer) as table:  # the same game, and more exact
        assert table.path == folder / "bell-stakes-1.h5"
    assert new_table_path(fewer) == folder / f"{exact_name(fewer)}.h5"
    make_table(fewer, new_table_path(fewer))
    for asked in (rules, fewer):
        with open_file_of(asked) as table:
            assert table.rules.payoff == asked.settled().payoff


def test_a_table_that_another_solve_has_finished_meanwhile_stays(folder):
    path = folder / "finkel-1.h5"
    plan = plan_of(Request.of(RULES, path))
    write_meaningless(path, RULES)
    with pytest.raises(OutputError, match="already exists and is a table of finkel with 1 piece"):
        run(plan)
    assert [each.name for each in folder.iterdir()] == ["finkel-1.h5"]
