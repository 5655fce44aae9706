"""A game is a function of its scenario, its seed and the actions, and of nothing else."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_play
from random_play import choose, digests, mixed_games, play, trace_digest

from fc_env import engine, scenarios
from fc_env.errors import ForcedDiceError
from fc_env.jit import COMPILED
from fc_env.lab.fuzzing.scenes import drawn_setup
from fc_env.notation import Position
from fc_env.state import Phase, digest

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered in scalar")

SCRIPT = Path(random_play.__file__)
EDGE_SEEDS = [0, 1, 2**31, 2**32, 2**63 - 1]
MANY = 64 if COMPILED else 6


def in_another_process(seeds: list[int], **environment: str) -> dict[str, Any]:
    """Digests of whole games, played elsewhere."""
    root = SCRIPT.parent.parent
    settings = {**os.environ, "PYTHONPATH": str(root), **environment}
    command = [sys.executable, str(SCRIPT), *map(str, seeds)]
    done = subprocess.run(command, env=settings, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.fixture(scope="module")
def here() -> dict[str, Any]:
    return random_play.whole_games(EDGE_SEEDS)


# ---- batches


@pytest.fixture(scope="module")
def batch() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Games of many scenarios, their keys, and how each ends when all are played together."""
    games, keys = mixed_games(range(100, 100 + MANY))
    ends = games.copy()
    play(ends, keys)
    assert (ends["phase"] == Phase.OVER).all()
    return games, keys, digests(ends)


def test_many_games_are_as_many_single_games(batch: tuple) -> None:
    games, keys, ends = batch
    for i in range(len(games)):
        alone = games[i : i + 1].copy()
        play(alone, keys[i : i + 1])
        assert digest(alone) == ends[i]


def test_the_order_of_a_batch_does_not_matter(batch: tuple) -> None:
    games, keys, ends = batch
    order = np.random.default_rng(0).permutation(len(games))
    shuffled = games[order]
    play(shuffled, keys[order])
    assert digests(shuffled) == [ends[i] for i in order]


@pytest.mark.parametrize("size", [2, 3, 7])
def test_the_size_of_a_batch_does_not_matter(batch: tuple, size: int) -> None:
    games, keys, ends = batch
    found = []
    for start in range(0, len(games), size):
        part = games[start : start + size].copy()
        play(part, keys[start : start + size])
        found += digests(part)
    assert found == ends


def test_parting_and_joining_batches_midway_does_not_matter(batch: tuple) -> None:
    games, keys, ends = batch
    half = len(games) // 2
    parts = [games[:half].copy(), games[half:].copy()]
    for part, own in zip(parts, (keys[:half], keys[half:]), strict=True):
        play(part, own, decisions=5)
    joined = np.concatenate(parts[::-1])
    play(joined, np.concatenate([keys[half:], keys[:half]]), first=5)
    assert digests(joined) == ends[half:] + ends[:half]


def test_new_games_do_not_depend_on_the_batch_they_are_made_in() -> None:
    setups = np.concatenate([scenarios.load("tiny"), scenarios.load("crossing", field="standard")])
    seeds, which = [*EDGE_SEEDS, 5, 6, 7], [0, 1] * 4
    together = engine.new(setups, seeds, which=which)
    for i in range(len(seeds)):
        alone = engine.new(setups[which[i]], [seeds[i]])
        assert digest(alone) == digest(together[i : i + 1])


# ---- seeds and processes


def test_different_seeds_are_different_games(here: dict) -> None:
    assert len({tuple(found) for found in here.values()}) == len(EDGE_SEEDS)
    crossing = scenarios.load("crossing", field="dense")
    games = engine.new(crossing, range(200))
    assert len({games[i]["markers"].tobytes() for i in range(200)}) == 200


def test_seed_0_is_a_seed_like_any_other(here: dict) -> None:
    assert random_play.whole_games([0])["0"] == here["0"]


def test_the_two_spaces_play_different_games() -> None:
    crossing = scenarios.load("crossing", field="dense")
    train, test = (engine.new(crossing, [5], space=space) for space in ("train", "test"))
    assert (train["markers"] != test["markers"]).any()


