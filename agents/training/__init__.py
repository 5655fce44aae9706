"""Training a pilot: configuration, learner, checkpoints, run folder, report.

python -m agents.training --config configs/train/crossing.yaml
"""

import os

# Threads that spin while they wait are many times slower on a machine that does something else as well. Torch's thread
# library reads this once, when torch is first imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
