"""``python -m agents``: evaluate agents, let them play tournaments, and score them on the benchmark suite."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from fc_env.commandline import commands

COMMANDS = {
    "evaluate": ("agents.lab.evaluate", "how good one agent is in one scenario"),
    "tournament": ("agents.lab.tournament", "several agents, all against all: ratings and a win matrix"),
    "benchmark": ("agents.lab.benchmark", "the score of an agent on the frozen suite FC-6"),
    "exploit": ("agents.training.exploit", "how badly an agent can be beaten by one trained against it"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""

    return commands("python -m agents", "Measure agents.", COMMANDS, arguments)


if __name__ == "__main__":
    sys.exit(main())
