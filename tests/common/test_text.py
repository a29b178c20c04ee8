"""Text that comes in and goes out."""

from __future__ import annotations

import codecs
import io
import json
import math
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ur_solver.common.text import (
    ENCODABLE,
    StreamDecoder,
    cell,
    decoded,
    dumped,
    encoded,
    json_text,
    json_values,
    printable,
    printable_lines,
    sound,
)
from ur_solver.errors import InputError

ENCODINGS = {
    "UTF-8": "utf-8",
    "UTF-8 with a mark": "utf-8-sig",
    "UTF-16-LE": "utf-16-le",
    "UTF-16-BE": "utf-16-be",
}
MARKS = {"UTF-16-LE": codecs.BOM_UTF16_LE, "UTF-16-BE": codecs.BOM_UTF16_BE}


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_encoding_and_line_end_gives_the_same_text(name, end):
    text = "1. A@A4 / C@C3\n2. é\u2212\U0001f3b2\n\n"
    content = MARKS.get(name, b"") + text.replace("\n", end).encode(ENCODINGS[name])
    assert decoded(content) == text


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_stream_is_decoded_as_it_arrives(name, end):
    text = "\n1. é\u2212\U0001f3b2\n2\n"
    content = MARKS.get(name, b"") + text.replace("\n", end).encode(ENCODINGS[name])
    decoder = StreamDecoder()
    parts = [decoder.decode(content[k : k + 1]) for k in range(len(content))]
    assert "".join(parts) + decoder.decode(b"", final=True) == text
    whole = StreamDecoder().decode("a\nb\n".encode(ENCODINGS["UTF-8"]))
    assert whole == "a\nb\n"  # nothing is kept that could be answered


def test_joined_files_have_marks_within():
    assert decoded("a\n".encode("utf-8-sig") * 2) == "a\na\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"ab\xff", "byte 2 is not UTF-8 text"),
        (codecs.BOM_UTF8 + b"\xff", "byte 3 is not UTF-8 text"),
        (b"\xff\xfea", "byte 2 is not UTF-16 text"),
        (b"\xfe\xff\xd8\x00\x00a", "byte 2 is not UTF-16 text"),
        (b"\xed\xa0\x80", "byte 0 is not UTF-8 text"),
    ],
)
def test_what_is_no_text_is_named_by_its_byte(content, sentence):
    with pytest.raises(InputError, match=f"^{sentence}$"):
        decoded(content)


@given(st.binary(max_size=40))
def test_whatever_is_decoded_can_be_encoded(content):
    try:
        text = decoded(content)
    except InputError:
        return
    assert "\r" not in text
    assert decoded(encoded(text)) == text


@given(st.text(st.characters(codec=None, categories=None), max_size=20))
def test_what_is_printable_has_no_controls(text):
    bidirectional = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    for each in printable(text):
        assert unicodedata.category(each) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(each) not in bidirectional
    assert printable("Ann é 王\N{RIGHT-TO-LEFT MARK}") == "Ann é 王"


def test_lines_keep_their_ends_and_colours():
    text = "\x1b[1mA\x1b[0m\tb\n\x1b]0;title\x07\x1b[2Jc\x9b\u202e"
    assert printable_lines(text) == "\x1b[1mA\x1b[0m\tb\n]0;title[2Jc"


@given(st.recursive(st.text(st.characters(categories=None), max_size=5), st.lists, max_leaves=5))
def test_json_has_no_lone_surrogates(values):
    def made_sound(each):
        return sound(each) if isinstance(each, str) else [*map(made_sound, each)]

    assert json_values(json.dumps(values)) == made_sound(values)


@pytest.mark.parametrize("text", ["NaN", '{"a": -Infinity}', "[1e999]", "9" * 5000, "{", ""])
def test_what_is_not_json_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        json_values(text)


def test_surrogate_pairs_are_characters():
    assert json_values(r'{"\ud83c\udfb2": "\ud83c"}') == {"\U0001f3b2": "\N{REPLACEMENT CHARACTER}"}


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("ascii", b"-5 e? +-1 ?"), ("cp1252", b"-5 e\xe9 \xb11 ?"), ("latin-1", b"-5 e\xe9 \xb11 ?")],
)
def test_any_encoding_prints_what_it_has(encoding, expected):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors=ENCODABLE)
    stream.write("\N{MINUS SIGN}5 eé ±1 \U0001f3b2")
    stream.flush()
    assert raw.getvalue() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann", "Ann"),
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("\t=1", "'=1"),
        ("\x1b[31mBen", "[31mBen"),
        ("a=b", "a=b"),
        ("", ""),
    ],
)
def test_a_cell_is_no_formula(text, expected):
    assert cell(text) == expected


def test_json_has_no_number_that_strict_readers_refuse():
    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    values = {"a": math.nan, "b": [math.inf, 1.5, (-math.inf, np.float64("nan"))], "c": "NaN"}
    for text in (json_text(values), json_text(values, indent=1), dumped(values).decode()):
        found = json.loads(text, parse_constant=refuse)
        assert found == {"a": None, "b": [None, 1.5, [None, None]], "c": "NaN"}
    assert json_text({"a": 0.1, "b": [1, "é"]}) == json.dumps({"a": 0.1, "b": [1, "é"]})
