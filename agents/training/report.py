"""What a run leaves behind: the model, the learning curve, the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from agents import evaluate, match, ppo, seen
from agents.lab.players import player
from agents.training.config import TrainConfig
from agents.training.learner import Learner
from agents.training.networks import model_bytes
from agents.training.ratings import over_time
from agents.training.run_folder import RunFolder, json_bytes
from agents.versions import versions
from fc_env import actions as act
from fc_env import scenarios
from fc_env.lab import pictures
from fc_env.lab.playing import play
from fc_env.observation import Layout

TRAINED = "trained"
"""What the run's own agent is called in the tables."""
MOST_POINTS = 100
"""Of the learning curve in a card."""


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
        rules=ppo.rules_digest(_setups(config)),
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
        curve=_curve(run),
        results=results,
    )
    run.write(ppo.WEIGHTS, model_bytes(learner.networks()))
    run.write(ppo.CARD, ppo.card_bytes(card))


def _write_picture(run: RunFolder, name: str, axes: Any) -> None:
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    run.write(name, pictures.png(axes))


def write_curve(run: RunFolder) -> None:
    """Draw the metrics: success rate over steps, as ``learning_curve.png``."""
    lines, axes = run.metrics(), pictures.axes()
    steps = [line["steps"] for line in lines]
    for key, label, style in (
        ("success_rate", "games of each rollout", {"color": "tab:blue", "alpha": 0.3}),
        ("recent_success_rate", "last 1,000 games", {"color": "tab:blue"}),
    ):
        rates = [np.nan if line[key] is None else 100 * line[key] for line in lines]
        axes.plot(steps, rates, label=label, **style)
    axes.set(xlabel="decisions", ylabel=f"{run.config.success} in training, %", ylim=(0, 100), title=run.path.name)
    _write_picture(run, "learning_curve.png", axes)


def write_ratings(run: RunFolder) -> None:
    """Write the ratings of a league as ``ratings.json`` and, over steps, ``ratings.png``."""
    lines = run.metrics()
    if not lines:
        return
    reference, *others = run.config.opponents
    history = over_time(lines, run.config.snapshot_every, reference)
    rated = dict(zip(history.names, zip(*history.opponents, strict=True), strict=True))
    figures = {
        "unit": f"Elo points, {reference} at 0, with standard errors",
        "learner": [
            {"steps": steps, "rating": float(value), "error": float(error)}
            for steps, value, error in zip(history.steps, *history.learner, strict=True)
        ],
        "opponents": {name: {"rating": float(value), "error": float(error)} for name, (value, error) in rated.items()},
    }
    run.write("ratings.json", json_bytes(figures))
    axes = pictures.axes()
    value, error = history.learner
    axes.fill_between(history.steps, value - 2 * error, value + 2 * error, alpha=0.2, color="tab:blue")
    axes.plot(history.steps, value, color="tab:blue", label="learner")
    for number, name in enumerate((reference, *others)):
        if name in rated:
            axes.axhline(rated[name][0], color=f"C{number + 1}", linestyle="--", label=name)
    births = run.config.snapshot_every * run.config.rollout
    past = [(int(name.rpartition("-")[2]) * births, rated[name][0]) for name in rated if name.startswith("past-")]
    axes.plot(*zip(*past, strict=True) if past else ([], []), "k.", label="past selves")
    axes.set(xlabel="decisions", ylabel=f"rating, Elo points above {reference}", title=run.path.name)
    _write_picture(run, "ratings.png", axes)


def _curve(run: RunFolder) -> list[list[float]]:
    """The learning curve by about a hundred points."""
    points = [(line["steps"], line["recent_success_rate"]) for line in run.metrics()]
    rated = [[steps, round(rate, 4)] for steps, rate in points if rate is not None]
    return rated[:: -(-len(rated) // MOST_POINTS) or 1]


def observation_of(config: TrainConfig) -> seen.ObservationCard:
    """What of its observations a run's networks are shown."""
    return seen.observation_card(Layout.of(_setups(config), config.aids), config.leave_out)


def _setups(config: TrainConfig) -> np.ndarray:
    """The scenarios of all fields that are trained in, SETUP (S,)."""
    return np.concatenate([scenarios.load(config.scenario, field) for field in config.fields])


def evaluate_run(run: RunFolder, note: Callable[[str], None]) -> list[dict[str, Any]]:
    """Measure the trained agent against the others, and write ``results.json`` and ``results.md``."""
    config = run.config
    results = []
    for field in config.evaluation_fields:
        setups = scenarios.load(config.scenario, field)
        note(f"evaluating on {config.evaluation_games:,} held-out seeds of {config.scenario}, field {field} ...")
        figures = _matches(run, setups) if config.opponents else _crossings(run, setups)
        results.append({"scenario": config.scenario, "field": field, "space": "test", **figures})
    run.write("results.json", json_bytes(results))
    run.write("results.md", (text(results) + "\n").encode())
    return results


def _crossings(run: RunFolder, setups: np.ndarray) -> dict[str, Any]:
    """Every agent plays the same games."""
    played = {}
    for name, source in [(TRAINED, _model(run)), *((name, name) for name in run.config.evaluation_agents)]:
        played[name] = play([player(source, setups)], setups, range(run.config.evaluation_games))
    return evaluate.report(played, [(TRAINED, name) for name in played if name != TRAINED])


def _matches(run: RunFolder, setups: np.ndarray) -> dict[str, Any]:
    """The trained agent plays each of the others, every seed twice."""
    seeds = range(run.config.evaluation_games)
    others = run.config.evaluation_agents
    return {"matches": [match.summary(TRAINED, o, match.match(_model(run), o, setups, seeds, "test")) for o in others]}


def _model(run: RunFolder) -> str:
    return f"ppo:{run.path}"


def text(results: Sequence[dict[str, Any]]) -> str:
    """The results as text that is Markdown too."""
    blocks = []
    for one in results:
        matches = one.get("matches")
        if matches is None:
            played, said = f"{one['agents'][0]['games']:,} held-out games each", evaluate.words(one)
        else:
            played = f"{matches[0]['seeds'] if matches else 0:,} held-out seeds each, seats swapped"
            said = match.words(matches)
        blocks.append(f"{one['scenario']}, field {one['field']}, {played}:\n\n{said}")
    return "\n\n".join(blocks)
