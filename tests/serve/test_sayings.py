"""What Python says of rule sets, in every language: by the page's own modules, in Node."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from ur_solver.common.sayings import sentences_in
from ur_solver.common.speech import LANGUAGES
from ur_solver.rules import CATALOGUE, DICE, PATHS, UR, Path, Position, named_rules
from ur_solver.rules.position_text import read
from ur_solver.rules.squares import CapturedBy, Finish, Refuge, Shared, Stack
from ur_solver.rules.svg import board_svg
from ur_solver.serve.page_files import page_files
from ur_solver.serve.rules_data import games_values, prose_values, rules_data, with_sentences

LANE = Path.of("own", UR, ["A2", "A1", "A4", "A8"])
SWITCHED = [
    named_rules("finkel:1").changed(path=LANE, extra_on_rosette=False),
    named_rules("finkel:2").changed(safe_rosettes=False, extra_on_capture=True, extra_on_throw=4),
    named_rules("finkel:3").changed(extra_throw="may", another_piece=True),
    named_rules("casual:2").changed(extra_throw="must", dice=DICE["d6"]),
    named_rules("ben:2").changed(dice=DICE["4-binary"], path=PATHS["masters"]),
    named_rules("skiriuk:2").changed(path=PATHS["bell"]),
    named_rules("skiriuk:3").changed(depots=("B2", "B8")),
    named_rules("birds:2").changed(path=PATHS["murray"]),
    named_rules("masters:2").changed(
        squares={
            "B1": Stack(1, one_side=False, any_moves=True),
            "B2": Stack(2, one_side=True, any_moves=True),
            "B3": CapturedBy(Shared(), ()),
            "B4": Refuge(1),
            "B5": Finish(2),
        }
    ),
]
RULES = [*CATALOGUE.values(), *SWITCHED]

SPEAK = """
import fs from "node:fs";
const [folder, given, language] = process.argv.slice(2);
const element = { lang: language, dataset: {} };
globalThis.document = { documentElement: element, querySelectorAll: () => [] };
Object.defineProperty(globalThis, "navigator", { value: { languages: [language] } });
const from = (name) => import(`file://${folder}/${name}`);
const { said } = await from("speech.js");
const { rulesOf, proseOf, gamesOf } = await from("translated.js");
const { Moves, boardAnswer } = await from("engine/answers.js");
const { texts, sets, games } = JSON.parse(fs.readFileSync(given));
console.log(JSON.stringify({
  texts: texts.map((each) => each.map(said).join(" ")),
  games: gamesOf(games).rules,
  sets: sets.map(({ data, prose, positions }) => {
    const moves = new Moves(rulesOf(data));
    return { short: proseOf(prose).short, words: moves.about.board.words,
      boards: positions.map((text) => boardAnswer(moves, text, "light")) };
  }),
}));
"""


def crowded(rules):
    """Positions in which every square holds two pieces of a kind that may stand there; faulty."""
    family = rules.mechanics
    found = []
    for k in range(2 if rules.pieces > 1 else 1):
        rows = []
        for name, shape in zip("ABC", rules.board.rows, strict=True):
            cells = []
            for column, kind in enumerate(shape, 1):
                pieces = family.pieces_on[f"{name}{column}"] if kind == "." else ()
                piece = pieces[-k] if pieces else "."
                cells.append("_" if kind != "." else f"({piece}{piece})" if pieces else ".")
            rows.append("".join(cells))
        homes = "12 12" if family.is_numbered else "9 9"
        paid = " p0" if rules.payoff.has_fines else ""
        found.append(f"{'/'.join(rows)} L {homes}{paid}")
    return found


@pytest.fixture(scope="module")
def spoken(tmp_path_factory):
    """What the page makes of all that Python says, by language."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node")
    folder = tmp_path_factory.mktemp("page")
    for address, (content, _) in page_files().items():
        path = folder / (address[1:] or "index.html")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    (folder / "package.json").write_text('{"type": "module"}')
    asked = {
        "texts": [*sentences_in(said_of_all()).values()],
        "games": with_sentences({"rules": games_values()}),
        "sets": [
            {"data": rules_data(each), "prose": prose_values(each), "positions": crowded(each)}
            for each in RULES
        ],
    }
    (folder / "asked.json").write_text(json.dumps(asked))
    (folder / "speak.mjs").write_text(SPEAK)

    def answers(language):
        command = [node, folder / "speak.mjs", folder, folder / "asked.json", language]
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return {language: answers(language) for language in LANGUAGES}


def said_of_all():
    return [*games_values(), *([prose_values(each), rules_data(each)] for each in RULES)]


def test_the_page_says_in_english_what_python_says(spoken):
    found = spoken["en"]
    assert found["texts"] == [*sentences_in(said_of_all())]
    assert found["games"] == json.loads(json.dumps(games_values()))
    for rules, each in zip(RULES, found["sets"], strict=True):
        data, prose = rules_data(rules), prose_values(rules)
        assert each["short"] == prose["short"]
        assert each["words"] == data["about"]["board"]["words"]
        for text, board in zip(crowded(rules), each["boards"], strict=True):
            position = Position(rules, *read(rules.mechanics, text))
            assert board["faults"] == position.faults() != []
            assert board["svg"] == board_svg(position, is_named=True)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_sentence_is_whole_in_every_language(spoken, language):
    found, english = spoken[language], spoken["en"]
    pairs = [*zip(english["texts"], found["texts"], strict=True)]
    for mine, theirs in zip(english["sets"], found["sets"], strict=True):
        pairs += zip(mine["short"], theirs["short"], strict=True)
        pairs += zip(mine["words"].values(), theirs["words"].values(), strict=True)
        for one, other in zip(mine["boards"], theirs["boards"], strict=True):
            pairs += zip(one["faults"], other["faults"], strict=True)
            pairs += zip(
                *(re.findall(r'aria-label="([^"]*)"', each["svg"])[1:] for each in (one, other)),
                strict=True,
            )
    same = {one for one, other in pairs if one == other}
    names = {rules.name for rules in RULES}
    for one, other in pairs:
        assert not re.search(r"[{}#]|undefined|NaN|\b[a-z-]+\.[a-z]", other), (one, other)
    # names of games, squares without anything, and titles that are names in their languages too
    assert {each for each in same if not re.fullmatch("[ABC][0-9]+(, rosette)?", each)} <= names | {
        "Blitz",
        "Aseb",
        "Masters",
    }
