"""The files of the board's page, by address, for a server and for a site."""

from __future__ import annotations

import base64
import hashlib
import html
import posixpath
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from urllib.parse import quote

from ur_solver.common.sayings import LANGUAGES, texts
from ur_solver.common.text import dumped, json_text
from ur_solver.rules import named_rules
from ur_solver.rules.contents import DARK
from ur_solver.rules.svg import board_svg, icon_svg, picture_style, rosette_svg, style_sheet

_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
}
"""Types by suffix, written out: some systems have others for these in their registry."""

Files = Mapping[str, tuple[bytes, str]]
"""Content and type of files, by address."""

_IDLE = re.compile(rb"(?m)^[ \t]*(?:(?://.*|/\*[^*]*(?:\*(?!/)[^*]*)*\*/[ \t]*)?\n)?")
"""What only readers need of scripts and styles: comments on lines of their own, indentation."""


_IN_SCRIPTS = re.compile(
    r" (?=[=(){},:;?<>&|*!])|(?<=[=(){},:;?<>&|*!]) "
    r"|(?<=[\w)\]]) (?=[-+] [\w(\[])|(?<=[\w)\]] [-+]) (?=[\w(\[])"
)
_IN_STYLES = re.compile(r"(?<=[:,;{]) | (?=[{}])")
"""Space that says nothing."""

_GUARD = ("guard.again", "guard.fault", "page.retry")
"""What `guard.js` says, also where no language file has come."""

