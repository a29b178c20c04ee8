"""How long from `ur serve --open` to the games to choose from, in a browser that runs.

    python scripts/measure_first_picture.py         by the tables of the usual folders
    python scripts/measure_first_picture.py --runs 20

The first time is from the start of the command to the first picture, a board; the second to the
games that can be chosen: Python has started, the tables are opened, and Debian's Chromium, which
Playwright drives, has loaded the page and asked for the games. The table is read
from the system's cache, as the files of the first run are.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from playwright.sync_api import sync_playwright


def seconds_to_board(browser: Any, fifo: pathlib.Path) -> tuple[float, float]:
    """From the start of the command until a board is painted, and until a game can be chosen."""
    context = browser.new_context()
    page = context.new_page()
    opener = f"sh -c 'echo \"$0\" > {fifo}' %s"  # in place of a browser: the address arrives here
    begin, began = time.perf_counter(), time.time()
    command = [sys.executable, "-m", "ur_solver", "serve", "--port", "0", "--open"]
    with subprocess.Popen(
        command, stderr=subprocess.DEVNULL, env=os.environ | {"BROWSER": opener}
    ) as server:
        address = fifo.read_text().strip()
        page.goto(address, wait_until="commit")
        page.wait_for_selector("main[aria-busy='false'] #games li")
        seconds = time.perf_counter() - begin
        painted = page.evaluate(_PAINTED) / 1000 - began
        server.terminate()
    context.close()
    return painted, seconds


_PAINTED = """
performance.timeOrigin + performance.getEntriesByName("first-contentful-paint")[0].startTime
"""
"""When the browser has painted the page for the first time, a board with it."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=10)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        fifo = pathlib.Path(folder) / "address"
        os.mkfifo(fifo)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        took = [seconds_to_board(browser, fifo) for _ in range(runs)]
        browser.close()
    load = os.getloadavg()[0]
    for what, times in zip(
        ("first picture", "games to choose"), zip(*took, strict=True), strict=True
    ):
        print(
            f"{what}: {min(times):.2f} s at best, {statistics.median(times):.2f} s half of the "
            f"time, {max(times):.2f} s at worst, of {runs} runs; load {load:.1f}"
        )


if __name__ == "__main__":
    main()
