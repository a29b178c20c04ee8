"""The page's own files as a site has them: the server's, and what stands in for the server."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

from ur_solver.common.sayings import LANGUAGES, texts
from ur_solver.common.text import json_text
from ur_solver.rules.svg import day_colours, icon_svg
from ur_solver.serve.front import POLICY
from ur_solver.serve.page_files import page_files, with_integrity, without_idle

DATA = "data/"
"""The folder of rules and values."""

_ICON, _SIZE = "icon.png", "512x512"

_NOT_IN_PAGES = "frame-ancestors"
"""What a page cannot say in a policy of its own."""

_FOR_PROGRAMS = ' <a href="api/v1/openapi.json" data-say="page.programs">For programs</a>'
"""Where the page leads to the server's interface, which a site does not have."""


@lru_cache(maxsize=1)
def page_contents() -> Mapping[str, bytes]:
    """The page's files by name, but `index_page` and `worker_file`, which depend on all others."""
    served = {path[1:]: content for path, (content, _) in page_files().items() if path != "/"}
    own = resources.files("ur_solver.publish") / "files"
    return served | {
        "offline.js": without_idle((own / "offline.js").read_bytes()),
        _ICON: (own / _ICON).read_bytes(),
        "icon.svg": icon_svg().encode(),
        "manifest.webmanifest": json_text(_manifest(), indent=1).encode(),
    }


def worker_file(version: str, page: Mapping[str, str]) -> bytes:
    """The worker that keeps files for times without a network.

    `page` has the digests of what the page needs always, by name.
    """
    files = {"" if name == "index.html" else name: digest for name, digest in page.items()}
    head = f"const VERSION = {json_text(version)};\nconst PAGE = {json_text(files)};\n"
    body = (resources.files("ur_solver.publish") / "files" / "sw.js").read_bytes()
    return head.encode() + without_idle(body)


def index_page(version: str, index: str) -> bytes:
    """The page without a server: where its data are, what it may load, how it is kept.

    `version` is another one for every change of the site; `index` is the digest of the data's own
    index, which has those of all other files.
    """
    rules = [each for each in POLICY.split("; ") if not each.startswith(_NOT_IN_PAGES)]
    policy = "; ".join([*rules, "manifest-src 'self'", "worker-src 'self'"])
    head = [
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f'<meta name="ur-data" content="{DATA}" data-version="{version}" data-index="{index}">',
        '<link rel="manifest" href="manifest.webmanifest">',
        f'<link rel="apple-touch-icon" href="{_ICON}">',
    ]
    changes = {
        '<meta charset="utf-8">\n': "\n".join(['<meta charset="utf-8">', *head, ""]),
        "</head>": f"{_own_script()}\n</head>",
        _FOR_PROGRAMS: "",
    }
    page = page_files()["/"][0].decode()
    for part, other in changes.items():
        if page.count(part) != 1:
            raise ValueError(f"the page has {part!r} {page.count(part)} times")
        page = page.replace(part, other)
    return page.encode()


def _own_script() -> str:
    """What a site's page has besides that of a server."""
    script = b'<script type="module" src="offline.js"></script>'
    return with_integrity(script, {"/offline.js": page_contents()["offline.js"]}).decode()


def _manifest() -> Mapping[str, object]:
    names = {language: texts(language)["head.name"] for language in LANGUAGES}
    drawn = {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}
    colours = day_colours("page")
    picture = {"src": _ICON, "sizes": _SIZE, "type": "image/png"}
    return {
        "lang": "en",
        "name": names.pop("en"),
        "name_localized": names,
        "short_name": "Ur",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": colours["page"],
        "theme_color": colours["accent"],
        "icons": [drawn, picture, picture | {"purpose": "maskable"}],
    }
