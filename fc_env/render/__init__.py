"""Pictures of a game: ``svg`` for documents and browsers, ``ansi`` for terminals.

>>> from fc_env import engine, render, scenarios
>>> games = engine.new(scenarios.load("crossing", field="dense"), seeds=[3])
>>> print(render.ansi(games[0]))

``python -m fc_env.render --help`` tells how to draw one from the command line.
"""

from fc_env.render.ansi import ansi
from fc_env.render.svg import svg

__all__ = ["ansi", "svg"]
