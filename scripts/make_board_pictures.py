"""Take the pictures of the board in the browser that the documentation shows.

    python scripts/make_board_pictures.py           needs Chromium, and solves finkel:4

The first screen, a game that is played, and docs/example.rgn at one of its blunders.
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
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox"]
            )
            for scheme in ("light", "dark"):
                for width, height in HEIGHTS.items():
                    page = opened(browser, address, (width, height), scheme)
                    show_mistake(page)
                    take(page, f"board-{width}-{scheme}")
            page = opened(browser, address, PHONE, "light")
            take(page, "start-360-light")
            play(page)
            take(page, "play-360-light")
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


def play(page: Any) -> None:
    """Play the first game until there are two pieces to choose from."""
    page.click("#hero-card .main")
    for _ in range(40):
        page.wait_for_selector("#throw[aria-disabled=false]")
        page.click("#throw")
        page.wait_for_selector("main[aria-busy=false]")
        if page.locator("#moves button").count() > 1 and page.locator("#turns .turn").count() > 6:
            return
        page.focus("#board")
        page.keyboard.press("Enter")
        page.wait_for_selector("main[aria-busy=false]")


def take(page: Any, name: str) -> None:
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    path = PICTURES / f"{name}.png"
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)


if __name__ == "__main__":
    main()
