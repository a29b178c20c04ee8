"""Hostile requests to `ur serve`: strange addresses, hosts, sites, methods, positions and bodies.

Each is answered by a whole answer, or refused with a 4xx status and one sentence.
"""

from __future__ import annotations

import functools
import json
import math
import pathlib
import random
from typing import Any
from unittest import mock
from urllib.parse import quote

from tests.faults.strangers import corpus
from tests.faults.tally import Tally
from tests.serve.asking import LOCAL, Asker
from ur_solver.api.table import Table
from ur_solver.serve.app import make_app

_BODY_SECONDS = 0.05
_HOSTS = (
    "localhost",
    "127.0.0.1:1",
    "evil.example",
    "",
    "[::1",
    "localhost.evil",
    "a b",
    "x" * 300,
)
_SITES = ("none", "same-origin", "same-site", "cross-site", "nonsense")
_ORIGINS = ("http://localhost", "http://evil.example", "null", "nonsense")
_METHODS = ("GET", "HEAD", "POST", "PUT", "OPTIONS", "x")
_SPLICES = ("..", "%2e%2e%2f", "%00", "\0", "//", "?", "#", "{table}", "'", "é", "%ff", "9" * 40)
_EMPTY: list[Any] = []
_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 10**400, 1e308, math.nan, -math.inf, "", "\ud800", "\udfff\ud800\0\u202e"),
    *([], {}, [[]], ["\ud800"], {"\ud800": "\ud800"}, [None, [10**30], "A@A4"], "x" * 100_000),
    [[None, [10**400], None]],
    [["\ud800", [2], "\ud800"]],
    functools.reduce(lambda deep, _: [deep], range(500), _EMPTY),
)
_ENCODINGS = (*("utf-8",) * 8, "utf-8-sig", "utf-16", "utf-16-le", "latin-1")
_GAME = "rules: finkel:3\nLight: \ud800\nDark: \u202e\x1b[31m\n\nL 2 A@A3\nD 1 C@C4\n"
_ENDS = ("position", "positions", "values", "data", "audit", "report", "convert", "nothing")


def requests(path: pathlib.Path, times: int, seed: int) -> Tally:
    """Requests to a server of one table, each drawn from what a stranger may try."""
    tally = Tally("requests to `ur serve`")
    rng = random.Random(seed)
    seconds = mock.patch("ur_solver.serve.app.BODY_SECONDS", _BODY_SECONDS)
    with Table(path) as table, seconds:
        name = "table"
        asker = Asker(make_app({name: table}))
        texts = [table.space.unrank(k).notation for k in range(0, table.space.n_positions, 997)]
        for number in range(times):
            sent = _drawn(rng, name, texts)
            case = f"request {number} of seed {seed}: {sent!r:.300}"
            try:
                reply = asker.ask(*sent)
                if reply.status < 400:
                    tally.count(survived=reply.status in (200, 304), case=case)
                else:
                    is_head = sent[0] == "HEAD"
                    tally.count(detected=bool(is_head or reply.sentence), case=case)
            except Exception as error:
                tally.count(case=f"{case}: {error!r:.200}")
        asker.close()
    return tally


def _drawn(
    rng: random.Random, name: str, texts: list[str]
) -> tuple[str, str, list[tuple[str, str]], list[bytes], bool]:
    """Method, address, headers and body of a request, and whether its body never ends."""
    position = _mutated(rng, rng.choice(texts))
    end = rng.choice(_ENDS)
    address = _mutated(rng, f"/api/v1/tables/{name}/{end}", share=0.2)
    if end == "position":
        address += f"?position={quote(position.encode('utf-8', 'replace'), safe='')}"
        if rng.random() < 0.3:
            address += rng.choice(("&drawing=light", "&x=1", "&position=1"))
    values: dict[str, Any] = {
        "positions": [position, rng.choice(texts), rng.choice((None, 1, [], "x" * 1000))],
        "states": [
            [rng.randrange(3) for _ in range(rng.choice((0, 21, 22, 22, 23)))] for _ in "ab"
        ],
        "text": _mutated(rng, rng.choice((f"{_GAME}end: {position}", *_games()))),
        "notation": rng.choice(("ur", "rgn", "json", position)),
    }
    wanted = {
        "positions": ["positions"],
        "values": ["states"],
        "convert": ["text", "notation"],
    }.get(end, ["text"])
    if rng.random() < 0.2:
        values[rng.choice(wanted)] = rng.choice(_VALUES)
    body = json.dumps({key: values[key] for key in wanted}).encode(rng.choice(_ENCODINGS))
    if rng.random() < 0.3:
        at = rng.randrange(len(body))
        body = body[:at] + rng.randbytes(rng.randrange(4)) + body[at + rng.randrange(9) :]
    if rng.random() < 0.01:
        body *= 1 + (2 << 20) // len(body)
    headers = list((LOCAL | {"content-type": "application/json"}).items())
    if rng.random() < 0.3:
        headers[0] = ("host", rng.choice(_HOSTS))
    if rng.random() < 0.2:
        headers.append(("sec-fetch-site", rng.choice(_SITES)))
    if rng.random() < 0.2:
        headers.append(("origin", rng.choice(_ORIGINS)))
    is_post = end not in ("position", "data", "nothing")
    method = rng.choice(_METHODS) if rng.random() < 0.1 else "POST" if is_post else "GET"
    return method, address, headers, [body], rng.random() < 0.02


@functools.cache
def _games() -> list[str]:
    """Games of a corpus, some with names that are not text."""
    found = [content.decode() for kind in ("rgn", "json", "plain") for content in corpus(kind)]
    named = [text.replace('"metadata":{', '"metadata":{"Light":"\\ud800",') for text in found]
    return found + named


def _mutated(rng: random.Random, text: str, share: float = 0.6) -> str:
    """A text, often with something cut out of it, doubled or put into it."""
    if rng.random() > share:
        return text
    begin = rng.randrange(len(text))
    end = min(len(text), begin + rng.randrange(6))
    put = rng.choice((*_SPLICES, text[begin:end] * 2, rng.choice(text), ""))
    return text[:begin] + put + text[end:]
