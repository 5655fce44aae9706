"""Training against opponents, in runs of seconds."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_runs import ROOT, arguments, digest, interrupt_after, lines, train, untimed

from agents import match, ppo, seen
from agents.protocol import make
from agents.training import config as configuration
from agents.training import main as door
from agents.training.config import TrainConfig
from agents.training.imitation import Classroom, imitate, returns_of
from agents.training.learner import Learner
from agents.training.main import _environment
from fc_env import scenarios, state
from fc_env.strict_yaml import read

DUEL: dict[str, Any] = {
    "scenario": "duel",
    "fields": ["open"],
    "evaluation_fields": ["open"],
    "evaluation_agents": ["random", "drifter"],
    "opponents": {"random": 1.0, "drifter": 3.0},
    "seat": "random",
    "gamma": 1.0,
    "leave_out": ["near", "marker"],
    "shaping": {"hull_lead": 0.5},
    "n_steps": 64,
    "batch_size": 16,
}
ROLLOUTS = 3
STEPS = 4 * DUEL["n_steps"] * ROLLOUTS


def made(**values: Any) -> TrainConfig:
    """The configuration with some values changed."""
    return configuration.from_data({**DUEL, **values}, "a test")


def digest_of(environment: Any) -> str:
    """Of the games of an environment."""
    return state.digest(environment.batch.games)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run, evaluated."""
    folder = tmp_path_factory.mktemp("runs") / "duel"
    assert train(folder, 1, **DUEL, total_steps=STEPS, evaluation_games=2) == 0
    return folder


