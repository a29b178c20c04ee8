"""What a person does at the page, on tables of six kinds of rule sets."""

from __future__ import annotations

from typing import NamedTuple

from ur_solver.records import GameRecord, Replay
from ur_solver.rules import FREE_THROW, SIDE_NAMES, Position, RuleSet, named_rules
from ur_solver.serve.answers import audit_values

WORDS = ("finkel:3", "casual-roll-again:2", "birds:2", "skiriuk:1", "ben:1", "bell-stakes:1")
SIX = [word.replace(":", "-") for word in WORDS]
TURNS = 9
EN_DASH, NEXT_MISTAKE = (
    "\N{EN DASH}",
    "mistake \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
)


class Turn(NamedTuple):
    """A turn as a page has it."""

    choice: str | None
    throws: tuple[int, ...]
    move: str | None


def turns_played(record):
    """The turns of a record."""
    return [Turn(ply.choice or None, ply.throws, record.move_text(ply)) for ply in record.plies]


def record_of(start: Position, turns) -> GameRecord:
    """The game in which turns are played, by the readable way of records."""
    if not turns:
        return GameRecord(start.rules, start, ())
    replay = Replay(start.rules, start)
    for choice, throws, move in turns:
        choices = replay.choices()
        steps = replay.legal(throws, choice or FREE_THROW)
        texts = [replay.stepper.text(replay.side, step) for step in steps]
        replay.take(
            throws,
            steps,
            -1 if move is None else texts.index(move),
            choices=choices,
            chosen=[each.name for each in choices].index(choice) if choices else -1,
        )
    return replay.finish()


def line_of(table, start: Position, turns):
    """Turns as the page shows them, judged as an audit does."""
    (audit,) = table.audits([record_of(start, turns)])
    values = audit_values(audit)
    keys = ("plies", "position", "start", "start_value", "end_value")
    found = {name: values[name] for name in keys}
    if not table.are_exact:
        margin = audit.start_margin
        found |= {"exact": False, "error": margin} if margin else {"exact": True}
    for name in SIDE_NAMES.values():
        sides = ("choices", "best", "close", "worse", "loss", "worse_loss", "luck", "cost")
        found[name] = {key: values[name].get(key, 0) for key in sides}
    return found


def line_without_values(rules: RuleSet, turns):
    """The same without a table."""
    record = record_of(rules.start(), turns)
    stepper = record.stepper
    plies = [
        {
            "side": SIDE_NAMES[ply.side],
            "position": stepper.notation(ply.state, ply.side),
            "choice": ply.choice or None,
            "throw": ply.throw if len(ply.throws) == 1 else list(ply.throws),
            "move": record.move_text(ply),
            "options": len(ply.steps),
            "cost": ply.step.cost if ply.step else 0,
            "position_after": stepper.notation(*ply.after(stepper)),
        }
        for ply in record.plies
    ]
    end = plies[-1]["position_after"] if plies else record.start.notation
    return {"plies": plies, "position": end, "start": record.start.notation}


def rules_of(name):
    return named_rules(name[::-1].replace("-", ":", 1)[::-1])


def turn_of(person, rng, how):
    """One turn: a choice before it where there is one, a throw, a move by `how`; or a pass."""
    page = person.page
    choices = page.locator("#options button[aria-pressed]")
    if choices.count() and not page.locator("#options button[aria-pressed=true]").count():
        choices.nth(rng.randrange(choices.count())).click()
        person.settle()
    person.press("Throw", "#hand")
    person.settle()
    if "Pass" in person.options():
        person.press("Pass", "#options")
    else:
        how(person, rng)
    person.settle()
    left = page.locator("#options button.main", has_not_text="Pass")  # the other side's
    if left.count():  # a move that is to be told from another between the same squares
        left.nth(rng.randrange(left.count())).click()
        person.settle()


def by_list(person, rng):
    moves = person.page.locator("#moves button")
    moves.nth(rng.randrange(moves.count())).click()


def by_press(person, rng):
    pieces = person.page.locator("#board .movable")
    pieces.nth(rng.randrange(pieces.count())).click()
    person.settle()
    if not person.page.locator("#options button.main").count():  # a piece that may go to several
        targets = person.page.locator("#board .target")
        if targets.count() and "moves:" in person.status():
            targets.nth(rng.randrange(targets.count())).click()


def by_drag(person, rng):
    pieces = person.page.locator("#board .movable")
    piece = pieces.nth(rng.randrange(pieces.count()))
    before = person.page.locator("#turns .turn").count()
    targets = person.page.locator("#board .target")
    for k in range(targets.count()):
        piece.drag_to(targets.nth(k))
        person.settle()
        if (
            person.page.locator("#turns .turn").count() > before
            or person.page.locator("#options button.main").count()
        ):
            return


def play(person, rng, ways=(by_list, by_press, by_drag), turns=TURNS):
    """Some turns, each in another way."""
    for k in range(turns):
        if "has won" in person.status():
            return
        turn_of(person, rng, ways[k % len(ways)])


def turns_of(address):
    """The turns of an address without variations."""
    turns = []
    for text in address.get("game", "").split(".")[1:]:
        head, _, move = text.partition("_")
        choice = head.rstrip("0123456789-")
        throws = tuple(map(int, head[len(choice) :].split("-")))
        move = move.replace("!", "@").replace("'", "+").replace("~", " again").replace("$", " stop")
        turns.append(Turn(choice or None, throws, move or None))
    return turns


def opened(person, text):
    """Paste a game and go through it."""
    person.head("Open")
    person.page.fill("#text", text)
    person.press("Open", "#open-dialog")
    person.page.wait_for_selector("#open-dialog", state="hidden")
    person.settle()
