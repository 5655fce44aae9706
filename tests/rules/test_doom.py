"""Section 6: the countdown to doom, explosions and their chains, and the corner cases that belong to them."""

from __future__ import annotations

import pytest
from stating import ahead, at, faces, of_rule, rules, ship, stated, status

ME = "1510"
DICE = "dice d6 d8 d10 slowness 2"
BLACK, RED = "10C", "10H"


def flagship(more: str = "", hull: str = "0/20", hexname: str = ME) -> str:
    """A flagship that moves and then turns right, with its largest die on weapons, its middle one on movement."""
    return f"ship 0 {hexname} N flagship {DICE} hull {hull} power LHM shown order right {more}\n"


def lesser(more: str = "", hull: str = "0/20", crew: str = "2-10", hexname: str = ME, seat: int = 0) -> str:
    rating = f"crew {crew} " if crew else ""
    return f"ship {seat} {hexname} N {rating}captain JQK {DICE} hull {hull} power LHM shown order right {more}\n"


def foe(hexname: str = "1507", more: str = "", hull: str = "40") -> str:
    """An enemy flagship that will be asked on the same card: so nothing follows the act of a test."""
    return f"ship 1 {hexname} S flagship {DICE} hull {hull} power LHM shown order drift {more}\n"


def table(ships: str, card: str = BLACK, more: str = ""):
    return stated(f"mode battle\nrules countdown_to_doom=true {more}\nphase card\ncard {card}\n{ships}").advance()


def act(ships: str, dice: list, card: str = BLACK, action: str = "ship 0 acts", more: str = ""):
    return table(ships, card, more).act(action, dice=dice)


MOVED, DRIFTED = f"{ahead(ME, 'N')} NE", f"{ahead(ME, 'N')} N"
MOVE = 3  # one hex with Slowness 2


# ---- the results of the table


@pytest.mark.rule("DOOM-2")
@pytest.mark.parametrize("roll, dice", [(1, []), (2, []), (3, [2]), (3, [6])])
def test_results_that_take_a_lesser_ship_out_of_play(roll, dice):
    after = act(lesser() + foe(), [roll, *dice])
    assert status(after) == "destroyed" and at(after) == f"{ME} N"
    assert len(of_rule(after, "DOOM-3")) == (roll == 2)
    assert [event.roll for event in of_rule(after, "DOOM-2")] == [roll]
    assert faces(after, "doom") == [6]


@pytest.mark.rule("DOOM-2", "DOOM-3")
def test_an_abandoned_ship_explodes_as_well_one_in_six():
    after = act(lesser() + foe(ahead(ME, "SE")), [3, 1, 12, 5])
    assert faces(after, "doom explosion") == [6]
    assert ship(after, 1)["hull"] == 38


@pytest.mark.rule("DOOM-2", "COR-18")
def test_a_sitting_duck_only_drifts():
    after = act(lesser() + foe(), [4])
    assert at(after) == DRIFTED
    assert ship(after)["sitting_duck"] == 1 and ship(after)["hull"] == 0


@pytest.mark.rule("DOOM-2", "DOOM-4")
def test_venting_costs_crew_and_the_ship_acts_normally():
    after = act(lesser(crew="2-5,10") + foe(), [5, MOVE])
    assert at(after) == MOVED and ship(after)["hull"] == 0
    assert ship(after)["crew"] == 0b111100


@pytest.mark.rule("DOOM-4")
@pytest.mark.parametrize("crew, left, rank", [("2-10", 0b1111111100, 10), ("7", 0, 7), ("", 0, 0)])
def test_a_casualty_removes_the_highest_rank(crew, left, rank):
    after = stated(
        f"mode battle\nrules countdown_to_doom=true\nphase end_drift\n{lesser(crew=crew)}{foe(more='activated')}"
    ).run("end_drift", dice=[5])
    assert ship(after)["crew"] == left
    assert [event.value for event in of_rule(after, "DOOM-4")] == [rank]


