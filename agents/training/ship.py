"""Make a run's model one that ships with the package: the policy alone, and its card.

python -m agents.training.ship runs/NAME agents/models/ppo-duel
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from agents import ppo
from agents.training.checkpoints import write_file
from fc_env.commandline import Parser, exit_status

_PLACES = ("--run-folder", "--name")
"""Options that say where a run was kept, which is nobody else's business."""


def without_places(command: str) -> str:
    """A training command without where its run was kept."""
    kept: list[str] = []
    words = iter(shlex.split(command))
    for word in words:
        if word in _PLACES:
            next(words, None)
        elif not word.startswith(tuple(f"{option}=" for option in _PLACES)):
            kept.append(word)
    return shlex.join(kept)


def without_places_in(card: bytes) -> bytes:
    """The contents of ``model.json`` without where the run was kept."""
    data = json.loads(card)
    training = data["training"]
    if "command" in training:
        training["command"] = without_places(training["command"])
    if "run_folder" in training.get("config", {}):
        training["config"]["run_folder"] = None
    return ppo.card_bytes(ppo.Card(**data))


def main(arguments: Sequence[str] | None = None, program: str = "python -m agents.training.ship") -> int:
    """Copy as the command line says; returns the exit status."""

    def work() -> None:
        parser = Parser(program, description="Copy a run's model, the policy alone, to where models that ship lie.")
        parser.add_argument("run", help="folder of the run, or of any model")
        parser.add_argument("folder", type=Path, help="folder to write, named by agent and scenario")
        given = parser.parse_args(arguments)
        weights, card = ppo.policy_alone(given.run)
        given.folder.mkdir(parents=True, exist_ok=True)
        write_file(given.folder / ppo.WEIGHTS, weights)
        write_file(given.folder / ppo.CARD, without_places_in(card))
        print(f"{given.folder}: {len(weights):,} bytes of weights")

    return exit_status(work)


if __name__ == "__main__":
    sys.exit(main())
