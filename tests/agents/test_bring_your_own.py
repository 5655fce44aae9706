"""What docs/agents.md shows runs: its files, and its commands in order, as a reader would in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from agents import ppo
from agents.publish import publish
from fc_env import actions as act
from fc_env import opponents, scenarios
from fc_env.errors import ConfigError
from fc_env.observation import Layout

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
SIZE = Layout.of(scenarios.load("duel")).size


def files() -> dict[str, str]:
    """The Python blocks by the name in their first line."""
    return {block.split("\n", 1)[0].removeprefix("# "): block for kind, block in BLOCKS if kind == "python"}


def commands() -> list[str]:
    return [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines()]


def test_every_command_runs(tmp_path: Path) -> None:
    for name, block in files().items():
        assert re.fullmatch(r"\w+\.py", name), name
        (tmp_path / name).write_text(block, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    assert len(commands()) >= 10
    printed = ""
    for command in commands():
        program, *arguments = command.split()
        assert program == "python", command
        run = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, (command, run.stdout, run.stderr)
        assert run.stdout.strip(), command
        assert "Traceback" not in run.stderr, (command, run.stderr)
        assert "forfeit" not in run.stdout.replace("| forfeits |", ""), (command, run.stdout)
        printed += run.stdout
    # Scripted agents play the same games everywhere; a trained one's depend on the machine's last digits.
    told = re.findall(r"(\d+\.\d%) (?:won )?\((\d+\.\d%) to (\d+\.\d%)\)", TEXT)
    assert len(told) == 2
    for rate, low, high in told:
        assert re.search(rf"\b{rate} \| +{low} to {high}", printed), (rate, low, high)
    trained = re.search(r"\| ppo:my_model \| +(\d+\.\d)%", printed)
    assert trained and float(trained[1]) > 40


def test_every_file_is_used() -> None:
    told = "\n".join(commands())
    assert not [name for name in files() if name not in told and name.removesuffix(".py") + ":" not in told]


def test_the_agent_has_twenty_lines() -> None:
    lines = [line for line in files()["my_agents.py"].splitlines()[1:] if line.strip()]
    assert len(lines) <= 20


def test_the_entry_point_is_that_of_the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    declared = tomllib.loads(next(block for kind, block in BLOCKS if kind == "toml"))
    names = declared["project"]["entry-points"][opponents.GROUP]
    for name, block in files().items():
        (tmp_path / name).write_text(block, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for reference in names.values():
        assert callable(opponents.resolve(reference, scenarios.load("duel")))


def layers(*widths: int) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    return [(rng.normal(size=(outputs, inputs)), rng.normal(size=outputs)) for inputs, outputs in pairwise(widths)]


@pytest.mark.parametrize("aids", [False, True])
def test_what_is_published_plays_as_the_layers_say(tmp_path: Path, aids: bool) -> None:
    setups = scenarios.load("duel")
    layout = Layout.of(setups, aids)
    given = layers(layout.size, 7, act.N_ACTIONS)
    folder = publish(
        tmp_path / "new" / "model",
        given,
        "duel",
        ["standard"],
        aids=aids,
        training={"by": "hand", "rate": np.float32(0.5)},
    )
    agent = ppo.make(setups, str(folder))
    seen = np.random.default_rng(1).normal(size=(5, layout.size)).astype(np.float32)
    (first, bias), (second, last) = given
    wanted = np.tanh(seen @ first.T + bias) @ second.T + last
    assert np.allclose(agent.logits(seen), wanted, rtol=1e-4, atol=1e-4)
    card = ppo.read_card(folder)
    assert card.training == {"by": "hand", "rate": 0.5} and card.rules == ppo.rules_digest(setups)
    assert [path.name for path in sorted(folder.iterdir())] == ["model.json", "model.safetensors"]


@pytest.mark.parametrize(
    ("given", "named", "said"),
    [
        (
            layers(SIZE + 1, act.N_ACTIONS),
            {},
            f"layer 0: weight (32, {SIZE + 1}) and bias (32,): want (outputs, {SIZE})",
        ),
        (layers(SIZE, 9), {}, "layers end in 9 outputs: want a logit for each of the 32 actions"),
        ([], {}, f"layers end in {SIZE} outputs"),
        (layers(SIZE, 0, act.N_ACTIONS), {}, "actor_net is [0]: want at most 16 widths from 1"),
        (layers(SIZE, *[3] * 17, act.N_ACTIONS), {}, "want at most 16 widths"),
        ([(np.zeros((32, SIZE)),) * 3], {}, "layer 0: want a pair of arrays"),
        (["ab"], {}, "layer 0: of <U1 and <U1: want numbers"),
        (layers(SIZE, act.N_ACTIONS), {"fields": "standard"}, "fields 'standard': want a list"),
        (layers(SIZE, act.N_ACTIONS), {"training": {"x": {1, 2}}}, "training: want plain data (set is none)"),
        (layers(SIZE, act.N_ACTIONS), {"training": {"x": float("nan")}}, "training: want plain data"),
        (layers(SIZE, act.N_ACTIONS), {"training": {"x": "y" * (1 << 20)}}, "training: makes a card of"),
        (layers(SIZE, act.N_ACTIONS), {"activation": "gelu"}, "activation 'gelu': want one of tanh, relu"),
        ([(np.full((32, SIZE), np.nan), np.zeros(32))], {}, "layer 0: want finite numbers"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(
    tmp_path: Path, given: list, named: dict, said: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        publish(tmp_path / "model", given, "duel", **{"fields": ["standard"], **named})
    assert not list(tmp_path.iterdir())