@pytest.mark.rule("DOOM-4")
def test_a_flagship_has_no_crew_rank_to_lose():
    after = act(flagship() + foe(), [2, 3, MOVE])
    assert (at(after), ship(after)["crew"]) == (MOVED, 0)
    assert [event.value for event in of_rule(after, "DOOM-4")] == [0]


@pytest.mark.rule("DOOM-2")
@pytest.mark.parametrize(
    "dice, hull, full", [([2, 4], 1, 20), ([3, 5], 1, 20), ([3, 4, 4], 4, 20), ([3, 4, 6], 5, 5), ([6, 6], 20, 20)]
)
def test_results_that_give_hull_let_a_flagship_act_normally(dice, hull, full):
    after = act(flagship(hull=f"0/{full}") + foe(), [*dice, MOVE])
    assert (at(after), ship(after)["hull"]) == (MOVED, hull)
    assert faces(after, "doom") == [6, 6]
    assert faces(after, "hull gain") == [6] * (len(dice) - 2)
    assert [event.value for event in of_rule(after, "DOOM-2")] == [hull]


@pytest.mark.rule("COR-21")
@pytest.mark.parametrize("dice, jammed", [([3, 4, 2], 0), ([6, 6], 1), ([3, 5], 1)])
def test_only_result_seven_repairs_a_jammed_torpedo(dice, jammed):
    after = act(flagship("torpedo flaw torpedo_jams jammed") + foe(), [*dice, MOVE])
    assert ship(after)["jammed"] == jammed
    assert len(of_rule(after, "COR-21")) == 1 - jammed


@pytest.mark.rule("COR-21")
def test_a_ship_without_crew_rank_acts_on_captain_ranks_only():
    ships = lesser(crew="2") + foe()
    assert act(ships, [5, MOVE], card="2C").game["ships"][0, 0]["crew"] == 0
    text = lesser(crew="") + foe()
    assert table(text, card="JC").legal == ["pass", "ship 0 manoeuvres"]
    assert table(text, card="2C").game["actor"] == 1


@pytest.mark.rule("COR-19", "DOOM-2")
def test_engine_stall_is_a_drift_without_turn_on_black_and_no_hindrance_on_red():
    assert at(act(flagship() + foe(), [3, 6])) == DRIFTED
    fired = act(flagship() + foe(), [3, 6, 9, 2], card=RED)
    assert ship(fired, 1)["hull"] == 36 and at(fired) == f"{ME} N"


@pytest.mark.rule("COR-19", "DOOM-2")
@pytest.mark.parametrize("roll", range(1, 7))
@pytest.mark.parametrize("card", [BLACK, RED])
def test_spite_strike_fires_all_that_bears_and_may_explode_the_ship(roll, card):
    ships = flagship("volleys 2 torpedo") + foe() + lesser(hull="9", hexname="1710", seat=1)
    gone = ["joker"] if roll <= 3 and card == RED else []  # the enemy has nothing left to fire at
    after = act(ships, [4, 6, 9, 2, 4, 4, 12, 3, roll, *gone], card=card)
    assert [event.rule for event in after.events if event.rule.startswith("FIR")][::2] == ["FIR-4", "FIR-4", "FIR-5"]
    assert (status(after) == "destroyed") == (roll <= 3)
    assert at(after) == f"{ME} N"
    assert (ship(after, 1)["hull"], ship(after, 1, 1)["hull"]) == (36, 5)


@pytest.mark.rule("COR-19")
def test_spite_strike_in_the_end_drift_takes_the_place_of_the_drift_and_without_attacks_is_no_risk():
    text = "mode battle\nrules countdown_to_doom=true\nphase end_drift\n"
    struck = stated(text + flagship() + foe(more="activated")).run("end_drift", dice=[4, 6, 9, 2, 2])
    assert (at(struck), ship(struck, 1)["hull"]) == (f"{ME} N", 36)
    alone = stated(text + flagship() + foe("3020", "activated")).run("end_drift", dice=[4, 6])
    assert (at(alone), status(alone)) == (f"{ME} N", "in_play")


