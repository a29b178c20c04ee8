"""Draw rule sets of every family at random, and take each of them all the way.

    python scripts/random_rules.py --count 500      minutes
    python scripts/random_rules.py --family ben --seed 7 --only 31

A rule set is refused in one sentence, or it is solved, described, opened, played, audited and
published without a fault; values are compared with those of the readable rules, the answers of the
published site, which Node asks the page's engine for, with those of Python. The exit code is 1 if
anything failed.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import random
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the tests are not installed

from tests.random_rules import OWN_FAMILIES, Case, check_site, drawn_rules, tried  # noqa: E402

_SITE = 25
"""The tables of a site."""


def main(arguments: list[str] | None = None) -> int:
    """Try them; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="rule sets of each family")
    parser.add_argument("--family", choices=OWN_FAMILIES, action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of the one to try")
    given = parser.parse_args(arguments)
    n_failed = 0
    for family in given.family or OWN_FAMILIES:
        numbers = range(given.count) if given.only is None else [given.only]
        n_failed += run(family, given.seed, numbers)
    return int(n_failed > 0)


def run(family: str, seed: int, numbers: range | list[int]) -> int:
    """Try rule sets of a family by their numbers; how many failed."""
    begin, failed, refused = time.monotonic(), 0, collections.Counter[str]()
    n_solved, waiting = 0, list[Case]()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number in numbers:
            rng = random.Random(f"{family} {seed} {number}")
            drawn = drawn_rules(family, rng)
            own = folder / str(number)
            own.mkdir()
            try:
                case = tried(drawn, own, rng)
            except Exception:
                failed += 1
                print(f"\nFAILED {family} {seed} {number}\n{traceback.format_exc()}", flush=True)
                continue
            if case.refusal is None:
                n_solved += 1
                waiting.append(case)
            else:
                refused[case.refusal] += 1
            if len(waiting) == _SITE or (waiting and number == numbers[-1]):
                failed += published(waiting, own)
                waiting = []
    print(
        f"{family}: {len(numbers)} drawn, {n_solved} solved, {refused.total()} refused, "
        f"{failed} failed, {time.monotonic() - begin:.0f} s",
        flush=True,
    )
    return failed


def published(cases: list[Case], folder: pathlib.Path) -> int:
    """Publish what was solved; how many answers are wrong."""
    faults = check_site(cases, folder)
    for fault in faults:
        print(f"\nFAILED on the site: {fault}", flush=True)
    for case in cases:
        if case.table is not None:
            case.table.close()
    return len(faults)


if __name__ == "__main__":
    sys.exit(main())
