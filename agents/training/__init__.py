"""Training a pilot: configuration, learner, checkpoints, run folder, report.

python -m agents.training --config configs/train/crossing.yaml
"""

from fc_env.torch_threads import torch_spins_briefly

torch_spins_briefly()
