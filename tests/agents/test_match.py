"""Matches: every seed twice with the seats swapped, damage by its cause, intervals that count pairs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_battle import small_battle

import agents
from agents import match
from agents.match import score, summary, win_rate, words
from fc_env import actions as act
from fc_env import engine, scenarios
from fc_env.errors import ConfigError, IllegalActionError, SeedError
from fc_env.events import Rule
from fc_env.lab import playing
from fc_env.lab.playing import Played
from fc_env.lab.referee import Player, of_callable
from fc_env.lab.statistics import paired_mean
from fc_env.lab.tally import COUNTS
from fc_env.observation import Layout, observe
from fc_env.state import MAX_SHIPS, Outcome, Phase

SETUPS = small_battle(hull=4)
SEEDS = [3, 2**63 - 1, 10]


def first_legal(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Passes whenever it may."""
    return masks.argmax(axis=1)


def last_legal(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Acts whenever it may."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def play(first: Any, second: Any, setups: np.ndarray = SETUPS, seeds: list[int] = SEEDS) -> Played:
    """A match of two callables."""
    return playing.play((of_callable(first, setups), of_callable(second, setups)), setups, seeds)


def alone(seed: int, seat_of_first: int) -> dict[str, Any]:
    """One game of ``last_legal`` against ``first_legal`` by itself, its damage told from the hull before and after."""
    game = engine.new(SETUPS, [seed], "test")
    found: dict[str, Any] = {name: [0, 0] for name in ("decisions", "attacks", "density", "dealt")}
    found |= {name: [0, 0] for name in ("lost_to_fire", "lost_to_blasts", "lost_to_asteroids", "contacts", "avoided")}
    while game[0]["phase"] != Phase.OVER:
        side = int(game[0]["actor"]) ^ seat_of_first
        agent = (last_legal, first_legal)[side]
        found["decisions"][side] += 1
        actions = agent(observe(game, Layout.of(SETUPS)), engine.legal_mask(game))
        firer, weapon = -1, ""
        for event in engine.step(game, actions, record=True).events:
            name = Rule(int(event["rule"])).id
            value, at = int(event["value"]), int(event["seat"]) ^ seat_of_first
            if name in ("FIR-4", "FIR-5", "FIR-6", "DOOM-3"):
                firer, weapon = at, name
                assert name == "DOOM-3" or value == MAX_SHIPS * (1 - int(event["seat"]))
            elif name == "FIR-1" and weapon == "DOOM-3":
                found["lost_to_blasts"][at] += value
            elif name == "FIR-1":
                found["attacks"][firer] += 1
                found["dealt"][firer] += value
                found["lost_to_fire"][at] += value
            elif name == "FIR-2":
                found["density"][at] += value
            elif name == "CON-2":
                found["lost_to_asteroids"][at] += value
            elif name == "CON-1":
                found["contacts"][at] += 1
                found["avoided"][at] += value == 0
    outcome = int(game[0]["outcome"])
    signs = {int(Outcome.SEAT_0_WINS): 1, int(Outcome.SEAT_1_WINS): -1, int(Outcome.DRAW): 0}
    return found | {"result": signs[outcome] * (1, -1)[seat_of_first], "turns": int(game[0]["turn"])}


@pytest.fixture(scope="module")
def played() -> Played:
    return play(last_legal, first_legal, SETUPS, SEEDS)


def test_a_match_is_so_many_single_games(played: Played) -> None:
    for row, seed in enumerate(SEEDS):
        for seat in range(2):
            single = alone(seed, seat)
            assert {name: getattr(played, name)[row, seat].tolist() for name in single} == single
    assert played.seeds.tolist() == SEEDS
    # The games have in them what is counted.
    assert all(getattr(played, name).sum() for name in ("attacks", "density", "dealt", "lost_to_asteroids"))
    assert (played.result != 0).any()


def test_all_damage_by_fire_is_someones(played: Played) -> None:
    assert (played.dealt.sum(axis=2) == played.lost_to_fire.sum(axis=2)).all()
    assert (played.dealt == played.lost_to_fire[:, :, ::-1]).all()  # one ship a side: there are no strays


def test_the_same_again_in_batches_of_any_size(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "BATCH", 4)
    again = play(last_legal, first_legal)
    for name in ("seeds", "result", "outcome", "turns", "forfeit", "hull_lost", *COUNTS):
        assert getattr(again, name).tolist() == getattr(played, name).tolist()


def test_swapped_seats_mirror_the_match(played: Played) -> None:
    # The second agent's games are the first one's with the seats swapped.
    back = play(first_legal, last_legal, SETUPS, SEEDS)
    assert (back.result == -played.result[:, ::-1]).all()
    for name in ("hull_lost", *COUNTS):
        assert (getattr(back, name) == getattr(played, name)[:, ::-1, ::-1]).all()


def test_equal_agents_are_even() -> None:
    even = play(last_legal, last_legal, SETUPS, SEEDS)
    assert (even.result[:, 0] == -even.result[:, 1]).all() and score(even).value == 0.5
    assert (even.dealt[:, 0] == even.dealt[:, 1, ::-1]).all() and (even.dealt[:, 0] != even.dealt[:, 1]).any()


def test_who_acts_is_asked_with_what_that_seat_sees() -> None:
    layouts = (Layout(1, 1, 2), Layout(1, 1, 5))
    for seen, agent in zip(layouts, (last_legal, first_legal), strict=True):
        sizes: set[int] = set()

        def noting(observations: np.ndarray, masks: np.ndarray, agent: Any = agent, sizes: Any = sizes) -> np.ndarray:
            sizes.add(observations.shape[1])
            return np.asarray(agent(observations, masks))

        one, other = (noting, first_legal) if agent is last_legal else (last_legal, noting)
        players = [Player("any", who, layout) for who, layout in zip((one, other), layouts, strict=True)]
        playing.play(players, SETUPS, SEEDS[:1])
        assert sizes == {seen.size}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda seen, masks: (~masks).argmax(axis=1), "agent '<lambda>' chose action"),
        (lambda seen, masks: masks.argmax(axis=1) + 0.5, "agent '<lambda>' gave float64"),
        (lambda seen, masks: 0, "agent '<lambda>' gave int64 ()"),
    ],
)
def test_an_agent_that_does_not_follow_the_mask_is_refused(answer: agents.Agent, message: str) -> None:
    with pytest.raises(IllegalActionError) as refused:
        play(first_legal, answer, SETUPS, SEEDS[:1])
    assert message in str(refused.value)


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(ConfigError, match="no seeds"):
        play(first_legal, first_legal, SETUPS, [])
    with pytest.raises(SeedError, match="seed -1: want an integer from 0"):
        play(first_legal, first_legal, SETUPS, [-1])
    with pytest.raises(ConfigError, match="2 players in a scenario with 1 sides"):
        play(first_legal, first_legal, scenarios.load("tiny"), [1])
    with pytest.raises(ConfigError, match="1 players in a scenario with 2 sides"):
        playing.play([of_callable(first_legal, SETUPS)], SETUPS, [1])


