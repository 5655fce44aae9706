"""Section 3: power (POW), and COR-1."""

from __future__ import annotations

import numpy as np
import pytest
from stating import FLAGSHIP, LESSER, faces, line_of, of_rule, rules, ship, stated

from fc_env import engine
from fc_env.rules.power import MOVEMENT, SHIELDS, WAY_NAMES, WEAPONS, die_of

WAYS = {1: "LMH", 2: "LHM", 3: "MLH", 4: "MHL", 5: "HLM", 6: "HML"}
DUEL = f"mode battle\nship 0 0510 N {FLAGSHIP}\nship 1 2510 S {FLAGSHIP}\n"


@pytest.mark.rule("POW-1")
@pytest.mark.parametrize("way", WAYS.values())
def test_the_three_dice_go_one_each_to_shields_weapons_and_movement(way):
    die = dict(zip("LMH", (4, 8, 20), strict=True))
    text = f"ship 0 0510 N flagship dice d4 d8 d20 slowness 2 hull 10 power {way} shown"
    record = stated(text).games.view(np.recarray)[0].ships[0, 0]
    assert [die_of(record, system) for system in (SHIELDS, WEAPONS, MOVEMENT)] == [die[letter] for letter in way]


@pytest.mark.rule("POW-1", "SHIP-1")
def test_player_chooses_one_of_six_ways_for_the_flagship():
    position = stated(f"ship 0 0510 N {FLAGSHIP}")
    assert position.legal == [f"power {way}" for way in WAYS.values()]
    for number, way in WAYS.items():
        chosen = position.act(f"power {way}")
        assert ship(chosen)["power"] == number and WAY_NAMES[number] == way


@pytest.mark.rule("POW-2")
@pytest.mark.parametrize("roll, way", WAYS.items())
def test_a_d6_chooses_for_a_lesser_ship(roll, way):
    after = stated(f"ship 0 0510 N {FLAGSHIP}\nship 0 0710 N {LESSER}").advance(dice=[roll])
    assert f"power {way} shown" in line_of(after, "ship 0 0710")
    assert faces(after, "power") == [6]
    assert after.legal[0] == "power LMH"  # the flagship's is still to be chosen


@pytest.mark.rule("POW-2", "COR-7")
def test_lesser_ships_roll_in_order_of_index_and_only_those_in_play():
    after = stated(
        f"mode battle\nship 0 0510 N {LESSER}\nship 0 0610 N {LESSER} destroyed\nship 0 0710 N {LESSER}\n"
        f"ship 0 0810 N {FLAGSHIP}\nship 1 2510 N {LESSER}\nship 1 2710 N {FLAGSHIP}"
    ).advance(dice=[2, 3, 4])
    assert [(event.seat, event.ship, event.roll) for event in of_rule(after, "POW-2")] == [
        (0, 0, 2),
        (0, 2, 3),
        (1, 0, 4),
    ]


@pytest.mark.rule("POW-3", "COR-1")
def test_flagship_powers_are_chosen_unseen_then_shown_together():
    first = stated(DUEL).act("power HML")
    assert first.game["actor"] == 1 and "POW-3" not in rules(first)
    assert engine.view(first.games, 1)["ships"][0, 0, 0]["power"] == 0
    assert engine.view(first.games, 0)["ships"][0, 0, 0]["power"] == 6
    both = first.act("power LMH")
    assert [(event.seat, event.value) for event in of_rule(both, "POW-3")] == [(0, 6), (1, 1)]
    assert engine.view(both.games, 1)["ships"][0, 0, 0]["power"] == 6
    assert engine.view(both.games, 0)["ships"][0, 1, 0]["power"] == 1


@pytest.mark.rule("POW-3")
def test_what_is_chosen_unseen_changes_nothing_the_other_seat_can_see():
    seen = {engine.view(stated(DUEL).act(f"power {way}").games, 1).tobytes() for way in WAYS.values()}
    assert len(seen) == 1


@pytest.mark.rule("POW-3", "COR-1")
def test_power_of_lesser_ships_is_open_once_rolled():
    after = stated(f"{DUEL}ship 0 0710 N {LESSER}").advance(dice=[5])
    assert engine.view(after.games, 1)["ships"][0, 0, 1]["power"] == 5


@pytest.mark.rule("COR-1", "TURN-1")
def test_lesser_power_then_flagships_seat_zero_first_then_all_orders():
    text = (
        f"mode battle\nship 0 0510 N {LESSER}\nship 0 0710 N {FLAGSHIP}\n"
        f"ship 1 2510 N {FLAGSHIP}\nship 1 2710 N {LESSER}"
    )
    position = stated(text).advance(dice=[1, 1])
    asked = []
    for _ in range(6):
        game = position.game
        asked.append((position.legal[0].split()[0], int(game["actor"]), int(game["asked"])))
        position = position.act(position.legal[0], dice=[] if len(asked) < 6 else [5, 2, "2C"])
    assert asked == [("power", 0, 1), ("power", 1, 0), *(("order", seat, index) for seat in (0, 1) for index in (0, 1))]


@pytest.mark.rule("COR-1")
def test_view_hides_the_seed_and_orders_and_nothing_that_is_open():
    position = stated(
        f"seed 99\nmode battle\nphase flip\nflipped 2C 3H\nship 0 0510 N {FLAGSHIP} power HLM shown order left\n"
        f"ship 1 2510 N crew 2-4 captain Q dice d4 d6 d8 slowness 1 hull 3/5 power LMH shown order right\n"
        f"ship 1 2610 N {FLAGSHIP} power MLH shown order forward shown activated\nmarker 1010 N 4"
    )
    seen = engine.view(position.games, 0)[0]
    wanted = position.games[0].copy()
    wanted["seed"] = 0
    wanted["ships"][1, 0]["order"] = 5
    assert seen.tobytes() == wanted.tobytes()
    assert position.game["seed"] == 99
