"""How fast a published site is on a slow phone: its first picture, and a move of the computer.

    ur publish site
    python scripts/measure_site.py site

The phone is Debian's Chromium, driven by Playwright, made four times slower and given 1.6 Mbit/s
with 150 ms to an answer. The site lies under a path of Python's server of files, which compresses
nothing; with --gzip it compresses texts, as GitHub Pages does. Nothing is in the browser's cache.

The first picture is the browser's first contentful paint; then games can be chosen. A move of the
computer is the answer to a position: the values of all moves of all throws, from which it chooses.
The positions are those of a game of every estimator, along its best moves, on the slow processor.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import json
import os
import pathlib
import statistics
import sys
import threading
from typing import Any

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the tests are not installed

from tests.serve.browser import CHROMIUM

_SLOWER = 4
_NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 0.75e6 / 8,
}
_TURNS = 40

_CARD = "#hero-card button"
_PAINTED = 'performance.getEntriesByName("first-contentful-paint")[0].startTime'

_MOVES = """
async ([name, turns]) => {
  const { Source } = await import("./api.js");
  const source = new Source(`tables/${name}`);
  let text = (await source.about()).start;
  const took = [];
  for (let turn = 0; turn < turns; turn++) {
    const began = performance.now();
    const answer = await source.position(text, "light");
    took.push(performance.now() - began);
    if (answer.winner) break;
    const throws = answer.throws.filter((each) => each.moves.length);
    text = throws.length ? throws[turn % throws.length].moves[0].position : answer.after_pass;
  }
  return took;
}
"""


class _Files(http.server.SimpleHTTPRequestHandler):
    """Files, texts compressed if it is asked for."""

    is_compressed = False

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer a request."""
        path = pathlib.Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not self.is_compressed or path.suffix not in {".html", ".js", ".css", ".json"}:
            super().do_GET()
            return
        content = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def phone(browser: Any, is_slow_network: bool) -> Any:
    """A page on a slow phone."""
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    control = context.new_cdp_session(page)
    control.send("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
    if is_slow_network:
        control.send("Network.enable")
        control.send("Network.emulateNetworkConditions", _NETWORK)
    return page


def first_picture(browser: Any, address: str) -> tuple[float, float]:
    """Seconds to the first picture, and until a game can be chosen."""
    page = phone(browser, is_slow_network=True)
    page.goto(address)
    page.wait_for_selector(_CARD, timeout=60_000)
    picture = page.evaluate(_PAINTED) / 1000
    ready = page.evaluate("performance.now()") / 1000
    page.context.close()
    return picture, ready


def moves(browser: Any, address: str, names: list[str]) -> None:
    """Print how long answers to positions take."""
    page = phone(browser, is_slow_network=False)
    page.goto(address)
    page.wait_for_selector(_CARD, timeout=60_000)
    for name in names:
        took = page.evaluate(_MOVES, [name, _TURNS])[1:]  # the first one loads its files
        print(
            f"{name}: {statistics.median(took):.0f} ms half of the time, {max(took):.0f} ms at "
            f"worst, of {len(took)} positions"
        )
    page.context.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--gzip", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.site.resolve()
    _Files.is_compressed = arguments.gzip
    handler = functools.partial(_Files, directory=str(folder.parent))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/{folder.name}/"
    index = json.loads((folder / "data" / "index.json").read_text())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        times = zip(*[first_picture(browser, address) for _ in range(arguments.runs)], strict=True)
        for what, took in zip(("first picture", "games to choose from"), times, strict=True):
            print(
                f"{what}: {min(took):.2f} s at best, {statistics.median(took):.2f} s half of the "
                f"time, {max(took):.2f} s at worst, of {arguments.runs} runs"
            )
        moves(browser, address, [each["id"] for each in index["tables"]])
        browser.close()
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
