"""Texts that the page says in several languages, and in English what Python says of them.

The texts are in ``languages/``: a JSON file for each language, all with the same keys in
alphabetical order. A key is a whole sentence, or a whole label; nothing is glued from parts. In a
text, as in ICU messages, stand

``{name}``
    a text as it is, a number as the language writes it, several as ``1, 2, 3``;
``{share, percent}``
    a share of 1, in whole per cent (on the page only);
``{names, and}``, ``{names, or}``
    several, as the language lists them;
``{count, plural, one {# piece} other {# pieces}}``
    a form by the plural of a number, which ``#`` writes, in the categories of the language;
``{side, select, light {Light} other {Dark}}``
    a form by a word.

Forms may hold others. ``serve/page/speech.js`` says the texts to a reader of the page. Python
speaks English (`say`): a text that comes from a key knows its sentences, and the page gets them
with the text (`sentences_in`) and says them in its reader's language.
"""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeAlias

LANGUAGES = ("en", "ru", "fr", "nl", "es")
"""The languages, by ISO 639-1."""


@cache
def texts(language: str) -> Mapping[str, str]:
    """The texts of a language, by key."""
    file = pathlib.Path(__file__).with_name("languages") / f"{language}.json"
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


Sentence: TypeAlias = str | list[Any]
"""Key and arguments, ``["square.stack", {"count": 4}]``; a sentence without a key as it is."""


class Said(str):
    """A text with its sentences, each of which the page has in every language."""

    sentences: tuple[Sentence, ...]

    def __new__(cls, text: str, *sentences: Sentence) -> Said:
        """A text and what it is made of."""
        made = super().__new__(cls, text)
        made.sentences = sentences
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        """What `pickle` and `copy` make it of."""
        return str(self), *self.sentences


def is_said(key: str) -> bool:
    """Whether there is a text by a key."""
    return key in texts("en")


def say(key: str, **arguments: Any) -> str:
    """A sentence by its key; arguments are numbers, lists, and texts that no language changes."""
    return Said(
        "".join(_written(_parsed(key), arguments)), [key, arguments] if arguments else [key]
    )


def together(*given: str) -> str:
    """Texts after each other; empty ones are left out."""
    parts = [text for text in given if text]
    return Said(" ".join(parts), *(each for text in parts for each in sentences_of(text)))


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """What a text is made of; one that has no keys, such as a plugin's, stands for itself."""
    return text.sentences if isinstance(text, Said) else (text,)


def sentences_in(values: object) -> dict[str, tuple[Sentence, ...]]:
    """What all texts with keys are made of, by text, of values as JSON has them."""
    return {str(text): text.sentences for text in _said(values)}


def _said(values: object) -> Iterator[Said]:
    if isinstance(values, Said):
        yield values
    elif isinstance(values, dict):
        for key, value in values.items():
            yield from _said(key)
            yield from _said(value)
    elif isinstance(values, (list, tuple)):
        for value in values:
            yield from _said(value)


# Texts with arguments.


class _Slot(NamedTuple):
    """An argument in a text, how it is written, and its forms if it chooses one."""

    name: str
    how: str
    forms: dict[str, _Parts]


_Parts: TypeAlias = list[str | _Slot]


@cache
def _parsed(key: str) -> _Parts:
    return _read(iter(re.findall(r"[{}]|[^{}]+", texts("en")[key])))


def _read(tokens: Iterator[str]) -> _Parts:
    """The parts of a text up to a closing brace."""
    found: _Parts = []
    for token in tokens:
        if token == "}":
            break
        if token != "{":
            found.append(token)
            continue
        name, how, form, *_ = [*(part.strip() for part in next(tokens).split(",")), "", ""]
        forms = {}
        for inner in tokens:
            if inner == "}":
                break
            if inner == "{":
                forms[form] = _read(tokens)
            else:
                form = inner.strip()
        found.append(_Slot(name, how, forms))
    return found


def _written(parts: _Parts, given: dict[str, Any], count: int | None = None) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            yield part if count is None else part.replace("#", f"{count:,}")
            continue
        value = given[part.name]
        if part.how == "plural":
            yield from _written(part.forms["one" if value == 1 else "other"], given, value)
        elif part.how == "select":
            yield from _written(part.forms.get(value) or part.forms["other"], given, count)
        else:
            yield _argument(value, part.how)


def _argument(value: Any, how: str = "") -> str:
    """An argument as English has it."""
    if isinstance(value, (list, tuple)):
        texts_of = [_argument(each) for each in value]
        last = f" {how} {texts_of.pop()}" if how and len(texts_of) > 1 else ""
        return ", ".join(texts_of) + last
    return f"{value:,}" if isinstance(value, int) else str(value)
