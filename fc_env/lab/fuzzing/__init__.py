"""The fuzzer's parts: what must hold, who looks for trouble, and what is handed over when there is some.

``audit`` goes through what one phase or decision did, event by event and die by die, and knows the rules a second
time: nothing in ``geometry``, ``standing``, ``choices``, ``flights``, ``salvos``, ``doom``, ``endings`` and ``phases``
asks the engine's own rules.
"""
