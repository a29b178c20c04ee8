"""Draw the icon of published sites, from the program's own drawing, as PNG.

    python scripts/draw_icon.py

Writes icon.png into ur_solver/publish/files, by Debian's Chromium and Pillow.
"""

from __future__ import annotations

import io
import pathlib
import sys

from PIL import Image
from playwright.sync_api import sync_playwright

from ur_solver.rules.svg import icon_svg

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the tests are not installed

from tests.serve.browser import CHROMIUM

FILE = pathlib.Path(__file__).resolve().parents[1] / "ur_solver/publish/files/icon.png"

_SIZE, _COLOURS = 512, 8
_STYLE = "body { margin: 0 } svg { display: block }"


def main() -> None:
    """Draw it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": _SIZE, "height": _SIZE})
        page.set_content(f"<style>{_STYLE}</style>{icon_svg()}")
        drawn = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        drawn.quantize(_COLOURS).save(FILE, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
