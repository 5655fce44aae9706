"""The action mask against a table of what is legal, written here from the rules and not from the code."""

from __future__ import annotations

import numpy as np
import pytest
from stating import FLAGSHIP

from fc_env import engine
from fc_env.errors import IllegalActionError
from fc_env.notation import Position

N_ACTIONS = 32
POWER, ORDER, SLIP, ACT, MANOEUVRE, TARGET = 1, 7, 11, 14, 20, 26
ACES_FLAGSHIPS, ACES_ALL = 0, 1
IN_PLAY = 1
BLIND_SPOT, ENGINE_IMBALANCE = 4, 6
WEAPONS_DIE = (0, 1, 2, 0, 2, 0, 1)  # POW-2: which of a ship's dice is on weapons, by LMH, LHM, MLH, MHL, HLM, HML
STEPS = ((0, -1, 1), (1, -1, 0), (1, 0, -1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1))  # N, NE, ... in cube coordinates


def cube(ship: np.void) -> np.ndarray:
    return np.array([ship["q"], ship["r"], -ship["q"] - ship["r"]])


def bearing(game: np.void, ship: np.void, enemy: np.void) -> set[str]:
    """The weapons of a ship that could fire at an enemy, by FIR-4 to FIR-6 and section 9."""
    if enemy["status"] != IN_PLAY:
        return set()
    rules, way = game["rules"], cube(enemy) - cube(ship)
    hexes, steps = int(np.abs(way).max()), np.array(STEPS)
    blind = steps[(ship["facing"] + ship["flaw_side"]) % 6]
    if ship["flaw"] == BLIND_SPOT and (way == hexes * blind).all():
        return set()
    ahead, asides = steps[ship["facing"]], (steps[(ship["facing"] + 1) % 6], steps[(ship["facing"] - 1) % 6])
    starts = {tuple(n * aside) for aside in asides for n in range(int(rules["torpedo_columns"]) + 1)}
    rows = {tuple(start + n * ahead) for start in starts for n in range(hexes + 1)}
    in_range = hexes <= ship["power_dice"][WEAPONS_DIE[ship["power"]]]
    found = {"phasers"} if in_range and ship["volleys"] else set()
    if in_range and ship["torpedoes"] and not ship["jammed"] and tuple(way) in rows:
        found.add("torpedo")
    if ship["lasers"] and rules["laser_attack_die"] and hexes <= rules["laser_range"]:
        found.add("lasers")
    return found


def legal_by_the_rules(game: np.void) -> set[int]:
    """Action ids by sections 3 to 5 and 9."""
    phase = ("power", "orders", "drift", "initiative", "flip", "card", "target", "sideslip", "end", "victory", "over")[
        game["phase"]
    ]
    enemies = game["ships"][1 - game["actor"]][: game["n_ships"][1 - game["actor"]]]
    asked = game["ships"][game["actor"], game["asked"]]
    if phase == "power":  # POW-1: six ways
        return set(range(POWER, POWER + 6))
    if phase == "orders":  # ORD-1: four markers
        return set(range(ORDER, ORDER + 4))
    if phase == "sideslip":  # MOV-3: straight, left, right
        return {SLIP + asked["flaw_side"]} if asked["flaw"] == ENGINE_IMBALANCE else set(range(SLIP, SLIP + 3))
    if phase == "target":  # FIR-7: an enemy in phaser range
        return {TARGET + n for n, enemy in enumerate(enemies) if "phasers" in bearing(game, asked, enemy)}
    if phase != "card":
        return {0} if phase == "over" else set()
    suit, place = divmod(int(game["card"]), 13)
    rank = place + 2
    red, legal = suit >= 2, {0}  # CARD-3
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
        weapons = set().union(*(bearing(game, ship, enemy) for enemy in enemies))
        if acts and (weapons or not red):  # COR-5
            legal.add(ACT + index)
        if manoeuvres and ("phasers" in weapons or not red):
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
FLAWED_0 = (
    "ship 0 0206 NE crew 2-10 captain JQ dice d4 d6 d8 slowness 1 hull 12 torpedo lasers 1 flaw blind_spot 1\n"
    "ship 0 0307 N crew 2-9 captain K dice d6 d8 d10 slowness 1 hull 25 volleys 0 torpedo flaw engine_imbalance left\n"
)
FLAWED_1 = (
    "ship 1 0806 SW crew 3-10 captain Q dice d8 d10 d12 slowness 3 hull 30 torpedo volleys 3 flaw torpedo_jams\n"
    "ship 1 1102 S crew 2-10 captain JQK dice d4 d4 d8 slowness 1 hull 40 volleys 0 lasers 2 flaw tends_to_explode\n"
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
    (
        "battle",
        "countdown_to_doom=true jokers=0 map_edge=wall contact_damage_die=4 torpedo_columns=2 laser_range=6",
        SHIPS_0 + FLAWED_0 + SHIPS_1 + FLAWED_1,
    ),
    ("battle", "jokers=0 map_edge=wall laser_attack_die=0 torpedo_columns=0", SHIPS_0 + FLAWED_0 + SHIPS_1 + FLAWED_1),
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
