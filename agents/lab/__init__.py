"""Measuring agents: who plays, and what may be said of what became of the games.

``players`` makes them by name, and ``fc_env.lab`` plays; ``ratings`` and ``sprt`` compute and touch no file; ``ledger``
keeps results; ``tournament``, ``benchmark`` and the rest are the commands of ``python -m agents``.
"""
