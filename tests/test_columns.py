"""Many positions at once: what is taken, what is read, and what data frames are made of."""

from __future__ import annotations

import importlib
import pathlib
import re

import numpy as np
import pandas as pd
import pytest

import ur_solver as ur
from ur_solver.errors import RuleSetMismatchError, WrongTypeError
from ur_solver.rules.turns import turn

START = "....__../......../....__.. L 3 3"
HERE = "L...__../..D...../....__.. L 2 2"
OVER = "....__../......../....__.. D 0 3"
ALL = [START, HERE, OVER]


@pytest.fixture
def table(solved):
    with ur.Table(solved(ur.rule_set("finkel:3"))) as table:
        yield table


def test_values_take_texts_in_whatever_holds_them(table):
    expected = [table.value(text) for text in ALL]
    frame = pd.DataFrame({"position": ALL})
    for positions in (
        ALL,
        tuple(ALL),
        np.array(ALL),
        np.array(ALL, dtype=object),
        frame["position"],
        (text for text in ALL),
        [table.rules.position(text) for text in ALL],
        pd.Series(ALL, index=[7, 3, 5]),
    ):
        found = table.values(positions)
        assert isinstance(found, np.ndarray)
        assert found.tolist() == expected
    for column in others(ALL):
        assert table.values(column).tolist() == expected
        assert table.columns(column)["position"].tolist() == ALL
        assert table.move_columns(column)["move"].tolist() == (
            table.move_columns(ALL)["move"].tolist()
        )
    frame["value"] = table.values(frame["position"])
    assert frame["value"].tolist() == expected
    assert table.values(table.encode(ALL)).tolist() == expected
    assert len(table.values([])) == 0
    for one in (START, table.rules.start()):
        with pytest.raises(TypeError, match="is one position; expected several"):
            table.values(one)


def others(texts):
    """A column of texts as the libraries have it that are installed."""
    yield np.array(texts, dtype=np.dtypes.StringDType())
    yield np.array(texts, dtype="S60")
    yield pd.Series(texts, dtype="category")
    if pa := optional("pyarrow"):
        yield pa.array(texts)
        yield pa.chunked_array([texts[:1], texts[1:]])
        yield pa.array(texts).dictionary_encode()
        yield pd.Series(texts, dtype="string[pyarrow]")
    if pl := optional("polars"):
        yield pl.Series(texts)
        yield pl.Series(texts, dtype=pl.Categorical)


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@pytest.mark.parametrize(
    ("positions", "fault"),
    [
        (5, "expected several positions, as in a list"),
        (b"...", "is one position; expected several"),
        ([START, None], "None is not a position; expected a Position or its notation"),
        (pd.Series([START, None]), "is not a position"),
        (pd.Series([1.5]), "1.5 is not a position"),
        (np.array([[START]]), "expected one dimension"),
    ],
)
def test_what_is_no_position_is_said(table, positions, fault):
    for asked in (table.values, table.columns, table.move_columns, table.encode, table.ranks):
        with pytest.raises(ur.errors.WrongTypeError, match=fault):
            asked(positions)


def test_the_first_fault_of_many_texts_is_said(table):
    illegal = START.replace("3 3", "3 4")
    texts = [START] * 50 + [illegal, "nonsense"]
    with pytest.raises(ur.errors.IllegalPositionError, match="dark has 4 pieces"):
        table.values(texts)
    with pytest.raises(ur.errors.PositionSyntaxError, match="'nonsense'"):
        table.values([*texts[:50], "nonsense", illegal])


def test_texts_written_otherwise_are_read_too(table):
    other = f"  {HERE.replace(' ', '   ')}  "
    assert table.values([other]).tolist() == table.values([HERE]).tolist()
    assert table.columns([other])["position"].tolist() == [HERE]
    with ur.solve("skiriuk:2") as stacks:
        texts = [f"....__../..({pair})...../....__.. L 1 1" for pair in ("Ld", "dL")]
        assert len({*stacks.values(texts).tolist()}) == 2


