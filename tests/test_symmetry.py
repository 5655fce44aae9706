"""Nothing depends on which side is seat 0 (COR-7): the board turned, the seats swapped, the same decisions taken, every
piece meets the same fate.

A field that is diced is not symmetric itself; that neither side is favoured by it is shown by turning it as well. A
turned field is as likely as the field, as its facing, rows and hexes are all drawn evenly.
"""

from __future__ import annotations

import numpy as np
import pytest
from turning import play, same_but_for_who_is_asked, turned

from fc_env import engine, scenarios
from fc_env.lab.fuzzing.scenes import drawn_setup, new_game
from fc_env.state import Outcome

BATTLES = ("duel", "skirmish", "battle", "ambush", "convoy")


def piece_by_piece(games: np.ndarray, key: int) -> int:
    """Play a laid game and its turned one and compare all they come through; returns the outcome."""
    keys = np.uint64(key)
    there, here = play(turned(games), keys), play(games.copy(), keys)
    for number, (game, other) in enumerate(zip(here, there, strict=True)):
        expected = turned(game)
        for field in ("ships", "markers"):
            assert (expected[field] == other[field]).all(), (key, number, field)
        assert same_but_for_who_is_asked(expected, other), (key, number)
    return int(here[-1]["outcome"][0])


@pytest.mark.parametrize("name", BATTLES)
@pytest.mark.parametrize("field", ["standard", "dense"])
def test_a_shipped_battle_turned_plays_the_same(name, field):
    seeds = range(8 if engine.COMPILED else 1)
    games = engine.new(scenarios.load(name, field), seeds)
    outcomes = {piece_by_piece(games[seed : seed + 1], seed) for seed in seeds}
    assert Outcome.NONE not in outcomes


@pytest.mark.parametrize("seed", range(20, 30))
def test_games_under_other_rules_turned_play_the_same(seed):
    """Scenarios drawn at random: walls, small hexes, aces, any number of ships and goals."""
    games = new_game(drawn_setup(seed, crowded=seed % 2 == 0), seed)
    if games["n_ships"][0, 1]:
        piece_by_piece(games, seed)


def test_turning_twice_changes_nothing():
    games = engine.new(scenarios.load("battle", "dense"), range(3))
    assert turned(turned(games)).tobytes() == games.tobytes() != turned(games).tobytes()


def test_swapped_dice_would_be_noticed():
    """The comparison can fail: with the ships' names to the dice left with the seats, the games differ."""
    games = engine.new(scenarios.load("battle"), [3])
    other = turned(games)
    other["ships"]["token"] = games["ships"]["token"]
    keys = np.uint64(3)
    ends = [play(batch.copy(), keys)[-1] for batch in (games, other)]
    assert not same_but_for_who_is_asked(turned(ends[0]), ends[1])
