"""The files of a trained pilot: read back as written, and refused by name of what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import agents
from agents import ppo, seen
from agents.ppo import CARD, WEIGHTS, ModelError, PPOAgent
from agents.seen import columns
from agents.training import networks, ship
from fc_env import actions, engine, scenarios
from fc_env.errors import ConfigError
from fc_env.observation import Layout, observe

SETUPS = scenarios.load("tiny")
LAYOUT = Layout.of(SETUPS)


def write(folder: Path, layout: Layout = LAYOUT) -> dict[str, torch.nn.Sequential]:
    """A model with weights of chance."""
    torch.manual_seed(1)
    nets = {
        "actor": networks.network(layout.size, [7, 5], actions.N_ACTIONS, "relu"),
        "critic": networks.network(layout.size, [6], 1, "relu"),
    }
    card = ppo.Card(
        format=ppo.FORMAT, scenario="tiny", fields=["pair"], observation=seen.observation_card(layout),
        actions=list(actions.NAMES), actor_net=[7, 5], critic_net=[6], activation="relu", training={"seed": 1},
    )  # fmt: skip
    folder.mkdir(exist_ok=True)
    (folder / WEIGHTS).write_bytes(networks.model_bytes(nets))
    (folder / CARD).write_bytes(ppo.card_bytes(card))
    return nets


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write(tmp_path / "model")
    return tmp_path / "model"


def test_networks_are_read_back_as_written(tmp_path: Path) -> None:
    nets = write(tmp_path / "model")
    card, again = ppo.read_networks(tmp_path / "model")
    assert (card.actor_net, card.training) == ([7, 5], {"seed": 1})
    for name, net in nets.items():
        written = [tensor.numpy() for tensor in net.state_dict().values()]
        read = [tensor for layer in again[name].layers for tensor in layer]
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(written, read, strict=True))
    assert ppo.layout_of(tmp_path / "model") == LAYOUT


def test_the_likeliest_legal_action_is_taken(tmp_path: Path) -> None:
    actor = write(tmp_path / "model")["actor"]
    games = engine.new(SETUPS, range(50))
    seen, masks = observe(games, LAYOUT), engine.legal_mask(games)
    with torch.no_grad():
        logits = actor(torch.from_numpy(seen)).numpy()
    for name in ("model", f"model/{WEIGHTS}", f"model/{CARD}"):
        chosen = agents.make(f"ppo:{tmp_path / name}", SETUPS)(seen, masks)
        assert chosen.dtype == np.int64
        assert chosen.tolist() == np.where(masks, logits, -np.inf).argmax(axis=1).tolist()
    assert agents.make(f"ppo:{tmp_path / 'model'}", SETUPS)(seen[:0], masks[:0]).shape == (0,)


def test_draws_follow_the_seed_and_the_mask(model: Path) -> None:
    games = engine.new(SETUPS, range(200))
    seen, masks = observe(games, LAYOUT), engine.legal_mask(games)
    draws = [PPOAgent(model, LAYOUT, greedy=False, seed=seed)(seen, masks) for seed in (1, 1, 2)]
    assert draws[0].tolist() == draws[1].tolist() != draws[2].tolist()
    assert masks[np.arange(200), draws[2]].all() and len(set(draws[2].tolist())) > 1


def card_with(**changes: Any) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        card = json.loads((folder / CARD).read_bytes())
        for key, value in changes.items():
            inner = card
            *path, last = key.split("__")
            for part in path:
                inner = inner[part]
            inner[last] = value
        (folder / CARD).write_text(json.dumps(card), encoding="utf-8")

    return change


def weights_with(change: Callable[[dict[str, torch.Tensor]], object]) -> Callable[[Path], object]:
    def changed(folder: Path) -> None:
        tensors = load_file(folder / WEIGHTS)
        change(tensors)
        save_file(tensors, folder / WEIGHTS)

    return changed


def cut(name: str, share: float) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: int(len(data) * share)])

    return change


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no card": (lambda folder: (folder / CARD).unlink(), "there is no model.json"),
    "no weights": (lambda folder: (folder / WEIGHTS).unlink(), "there is no model.safetensors"),
    "cut card": (cut(CARD, 0.5), "model.json: not JSON"),
    "deep card": (lambda folder: (folder / CARD).write_text("[" * 100_000), "model.json: not JSON"),
    "card of a list": (lambda folder: (folder / CARD).write_text("[]"), "format is None: want 1"),
    "empty weights": (cut(WEIGHTS, 0.0), "model.safetensors: damaged"),
    "cut weights": (cut(WEIGHTS, 0.9), "model.safetensors: damaged"),
    "other format": (card_with(format=2), "format is 2: want 1"),
    "other kind": (card_with(kind="chess"), "kind: "),
    "unknown key": (card_with(code="print()"), "code: "),
    "unknown activation": (card_with(activation="swish"), "activation is 'swish': want one of tanh"),
    "false width": (card_with(actor_net=[7, 6]), "the card wants"),
    "huge width": (card_with(actor_net=[10**9]), "actor_net is [1000000000]"),
    "wide widths": (card_with(actor_net=[65536, 65536]), "the card wants"),
    "one action less": (card_with(actions=["pass"]), "the card wants"),
    "other actions": (card_with(actions=["jump", *actions.NAMES[1:]]), "made for other actions"),
    "other markers": (
        card_with(observation__markers=3, observation__digest="0"),
        "made for 3 markers, here there are 2",
    ),
    "other slot": (
        card_with(observation__digest="0", observation__slots={"game": ["speed x1 0..1 c"]}),
        "slot 0 of game was 'speed x1 0..1 c' for it, here it is 'phase",
    ),
    "other digest": (card_with(observation__digest="beef"), "digest beef"),
    "no bias": (weights_with(lambda tensors: tensors.pop("actor.2.bias")), "actor.2.bias has shape None"),
    "one tensor more": (
        weights_with(lambda t: t.update(spy=torch.zeros(1))),
        "spy has shape (1,): the card wants None",
    ),
    "doubles": (weights_with(lambda t: t.update({"critic.0.bias": torch.zeros(6).double()})), "of float32"),
    "not finite": (weights_with(lambda t: t["critic.0.bias"].fill_(torch.nan)), "not finite"),
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_model_that_is_wrong_is_refused_by_name_of_what_is(model: Path, fault: str) -> None:
    spoil, message = FAULTS[fault]
    spoil(model)
    with pytest.raises(ModelError) as refused:
        PPOAgent(model, LAYOUT)
    assert message in str(refused.value) and str(model) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_model_for_other_fields_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "dense", Layout.of(scenarios.load("crossing", "dense")))
    with pytest.raises(ConfigError, match="made for 18 markers, here there are 36"):
        agents.make(f"ppo:{tmp_path / 'dense'}", scenarios.load("crossing", "improbable"))


def test_a_model_that_is_not_there_is_refused() -> None:
    with pytest.raises(ModelError, match=r"model nowhere: there is no model.json: want a folder with"):
        agents.make("ppo:nowhere", SETUPS)
    with pytest.raises(ConfigError, match="selfplay takes no argument"):
        agents.make("selfplay:nowhere", SETUPS)


@pytest.mark.parametrize("kind", ["ppo", "selfplay"])
def test_the_shipped_model_that_fits_is_found(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ppo, "SHIPPED", tmp_path)
    with pytest.raises(ModelError, match=rf"agent '{kind}': no model ships that fits these scenarios \(none ships\)"):
        agents.make(kind, SETUPS)
    write(tmp_path / f"{kind}-crossing", Layout.of(scenarios.load("crossing")))
    write(tmp_path / f"{kind}-tiny")
    write(tmp_path / "other-duel", Layout.of(scenarios.load("duel")))
    assert agents.make(kind, SETUPS).card.observation.markers == 2
    assert agents.make(kind).card.observation.markers == 6
    with pytest.raises(ModelError, match="-crossing: it was made for 0 ships of the other side, here there are 1; "):
        agents.make(kind, scenarios.load("duel"))


def test_a_model_ships_without_its_critic_and_plays_alike(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ship.main([str(model), str(tmp_path / "shipped")]) == 0
    card, nets = ppo.read_networks(tmp_path / "shipped")
    assert list(nets) == ["actor"] and card.critic_net is None and card.training == {"seed": 1}
    games = engine.new(SETUPS, range(50))
    seen, masks = observe(games, LAYOUT), engine.legal_mask(games)
    choices = [PPOAgent(folder, LAYOUT)(seen, masks).tolist() for folder in (model, tmp_path / "shipped")]
    assert choices[0] == choices[1]
    assert ship.main(["nowhere", str(tmp_path / "other")]) == 2 and not (tmp_path / "other").exists()
    assert "nowhere: there is no model.json" in capsys.readouterr().err


def test_what_ships_does_not_say_where_the_run_was_kept(model: Path, tmp_path: Path) -> None:
    card = json.loads((model / "model.json").read_text())
    card["training"] = {
        "command": "python train.py --config a.yaml --run-folder '/home/me/my runs' --seed 3 --name=mine",
        "config": {"run_folder": "/home/me/my runs", "seed": 3},
    }
    (model / "model.json").write_text(json.dumps(card))
    assert ship.main([str(model), str(tmp_path / "shipped")]) == 0
    told, _ = ppo.read_networks(tmp_path / "shipped")
    assert told.training == {
        "command": "python train.py --config a.yaml --seed 3",
        "config": {"run_folder": None, "seed": 3},
    }


def shipped_models() -> list[Path]:
    return sorted(path for path in ppo.SHIPPED.glob("*") if path.is_dir())


def test_what_ships_is_small() -> None:
    assert sum(path.stat().st_size for path in ppo.SHIPPED.rglob("*") if path.is_file()) < 3_000_000


@pytest.mark.parametrize("folder", shipped_models(), ids=lambda folder: folder.name)
def test_what_ships_plays_its_scenario_and_its_card_tells_how_it_came_to_be(folder: Path) -> None:
    kind, _, scenario = folder.name.partition("-")
    setups = scenarios.load(scenario)
    assert ppo.shipped(kind, setups) == folder
    agent = agents.make(kind, setups)
    assert isinstance(agent, PPOAgent)
    card = agent.card
    assert (card.scenario, card.rules) == (scenario, ppo.rules_digest(setups))
    assert card.results and len(card.curve) > 10 and card.training["command"].startswith("python train.py")
    assert {"config", "steps", "versions"} <= set(card.training) and "seed" in card.training["config"]
    games = engine.new(setups, range(20))
    layout = Layout.of(setups, agent.aids)
    seen, masks = observe(games, layout), engine.legal_mask(games)
    with torch.no_grad():
        net = networks.network(card.observation.size, card.actor_net, actions.N_ACTIONS, card.activation)
        tensors = load_file(folder / WEIGHTS)
        net.load_state_dict({key.removeprefix("actor."): tensor for key, tensor in tensors.items()})
        shown = seen[:, columns(layout, card.observation.left_out)]
        want = net(torch.from_numpy(shown)).numpy()[masks]
    np.testing.assert_allclose(agent.logits(seen)[masks], want, rtol=1e-5, atol=1e-5)


def test_a_digest_of_rules_follows_every_rule() -> None:
    assert ppo.rules_digest(SETUPS) == ppo.rules_digest(np.concatenate([SETUPS, SETUPS]))
    other = SETUPS.copy()
    other["game"]["rules"]["turn_limit"] += 1
    assert ppo.rules_digest(SETUPS) != ppo.rules_digest(other)
