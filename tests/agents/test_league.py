"""League self-play: frozen past selves, who of them plays, and runs that are broken off."""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save
from tiny_runs import arguments, cut, digest, interrupt_after, lines, start, train, untimed

from agents.training import config as configuration
from agents.training import main as door
from agents.training.config import TrainConfig
from agents.training.league import FOLDER, League, PastSelf, hardness
from agents.training.learner import Learner
from fc_env import actions
from fc_env.curriculum import Progress
from fc_env.errors import ConfigError

LEAGUE: dict[str, Any] = {
    "scenario": "duel",
    "fields": ["open"],
    "evaluation_fields": ["open"],
    "opponents": {"random": 1.0, "drifter": 3.0},
    "opponent_curriculum": "league",
    "snapshot_every": 2,
    "pool_size": 2,
    "seat": "random",
    "leave_out": ["near", "marker"],
    "n_steps": 64,
    "batch_size": 64,
    "evaluation_games": 0,
    "checkpoint_every": 3,
}
ROLLOUTS = 9
STEPS = 4 * LEAGUE["n_steps"] * ROLLOUTS


def made(**values: Any) -> TrainConfig:
    """The configuration with some values changed."""
    return configuration.from_data({**LEAGUE, **values}, "a test")


def small(folder: Path, **values: Any) -> League:
    """A league of networks with three inputs, with places for four past selves."""
    config = made(total_steps=8 * 256 * 64, snapshot_every=2, **values)
    return League(config, [None, None], np.arange(3), folder)