@pytest.mark.rule("COR-19", "DOOM-2")
def test_core_breach_explodes_after_the_act():
    ships = flagship() + foe(ahead(MOVED[:4], "N"))
    moved = act(ships, [5, 6, MOVE, 11, 3])
    assert (at(moved), status(moved), ship(moved, 1)["hull"]) == (MOVED, "destroyed", 37)
    fired = act(flagship() + foe(ahead(ME, "N")), [5, 6, 9, 2, 12, 6, "joker"], card=RED)
    assert (status(fired), ship(fired, 1)["hull"]) == ("destroyed", 40 - 4 - 2)
    text = "mode battle\nrules countdown_to_doom=true\nphase end_drift\n"
    drifted = stated(text + ships.replace("order drift", "order drift activated")).run("end_drift", dice=[5, 6, 8, 2])
    assert (at(drifted), ship(drifted, 1)["hull"]) == (DRIFTED, 36)


@pytest.mark.rule("COR-19", "COR-12")
def test_core_breach_off_the_map_destroys_without_a_blast_even_beyond_the_goal():
    text = f"mode crossing\ngoal north\nrules countdown_to_doom=true\nphase card\ncard {BLACK}\n"
    near = lesser(hull="9", hexname="1401", more="activated")
    after = stated(text + flagship(hexname="1501") + near).act("ship 0 acts", dice=[5, 6, MOVE])
    assert status(after) == "destroyed" and not of_rule(after, "DOOM-3")
    assert after.game["outcome"] == 2
    crossed = stated(text + flagship(hexname="1501") + near).act("ship 0 acts", dice=[2, 3, MOVE])
    assert crossed.game["outcome"] == 1


# ---- when it is rolled


@pytest.mark.rule("DOOM-2")
def test_no_doom_with_hull_or_without_the_countdown():
    assert not of_rule(act(flagship(hull="1/20") + foe(), [MOVE]), "DOOM-2")
    off = stated(f"mode battle\nphase card\ncard {BLACK}\n{flagship(hull='1/20')}{foe()}").act("ship 0 acts", dice=[3])
    assert not of_rule(off, "DOOM-2")


@pytest.mark.rule("DOOM-2", "COR-16")
def test_doom_waits_until_the_ship_acts_and_drifting_asteroids_do_not_call_it():
    text = (
        f"mode battle\nrules countdown_to_doom=true\nphase drift\n{lesser()}{foe('3020')}marker {ahead(ME, 'N')} S 6\n"
    )
    after = stated(text).run("drift", dice=[3, 6, 20])
    assert (status(after), ship(after)["hull"]) == ("in_play", 0)
    assert "DOOM-2" not in rules(after) and [event.value for event in of_rule(after, "CON-2")] == [0]


@pytest.mark.rule("COR-16", "COR-13")
def test_a_ship_at_no_hull_stays_a_target_and_fire_does_nothing_to_it():
    ships = flagship(hull="20") + lesser(seat=1, hexname="1508") + foe()
    after = act(ships, [10, 1], card=RED)
    assert [event.value for event in of_rule(after, "FIR-4")] == [6]
    assert (status(after, 1), ship(after, 1)["hull"]) == ("in_play", 0)


@pytest.mark.rule("COR-17")
@pytest.mark.parametrize("action", ["ship 0 acts", "ship 0 manoeuvres"])
def test_an_act_that_doom_forbids_is_lost(action):
    duck = act(flagship() + foe(), [1, 3], card=RED, action=action)
    assert at(duck) == DRIFTED and not of_rule(duck, "FIR-4")
    assert [event.value for event in of_rule(duck, "COR-17")] == [4]
    assert (ship(duck)["activated"], ship(duck)["order"]) == (1, 0)


