"""A decoder rebuilds the seat's view from its observation."""

import numpy as np
import pytest

from fc_env import engine, scenarios
from fc_env.decoder import Decoder
from fc_env.errors import ScenarioError
from fc_env.notation import Position
from fc_env.observation import observe
from fc_env.rules.cards import RANKS_OF_A_SUIT, SUITED_CARDS
from fc_env.rules.setup import SETUP
from fc_env.state import Phase
from tests.random_play import drawn_setup, new_game, play
from tests.test_observation import half_turned

DOOMED = """fleet-captain position 1
map 30x20
mode battle
rules countdown_to_doom=true
turn 3
phase target
card QH
first 0
asked 1
ship 0 1010 NE flagship dice d8 d10 d12 slowness 3 hull 30/41 lasers 2 volleys 2 torpedo flaw torpedo_jams jammed power LMH shown order left
ship 0 1208 SW crew 2-9 captain JQ dice d4 d6 d8 slowness 1 hull 9 flaw blind_spot 4 power HML shown order drift
ship 1 1308 S flagship dice d6 d8 d10 slowness 2 hull 0/12 power MHL shown order right shown activated doom engine_stall
ship 1 1405 SW crew 2-9 dice d4 d6 d8 slowness 1 hull 0/5 sitting_duck flaw engine_imbalance right power LMH shown order drift
ship 1 1412 N crew 2-4 captain K dice d4 d6 d8 slowness 1 hull 7 flaw shield_flaw 2 power MLH shown order forward
marker 1209 SE 2
marker waiting 0105 NE 3
"""  # noqa: E501


def _alike(flipped: np.ndarray) -> np.ndarray:
    """Cards flipped by colour and rank, and jokers: what rules can tell apart, int (N, 27)."""
    bits = (flipped[:, None] >> np.arange(SUITED_CARDS + 4, dtype=np.uint64)) & np.uint64(1)
    black, red = (bits[:, start : start + 26].reshape(-1, 2, RANKS_OF_A_SUIT).sum(axis=1) for start in (0, 26))
    return np.concatenate([black, red, bits[:, SUITED_CARDS:].sum(axis=1, keepdims=True)], axis=1)


def _comparable(games: np.ndarray) -> np.ndarray:
    """Games without what no seat sees and no rule reads: tokens, numbering of contacts, which of two like cards."""
    plain = engine.view(games, 0)
    plain["ships"]["token"] = 0
    plain["side_token"] = 0
    plain["ships"]["contacts"] = 0
    plain["flipped"] = 0
    suit_matters = plain["card"] >= 0
    colour, rank = plain["card"] // 26, plain["card"] % RANKS_OF_A_SUIT
    plain["card"] = np.where(suit_matters, colour * 26 + rank, -1)
    plain["ships"]["power_shown"] = plain["ships"]["power"] > 0
    return plain


@pytest.mark.parametrize("field", ["open", "standard", "dense"])
def test_every_decision_of_random_games_decodes_to_the_view(field: str) -> None:
    setups = scenarios.load("crossing", field=field)
    decoder = Decoder(setups)
    games = engine.new(setups, range(6))
    generator = np.random.default_rng(0)
    for _ in range(60):
        decoded = decoder(observe(games, decoder.layout))
        np.testing.assert_array_equal(_alike(decoded["flipped"]), _alike(games["flipped"]))
        for name in games.dtype.names or ():
            np.testing.assert_array_equal(_comparable(decoded)[name], _comparable(games)[name], err_msg=name)
        games = games[games["phase"] != Phase.OVER].copy()
        if not len(games):
            break
        masks = engine.legal_mask(games)
        engine.step(games, (masks * generator.random(masks.shape)).argmax(axis=1))


def _battles() -> np.ndarray:
    """Battles as scenarios, SETUP (S,), each with the map, rules and pieces that were drawn for it."""
    drawn = (drawn_setup(seed) for seed in range(40))
    return np.concatenate([setups for setups in drawn if setups["game"]["n_ships"][0, 1]][:6])


@pytest.mark.parametrize("which", range(6))
def test_every_decision_of_random_battles_decodes_to_the_view_of_its_seat(which: int) -> None:
    setups = _battles()[which : which + 1]
    setups["game"]["goal"] = 0
    games = new_game(setups, which)
    asked = set()
    for decision in range(50):
        if games["phase"][0] == Phase.OVER:
            break
        seat = int(games["actor"][0])
        decoder = Decoder(setups)
        decoded = decoder(observe(games, decoder.layout))
        seen = engine.view(games, seat)
        wanted = _comparable(half_turned(seen) if seat else seen)
        for unknown in ("blast", "packets"):  # number dice
            wanted["ships"][unknown] = 0
        if wanted["phase"][0] < Phase.FLIP:
            wanted["first"] = _comparable(decoded)["first"]  # not yet known
        for name in games.dtype.names or ():
            np.testing.assert_array_equal(_comparable(decoded)[name], wanted[name], err_msg=f"{name} of seat {seat}")
        asked.add((seat, int(games["phase"][0])))
        play(games, np.array([which], np.uint64), decision, 1)
    assert len(asked) >= 4


def test_a_position_with_flaws_doom_and_a_target_to_choose_decodes_to_the_view() -> None:
    position = Position.parse(DOOMED)
    setups = np.zeros(1, SETUP)
    setups["game"][0] = position.game
    for seat in (0, 1):
        games = position.game.reshape(1).copy()
        if seat:
            games["actor"], games["asked"] = 1, 0
        decoder = Decoder(setups)
        decoded = _comparable(decoder(observe(games, decoder.layout)))
        seen = engine.view(games, seat)
        wanted = _comparable(half_turned(seen) if seat else seen)
        for unknown in ("blast", "packets"):
            wanted["ships"][unknown] = 0
        for name in games.dtype.names or ():
            np.testing.assert_array_equal(decoded[name], wanted[name], err_msg=f"{name} of seat {seat}")


def test_scenarios_that_differ_in_map_or_rules_are_refused() -> None:
    mixed = np.concatenate([scenarios.load("crossing", field="dense"), scenarios.load("tiny")])
    with pytest.raises(ScenarioError, match="width"):
        Decoder(mixed)
