"""Decisions asked in the terminal: the answer hidden, tried again, explained in numbers."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ur_solver.api.evaluator import Evaluator
from ur_solver.audit.game_audit import TIE
from ur_solver.cli.answering import note_of
from ur_solver.cli.output import columns, draw_position, echo, say
from ur_solver.cli.playing import QuitError, chosen_index, interrupt_of, worth_text
from ur_solver.common.text import counted
from ur_solver.rules import SIDE_NAMES
from ur_solver.study.practise import Decision, Weighed, next_throws

_HELP = "'show' shows the answer, 'skip' passes on, 'quit' ends"


class Quiz:
    """Asks decisions, each until it is answered rightly, shown or skipped.

    Parameters
    ----------
    asked : sequence of tuple
        The decisions, each with the table or estimator that judges it.
    """

    def __init__(self, asked: Sequence[tuple[Decision, Evaluator]]) -> None:
        self._asked = asked
        self._n_asked = self._n_right = 0
        self._lost = 0.0  # by first answers, as shares of what there was to win

    def ask(self) -> None:
        """Ask all of them, then say how it went; the end of the input ends it, too.

        Raises
        ------
        KeyboardInterrupt
            At Ctrl-C, after the score.
        """
        stop = None
        try:
            for number, (decision, evaluator) in enumerate(self._asked, start=1):
                self._ask(number, decision, evaluator)
        except (QuitError, click.Abort) as left:
            stop = interrupt_of(left)
        if self._n_asked:
            decisions = counted(self._n_asked, "decision")
            echo(
                f"\n{self._n_right} of {decisions} right at the first try; first answers lost "
                f"{100 * self._lost / self._n_asked:.1f} % of what there is to win on average"
            )
        if stop is not None:
            raise stop

    def _ask(self, number: int, decision: Decision, evaluator: Evaluator) -> None:
        rules, source = decision.position.rules, decision.source
        where = f", {source}" if source else ""
        echo(f"\n{number} of {len(self._asked)}: {rules.word}{where}\n")
        echo(draw_position(decision.position))
        texts = [each.text for each in decision.options]
        listed = "   ".join(f"{k} {text}" for k, text in enumerate(texts, start=1))
        echo(f"\n{decision.question}\n  {listed}")
        is_first = True
        while True:
            answer = click.prompt("best", prompt_suffix="> ").strip()
            word = answer.lower()
            if word == "quit":
                raise QuitError
            if word == "skip":
                return
            if word == "show":
                self._count(decision, None, is_first=is_first)
                echo(_answer_text(decision, evaluator))
                return
            index = chosen_index(answer, texts)
            if index is None:
                say(f"{answer[:40]!r} is none of these: {listed.strip()}; {_HELP}")
                continue
            chosen = decision.options[index]
            self._count(decision, chosen, is_first=is_first)
            is_first = False
            if _is_right(decision, chosen):
                echo(_answer_text(decision, evaluator))
                return
            echo(_wrong_text(decision, chosen, evaluator))

    def _count(self, decision: Decision, chosen: Weighed | None, *, is_first: bool) -> None:
        if not is_first:
            return
        self._n_asked += 1
        if chosen is not None:
            self._n_right += _is_right(decision, chosen)
            self._lost += decision.loss(chosen) / (decision.total or 1)
        else:
            self._lost += decision.cost


def _is_right(decision: Decision, chosen: Weighed) -> bool:
    """Whether an option is as good as the best, or might be as far as estimates can tell."""
    best = decision.best
    error = (best.margin**2 + chosen.margin**2) ** 0.5 if chosen is not best else 0.0
    return decision.loss(chosen) <= max(TIE * (decision.total or 1), error)


def _wrong_text(decision: Decision, chosen: Weighed, evaluator: Evaluator) -> str:
    """What a wrong answer loses and what the next throws make of it; the best stays hidden."""
    units = decision.position.rules.payoff.units
    lost = (
        f"{chosen.text} is worth {units.value(chosen.value)}: {units.lost(decision.loss(chosen))}"
    )
    return f"{lost}{_next_text(decision, [chosen], evaluator)}\ntry again"


def _answer_text(decision: Decision, evaluator: Evaluator) -> str:
    """All options with their values, and what the next throws make of the best and the played."""
    worth = [(each.value, each.margin) for each in decision.options]
    texts = [each.text for each in decision.options]
    ranked = sorted(decision.options, key=lambda each: -each.value)
    played = f"\nin the game {decision.played} was played" if decision.played else ""
    return (
        f"{decision.best.text} is the best:\n{worth_text(decision.position, texts, worth)}{played}"
        f"{_next_text(decision, ranked[:2], evaluator)}{note_of(evaluator)}"
    )


def _next_text(decision: Decision, options: Sequence[Weighed], evaluator: Evaluator) -> str:
    """What each next throw makes of some options, as a table; nothing where nobody throws."""
    units = decision.position.rules.payoff.units
    parts = []
    for each in options:
        side, throws = next_throws(evaluator, decision.position, each)
        if not throws:
            continue
        rows = [
            [f"  after {each.text}, {SIDE_NAMES[side]} throws"]
            + [" ".join(map(str, one.throws)) for one in throws],
            ["  with a chance of"] + [f"{100 * one.probability:.1f} %" for one in throws],
            [f"  {SIDE_NAMES[decision.position.side]} then has"]
            + [units.value(one.value) for one in throws],
        ]
        parts.append(columns(rows, "<" + ">" * len(throws)))
    return "".join(f"\n\n{part}" for part in parts)
