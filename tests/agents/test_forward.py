"""The NumPy networks: those of torch to five digits, and played without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents import forward
from fc_env.actions import N_ACTIONS

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("activation", sorted(forward.ACTIVATIONS))
@pytest.mark.parametrize("hidden", [[], [256, 128]])
def test_outputs_are_those_of_torch(activation: str, hidden: list[int]) -> None:
    torch = pytest.importorskip("torch")
    from agents.training.networks import network

    torch.manual_seed(3)
    net = network(200, hidden, N_ACTIONS, activation)
    ours = forward.Network({key: tensor.numpy() for key, tensor in net.state_dict().items()}, activation)
    assert {key: tuple(tensor.shape) for key, tensor in net.state_dict().items()} == forward.shapes(
        200, hidden, N_ACTIONS
    )
    for rows in (1, 300):
        inputs = np.random.default_rng(rows).normal(0.0, 3.0, (rows, 200)).astype(np.float32)
        kept = inputs.copy()
        with torch.no_grad():
            want = net(torch.from_numpy(inputs)).numpy()
        got = ours(inputs)
        assert got.dtype == np.float32 and np.array_equal(inputs, kept)
        # Relative to the row: a logit near zero is what is left of large terms.
        assert (np.abs(got - want).max(axis=1) <= 1e-5 * np.abs(want).max(axis=1)).all()


@pytest.mark.parametrize("activation", sorted(forward.ACTIVATIONS))
def test_activations_stand_huge_inputs(activation: str) -> None:
    values = np.array([-1e30, -100.0, 0.0, 100.0, 1e30], np.float32)
    with np.errstate(all="raise", under="ignore"):
        forward.ACTIVATIONS[activation](values)
    assert np.isfinite(values).all() and values[2] == 0.0 and (np.diff(values) >= 0).all()


def test_lots_fall_on_actions_by_their_chances() -> None:
    logits = np.log(np.array([[0.5, 0.2, 0.2, 0.1]], np.float32)).repeat(8, axis=0)
    masks = np.array([[True, False, True, True]]).repeat(8, axis=0)
    lots = np.array([0.0, 0.62, 0.63, 0.87, 0.88, 1.0 - 2.0**-53, 0.3, 0.7])
    assert forward.drawn(logits, masks, lots).tolist() == [0, 0, 2, 2, 3, 3, 0, 2]


def test_no_lot_falls_on_what_is_illegal() -> None:
    generator = np.random.default_rng(0)
    logits = generator.normal(0.0, 40.0, (20_000, N_ACTIONS)).astype(np.float32)
    masks = generator.random(logits.shape) < 0.2
    masks[np.arange(len(masks)), generator.integers(0, N_ACTIONS, len(masks))] = True
    lots = generator.choice([0.0, 0.5, 1.0 - 2.0**-53], len(masks))
    for chosen in (forward.drawn(logits, masks, lots), forward.likeliest(logits, masks)):
        assert masks[np.arange(len(masks)), chosen].all()


def test_a_trained_model_is_played_without_torch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from test_ppo_format import write

    write(tmp_path / "model")
    code = f"""
import sys
sys.modules["torch"] = None  # importing it raises
import numpy as np, agents
from fc_env import engine, observation, scenarios
setups = scenarios.load("tiny")
games = engine.new(setups, range(5))
agent = agents.make("ppo:{tmp_path / "model"}", setups)
seen = observation.observe(games, observation.Layout.of(setups))
print(agent(seen, engine.legal_mask(games)).tolist())
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.strip("[]\n").split(",")) == 5
