"""A decoder rebuilds the seat's view from its observation."""

import numpy as np
import pytest

from fc_env import engine, scenarios
from fc_env.decoder import Decoder
from fc_env.errors import ScenarioError
from fc_env.observation import observe
from fc_env.rules.cards import RANKS_OF_A_SUIT, SUITED_CARDS
from fc_env.state import Phase


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


def test_scenarios_that_differ_in_map_or_rules_are_refused() -> None:
    mixed = np.concatenate([scenarios.load("crossing", field="dense"), scenarios.load("tiny")])
    with pytest.raises(ScenarioError, match="width"):
        Decoder(mixed)
