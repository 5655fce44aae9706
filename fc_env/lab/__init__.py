"""The rules lab: what a rule set does, by machine.

``referee`` asks agents, ``playing`` plays them to the end of their games, ``tally`` and ``statistics`` count and weigh
what came of it; the rest are the commands of ``python -m fc_env.lab``.
"""