# ---- figures


def test_an_interval_by_hand() -> None:
    # 30 pairs both won, 10 shared, 20 both lost; with one more won and one more lost there are 62, and their mean has a
    # standard error of sqrt(((33.5 / 62) - (36 / 62)**2) / 62); so many pairs are as good as normal.
    worth = np.array([[1.0, 1.0]] * 30 + [[1.0, 0.0]] * 10 + [[0.0, 0.0]] * 20)
    centre = 36 / 62
    half = 1.96 * math.sqrt((33.5 / 62 - centre**2) / 62)
    assert paired_mean(worth) == pytest.approx((35 / 60, centre - half, centre + half), abs=0.01)
    assert paired_mean(worth) == paired_mean(worth[::-1])


@pytest.mark.parametrize("rate", [0.5, 0.9, 0.97])
@pytest.mark.parametrize("alike", [-0.4, 0.0, 0.6])
def test_an_interval_covers_the_truth(rate: float, alike: float) -> None:
    """Pairs whose games have so much in common (or, as with an edge of one seat, so little)."""
    generator = np.random.default_rng(17)
    inside = 0
    for _ in range(600):
        one = generator.random((100, 1))
        other = one if alike >= 0 else 1.0 - one
        both = np.where(generator.random((100, 1)) < abs(alike), other, generator.random((100, 1)))
        found = paired_mean((np.hstack([one, both]) < rate).astype(float), 500)
        inside += found.low <= rate <= found.high
    assert inside >= 0.93 * 600


def test_pairs_that_are_one_game_twice_count_once() -> None:
    won = np.random.default_rng(2).random((400, 1)) < 0.6
    twice = paired_mean(np.hstack([won, won]).astype(float))
    apart = paired_mean(
        np.random.default_rng(3).permutation(np.hstack([won, won]).ravel()).reshape(-1, 2).astype(float)
    )
    assert (twice.high - twice.low) / (apart.high - apart.low) == pytest.approx(math.sqrt(2), rel=0.1)


