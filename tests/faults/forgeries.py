"""Files of strangers: bytes changed at random, and all digests and checksums made right again.

A file is refused in one sentence, or read, and then every number in it can be what it stands for.
Warnings are errors.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import pathlib
import random
import shutil
import warnings
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import h5py
import numpy as np

from tests.estimators.test_file import stored_of
from tests.faults.tally import Tally
from tests.solving import make_table
from ur_solver.answers.inventory import Kept
from ur_solver.answers.query import decision
from ur_solver.api.lengths import make_lengths
from ur_solver.api.table import Table
from ur_solver.audit.games import PLAIN, _read
from ur_solver.blocks.folder import RECORD, BlockFolder, Job
from ur_solver.blocks.stored import VALUE_TYPES, checksums, chunk_length_for
from ur_solver.common.text import json_text
from ur_solver.errors import UrError
from ur_solver.estimators.estimator import Estimator
from ur_solver.estimators.file import _KINDS, _TEXTS, VERSION, read, write
from ur_solver.estimators.file import _digest as digest_of_estimator
from ur_solver.estimators.training import Training, resume, save, state_of
from ur_solver.publish.folder import MARK, _listed
from ur_solver.rules import named_rules
from ur_solver.space import space_of
from ur_solver.table.format import (
    BLOCK_DTYPE,
    CHECKSUMS,
    FORMAT,
    OBJECTIVES,
    TABLE,
    blocks_of_rows,
    digest,
)
from ur_solver.table.output import pack
from ur_solver.table.reader import TableFile

SENTENCE = 2000
"""The most letters of a sentence that refuses a file."""

_FLOATS = (
    *(math.nan, math.inf, -math.inf, -0.0, -1e-300, -0.5, 1.0, 1.0000001, 1.479, 2.0, 1e300),
    *(5e-324, -1.0, 65535.0),
)
_JSON: tuple[str, ...] = (
    *("null", "true", "[]", "{}", '""', '"x"', "-1", "0", "1.5", "NaN", "Infinity", "-1e999"),
    *("1e300", "9" * 400, "[[[]]]", '{"a": 1}', '"\\ud800"', '"\\u001b[31m"', "4", '"finkel"'),
)


def changed_bytes(content: bytes, dice: random.Random) -> bytes:
    """Some bytes with others, or with a number, in their place."""
    data = bytearray(content)
    for _ in range(dice.choice((1, 1, 2, 4))):
        if not data:
            break
        at = dice.randrange(len(data))
        what = dice.random()
        if what < 0.4:
            data[at] = dice.randrange(256)
        elif what < 0.6:
            data[at] ^= 1 << dice.randrange(8)
        else:
            kind = dice.choice(("<f8", "<f8", "<f4"))
            with np.errstate(over="ignore"):
                number = np.array(dice.choice(_FLOATS)).astype(kind).tobytes()
            at -= at % len(number)
            data[at : at + len(number)] = number[: len(data) - at]
    return bytes(data)


def changed_json(text: str, dice: random.Random) -> str:
    """A JSON text with a value, a key or some letters changed."""
    try:
        values = json.loads(text)
    except ValueError:  # it has been changed before
        values = None
    if dice.random() < 0.2 or not values:
        return changed_bytes(text.encode(), dice).decode("utf-8", "replace")
    places = [*_places(values, ())]
    for _ in range(dice.choice((1, 1, 2))):
        *before, last = dice.choice(places)
        holder = values
        try:
            for key in before:
                holder = holder[key]
            if dice.random() < 0.2 and isinstance(holder, dict):
                del holder[last]
                if dice.random() < 0.5:
                    holder[dice.choice(("x", "", "rules", "first"))] = 1
            else:
                holder[last] = f"%{dice.randrange(len(_JSON))}%"
        except (KeyError, TypeError, IndexError):  # a change before this one
            continue
    found = json.dumps(values)
    for number, token in enumerate(_JSON):
        found = found.replace(f'"%{number}%"', token)
    return found


def _places(values: Any, before: tuple[Any, ...]) -> Any:
    items = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in items:
        yield (*before, key)
        if isinstance(value, (dict, list)):
            yield from _places(value, (*before, key))


def changed_text(text: str, dice: random.Random) -> str:
    """A text of an attribute, JSON or not."""
    if text[:1] in "{[":
        return changed_json(text, dice)
    return dice.choice(("", "x", "\x1b[31m", "9" * 99, text[:-1], f"{text}\0", text.upper(), "é"))


# Tables.


class _TableParts:
    """What a table in one file holds, to be changed and written again."""

    def __init__(self, path: pathlib.Path) -> None:
        with h5py.File(path) as file:
            self.attributes = {
                name: bytes(value).decode() if isinstance(value, bytes) else value.item()
                for name, value in file.attrs.items()
                if name not in ("description", "format", "digest")
            }
            self.blocks = file["blocks"][()]
        with TableFile(path, OBJECTIVES) as table:
            self.values = [np.array(table._load_block(row)) for row in range(len(self.blocks))]
            self.rules, self.length = table.rules, table.chunk_length
            self.dtype, self.n_chunks = self.values[0].dtype, table.n_chunks

    def forged(self, path: pathlib.Path, dice: random.Random) -> None:
        """Write it with something changed."""
        attributes, blocks = dict(self.attributes), self.blocks.copy()
        values = list(self.values)
        for _ in range(dice.choice((1, 1, 2))):
            what = dice.random()
            if what < 0.45:
                row = dice.randrange(len(values))
                data = changed_bytes(values[row].tobytes(), dice)
                values[row] = np.frombuffer(data, self.dtype)
            elif what < 0.65:
                blocks = np.frombuffer(changed_bytes(blocks.tobytes(), dice), BLOCK_DTYPE).copy()
                if dice.random() < 0.5:
                    name = dice.choice(("residual", "seconds", "error"))
                    blocks[name][dice.randrange(len(blocks))] = dice.choice(_FLOATS)
                if dice.random() < 0.3:
                    attributes["error"] = float(blocks["error"].max())
            else:
                name = dice.choice([*attributes])
                value = attributes[name]
                if isinstance(value, str):
                    attributes[name] = changed_text(value, dice)
                elif isinstance(value, int):
                    attributes[name] = dice.choice((0, -1, 1 << 40, value + 1, 3, 4, 8))
                else:
                    attributes[name] = dice.choice(_FLOATS)
        sums = np.concatenate([checksums(each, self.length) for each in values])
        self._write(path, attributes, blocks, values, sums)

    def _write(
        self, path: pathlib.Path, attributes: Any, blocks: Any, values: Any, sums: Any
    ) -> None:
        from ur_solver.table.hdf5 import compressed, encode

        of_digest = {key: each for key, each in attributes.items() if key != "version"}
        whole = digest(of_digest, blocks, sums, attributes["version"])
        named = attributes | {"format": FORMAT, "digest": whole}
        with h5py.File(path, "w", libver="latest") as file:
            for name, value in named.items():
                is_text = isinstance(value, str)
                file.attrs[name] = np.bytes_(value.encode("utf-8", "replace")) if is_text else value
            file.create_dataset("blocks", data=blocks)
            file.create_dataset("checksums", data=sums)
            found = file.create_dataset(
                "values",
                (self.n_chunks * self.length,),
                self.dtype,
                chunks=(self.length,),
                fletcher32=True,
                **compressed(self.dtype.itemsize),
            )
            chunk = 0
            for own in values:
                for at in range(0, len(own), self.length):
                    data = encode(own[at : at + self.length], self.length)
                    found.id.write_direct_chunk((chunk * self.length,), data)
                    chunk += 1


def read_table(path: pathlib.Path, dice: random.Random) -> None:
    """Read everything of a table, and check that it can be; now and then by what lists it too."""
    if dice.random() < 0.1:
        kept = Kept.of(path)
        assert kept is not None
        json.loads(json_text(dataclasses.asdict(kept), default=str), parse_constant=_refused)
    with TableFile(path, OBJECTIVES) as table:
        json.loads(json_text(table.facts()), parse_constant=_refused)
        stored = [table.read_block(index) for index in table.part.indices]
        values, space, start = np.concatenate(stored), table.space, table.rules.start()
        is_of_lengths = table.header.objective is not None
    assert np.isfinite(values).all()
    assert (values >= -space.unit).all()
    if is_of_lengths:
        assert (values >= -1e-9).all()
        return
    least, most = (np.resize(each, len(values)) for each in space.limits)
    assert ((values >= least - 1e-9) & (values <= most + 1e-9)).all()
    if dice.random() < 0.2:
        with Table(path) as asked:
            answer = json.loads(json_text(decision(asked, start).to_json()))
            assert math.isfinite(answer["value"])
            json.loads(json_text(asked.info()), parse_constant=_refused)


def _refused(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


Attack = Callable[[random.Random], None]
"""Forge one file and read it; raises UrError where it is refused."""


def _of_table(folder: pathlib.Path, word: str, value_type: str = "float64") -> Attack:
    source, path = folder / f"{value_type}.h5", folder / "forged.h5"
    make_table(named_rules(word), source, threads=1, certify=word.startswith("finkel"))
    if value_type != "float64":
        other = folder / "other.h5"
        with TableFile(source) as table:
            pack(table, other, value_type=value_type)
        source = other
    parts = _TableParts(source)

    def attack(dice: random.Random) -> None:
        parts.forged(path, dice)
        read_table(path, dice)

    return attack


def _of_lengths(folder: pathlib.Path) -> Attack:
    source, path = folder / "lengths.h5", folder / "forged.h5"
    make_lengths(
        named_rules("finkel:1"), "length-max", source, force=False, progress=lambda *_: None
    ).close()
    parts = _TableParts(source)

    def attack(dice: random.Random) -> None:
        parts.forged(path, dice)
        read_table(path, dice)

    return attack


class _Folder:
    """A table as a folder, of which files are forged and put back."""

    def __init__(self, folder: pathlib.Path) -> None:
        source = folder / "source.h5"
        make_table(named_rules("finkel:1"), source, threads=1, certify=True)
        self.path = folder / "table"
        with TableFile(source) as table:
            pack(table, self.path)
            self.part, self.space = table.part, table.space
        self.kept = folder / "kept"
        shutil.copytree(self.path, self.kept)
        self.length = chunk_length_for(self.space)

    def forged(self, dice: random.Random) -> None:
        """Change files of the folder, and seal them."""
        for name in ("solve.json", TABLE, "manifest.bin", CHECKSUMS):
            shutil.copy(self.kept / name, self.path / name)
        for path in self.kept.glob("0*/*.block"):
            other = self.path / path.relative_to(self.kept)
            if not other.exists() or other.read_bytes() != path.read_bytes():
                shutil.copy(path, other)
        head_file, rows_file = self.path / "solve.json", self.path / "manifest.bin"
        rows = np.fromfile(rows_file, RECORD)
        sums = np.fromfile(self.path / CHECKSUMS, "<u4")
        what = dice.random()
        if what < 0.2:
            head_file.write_text(changed_json(head_file.read_text(), dice))
            rows["solve"] = zlib.crc32(head_file.read_bytes())
        if what > 0.7 or 0.1 < what < 0.3:
            index = dice.randrange(len(rows))
            rows[index : index + 1] = np.frombuffer(
                changed_bytes(rows[index : index + 1].tobytes(), dice), RECORD
            )
        blocks = sorted(self.path.glob("0*/*.block"))
        for path in blocks if what < 0.2 else [dice.choice(blocks)] if what < 0.7 else []:
            self._forge_block(path, rows, sums, dice, is_changed=what >= 0.2)
        for row in rows:
            row["checksum"] = zlib.crc32(row.tobytes()[RECORD.fields["index"][1] :])
        rows.tofile(rows_file)
        sums.tofile(self.path / CHECKSUMS)
        table_file = self.path / TABLE
        text = table_file.read_text()
        if what > 0.9 or dice.random() < 0.2:
            text = changed_json(text, dice)
        try:
            head = json.loads(text)
            version = head.pop("version")
            head.pop("digest")
            of_rows = blocks_of_rows(self.part, rows)
            head["digest"] = digest(_hashed(head), of_rows, sums, version)
            text = json.dumps(head | {"version": version})
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        table_file.write_text(text, errors="replace")

    def _forge_block(
        self, path: pathlib.Path, rows: Any, sums: Any, dice: random.Random, *, is_changed: bool
    ) -> None:
        index = int(path.stem)
        block = self.space.blocks[index]
        n_chunks = -(-block.size // self.length)
        first = -(-(RECORD.itemsize + 4 * n_chunks) // 64) * 64
        values = path.read_bytes()[first:]
        if is_changed:
            values = changed_bytes(values, dice)
        own = checksums(np.frombuffer(values, "<f8"), self.length)
        row = rows[index]
        row["values"] = zlib.crc32(own.tobytes())
        row["checksum"] = zlib.crc32(row.tobytes()[RECORD.fields["index"][1] :])
        at = int(sum(-(-each.size // self.length) for each in self.space.blocks[:index]))
        sums[at : at + n_chunks] = own
        path.write_bytes((row.tobytes() + own.tobytes()).ljust(first, b"\0") + values)


def _hashed(head: dict[str, Any]) -> dict[str, Any]:
    return head | ({"error": math.nan} if head.get("error", 0) is None else {})


def _of_folder(folder: pathlib.Path) -> Attack:
    forged = _Folder(folder)

    def attack(dice: random.Random) -> None:
        forged.forged(dice)
        read_table(forged.path, dice)

    return attack


def _of_checkpoint(folder: pathlib.Path) -> Attack:
    """Blocks of a solve that goes on: those that are not whole are solved again."""
    forged = _Folder(folder)
    job = Job.read(forged.kept / "solve.json")

    def attack(dice: random.Random) -> None:
        forged.forged(dice)
        (forged.path / TABLE).unlink()
        with BlockFolder(forged.path, job) as blocks:
            records = list(blocks.finished())
            for record in records:
                values = blocks.files.values_of(record.index)
                assert np.isfinite(values).all()
                assert ((values >= -1e-9) & (values <= 1 + 1e-9)).all()
                figures = [record.residual, record.seconds, record.error or 0.0]
                assert all(math.isfinite(each) and each >= 0 for each in figures)
                assert record.sweeps >= 0
            missing = len(forged.space.blocks) - len(records)
        if missing:
            raise UrError(f"{missing} blocks are solved again")

    return attack


# Estimators and trainings.


def _of_estimator(folder: pathlib.Path, word: str) -> Attack:
    source, path = folder / "source.h5", folder / "forged.h5"
    write(source, stored_of(word))
    with h5py.File(source) as file:
        texts = {name: file.attrs[name].decode() for name in _TEXTS}
        arrays = {name: file[name][()] for name in _KINDS}
    rules = named_rules(word)
    space = space_of(rules)
    ranks = np.arange(0, space.n_values, space.values_per_position)[::7]
    rows = space.unrank_states(ranks)
    least, most = (each[0] * space.unit for each in space.limits)

    def attack(dice: random.Random) -> None:
        own, data, version = dict(texts), dict(arrays), VERSION
        for _ in range(dice.choice((1, 1, 2))):
            if dice.random() < 0.6:
                name = dice.choice(_TEXTS)
                own[name] = changed_text(own[name], dice)
            else:
                name = dice.choice([*data])
                there = data[name]
                data[name] = np.frombuffer(changed_bytes(there.tobytes(), dice), there.dtype)
        if dice.random() < 0.03:
            version = dice.choice((0, 1, 3, -1))
        with h5py.File(path, "w", libver="latest") as file:
            for name, array in data.items():
                file.create_dataset(name, data=array)
            whole = digest_of_estimator(own, data)
            for name, text in (own | {"format": "ur-solver estimator", "digest": whole}).items():
                file.attrs[name] = np.bytes_(text.encode("utf-8", "replace"))
            file.attrs["version"] = np.int64(version)
        read(path)
        found = Estimator(path, plies=1)
        json.loads(json_text(found.info()), parse_constant=_refused)
        from ur_solver.cli.train import report

        assert "nan" not in report(found).lower()
        if found.rules.is_same_game(rules):
            values = found.state_values(rows)
            assert ((values >= least - 1e-9) & (values <= most + 1e-9)).all()
            margins = found.state_margins(rows, values)
            assert ((margins >= 0) & (margins <= space.unit)).all()
        else:
            assert math.isfinite(found.value(found.rules.start()))

    return attack


def _of_training(folder: pathlib.Path) -> Attack:
    rules, path = named_rules("finkel:1"), folder / "e.h5.training.npz"
    sound = Training(rules, (4,))
    sound.rounds, sound.errors = 2, [0.5, 0.25]
    save(path, state_of(sound, 12.5))
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}

    def attack(dice: random.Random) -> None:
        own = dict(arrays)
        for _ in range(dice.choice((1, 1, 2))):
            name = dice.choice([*own])
            there = own[name]
            if name == "head":
                text = changed_json(there.tobytes().decode(), dice).encode("utf-8", "replace")
                own[name] = np.frombuffer(text, np.uint8)
            elif dice.random() < 0.1:
                own[name] = there[:-1] if there.ndim else there
            else:
                data = changed_bytes(there.tobytes(), dice)
                own[name] = np.frombuffer(data, there.dtype).reshape(there.shape)
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, **own)
        data = content.getvalue()
        if dice.random() < 0.1:
            data = changed_bytes(data, dice)
        path.write_bytes(data)
        training = Training(rules, (4,))
        seconds = resume(path, training)
        assert 0 <= seconds < math.inf
        assert np.isfinite(training.weights).all()
        rows = np.concatenate([games.rows for games in training.games])
        values = training.backend.values(training.shape, training.weights).state_values(rows)
        assert ((values >= 0) & (values <= 1)).all()
        assert training.positions >= 0

    return attack


# What has no digest.


def _of_references(folder: pathlib.Path) -> Attack:
    path, sound = folder / "losses.json", json.dumps(dict.fromkeys(PLAIN, 0.5))

    def attack(dice: random.Random) -> None:
        path.write_text(changed_json(sound, dice), errors="replace")
        found = _read(path)
        if found is None:
            raise UrError("they are computed again")
        assert all(0 <= each < math.inf for each in found.values())

    return attack


def _of_site(folder: pathlib.Path) -> Attack:
    path = folder / MARK
    values = {"format": "ur-solver site", "program": "1", "files": ["index.html", "data/a.bin"]}
    sound = json.dumps(values)

    def attack(dice: random.Random) -> None:
        path.write_text(changed_json(sound, dice), errors="replace")
        names = _listed(path)
        if names is None:
            raise UrError("it is no site")
        assert all(isinstance(each, str) and ".." not in each.split("/") for each in names)

    return attack


def _any_of(folder: pathlib.Path, *makes: Callable[[pathlib.Path], Attack]) -> Attack:
    """An attack of several, each in a folder of its own."""
    attacks = []
    for number, make in enumerate(makes):
        place = folder / str(number)
        place.mkdir()
        attacks.append(make(place))
    return lambda dice: dice.choice(attacks)(dice)


KINDS: dict[str, Callable[[pathlib.Path], Attack]] = {
    "tables": lambda folder: _any_of(
        folder, *(partial(_of_table, word="finkel:1", value_type=kind) for kind in VALUE_TYPES)
    ),
    "tables of money": lambda folder: _of_table(folder, "bell-stakes:1"),
    "tables of lengths": _of_lengths,
    "tables as folders": _of_folder,
    "checkpoints of solves": _of_checkpoint,
    "estimators": lambda folder: _any_of(
        folder, *(partial(_of_estimator, word=word) for word in ("finkel:1", "bell-stakes:1"))
    ),
    "checkpoints of trainings": _of_training,
    "losses of reference players": _of_references,
    "lists of sites' files": _of_site,
}
"""The kinds of files, each with what makes an attack in a folder of its own."""


def forgeries(folder: pathlib.Path, kind: str, times: int, seed: int) -> Tally:
    """Forge files of a kind and read them."""
    tally = Tally(f"forged {kind}")
    place = folder / kind.replace(" ", "-").replace("'", "")
    place.mkdir()
    attack = KINDS[kind](place)
    for case in range(times):
        name = f"case {case} of seed {seed}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                attack(random.Random(f"{seed} {kind} {case}"))
        except UrError as error:
            is_sentence = "\n" not in str(error) and len(str(error)) < SENTENCE
            tally.count(detected=is_sentence, case=f"{name}: {error}")
        except Exception as error:
            tally.count(case=f"{name}: {type(error).__name__}: {error!s:.300}")
        else:
            tally.count(survived=True, case=name)
    return tally
