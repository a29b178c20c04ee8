"""What the program says in several languages: a file a language, all with the same keys.

A file of ``languages/`` is JSON, a text a key. How arguments and plurals are written in a text is
said at the head of ``serve/page/speech.js``, which writes them.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping
from functools import cache

LANGUAGES = ("en", "ru", "fr", "nl", "es")
"""The languages, by ISO 639-1."""


@cache
def texts(language: str) -> Mapping[str, str]:
    """The texts of a language, by key."""
    file = pathlib.Path(__file__).with_name("languages") / f"{language}.json"
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found