def test_structures_of_states_are_taken(table):
    states = table.layout.structured(table.encode(ALL[:2]))
    assert table.values(states).tolist() == table.values(ALL[:2]).tolist()
    assert table.move_columns(states)["move"].tolist() == table.move_columns(ALL)["move"].tolist()


def test_columns_make_a_data_frame(table):
    frame = pd.DataFrame(table.columns(ALL))
    assert list(frame) == ["position", "side", "value", "error"]
    assert frame["position"].tolist() == ALL
    assert frame["side"].tolist() == ["light", "light", "dark"]
    assert frame["value"].tolist() == [table.value(text) for text in ALL]
    assert frame["error"].isna().all()
    assert frame["value"].dtype == np.float64
    assert len(pd.DataFrame(table.columns([]))) == 0


def test_columns_of_money_and_of_proven_values(tmp_path):
    stakes = ur.solve("bell-stakes:1", tmp_path / "stakes.h5")
    start = stakes.rules.start()
    columns = stakes.columns([start])
    assert columns["chance"].tolist() == [stakes.chance(start)]
    assert columns["cut_error"].tolist() == [stakes.cut_error(start)]
    proven = ur.solve("finkel:1", tmp_path / "proven.h5", certify=True)
    start = proven.rules.start()
    assert proven.columns([start])["error"].tolist() == [proven.error(start)]


@pytest.mark.memory
def test_moves_make_a_data_frame(table):
    frame = pd.DataFrame(table.move_columns(ALL))
    assert list(frame) == ["position", "throw", "probability", "move", "value", "loss"]
    assert OVER not in set(frame["position"])
    rows = frame[(frame["position"] == HERE) & (frame["throw"] == 2)]
    moves = table.moves(HERE, 2)
    assert rows["move"].tolist() == [each.move.text for each in moves]
    assert rows["value"].tolist() == [each.value for each in moves]
    # the best of every throw, weighted, is the position's value
    best = frame.groupby(["position", "throw"]).agg({"value": "max", "probability": "first"})
    worth = (best["value"] * best["probability"]).groupby("position").sum()
    assert worth[HERE] == pytest.approx(table.value(HERE), abs=1e-11)


@pytest.mark.parametrize("word", ["finkel:2", "birds:2", "casual-roll-again:2", "bell-stakes:1"])
def test_moves_of_many_positions_are_those_of_each(word, solved):
    with ur.Table(solved(ur.rule_set(word))) as table:
        ranks = np.random.default_rng(4).integers(table.space.n_values, size=60)
        own = [table.space.unrank(int(rank)) for rank in ranks]
        for positions in (own, [position.mirror() for position in own]):
            found = table.move_columns(positions)
            expected = [
                (position.notation, each.throw, float(each.probability), *move)
                for position in positions
                for each in table.throws(position)
                for move in [
                    (one.move.text, one.value, one.loss)
                    for one in table.moves(position, each.throw)
                ]
                or [(None, each.value, 0.0)]
            ]
            assert list(zip(*(column.tolist() for column in found.values()), strict=True)) == (
                expected
            )
        states = table.move_columns(table.encode(own))
        assert [own[k].notation for k in states["position"]] == (
            table.move_columns(own)["position"].tolist()
        )
        for name in ("throw", "move", "value", "loss"):
            assert states[name].tolist() == table.move_columns(own)[name].tolist()
        assert len(table.move_columns([])["move"]) == 0


def test_audits_make_a_data_frame(table):
    (game,) = ur.sample(table, 1, light="weak", seed=4)
    audit = table.audit(game)
    frame = pd.DataFrame(audit.columns())
    assert len(frame) == len(game.plies)
    sides = frame.groupby("side")
    assert sides["loss"].sum()["light"] == pytest.approx(audit.light.loss)
    assert sides["luck"].sum()["dark"] == pytest.approx(audit.dark.luck)
    assert frame["choice"].sum() == audit.light.choices + audit.dark.choices
    played = [game.move_text(ply) for ply in game.plies]
    assert audit.columns()["move"].tolist() == played
    assert table.values(frame["position"]) == pytest.approx(frame["value"], abs=1e-11)


