"""Section 9: the flaws a ship may have, each where it tells."""

from __future__ import annotations

import pytest
from stating import FACINGS, ahead, at, faces, of_rule, ship, stated, status

from fc_env.jit import kernel_view
from fc_env.rules.fire import bears
from fc_env.rules.flaws import lowered, sensed
from fc_env.state import Flaw

ME = "1510"
DICE = "dice d6 d8 d10 slowness 2"
RED, BLACK = "10H", "10C"


def own(flaw: str = "", more: str = "", facing: str = "N", order: str = "forward") -> str:
    said = f"flaw {flaw} " if flaw else ""
    return f"ship 0 {ME} {facing} flagship {DICE} hull 30 {said}power LHM shown order {order} {more}\n"


def foe(hexname: str, flaw: str = "", facing: str = "S", hull: int = 40) -> str:
    """An enemy that will be asked on the same card, as it may fire too: so nothing follows the act of a test."""
    said = f"flaw {flaw} " if flaw else ""
    return f"ship 1 {hexname} {facing} flagship {DICE} hull {hull} {said}power LHM shown order drift\n"


def friend(hexname: str, seat: int = 1) -> str:
    return f"ship {seat} {hexname} S crew 2-10 {DICE} hull 40 power LHM shown order drift\n"


def table(ships: str, card: str = RED, more: str = ""):
    return stated(f"mode battle\n{more}\nphase card\ncard {card}\n{ships}").advance()


def act(ships: str, dice: list, card: str = RED, action: str = "ship 0 acts"):
    return table(ships, card).act(action, dice=dice)


def told(position) -> list[tuple[int, int]]:
    """Whose flaw told, as seat and flaw."""
    return [(event.seat, event.value) for event in of_rule(position, "COR-23")]


# ---- simply mediocre


@pytest.mark.rule("COR-23")
def test_modified_rolls_are_at_least_one():
    mediocre = kernel_view(stated(own("simply_mediocre")).games)["ships"][0, 0, 0]
    plain = kernel_view(stated(own()).games)["ships"][0, 0, 0]
    assert [lowered(mediocre, roll) for roll in (1, 2, 3, 10)] == [1, 1, 2, 9]
    assert [sensed(mediocre, roll) for roll in (1, 2, 6)] == [1, 1, 5]
    assert [lowered(plain, roll) for roll in (1, 2)] == [1, 2]


@pytest.mark.rule("COR-23")
@pytest.mark.parametrize("mine, theirs, damage", [("", "", 3), ("simply_mediocre", "", 2), ("", "simply_mediocre", 4)])
def test_mediocre_ships_lose_one_on_attack_and_on_shields(mine, theirs, damage):
    after = act(own(mine) + foe("1506", theirs), [9, 3])
    assert ship(after, 1)["hull"] == 40 - damage
    assert told(after) == ([(0, 3)] if mine else [(1, 3)] if theirs else [])


@pytest.mark.rule("COR-23")
@pytest.mark.parametrize("roll, hexes", [(4, 1), (5, 2)])
def test_mediocre_ships_lose_one_on_movement(roll, hexes):
    ships = own("simply_mediocre", order="right") + foe("3020")
    assert at(act(ships, [roll], BLACK)) == f"{ahead(ME, 'N', hexes)} NE"


@pytest.mark.rule("COR-23", "CON-1")
@pytest.mark.parametrize("flaw", ["simply_mediocre", "faulty_sensors"])
@pytest.mark.parametrize("roll, hit", [(3, True), (4, True), (5, False)])
def test_mediocre_ships_and_faulty_sensors_lose_one_on_contact(flaw, roll, hit):
    text = f"phase drift\n{own(flaw, order='drift')}marker 1509 S 3"
    after = stated(text).run("drift", dice=[1, roll, *([7] if hit else [])])
    assert ship(after)["hull"] == (23 if hit else 30)
    assert len(of_rule(after, "COR-23")) == 1


@pytest.mark.rule("COR-23")
def test_faulty_sensors_touch_no_other_roll():
    after = act(own("faulty_sensors") + foe("1506", "faulty_sensors"), [9, 3])
    assert ship(after, 1)["hull"] == 37
    assert at(act(own("faulty_sensors", order="right") + foe("3020"), [4], BLACK)) == "1508 NE"