@pytest.mark.rule("COR-17")
def test_doom_comes_before_the_sideslip_is_asked_and_after_the_marker_is_shown():
    ships = flagship().replace("order right", "order forward") + foe()
    asked = act(ships, [6, 6, MOVE])
    assert asked.legal == ["last hex straight", "last hex left", "last hex right"]
    assert [name for name in rules(asked) if name in ("ORD-1", "DOOM-2", "MOV-1")] == ["ORD-1", "DOOM-2", "MOV-1"]
    breached = act(ships, [5, 6, MOVE])
    assert status(breached) == "in_play"
    assert status(breached.act("last hex left", dice=[])) == "destroyed"


@pytest.mark.rule("COR-17", "MOV-9")
def test_a_drift_in_place_of_an_avoid_hazard_keeps_its_die():
    after = act(flagship() + foe() + "marker 1509 N 2\n", [1, 3, 10], action="ship 0 manoeuvres")
    assert faces(after, "avoid") == [10]


# ---- explosions


@pytest.mark.rule("DOOM-3")
@pytest.mark.field("explosion_steps")
@pytest.mark.parametrize("steps, die", [(0, 10), (1, 12), (2, 20), (3, 20)])
def test_an_explosion_is_the_largest_die_stepped_up_against_shields(steps, die):
    ships = flagship() + foe(ahead(ME, "NE")) + lesser(hexname=ahead(ME, "N", 2), seat=1, hull="9")
    after = act(ships, [1, 1, 10, 5], more=f"explosion_steps={steps}")
    assert faces(after, "blast") == [die] and faces(after, "shields") == [6]
    assert ship(after, 1)["hull"] == 38


@pytest.mark.rule("DOOM-3", "COR-20")
def test_a_blast_strikes_enemies_first_then_friends_by_index_and_only_next_to_it():
    ships = (
        flagship(hull="9", hexname=ahead(ME, "S"))
        + lesser()
        + lesser(hexname=ahead(ME, "N"), hull="9")
        + lesser(hexname=ahead(ME, "NW"), seat=1, hull="9")
        + foe(ahead(ME, "SE"))
        + lesser(hexname=ahead(ME, "N", 2), seat=1, hull="9")
    )
    after = act(ships, [2, 1, 1, 1, 1, 1, 1, 1, 1], action="ship 1 acts")
    assert [(event.seat, event.ship) for event in of_rule(after, "FIR-1")] == [(1, 0), (1, 1), (0, 0), (0, 2)]


@pytest.mark.rule("COR-20", "COR-18")
def test_a_chain_waits_its_turn_and_who_was_set_off_is_gone_at_once():
    ships = (
        lesser()
        + flagship(hull="9", hexname=ahead(ME, "S", 3))
        + lesser("sitting_duck", hexname=ahead(ME, "N"), seat=1)
        + lesser("sitting_duck", hexname=ahead(ME, "NE"), seat=1)
        + foe(ahead(ME, "SE"))
    )
    # The first blast sets off both ducks and strikes the flagship; the second one's blast finds the other one gone.
    after = act(ships, [2, 9, 3, 3, 6, 3, 2, 8, 2, 7, 6])
    assert [(event.seat, event.ship) for event in of_rule(after, "DOOM-3")] == [(0, 0), (1, 0), (1, 1)]
    assert [event.value for event in of_rule(after, "COR-20")] == [1, 1, 2]
    assert ship(after, 1, 2)["hull"] == 40 - 4 - 1
    assert [status(after, 1, index) for index in range(3)] == ["destroyed", "destroyed", "in_play"]
    assert all(ship(after, 1, index)["blast"] == 0 for index in range(3))


