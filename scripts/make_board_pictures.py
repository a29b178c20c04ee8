"""Take the pictures of the board in the browser that the documentation shows.

    python scripts/make_board_pictures.py           needs Chromium, and solves finkel:4

The game is docs/example.rgn, at one of its blunders.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "img"
HEIGHTS = {1280: 900, 360: 1500}


def main() -> None:
    """Take them."""
    command = [sys.executable, "-m", "ur_solver", "serve", "finkel:4", "--port", "0"]
    game = (ROOT / "docs" / "example.rgn").read_text()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stderr
        lines = iter(server.stderr.readline, "")
        address = next(line for line in lines if "http:" in line).split()[1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            for scheme in ("light", "dark"):
                for width, height in HEIGHTS.items():
                    page = browser.new_page(
                        viewport={"width": width, "height": height},
                        color_scheme=scheme,
                        reduced_motion="reduce",
                    )
                    page.goto(address)
                    page.wait_for_selector("main[aria-busy=false] #board svg")
                    page.click("#open")
                    page.fill("#text", game)
                    page.click("#read")
                    page.wait_for_selector("#open-dialog", state="hidden")
                    page.focus("#board")
                    for _ in range(2):
                        page.keyboard.press("b")
                        page.wait_for_selector("main[aria-busy=false]")
                    page.wait_for_selector("#board .arrow.played")
                    page.evaluate("document.activeElement.blur()")
                    path = PICTURES / f"board-{width}-{scheme}.png"
                    page.screenshot(path=path)
                    Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)
            browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
