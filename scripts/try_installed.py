"""Use an installed `ur` as a new user would, away from any checkout; fails if something does.

python scripts/try_installed.py           with the 'ur' of this Python's environment
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sysconfig
import tempfile
import time

COMMANDS = (
    ("solve", "finkel", "-n", "2", "-o", "finkel2.h5"),
    ("query", "finkel2.h5", "....__../......../....__.. L 2 2"),
    ("best", "finkel2.h5", "....__../......../....__.. L 2 2", "2"),
    ("verify", "finkel2.h5"),
)


def main() -> None:
    ur = pathlib.Path(sysconfig.get_path("scripts"), "ur")
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tables = {"UR_TABLES": str(pathlib.Path(folder, "tables"))}
        for command in COMMANDS:
            subprocess.run([ur, *command], check=True, cwd=folder, env=os.environ | tables)
    print(f"the installed program works ({time.monotonic() - began:.1f} s)")


if __name__ == "__main__":
    main()
