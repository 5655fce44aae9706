"""What a step leaves in place of an observation is what would be written anew."""

from __future__ import annotations

import numpy as np
import pytest

from fc_env import encoding, engine, scenarios
from fc_env.batch import Batch
from tests.adapters import pick

PAIRS = [("crossing", "dense"), ("duel", "standard"), ("skirmish", "dense"), ("convoy", "standard"), ("battle", "open")]
CHANGED = {"activations_per_card": 3, "aces": "all", "drift_hexes": 0, "map_edge": "wall", "countdown_to_doom": True}


def check(batch: Batch) -> None:
    """All observations are those that a look from scratch gives."""
    again = batch.seen_by(batch.actors)
    wrong = (batch.observations != again).any(axis=1)
    assert batch.observations.tobytes() == again.tobytes(), f"games {np.flatnonzero(wrong).tolist()}"


def play(batch: Batch, seed: int) -> None:
    """One step of random play; games that end start anew."""
    batch.step(pick(batch.masks, seed))
    if batch.over.any():
        check(batch)
        batch.reset(slots=np.flatnonzero(batch.over))


@pytest.mark.parametrize("aids", [False, True], ids=["plain", "aids"])
@pytest.mark.parametrize("rules", [None, CHANGED], ids=["usual", "changed"])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: " ".join(pair))
def test_steps_show_what_a_look_from_scratch_shows(pair: tuple[str, str], rules: dict | None, aids: bool) -> None:
    batch = Batch(scenarios.load(*pair, rules), 16, aids=aids)
    batch.reset(1)
    for step in range(120):
        play(batch, step)
        check(batch)


def test_games_put_in_place_by_hand_are_seen_as_they_are() -> None:
    batch = Batch(scenarios.load("skirmish", "standard"), 8, aids=True)
    batch.reset(2)
    states, games = [], []
    for step in range(60):
        if step % 7 == 0:
            states.append(batch.get_state())
            games.append(batch.games.copy())
        play(batch, step)
    for step in range(40):
        if step % 2:
            batch.set_state(states[step % len(states)])
            check(batch)
        else:
            batch.games[:] = games[step % len(games)]
            batch.look_again()
            check(batch)
        play(batch, 100 + step)
        check(batch)


def test_another_game_at_the_same_moment_is_seen_by_looking_again() -> None:
    batch = Batch(scenarios.load("crossing", "standard"), 2, aids=True)
    batch.reset(1)
    engine.clone(batch.games, rows=[1, 1], out=batch.games)
    batch.look_again()
    play(batch, 0)
    check(batch)


def test_a_seat_that_is_asked_again_may_find_its_view_in_place_in_part_or_whole() -> None:
    found = {encoding.NOTHING: 0, encoding.PLACES: 0, encoding.SHIPS: 0}
    batch = Batch(scenarios.load("crossing", "standard"), 8)
    batch.reset(3)
    for step in range(60):
        phases, turns, actions = batch.games["phase"].copy(), batch.games["turn"].copy(), pick(batch.masks, step)
        batch.step(actions)
        for i, game in enumerate(batch.games.view(np.recarray)):
            found[int(encoding.stands(phases[i], turns[i], actions[i], game))] += 1
        batch.reset(slots=np.flatnonzero(batch.over))
    assert min(found.values()) > 20
