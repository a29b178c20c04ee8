"""Policies do what their names say, asked for many turns at once or for the choices of games."""

import numpy as np
import pytest

from tests.games import HashValues
from tests.golden import each_kind
from tests.moves.test_generator import random_states
from tests.thumbs import ORDERS
from ur_solver.api.table import Table
from ur_solver.errors import InputError
from ur_solver.moves import MoveGenerator
from ur_solver.players.policies import (
    PLAYERS,
    PRIORITIES,
    TEMPERATURES,
    AnyMove,
    Asked,
    Player,
    TablePolicy,
    policy_of,
)
from ur_solver.records import stepper_of
from ur_solver.rules import CATALOGUE, named_rules
from ur_solver.rules.turns import total

pytestmark = pytest.mark.medium

RULES = named_rules("finkel:4")
VALUES = HashValues(RULES)


def turns_of(rules, n=150, seed=1):
    generator = MoveGenerator(rules)
    rows = random_states(generator, 20, 60, seed=seed)[:n]
    for choices, members in generator.by_choices(rows):
        for choice in choices:
            yield generator.every_throw(rows[members], choice), choice
        if len(choices) > 1:
            yield generator.before_throw(rows[members], choices), None


@pytest.mark.parametrize("name", [*PLAYERS, *PRIORITIES])
@pytest.mark.parametrize("rules", ["finkel:4", "birds:3", "ben:3"])
def test_weights_are_chances(name, rules):
    rules = named_rules(rules)
    policy = policy_of(name, HashValues(rules))
    for turns, _ in turns_of(rules, 40):
        weights = policy.weights(turns)
        assert (weights >= 0).all()
        assert np.add.reduceat(weights, turns.starts[:-1]) == pytest.approx(1)


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("rules", each_kind(name for name in CATALOGUE if name != "bell-stakes"))
def test_named_orders_choose_what_they_say(name, rules):
    """Turn by turn, of the options that games are recorded by, and in their order."""
    rules = named_rules(rules, 3)
    stepper = stepper_of(rules)
    player = Player(rules, policy_of(name, HashValues(rules)))
    rng = np.random.default_rng(0)
    for turns, choice in turns_of(rules, 150):
        chosen = np.flatnonzero(policy_of(name, HashValues(rules)).weights(turns))
        for k in np.flatnonzero(turns.n_options > 1):
            state = turns.rows[k].tobytes()
            if choice is None:
                options, asked = stepper.choices(state), Asked(state)
            else:
                throw = turns.generator.throws[turns.throws[k]]
                options = stepper.steps(state, throw, choice.name)
                asked = Asked(state, throw, choice.name)
            index = ORDERS[name](options)
            assert chosen[k] - turns.starts[k] == index
            assert player.choose([asked], rng) == [index]


class Leaning:
    """Takes the first option three times in four, and of others any."""

    def weights(self, turns):
        rest = np.maximum(turns.n_options - 1, 1)[turns.turn_of]
        weights = np.where(turns.n_options[turns.turn_of] > 1, 0.25 / rest, 1.0)
        weights[turns.starts[:-1][turns.n_options > 1]] = 0.75
        return weights


@pytest.mark.parametrize("rules", ["finkel:4", "birds:3"])
def test_a_player_takes_each_option_as_often_as_its_policy_says(rules):
    """Many choices at once, some before the throw and some after it, stay in their order."""
    rules = named_rules(rules)
    asked, n_options = [], []
    for turns, choice in turns_of(rules, 40):
        for k in np.flatnonzero(turns.n_options > 1):
            state = turns.rows[k].tobytes()
            throw = None if choice is None else turns.generator.throws[turns.throws[k]]
            asked.append(Asked(state, throw, "" if choice is None else choice.name))
            n_options.append(int(turns.n_options[k]))
    order = np.random.default_rng(2).permutation(len(asked)).tolist()
    many = [asked[k] for k in order] * 40
    most = np.array([n_options[k] for k in order] * 40)
    for policy, share in ((AnyMove(), np.mean(1 / most)), (Leaning(), 0.75)):
        player = Player(rules, policy)
        chosen = np.array(player.choose(many, np.random.default_rng(3)))
        assert (chosen < most).all()
        assert np.mean(chosen == 0) == pytest.approx(share, abs=4 * 0.5 / len(many) ** 0.5)
        assert chosen.tolist() == player.choose(many, np.random.default_rng(3))


