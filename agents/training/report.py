"""What a run leaves behind: the model, the learning curve, the results."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from agents import evaluate, ppo, seen
from agents.training.config import TrainConfig
from agents.training.learner import Learner
from agents.training.run_folder import RunFolder, json_bytes, versions
from fc_env import actions as act
from fc_env import scenarios
from fc_env.observation import Layout

TRAINED = "trained"
"""What the run's own pilot is called in the table."""


def write_model(
    run: RunFolder,
    learner: Learner,
    observation: seen.ObservationCard,
    command: str,
    results: list[dict[str, Any]],
) -> None:
    """Write ``model.safetensors`` and ``model.json``."""
    config = run.config
    card = ppo.Card(
        format=ppo.FORMAT,
        scenario=config.scenario,
        fields=config.fields,
        observation=observation,
        actions=list(act.NAMES),
        actor_net=config.actor_net,
        critic_net=config.critic_net,
        activation=config.activation,
        training={
            "command": command,
            "config": config.model_dump(),
            "steps": learner.steps,
            "games": learner.seen.games,
            "versions": versions(),
        },
        results=results,
    )
    run.write(ppo.WEIGHTS, ppo.model_bytes(learner.networks()))
    run.write(ppo.CARD, ppo.card_bytes(card))


def write_curve(run: RunFolder) -> None:
    """Draw the metrics: crossing rate and mean return over steps, as ``learning_curve.png``."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    lines = run.metrics()
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    steps = [line["steps"] for line in lines]
    for key, label, style in (
        ("crossing_rate", "games of each rollout", {"color": "tab:blue", "alpha": 0.3}),
        ("recent_crossing_rate", "last 1,000 games", {"color": "tab:blue"}),
    ):
        rates = [np.nan if line[key] is None else 100 * line[key] for line in lines]
        axes.plot(steps, rates, label=label, **style)
    axes.set(xlabel="decisions", ylabel="crossing rate in training, %", ylim=(0, 100), title=run.path.name)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=120)
    run.write("learning_curve.png", picture.getvalue())


def observation_of(config: TrainConfig) -> seen.ObservationCard:
    """What of its observations a run's networks are shown."""
    setups = np.concatenate([scenarios.load(config.scenario, field) for field in config.fields])
    return seen.observation_card(Layout.of(setups), config.leave_out)


def evaluate_run(run: RunFolder, note: Callable[[str], None]) -> list[dict[str, Any]]:
    """Measure the trained pilot against the others, and write ``results.json`` and ``results.md``."""
    config = run.config
    results = []
    for field in config.evaluation_fields:
        setups = scenarios.load(config.scenario, field)
        note(f"evaluating on {config.evaluation_games:,} held-out games of {config.scenario}, field {field} ...")
        played = {}
        for name, source in _contestants(config, run):
            agent, layout = evaluate.prepare(source, setups, seed=0)
            played[name] = evaluate.play(agent, setups, range(config.evaluation_games), "test", layout)
        where = {"scenario": config.scenario, "field": field, "space": "test"}
        pairs = [(TRAINED, name) for name in played if name != TRAINED]
        results.append({**where, **evaluate.report(played, pairs)})
    run.write("results.json", json_bytes(results))
    run.write("results.md", (text(results) + "\n").encode())
    return results


def _contestants(config: TrainConfig, run: RunFolder) -> Sequence[tuple[str, str]]:
    return [(TRAINED, f"ppo:{run.path}"), *((name, name) for name in config.evaluation_agents)]


def text(results: Sequence[dict[str, Any]]) -> str:
    """The results as text that is Markdown too."""
    blocks = []
    for one in results:
        games = one["agents"][0]["games"]
        lines = [f"{one['scenario']}, field {one['field']}, {games:,} held-out games each:", ""]
        blocks.append("\n".join([*lines, evaluate.words(one)]))
    return "\n\n".join(blocks)