_TEXT = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{[^`}]*\})*`)"""
)
"""A text; in backticks, what stands in braces may have quotation marks, but no other text in
backticks."""
_UNCLEAR = re.compile("[\"'`/]")
"""What is left of a line, its texts aside, where it may be a regular expression or a comment."""


@lru_cache(maxsize=1)
def page_files() -> Files:
    """The page's files, read once."""
    folder = resources.files("ur_solver.serve") / "page"
    files = {
        f"/{prefix}{file.name}": file.read_bytes()
        for prefix, each in (("", folder), ("engine/", folder / "engine"))
        for file in sorted(each.iterdir(), key=lambda each: each.name)
        if file.name.rpartition(".")[2] in _TYPES
    }
    page = _in_english(files.pop("/index.html")).replace(b"<!-- board -->", _first_board())
    page = page.replace(b"<!-- rosette -->", rosette_svg().encode())
    page = page.replace(
        b"<!-- icon -->", f"data:image/svg+xml,{quote(icon_svg().strip())}".encode()
    )
    choose = without_idle(files.pop("/choose.js"))
    said = {language: {key: texts(language)[key] for key in _GUARD} for language in LANGUAGES}
    files["/guard.js"] = files["/guard.js"].replace(b"/* words */ {}", dumped(said))
    files["/style.css"] = style_sheet("page").encode() + files["/style.css"]
    files["/board.css"] = style_sheet("board").encode()
    files["/picture.css"] = picture_style().encode()
    for path in files.keys() - {"/"}:
        files[path] = without_idle(files[path], is_style=path.endswith(".css"))
    for language in LANGUAGES:
        files[f"/languages/{language}.js"] = _module(texts(language))
    page = page.replace(
        b"<!-- language -->", b"%b\n<script>%b</script>" % (_digests(files), choose)
    )
    page = page.replace(b"<!-- modules -->", _preloads(files))
    files["/"] = with_integrity(page, files)
    kinds = {path: _TYPES[path.rpartition(".")[2] if "." in path else "html"] for path in files}
    return {path: (content, kinds[path]) for path, content in files.items()}


def integrity_of(content: bytes) -> str:
    """The digest of a file, in the form in which browsers check it: of SHA-256."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}"


def with_integrity(page: bytes, files: Mapping[str, bytes]) -> bytes:
    """A page with the digest of each script and style sheet that it runs: no other ones do."""

    def with_digest(found: re.Match[bytes]) -> bytes:
        digest = integrity_of(files[f"/{found[2].decode()}"])
        return b'%b integrity="%b"' % (found[0], digest.encode())

    return re.sub(rb'(src|rel="(?:stylesheet|modulepreload)" href)="([\w./]+)"', with_digest, page)


def _module(values: Mapping[str, str]) -> bytes:
    """Texts as a script, as scripts are what a browser checks and finds in time."""
    return b"export default %b;\n" % dumped(values)


_SAYS = re.compile(r'data-say(?:-([\w-]+))?="([\w.-]+)"')
_EMPTY = re.compile(r'(<[^>]*data-say="([\w.-]+)"[^>]*>)(?=</)')


def _in_english(page: bytes) -> bytes:
    """The page with its English texts, which a reader has before any script."""
    english = texts("en")

    def attribute(found: re.Match[str]) -> str:
        return f'{found[0]} {found[1]}="{html.escape(english[found[2]])}"' if found[1] else found[0]

    said = _SAYS.sub(attribute, page.decode())
    said = _EMPTY.sub(lambda found: found[1] + html.escape(english[found[2]]), said)
    lines = [
        f'<p lang="{each}">{html.escape(texts(each)["page.noscript"])}</p>' for each in LANGUAGES
    ]
    return said.replace("<!-- noscript -->", "".join(lines)).encode()


def _digests(files: Mapping[str, bytes]) -> bytes:
    """The digests of all modules, also of those that the browser finds by itself."""
    digests = {f".{path}": integrity_of(text) for path, text in files.items() if path[-3:] == ".js"}
    return b'<script type="importmap">%b</script>' % json_text({"integrity": digests}).encode()


def inline_digests() -> list[str]:
    """The digests of the scripts that are in the page's own text."""
    scripts = re.findall(rb"<script[^>]*>([^<]+)</script>", page_files()["/"][0])
    return [integrity_of(script) for script in scripts]


def without_idle(content: bytes, *, is_style: bool = False) -> bytes:
    """A script, or a style sheet, without what only readers need."""
    return drawn_together(_IDLE.sub(b"", content), is_style=is_style)


def drawn_together(content: bytes, *, is_style: bool = False) -> bytes:
    """A script, or a style sheet, without idle space, which is a twelfth; lines stay lines."""
    space = _IN_STYLES if is_style else _IN_SCRIPTS
    lines = []
    for line in content.decode().split("\n"):
        parts = _TEXT.split(line)
        if not any(map(_UNCLEAR.search, parts[::2])):
            parts[::2] = [space.sub("", each) for each in parts[::2]]
        lines.append("".join(parts))
    return "\n".join(lines).encode()


def _preloads(files: Mapping[str, bytes]) -> bytes:
    """Links to the modules that the page loads: a browser would find one after the other."""
    found = ["main.js", "engine/answers.js"]  # the second by an `import()`
    for name in found:
        imports = re.findall(rb'\bfrom ?"(\.[\w./]+)";', files[f"/{name}"])
        paths = [
            posixpath.normpath(f"{posixpath.dirname(name)}/{each.decode()}") for each in imports
        ]
        found += [each for path in paths if (each := path.lstrip("/")) not in found]
    return "\n".join(f'<link rel="modulepreload" href="{name}">' for name in found[1:]).encode()


def _first_board() -> bytes:
    """The start of the first game, as a picture that is there before any script.

    Squares and what is carved into several of them are written once: the picture is half of the
    page's text.
    """
    drawn = str(board_svg(named_rules("finkel").start(), view=DARK))  # one's own pieces are near
    drawn = re.sub(' (data-square|data-side|aria-hidden)="[^"]*"', "", drawn)
    parts = re.findall('(<(?:path|rect) class="([^"]+)"[^>]*/>)', drawn)
    for number, (part, css) in enumerate(dict.fromkeys(parts)):
        if drawn.count(part) > 1:
            named = part.replace(" ", f' id="part-{number}" ', 1)
            again = f'<use class="{css}" href="#part-{number}"/>'
            before, after = drawn.split(part, 1)
            drawn = before + named + after.replace(part, again)
    return drawn.encode()
