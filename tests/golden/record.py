"""Record golden games anew: ``python -m tests.golden.record`` from the top of the checkout.

Only for when rules or words change on purpose; look at the difference before you keep it. The games that were worked by
hand are never recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fc_env import engine, scenarios
from fc_env.notation import Position, describe_event
from tests.test_golden import changes

FOLDER = Path(__file__).parent

CROWD = """fleet-captain position 1
map 8x7
mode crossing
goal east
rules small_hexes=true map_edge=wall turn_limit=6 activations_per_card=2 aces=all drift_hexes=2 jokers=1
seed 2024
ship 0 0102 NE flagship dice d6 d8 d10 slowness 2 hull 30 lasers 2
ship 0 0104 NE crew 2-9 captain JQK dice d4 d6 d8 slowness 1 hull 9 lasers 1
ship 0 0203 SE crew 4-10 captain K dice d4 d6 d8 slowness 1 hull 9
marker 0301 SE 1
marker 0302 SE 2
marker 0403 S 3
marker 0504 S 4
marker 0505 NW 5
marker 0606 NW 6
marker waiting 0107 NE 2
marker waiting 0107 NE 4
"""

BATTLE = """fleet-captain position 1
map 12x8
mode battle
rules turn_limit=6
seed 77
ship 0 0203 SE flagship dice d6 d8 d10 slowness 2 hull 20 lasers 1
ship 0 0206 NE crew 2-9 captain JK dice d4 d6 d8 slowness 1 hull 6
ship 1 1103 SW flagship dice d8 d10 d12 slowness 3 hull 24
ship 1 1106 NW crew 2-4 captain Q dice d4 d6 d8 slowness 1 hull 5
marker 0604 SE 6
marker 0705 N 3
marker 0502 S 5
"""


def starts() -> Iterator[tuple[str, str, int, Position]]:
    """Name, what it shows, seed of the choices, and position of each game."""
    crossing = engine.new(scenarios.load("crossing", field="standard"), [11])
    yield "recorded_crossing", "The shipped crossing in the standard field.", 10, Position.of(crossing)
    yield "recorded_crowd", "A crowd between walls, with other rules.", 8, Position.parse(CROWD)
    yield "recorded_battle", "Two sides that fire at each other.", 14, Position.parse(BATTLE)


def written(header: str, seed: int, position: Position) -> str:
    """A golden game as text: choices by ``seed``, dice by the game's own."""
    rng = np.random.default_rng(seed)
    lines = [f"# {header} Recorded; dice by the seed.", "", position.text]
    call = "advance"
    while call:
        after = position.advance() if call == "advance" else position.act(call)
        lines += [f"> {call} |", *map(describe_event, after.events)]
        lines += [f"= {change}" for change in changes(position.text, after.text)]
        position = after
        call = str(rng.choice(position.legal)) if position.legal else ""
    return "\n".join([*lines, f"digest {position.digest}", ""])


def main() -> int:
    for name, header, seed, position in starts():
        text = written(header, seed, position)
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8", newline="\n")
        print(f"{name}: {text.count(chr(10))} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
