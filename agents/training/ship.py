"""Make a run's model one that ships with the package: the policy alone, and its card.

python -m agents.training.ship runs/NAME agents/models/ppo-duel
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from agents import ppo
from agents.training.checkpoints import write_file
from fc_env.commandline import Parser, exit_status


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
        write_file(given.folder / ppo.CARD, card)
        print(f"{given.folder}: {len(weights):,} bytes of weights")

    return exit_status(work)


if __name__ == "__main__":
    sys.exit(main())