def policy(seed: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    return {
        "0.weight": generator.normal(size=(actions.N_ACTIONS, 3)).astype(np.float32),
        "0.bias": np.zeros(actions.N_ACTIONS, np.float32),
    }


def progress(games: list[int], rates: list[float]) -> Progress:
    return Progress(np.arange(2), np.zeros(2, np.int64), np.array(games), np.array(rates))


# ---- past selves


def test_a_past_self_is_frozen_for_good(tmp_path: Path) -> None:
    league, learner_s = small(tmp_path), policy(1)
    assert league.admit(learner_s, np.zeros(6, np.int64), np.zeros(6)) == "past-0001"
    [past, *_] = league.places
    born, asked = league.born[0], (np.ones((5, 3), np.float32), np.ones((5, 32), np.bool_), np.linspace(0, 0.99, 5))
    before = past(*asked).tolist()
    learner_s["0.weight"] += 1.0  # the learner goes on
    assert past.digest == born and past(*asked).tolist() == before
    with pytest.raises(ConfigError, match="past-0001 is frozen already"):
        past.freeze(policy(2))
    with pytest.raises(ValueError, match="read-only"):
        past._tensors["0.weight"] += 1.0
    league.admit(policy(2), np.zeros(6, np.int64), np.zeros(6))
    assert league.state() == {"born": [born, league.places[1].digest], "active": [0, 1]} and len(set(league.born)) == 2


def test_one_that_changed_all_the_same_is_noticed(tmp_path: Path) -> None:
    league = small(tmp_path)
    league.admit(policy(1), np.zeros(6, np.int64), np.zeros(6))
    weights = league.places[0]._tensors["0.weight"]
    weights.flags.writeable = True
    weights[0, 0] += 1.0
    with pytest.raises(ConfigError, match="past-0001 has changed since it was frozen"):
        league.state()


def test_one_that_is_not_born_cannot_play() -> None:
    unborn = PastSelf("past-0009", np.arange(3), "relu")
    with pytest.raises(ConfigError, match="past-0009 was asked to play before it was born"):
        unborn(np.zeros((1, 3), np.float32), np.ones((1, 32), np.bool_), np.zeros(1))


def test_saved_and_restored_it_is_the_same_league(tmp_path: Path) -> None:
    league, again = small(tmp_path), small(tmp_path)
    for seed in range(3):
        league.admit(policy(seed), np.full(6, 10), np.linspace(0.0, 1.0, 6))
    again.admit(policy(9), np.full(6, 10), np.zeros(6))  # what is not in the state is forgotten
    league._file(0).write_bytes(save(policy(0)))
    again.restore(json.loads(json.dumps(league.state())))
    assert again.state() == league.state()
    for where in (cut, lambda file: file.unlink()):
        where(tmp_path / FOLDER / "past-0002.safetensors")
        with pytest.raises(ConfigError, match=r"past-0002.safetensors: (its digest is|cannot be read)"):
            small(tmp_path).restore(league.state())


# ---- who plays


def test_the_harder_an_opponent_the_more_often_it_is_met() -> None:
    games = np.array([0, 1000, 1000, 1000])
    rates = np.array([0.0, 0.5, 0.25, 1.0])
    assert hardness(games, rates, 0.0).tolist() == [1.0] * 4
    even, half, quarter, beaten = hardness(games, rates, 2.0)
    assert even == half == pytest.approx(0.25)
    assert quarter == pytest.approx((1 - (25 + 5) / 110) ** 2) and 0 < beaten == pytest.approx((5 / 110) ** 2)


def test_chances_follow_share_weight_and_hardness(tmp_path: Path) -> None:
    league = small(tmp_path, anchor_share=0.2, pfsp_power=1.0)
    fresh = progress([0] * 6, [0.0] * 6)
    # By weight, as long as there are no others.
    assert league.sample(fresh).tolist() == [0.25, 0.75, 0.0, 0.0, 0.0, 0.0]
    for seed in range(3):
        league.admit(policy(seed), np.zeros(6, np.int64), np.zeros(6))
    active = [2 + number for number in league.active]
    chances = league.sample(fresh)
    assert chances[:2] == pytest.approx([0.05, 0.15]) and chances[active] == pytest.approx([0.4, 0.4])
    assert chances.sum() == pytest.approx(1.0) and chances[5] == 0.0
    rates = [1.0] * 6
    rates[active[0]] = 0.0
    hard, easy = league.sample(progress([1000] * 6, rates))[active]
    assert hard / easy == pytest.approx(105 / 5)


def test_the_newest_always_plays_and_nobody_is_forgotten(tmp_path: Path) -> None:
    config = made(total_steps=40 * 256 * 64, snapshot_every=1, pool_size=3)
    league = League(config, [None, None], np.arange(3), tmp_path)
    seen: set[int] = set()
    for number in range(40):
        league.admit(policy(number), np.full(42, 100), np.full(42, 0.5))
        assert number in league.active and len(league.active) == len(set(league.active)) == min(number + 1, 3)
        seen |= {one for one in league.active if one < number - 3}
    assert len(seen) > 15
    assert not league.due(40)  # there is no place left


# ---- runs


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run."""
    folder = tmp_path_factory.mktemp("runs") / "league"
    assert train(folder, 1, **LEAGUE, total_steps=STEPS) == 0
    return folder


def past_selves(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / FOLDER).iterdir())}


def ends_like(folder: Path, whole: Path) -> None:
    assert digest(folder) == digest(whole) and untimed(folder) == untimed(whole)
    assert past_selves(folder) == past_selves(whole)
    assert (folder / "ratings.json").read_bytes() == (whole / "ratings.json").read_bytes()
    newest = [max((one / "checkpoints").iterdir()) for one in (folder, whole)]
    states = [json.loads((one / "state.json").read_bytes()) for one in newest]
    assert states[0]["league"] == states[1]["league"] and len(states[0]["league"]["born"]) == 4
    for name in ("environment", "optimiser"):
        assert len({(one / f"{name}.safetensors").read_bytes() for one in newest}) == 1


def test_a_run_meets_its_past_selves_and_is_rated(run: Path) -> None:
    assert list(past_selves(run)) == [f"past-{number:04d}.safetensors" for number in range(1, 5)]
    metrics = lines(run)
    met = {name for line in metrics for name in line["results_against"]}
    assert {"random", "drifter", "past-0001"} <= met
    for line in metrics:
        assert sum(sum(ended) for ended in line["results_against"].values()) == line["games"]
    assert ["rating" in line for line in metrics] == [number % 2 == 1 for number in range(ROLLOUTS)]
    rated = json.loads((run / "ratings.json").read_bytes())
    assert len(rated["learner"]) == 5 and rated["opponents"]["random"] == {"rating": 0.0, "error": 0.0}
    assert (run / "ratings.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("rollouts", [1, 5])
def test_an_interrupted_run_ends_like_an_unbroken_one(
    rollouts: int, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "broken"
    with monkeypatch.context() as patched:
        interrupt_after(patched, rollouts)
        assert train(folder, 1, **LEAGUE, total_steps=STEPS) == 128 + signal.SIGINT
    assert door.main(["--resume", str(folder)], "train.py") == 0
    ends_like(folder, run)


def test_a_run_that_lost_its_newest_checkpoints_ends_like_an_unbroken_one(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    shutil.copytree(run, folder)
    newest = sorted((folder / "checkpoints").iterdir())
    shutil.rmtree(newest[-1])
    assert door.main(["--resume", str(folder)], "train.py") == 0
    ends_like(folder, run)


@pytest.mark.slow
def test_killed_at_any_moment_it_ends_like_unbroken(run: Path, tmp_path: Path) -> None:
    generator, folder = np.random.default_rng(0), tmp_path / "killed"
    words, kills = arguments(folder, 1, **LEAGUE, total_steps=STEPS), 0
    for _ in range(12):
        process = start(words)
        before = len(lines(folder)) if (folder / "metrics.jsonl").exists() else 0
        try:
            while process.poll() is None and (
                not (folder / "metrics.jsonl").exists() or (folder / "metrics.jsonl").read_text().count("\n") <= before
            ):
                time.sleep(0.002)
            time.sleep(generator.uniform(0.0, 0.2))
        finally:
            process.kill()
            _, errors = process.communicate()
        assert "Traceback" not in errors
        kills += process.returncode == -9
        words = ["--resume", str(folder)]
    assert kills >= 3
    assert door.main(words, "train.py") == 0
    ends_like(folder, run)


def test_a_past_self_that_was_tampered_with_is_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "spoilt"
    shutil.copytree(run, folder)
    shutil.copy(folder / FOLDER / "past-0001.safetensors", folder / FOLDER / "past-0003.safetensors")
    assert door.main(["--resume", str(folder)], "train.py") == 2
    assert "past-0003.safetensors: its digest is" in capsys.readouterr().err


def test_a_game_keeps_its_opponent_to_its_end(tmp_path: Path) -> None:
    config = made(total_steps=STEPS, n_envs=16, n_steps=16, batch_size=64, snapshot_every=1)
    league = door._league(config, tmp_path)
    assert league is not None
    environment = door._environment(config, league=league)
    batch = environment.batch
    learner = Learner(config, environment, league.places[0]._columns, league.names)
    played: dict[tuple[int, int], set[tuple[int, str, int]]] = {}

    def note() -> None:
        for slot in range(batch.n):
            number = int(batch.opponent_id[slot])
            kept = league.players[number]
            frozen = kept.digest if isinstance(kept, PastSelf) else ""
            told = (number, frozen, int(batch.seats[slot]))
            played.setdefault((slot, int(batch.episodes[slot])), set()).add(told)

    for _ in range(6):
        learner.rollout(note)
        league.admit(learner.policy(), batch.opponents.chooser.games, batch.opponents.chooser.crossing_rate)
    assert all(len(told) == 1 for told in played.values())
    met = {told for one in played.values() for told in one}
    assert len({number for number, _, _ in met}) >= 4 and {seat for _, _, seat in met} == {0, 1}


# ---- values


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"scenario": "tiny", "fields": ["pair"], "evaluation_fields": ["pair"], "opponents": {}, "seat": 0},
         "opponent_curriculum is 'league': want 'weights', since tiny has one side"),
        ({"snapshot_every": 0}, "snapshot_every is 0: want a value from 1 to"),
        ({"pool_size": 0}, "pool_size is 0: want a value from 1 to"),
        ({"anchor_share": 1.5}, "anchor_share is 1.5: want a value from 0 to 1"),
        ({"pfsp_power": -1.0}, "pfsp_power is -1.0: want a value from 0 to"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        made(**values)
    assert message in str(refused.value)
