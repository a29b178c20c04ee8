"""Make the example audit of README.md and docs/audit.md and its picture, by the program.

    python scripts/make_audit_example.py finkel docs/example.rgn

Needs Chromium (scripts/install_system_packages.sh) and, for the small picture, Pillow.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs" / "audit.md")
PICTURE = ROOT / "docs" / "img" / "audit.png"
SIZE = (900, 1400)
MARKS = ("<!-- begin example -->\n", "<!-- end example -->\n")


def ur(*arguments: str) -> str:
    command = [sys.executable, "-m", "ur_solver", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def write_example(table: str, game: str) -> None:
    output = ur("audit", table, game, "--worst", "1")
    block = f"    $ ur audit {table} {game} --worst 1\n" + "".join(
        f"    {line}".rstrip() + "\n" for line in output.splitlines()
    )
    begin, end = map(re.escape, MARKS)
    for page in PAGES:
        text = re.sub(
            f"{begin}.*{end}",
            lambda _: f"{MARKS[0]}\n{block}\n{MARKS[1]}",
            page.read_text(),
            flags=re.DOTALL,
        )
        page.write_text(text)


def draw_picture(table: str, game: str) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("chromium is not installed: scripts/install_system_packages.sh does that")
    with tempfile.TemporaryDirectory() as folder:
        report, shot = Path(folder, "report.html"), Path(folder, "shot.png")
        ur("audit", table, game, "--html", str(report))
        flags = (
            "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
            "--disable-background-networking --disable-component-update --disable-sync "
            f"--hide-scrollbars --window-size={SIZE[0]},{SIZE[1]}"
        ).split()
        subprocess.run(
            [chromium, *flags, f"--user-data-dir={folder}/profile", f"--screenshot={shot}",
             report.as_uri()],
            check=True,
            capture_output=True,
        )  # fmt: skip
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        Image.open(shot).convert("RGB").quantize(160).save(PICTURE, optimize=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write_example(*sys.argv[1:])
    draw_picture(*sys.argv[1:])
    print(f"{', '.join(map(str, PAGES))}, {PICTURE} ({PICTURE.stat().st_size:,} bytes)")
