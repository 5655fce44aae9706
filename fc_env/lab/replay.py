"""``python -m fc_env.lab replay FILE``: tells a game that a command of the lab saved, with its dice and rule ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fc_env import actions, engine
from fc_env.commandline import Parser
from fc_env.describe import describe_die, describe_event
from fc_env.errors import ConfigError, FleetCaptainError
from fc_env.lab import saved
from fc_env.state import Phase

PROGRAM = "python -m fc_env.lab replay"


def told(game: saved.Saved) -> Iterator[str]:
    """What happens in a game, line by line. Raises IllegalActionError for a decision that is not offered."""
    now = game.start.copy()
    turn = 0
    for action in game.decisions.tolist():
        if now[0]["turn"] != turn:
            turn = int(now[0]["turn"])
            yield f"turn {turn}"
        yield f"  seat {now[0]['actor']}, {Phase(int(now[0]['phase'])).name.lower()}: {actions.NAMES[action]}"
        trace = engine.step(now, [action], record=True)
        yield from (f"    {describe_die(die)}" for die in trace.dice)
        yield from (f"    {describe_event(event)}" for event in trace.events)


def run(arguments: Sequence[str]) -> None:
    """The command."""
    parser = Parser(PROGRAM, "Tell a saved game, with its dice and rule ids.")
    parser.add_argument("file", type=Path, metavar="FILE", help="as fuzz and degenerate write them")
    given = parser.parse_args(arguments)
    game = saved.read(given.file)
    for text in game.said:
        print(f"# {text}")
    try:
        for line in told(game):
            print(line)
    except FleetCaptainError as problem:
        raise ConfigError(f"{given.file}: {problem}: want a game of these rules") from None
