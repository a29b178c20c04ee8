"""Texts that the page says in several languages: in English, with what the others are made of.

Python speaks English. A text that comes from a key (`say`) knows its sentences, and the page gets
them beside the text (`sentences_in`) and says them in its reader's language. How arguments stand in
the texts of `ur_solver.common.speech` is said at the head of ``serve/page/speech.js``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from ur_solver.common.speech import texts

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
