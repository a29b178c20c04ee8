"""The glossary has each word once, and the words are where it says."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"
ENTRIES = re.findall(r"^### (.+)\n((?:(?!^#).*\n?)*)", GLOSSARY.read_text(), re.MULTILINE)
SOURCES = {".py", ".pyx", ".pyi", ".h", ".c", ".md"}


def text_of(place):
    files = [place] if place.is_file() else sorted(place.rglob("*"))
    return "\n".join(
        file.read_text() for file in files if file.is_file() and file.suffix in SOURCES
    )


def test_each_word_once():
    words = [word for word, _ in ENTRIES]
    assert 0 < len(words) <= 80
    assert len(set(words)) == len(words)
    assert words == [word.lower() for word in words]


@pytest.mark.parametrize(("word", "entry"), ENTRIES, ids=[word for word, _ in ENTRIES])
def test_the_word_is_where_the_glossary_says(word, entry):
    places_of = re.search(r"^\*In\* (.*?)\.\s\*Not\* \w", entry, re.MULTILINE | re.DOTALL)
    assert places_of is not None, "an entry says where the word lives, and which words are not used"
    assert len(entry.partition("\n*In*")[0]) > 20
    places = re.findall(r"`(.+?)`", places_of[1])
    assert places
    # in code a space is an underscore, or nothing between capitals
    spelled = re.compile(word.replace(" ", r"[\s_-]*"), re.IGNORECASE)
    for place in places:
        path = ROOT / place
        assert path.exists(), f"{place} is not there"
        assert spelled.search(text_of(path)), f"{place} does not have {word!r}"