# plies of many games


@pytest.mark.parametrize("word", ["finkel:2", "birds:2", "ben:2", "skiriuk:2", "bell-stakes:1"])
def test_plies_have_their_moves(word, solved):
    with ur.Table(solved(ur.rule_set(word))) as own:
        games = list(ur.sample(own, 3, light="weak", dark="random", seed=2))
    n_moves = n_passes = 0
    for game in games:
        here = game.start
        for ply in game.plies:  # replayed by the readable rules
            assert ply.position == here
            assert ply.stepper.rules == game.rules
            (moves,) = {
                outcome.moves
                for choice in turn(here)
                for outcome in choice.outcomes
                if outcome.throws == ply.throws and choice.name == ply.choice
            }
            if ply.move is None:
                assert not moves
                assert ply.text is None
                here, n_passes = here.pass_turn(), n_passes + 1
                continue
            assert ply.move in moves
            assert ply.text == ply.move.text == game.move_text(ply)
            here, n_moves = ply.move.position, n_moves + 1
        assert (here.winner is not None) == (game.winner is not None)
    assert n_moves > 0 < n_passes


def test_the_texts_of_plies_are_those_of_the_file():
    path = pathlib.Path(__file__).parents[1] / "docs" / "example.rgn"
    (game,) = ur.read_games(path)
    _, _, moves = path.read_text(encoding="utf-8").rpartition("]\n\n")
    written = re.findall(r"[A-D][@1-8]?[A-D][+1-8][x*+]*|[A-C]\d[A-C][\d+][x*]?", moves)
    assert [ply.text.rstrip("*") for ply in game.plies if ply.text] == written


def test_all_plies_of_many_games_make_a_data_frame(table):
    games = [*ur.sample(table, 6, light="weak", dark="random", seed=4)]
    audits = list(table.audits(games))
    frame = pd.DataFrame(ur.ply_columns(iter(games), table))
    pd.testing.assert_frame_equal(frame, pd.DataFrame(ur.ply_columns(audits)))
    assert len(frame) == sum(len(game.plies) for game in games)
    for number, (game, audit) in enumerate(zip(games, audits, strict=True)):
        own = frame[frame["game"] == number]
        assert own["ply"].tolist() == [*range(1, len(game.plies) + 1)]
        assert own["title"].unique().tolist() == [game.title]
        assert own["rules"].unique().tolist() == ["finkel:3"]
        assert own.groupby("player")["loss"].sum().to_dict() == pytest.approx(
            {"weak": audit.light.loss, "random": audit.dark.loss}
        )
        moves = own["move"].astype(object).where(own["move"].notna(), None)  # as pandas has None
        assert moves.tolist() == [ply.text for ply in game.plies]
        assert own["mark"].value_counts().to_dict() == audit.light.marks + audit.dark.marks
        assert table.values(own["position"]) == pytest.approx(own["value"], abs=1e-11)
        for k, ply in enumerate(game.plies):
            row = own.iloc[k]
            if ply.move is not None:
                best = table.best(ply.position, ply.throw)
                assert row["best_value"] == pytest.approx(best.value, abs=1e-11)
                assert row["loss"] == pytest.approx(
                    best.value - value_after(table, ply.side, ply.move), abs=1e-11
                )
    plain = pd.DataFrame(ur.ply_columns(games))
    pd.testing.assert_frame_equal(plain, frame[plain.columns])
    assert "value" not in plain


def value_after(table, side, move):
    value = table.value(move.position)
    return value if move.position.side == side else 1 - value