@pytest.mark.parametrize(
    ("name", "position", "throw", "move"),
    [
        ("capture", "L...__../L.D...../....__.. L 2 3", 2, "B1B3x"),
        ("rosette", "..L.__../L......./....__.. L 2 4", 2, "A3A1*"),
        ("furthest", "..L.__../L......./....__.. L 2 4", 2, "B1B3"),
        ("rearmost", "..L.__../L......./....__.. L 0 4", 2, "A3A1*"),
        ("enter", "..L.__../L......./....__.. L 2 4", 1, "A@A4"),
        ("off", "....__L./L......./....__.. L 2 4", 1, "A7A+"),
        # a piece on B5 can be captured from B3 by 2; B2 lies behind, and row A is light's own
        ("safe+enter", "...L__../.LD...../....__.. L 2 3", 3, "A@A2"),
        ("safe+furthest", "...L__../.LD...../....__.. L 2 3", 3, "A4A1*"),
        ("furthest", "...L__../.LD...../....__.. L 2 3", 3, "B2B5"),
    ],
)
def test_priorities(name, position, throw, move):
    position = RULES.position(position)
    generator = MoveGenerator(RULES)
    row = np.array([list(generator.space.encode(position))], dtype=generator.space.state_dtype)
    number = np.array([generator.throws.index(throw)], dtype=np.int32)
    turns = generator.successors(row, number, np.array([3], dtype=np.uint8))
    (chosen,) = np.flatnonzero(policy_of(name, VALUES).weights(turns))
    assert RULES.legal_moves(position, throw)[chosen].text == move


def test_a_function_is_a_policy():
    seen = []

    def decide(position, options):
        seen.append((position, options))
        assert position.side == "L"
        return options[-1]

    policy = policy_of(decide, VALUES)
    for turns, _ in turns_of(RULES, 20):
        chosen = np.flatnonzero(policy.weights(turns))
        assert chosen.tolist() == (turns.starts[1:] - 1).tolist()
    assert seen
    assert all(len(options) > 1 for _, options in seen)

    wrong = policy_of(lambda position, options: "resign", VALUES)
    with pytest.raises(InputError, match="decided on 'resign'"):
        wrong.weights(next(turns_of(RULES, 20))[0])


@pytest.mark.parametrize(
    ("rules", "n_moves_least", "n_choices_least"),
    [("finkel:2", 50, 0), ("bell-stakes:2", 20, 0), ("birds:2", 0, 5)],
)
def test_options_are_worth_what_the_table_says_of_moves_and_choices(
    rules, n_moves_least, n_choices_least, solved
):
    rules = named_rules(rules)
    n_moves = n_choices = 0
    with Table(solved(rules)) as table:
        policy = TablePolicy(table)
        for turns, choice in turns_of(rules, 25):
            worth = policy.ranked(turns).worth
            for k in range(len(turns)):
                position = turns.generator.position(turns.rows[k])
                mine = worth[turns.starts[k] : turns.starts[k + 1]]
                if choice is None:
                    choices = table.choices(position)
                    expected = [choices[each.name] for each in turns.choices]
                    assert mine == pytest.approx(expected, abs=1e-9)
                    n_choices += 1
                elif rules.name != "birds" and turns.throws[k] >= 0:
                    throw = turns.generator.throws[turns.throws[k]]
                    moves = table.moves(position, throw)
                    if moves:
                        assert sorted(mine, reverse=True) == pytest.approx(
                            [each.value for each in moves], abs=1e-9
                        )
                        n_moves += 1
    assert n_moves >= n_moves_least
    assert n_choices >= n_choices_least


def test_players_err_by_shares_of_the_pot(solved):
    """With stakes, a move that loses the temperature of the pot is taken 1/e times as often."""
    rules = named_rules("bell-stakes:2")
    n_compared = 0
    with Table(solved(rules)) as table:
        policy = policy_of("medium", table)
        for turns, _ in turns_of(rules, 150):
            weights = policy.weights(turns)
            for k, row in enumerate(turns.rows):
                position = turns.generator.position(row)
                throw = int(turns.throws[k])
                moves = [] if throw < 0 else table.moves(position, turns.generator.throws[throw])
                if len(moves) < 2:
                    continue
                losses = np.array([each.loss for each in moves]) / total(position)
                own = np.sort(weights[turns.starts[k] : turns.starts[k + 1]])[::-1]
                odds = np.exp(-losses / TEMPERATURES["medium"])
                assert own == pytest.approx(odds / odds.sum(), abs=1e-9)
                n_compared += 1
    assert n_compared > 20


def test_unknown_names():
    with pytest.raises(InputError, match="unknown part 'lucky'; expected one of table, "):
        policy_of("capture+lucky", VALUES)
    with pytest.raises(InputError, match="capture"):
        policy_of("", VALUES)