@pytest.mark.parametrize("hash_seed", ["0", "1", "4294967295"])
def test_every_process_plays_the_same_games(here: dict, hash_seed: str) -> None:
    assert in_another_process(EDGE_SEEDS, PYTHONHASHSEED=hash_seed) == here


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", range(20))
def test_every_process_plays_the_same_games_for_twenty_hash_seeds(here: dict, hash_seed: int) -> None:
    assert in_another_process(EDGE_SEEDS, PYTHONHASHSEED=str(hash_seed)) == here


def test_compiled_and_uncompiled_code_play_the_same_games(here: dict) -> None:
    """With all their events and dice; whichever this process is, the other one is the other."""
    other = in_another_process(EDGE_SEEDS[:3], NUMBA_DISABLE_JIT="1" if COMPILED else "0", PYTHONWARNINGS="ignore")
    assert other == {seed: found for seed, found in here.items() if seed in other}
    assert len(other) == 3


@pytest.mark.slow
def test_code_with_every_index_checked_plays_the_same_games() -> None:
    seeds = list(range(40))
    checked = in_another_process(seeds, NUMBA_DISABLE_JIT="0", NUMBA_BOUNDSCHECK="1")
    assert checked == in_another_process(seeds, NUMBA_DISABLE_JIT="0")


# ---- recording


def test_recording_makes_no_difference_to_the_games(batch: tuple) -> None:
    games, keys, ends = batch
    recorded = games.copy()
    traces = play(recorded, keys, record=True)
    assert digests(recorded) == ends
    assert sum(len(trace.events) for trace in traces) > 0 and sum(len(trace.dice) for trace in traces) > 0


def test_nothing_is_recorded_unasked(batch: tuple) -> None:
    games, keys, _ = batch
    traces = play(games.copy(), keys, decisions=3)
    assert len(traces) == 3 and all(len(trace.events) == len(trace.dice) == 0 for trace in traces)


@pytest.mark.parametrize("capacity", [1, 3])
def test_a_tape_that_has_to_grow_records_the_same(batch: tuple, monkeypatch: pytest.MonkeyPatch, capacity: int) -> None:
    games, keys, _ = batch
    few, own = games[:4], keys[:4]
    expected, grown = few.copy(), few.copy()
    before = trace_digest(play(expected, own, decisions=40, record=True))
    monkeypatch.setattr(engine, "FIRST_CAPACITY", capacity)
    made: list[int] = []
    new_tape = engine.new_tape

    def noted(size: int = 0, forced: list[int] | None = None) -> Any:
        made.append(size)
        return new_tape(size, forced)

    monkeypatch.setattr(engine, "new_tape", noted)
    assert trace_digest(play(grown, own, decisions=40, record=True)) == before
    assert digests(grown) == digests(expected)
    assert max(made) > capacity


# ---- forced dice


def dice_of(game: np.ndarray, action: int) -> list[int]:
    return [int(value) for value in engine.step(game.copy(), [action], record=True).dice["value"]]


def test_forcing_the_dice_that_fall_anyhow_changes_nothing() -> None:
    """A whole game, each step with the dice that chance would have given it."""
    games, keys = mixed_games([300, 301, 302])
    for i in range(len(games)):
        game, key = games[i : i + 1].copy(), keys[i : i + 1]
        free = game.copy()
        for decision in range(60):
            if game["phase"][0] == Phase.OVER:
                break
            action = int(choose(engine.legal_mask(game), key, decision)[0])
            fell = engine.step(free, [action], record=True)
            forced = engine.step(game, [action], dice=[int(value) for value in fell.dice["value"]])
            assert digest(game) == digest(free)
            assert forced.dice.tobytes() == fell.dice.tobytes() and forced.events.tobytes() == fell.events.tobytes()


MOVING = """fleet-captain position 1
map 10x8
phase card
card 10C
ship 0 0505 NE flagship dice d6 d8 d10 slowness 2 hull 10 power LMH shown order right
"""


