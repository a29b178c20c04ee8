"""The page's own files as a site has them: the server's, and what stands in for the server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import resources

from ur_solver.common.text import json_text
from ur_solver.rules.svg import icon_svg
from ur_solver.serve.front import POLICY
from ur_solver.serve.page_files import page_files

DATA = "data/"
"""The folder of rules and values."""

_NAME = "Royal Game of Ur"
_COLOURS = {"background_color": "#fbf8f2", "theme_color": "#b0772a"}
_ICON, _SIZE = "icon.png", "512x512"

_NOT_IN_PAGES = "frame-ancestors"
"""What a page cannot say in a policy of its own."""

_FOR_PROGRAMS = ' <a href="api/v1/openapi.json">For programs</a>'
"""Where the page leads to the server's interface, which a site does not have."""


def page_contents() -> Iterator[tuple[str, bytes]]:
    """The page's files with their names, ``index.html`` first; the worker aside (`worker_file`)."""
    served = dict(page_files())
    yield "index.html", _index(served.pop("/")[0].decode()).encode()
    for path, (content, _) in served.items():
        yield path[1:], content
    own = resources.files("ur_solver.publish") / "files"
    yield "offline.js", (own / "offline.js").read_bytes()
    yield _ICON, (own / _ICON).read_bytes()
    yield "icon.svg", icon_svg().encode()
    yield "manifest.webmanifest", json_text(_manifest(), indent=1).encode()


def worker_file(version: str, kept: Sequence[str]) -> bytes:
    """The worker that keeps files, from the first visit on, for times without a network.

    `version` is another one for every change of the site.
    """
    names = ["" if name == "index.html" else name for name in kept]
    head = f"const VERSION = {json_text(version)};\nconst FILES = {json_text(names)};\n"
    body = (resources.files("ur_solver.publish") / "files" / "sw.js").read_bytes()
    return head.encode() + body


def _index(page: str) -> str:
    """The page without a server: where its data are, what it may load, how it is kept."""
    rules = [each for each in POLICY.split("; ") if not each.startswith(_NOT_IN_PAGES)]
    policy = "; ".join([*rules, "manifest-src 'self'", "worker-src 'self'"])
    head = [
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f'<meta name="ur-data" content="{DATA}">',
        '<link rel="manifest" href="manifest.webmanifest">',
        f'<link rel="apple-touch-icon" href="{_ICON}">',
    ]
    changes = {
        '<meta charset="utf-8">\n': "\n".join(['<meta charset="utf-8">', *head, ""]),
        "</head>": '<script type="module" src="offline.js"></script>\n</head>',
        _FOR_PROGRAMS: "",
    }
    for part, other in changes.items():
        if page.count(part) != 1:
            raise ValueError(f"the page has {part!r} {page.count(part)} times")
        page = page.replace(part, other)
    return page


def _manifest() -> Mapping[str, object]:
    drawn = {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}
    picture = {"src": _ICON, "sizes": _SIZE, "type": "image/png"}
    return {
        "name": _NAME,
        "short_name": "Ur",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        **_COLOURS,
        "icons": [drawn, picture, picture | {"purpose": "maskable"}],
    }
