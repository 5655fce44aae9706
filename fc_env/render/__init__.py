"""Pictures of a game: ``svg`` for documents and browsers, ``ansi`` for terminals, ``renderer`` for environments.

>>> from fc_env import engine, render, scenarios
>>> games = engine.new(scenarios.load("crossing", field="dense"), seeds=[3])
>>> print(render.ansi(games[0]))

``python -m fc_env.render --help`` tells how to draw one from the command line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fc_env.errors import ConfigError
from fc_env.render.ansi import ansi
from fc_env.render.svg import svg

MODES: dict[str, Callable[[Any], Any]] = {"ansi": ansi}
"""Render modes of the environments: what draws one GAME record, shape ()."""


def renderer(mode: str | None) -> Callable[[Any], Any] | None:
    """What draws in a render mode; None for no pictures. Raises ConfigError for an unknown mode."""
    if mode is None:
        return None
    if mode not in MODES:
        raise ConfigError(f"render_mode {mode!r}: want one of {', '.join(map(repr, MODES))}, or None")
    return MODES[mode]


__all__ = ["MODES", "ansi", "renderer", "svg"]
