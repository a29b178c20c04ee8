"""Draw docs/img/audit.png, the report of the example in docs/audit.md.

    python scripts/draw_audit_example.py docs/example.rgn

Needs Chromium (scripts/install_system_packages.sh) and, for the small picture, Pillow.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the tests are not installed

from tests.serve.browser import CHROMIUM  # noqa: E402

PICTURE = ROOT / "docs" / "img" / "audit.png"
SIZE = (900, 1600)


def ur(*arguments: str) -> str:
    command = [sys.executable, "-m", "ur_solver", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def draw_picture(game: str) -> None:
    if CHROMIUM is None:
        sys.exit("chromium is not installed: scripts/install_system_packages.sh does that")
    with tempfile.TemporaryDirectory() as folder:
        report, shot = Path(folder, "report.html"), Path(folder, "shot.png")
        ur("audit", game, "--html", str(report))
        flags = (
            "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
            "--disable-background-networking --disable-component-update --disable-sync "
            f"--hide-scrollbars --window-size={SIZE[0]},{SIZE[1]}"
        ).split()
        subprocess.run(
            [CHROMIUM, *flags, f"--user-data-dir={folder}/profile", f"--screenshot={shot}",
             report.as_uri()],
            check=True,
            capture_output=True,
        )  # fmt: skip
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        Image.open(shot).convert("RGB").quantize(160).save(PICTURE, optimize=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    draw_picture(sys.argv[1])
    print(f"{PICTURE} ({PICTURE.stat().st_size:,} bytes)")
