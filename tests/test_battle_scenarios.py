"""Scenarios of two sides: what a file may say, what is refused, and the battles that are shipped."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from scenario_texts import refusal
from turning import turned

from fc_env import engine, scenarios
from fc_env.hexgrid import EAST, distance, label
from fc_env.ruleset import RuleSet, from_record
from fc_env.scenario_file import FlawName
from fc_env.state import MAX_SHIPS, Facing, Flaw, Mode, Phase, Slip

BATTLE = """\
name: test
mode: battle
map: 8x6
classes:
  cruiser: {dice: d6 d8 d10, slowness: 2, hull: 10, lasers: 1, volleys: 2, torpedoes: true}
  escort: {dice: d4 d6 d8, slowness: 1, hull: 5}
ships:
  - {class: cruiser, flagship: true, hex: "0103", facing: NE}
  - {class: escort, hex: "0105", facing: [NE, N], crew: 2-4, captain: J}
enemies:
  - {class: cruiser, flagship: true, hex: "0802", facing: SW}
  - {dice: d8 d10 d12, slowness: 3, hull: 14, hex: "0805", facing: NW, captain: JQK}
fields:
  open: {}
"""
MIRROR = BATTLE[: BATTLE.index("enemies:")] + "mirror: true\n" + BATTLE[BATTLE.index("fields:") :]
CONVOY = BATTLE.replace("mode: battle", "mode: convoy\ngoal: east").replace(
    "class: escort,", "class: escort, convoy: true,"
)


def ships_of(setups, seat):
    game = setups[0]["game"]
    return [game["ships"][seat, index] for index in range(game["n_ships"][seat])]


# ---- what a file may say


@pytest.mark.rule("SHIP-2")
def test_two_sides_of_classes_and_of_single_ships(write):
    setups = scenarios.load(write(text=BATTLE))
    game = setups[0]["game"]
    assert (game["mode"], game["goal"], list(game["n_ships"])) == (Mode.BATTLE, 0, [2, 2])
    (mine, escort), (theirs, battleship) = ships_of(setups, 0), ships_of(setups, 1)
    assert [ship["token"] for ship in (mine, escort, theirs, battleship)] == [0, 1, MAX_SHIPS, MAX_SHIPS + 1]
    for ship, hexname, facing in ((mine, "0103", Facing.NE), (theirs, "0802", Facing.SW)):
        assert list(ship["power_dice"]) == [6, 8, 10] and ship["flagship"] and ship["torpedoes"]
        assert (ship["slowness"], ship["hull"], ship["full_hull"], ship["lasers"], ship["volleys"]) == (2, 10, 10, 1, 2)
        assert (label(int(ship["q"]), int(ship["r"])), ship["facing"]) == (hexname, facing)
    assert (escort["hull"], escort["volleys"], escort["lasers"], escort["crew"], escort["captain"]) == (
        5,
        1,
        0,
        28,
        2048,
    )
    assert (battleship["slowness"], battleship["crew"], battleship["captain"]) == (3, 0, 7 << 11)
    assert list(setups[0]["facing_choices"][0, :2]) == [0, (1 << Facing.NE) | (1 << Facing.N)]


@pytest.mark.rule("SHIP-2")
def test_two_ships_of_one_class_with_captains_of_different_nerve(write):
    text = BATTLE.replace("enemies:", '  - {class: escort, hex: "0104", facing: NE, crew: 2-4, captain: JQK}\nenemies:')
    _, timid, daring = ships_of(scenarios.load(write(text=text)), 0)
    different = [name for name in timid.dtype.names if (timid[name] != daring[name]).any()]
    assert set(different) == {"token", "captain", "r"}


def test_flaws(write):
    sided = [("blind_spot", "4", 4), ("shield_flaw", "0", 0), ("engine_imbalance", "left", Slip.LEFT),
             ("engine_imbalance", "right", Slip.RIGHT)]  # fmt: skip
    for name, side, value in sided:
        ship = ships_of(
            scenarios.load(write(("hull: 5}", f"hull: 5, flaw: {name}, flaw_side: {side}}}"), text=BATTLE)), 0
        )[1]
        assert (ship["flaw"], ship["flaw_side"]) == (Flaw[name.upper()], value)
    path = write(("torpedoes: true}", "torpedoes: true, flaw: torpedo_jams}"), text=BATTLE)
    for seat in (0, 1):
        ship = ships_of(scenarios.load(path), seat)[0]
        assert (ship["flaw"], ship["flaw_side"], ship["jammed"]) == (Flaw.TORPEDO_JAMS, 0, 0)


def test_flaws_have_the_records_names():
    assert [name.upper() for name in get_args(FlawName)] == [flaw.name for flaw in Flaw if flaw]


@pytest.mark.rule("WIN-3")
def test_convoy(write):
    setups = scenarios.load(write(text=CONVOY))
    game = setups[0]["game"]
    assert (game["mode"], game["goal"]) == (Mode.CONVOY, EAST)
    assert [ship["convoy"] for seat in (0, 1) for ship in ships_of(setups, seat)] == [0, 1, 0, 0]


@pytest.mark.rule("DOOM-1")
@pytest.mark.parametrize("text, limit, countdown", [(BATTLE, 20, True), (CONVOY, 40, True)])
def test_rules_that_are_usual_in_a_mode(write, text, limit, countdown):
    """DOOM-1: the countdown is on in battles. A file, an argument or a whole rule set may say otherwise."""

    def rules_of(*args, **kwargs):
        return from_record(scenarios.load(*args, **kwargs)[0]["game"]["rules"])

    assert rules_of(write(text=text)) == RuleSet(turn_limit=limit, countdown_to_doom=countdown)
    said = f"rules: {{countdown_to_doom: {str(not countdown).lower()}, turn_limit: 7}}\nfields:"
    path = write(("fields:", said), text=text)
    assert rules_of(path) == RuleSet(turn_limit=7, countdown_to_doom=not countdown)
    assert rules_of(write(text=text), rules={"turn_limit": 9}) == RuleSet(turn_limit=9, countdown_to_doom=countdown)
    assert rules_of(path, rules=RuleSet()) == RuleSet()


def test_a_crossing_may_have_the_countdown(write):
    rules = from_record(scenarios.load(write(), rules={"countdown_to_doom": True})[0]["game"]["rules"])
    assert rules == RuleSet(turn_limit=9, countdown_to_doom=True)


@pytest.mark.rule("COR-7")
def test_mirrored_enemies_are_the_ships_turned_by_half_a_turn(write):
    setups = scenarios.load(write(text=MIRROR))
    (mine, escort), (theirs, turned_escort) = ships_of(setups, 0), ships_of(setups, 1)
    assert label(int(theirs["q"]), int(theirs["r"])) == "0804" and theirs["facing"] == Facing.SW
    assert label(int(turned_escort["q"]), int(turned_escort["r"])) == "0802"
    assert list(setups[0]["facing_choices"][1, :2]) == [0, (1 << Facing.SW) | (1 << Facing.S)]
    for ship, other in ((mine, theirs), (escort, turned_escort)):
        different = {name for name in ship.dtype.names if (ship[name] != other[name]).any()}
        assert different <= {"token", "q", "r", "facing"}


# ---- what is refused

REFUSED = {
    "no enemies": ((BATTLE[BATTLE.index("enemies:") : BATTLE.index("fields:")], ""), BATTLE, 1,
                   "enemies is missing: want the other side's ships, or mirror: true"),
    "no raiders": ((BATTLE[BATTLE.index("enemies:") : BATTLE.index("fields:")], ""), CONVOY, 1,
                   "enemies is missing: want the other side's ships (convoy"),
    "enemies and mirror": (("fields:", "mirror: true\nfields:"), BATTLE, 13, "mirror is true, and there are enemies"),
    "enemies in a crossing": (("mode: battle", "goal: east"), BATTLE, 10, "enemies has 2 ships: want none in a c"),
    "mirror in a crossing": (("mode: battle", "goal: east"), MIRROR, 10, "mirror is true: want false in a crossing"),
    "mirror in a convoy": (("mode: battle", "mode: convoy\ngoal: east"), MIRROR, 11, "mirror is true in a convoy"),
    "convoy to nowhere": (("goal: east\n", ""), CONVOY, 1, "goal is missing: want the edge, or edges, to leave"),
    "one-sided goal": (("mode: battle", "mode: battle\ngoal: east"), MIRROR, 3, "goal is ['east'] with mirror: true"),
    "no enemy flagship": (('flagship: true, hex: "0802"', 'crew: 2-3, hex: "0802"'), BATTLE, 10,
                          "enemies has no flagship: want flagship: true for one ship (SHIP-1)"),
    "two enemy flagships": (("captain: JQK", "flagship: true"), BATTLE, 12,
                            "enemies[1].flagship is true, and so it is of enemies[0]: want one flagship a side"),
    "rated enemy flagship": (('flagship: true, hex: "0802"', 'flagship: true, crew: 2, hex: "0802"'), BATTLE, 11,
                             "enemies[0].crew is [2]: want none for a flagship (SHIP-3)"),
    "unknown class": (('cruiser, flagship: true, hex: "0802"', 'cruser, flagship: true, hex: "0802"'), BATTLE, 11,
                      "enemies[0].class is 'cruser': did you mean 'cruiser'? want one of cruiser, escort"),
    "no classes": ((BATTLE[BATTLE.index("classes:") : BATTLE.index("ships:")], ""), BATTLE, 5,
                   "ships[0].class is 'cruiser': want one of names under classes, of which there are none"),
    "class of a bad name": (("  escort: {dice", "  Escort: {dice"), BATTLE, 6, "classes.Escort is not a possible name"),
    "key of a class": (("slowness: 1,", "slowness: 1, crew: 2-3,"), BATTLE, 6, "classes.escort.crew is not a key"),
    "misspelt key of a ship": (("class: escort, hex", "clas: escort, hex"), BATTLE, 9,
                               "ships[1].clas is not a key: did you mean 'class'?"),
    "class without hull": ((", hull: 5", ""), BATTLE, 6, "classes.escort.hull is missing: want it set (hull points)"),
    "hull of another": (("class: escort, hex", "class: escort, hull: 7, hex"), BATTLE, 9,
                        "ships[1].hull is given beside class: escort: want it in classes.escort, or no class"),
    "neither class nor dice": (("dice: d8 d10 d12, ", ""), BATTLE, 12, "enemies[1].dice is missing: want it set"),
    "unknown flaw": (("hull: 5}", "hull: 5, flaw: pink}"), BATTLE, 6, "classes.escort.flaw is 'pink': want 'tends_to"),
    "blind spot nowhere": (("hull: 5}", "hull: 5, flaw: blind_spot}"), BATTLE, 6,
                           "classes.escort.flaw_side is missing: want 0..5, facings clockwise from the nose"),
    "blind spot left": (("hull: 5}", "hull: 5, flaw: blind_spot, flaw_side: left}"), BATTLE, 6,
                        "classes.escort.flaw_side is 'left': want 0..5"),
    "shield flaw 6": (("hull: 5}", "hull: 5, flaw: shield_flaw, flaw_side: 6}"), BATTLE, 6,
                      "classes.escort.flaw_side is 6: want 0, 1, 2, 3, 4, 5, 'left' or 'right'"),
    "shield flaw true": (("hull: 5}", "hull: 5, flaw: shield_flaw, flaw_side: true}"), BATTLE, 6,
                         "classes.escort.flaw_side is true"),
    "imbalance 2": (("hull: 14,", "hull: 14, flaw: engine_imbalance, flaw_side: 2,"), BATTLE, 12,
                    "enemies[1].flaw_side is 2: want left or right"),
    "side of no flaw": (("hull: 5}", "hull: 5, flaw_side: 2}"), BATTLE, 6, "classes.escort.flaw_side is 2: want none"),
    "jams nothing": (("hull: 5}", "hull: 5, flaw: torpedo_jams}"), BATTLE, 6,
                     "classes.escort.flaw is 'torpedo_jams' without torpedoes: want torpedoes: true"),
    "convoy in a battle": (("class: escort,", "class: escort, convoy: true,"), BATTLE, 9,
                           "ships[1].convoy is true in a battle: want mode: convoy (WIN-3)"),
    "convoy of nothing": ((" convoy: true,", ""), CONVOY, 8, "ships has no ship to bring across"),
    "convoys of two sides": (("hull: 14,", "hull: 14, convoy: true,"), CONVOY, 13,
                             "enemies[1].convoy is true, and so it is of ships[1]: want it on one side"),
    "enemy in a ship's hex": (('"0802"', '"0105"'), BATTLE, 11,
                              "enemies[0].hex is '0105', where ships[1] stands: want a free hex (MAP-5)"),
    "turned into a ship": (('"0105"', '"0804"'), MIRROR, 8,
                           "ships[0].hex is '0103', on the turned board '0804', where ships[1] stands"),
    "mirrored field of one facing": (("open: {}", "open: {sets: 1, facing: N}"), MIRROR, 12,
                                     "fields.open.facing is 'N' with mirror: true: want it diced"),
    "mirrored field by hand": (("open: {}", "open: {markers: [{hex: 0401, facing: N, density: 1}]}"), MIRROR, 12,
                               "fields.open.markers has 1 with mirror: true: want them diced"),
    "seven enemies": (("enemies:\n", "enemies:\n" + "".join(
        f'  - {{class: escort, hex: "040{row}", facing: N, crew: 2}}\n' for row in range(1, 6))), BATTLE, 10,
        "enemies is a list of 7: want a length of at most 6"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(write, case):
    change, text, line, says = REFUSED[case]
    lines = refusal(write(change, text=text))
    assert any(one.startswith(f"{line}: {says}") for one in lines), lines


@pytest.mark.rule("SET-4")
def test_set_4_holds_for_the_ships_of_both_sides(write):
    """A marker three hexes before an enemy, on its row."""
    path = write(
        ("open: {}", "open: {markers: [{hex: 0805, facing: N, density: 1}]}"), ('"0805"', '"0806"'), text=BATTLE
    )
    (line,) = refusal(path)
    assert "fields.open.markers[0] could move up to 6 hexes and touch a ship" in line


# ---- what is shipped

BATTLES = {"duel": (1, 1), "skirmish": (3, 3), "battle": (5, 5), "ambush": (2, 5), "convoy": (6, 3)}
MIRRORED = ("duel", "skirmish", "battle")
FIELDS = {"open": 0, "standard": 6, "dense": 18}


@pytest.mark.parametrize("name", BATTLES)
def test_shipped_battles(name):
    said = scenarios.scenario(name)
    n_markers_of = FIELDS | {"improbable": 36} if name == "duel" else FIELDS
    assert scenarios.fields(name) == list(n_markers_of)
    assert said.usual_field == ("dense" if name == "ambush" else "standard")
    for field, n_markers in n_markers_of.items():
        game = scenarios.load(name, field)[0]["game"]
        assert (tuple(game["n_ships"]), game["n_markers"]) == (BATTLES[name], n_markers)
        assert game["mode"] == (Mode.CONVOY if name == "convoy" else Mode.BATTLE)
        assert game["rules"]["countdown_to_doom"] == (name != "duel")
        assert game["rules"]["first_drift_safe"]
        for seat in (0, 1):
            flagships = game["ships"][seat, : game["n_ships"][seat]]["flagship"]
            assert flagships.sum() == 1 and flagships[0]


@pytest.mark.parametrize("name", BATTLES)
def test_nobody_can_fire_on_turn_1_and_all_may_soon(name):
    """The way to the nearest enemy, less its longest move, is out of range at first (FIR-4); within three turns of
    usual moves on both sides somebody has somebody in the range of its middle die."""
    setups = scenarios.load(name, "open")
    rounds = []
    for firer in ships_of(setups, 0):
        for target in ships_of(setups, 1):
            apart = int(distance(int(firer["q"]), int(firer["r"]), int(target["q"]), int(target["r"])))
            for one, other in ((firer, target), (target, firer)):
                nearest = apart - int(other["power_dice"][2]) // int(other["slowness"])
                assert nearest > one["power_dice"][2], (name, apart)
            closing = sum(int(ship["power_dice"][1]) / 2 / int(ship["slowness"]) for ship in (firer, target))
            rounds.append((apart - max(int(firer["power_dice"][1]), int(target["power_dice"][1]))) / closing)
    assert min(rounds) <= 3, (name, rounds)


@pytest.mark.rule("SET-4")
@pytest.mark.parametrize("name", BATTLES)
def test_set_4_the_first_drift_touches_no_ship(name):
    for field in ("standard", "dense"):
        games = engine.new(scenarios.load(name, field), range(3))
        games["ships"]["order"] = np.where(games["ships"]["status"] > 0, 1, 0)
        games["ships"]["power"] = np.where(games["ships"]["status"] > 0, 1, 0)
        before = games["ships"]["hull"].copy()
        contacts = games["ships"]["contacts"]
        engine.run_phase(games, "drift")
        assert (games["ships"]["hull"] == before).all() and not contacts.any()


@pytest.mark.rule("COR-7")
@pytest.mark.parametrize("name", MIRRORED)
@pytest.mark.parametrize("field", FIELDS)
def test_mirrored_scenarios_are_exactly_symmetric(name, field):
    """Turned by half a turn, the sides swapped, each is the same position but for its pieces' names to the dice."""
    game = scenarios.load(name, field)["game"]
    game["n_markers"] = 0
    game["markers"] = 0  # not laid yet, so nowhere
    other = turned(game)
    assert (other["side_token"] == game["side_token"][:, ::-1]).all()
    other["side_token"], other["ships"]["token"] = game["side_token"], game["ships"]["token"]
    assert other.tobytes() == game.tobytes()