def test_choices_before_a_throw_have_rows(solved):
    with ur.Table(solved(ur.rule_set("birds:2"))) as birds:
        games = list(ur.sample(birds, 2, light="random", dark="random", seed=1))
        plain, judged = ur.ply_columns(games), ur.ply_columns(games, birds)
    for name, column in plain.items():
        assert judged[name].tolist() == column.tolist(), name
    is_choice = np.array([not throw for throw in judged["throw"]])
    assert set(judged["move"][is_choice]) == {"move", "enter"}
    wanted = [ply.choice for game in games for ply in game.plies if len(ply.choices) > 1]
    assert judged["move"][is_choice].tolist() == wanted
    # a choice has the number of its throw, whose row is the next one
    after = np.flatnonzero(is_choice) + 1
    assert (judged["ply"][after] == judged["ply"][after - 1]).all()


def test_games_of_several_rule_sets_and_none(table, solved):
    with ur.Table(solved(ur.rule_set("ben:2"))) as ben:
        games = [*ur.sample(table, 1), *ur.sample(ben, 1)]
        assert set(ur.ply_columns(games)["rules"]) == {"finkel:3", "ben:2"}
        audits = [table.audit(games[0]), ben.audit(games[1])]
        found = ur.ply_columns(audits)
        assert found["value"].shape == found["rules"].shape == found["game"].shape
        with pytest.raises(RuleSetMismatchError):
            ur.ply_columns(games, table)
    for nothing in (ur.ply_columns([]), ur.ply_columns([], table)):
        assert {len(column) for column in nothing.values()} == {0}
        assert nothing["game"].dtype == found["game"].dtype
    for wrong in ([games[0], audits[0]], [1], 3):
        with pytest.raises(WrongTypeError):
            ur.ply_columns(wrong)
    with pytest.raises(WrongTypeError, match="expected records"):
        ur.ply_columns(audits, table)


# memory and progress


def many(table, count=20_000):
    rng = np.random.default_rng(0)
    ranks = rng.integers(table.space.n_values, size=count)
    return table.encode([table.space.unrank(int(rank)) for rank in ranks[:400]])


def test_values_can_be_read_without_all_of_the_table(solved, monkeypatch):
    path = solved(ur.rule_set("finkel:3"))
    with ur.Table(path) as whole:
        states = many(whole)
        whole.load()
        expected = whole.values(states)
    with ur.Table(path) as table:
        table.limit_memory(1 << 18)
        monkeypatch.setattr(table.file, "load", None)  # it is not called
        for _ in range(5):
            assert np.array_equal(table.values(states), expected)
    monkeypatch.setenv("UR_TABLES", str(path.parent))
    with ur.open_table("finkel:3", memory=1 << 18) as table:
        monkeypatch.setattr(table.file, "load", None)
        for _ in range(5):
            assert np.array_equal(table.values(states), expected)


def test_loading_reports_its_progress(solved, capsys):
    path = solved(ur.rule_set("finkel:3"))
    reported = []
    with ur.Table(path) as table:
        table.load(lambda done, total: reported.append((done, total)))
    total = table.space.n_values
    assert reported[-1] == (total, total)
    assert [done for done, _ in reported] == sorted({done for done, _ in reported})
    with ur.Table(path) as table:
        table.load()
        assert capsys.readouterr().err == ""
    with ur.Table(path) as table:
        table.load(progress=True)
        assert "reading the table" in capsys.readouterr().err


def test_a_first_batch_is_not_silent_on_a_terminal(solved, capsys, monkeypatch):
    """A large table that is read in full by itself shows a bar after two seconds."""
    from ur_solver.table import reader as loading

    shown = []

    def bar(task, total, form, **how):
        shown.append((task, total, str(form), how))
        return original(task, total, loading.Form.NONE)

    original = loading.shown_progress
    monkeypatch.setattr(loading, "shown_progress", bar)
    path = solved(ur.rule_set("finkel:3"))
    for is_terminal, large, form in (
        (True, True, "bar"),
        (True, False, "none"),
        (False, True, "none"),
    ):
        monkeypatch.setattr(loading, "is_watched", lambda value=is_terminal: value)
        monkeypatch.setattr(loading, "_LONG", 1 << 10 if large else 1 << 40)
        with ur.Table(path) as table:
            states = many(table)
            for _ in range(50):
                table.values(states)
        (found,) = shown
        assert found[2:] == (form, {"unit": "values"})
        shown.clear()
