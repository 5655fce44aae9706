"""Command lines that say what is wrong in one line."""

from __future__ import annotations

import argparse
from typing import NoReturn

from fc_env.errors import ConfigError


class Parser(argparse.ArgumentParser):
    """A parser that takes no abbreviations, and raises ConfigError for what it cannot read."""

    def __init__(self, program: str, description: str, epilog: str | None = None) -> None:
        super().__init__(prog=program, description=description, epilog=epilog, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}; --help lists all options")
