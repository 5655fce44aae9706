"""Train a pilot: a thin door to ``agents.training``. ``python train.py --help`` tells all options."""

import sys

from agents.training.main import main

if __name__ == "__main__":
    sys.exit(main(program="python train.py"))
