"""Measuring agents: who plays, what became of the games, and what may be said of it.

``statistics``, ``ratings`` and ``sprt`` compute and touch no file; ``players``, ``tally`` and ``playing`` play;
``ledger`` keeps results; ``tournament``, ``benchmark`` and the rest are the commands of ``python -m agents``.
"""