# ---- tends to explode, torpedo jams


@pytest.mark.rule("COR-23", "DOOM-3")
@pytest.mark.parametrize("card, dice", [(RED, [9, 3]), (BLACK, [2])])
def test_tends_to_explode_one_in_twenty_when_activated(card, dice):
    ships = own("tends_to_explode", order="right") + friend("1509") + foe("1507")
    holds = act(ships, [2, *dice], card)
    assert status(holds) == "in_play" and faces(holds, "flaw explosion") == [20]
    bursts = act(ships, [1, 12, 4, *(["joker"] if card == RED else [])], card)
    assert status(bursts) == "destroyed" and ship(bursts, 1)["hull"] == 37
    assert [event.value for event in of_rule(bursts, "COR-17")] == [0]


@pytest.mark.rule("COR-23")
def test_tends_to_explode_is_rolled_at_the_end_drift_and_before_doom():
    text = f"mode battle\nrules countdown_to_doom=true\nphase end_drift\n{own('tends_to_explode')}{foe('3020')}"
    hurt = text.replace("hull 30", "hull 0/30")
    assert faces(stated(text).run("end_drift", dice=[2]), "doom") == []
    assert status(stated(text).run("end_drift", dice=[1])) == "destroyed"
    assert status(stated(hurt).run("end_drift", dice=[1])) == "destroyed"
    both = stated(hurt).run("end_drift", dice=[20, 6, 6])
    assert [die.purpose for die in both.dice] == ["flaw explosion", "doom", "doom"]


@pytest.mark.rule("COR-23")
@pytest.mark.parametrize("flaw, roll, jams", [("torpedo_jams", 1, True), ("torpedo_jams", 2, False), ("", 1, False)])
def test_torpedo_jams_on_a_one_of_its_attack(flaw, roll, jams):
    after = act(own(flaw, "volleys 1 torpedo lasers 1") + foe("1507"), [1, 1, roll, 6, 1, 1])
    assert ship(after)["jammed"] == jams
    assert told(after) == ([(0, 2)] if jams else [])


@pytest.mark.rule("COR-23", "COR-5")
def test_a_jammed_torpedo_is_not_fired():
    ships = own("torpedo_jams", "volleys 0 torpedo jammed") + foe("1507")
    assert table(ships).game["actor"] == 1
    after = act(own("torpedo_jams", "volleys 1 torpedo jammed") + foe("1507"), [1, 1])
    assert not of_rule(after, "FIR-5")


# ---- blind spot, shield flaw


@pytest.mark.rule("COR-23", "COR-5")
@pytest.mark.parametrize("facing", FACINGS)
@pytest.mark.parametrize("side", range(6))
def test_no_weapon_fires_along_the_blind_spot(facing, side):
    blind = FACINGS[(FACINGS.index(facing) + side) % 6]
    mine = own(f"blind_spot {side}", "torpedo lasers 1", facing)

    def bearing(hexname: str) -> bool:
        game = kernel_view(table(mine + foe(hexname)).games)[0]
        assert bears(game, 0, 0, True) == bears(game, 0, 0, False)
        return bool(bears(game, 0, 0, False))

    assert not bearing(ahead(ME, blind)) and not bearing(ahead(ME, blind, 4))
    aside = FACINGS[(FACINGS.index(blind) + 1) % 6]
    assert bearing(ahead(ME, aside, 2)) and bearing(ahead(ahead(ME, blind, 3), aside))


@pytest.mark.rule("COR-23")
def test_volleys_pass_over_who_stands_in_the_blind_spot():
    after = act(own("blind_spot 0") + foe("1508") + friend("1515"), [9, 3])
    assert [event.value for event in of_rule(after, "FIR-4")] == [7]


