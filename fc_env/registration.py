"""The environment ids that Gymnasium knows. CHANGELOG.md says what a change of version means."""

from __future__ import annotations

from gymnasium.envs.registration import register, registry

BATTLES = ("duel", "skirmish", "battle", "ambush", "convoy")
"""Scenarios with two sides; the learner is in seat 0 against ``easy`` unless told otherwise."""

IDS: dict[str, dict[str, str]] = {
    "FleetCaptain/Crossing-v0": {},
    "FleetCaptain/Tiny-v0": {"scenario": "tiny"},
    **{f"FleetCaptain/{name.capitalize()}-v0": {"scenario": name, "opponent": "easy"} for name in BATTLES},
}
"""Environment id to its arguments. Crossing has none: it is the default, and ``scenarios=`` may stand in its place."""


def register_environments() -> None:
    """Make the ids known to ``gymnasium.make``; calling it again does nothing."""
    for name, arguments in IDS.items():
        if name not in registry:
            register(
                id=name,
                entry_point="fc_env.env:FleetCaptainEnv",
                # It makes these checks itself, at every step and with errors that say what would be right.
                disable_env_checker=True,
                order_enforce=False,
                vector_entry_point="fc_env.vector_env:FleetCaptainVectorEnv",
                kwargs=arguments,
            )
