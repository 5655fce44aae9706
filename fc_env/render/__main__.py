"""A picture of a game some turns into a scenario: ``python -m fc_env.render --out board.svg``.

The ship flies a plain zigzag towards the east, acting on the first card it can; the path it took is drawn.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fc_env import actions, engine, scenarios
from fc_env.commandline import Parser, exit_status
from fc_env.errors import ConfigError
from fc_env.files import write_text
from fc_env.hexgrid import label
from fc_env.render import ansi, svg
from fc_env.state import Facing, Phase, Status

SUFFIXES = (".svg", ".txt")


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("python -m fc_env.render", "Draw a game some turns into a scenario.")
    parser.add_argument("--scenario", default="crossing", help="name or path (default: %(default)s)")
    parser.add_argument("--field", help="field of asteroids (default: the scenario's own)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the game (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=0, help="turns to play first, 0 to 1000 (default: %(default)s)")
    parser.add_argument("--title", help="text above the board")
    parser.add_argument("--out", type=Path, help="file ending in .svg or .txt (default: text to the terminal)")
    options = parser.parse_args(given)
    if not 0 <= options.turns <= 1000:
        raise ConfigError(f"--turns {options.turns}: want 0 to 1000")
    if options.out is not None and options.out.suffix not in SUFFIXES:
        raise ConfigError(f"--out {options.out}: want a name ending in {' or '.join(SUFFIXES)}")
    return options


def _zigzag(game: np.ndarray) -> int:
    """An action of the course: the largest die to movement, south-east and north-east by turns, no card missed."""
    legal = engine.legal_actions(game)
    ship = game["ships"][int(game["actor"]), max(0, int(game["asked"]))]
    turn = "right turn" if ship["facing"] in (Facing.NW, Facing.N, Facing.NE) else "left turn"
    wanted = [actions.NAMES.index(name) for name in ("power LMH", f"order {turn}", "last hex straight")]
    acts = [action for action in legal if actions.ACT <= action < actions.MANOEUVRE]
    return next((action for action in [*wanted, *acts] if action in legal), legal[0])


def play(games: np.ndarray, turns: int) -> list[str]:
    """Play one game, GAME (1,), for some turns or to its end; returns the hexes seat 0's first ship was in."""
    path: list[str] = []
    last = int(games[0]["turn"]) + turns
    while True:
        ship = games[0]["ships"][0, 0]
        if ship["status"] == Status.IN_PLAY:
            at = label(int(ship["q"]), int(ship["r"]))
            path += [at] if path[-1:] != [at] else []
        if games[0]["phase"] == Phase.OVER or games[0]["turn"] >= last:
            return path
        engine.step(games, [_zigzag(games[0])])


def _run(given: Sequence[str] | None) -> None:
    options = _arguments(given)
    setups = scenarios.load(options.scenario, options.field)
    games = engine.new(setups, [options.seed])
    path = play(games, options.turns)
    title = options.title or " · ".join(filter(None, ("Fleet Captain", options.scenario, options.field)))
    if options.out is None:
        coding = sys.stdout.encoding or "utf-8"
        text = ansi(games[0], title=title, colour=sys.stdout.isatty())
        print(text.encode(coding, "replace").decode(coding))
        return
    text = ansi(games[0], title=title, colour=False) + "\n"
    if options.out.suffix == ".svg":
        text = svg(games[0], title=title, path=path if len(path) > 1 else ())
    write_text(options.out, text)


def main(given: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 2, with a line on stderr, for what is refused or cannot be written."""
    return exit_status(lambda: _run(given))


if __name__ == "__main__":
    sys.exit(main())
