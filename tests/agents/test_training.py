"""Training from the command line: its values, what it refuses, and what a run leaves behind."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_runs import ROOT, arguments, digest, interrupt_after, lines, start, train, untimed

from agents import evaluate, ppo
from agents.lab.players import player
from agents.training import config as configuration
from agents.training import main as door
from agents.training import report
from agents.training.config import DEFAULT, TrainConfig
from agents.training.curricula import ladder
from fc_env import scenarios
from fc_env.curriculum import Progress
from fc_env.lab.measuring import duration
from fc_env.lab.playing import play
from fc_env.strict_yaml import read

GOOD = arguments(Path("nowhere"), 1)


# ---- values


def test_the_default_file_says_every_value() -> None:
    said = read(ROOT / DEFAULT).data
    assert set(said) == set(TrainConfig.model_fields) - {"run_folder"}
    assert configuration.load(DEFAULT).name == "crossing"


@pytest.mark.parametrize("key", list(TrainConfig.model_fields))
def test_every_value_can_be_set_on_the_command_line(key: str) -> None:
    value = getattr(configuration.load(DEFAULT), key)
    text = value if isinstance(value, str) else json.dumps(value)
    for option in (f"--{key}", f"--{key.replace('_', '-')}"):
        given = configuration.parse_arguments([option, text], "train.py")
        assert given.changes == {key: value}


def test_values_on_the_command_line_win_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("seed: 3\nn_envs: 8\nn_steps: 512\n", encoding="utf-8")
    given = configuration.parse_arguments(
        ["--config", str(file), "--n-envs", "16", "--learning-rate", "3e-4", "--actor-net", "64,32"], "train.py"
    )
    made = configuration.load(given.config or "", given.changes)
    assert (made.seed, made.n_envs, made.learning_rate, made.actor_net) == (3, 16, 3e-4, [64, 32])


def test_the_shipped_file_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert configuration.find(DEFAULT) == ROOT / DEFAULT
    (tmp_path / "configs/train").mkdir(parents=True)
    (tmp_path / DEFAULT).write_text("seed: 5\n", encoding="utf-8")
    assert configuration.load(DEFAULT).seed == 5


REFUSED: list[tuple[list[str], str]] = [
    (["--totl-steps", "5"], "--totl-steps is not an option: did you mean --total-steps?"),
    (["--totl-steps=5"], "did you mean --total-steps?"),
    (["--total", "5"], "--total is not an option"),
    (["5"], "5 is not an option"),
    (["--seed"], "--seed"),
    (["--seed", "1.5"], "command line: seed is 1.5: want an integer"),
    (["--seed", "-1"], "command line: seed is -1: want a value from 0"),
    (["--seed", "nine"], "command line: seed is 'nine': want an integer"),
    (["--learning-rate", "0"], "learning_rate is 0"),
    (["--learning-rate", ".nan"], "--learning-rate"),
    (["--gamma", "1.1"], "gamma is 1.1: want a value from 0 to 1"),
    (["--activation", "swish"], "activation is 'swish': want 'tanh', 'relu', 'elu' or 'silu'"),
    (["--actor-net", "128,0"], "actor_net[1] is 0"),
    (["--name", "../elsewhere"], "name is '../elsewhere'"),
    (["--batch-size", "5000"], "command line: batch_size is 5000: want at most n_envs * n_steps, 32"),
    (["--scenario", "tini"], "did you mean 'tiny'?"),
    (["--fields", "pear"], "command line: fields[0] is 'pear': did you mean 'pair'?"),
    (["--evaluation-fields", "pair,open"], "evaluation_fields[1] is 'open': want one of pair"),
    (["--shaping", "{progres: 1.0}"], "shaping.progres is not a potential: did you mean 'progress'?"),
    (["--shaping", "{progress: much}"], "shaping.progress is 'much': want a number"),
    (["--evaluation-agents", "pylot"], "evaluation_agents[0] is 'pylot': did you mean 'pilot'?"),
    (["--evaluation-agents", "drifter,pilot:fast"], "evaluation_agents[1] is 'pilot:fast', which cannot be made"),
    (["--evaluation-agents", "ppo:/nonexistent"], "evaluation_agents[0] is 'ppo:/nonexistent', which cannot be made"),
    (["--evaluation-agents", "selfplay"], "no model ships that fits these scenarios"),
    (["--config", "missing.yaml"], "missing.yaml: there is no such file"),
    (["--resume", "missing"], "--resume missing: there is no config.yaml in it: want the folder of a run"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_what_cannot_be_is_refused_in_one_line(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert door.main([*GOOD, *words], "train.py") == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.err.count("\n") == 1 and printed.out == ""
    assert not list(tmp_path.iterdir())


def test_a_file_with_an_unknown_key_is_refused_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("seed: 3\nlearning_rte: 1e-4\n", encoding="utf-8")
    assert door.main(["--config", str(file)], "train.py") == 2
    assert f"{file}:2: learning_rte is not a key: did you mean 'learning_rate'?" in capsys.readouterr().err


def test_a_folder_in_use_or_out_of_reach_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    used, file = tmp_path / "used", tmp_path / "file"
    used.mkdir()
    (used / "thesis.txt").touch()
    file.touch()
    assert train(used, 1) == 2
    assert "is not empty: want a new folder" in capsys.readouterr().err
    assert train(file / "run", 1) == 2
    printed = capsys.readouterr().err
    assert str(file) in printed and "Not a directory" in printed and printed.count("\n") == 1
    assert [path.name for path in used.iterdir()] == ["thesis.txt"]


def test_help_names_every_value(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        door.main(["--help"], "train.py")
    printed = capsys.readouterr().out
    assert end.value.code == 0
    assert all(f"--{key.replace('_', '-')}" in printed for key in TrainConfig.model_fields)


# ---- a run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run, evaluated."""
    folder = tmp_path_factory.mktemp("runs") / "one"
    values: dict[str, Any] = {"evaluation_games": 6, "evaluation_agents": ["drifter", "random"], "seed": 7}
    assert train(folder, 5, **values) == 0
    return folder


