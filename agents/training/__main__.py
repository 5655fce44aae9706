"""``python -m agents.training``."""

import sys

from agents.training.main import main

if __name__ == "__main__":
    sys.exit(main(program="python -m agents.training"))
