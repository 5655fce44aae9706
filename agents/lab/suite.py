"""The frozen suite FC-6: six tasks, their seeds and their opponent, and the results that are 0 and 100 on its scale.

A version of the suite never changes. Whatever would change a result on it (a rule, a scenario, the opponent's play)
makes a new version; its digest, and a test that replays games of the reference, tell when that is due.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.lab import records
from agents.lab.ledger import difference
from fc_env import scenarios
from fc_env.errors import ConfigError
from fc_env.files import write_text

NAME, VERSION = "FC-6", 1
OPPONENT = "captain"
SPACE = "test"
SEEDS = range(1_000_000, 1_000_500)
QUICK_SEEDS = SEEDS[:20]
ZERO, HUNDRED = "random", "rollout:200"
"""The agents whose results score 0 and 100."""
REFERENCE = Path(__file__).parent / "data" / "fc6_v1.json"
_MOST_BYTES = 1 << 24


class Task(NamedTuple):
    """One scenario in one of its fields."""

    scenario: str
    field: str

    @property
    def name(self) -> str:
        """``SCENARIO/FIELD``."""
        return f"{self.scenario}/{self.field}"

    def setups(self) -> np.ndarray:
        """SETUP (1,)."""
        return _load(self)


@cache
def _load(task: Task) -> np.ndarray:
    return scenarios.load(task.scenario, task.field)


TASKS = (
    Task("crossing", "standard"),
    Task("crossing", "dense"),
    Task("crossing", "improbable"),
    Task("duel", "standard"),
    Task("skirmish", "standard"),
    Task("battle", "standard"),
)


def about() -> dict[str, Any]:
    """What the suite is, plain data; equal where results can be compared."""
    tasks = {task.name: records.digest_of(task.setups()) for task in TASKS}
    said = {"name": NAME, "version": VERSION, "opponent": OPPONENT, "space": SPACE, "tasks": tasks}
    digest = hashlib.blake2b(json.dumps([said, SEEDS.start, SEEDS.stop]).encode(), digest_size=8).hexdigest()
    return {**said, "digest": digest}


def check_same(found: Any, what: str) -> None:
    """Raise ConfigError, saying what differs, if the suite that something was made for is another one."""
    if isinstance(found, dict) and found.get("name") == NAME and found.get("version") != VERSION:
        raise ConfigError(f"{what}: made for {NAME} v{found.get('version')}, here is v{VERSION}: they do not compare")
    differs = difference(about(), found)
    if differs:
        raise ConfigError(f"{what}: made for another suite: {differs}")


# ---- the results that make the scale

Results = Mapping[str, np.ndarray]
"""By task what each game was worth, float64 (N, G)."""


def results_of(rows: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """What games were worth by task, from rows of a ledger."""
    found = {}
    for task in TASKS:
        of_task = sorted((row for row in rows if row["task"] == task.name), key=lambda row: int(row["seed"]))
        if of_task:
            found[task.name] = records.worth(of_task)
    return found


def read_reference(path: Path = REFERENCE) -> dict[str, dict[str, np.ndarray]]:
    """The results of the reference agents by name. Raises ConfigError for a file that is none, or of another suite."""
    try:
        with path.open("rb") as stream:
            said = json.loads(stream.read(_MOST_BYTES))
        check_same(said["suite"], str(path))
        return {
            name: {task: _unpacked(texts) for task, texts in results.items()}
            for name, results in said["agents"].items()
        }
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        if isinstance(problem, ConfigError):
            raise
        raise ConfigError(f"{path}: no reference results ({problem!r:.200})") from None


def add_reference(name: str, results: Results, path: Path = REFERENCE) -> None:
    """Write an agent's results into the file of reference results, which is made if there is none."""
    every = read_reference(path) if path.exists() else {}
    every[name] = dict(results)
    said = {
        "suite": about(),
        "seeds": [SEEDS.start, SEEDS.stop],
        "agents": {agent: {task: _packed(worth) for task, worth in found.items()} for agent, found in every.items()},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(said, indent=1) + "\n")


def _packed(worth: np.ndarray) -> list[str]:
    """A text for each game of a seed, with a digit for each seed: twice what it was worth."""
    digits = np.rint(2.0 * worth).astype(np.int64).T
    return ["".join(map(str, game)) for game in digits.tolist()]


def _unpacked(texts: list[str]) -> np.ndarray:
    return np.array([[int(digit) for digit in game] for game in texts], np.float64).T / 2.0


def means(results: Results) -> list[float]:
    """The mean worth of a game in each task, in the order of the tasks."""
    return [float(results[task.name].mean()) for task in TASKS]


__all__ = [
    "HUNDRED", "NAME", "OPPONENT", "QUICK_SEEDS", "REFERENCE", "SEEDS", "SPACE", "TASKS", "VERSION", "ZERO", "Task",
    "about", "add_reference", "check_same", "means", "read_reference", "results_of",
]  # fmt: skip
