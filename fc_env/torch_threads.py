"""How torch's threads wait for each other."""

from __future__ import annotations

import os


def torch_spins_briefly() -> None:
    """Let torch's threads, which wait for each other between two small matrix products, do so in a fair way, unless the
    user has said how. To be called before torch is first imported, when its thread library reads this.

    Those that sleep at once lose half of the speed on a free machine, those that spin for long lose most of it on a
    busy one, and take it from whoever else plays there; so they spin for some microseconds.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("GOMP_SPINCOUNT", "30000")
