"""Training runs that take seconds: the tiny scenario, four games side by side, networks of eight."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.training.learner import Learner
from agents.training.main import main

ROOT = Path(__file__).resolve().parent.parent.parent
ROLLOUT = 32
BASE: dict[str, Any] = {
    "scenario": "tiny",
    "fields": ["pair"],
    "evaluation_fields": ["pair"],
    "evaluation_games": 0,
    "n_envs": 4,
    "n_steps": 8,
    "batch_size": 16,
    "n_epochs": 2,
    "actor_net": [8],
    "critic_net": [8],
    "threads": 1,
    "learning_rate": 0.001,
    "learning_rate_end": 0.0,
    "gamma": 0.99,
    "leave_out": [],
    "checkpoint_every": 1,
}


def arguments(folder: Path, rollouts: int, **values: Any) -> list[str]:
    """A command line for a run of so many rollouts."""
    said = {**BASE, "total_steps": rollouts * ROLLOUT, "run_folder": str(folder), **values}
    return [f"--{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in said.items()]


def train(folder: Path, rollouts: int, **values: Any) -> int:
    """Train in this process; returns the exit status."""
    return main(arguments(folder, rollouts, **values), "train.py")


def start(words: list[str], **more: Any) -> subprocess.Popen[str]:
    """Train in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "train.py", *words],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        **more,
    )


def interrupt_after(patch: pytest.MonkeyPatch, rollouts: int) -> None:
    """Let an interrupt come when so many rollouts are done."""
    rollout = Learner.rollout

    def interrupted(self: Learner, on_step_taken: Any = None) -> None:
        if self.rollouts == rollouts:
            os.kill(os.getpid(), signal.SIGINT)
        rollout(self, on_step_taken)

    patch.setattr(Learner, "rollout", interrupted)


def digest(folder: Path) -> str:
    """Of the final weights."""
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def lines(folder: Path) -> list[dict[str, Any]]:
    """The metrics."""
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


def untimed(folder: Path) -> list[dict[str, Any]]:
    """The metrics without what depends on the clock."""
    return [{k: v for k, v in line.items() if "second" not in k} for line in lines(folder)]


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def empty(file: Path) -> None:
    file.write_bytes(b"")
