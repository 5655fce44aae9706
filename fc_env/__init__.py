"""Fleet Captain as a reinforcement-learning environment.

Importing this package makes its ids known to Gymnasium and does no more; nothing is compiled before the first game.

>>> import gymnasium
>>> env = gymnasium.make("FleetCaptain/Crossing-v0", field="dense")
"""

from fc_env.registration import register_environments

__version__ = "0.1.0"

register_environments()
