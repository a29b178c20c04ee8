"""Run the blocks of Python that standard input has as JSON, in one namespace."""

from __future__ import annotations

import doctest
import json
import sys


def main() -> int:
    names: dict[str, object] = {"__name__": "__main__"}
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    n_failed = 0
    for kind, first, code in json.load(sys.stdin):
        if kind == "python":
            exec(compile("\n" * first + code, "page", "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(code, names, "page", "page", first)
        runner = doctest.DocTestRunner(optionflags=options)
        n_failed += runner.run(test, clear_globs=False).failed
        names |= test.globs
    return n_failed


if __name__ == "__main__":
    sys.exit(main())
