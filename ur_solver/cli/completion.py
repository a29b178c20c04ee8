"""What a shell offers for the word before the cursor."""

from __future__ import annotations

import glob
import os
import re

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete


class Bash(BashComplete):
    """Completion for bash, which takes a colon for a word and replaces only what follows it."""

    name = "bash"

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is completed, and that one, with its colons."""
        args, incomplete = super().get_completion_args()
        words: list[str] = []
        for word in [*args, incomplete]:
            if words and (word == ":" or words[-1].endswith(":")):
                words[-1] += word
            else:
                words.append(word)
        # a colon in quotes is one of bash's word
        replaced = incomplete if incomplete != ":" else ""
        self._kept = words[-1].removesuffix(replaced)
        return words[:-1], words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """An offer without what stays of the word, as bash reads it."""
        if item.type == "plain":
            rest = item.value.removeprefix(self._kept)
            item = CompletionItem(re.sub(r"[^\w@%+=:,./-]", r"\\\g<0>", rest), item.type)
        return super().format_completion(item)


class Fish(FishComplete):
    """Completion for fish, with its own offers of files, which know `~`, and names with commas."""

    name = "fish"
    source_template = FishComplete.source_template.replace(
        "__fish_complete_path $metadata[2]", "complete -C \"'' \"(commandline -t)"
    ).replace('string split ","', 'string split -m 1 ","')


def complete_table(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer names of rule sets, after `:` their counts of pieces, and files."""
    from ur_solver.rules import CATALOGUE, named_rules  # noqa: PLC0415 - the group imports this

    name, colon, _ = incomplete.partition(":")
    offered = (
        [f"{name}:{n + 1}" for n in range(named_rules(name).pieces)]
        if colon and name in CATALOGUE
        else [*CATALOGUE]
    )
    names = [each for each in offered if each.startswith(incomplete)]
    if not names:
        return [CompletionItem(incomplete, type="file")]
    files = sorted(glob.glob(f"{glob.escape(incomplete)}*")) if incomplete else []
    files = [each + os.sep if os.path.isdir(each) else each for each in files]
    return [CompletionItem(each) for each in [*names, *files]]


def complete_file(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer files."""
    return [CompletionItem(incomplete, type="file")]
