"""The game for PettingZoo, under the name that its environments go by: ``fleet_captain_v0.env("duel")``."""

from fc_env.pettingzoo_env import env, raw_env

__all__ = ["env", "raw_env"]
