"""The losses of the reference players: constants of a rule set, computed once.

The program contains those of some rule sets (`references.json`, by
scripts/make_references.py); others are computed and kept in the user's cache.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib import resources

from ur_solver.answers.values import TableValues
from ur_solver.audit.selfplay import reference_losses
from ur_solver.common.files import write_file
from ur_solver.common.text import counted
from ur_solver.errors import OutputError
from ur_solver.players.policies import PLAIN
from ur_solver.rules import RuleSet, digest_of
from ur_solver.rules.game import by_every_name
from ur_solver.table.names import cache_folder, readable_name

References = Mapping[RuleSet, Mapping[str, float]]
"""By rule set and player, the mean loss per choice in win probability."""

REFERENCE_GAMES = 100
"""The usual number of games of each reference player; those of finkel with seven pieces have some
6,000 choices, which gives a standard error of a few percent."""

_MAX_TOLERANCE = 1e-4
"""The losses by a table of a larger tolerance are its own, and not kept."""


def references_of(
    table: TableValues,
    games: int = REFERENCE_GAMES,
    *,
    digest: str = "",
    say: Callable[[str], object] = lambda _text: None,
) -> dict[str, float]:
    """The reference players' mean loss per choice by a table's rules.

    Parameters
    ----------
    table : TableValues
    games : int
        How many games each of them plays.
    digest : str
        Of an estimator, and of its table of endings: what is kept by them is their own. Losses by a
        table are known of some games.
    say : callable
        Called with a sentence for people before games are played.

    Returns
    -------
    dict of str to float
        By player, in win probability per choice.
    """
    if table.tolerance > _MAX_TOLERANCE:
        return reference_losses(table, games)
    keys = [reference_key(each, games) for each in by_every_name(table.rules)]
    path = cache_folder() / "references" / f"{'-'.join(filter(None, (keys[0], digest)))}.json"
    found = next(filter(None, map(shipped_references().get, keys)), None) or _read(path)
    if found is None:
        n_games = games * len(PLAIN)
        say(f"playing {counted(n_games, 'game')} of reference players, once for {table.rules.word}")
        found = reference_losses(table, games)
        _write(path, found)
    return found


def reference_key(rules: RuleSet, games: int) -> str:
    """The name under which losses are kept; it depends on the game and not on its name alone."""
    return f"{readable_name(rules)}-{games}-{digest_of(rules)}"


@lru_cache(maxsize=1)
def shipped_references() -> dict[str, dict[str, float]]:
    """The losses that come with the program, by `reference_key`."""
    text = (resources.files("ur_solver.audit") / "references.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, float]] = json.loads(text)
    return found


def _read(path: pathlib.Path) -> dict[str, float] | None:
    """The losses kept at a path; None if the file is missing or invalid."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    is_sound = isinstance(found, dict) and found.keys() == {*PLAIN}
    return found if is_sound and all(isinstance(each, float) for each in found.values()) else None


def _write(path: pathlib.Path, losses: dict[str, float]) -> None:
    """Keep losses, unless nothing can be written there: then they are computed again."""
    with suppress(OSError, OutputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps(losses))
