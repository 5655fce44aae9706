"""``python -m fc_env.lab``: what a rule set does."""

from __future__ import annotations

import sys

from fc_env.commandline import commands

COMMANDS = {
    "full": ("fc_env.lab.full", "one report on a scenario and its rule set, of what the other commands find out"),
    "rules": ("fc_env.lab.rules", "the fields of the rule set, and which of them are rulings of ours"),
    "fuzz": ("fc_env.lab.fuzz", "plays what nobody would, and checks every phase and decision against the rules"),
    "faults": ("fc_env.lab.faults", "plants faults in copies of the rules, and tells whether fuzz notices"),
    "replay": ("fc_env.lab.replay", "tells a game that was saved, with its dice and rule ids"),
    "odds": ("fc_env.lab.odds", "exact chances of contact, damage, attacks and doom, and what the engine does"),
    "coverage": ("fc_env.lab.coverage", "how often each rule fires, by scenario, and which never do"),
    "sweep": ("fc_env.lab.sweep", "what a scenario is like as keys of it take other values"),
    "balance": ("fc_env.lab.balance", "which values of keys make two fleets win as often as wanted"),
    "degenerate": (
        "fc_env.lab.degenerate",
        "stalls, seats that win, classes that lose, choices that are never right",
    ),
    "compare": ("fc_env.lab.compare", "what differs between two scenarios or rule sets, and how many games show it"),
}


if __name__ == "__main__":
    sys.exit(commands("python -m fc_env.lab", "Stress-test a rule set.", COMMANDS))