def refused(dice: list, *wanted: str, position: str = MOVING, action: str = "ship 0 acts") -> None:
    """The dice are refused, the words are in the message, and the game is as it was."""
    game = copy.deepcopy(np.atleast_1d(Position.parse(position).game))
    before = digest(game)
    number = engine.act.NAMES.index(action)
    with pytest.raises(ForcedDiceError) as caught:
        engine.step(game, [number], dice=dice)
    assert digest(game) == before
    for words in wanted:
        assert words in str(caught.value)


def test_too_few_dice_are_refused_by_the_name_of_the_next_one() -> None:
    refused([], "ran short after 0", "a d10 for movement of piece 0 in turn 1")


def test_too_few_dice_are_refused_in_the_middle_of_a_step() -> None:
    """A d10 for the move, and three dice for the contact in the first hex: avoid, damage, and the laser's."""
    laser = MOVING.replace("hull 10", "hull 30 lasers 1") + "marker 0604 SE 6\n"
    refused([2, 1], "ran short after 2", "a d20 for contact damage of piece 0", position=laser)
    refused([2, 1, 9], "ran short after 3", "a d6 for laser of piece 0", position=laser)


def test_too_many_dice_are_refused_with_those_left_over() -> None:
    # The only ship has moved: the turn ends without another card, and with the next turn's power the player chooses.
    refused([4, 3, 2], "2 of 3 forced dice were not used: [3, 2]")


@pytest.mark.parametrize("face", [0, 11, -1, 2**40, 2**70])
def test_a_face_that_is_not_on_the_die_is_refused(face: int) -> None:
    refused([face], f"forced die 0 is {face}", "a d10 for movement of piece 0")


@pytest.mark.parametrize("die", [1.0, None, True, [3]])
def test_what_is_no_number_and_no_card_is_refused(die: object) -> None:
    refused([die], "want an integer, or a card such as '10C'")


@pytest.mark.parametrize("card", ["11C", "C10", "1S", "KX", "", "jokers"])
def test_a_card_that_does_not_exist_is_refused(card: str) -> None:
    refused([card], "want a rank 2..10 J Q K A and a suit C S H D, or 'joker'", action="pass")


def test_a_card_flipped_before_is_refused() -> None:
    refused(["10C"], "forced die 0 is '10C'", "a card for card", action="pass")
    twice = MOVING.replace("card 10C", "card 10C\nflipped KH QS")
    refused(["QS"], "forced die 0 is 'QS'", position=twice, action="pass")
    # Nor the same one twice in a step: on a red card no one can act where there is no enemy, so the next is flipped.
    refused(["KH", "KH"], "forced die 1 is 'KH'", action="pass")


def test_a_joker_that_is_not_in_the_deck_is_refused() -> None:
    without = MOVING.replace("map 10x8", "map 10x8\nrules jokers=0")
    refused(["joker"], "forced die 0 is 'joker'", position=without, action="pass")


def test_dice_are_forced_for_one_game_only() -> None:
    games = engine.new(scenarios.load("tiny"), [1, 2])
    before = digest(games)
    with pytest.raises(ForcedDiceError, match="not for a batch of 2"):
        engine.step(games, engine.legal_mask(games).argmax(axis=1), dice=[1])
    assert digest(games) == before


def test_refused_dice_leave_a_phase_and_a_new_game_undone() -> None:
    game = np.atleast_1d(Position.parse(MOVING + "marker 0101 S 2\n").game).copy()
    before = digest(game)
    for dice in ([], [7], [1, 1]):
        with pytest.raises(ForcedDiceError):
            engine.run_phase(game, "drift", dice=dice)
        with pytest.raises(ForcedDiceError):
            engine.advance(game, dice=[1, 1, 1])
    assert digest(game) == before
    assert engine.run_phase(game, "drift", dice=[1]).dice["value"].tolist() == [1]
    with pytest.raises(ForcedDiceError, match="ran short"):
        engine.new(drawn_setup(3), [1], dice=[])