def test_a_run_leaves_everything_behind(run: Path) -> None:
    names = {path.name for path in run.iterdir() if not path.name.startswith(".")}
    assert names == {
        "config.yaml", "versions.json", "metrics.jsonl", "learning_curve.png", "tensorboard", "checkpoints",
        "model.safetensors", "model.json", "results.json", "results.md",
    }  # fmt: skip
    assert [path.name for path in sorted((run / "checkpoints").iterdir())] == ["step-000000000128", "step-000000000160"]
    assert (run / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert list((run / "tensorboard").glob("events.out.tfevents.*"))
    assert json.loads((run / "versions.json").read_bytes())["torch"]


def test_its_configuration_is_written_whole(run: Path) -> None:
    again = configuration.load(str(run / "config.yaml"))
    assert set(read(run / "config.yaml").data) == set(TrainConfig.model_fields)
    assert (again.seed, again.total_steps, again.n_envs) == (7, 160, 4)


def test_its_metrics_have_a_line_for_each_rollout(run: Path) -> None:
    metrics = lines(run)
    assert [line["rollout"] for line in metrics] == [1, 2, 3, 4, 5]
    assert [line["steps"] for line in metrics] == [32, 64, 96, 128, 160]
    assert all(sum(line["outcomes"].values()) == line["games"] for line in metrics)
    assert [line["learning_rate"] for line in metrics] == pytest.approx([0.001 * k / 5 for k in (5, 4, 3, 2, 1)])
    assert all(0 < -line["entropy_loss"] < 4 and line["value_loss"] >= 0 for line in metrics)


def test_its_results_are_those_of_its_model(run: Path) -> None:
    [result] = json.loads((run / "results.json").read_bytes())
    assert [one["agent"] for one in result["agents"]] == ["trained", "drifter", "random"]
    assert [(one["agent"], one["less"]) for one in result["differences"]] == [
        ("trained", "drifter"),
        ("trained", "random"),
    ]
    setups = scenarios.load("tiny")
    [again] = evaluate.evaluate([f"ppo:{run}"], setups, range(6)).values()
    assert evaluate.summary("trained", again) == result["agents"][0]
    assert ppo.read_card(run).results == [result]
    assert "| trained |" in (run / "results.md").read_text(encoding="utf-8")


def test_one_seed_one_result(run: Path, tmp_path: Path) -> None:
    values: dict[str, Any] = {"evaluation_agents": ["drifter", "random"]}
    assert train(tmp_path / "same", 5, seed=7, **values) == 0
    assert train(tmp_path / "other", 5, seed=8, **values) == 0
    assert digest(tmp_path / "same") == digest(run) != digest(tmp_path / "other")
    assert untimed(tmp_path / "same") == untimed(run)


def test_large_seeds_differ(tmp_path: Path) -> None:
    for seed in (0, 2**32, 2**63 - 1):
        assert train(tmp_path / str(seed), 1, seed=seed) == 0
    assert len({digest(tmp_path / str(seed)) for seed in (0, 2**32, 2**63 - 1)}) == 3


# ---- stopping


def test_an_interrupt_saves_and_says_how_to_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert train(tmp_path / "unbroken", 6) == 0
    folder = tmp_path / "broken"
    with monkeypatch.context() as patched:
        interrupt_after(patched, 2)
        assert train(folder, 6, checkpoint_every=100) == 128 + signal.SIGINT
    printed = capfd.readouterr().out
    assert f"train.py --resume {folder}" in printed and "stopped at 96 steps" in printed
    assert ppo.read_card(folder).training["steps"] == 96
    assert door.main(["--resume", str(folder)], "train.py") == 0
    assert digest(folder) == digest(tmp_path / "unbroken")
    assert untimed(folder) == untimed(tmp_path / "unbroken")
    assert [line["rollout"] for line in lines(folder)] == [1, 2, 3, 4, 5, 6]


def test_an_interrupt_while_evaluating_keeps_the_pilot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    with monkeypatch.context() as patched:
        patched.setattr(report, "play", lambda *args: os.kill(os.getpid(), signal.SIGINT))
        assert train(folder, 1, evaluation_games=2, evaluation_agents=[]) == 128 + signal.SIGINT
    assert f"train.py --resume {folder}" in capsys.readouterr().out
    before = digest(folder)
    assert not (folder / "results.json").exists()
    assert door.main(["--resume", str(folder)], "train.py") == 0
    assert (folder / "results.json").exists() and digest(folder) == before


def test_a_second_interrupt_stops_at_once(tmp_path: Path) -> None:
    # One endless rollout: only the second interrupt can end it.
    process = start(arguments(tmp_path / "run", 1, n_steps=65536, total_steps=10**9))
    try:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith("run folder")
        process.send_signal(signal.SIGINT)
        while "once more stops at once" not in (line := process.stderr.readline()):
            assert line, "ended by the first interrupt"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 128 + signal.SIGINT
    finally:
        process.kill()
        process.communicate()


# ---- parts


def progress(games: list[int], rates: list[float]) -> Progress:
    return Progress(np.arange(4), np.zeros(4, np.int64), np.array(games), np.array(rates))


@pytest.mark.parametrize(
    ("games", "rates", "chances"),
    [
        ([0, 0, 0], [0.0, 0.0, 0.0], [1, 0, 0]),
        ([99, 0, 0], [0.9, 0.0, 0.0], [1, 0, 0]),
        ([100, 0, 0], [0.7, 0.0, 0.0], [0.5, 0.5, 0]),
        ([500, 50, 0], [0.9, 1.0, 0.0], [0.5, 0.5, 0]),
        ([500, 500, 0], [0.9, 0.7, 0.0], [0.25, 0.25, 0.5]),
        ([500, 500, 0], [0.6, 0.7, 0.0], [1, 0, 0]),
        ([500, 500, 500], [0.9, 0.9, 0.9], [0.25, 0.25, 0.5]),
    ],
)
def test_a_ladder_adds_a_field_when_the_one_before_is_mastered(
    games: list[int], rates: list[float], chances: list[float]
) -> None:
    assert ladder(0.7)(progress(games, rates)).tolist() == chances


def test_several_fields_in_one_run(tmp_path: Path) -> None:
    values = {"scenario": "crossing", "fields": ["open", "standard"], "evaluation_fields": ["open"]}
    assert train(tmp_path / "run", 2, curriculum="ladder", **values) == 0
    assert ppo.layout_of(tmp_path / "run").markers == 6
    # The model has room for more markers than the open field has.
    setups = scenarios.load("crossing", "open")
    trained = player(f"ppo:{tmp_path / 'run'}", setups)
    assert trained.layout.markers == 6
    assert len(play([trained], setups, range(2)).turns) == 2


@pytest.mark.parametrize(("seconds", "words"), [(0, "0:00"), (59.9, "0:59"), (90, "1:30"), (3725, "1:02:05")])
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words
