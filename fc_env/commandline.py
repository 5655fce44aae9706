"""Command lines that say what is wrong in one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn

from fc_env.errors import ConfigError, FleetCaptainError

BAD_INPUT = 2
"""Exit status when what was asked for cannot be done."""


def exit_status(work: Callable[[], int | None]) -> int:
    """Do the work of a command; what is refused, or a file that fails, becomes one line on stderr and BAD_INPUT."""
    try:
        return work() or 0
    except FleetCaptainError as problem:
        print(problem, file=sys.stderr)
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