@pytest.mark.rule("COR-23")
@pytest.mark.parametrize("facing", range(6))
@pytest.mark.parametrize("side", range(6))
def test_shields_are_a_step_smaller_along_a_shield_flaw(facing, side):
    there = ahead(ME, "N", 3)
    weak = FACINGS[(facing + side) % 6] == "S"  # the firer stands straight to the south of it
    after = act(own() + foe(there, f"shield_flaw {side}", FACINGS[facing]), [9, 2])
    assert faces(after, "shields") == [4 if weak else 6]
    assert told(after) == ([(1, Flaw.SHIELD_FLAW)] if weak else [])


@pytest.mark.rule("COR-23")
def test_a_shield_flaw_counts_only_exactly_along_its_row():
    after = act(own() + foe(ahead(ahead(ME, "N", 3), "NE"), "shield_flaw 0"), [9, 2])
    assert faces(after, "shields") == [6]


# ---- engine imbalance


@pytest.mark.rule("COR-23", "MOV-3")
@pytest.mark.parametrize("side, aside", [("left", "NW"), ("right", "NE")])
def test_with_an_engine_imbalance_a_forward_move_slips_to_its_side_unasked(side, aside):
    after = act(own(f"engine_imbalance {side}") + foe("3020"), [6], BLACK)
    assert at(after) == f"{ahead(ahead(ME, 'N', 2), aside)} N"
    assert [event.value for event in of_rule(after, "MOV-3")] == [1 if side == "left" else 2]
    assert told(after) == [(0, 6)]


@pytest.mark.rule("COR-23")
@pytest.mark.parametrize(
    "order, dice, end", [("right", [6], "1507 NE"), ("forward", [1], "1509 N"), ("drift", [], "1509 N")]
)
def test_an_engine_imbalance_is_nothing_to_turns_and_drifts(order, dice, end):
    assert at(act(own("engine_imbalance left", order=order) + foe("3020"), dice, BLACK)) == end


@pytest.mark.rule("COR-23")
def test_without_sideslips_an_engine_imbalance_is_nothing():
    ships = own("engine_imbalance left") + foe("3020")
    assert at(table(ships, BLACK, "rules sideslip=false").act("ship 0 acts", dice=[6])) == "1507 N"


# ---- poor fire control


@pytest.mark.rule("COR-23")
@pytest.mark.parametrize("roll, struck", [(1, 7), (2, 6), (6, 6)])
def test_with_poor_fire_control_a_volley_may_go_at_a_neighbour(roll, struck):
    after = act(own("poor_fire_control") + foe("1506") + friend("1505"), [roll, 9, 3])
    assert [event.value for event in of_rule(after, "FIR-4")] == [struck]
    assert faces(after, "fire control") == [6]
    assert told(after) == ([(0, 8)] if roll == 1 else [])


@pytest.mark.rule("COR-23")
def test_a_stray_volley_takes_the_targets_own_side_first_by_index_never_the_firer():
    mine = own("poor_fire_control")
    both = friend("1507", 0) + foe("1506") + friend("1505") + friend(ahead("1506", "NE"))
    assert [event.value for event in of_rule(act(mine + both, [1, 9, 3]), "FIR-4")] == [7]
    own_side = act(mine + friend("1507", 0) + foe("1506"), [1, 9, 3])
    assert [event.value for event in of_rule(own_side, "FIR-4")] == [1]
    assert ship(own_side, 0, 1)["hull"] == 37
    alone = act(mine + foe("1509"), [1, 9, 3])
    assert [event.value for event in of_rule(alone, "FIR-4")] == [6] and told(alone) == []


@pytest.mark.rule("COR-23", "FIR-2")
def test_a_stray_volley_is_attenuated_on_its_own_way_even_out_of_range():
    far = friend("1501")
    ships = own("poor_fire_control").replace(ME, "1512") + foe("1502") + far + "marker 1504 S 2\n"
    after = act(ships, [1, 9, 1])
    assert (ship(after, 1, 1)["hull"], ship(after, 1)["hull"]) == (33, 40)


@pytest.mark.rule("COR-23")
def test_poor_fire_control_is_for_volleys_only():
    after = act(own("poor_fire_control", "volleys 0 torpedo lasers 1") + foe("1507") + friend("1506"), [9, 3, 4, 3])
    assert [event.value for event in of_rule(after, "FIR-5") + of_rule(after, "FIR-6")] == [6, 6]
