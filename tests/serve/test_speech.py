"""What the page says: the same keys and arguments in all languages, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources

import pytest

from ur_solver.common.sayings import LANGUAGES, texts
from ur_solver.publish.page import page_contents

PLURALS = {
    "en": {"one", "other"}, "ru": {"one", "few", "many", "other"}, "fr": {"one", "other"},
    "nl": {"one", "other"}, "es": {"one", "other"},
}  # fmt: skip
"""The categories of CLDR; `many` of French and Spanish is for whole millions, which nothing here
counts."""

NO_BREAK = "\N{NO-BREAK SPACE}"
KEY = r"[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*"


def folders():
    page = resources.files("ur_solver.serve") / "page"
    return page, page / "engine", resources.files("ur_solver.publish") / "files"


@cache
def scripts() -> dict[str, str]:
    """The page's scripts without comments, by folder and name."""
    comment = re.compile(r"(?m)^\s*//[^\n]*$|(?<=[;,{} ]) // [^\n]*$|/\*[\s\S]*?\*/")
    return {
        f"{folder.name}/{file.name}": comment.sub("", file.read_text(encoding="utf-8"))
        for folder in folders()
        for file in folder.iterdir()
        if file.name.endswith(".js")
    }


def page_text() -> str:
    return (folders()[0] / "index.html").read_text(encoding="utf-8")


# Messages, read as `speech.js` reads them.


def parsed(text: str) -> list[object]:
    tokens = re.findall(r"[{}]|[^{}]+", text)
    found = read(tokens, is_inside=False)
    assert not tokens, f"a brace too many: {text}"
    return found


def read(tokens: list[str], *, is_inside: bool) -> list[object]:
    found: list[object] = []
    while tokens:
        token = tokens.pop(0)
        if token == "}":
            assert is_inside
            return found
        if token != "{":
            found.append(token)
            continue
        name, how, form = (*(each.strip() for each in tokens.pop(0).split(",")), "", "")[:3]
        forms: dict[str, list[object]] = {}
        while (token := tokens.pop(0)) != "}":
            if token == "{":
                assert form not in forms, (name, form)
                forms[form] = read(tokens, is_inside=True)
            else:
                form = token.strip()
        found.append((name, how, forms))
    assert not is_inside
    return found


def arguments(parts: list[object]) -> Iterator[tuple[str, str, dict[str, list[object]]]]:
    for part in parts:
        if isinstance(part, tuple):
            yield part
            for each in part[2].values():
                yield from arguments(each)


