"""Section 2: ships (SHIP); section 3: orders (ORD); and COR-2."""

from __future__ import annotations

import pytest
from stating import FLAGSHIP, LESSER, READY, of_rule, rules, ship, stated

from fc_env import engine
from fc_env.errors import ScenarioError

DUEL = f"mode battle\nship 0 0510 N {FLAGSHIP} power LMH shown\nship 1 2510 S {FLAGSHIP} power LMH shown\n"
ORDERS = ["order forward", "order right turn", "order left turn", "order drift"]


@pytest.mark.rule("SHIP-1")
def test_one_flagship_a_side():
    with pytest.raises(ScenarioError, match="SHIP-1"):
        stated(f"ship 0 0510 N {FLAGSHIP}\nship 0 0610 N {FLAGSHIP}")
    with pytest.raises(ScenarioError, match="SHIP-1"):
        stated(f"ship 0 0510 N {LESSER}")


@pytest.mark.rule("SHIP-3")
@pytest.mark.parametrize("rating", ["crew 2-4", "captain J"])
def test_flagship_has_no_ratings(rating):
    with pytest.raises(ScenarioError, match="SHIP-3"):
        stated(f"ship 0 0510 N {FLAGSHIP} {rating}")


@pytest.mark.rule("SHIP-2")
@pytest.mark.parametrize("rating", ["crew 1-4", "crew 2-11", "captain A", "captain JJ"])
def test_ratings_outside_their_ranks_are_refused(rating):
    with pytest.raises(ScenarioError, match="SHIP-2"):
        stated(f"ship 0 0510 N {FLAGSHIP}\nship 0 0610 N {rating} dice d6 d8 d10 slowness 2 hull 10")


@pytest.mark.rule("ORD-1")
@pytest.mark.parametrize("number, name", list(enumerate(ORDERS, start=1)))
def test_every_ship_gets_one_of_four_markers_face_down(number, name):
    position = stated(f"phase orders\n{DUEL}")
    assert position.legal == ORDERS
    given = position.act(name)
    assert (ship(given)["order"], ship(given)["order_shown"]) == (number, 0)
    assert (given.game["actor"], given.game["asked"]) == (1, 0)


@pytest.mark.rule("ORD-1", "COR-1")
def test_other_side_does_not_see_a_marker_until_the_ship_moves():
    seen = {engine.view(stated(f"phase orders\n{DUEL}").act(name).games, 1).tobytes() for name in ORDERS}
    assert len(seen) == 1
    text = DUEL.replace("shown", "shown order right")
    before = stated(f"phase card\ncard 5C\n{text}")
    assert engine.view(before.games, 1)["ships"][0, 0, 0]["order"] == 5
    after = before.act("ship 0 acts", dice=[4])
    assert engine.view(after.games, 1)["ships"][0, 0, 0]["order"] == 2
    assert [(event.seat, event.value) for event in of_rule(after, "ORD-1")] == [(0, 2)]


@pytest.mark.rule("ORD-1")
def test_markers_are_taken_back_at_the_end_of_the_turn():
    after = stated(f"phase end_drift\nship 0 0510 N {FLAGSHIP} {READY} left").advance(dice=[])
    assert (after.game["turn"], ship(after)["order"], ship(after)["power"]) == (2, 0, 0)
    assert ship(stated(f"phase end_drift\nship 0 0510 N {FLAGSHIP} activated").advance(dice=[]))["activated"] == 0


@pytest.mark.rule("ORD-2")
def test_activated_ship_neither_acts_nor_drifts_again():
    text = f"mode battle\nship 0 0510 N {FLAGSHIP} {READY} right activated\nship 1 2510 S {FLAGSHIP} {READY} right\n"
    assert stated(f"phase flip\n{text}").advance(dice=["5C"]).game["actor"] == 1
    assert len(of_rule(stated(f"phase end_drift\n{text}").run("end_drift", dice=[]), "END-1")) == 1


@pytest.mark.rule("COR-2", "TURN-2")
def test_player_decides_everything_for_lesser_ships_except_their_power():
    position = stated(f"ship 0 0510 N {FLAGSHIP}\nship 0 0710 N {LESSER}").advance(dice=[1])
    asked = []
    for action, dice in [
        ("power LMH", []), ("order drift", []), ("order forward", ["5C"]), ("ship 1 acts", [4]),
        ("last hex left", ["joker", 1]),
    ]:  # fmt: skip
        asked.append((action.split()[0], int(position.game["asked"])))
        position = position.act(action, dice=dice)
    assert asked == [("power", 0), ("order", 0), ("order", 1), ("ship", -1), ("last", 1)]
    assert "MOV-3" in rules(position)
