"""``python -m agents``: evaluate agents, let them play tournaments, and score them on the benchmark suite."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from fc_env.commandline import Parser, exit_status

COMMANDS = {
    "evaluate": ("agents.lab.evaluate", "how good one agent is in one scenario"),
    "tournament": ("agents.lab.tournament", "several agents, all against all: ratings and a win matrix"),
    "benchmark": ("agents.lab.benchmark", "the score of an agent on the frozen suite FC-6"),
    "exploit": ("agents.training.exploit", "how badly an agent can be beaten by one trained against it"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""

    def work() -> int | None:
        listed = "\n".join(f"  {name:<12}{what}" for name, (_, what) in COMMANDS.items())
        parser = Parser("python -m agents", "Measure agents.", f"commands:\n{listed}\n\nEach has a --help of its own.")
        parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of the commands below")
        given = list(sys.argv[1:] if arguments is None else arguments)
        command = parser.parse_args(given[:1]).command
        status: int | None = importlib.import_module(COMMANDS[command][0]).run(given[1:])
        return status

    return exit_status(work)


if __name__ == "__main__":
    sys.exit(main())
