"""The special squares and throws of rules, section 5, one by one."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from tests.oracles.perft import divide
from ur_solver.errors import IllegalPositionError, PositionSyntaxError
from ur_solver.moves import generator_of
from ur_solver.rules import CATALOGUE, ENTER, MOVE, Dice, Stakes, named_rules
from ur_solver.rules.turns import final_value, is_draw, turn
from ur_solver.space import space_of


def moves(name, text, throw, choice=""):
    rules = named_rules(name)
    return rules.legal_moves(rules.position(text), throw, choice)


def texts(name, text, throw, choice=""):
    return [move.text for move in moves(name, text, throw, choice)]


def after(name, text, throw, move):
    rules = named_rules(name)
    return (rules.find_move(rules.position(text), throw, move).position).notation


class TestBell:
    def test_throws(self):
        position = "....__../....L.../....__.. L 1 2"
        assert texts("bell:2", position, 0) == ["B5A8"]
        assert texts("bell:2", position, 1) == []
        assert texts("bell:2", position, 2) == ["B5B6"]
        assert texts("bell:2", position, 3) == ["A@B1", "B5A7*"]

    def test_another_throw_after_any_move(self):
        for move in moves("bell:2", "....__../....L.../....__.. L 1 2", 3):
            assert move.again
            assert move.position.side == "L"

    def test_the_last_piece_off_ends_the_game(self):
        (off,) = moves("bell:1", "....__L./......../....__.. L 0 1", 2)
        assert (off.text, off.again, off.position.side) == ("A7A+", False, "D")

    def test_rosettes_are_safe(self):
        assert texts("bell:1", "....__../..LD..../....__.. L 0 0", 2) == []

    def test_a_rosette_costs_a_fine(self):
        rules = CATALOGUE["bell"].with_pieces(1).changed(stakes=Stakes(ante=10, fine=3))
        position = rules.position("....__../..L...../....__.. L 0 1 p12")
        (move,) = rules.legal_moves(position, 2)
        assert (move.text, move.cost) == ("B3B4*", 3)
        assert move.position.notation == "....__../...L..../....__.. L 0 1 p13"
        (move,) = rules.legal_moves(position, 0)
        assert (move.text, move.cost, move.position.fines) == ("B3B7", 0, 12)

    def test_the_winner_takes_the_pot(self):
        rules = CATALOGUE["bell"].with_pieces(1).changed(stakes=Stakes(ante=10, fine=3))
        won = rules.position("....__../......../....__.. L 0 1 p4")
        lost = rules.position("....__../......../....__.. D 0 1 p4")
        assert (final_value(won), final_value(lost)) == (32, 0)

    @pytest.mark.parametrize("fines", ["", " 12", " p", " p-1", " p1 p2", " p1.5", " p9999999"])
    def test_fines_that_are_not_written_so(self, fines):
        rules = CATALOGUE["bell"].changed(stakes=Stakes())
        with pytest.raises(PositionSyntaxError, match="the fines paid"):
            rules.position("....__../......../....__.. L 7 7" + fines)

    def test_no_fines_without_stakes(self):
        with pytest.raises(PositionSyntaxError, match="5 fields, expected 4"):
            CATALOGUE["bell"].position("....__../......../....__.. L 7 7 p0")


class TestCasual:
    def test_all_may_share_a_rosette(self):
        position = "....__../..LD..../....__.. L 0 0"
        assert texts("casual:1", position, 1) == ["B3B4*"]
        assert after("casual:1", position, 1, "B3B4*") == "....__../...(LD)..../....__.. D 0 0"

    def test_pieces_alike_move_alike(self):
        position = "....__../...(LLD)..../....__.. L 0 0"
        assert texts("casual:2", position, 1) == ["B4B5"]
        assert after("casual:2", position, 1, "B4B5") == "....__../...(LD)L.../....__.. D 0 0"

    def test_other_squares_are_ordinary(self):
        assert texts("casual:1", "....__../D......./....__.. L 1 0", 4) == ["A@A1*"]
        assert texts("casual:1", "L...__../D......./....__.. L 0 0", 1) == ["A1B1x"]
        assert texts("casual:2", "L...__../L......./....__.. L 0 2", 1) == ["B1B2"]

    def test_any_order_is_understood_and_one_is_written(self):
        rules = named_rules("casual:2")
        position = rules.position("....__../...(DLL)..../....__.. L 0 0")
        assert position.notation == "....__../...(LLD)..../....__.. L 0 0"

    def test_throwing_again_is_a_choice(self):
        position = "....__../..L...../....__.. L 0 1"
        plain, again = moves("casual-roll-again:1", position, 1)
        assert (plain.text, plain.again, plain.position.side) == ("B3B4*", False, "D")
        assert (again.text, again.again, again.position.side) == ("B3B4* again", True, "L")
        assert texts("casual-roll-again:1", position, 2) == ["B3B5"]

    def test_one_piece_on_an_ordinary_square(self):
        with pytest.raises(IllegalPositionError, match="'LD' cannot stand on B5: it holds one"):
            named_rules("casual:1").position("....__../....(LD).../....__.. L 0 0")


class TestBirds:
    START = "....__../......../....__.. L 12345 12345"

    def outcomes(self, text, name="birds"):
        rules = named_rules(name)
        (enter,) = (choice for choice in turn(rules.position(text)) if choice.name == ENTER)
        return {outcome.throws: [m.text for m in outcome.moves] for outcome in enter.outcomes}

    def choices(self, text):
        rules = CATALOGUE["birds"]
        return [choice.name for choice in turn(rules.position(text))]

    def test_when_move_and_when_enter(self):
        assert self.choices(self.START) == [ENTER]
        assert self.choices("...L1__../......../....__.. L 2345 12345") == [MOVE, ENTER]
        assert self.choices("...L1__../......../....__.. L - 12345") == [MOVE]

    def test_entering_takes_the_number_and_then_a_square(self):
        outcomes = self.outcomes(self.START)
        assert outcomes == {
            (0,): [],
            (1, 0): [],
            (1, 1): ["1A@A4"],
            (1, 2): ["1A@A3"],
            (1, 3): ["1A@A2"],
            (1, 4): ["1A@A1*"],
            (2,): [],
            (3,): [],
            (4,): [],
        }

    def test_entering_fails_where_a_piece_stands(self):
        outcomes = self.outcomes("...L2__../......../....__.. L 1345 12345")
        assert outcomes[1, 1] == []
        assert outcomes[1, 2] == ["1A@A3"]

    def test_an_entry_that_fails_on_any_of_its_steps_ends_the_turn(self):
        # by another number, by a second throw of 0, and by a square with one's own piece
        rules = CATALOGUE["birds"]
        position = "...L2__../......../....__.. L 345 12345"
        passed = "...L2__../......../....__.. D 345 12345"
        plies = divide(rules.position(position))
        failed = [ply for ply, after in plies if after.notation == passed]
        assert [ply for ply in failed if ply.startswith(ENTER)] == [
            *("enter 0 pass", "enter 1 pass", "enter 2 pass"),
            *("enter 3+0 pass", "enter 3+1 pass", "enter 4 pass"),
        ]
        assert [ply for ply, _ in plies if ply.startswith("enter 3") and ply not in failed] == [
            *("enter 3+2 3A@A3", "enter 3+3 3A@A2", "enter 3+4 3A@A1*"),
        ]

    def test_an_entry_joins_what_stands_on_the_rosette(self):
        outcomes = self.outcomes("L2...__../......../....__.. L 1345 12345")
        assert outcomes[1, 4] == ["1A@A1*"]

    def test_a_first_throw_of_0_counts_as_5_and_a_second_does_not(self):
        outcomes = self.outcomes("....__../......../....__.. L 5 12345")
        assert outcomes[0, 0] == []
        assert outcomes[0, 4] == ["5A@A1*"]
        assert outcomes[4,] == []

    def test_entering_ends_the_turn(self):
        for move in moves("birds", self.START, 4, ENTER):
            assert not move.again
            assert move.position.notation == ("L1...__../......../....__.. D 2345 12345")

    def test_any_bird_on_the_board_may_move(self):
        position = "....__../...(L2L4D1)..../....__.. L 135 2345"
        assert texts("birds", position, 1) == ["2B4B5", "4B4B5"]
        assert after("birds", position, 1, "4B4B5") == (
            "....__../...(L2D1)L4.../....__.. D 135 2345"
        )

    def test_a_captured_bird_goes_home_by_its_number(self):
        position = "....__../..L2.D3.../....__.. L 1345 125"
        assert after("birds", position, 2, "2B3B5x") == ("....__../....L2.../....__.. D 1345 1235")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("....__../......../....__.. L 121 12345", "'121', expected the pieces' numbers, asc"),
            ("....__../......../....__.. L 5", "3 fields, expected 4"),
            ("....__../L......./....__.. L 5 5", "B1 begins with 'L', expected '.', 'L1' or 'D2'"),
        ],
    )
    def test_wrong_texts(self, text, message):
        with pytest.raises(PositionSyntaxError, match=message):
            CATALOGUE["birds"].position(text)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("....__../L1......./....__.. L 12 1", "light's piece 1 is there 2 times"),
            ("....__../......../....__.. L 13 1", "a piece 3, but pieces are numbered 1 to 2"),
            ("....__../L3......./....__.. L - 1", "'L3' cannot stand on B1"),
        ],
    )
    def test_wrong_numbers(self, text, message):
        with pytest.raises(IllegalPositionError, match=message):
            named_rules("birds:2").position(text)


class TestSkiriuk:
    def test_the_lower_piece_of_a_stack_is_blocked(self):
        assert texts("skiriuk:1", "....__../..(LD)...../....__.. L 0 0", 1) == []
        assert texts("skiriuk:1", "....__../..(LD)...../....__.. D 0 0", 1) == ["B3B4*"]
        assert texts("skiriuk:2", "....__../..(Ll)...../....__.. L 0 2", 1) == ["B3B2"]

    def test_a_stack_that_is_blocked_lets_its_owner_pass(self):
        # on two islands light's pieces are below dark's
        blocked = "....__../..(LD)..(lD)../....__.. L 0 0"
        for throw in (1, 2, 3, 4):
            assert texts("skiriuk:2", blocked, throw) == []
        freed = "....__../..(LD)..(lD)../....__.. D 0 0"
        freed = after("skiriuk:2", freed, 2, "B3B5").replace(" D ", " L ")
        assert texts("skiriuk:2", freed, 2) == ["B3B5x"]

    def test_a_piece_lands_on_top(self):
        position = "....__../.L(DD)...../....__.. L 0 0"
        assert after("skiriuk:2", position, 1, "B2B3") == "....__../..(DDL)...../....__.. D 0 0"

    def test_an_island_holds_four(self):
        assert texts("skiriuk:5", "....__../.L(LLDD)...../....__.. L 0 2", 1) == []
        position = "....__../.L(DLL)...../....__.. L 0 3"
        assert texts("skiriuk:4", position, 1) == ["B2B3", "B3B4*"]
        with pytest.raises(IllegalPositionError, match="on B3: it holds 4 pieces at most"):
            CATALOGUE["skiriuk"].position("....__../..(LDLDL)...../....__.. L 0 0")

    def test_a_depot_holds_four_of_ones_own(self):
        assert texts("skiriuk:5", "...(LLL)__../......../....__.. L 1 5", 1) == ["A@A4", "A4A3"]
        assert texts("skiriuk:5", "...(LLLL)__../......../....__.. L 1 5", 1) == ["A4A3"]
        assert texts("skiriuk:5", "....__../......../....__.. L 1 5", 3) == ["A@A2"]

    def test_b7_is_held_and_released(self):
        held = "....__../.....LD./....__.. L 0 0"
        assert texts("skiriuk:1", held, 1) == []
        released = "....__../.....L../....__D. L 0 0"
        assert texts("skiriuk:1", released, 1) == ["B6B7"]

    def test_b7_is_released_by_the_last_piece_that_leaves(self):
        two = "....__../.....L(DD)./....__.. D 0 0"
        one = after("skiriuk:2", two, 2, "B7C8")
        assert one == "....__../.....LD./....__.D L 0 0"
        assert texts("skiriuk:2", one, 1) == []
        none = after("skiriuk:2", one.replace(" L ", " D "), 3, "B7B8")
        assert none == "....__../.....L.d/....__.D L 0 0"
        assert texts("skiriuk:2", none, 1) == ["B6B7"]

    def test_b7_held_is_jumped_over(self):
        assert texts("skiriuk:1", "....__../.....LD./....__.. L 0 0", 2) == ["B6A7*"]
        # and on the way back too
        assert texts("skiriuk:1", "....__../......D./....__l. L 0 0", 1) == []
        assert texts("skiriuk:1", "....__../......D./....__l. L 0 0", 2) == ["C7B6"]

    def test_b7_of_ones_own_takes_four_of_any_status(self):
        assert texts("skiriuk:5", "....__../.....L(Lll)./....__.. L 0 5", 1)[0] == "B6B7"
        assert texts("skiriuk:5", "....__../.....L(Llll)./....__.. L 0 5", 1) == ["B7B6"]
        position = "....__../.....L(ll)./....__.. L 0 5"
        assert after("skiriuk:5", position, 1, "B6B7") == ("....__../......(llL)./....__.. D 0 5")
        with pytest.raises(IllegalPositionError, match="on B7: it holds pieces of one side only"):
            CATALOGUE["skiriuk"].position("....__../......(LD)./....__.. L 0 0")

    @pytest.mark.parametrize(
        ("text", "throw", "expected"),
        [
            ("....__Ld/......../....__.. L 0 0", 1, []),  # A7 to A8: blank meets marked
            ("....__../.......l/....__.D L 0 0", 1, []),  # B8 to C8: marked meets blank
            ("....__.L/.......d/....__.. L 0 0", 1, ["A8B8x"]),  # turned over in the move
            ("....__../.......l/....__D. L 0 0", 2, []),  # C7: marked meets blank
            ("....__../......L./....__.. L 0 1", 1, ["B7A7*"]),
            ("....__d./......L./....__.. L 0 0", 1, []),  # A7: blank meets marked
        ],
    )
    def test_duels_at_the_wavy_corners(self, text, throw, expected):
        assert texts("skiriuk:1", text, throw) == expected

    def test_a_piece_is_turned_over_from_b8_on(self):
        with pytest.raises(IllegalPositionError, match=r"'l' cannot stand on A8 \(allowed: L, d\)"):
            texts("skiriuk:1", "....__.l/......../....__.. L 0 0", 1)

    def test_duels_on_ordinary_squares(self):
        assert texts("skiriuk:1", "....__../LD....../....__.. L 0 0", 1) == ["B1B2x"]
        assert texts("skiriuk:1", "....__../Ld....../....__.. L 0 0", 1) == []
        assert texts("skiriuk:2", "....__../LL....../....__.. L 0 2", 1) == ["B2B3"]

    def test_a_rosette_gives_a_throw_and_no_safety(self):
        (move,) = moves("skiriuk:1", "....__../.L.D..../....__.. L 0 0", 2)
        assert (move.text, move.again) == ("B2B4x*", True)
        (move,) = moves("skiriuk:1", "....__../LD....../....__.. L 0 0", 1)
        assert not move.again

    def test_b1_shelters_marked_pieces(self):
        assert texts("skiriuk:1", "....__../dl....../....__.. L 0 0", 1) == []
        assert texts("skiriuk:1", "L...__../D......./....__.. L 0 0", 1) == ["A1B1x"]
        assert texts("skiriuk:1", "....__../Dl....../....__.. L 0 0", 1) == []

    def test_off_from_b1_by_the_exact_count(self):
        assert texts("skiriuk:1", "....__../l......./....__.. L 0 1", 1) == ["B1B+"]
        assert texts("skiriuk:1", "....__../l......./....__.. L 0 1", 2) == []

    def test_the_opening_throw(self):
        assert CATALOGUE["skiriuk"].mechanics.opening_throw == 1
        assert CATALOGUE["ben"].mechanics.opening_throw is None


class TestBen:
    def test_a_jump_reaches_the_next_rosette_and_no_further(self):
        assert texts("ben:1", "....__../......../....__.. L 1 1", 0) == [
            "A@A4",
            "A@A3",
            "A@A2",
            "A@A1*",
        ]
        assert texts("ben:1", "..L.__../......../....__.. L 0 1", 0) == ["A3A2", "A3A1*"]
        assert texts("ben:1", "L...__../......../....__.. L 0 1", 0)[-1] == "A1B4*"

    def test_from_a_rosette_a_jump_reaches_the_one_after(self):
        on_a1 = "L...__../......../....__.. L 0 1"
        assert texts("ben:1", on_a1, 0) == ["A1B1", "A1B2", "A1B3", "A1B4*"]
        on_b4 = "....__../...L..../....__.. L 0 1"
        assert texts("ben:1", on_b4, 0) == ["B4B5", "B4B6", "B4B7", "B4A7*"]
        marked = "....__../.......l/....__.. L 0 1"
        assert texts("ben:1", marked, 0) == ["B8C8", "B8C7*"]

    # A1 has no room for a third blank piece of light's
    FULL = "(LL).L.__../......../....__.. L 0 3"

    def test_no_jump_passes_over_a_rosette_that_is_full(self):
        on_a3 = [text for text in texts("ben:3", self.FULL, 0) if text.startswith("A3")]
        assert on_a3 == ["A3A2"]

    def test_an_ordinary_move_passes_over_a_rosette(self):
        assert texts("ben:1", "..L.__../......../....__.. L 0 1", 3) == ["A3B1"]
        assert "A3B1" in texts("ben:3", self.FULL, 3)
        assert "A3A1*" not in texts("ben:3", self.FULL, 2)

    def test_a_jump_passes_over_pieces_but_captures_none(self):
        position = "L...__../D.d...../....__.. L 0 0"
        assert texts("ben:2", position, 0) == ["A1B2", "A1B3", "A1B4*"]

    def test_after_a_jump_one_throws_again_once(self):
        jumps = moves("ben:1", "....__../....L.../....__.. L 0 1", 0)
        assert [(move.text, move.again) for move in jumps] == [
            ("B5B6", True),
            ("B5B7", True),
            ("B5A7*", True),
        ]

    def test_a_jump_onto_a_conversion_square_converts(self):
        position = "....__L./......../....__.. L 0 1"
        assert after("ben:1", position, 0, "A7A8") == "....__.l/......../....__.. L 0 1"
        assert texts("ben:1", position, 0) == ["A7A8", "A7B8", "A7C8"]

    def test_beyond_the_last_rosette_jumps_go_to_b1_and_off_it(self):
        assert texts("ben:1", "....__../..l...../....__.. L 0 1", 0) == ["B3B2", "B3B1"]
        assert texts("ben:2", "....__../l......./....__.. L 1 2", 0)[-1] == "B1B+"
        assert all(move.again for move in moves("ben:2", "....__../l......./....__.. L 1 2", 0))

    def test_the_last_piece_off_by_a_jump_wins(self):
        (off,) = moves("ben:1", "....__../l......./....__.. L 0 1", 0)
        assert not off.again

    def test_no_room_to_jump_ends_the_turn(self):
        assert texts("ben:1", "....__../.......L/....__.d L 0 0", 0) == []

    def test_a_blank_piece_stops_at_the_second_conversion_square(self):
        assert texts("ben:1", "....__../.......L/....__.. L 0 1", 1) == ["B8C8"]
        assert texts("ben:1", "....__../.......L/....__.. L 0 1", 2) == []
        assert texts("ben:1", "....__../.......l/....__.. L 0 1", 2) == ["B8C7*"]

    def test_eyes_give_a_throw_and_a_capture_costs_it(self):
        (move,) = moves("ben:1", "....__../.....L../....__.. L 0 1", 1)
        assert (move.text, move.again) == ("B6B7", True)
        (move,) = moves("ben:1", "....__../.....LD./....__.. L 0 0", 1)
        assert (move.text, move.again) == ("B6B7x", False)
        (move,) = moves("ben:1", "....__../......../....__l. L 0 1", 1)
        assert (move.text, move.again) == ("C7B7", True)
        (move,) = moves("ben:1", "....__../......d./....__l. L 0 0", 1)
        assert (move.text, move.again) == ("C7B7x", False)
        (move,) = moves("ben:1", "....__../......../....__.. L 1 1", 1)
        assert (move.text, move.again) == ("A@A4", True)

    def test_rosettes_give_none(self):
        (move,) = moves("ben:1", "....__../..L...../....__.. L 0 1", 1)
        assert (move.text, move.again) == ("B3B4*", False)

    def test_duels_on_ordinary_squares(self):
        assert texts("ben:1", "....__../L.D...../....__.. L 0 0", 1) == ["B1B2"]
        assert texts("ben:1", "....__../LD....../....__.. L 0 0", 1) == ["B1B2x"]
        assert texts("ben:1", "....__../Ld....../....__.. L 0 0", 1) == []

    def test_a_rosette_holds_two_of_each_type_of_each_side(self):
        assert texts("ben:3", "....__../..L(LDDd)..../....__.. L 0 0", 1)[0] == "B3B4*"
        assert texts("ben:3", "....__../..L(LLDD)..../....__.. L 0 0", 1) == ["B4B5"]
        with pytest.raises(IllegalPositionError, match="2 pieces of one status and side at most"):
            CATALOGUE["ben"].position("....__../...(LLL)..../....__.. L 0 0")

    def test_a_passage_holds_two_of_different_type(self):
        own = "....__../.L(Ld)...../....__.. L 0 0"
        assert texts("ben:2", own, 1) == ["B3B4*"]
        theirs = "....__../.L(Dl)...../....__.. L 0 0"
        assert texts("ben:2", theirs, 1) == ["B2B3x"]
        assert after("ben:2", theirs, 1, "B2B3x") == "....__../..(Ll)...../....__.. D 0 1"
        other = "....__../.Ld...../....__.. L 0 0"
        assert after("ben:2", other, 1, "B2B3") == "....__../..(Ld)...../....__.. D 0 0"
        with pytest.raises(IllegalPositionError, match="one unmarked and one marked piece at most"):
            CATALOGUE["ben"].position("....__../..(LD)...../....__.. L 0 0")

    def test_conversion_squares(self):
        assert after("ben:1", "....__L./......../....__.. L 0 1", 1, "A7A8") == (
            "....__.l/......../....__.. D 0 1"
        )
        assert texts("ben:1", "....__Ld/......../....__.. L 0 0", 1) == []
        assert texts("ben:1", "....__../.......L/....__.d L 0 0", 1) == []
        assert texts("ben:1", "....__../.......l/....__.d L 0 0", 1) == ["B8C8x"]
        assert texts("ben:2", "....__../.......L/....__.l L 0 2", 1) == ["C8C7*"]

    def test_a_captured_piece_comes_home_blank(self):
        assert after("ben:1", "....__../.......l/....__.d L 0 0", 1, "B8C8x") == (
            "....__../......../....__.l D 0 1"
        )


class TestStacksInTheNotation:
    @pytest.mark.parametrize("cell", ["()", "(L)", "(LD", "(L.)", "(L(D))"])
    def test_wrong_parentheses(self, cell):
        with pytest.raises(PositionSyntaxError, match=r"B4 begins with '\(', expected '\.'"):
            CATALOGUE["casual"].position(f"....__../...{cell}..../....__.. L 0 0")


def test_a_position_in_which_nobody_can_ever_move_is_a_draw():
    twos = Dice.of("twos", {2: Fraction(1)})
    rules = dataclasses.replace(named_rules("finkel:1"), dice=twos)
    stuck = rules.position("....__L./......../....__D. L 0 0")
    assert is_draw(stuck)
    assert final_value(stuck) == 0.5
    waiting = rules.position("....__L./......../....__.. L 0 1")
    assert not is_draw(waiting)
    assert final_value(waiting) is None


def test_draws_are_those_of_the_readable_rules_in_all_states():
    twos = Dice.of("twos", {2: Fraction(1)})
    for rules in (dataclasses.replace(named_rules("finkel:1"), dice=twos), named_rules("birds:1")):
        space = space_of(rules)
        rows = space.unrank_states(np.arange(space.n_values))
        found = generator_of(rules).are_drawn(rows)
        assert found.tolist() == [is_draw(space.decode(row)) for row in rows.tolist()]
        assert found.any() == (rules.dice == twos)