def test_an_interrupted_run_ends_like_an_unbroken_one(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "broken"
    with monkeypatch.context() as patched:
        interrupt_after(patched, 1)
        assert train(folder, 1, **DUEL, total_steps=STEPS, evaluation_games=2) == 128 + signal.SIGINT
    assert len(lines(folder)) == 2
    assert door.main(["--resume", str(folder)], "train.py") == 0
    assert digest(folder) == digest(run) and untimed(folder) == untimed(run)
    newest = [max((one / "checkpoints").iterdir()) / "environment.safetensors" for one in (folder, run)]
    assert newest[0].read_bytes() == newest[1].read_bytes()
    assert (folder / "results.json").read_bytes() == (run / "results.json").read_bytes()


def test_returns_are_those_of_the_rest_of_each_game() -> None:
    rewards = np.array([[1.0, 0.5], [0.0, 2.0], [4.0, 0.0]], np.float32)
    dones = np.array([[False, True], [True, False], [False, False]])
    returns, known = returns_of(rewards, dones, 0.5)
    assert returns.tolist() == [[1.0, 0.5], [0.0, 2.0], [4.0, 0.0]]
    assert known.tolist() == [[True, True], [True, False], [False, False]]
    assert returns_of(rewards, np.array([[False] * 2, [False] * 2, [True] * 2]), 0.5)[0].tolist() == [
        [2.0, 1.5],
        [2.0, 2.0],
        [4.0, 0.0],
    ]


def test_a_teacher_is_learned_from_and_its_games_are_not_the_learner_s(tmp_path: Path) -> None:
    lessons = {"imitate": "drifter", "imitation_decisions": 4000, "imitation_rate": 0.01}
    config = made(n_envs=8, actor_net=[32], critic_net=[32], **lessons)
    environment = _environment(config)
    learner = Learner(config, environment, seen.columns(environment.batch.layout, config.leave_out))
    before = digest_of(environment)
    heard: list[tuple[int, float]] = []
    classroom = Classroom(_environment(config, 1), make("drifter", environment.batch.setups), config.gamma)
    assert imitate(learner.model, classroom, config, lambda *news: heard.append(news), lambda: False)
    assert heard[-1][0] >= 4000 and heard[-1][1] > 0.9
    assert digest_of(environment) == before
    assert not imitate(learner.model, classroom, config, lambda *_: None, lambda: True)


def test_a_run_with_a_teacher_that_is_interrupted_ends_like_an_unbroken_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lessons = {"imitate": "drifter", "imitation_decisions": 500, "total_steps": STEPS, "evaluation_games": 0}
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert train(whole, 1, **DUEL, **lessons) == 0
    with monkeypatch.context() as patched:
        interrupt_after(patched, 1)
        assert train(broken, 1, **DUEL, **lessons) == 128 + signal.SIGINT
    assert door.main(["--resume", str(broken)], "train.py") == 0
    assert digest(broken) == digest(whole)


def test_its_metrics_count_wins(run: Path) -> None:
    metrics = lines(run)
    assert sum(line["games"] for line in metrics) > 0
    for line in metrics:
        assert set(line["outcomes"]) <= {"seat_0_wins", "seat_1_wins", "draw"}
        if line["games"]:
            rates = line["success_rate_against"]
            assert set(rates) <= set(DUEL["opponents"])
            assert min(rates.values()) <= line["success_rate"] <= max(rates.values())
    assert made().success == "win rate" and configuration.load(configuration.DEFAULT).success == "crossing rate"


def test_its_results_are_those_of_its_model(run: Path) -> None:
    [result] = json.loads((run / "results.json").read_bytes())
    assert [(one["first"], one["second"]) for one in result["matches"]] == [
        ("trained", "random"),
        ("trained", "drifter"),
    ]
    setups = scenarios.load("duel", "open")
    again = match.match(f"ppo:{run}", "random", setups, range(2))
    assert match.summary("trained", "random", again) == result["matches"][0]
    assert ppo.read_card(run).results == [result]
    said = (run / "results.md").read_text(encoding="utf-8")
    assert "duel, field open, 2 held-out seeds each, seats swapped" in said and "| trained against drifter |" in said


def test_its_opponents_are_drawn_by_their_weights() -> None:
    environment = _environment(made(n_envs=400, seed=5))
    environment.reset()
    shares = [float((environment.batch.opponent_id == number).mean()) for number in range(2)]
    assert shares == pytest.approx([0.25, 0.75], abs=0.08)
    assert float(environment.batch.seats.mean()) == pytest.approx(0.5, abs=0.1)


def test_a_ladder_of_opponents_begins_with_the_first() -> None:
    environment = _environment(made(n_envs=50, opponent_curriculum="ladder", seat=1))
    environment.reset()
    assert (environment.batch.opponent_id == 0).all() and (environment.batch.seats == 1).all()


@pytest.mark.parametrize("name", ["duel", "selfplay_duel", "selfplay_skirmish"])
def test_shipped_files_say_every_value(name: str) -> None:
    said = read(ROOT / f"configs/train/{name}.yaml").data
    assert set(said) == set(TrainConfig.model_fields) - {"run_folder"}
    league = configuration.load(f"configs/train/{name}.yaml")
    assert (league.opponent_curriculum == "league", league.seat) == (name.startswith("selfplay"), "random")


def test_the_shipped_file_of_the_duel_is_for_the_duel() -> None:
    duel = configuration.load("configs/train/duel.yaml")
    assert (duel.scenario, duel.success, set(duel.opponents)) == ("duel", "win rate", {"random", "captain"})


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"opponents": {}}, "opponents is {}: want an agent of weight above 0, since duel has two sides"),
    ({"opponents": {"random": 0.0}}, "want an agent of weight above 0"),
    ({"opponents": {"random": -1.0}}, "opponents.random is -1.0: want a value of at least 0"),
    ({"opponents": {"randm": 1.0}}, "opponents.randm is 'randm': did you mean 'random'?"),
    ({"opponents": {"drifter:fast": 1.0}}, "which cannot be made: agent 'drifter:fast'"),
    ({"opponents": {"ppo:nowhere": 1.0}}, "there is no model.json"),
    ({"imitate": "captan"}, "imitate is 'captan': did you mean 'captain'?"),
    ({"seat": 2}, "seat is 2: want 0, 1 or 'random'"),
    ({"seat": "left"}, "seat is 'left': want 0, 1 or 'random'"),
    ({"opponent_curriculum": "stairs"}, "opponent_curriculum is 'stairs': want 'weights', 'ladder' or 'league'"),
    ({"scenario": "tiny", "fields": ["pair"], "evaluation_fields": ["pair"], "seat": 0}, "want {}, since tiny has one"),
    (
        {"scenario": "tiny", "fields": ["pair"], "evaluation_fields": ["pair"], "opponents": {}, "seat": 1},
        "seat is 1: want 0, since tiny has one side",
    ),
]


@pytest.mark.parametrize(("values", "message"), REFUSED, ids=[json.dumps(values) for values, _ in REFUSED])
def test_what_cannot_be_is_refused_in_one_line(
    values: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert door.main(arguments(tmp_path / "run", 1, **{**DUEL, **values}), "train.py") == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.err.count("\n") == 1 and printed.out == ""
    assert not (tmp_path / "run").exists()
