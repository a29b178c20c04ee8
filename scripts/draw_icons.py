"""Draw the icons of published sites, from the program's own drawing, as PNG.

    python scripts/draw_icons.py

Writes icon-192.png and icon-512.png into ur_solver/publish/files, by Debian's Chromium and Pillow.
"""

from __future__ import annotations

import io
import pathlib
import shutil

from PIL import Image
from playwright.sync_api import sync_playwright

from ur_solver.rules.drawing.svg import icon_svg

FILES = pathlib.Path(__file__).resolve().parents[1] / "ur_solver" / "publish" / "files"

_COLOURS = 16
_STYLE = "body { margin: 0 } svg { display: block }"


def main() -> None:
    """Draw them."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for size in (192, 512):
            page = browser.new_page(viewport={"width": size, "height": size})
            page.set_content(
                f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{icon_svg()}"
            )
            drawn = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            drawn.quantize(_COLOURS).save(FILES / f"icon-{size}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