@pytest.mark.parametrize("name", ["ambush", "convoy"])
def test_uneven_scenarios(name):
    setups = scenarios.load(name)
    mine, theirs = ships_of(setups, 0), ships_of(setups, 1)
    if name == "ambush":
        assert len(mine) < len(theirs)
        ranks = [sum(int(ship["crew"]).bit_count() for ship in side[1:]) / len(side[1:]) for side in (mine, theirs)]
        assert ranks[0] == 9 > ranks[1]
        hulls = [int(sum(ship["full_hull"] for ship in side)) for side in (mine, theirs)]
        assert hulls == [24, 36]
    else:
        assert [int(ship["convoy"]) for ship in mine] == [0, 0, 1, 1, 1, 1]
        assert not any(ship["convoy"] for ship in theirs) and setups[0]["game"]["goal"] == EAST


def test_the_battle_is_as_its_story_says():
    heavy, old, light, daring, timid = ships_of(scenarios.load("battle"), 0)
    assert heavy["flagship"] and old["crew"] == 0b11100 and light["crew"] == sum(1 << rank for rank in range(2, 10))
    assert old["full_hull"] > heavy["full_hull"] > light["full_hull"] > daring["full_hull"]
    shared = [name for name in daring.dtype.names if name not in ("token", "captain", "q", "r", "facing")]
    assert all((daring[name] == timid[name]).all() for name in shared)
    assert int(daring["captain"]).bit_count() > int(timid["captain"]).bit_count()
    assert engine.new(scenarios.load("battle"), [1])[0]["phase"] == Phase.POWER
