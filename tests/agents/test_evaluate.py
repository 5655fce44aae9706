"""Evaluation: the same games for all, exact figures, honest intervals."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import agents
from agents import evaluate
from agents.evaluate import crossing_rate, paired_difference, summary, table
from fc_env import engine, scenarios
from fc_env.dice import Purpose
from fc_env.errors import ConfigError, IllegalActionError
from fc_env.lab import playing
from fc_env.lab.playing import Played
from fc_env.lab.referee import of_callable
from fc_env.lab.tally import COUNTS
from fc_env.observation import Layout, observe
from fc_env.state import Outcome, Phase

SETUPS = scenarios.load("tiny")


def play(agent: agents.Agent, setups: np.ndarray, seeds: Sequence[int], space: str = "test") -> Played:
    """Games of a callable."""
    return playing.play([of_callable(agent, setups)], setups, seeds, space)


def played_with(outcome: Sequence[int], seeds: Sequence[int] | None = None, turns: Sequence[int] = (0,)) -> Played:
    n = len(outcome)
    ends, turned = np.array(outcome)[:, None], np.broadcast_to(turns, n)[:, None]
    counts = {name: np.zeros((n, 1, 1), np.int64) for name in COUNTS}
    counts["contacts"] += 3 * turned[..., None]
    return Played(
        seeds=np.array(seeds or range(n), np.uint64),
        result=np.where(ends == Outcome.CROSSED, 1, -1),
        outcome=ends,
        turns=turned,
        forfeit=np.full((n, 1), -1),
        hull_lost=2 * turned[..., None],
        seconds=np.zeros((n, 1, 1)),
        counts=counts,
    )


def games_with(crossed: list[int], seeds: list[int] | None = None) -> Played:
    return played_with([int(Outcome.CROSSED if won else Outcome.DESTROYED) for won in crossed], seeds)


def alone(agent: agents.Agent, seed: int) -> tuple[int, int, int, int, int]:
    """One game played by itself, its contacts counted from the words of its events."""
    game = engine.new(SETUPS, [seed], "test")
    contacts = decisions = 0
    while game[0]["phase"] != Phase.OVER:
        actions = agent(observe(game, Layout.of(SETUPS)), engine.legal_mask(game))
        trace = engine.step(game, actions, record=True)
        contacts += sum(int(die["purpose"]) == Purpose.AVOID for die in trace.dice)
        decisions += 1
    ship = game[0]["ships"][0, 0]
    lost = int(ship["full_hull"] - ship["hull"])
    return int(game[0]["outcome"]), int(game[0]["turn"]), lost, contacts, decisions


@pytest.mark.parametrize("name", ["zigzag", "drifter"])
def test_a_batch_is_so_many_single_games(name: str) -> None:
    seeds = [3, 1, 2**63 - 1, 0, *range(10, 30)]
    agent = agents.make(name, SETUPS)
    played = play(agent, SETUPS, seeds)
    found = (played.outcome, played.turns, played.hull_lost, played.contacts, played.decisions)
    rows = zip(*(array.ravel() for array in found), strict=True)
    assert [tuple(map(int, row)) for row in rows] == [alone(agent, seed) for seed in seeds]
    assert played.seeds.tolist() == seeds and played.contacts.sum() > 0


def test_the_same_again_in_batches_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agents.make("zigzag", SETUPS)
    once = play(agent, SETUPS, range(40))
    monkeypatch.setattr(playing, "BATCH", 7)
    again = play(agent, SETUPS, range(40))
    for name in ("seeds", "outcome", "turns", "hull_lost", *COUNTS):
        assert getattr(once, name).tolist() == getattr(again, name).tolist()


def test_spaces_hold_different_games() -> None:
    agent = agents.make("zigzag", SETUPS)
    test, train = (play(agent, SETUPS, range(60), space) for space in ("test", "train"))
    assert test.outcome.tolist() != train.outcome.tolist()


def test_an_agent_that_does_not_follow_the_mask_is_refused() -> None:
    with pytest.raises(IllegalActionError, match="want a legal one"):
        play(lambda seen, masks: (~masks).argmax(axis=1), SETUPS, range(3))


def test_no_games_are_refused() -> None:
    with pytest.raises(ConfigError, match="no seeds"):
        play(agents.make("zigzag", SETUPS), SETUPS, [])


# Wilson's interval, worked by hand: centre (p + z*z/2n) / (1 + z*z/n), half its width z / (1 + z*z/n) times
# sqrt(p*(1 - p)/n + z*z/4n*n), with z = 1.96.
@pytest.mark.parametrize(
    ("won", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (620, 1000, 0.5895, 0.6496)],
)
def test_wilson_intervals(won: int, n: int, low: float, high: float) -> None:
    rate = crossing_rate(games_with([1] * won + [0] * (n - won)))
    assert rate == pytest.approx((won / n, low, high), abs=1e-4)


def test_a_paired_difference_by_hand() -> None:
    # Of 100 pairs a alone crosses in 30, b alone in 10: with half a pair more of each kind the difference is 20/102,
    # and its standard error sqrt((41/102 - (20/102)**2) / 102).
    a = games_with([1] * 30 + [0] * 10 + [1] * 60)
    b = games_with([0] * 30 + [1] * 10 + [1] * 60)
    half = 1.959964 * math.sqrt((41 / 102 - (20 / 102) ** 2) / 102)
    assert paired_difference(a, b) == pytest.approx((0.2, 20 / 102 - half, 20 / 102 + half))
    back = paired_difference(b, a)
    assert back == pytest.approx((-0.2, -20 / 102 - half, -20 / 102 + half))


def test_a_paired_difference_covers_the_truth() -> None:
    # Two agents that are equally good and alike in two games of three: in 95% of the samples 0 is inside.
    generator = np.random.default_rng(5)
    inside = 0
    for _ in range(1000):
        a = generator.random(80) < 0.7
        b = np.where(generator.random(80) < 2 / 3, a, generator.random(80) < 0.7)
        found = paired_difference(games_with(a.astype(int).tolist()), games_with(b.astype(int).tolist()))
        inside += found.low <= 0 <= found.high
    assert 930 <= inside <= 985


def test_alike_for_few_games_is_not_certain() -> None:
    found = paired_difference(games_with([1, 0, 1]), games_with([1, 0, 1]))
    assert found.value == 0 and found.low < -0.1 and found.high > 0.1


def test_games_on_other_seeds_cannot_be_paired() -> None:
    with pytest.raises(ConfigError, match="want the same seeds"):
        paired_difference(games_with([1, 0], [1, 2]), games_with([1, 0], [2, 1]))


def test_a_summary_adds_up() -> None:
    outcomes = [Outcome.CROSSED] * 5 + [Outcome.DESTROYED] * 3 + [Outcome.LEFT_ELSEWHERE] + [Outcome.OUT_OF_TIME]
    said = summary("one", played_with(outcomes, turns=range(10)))
    assert (said["crossing_rate"], said["mean_turns"], said["mean_hull_lost"], said["mean_contacts"]) == (
        0.5, 4.5, 9.0, 13.5,
    )  # fmt: skip
    assert said["ended"] == {"crossed": 0.5, "destroyed": 0.3, "left_elsewhere": 0.1, "out_of_time": 0.1}
    row = [cell.strip() for cell in table([said]).splitlines()[-1].strip("|").split("|")]
    assert row == ["one", "50.0%", "23.7% to 76.3%", "4.5", "9.0", "13.50", "30.0%", "10.0%", "10.0%"]


def test_the_command_line_prints_what_it_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    words = ["--scenario", "tiny", "--games", "30", "--agents", "zigzag,drifter,random"]
    assert evaluate.main([*words, "--against", "drifter", "--json", str(file)]) == 0
    said = json.loads(file.read_bytes())
    printed = capsys.readouterr().out
    assert printed.strip() == evaluate.words(said)
    zigzag, drifter = (play(agents.make(name, SETUPS), SETUPS, range(30)) for name in ("zigzag", "drifter"))
    assert said["agents"][0] == summary("zigzag", zigzag)
    assert [one["agent"] for one in said["differences"]] == ["zigzag", "random"]
    assert said["differences"][0]["difference"] == paired_difference(zigzag, drifter).value
    assert evaluate.main([*words, "--first-seed", "5"]) == 0
    assert "zigzag less random" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["", "no/such/folder.json", "file/below.json"])
def test_a_file_that_cannot_be_written_is_found_before_any_game(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("kept")
    monkeypatch.setattr(evaluate, "play", lambda *_: pytest.fail("a game was played"))
    assert evaluate.main(["--scenario", "tiny", "--agents", "zigzag", "--json", str(tmp_path / place)]) == 2
    printed = capsys.readouterr().err
    assert "cannot be written" in printed and printed.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_an_agent_is_made_for_the_crossing_unless_told_otherwise() -> None:
    setups = scenarios.load("crossing")
    usual, told = (play(agents.make("zigzag", *given), setups, range(1)) for given in ((), (setups,)))
    assert usual.outcome.tolist() == told.outcome.tolist() and usual.turns.tolist() == told.turns.tolist()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--agents", "pylot"], "did you mean 'pilot'?"),
        (["--agents", ""], "want different names"),
        (["--agents", "zigzag,zigzag"], "want different names"),
        (["--against", "drifter"], "--against 'drifter': want one of pilot, zigzag"),
        (["--games", "0"], "--games 0: want a number from 1"),
        (["--games", "many"], "invalid int value: 'many'"),
        (["--first-seed", "-1"], "seed -1: want an integer from 0"),
        (["--scenario", "tini"], "did you mean 'tiny'?"),
        (["--field", "dense", "--scenario", "tiny"], "field 'dense': want one of pair"),
        (["--agents", "ppo:nowhere"], "there is no model.json"),
        (["--space", "exam"], "invalid choice: 'exam'"),
        (["--gamse", "3"], "--gamse"),
        (["--agents", "zigzag", "--games", "1", "--json", "no/such/folder.json"], "cannot be written"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate.main(words) == 2
    printed = capsys.readouterr().err
    assert message in printed and printed.count("\n") == 1
