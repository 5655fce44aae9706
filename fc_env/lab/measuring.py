"""What the commands that measure agents have in common: options, and figures in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fc_env import scenarios
from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.files import check_writable, write_text
from fc_env.seeding import SPACES, check_seed

MOST_GAMES = 1_000_000


# ---- the command line


def add_options(parser: Parser, scenario: str, games: int) -> None:
    """Which games are played, and where the figures go; ``scenario`` and ``games`` are the defaults."""
    parser.add_argument("--scenario", default=scenario, help=f"a scenario's name or path (default: {scenario})")
    parser.add_argument("--field", default=None, help="one of its fields (default: its usual one)")
    add_games(parser, games)
    add_json(parser)


def add_games(parser: Parser, games: int, text: str = "number of seeds that are played") -> None:
    """How many seeds are played, and which."""
    parser.add_argument("--games", type=int, default=games, help=f"{text} (default: {games})")
    parser.add_argument("--first-seed", type=int, default=0, help="the first seed, others follow (default: 0)")
    parser.add_argument("--space", choices=SPACES[::-1], default="test", help="space of the seeds (default: test)")


def add_json(parser: Parser) -> None:
    """Where the figures go."""
    parser.add_argument("--json", type=Path, default=None, help="write the figures to this file too")


def add_scenes(parser: Parser, scenes: Sequence[str]) -> None:
    """In which scenarios; the default is ``scenes``."""
    parser.add_argument(
        "--scenario", nargs="+", default=list(scenes), metavar="SCENARIO",
        help=f"NAME or NAME:FIELD each (default: {' '.join(scenes)})",
    )  # fmt: skip


def split_scene(scene: str) -> tuple[str, str | None]:
    """Scenario and field of NAME or NAME:FIELD; a path may have a colon too."""
    name, colon, field = scene.rpartition(":")
    return (name, field) if colon and not set(field) & set("./\\") else (scene, None)


def scene_setups(scene: str, changes: Mapping[str, Any] | None = None) -> np.ndarray:
    """SETUP (1,) of a scenario given as NAME or NAME:FIELD, with keys of its file changed. Raises ScenarioError."""
    return scenarios.load_changed(*split_scene(scene), changes or {})


def add_time_limit(parser: Parser) -> None:
    """How long a decision may take."""
    parser.add_argument(
        "--time-limit", type=float, default=None, metavar="SECONDS",
        help="longest time for a decision; who takes longer forfeits the game (default: none)",
    )  # fmt: skip


def chosen_games(given: Any) -> tuple[np.ndarray, range]:
    """The scenario, SETUP (1,), and the seeds that these options ask for.

    Raises ConfigError or ScenarioError, and OSError if the file for the figures cannot be written.
    """
    seeds = chosen_seeds(given)
    return scenarios.load(given.scenario, given.field), seeds


def chosen_seeds(given: Any) -> range:
    """The seeds that these options ask for.

    Raises ConfigError or SeedError, and OSError if the file for the figures cannot be written.
    """
    if not 1 <= given.games <= MOST_GAMES:
        raise ConfigError(f"--games {given.games}: want a number from 1 to {MOST_GAMES}")
    if getattr(given, "json", None) is not None:
        check_writable(given.json)
    check_seed(given.first_seed)
    check_seed(given.first_seed + given.games - 1)
    return range(given.first_seed, given.first_seed + given.games)


def hand_over(text: str, figures: Mapping[str, Any], file: Path | None) -> None:
    """Print the text, and write the figures to the file if there is one."""
    print(text)
    if file is not None:
        write_text(file, json.dumps(figures, indent=2, ensure_ascii=False) + "\n")


# ---- words


FLYING = ("contacts", "avoided", "hazards", "hazard_contacts", "hazard_avoided")
"""The counts of how a side flew, see ``fc_env.lab.tally``."""

_FLYING_HEADS = (
    "per game", "contacts", "came through unhurt", "Avoid Hazard", "contacts in it", "came through unhurt",
)  # fmt: skip


def flying(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """The table of how agents flew, by what each row is called and its counts, means of a game."""
    cells = [
        [
            name,
            number(said["contacts"], 2),
            percent(share(said["avoided"], said["contacts"])),
            number(said["hazards"], 2),
            number(said["hazard_contacts"], 2),
            percent(share(said["hazard_avoided"], said["hazard_contacts"])),
        ]
        for name, said in rows
    ]
    return table(_FLYING_HEADS, cells)


def duration(seconds: float) -> str:
    """``90`` is ``1:30``."""
    whole = max(int(seconds), 0)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def share(part: float, whole: float) -> float | None:
    """A part of a whole; None where there is no whole."""
    return part / whole if whole else None


def number(value: float | None, digits: int = 1) -> str:
    """A number in words."""
    return "-" if value is None else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    """A share in words."""
    return "-" if value is None else f"{value:.1%}"


def ends(interval: Sequence[float]) -> str:
    """The two ends of an interval of shares in words."""
    low, high = interval
    return f"{low:.1%} to {high:.1%}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as text that is Markdown too: the first column to the left, the others to the right."""
    heads, rows = [cell.replace("|", "\\|") for cell in heads], [[c.replace("|", "\\|") for c in row] for row in rows]
    widths = [max(len(row[column]) for row in [heads, *rows]) for column in range(len(heads))]
    ruler = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([_line(heads, widths), "| " + " | ".join(ruler) + " |", *(_line(row, widths) for row in rows)])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return "| " + " | ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]) + " |"
