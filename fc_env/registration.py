"""The environment ids that Gymnasium knows. CHANGELOG.md says what a change of version means."""

from __future__ import annotations

from gymnasium.envs.registration import register, registry

IDS = {"FleetCaptain/Crossing-v0": "crossing", "FleetCaptain/Tiny-v0": "tiny"}
"""Environment id to the scenario it plays."""


def register_environments() -> None:
    """Make the ids known to ``gymnasium.make``; calling it again does nothing."""
    for name, scenario in IDS.items():
        if name not in registry:
            register(
                id=name,
                entry_point="fc_env.env:FleetCaptainEnv",
                vector_entry_point="fc_env.vector_env:FleetCaptainVectorEnv",
                kwargs={"scenario": scenario},
            )
