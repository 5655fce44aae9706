"""Command lines that say what is wrong in one line."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from fc_env.errors import ConfigError, FleetCaptainError

BAD_INPUT = 2
"""Exit status when what was asked for cannot be done."""

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


def exit_status(work: Callable[[], int | None]) -> int:
    """Do the work of a command; what is refused, or a file that fails, becomes one line on stderr and BAD_INPUT."""
    try:
        return work() or 0
    except FleetCaptainError as problem:
        print(problem, file=sys.stderr)
    except BrokenPipeError:  # whoever read it has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        print(f"{where}cannot be written or read ({problem.strerror or problem})", file=sys.stderr)
    return BAD_INPUT


class Parser(argparse.ArgumentParser):
    """A parser that takes no abbreviations, and raises ConfigError for what it cannot read."""

    def __init__(self, program: str, description: str, epilog: str | None = None) -> None:
        shape = argparse.RawDescriptionHelpFormatter if epilog and "\n" in epilog else argparse.HelpFormatter
        super().__init__(
            prog=program, description=description, epilog=epilog, allow_abbrev=False, formatter_class=shape
        )

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}; --help lists all options")


def commands(
    program: str, description: str, modules: Mapping[str, tuple[str, str]], arguments: Sequence[str] | None = None
) -> int:
    """Hand over to the command that is named first: its module's ``run`` gets what follows. Returns the exit status.

    ``modules``: by the command's name its module, which is imported only then, and what it does in a few words.
    """

    def work() -> int | None:
        listed = "\n".join(f"  {name:<12}{what}" for name, (_, what) in modules.items())
        parser = Parser(program, description, f"commands:\n{listed}\n\nEach has a --help of its own.")
        parser.add_argument("command", choices=modules, metavar="COMMAND", help="one of the commands below")
        given = list(sys.argv[1:] if arguments is None else arguments)
        command = parser.parse_args(given[:1]).command
        try:
            status: int | None = importlib.import_module(modules[command][0]).run(given[1:])
        except ModuleNotFoundError as absent:
            if (absent.name or "").split(".")[0] in sys.modules:
                raise  # ours, or a part of what is there
            raise ConfigError(f"{program} {command} needs {absent.name}: want pip install -e '.[train]'") from absent
        return status

    return exit_status(work)
