"""Take the pictures of the board in the browser that the documentation shows.

    python scripts/make_board_pictures.py           needs Chromium, and solves finkel:4

The first screen, games that are played in five languages, one that somebody learns by, and
docs/example.rgn at one of its blunders.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
from contextlib import ExitStack
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.serve.browser import CHROMIUM  # noqa: E402 - the tests' browser

PICTURES = ROOT / "docs" / "img"
HEIGHTS = {1280: 900, 360: 1500}
PHONE = (360, 740)
READERS = {"ru": "skiriuk:7", "fr": "ben:7", "nl": "conventional:5", "es": "bell-stakes:7"}
"""Games by the language of the document that they come from."""
DICE = """
  localStorage["ur-options"] = '{"pace": "fast"}';
  let state = 7;
  crypto.getRandomValues = (numbers) => {
    for (let k = 0; k < numbers.length; k++) {
      state = (1664525 * state + 1013904223) >>> 0;
      numbers[k] = state;
    }
    return numbers;
  };
"""
"""The same dice for every picture, and nothing to wait for."""


def main() -> None:
    """Take them."""
    command = [sys.executable, "-m", "ur_solver", "serve", "finkel:4", "--port", "0"]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as server,
        ExitStack() as stack,
    ):
        stack.callback(server.terminate)  # also after an error
        assert server.stderr
        lines = iter(server.stderr.readline, "")
        address = next(line for line in lines if "http:" in line).split()[1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for scheme in ("light", "dark"):
                for width, height in HEIGHTS.items():
                    page = opened(browser, address, (width, height), scheme)
                    show_mistake(page)
                    take(page, f"board-{width}-{scheme}")
            page = opened(browser, address, PHONE, "light")
            take(page, "start-360-light")
            page.click("#hero-card .main")
            play(page)
            take(page, "play-360-light")
            for language, rules in READERS.items():
                page = opened(browser, f"{address}?language={language}", PHONE, "light")
                page.goto(f"{page.url}#rules={rules}&values=no&dark=random")
                play(page)
                take(page, f"play-360-{language}")
            page = opened(browser, address, PHONE, "light")
            page.click("#learn-now")
            play(page, "A capture")
            take(page, "learn-360-light")
            browser.close()


def opened(browser: Any, address: str, size: tuple[int, int], scheme: str) -> Any:
    """The first screen of a window."""
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    page.add_init_script(DICE)
    page.goto(address)
    page.wait_for_selector("main[aria-busy=false] #games li")
    return page


def show_mistake(page: Any) -> None:
    """Open the example, and go to its second blunder."""
    page.click("#menu")
    page.click("#open")
    page.fill("#text", (ROOT / "docs" / "example.rgn").read_text())
    page.click("#read")
    page.wait_for_selector("#open-dialog", state="hidden")
    page.focus("#board")
    for _ in range(2):
        page.keyboard.press("b")
        page.wait_for_selector("main[aria-busy=false]")
    page.wait_for_selector("#board .arrow.played")


def play(page: Any, lesson: str = "") -> None:
    """Play until there are two pieces to choose from, later one, or until something is learnt."""
    presses = ["#go-on", "#throw[aria-disabled=false]", "#options .main", "#options button"]
    for _ in range(80):
        page.wait_for_selector("main[aria-busy=false]")
        moves, turns = page.locator("#moves button"), page.locator("#turns .turn")
        is_there = turns.count() > 6 and moves.count() > (turns.count() < 20)
        if lesson in page.inner_text("#lesson") if lesson else is_there:
            return
        for each in (*presses, "#moves button", "#board .movable, #board .target"):
            if page.locator(f"{each}:visible").count():
                page.locator(f"{each}:visible").first.click()
                break
        else:
            page.wait_for_timeout(100)
    raise RuntimeError(f"nothing to show in {page.url}")


def take(page: Any, name: str) -> None:
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    path = PICTURES / f"{name}.png"
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(
        path, optimize=True
    )


if __name__ == "__main__":
    main()