@pytest.mark.rule("COR-20", "DOOM-1")
def test_destroyed_is_not_exploded():
    ships = (
        flagship(hull="20") + foe("1506") + lesser(hull="3", hexname="1508", seat=1) + lesser(hull="9", hexname="1507")
    )
    after = stated(f"mode battle\nphase card\ncard {RED}\n{ships}").advance().act("ship 0 acts", dice=[9, 1])
    assert status(after, 1, 1) == "destroyed" and not of_rule(after, "DOOM-3")


# ---- sitting ducks


@pytest.mark.rule("COR-18")
@pytest.mark.parametrize("attack, shields, roll", [(9, 3, 3), (9, 3, 4), (10, 1, 6), (3, 3, 0)])
def test_each_packet_of_damage_explodes_a_sitting_duck_as_likely_as_it_is_large(attack, shields, roll):
    duck = lesser("sitting_duck", hexname="1508", seat=1)
    friend = lesser(hull="9", hexname="1509")
    damage = attack // shields if attack > shields else 0
    dice = [attack, shields, *([roll] if roll else []), *([7, 3] if 0 < roll <= damage else [])]
    after = act(flagship(hull="20") + friend + duck + foe("1506"), dice, card=RED)
    assert (status(after, 1) == "destroyed") == (0 < roll <= damage)
    assert ship(after, 0, 1)["hull"] == (7 if 0 < roll <= damage else 9)
    assert faces(after, "doom explosion") == ([6] if roll else [])


@pytest.mark.rule("COR-18")
def test_every_packet_is_rolled_for_and_a_duck_that_is_gone_draws_no_more():
    duck = lesser("sitting_duck", hexname="1508", seat=1)
    ships = flagship("volleys 1 torpedo", "20") + duck + foe("1505")
    assert status(act(ships, [9, 3, 4, 12, 2, 6], card=RED), 1) == "destroyed"
    lost = act(ships, [9, 3, 3], card=RED)
    assert [event.value for event in of_rule(lost, "FIR-8")] == [6]


@pytest.mark.rule("COR-18")
def test_it_lasts_through_the_next_asteroid_drift_and_its_blast_comes_at_once():
    text = (
        f"mode battle\nrules countdown_to_doom=true\nphase drift\n{lesser('sitting_duck')}{foe(ahead(ME, 'SE'))}"
        f"marker {ahead(ME, 'N')} S 3\nmarker 0101 S 1\n"
    )
    after = stated(text).run("drift", dice=[1, 3, 5, 5, 8, 2, 1])
    assert status(after) == "destroyed" and ship(after, 1)["hull"] == 36
    assert [event.rule for event in after.events][-1] == "DRF-1"
    unhurt = stated(text).run("drift", dice=[1, 3, 5, 6, 1])
    assert (status(unhurt), ship(unhurt)["sitting_duck"], ship(unhurt)["packets"]) == ("in_play", 1, 1)


@pytest.mark.rule("COR-18")
def test_it_ends_with_the_next_roll():
    after = act(lesser("sitting_duck") + foe(), [6, MOVE])
    assert (ship(after)["sitting_duck"], ship(after)["hull"], at(after)) == (0, 1, MOVED)


@pytest.mark.rule("COR-18")
def test_set_off_in_its_own_drift_it_explodes_after_it():
    near = foe(ahead(ahead(ME, "N", 2), "NE"))
    after = act(lesser() + near + f"marker {ahead(ME, 'N')} N 2\n", [4, 2, 5, 5, 6, 2])
    assert (at(after), status(after), ship(after, 1)["hull"]) == (f"{ahead(ME, 'N', 2)} N", "destroyed", 37)


@pytest.mark.rule("COR-18", "COR-19")
def test_set_off_as_it_leaves_the_map_it_is_destroyed_without_a_blast():
    ships = lesser(hexname="1502") + foe("1401") + flagship(hull="9", hexname="3020") + "marker 1501 N 2\n"
    after = act(ships, [4, 2, 5, 5])
    assert status(after) == "destroyed" and not of_rule(after, "DOOM-3")