def of_results(result: list[list[int]]) -> Played:
    """A match with these results and nothing in it."""
    n = len(result)
    counts = {name: np.zeros((n, 2, 2), np.int64) for name in COUNTS}
    counts["decisions"] += 3
    each, sides = np.zeros((n, 2), np.int64), np.zeros((n, 2, 2))
    return Played(np.arange(n, dtype=np.uint64), np.array(result), each, each + 4, each - 1, sides, sides, counts)


def test_all_won_is_not_certain() -> None:
    rate = win_rate(of_results([[1, 1]] * 10))
    assert rate.value == rate.high == 1.0 and 0.6 < rate.low < 0.9


def test_a_summary_adds_up() -> None:
    said = summary("one", "two", of_results([[1, 0], [1, -1], [1, 1], [-1, 0]]))
    assert (said["seeds"], said["games"], said["wins"], said["draws"], said["losses"]) == (4, 8, 4, 2, 2)
    assert (said["win_rate"], said["score"], said["mean_turns"]) == (0.5, 0.625, 4.0)
    assert [one["win_rate"] for one in said["by_seat"]] == [0.75, 0.25]
    assert [(one["wins"], one["draws"], one["losses"]) for one in said["by_seat"]] == [(3, 0, 1), (1, 2, 1)]
    assert said["sides"][0]["decisions"] == 3.0 and said["sides"][1]["density_per_attack"] is None
    row = [cell.strip() for cell in words([said]).splitlines()[2].strip("|").split("|")]
    assert row[:5] == ["one against two", "4", "2", "2", "50.0%"] and row[-3:] == ["75.0%", "25.0%", "4.0"]


def test_what_is_said_of_the_damage(played: Played) -> None:
    said = summary("one", "two", played)
    games, side = 2 * len(SEEDS), said["sides"][0]
    assert side["dealt"] == played.dealt[:, :, 0].sum() / games
    assert side["density_per_attack"] == played.density[:, :, 0].sum() / played.attacks[:, :, 0].sum()
    assert sum(said["shares_of_damage"].values()) == pytest.approx(1.0)
    rocks = played.lost_to_asteroids.sum()
    every = rocks + played.lost_to_fire.sum() + played.lost_to_blasts.sum()
    assert said["shares_of_damage"]["asteroids"] == rocks / every
    assert f"{rocks / every:.1%} by asteroids" in words([said])


# ---- the command line


def test_the_command_line_prints_what_it_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scenarios, "load", lambda name, field: SETUPS)
    file = tmp_path / "figures.json"
    given = ["--first", "drifter", "--second", "random", "--games", "2", "--first-seed", "7", "--json", str(file)]
    assert match.main(given) == 0
    said = json.loads(file.read_bytes())
    assert capsys.readouterr().out.strip() == words([said])
    assert said == summary("drifter", "random", match.match("drifter", "random", SETUPS, [7, 8]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--first", "capten"], "agent 'capten': want one of"),
        (["--second", "randm"], "did you mean 'random'?"),
        (["--second", "ppo:nowhere"], "there is no model.json"),
        (["--games", "0"], "--games 0: want a number from 1"),
        ([], "a match in a scenario with one side"),
        (["--scenario", "tini"], "did you mean 'tiny'?"),
        (["--field", "dense"], "field 'dense': want one of pair"),
        (["--space", "exam"], "invalid choice: 'exam'"),
        (["--seats", "3"], "--seats"),
        (["--json", "no/such/folder.json"], "cannot be written"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    given: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert match.main(["--first", "random", "--scenario", "tiny", *given]) == 2
    printed = capsys.readouterr().err
    assert message in printed and printed.count("\n") == 1


def test_an_opponent_is_an_agent_whose_lots_follow_from_the_games() -> None:
    lots = agents.make_opponent("random", SETUPS)
    assert lots.takes_lots  # type: ignore[attr-defined]
    masks = np.zeros((3, act.N_ACTIONS), bool)
    masks[:, [2, 5]] = True
    assert lots(np.zeros((3, 1)), masks, np.array([0.0, 0.4, 0.6])).tolist() == [2, 2, 5]  # type: ignore[call-arg]
    assert agents.make_opponent("drifter", SETUPS)(np.zeros((3, 1)), masks).tolist() == [2, 2, 2]
    with pytest.raises(ConfigError, match="did you mean 'random'"):
        agents.make_opponent("randm", SETUPS)
