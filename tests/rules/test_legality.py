"""The action mask against a table of what is legal, written here from the rules and not from the code."""

from __future__ import annotations

import numpy as np
import pytest
from stating import FLAGSHIP

from fc_env import engine
from fc_env.errors import IllegalActionError
from fc_env.notation import Position

N_ACTIONS = 32
POWER, ORDER, SLIP, ACT, MANOEUVRE = 1, 7, 11, 14, 20
ACES_FLAGSHIPS, ACES_ALL = 0, 1
IN_PLAY = 1


def legal_by_the_rules(game: np.void) -> set[int]:
    """Action ids by sections 3 and 4; no weapon bears on anything yet, so nobody acts on a red card (COR-5)."""
    phase = ("power", "orders", "drift", "initiative", "flip", "card", "target", "sideslip", "end", "victory", "over")[
        game["phase"]
    ]
    if phase == "power":  # POW-1: six ways
        return set(range(POWER, POWER + 6))
    if phase == "orders":  # ORD-1: four markers
        return set(range(ORDER, ORDER + 4))
    if phase == "sideslip":  # MOV-3: straight, left, right
        return set(range(SLIP, SLIP + 3))
    if phase != "card":
        return {0} if phase == "over" else set()
    suit, place = divmod(int(game["card"]), 13)
    rank = place + 2
    legal = {0}
    if suit >= 2:  # CARD-3: red
        return legal
    aces = int(game["rules"]["aces"])
    for index in range(int(game["n_ships"][game["actor"]])):
        ship = game["ships"][game["actor"], index]
        if ship["status"] != IN_PLAY or ship["activated"]:  # COR-8, ORD-2
            continue
        if ship["flagship"]:  # SHIP-3, CARD-5, CARD-6
            acts = manoeuvres = rank != 14 or aces in (ACES_FLAGSHIPS, ACES_ALL)
        else:  # CARD-4, CARD-5, CARD-6, COR-4
            acts = aces == ACES_ALL if rank == 14 else rank <= 10 and bool(int(ship["crew"]) >> rank & 1)
            manoeuvres = rank in (11, 12, 13) and bool(int(ship["captain"]) >> rank & 1)
        if acts:
            legal.add(ACT + index)
        if manoeuvres:
            legal.add(MANOEUVRE + index)
    return legal


SHIPS_0 = f"ship 0 0204 NE {FLAGSHIP}\n"
SHIPS_1 = f"ship 1 1105 SW {FLAGSHIP}\n"
FLEET_0 = (
    "ship 0 0206 NE crew 2-6 captain JK dice d4 d6 d8 slowness 1 hull 12\n"
    "ship 0 0207 N crew 3,9 dice d4 d6 d8 slowness 1 hull 5\n"
)
FLEET_1 = (
    "ship 1 1107 SW captain Q dice d8 d10 d12 slowness 3 hull 30 lasers 2\n"
    "ship 1 1102 S crew 2-10 captain JQK dice d4 d4 d20 slowness 1 hull 40\n"
)
FIELD = "".join(f"marker {hexname} {facing} {density}\n" for hexname, facing, density in [
    ("0405", "SE", 1), ("0502", "S", 2), ("0706", "NW", 3), ("0803", "NW", 4), ("0607", "N", 5), ("0601", "SW", 6)
])  # fmt: skip
SETTINGS = [
    ("crossing", "", SHIPS_0),
    ("crossing", "map_edge=wall", SHIPS_0 + FLEET_0),
    ("crossing", "jokers=0 aces=none activations_per_card=2 map_edge=wall", SHIPS_0 + FLEET_0),
    ("battle", "", SHIPS_0 + SHIPS_1),
    ("battle", "aces=all jokers=1 map_edge=wall", SHIPS_0 + FLEET_0 + SHIPS_1 + FLEET_1),
    (
        "battle",
        "aces=none activations_per_card=3 small_hexes=true drift_hexes=0 map_edge=wall",
        SHIPS_0 + FLEET_0 + SHIPS_1 + FLEET_1,
    ),
    ("battle", "sideslip=false drift_hexes=3 jokers=4 drift_die=12", SHIPS_0 + FLEET_0 + SHIPS_1 + FLEET_1),
    ("battle", "avoid_hazard_move_steps=-3 jokers=0 map_edge=wall contact_damage_die=4", FLEET_0 + SHIPS_1 + FLEET_1),
]
DECISIONS = 150 if engine.COMPILED else 40


@pytest.mark.rule("CARD-3", "CARD-4", "CARD-5", "CARD-6", "COR-4", "ORD-2")
@pytest.mark.parametrize("mode, changes, ships", SETTINGS)
def test_mask_is_what_the_rules_allow_and_what_is_accepted(mode, changes, ships):
    rules = f"rules turn_limit=30 {changes}\n"
    text = f"fleet-captain position 1\nmap 12x8\nmode {mode}\ngoal east\nseed 7\n{rules}{ships}{FIELD}"
    games = Position.parse(text).advance().games
    generator = np.random.default_rng(11)
    for _ in range(DECISIONS):
        legal = legal_by_the_rules(games[0])
        mask = engine.legal_mask(games)[0]
        assert set(np.flatnonzero(mask).tolist()) == legal
        if games[0]["outcome"]:
            break
        assert len(legal) >= 2  # a decision with one choice is not asked
        before = games.tobytes()
        for action in range(-1, N_ACTIONS + 2):
            copy = games.copy()
            if action in legal:
                engine.step(copy, [action])
                assert copy.tobytes() != before
            else:
                with pytest.raises(IllegalActionError, match="legal are"):
                    engine.step(copy, [action])
                assert copy.tobytes() == before
        engine.step(games, [generator.choice(sorted(legal))])


@pytest.mark.parametrize("phase", ["drift", "initiative", "flip", "end_drift", "victory"])
def test_nothing_is_legal_where_nobody_is_asked(phase):
    refuses_all(Position.parse(f"fleet-captain position 1\nphase {phase}\nship 0 0204 NE {FLAGSHIP}"))


@pytest.mark.parametrize("phase", ["power", "orders", "victory"])
def test_nothing_is_legal_before_the_next_phase_has_asked(phase):
    more = "power LMH shown order drift" if phase != "victory" else ""
    position = Position.parse(f"fleet-captain position 1\nphase {phase}\nship 0 0204 NE {FLAGSHIP} {more}")
    refuses_all(position.run(phase, dice=[]))


def refuses_all(position: Position) -> None:
    """Whether every action is refused, and changes nothing."""
    games = position.games
    before = games.tobytes()
    assert not engine.legal_mask(games).any()
    for action in range(N_ACTIONS):
        with pytest.raises(IllegalActionError, match="asks for no decision"):
            engine.step(games, [action])
    assert games.tobytes() == before


@pytest.mark.parametrize("actions", [[1.0], ["1"], [True], [[1]], [1, 2], 1, [None]])
def test_what_is_no_action_is_refused(actions):
    games = Position.parse(f"fleet-captain position 1\nship 0 0204 NE {FLAGSHIP}").games
    before = games.tobytes()
    with pytest.raises(IllegalActionError):
        engine.step(games, actions)
    assert games.tobytes() == before
