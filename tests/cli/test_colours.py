"""Colours of the terminal: legible on white and on black, and never all that tells two things."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from ur_solver.cli import cli, output
from ur_solver.cli.output import draw_position, side_name, worth_bar
from ur_solver.rules import named_rules

POSITION = named_rules("skiriuk").position("L..(LL)__../..(ld)...../...D__.. L 2 4")


def luminance(number):
    """Of one of the 256 colours, as xterm has them; the first 16 are as the user likes."""
    assert 16 <= number < 256
    if number >= 232:
        rgb = [8 + 10 * (number - 232)] * 3
    else:
        rgb = [(0, 95, 135, 175, 215, 255)[(number - 16) // step % 6] for step in (36, 6, 1)]
    parts = [each / 255 for each in rgb]
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    ]
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrasts(number):
    """WCAG's contrast with black and with white."""
    there = luminance(number)
    return (there + 0.05) / 0.05, 1.05 / (there + 0.05)


def all_text(finkel2):
    shown = CliRunner().invoke(cli, ["query", str(finkel2)], color=True).output
    rules = CliRunner().invoke(cli, ["rules", "skiriuk"], color=True).output
    return f"{draw_position(POSITION)}{side_name('L')}{side_name('D')}{shown}{rules}"


def test_colours_are_legible_on_both_grounds(finkel2):
    codes = re.findall(r"\x1b\[([\d;]+)m", all_text(finkel2))
    colours = {int(code[5:]) for code in codes if code.startswith("38;5;")}
    assert {code for code in codes if not code.startswith("38;5;")} <= {
        "0",
        "1",
        "3",
        "4",
        "7",
        "22",
        "23",
    }
    colours |= {output.ROSE, output.BLUE, output.GREEN, output.PURPLE, output.GREY}
    for number in colours:
        assert min(contrasts(number)) >= 4.5, number
    assert min(contrasts(226)) < 1.2  # as yellow on white


def test_sides_differ_by_more_than_colour():
    shown = draw_position(POSITION)
    styles = {
        letter: set(re.findall(rf"\x1b\[38;5;\d+m((?:\x1b\[\d+m)*){letter}\x1b", shown))
        for letter in "LDld"
    }
    assert styles["L"] == styles["l"] == {"\x1b[1m"}
    assert styles["D"] == styles["d"] == {"\x1b[7m"}
    assert click.unstyle(shown) == str(POSITION)


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {}])
def test_no_colours_where_none_are_wanted(finkel2, environment):
    shown = CliRunner(env=environment).invoke(cli, ["query", str(finkel2)], color=not environment)
    assert ("\x1b" in shown.output) == (not environment)
    assert "#" in worth_bar(POSITION, 0.5)
