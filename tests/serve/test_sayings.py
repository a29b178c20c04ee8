"""What Python says of rule sets, in every language: by the page's own modules, in Node."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from tests.serve.page.engine import without_numbers
from ur_solver.audit.dice_test import compared_throws
from ur_solver.common.sayings import LANGUAGES, sentences_in, texts
from ur_solver.errors import InputError
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

HEAD = """
import fs from "node:fs";
const [folder, given, language] = process.argv.slice(2);
const element = { lang: language, dataset: {} };
if (language) globalThis.document = { documentElement: element, querySelectorAll: () => [] };
Object.defineProperty(globalThis, "navigator", { value: { languages: [language || "ru"] } });
const from = (name) => import(`file://${folder}/${name}`);
"""

SPEAK = """
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


REFUSE = """
const { Moves, auditAnswer, diceAnswer, lineAnswer } = await from("engine/answers.js");
const { check } = await from("engine/values.js");
const { fileText } = await from("reading.js");
const { data, texts, lines, games, throws } = JSON.parse(fs.readFileSync(given));
const refused = async (act) => {
  try {
    await act();
  } catch (error) {
    return { message: error.message, saying: error.saying };
  }
};
const moves = data.map((each) => new Moves(each));
const all = (list, act) => Promise.all(list.map((each) => refused(() => act(each))));
console.log(JSON.stringify({
  texts: await all(texts, ([k, text]) => moves[k].encode(text)),
  lines: await all(lines, ([k, turns]) =>
    lineAnswer({ moves: moves[k] }, moves[k].about.start, turns)),
  games: await Promise.all(games.map(async ([k, text]) =>
    (await auditAnswer({ moves: moves[k] }, text)).faults[0])),
  files: await all([[0xff, 0xfe, 0], [0x81]], (bytes) =>
    fileText(new Uint8Array(bytes), () => null)),
  others: [await refused(() => check(false)), await refused(() => new Moves({ version: 0 }))],
  dice: throws.map((light) => diceAnswer({ moves: moves[0] }, { light, dark: {} }).light.text),
}));
"""


@pytest.fixture(scope="module")
def page_folder(tmp_path_factory):
    """The page's files, for Node."""
    folder = tmp_path_factory.mktemp("page")
    for address, (content, _) in page_files().items():
        path = folder / (address[1:] or "index.html")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def answered(folder, script, asked, language):
    """What a script answers that has the page's modules; without a language, and so without texts,
    it is alone as a worker is.
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node")
    (folder / "asked.json").write_text(json.dumps(asked))
    (folder / "script.mjs").write_text(HEAD + script)
    command = [node, folder / "script.mjs", folder, folder / "asked.json", language]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def said():
    """What Python says of each rule set: its prose and its data."""
    return [(prose_values(each), rules_data(each)) for each in RULES]


@pytest.fixture(scope="module")
def spoken(page_folder, said):
    """What the page makes of all that Python says, by language."""
    asked = {
        "texts": [*sentences_in([*games_values(), *said]).values()],
        "games": with_sentences({"rules": games_values()}),
        "sets": [
            {"data": data, "prose": prose, "positions": crowded(rules)}
            for rules, (prose, data) in zip(RULES, said, strict=True)
        ],
    }
    return {each: answered(page_folder, SPEAK, asked, each) for each in LANGUAGES}


def test_the_page_says_in_english_what_python_says(spoken, said):
    found = spoken["en"]
    assert found["texts"] == [*sentences_in([*games_values(), *said])]
    assert found["games"] == json.loads(json.dumps(games_values()))
    for rules, (prose, data), each in zip(RULES, said, found["sets"], strict=True):
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


FINKEL, MASTERS, STAKES, BEN = (
    named_rules(each) for each in ("finkel:7", "masters:7", "bell:7", "ben:5")
)
FAULTY = {
    "texts": [
        (0, "x" * 201), (0, "L"), (2, "L L 7 7"), (0, "..../......../.... L 7 7"),
        (0, "....__../......../...__.. L 7 7"), (0, "....___./......../....__.. L 7 7"),
        (0, "....__../......../....__.. X 7 7"), (0, "?...__../......../....__.. L 7 7"),
        (0, "....__../......../....__.. L a 7"), (0, "LL..__../......../....__.. L 7 7"),
    ],
    "lines": [
        (0, [[None, [0], None], [None, [9], None]]), (0, [[None, [3], "A1A2"]]),
        (0, [[None, [3], None]]), (0, [["three", [3], None]]),
    ],
    "games": [
        (0, "rules: ben\nL 3 A@A2\n"), (0, "L three\n"), (0, "end: soon\n"),
        (0, "L 3 A@A2\nL 3 A@A2\n"), (0, '[Light "Ann]'), (0, "1. A@A3 x"), (0, "1. A1A4"),
        (0, "[Rules finkel]\nA@A3"), (0, "1. A@A2 / 1 --\n2. A2A1"),
    ],
    "throws": [{}, {"1": 5, "2": 9, "3": 4}, {"4": 2}, {"4": 40}, {"0": 60, "4": 60}],
}  # fmt: skip
"""Positions, lines and games with the index of their rules, and counts of throws."""


@pytest.fixture(scope="module")
def refusals(page_folder):
    """What is refused in every language, and without any; and the verdicts on dice."""
    asked = FAULTY | {"data": [rules_data(each) for each in (FINKEL, MASTERS, STAKES, BEN)]}
    return {each: answered(page_folder, REFUSE, asked, each) for each in (*LANGUAGES, "")}


def test_refusals_in_english_are_those_of_the_program(refusals):
    found = refusals["en"]
    rules = (FINKEL, MASTERS, STAKES, BEN)
    for (k, text), each in zip(FAULTY["texts"], found["texts"], strict=True):
        with pytest.raises(InputError) as error:
            rules[k].position(text)
        assert each["message"] == str(error.value)
    for throws, text in zip(FAULTY["throws"], found["dice"], strict=True):
        counts = {int(throw): count for throw, count in throws.items()}
        expected = compared_throws(FINKEL.dice, counts, {})["light"]["text"]
        assert without_numbers(text) == without_numbers(expected)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_refusals_and_verdicts_are_in_the_language(refusals, language):
    def flat(found):
        refused = [
            each for kind in ("texts", "lines", "games", "files", "others") for each in found[kind]
        ]
        return [each["message"] for each in refused] + found["dice"]

    for english, own in zip(flat(refusals["en"]), flat(refusals[language]), strict=True):
        assert own != english
        assert not re.search(
            r"\b(the|not|with|expected|throw|line|turn|column)\b|undefined|refused\.|position\.",
            re.sub(r"'[^']*'|« [^»]*»", "", own),
        ), own
    usual = refusals[language]["dice"][1]
    assert re.search(r"0,\d\d", usual), usual


def test_a_worker_hands_over_what_is_to_be_said(refusals):
    for each, here in zip(refusals[""]["others"], refusals["fr"]["others"], strict=True):
        key, *given = each["saying"]
        assert not given
        assert here["saying"] == each["saying"]
        assert here["message"] == texts("fr")[key]
