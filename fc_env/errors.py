"""What can go wrong, by name. Every message says which thing, what value, and what would be right."""

from __future__ import annotations


class FleetCaptainError(Exception):
    """Base of all errors of this package."""


class IllegalActionError(FleetCaptainError, ValueError):
    """An action that is not legal, or not an action at all. The game is unchanged."""


class GameOverError(IllegalActionError):
    """A step in a game that is over. The game is unchanged."""


class NotResetError(FleetCaptainError, RuntimeError):
    """A step or a picture of an environment that has not been reset."""


class SeedError(FleetCaptainError, ValueError):
    """A seed that is not an integer from 0 to 2**63 - 1."""


class ForcedDiceError(FleetCaptainError, ValueError):
    """Forced dice that ran short, were left over, or do not exist on the die. The game is unchanged."""


class ScenarioError(FleetCaptainError, ValueError):
    """A scenario, rule set or position that is refused."""


class ConfigError(FleetCaptainError, ValueError):
    """A configuration that is refused."""
