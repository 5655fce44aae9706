"""Training a pilot: configuration, learner, checkpoints, run folder, report.

python -m agents.training --config configs/train/crossing.yaml
"""

import os

# Between two small matrix products torch's threads wait for each other. Those that sleep at once lose half of the
# speed on a free machine, those that spin for long lose most of it on a busy one; so they spin for some microseconds.
# The thread library reads this once, when torch is first imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GOMP_SPINCOUNT", "30000")
