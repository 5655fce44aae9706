"""How fast it plays: ``python -m fc_env.bench`` measures it against the goals the project has set itself.

Random legal play, in battles by both seats, with everything a learner needs at each decision: the observation, the
action mask, the reward and the next game when one ends. Only decisions with two or more choices count; the engine
never asks others.
"""