def always(parts: list[object]) -> Iterator[tuple[str, str, dict[str, list[object]]]]:
    """The arguments that are wanted whatever is selected."""
    for part in parts:
        if isinstance(part, tuple):
            yield part
            for form, each in part[2].items():
                if part[1] != "select" or form != "other":
                    yield from always(each)


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_keys_in_order(language):
    assert list(texts(language)) == sorted(texts("en"))
    assert all(texts(language).values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_arguments_and_forms(language):
    english = {key: list(arguments(parsed(text))) for key, text in texts("en").items()}
    known = {
        form
        for each in english.values()
        for _, how, forms in each
        if how == "select"
        for form in forms
    }
    known |= {form for each in PLURALS.values() for form in each}
    for key, text in texts(language).items():
        found = list(arguments(parsed(text)))
        assert {name for name, _, _ in found} == {name for name, _, _ in english[key]}, key
        for name, how, forms in found:
            assert re.fullmatch(r"[a-z]+", name), key
            assert how in {"", "plural", "select", "percent", "and", "or"}, key
            if how == "plural":
                assert PLURALS[language] <= set(forms) <= PLURALS[language] | {"many"}, key
            elif how == "select":
                assert "other" in forms, key
                assert set(forms) <= known, key
            else:
                assert not forms, key
            same = [set(each) for own, what, each in english[key] if (own, what) == (name, how)]
            if how == "select" and same and not set(forms) <= known - set(PLURALS["ru"]):
                continue  # by the plural of a number that is written already
            if how == "select" and same:
                assert set(forms) in same, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_spaces(language):
    for key, text in texts(language).items():
        assert not re.search(r"[\d}] %", text), key
        assert "  " not in text, key
        if language == "fr":
            assert not re.search(r"(?<=[^\W\d_}]) [:;!?»]|« | »|[^\W_][;!?](?=\s|$)", text), key


# Where they are said.

SAID = re.compile(
    rf'\b(?:say|parts)\(\s*"({KEY})"|\[\s*"([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+)"(?=\]|, \{{)'
)
"""A key that is said; or that is kept with its arguments, for whoever shows it."""


def used_keys() -> set[str]:
    """The keys that something names: scripts, the page, and Python, which makes texts as data."""
    found = set(re.findall(rf'data-say(?:-[\w-]+)?="({KEY})"', page_text()))
    sources = [*scripts().values()]
    for path in resources.files("ur_solver").rglob("*.py"):
        sources.append(path.read_text(encoding="utf-8"))
    for text in sources:
        found |= set(re.findall(rf'["\'`]({KEY})["\'`]', text))
        heads = tuple(re.findall(rf'[`"]({KEY}\.)\$?\{{', text))
        if heads:
            found |= {key for key in texts("en") if key.startswith(heads)}
    return found


def test_no_key_is_unused():
    assert not set(texts("en")) - used_keys()


def test_what_is_said_is_known():
    keys = {key for key, _ in calls()}
    keys |= set(re.findall(rf'data-say(?:-[\w-]+)?="({KEY})"', page_text()))
    assert not keys - set(texts("en"))


def calls() -> Iterator[tuple[str, set[str] | None]]:
    """The keys that scripts say, with the names of the arguments where these can be read."""
    for text in scripts().values():
        for found in SAID.finditer(text):
            key, rest = found[1] or found[2], text[found.end() :].lstrip()
            if rest.startswith((")", "]")):
                yield key, set()
            elif rest.startswith(", {"):
                yield key, names_of(rest[2:])
            else:
                yield key, None


def names_of(text: str) -> set[str] | None:
    """The names of an object that a script writes; None if it takes others in."""
    depth, field, fields = 0, "", []
    for letter in re.sub(r'"[^"]*"|`[^`]*`', "0", text):
        if letter in "{([":
            depth += 1
        if letter in "})]":
            depth -= 1
        if not depth or (depth == 1 and letter == ","):
            fields.append(field)
            field = ""
            if not depth:
                break
        elif depth > 1 or letter != "{":
            field += letter
    if any("..." in each for each in fields):
        return None
    return {each.partition(":")[0].strip() for each in fields} - {""}


def test_arguments_that_scripts_give():
    for key, given in calls():
        if given is not None and key in texts("en"):
            parts = parsed(texts("en")[key])
            wanted = {name for name, _, _ in arguments(parts)}
            assert {name for name, _, _ in always(parts)} <= given <= wanted, key


# Sentences beside the files.

_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
_PROSE = re.compile(
    r"[A-Za-z]{2,},? [a-z]{2,} [a-z]{2,}|[A-Za-z]{3,} [a-z]{2,}[.:?!]$|^[A-Z][a-z]+[.!?:]?$"
)
_NO_PROSE = {  # names of keys, headers and notations
    "Content-Type", "Content-Length", "Retry-After", "Enter", "Home", "End", "Files", "Light",
    "Dark",
    # in what audits write, as the program does
    "lost on time", "not finished, light has 0",
}  # fmt: skip
_FOR_PROGRAMS = {
    # what programs write is refused to their authors, in English; a service worker has no reader
    "page/royalur.js", "files/sw.js",
}  # fmt: skip


def test_no_sentence_is_left_in_a_script():
    left = [
        (name, text)
        for name, script in scripts().items()
        if name not in _FOR_PROGRAMS
        for quoted, template in _TEXT.findall(script.replace("'\"'", '""'))
        for text in [re.sub(r"\$\{[^}]*\}", "0", quoted or template)]
        if _PROSE.search(text) and text not in _NO_PROSE
    ]
    assert not left


def test_no_sentence_is_left_in_the_page():
    body = page_text().partition("<body")[2]
    body = re.sub(r'<option value="\w\w" lang="\w\w">\w+</option>', "", body)
    assert not re.findall(
        r">\s*[^<>]*?([A-Za-z]{2,}[^<>]*)<", re.sub(r"<dt>[^<]*</dt>|<!--.*?-->", "", body)
    )
    assert not re.findall(r'\s(?:title|aria-label|placeholder|alt)="([^"]*)"', body)


def test_a_kept_site_has_its_name_in_all_languages():
    manifest = json.loads(page_contents()["manifest.webmanifest"])
    names = {manifest["lang"]: manifest["name"], **manifest["name_localized"]}
    assert names == {language: texts(language)["head.name"] for language in LANGUAGES}
    assert len({*names.values()}) == len(LANGUAGES)
