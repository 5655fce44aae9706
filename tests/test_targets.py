"""What fire would do, as a seat sees it: against the rules themselves, its bounds, its secrecy, and both ends alike."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from fc_env import engine, schema
from fc_env.jit import kernel_view
from fc_env.notation import Position
from fc_env.observation import Layout, observe
from fc_env.rules import fire
from fc_env.rules.power import DICE_OF_WAYS, SHIELDS, WEAPONS
from fc_env.state import MAX_SHIPS, Flaw, Order, Phase, Status
from tests.random_play import drawn_setup, new_game, play
from tests.test_observation import half_turned
from tests.test_odds_fire import slow_odds

FIRE_ROWS = ("firepower", "targets", "outgoing", "incoming")
WAY_WITH = {(place, system): way for way in range(1, 7) for system in (SHIELDS, WEAPONS)
            for place in (DICE_OF_WAYS[way][system],)}  # fmt: skip


def battle(seed: int, decisions: int = 0) -> np.ndarray:
    """A battle drawn at random, GAME (1,), with flaws, its ships near to each other."""
    rng = np.random.default_rng(seed)
    while True:
        seed += 1009
        setups = drawn_setup(seed)
        if setups["game"]["n_ships"][0, 1]:
            break
    games = new_game(setups, seed)
    games["rules"]["countdown_to_doom"] = 0
    for seat in (0, 1):
        for index in range(games["n_ships"][0, seat]):
            ship = games["ships"][0, seat, index]
            ship["flaw"] = rng.choice([Flaw.NONE, Flaw.SIMPLY_MEDIOCRE, Flaw.BLIND_SPOT, Flaw.SHIELD_FLAW])
            ship["flaw_side"] = rng.integers(6) if ship["flaw"] >= Flaw.BLIND_SPOT else 0
            ship["jammed"] = rng.integers(4) == 0
    play(games, np.array([seed], np.uint64), decisions=decisions)
    return games


def dice_of(ship: Any, known: bool) -> list[int]:
    """Places of the dice that may be on a system: 3 is the one there."""
    return [3] if known and ship["power"] else [0, 1, 2]


def set_die(ship: Any, system: int, place: int) -> int:
    """Put a die on a system; returns its faces."""
    if place < 3:
        ship["power"] = WAY_WITH[place, system]
    return int(ship["power_dice"][DICE_OF_WAYS[ship["power"]][system]])


def weapons(game: Any, seat: int, index: int, other: int, weapon_place: int, shield_place: int) -> dict[str, float]:
    """What fire does with such dice, its targets chosen by the rules, by going through all rolls."""
    copy = kernel_view(game.copy().reshape(1))
    ship, target = copy[0]["ships"][seat, index], copy[0]["ships"][1 - seat, other]
    shields = set_die(target, SHIELDS, shield_place)
    if target["flaw"] == Flaw.SHIELD_FLAW and fire.flaws.lies_along(target, ship["q"], ship["r"]):
        shields = max(shields - 2, 4) if shields != 20 else 12
    attack = set_die(ship, WEAPONS, weapon_place)
    record, bits = copy[0], fire.standing(copy[0], 1 - seat)
    lost = int(fire.density_between(record, ship, target)) * int(game["rules"]["attenuation"])
    flawed = [int(one["flaw"] == Flaw.SIMPLY_MEDIOCRE) for one in (ship, target)]
    bear = [bool(fire.weapon_bears(record, ship, weapon, target)) for weapon in range(3)]
    keys, key = [], -1
    for _ in range(ship["volleys"]):
        key = fire.next_key(record, ship, fire.PHASERS, 1 - seat, bits, key)
        if key < 0:
            break
        keys.append(key % MAX_SHIPS)
    volley, chance = slow_odds(attack, 0, shields, lost, *flawed) if bear[0] else [0.0, 0.0]
    torpedo = 0.0
    if bear[1]:
        column = fire.torpedo_column(record, ship, target["q"], target["r"])
        ladder = [4, 6, 8, 10, 12, 20]
        steps = 0 if column else int(game["rules"]["torpedo_centre_steps"])
        die = ladder[min(ladder.index(attack) + steps, 5)]
        bonus = int(game["rules"]["torpedo_beside_bonus"]) if column else 0
        torpedo = slow_odds(die, bonus, shields, lost, *flawed)[0]
    laser = slow_odds(int(game["rules"]["laser_attack_die"]), 0, shields, lost, *flawed)[0] if bear[2] else 0.0
    lasers = laser * int(ship["lasers"])
    opened = volley * (other in keys)
    opened += torpedo * (fire.sole_target(record, ship, fire.TORPEDO, 1 - seat, bits, fire.ANY) == other)
    opened += lasers * (fire.sole_target(record, ship, fire.LASERS, 1 - seat, bits, fire.ANY) == other)
    strike = ship["volleys"] * volley + torpedo + lasers if bear[0] else 0.0
    return {"in_range": float(hexes_ok(ship, target, attack)), "volley": volley / 10, "volley_hits": chance,
            "torpedo": torpedo / 10, "lasers": lasers / 10, "alpha_strike": strike / 10,
            "open_fire": opened / 10}  # fmt: skip


def hexes_ok(ship: Any, target: Any, reach: int) -> bool:
    if ship["flaw"] == Flaw.BLIND_SPOT and fire.flaws.lies_along(ship, target["q"], target["r"]):
        return False
    return bool(ship["volleys"] and fire.distance(ship["q"], ship["r"], target["q"], target["r"]) <= reach)


def expected(game: Any, seat: int, side: int, index: int, other: int) -> dict[str, dict[int, float]]:
    """A salvo as the seat may know it: by slot and by place of the die on the firer's weapons."""
    ship, target = game["ships"][side, index], game["ships"][1 - side, other]
    places = dice_of(ship, side == seat or ship["power_shown"])
    guards = dice_of(target, side != seat or target["power_shown"])
    found: dict[str, dict[int, float]] = {}
    for place in places:
        all_of = [weapons(game, side, index, other, place, guard) for guard in guards]
        for name in all_of[0]:
            found.setdefault(name, {})[place] = float(np.mean([one[name] for one in all_of]))
    return found


def check_salvo(row: Any, wanted: dict[str, dict[int, float]]) -> None:
    for name, values in wanted.items():
        if name == "lasers":
            assert row[name][0] == pytest.approx(next(iter(values.values())), abs=1e-5)
            continue
        assert row[name].tolist() == pytest.approx([values.get(place, 0.0) for place in range(4)], abs=1e-5), name


CHECKED = [(seed, decisions) for seed in range(3) for decisions in (0, 1, 9, 30)]


@pytest.mark.parametrize(("seed", "decisions"), CHECKED)
def test_rows_of_fire_are_what_the_rules_would_do(seed: int, decisions: int) -> None:
    games = battle(seed, decisions)
    game = games[0]
    if game["phase"] == Phase.OVER:
        pytest.skip("over so soon")
    seat = int(game["actor"])
    layout = Layout(int(game["n_ships"][seat]), int(game["n_ships"][1 - seat]), int(game["n_markers"]), aids=True)
    rows = layout.parts(observe(games, layout))
    focus = int(rows.own["in_focus"][0, :, 0].argmax())
    mine, theirs = range(layout.own), range(layout.theirs)
    alive = game["ships"]["status"] == Status.IN_PLAY
    for enemy in theirs:
        assert rows.targets["fights"][0, enemy, 0] == alive[1 - seat, enemy]
        if alive[1 - seat, enemy]:
            check_salvo(rows.outgoing[0, enemy], expected(game, seat, seat, focus, enemy))
            check_salvo(rows.incoming[0, enemy], expected(game, seat, 1 - seat, enemy, focus))
    for index in mine:
        if not alive[seat, index]:
            assert not rows.firepower[0, index].view((np.float32, schema.FIREPOWER_FLOATS)).any()
            continue
        salvos = [expected(game, seat, seat, index, enemy) for enemy in theirs if alive[1 - seat, enemy]]
        row, places = rows.firepower[0, index], dice_of(game["ships"][seat, index], True)
        for place in places:
            assert row["best_strike"][place] == pytest.approx(max(s["alpha_strike"][place] for s in salvos), abs=1e-5)
            assert row["open_fire"][place] == pytest.approx(sum(s["open_fire"][place] for s in salvos), abs=1e-4)
            struck = 0.0
            for enemy in theirs:
                firer = game["ships"][1 - seat, enemy]
                if alive[1 - seat, enemy] and not firer["activated"]:
                    dice = dice_of(firer, bool(firer["power_shown"]))
                    fires = [weapons(game, 1 - seat, enemy, index, die, place)["open_fire"] for die in dice]
                    struck += float(np.mean(fires))
            assert row["struck"][place] == pytest.approx(struck, abs=1e-4)


def stated(phase: str = "orders", more: str = "") -> np.ndarray:
    powers = "" if phase == "power" else "power HML shown"
    return np.atleast_1d(Position.parse(f"""fleet-captain position 1
map 30x20
mode battle
turn 3
phase {phase}
seed 42
ship 0 0812 NE flagship dice d6 d8 d10 slowness 2 hull 8/10 lasers 1 volleys 2 torpedo {powers}
ship 0 0609 SE crew 2-4,7 captain JQ dice d4 d6 d8 slowness 1 hull 5 power MLH shown
ship 1 1110 SW flagship dice d6 d8 d12 slowness 3 hull 12 volleys 3 torpedo {powers}
ship 1 1407 NW crew 5,6 captain K dice d4 d4 d8 slowness 1 hull 4/6 lasers 2 power LHM shown
marker 1010 SE 4
{more}""").game).copy()  # fmt: skip


def test_bearings_are_those_of_the_compass() -> None:
    games = stated()
    layout = Layout(2, 2, 1, aids=True)
    ship, enemy = games["ships"][0, 0, 0], games["ships"][0, 1, 0]
    for facing, dq, dr in product(range(6), range(-4, 5), range(-4, 5)):
        if (dq, dr) == (0, 0):
            continue
        ship["facing"], enemy["q"], enemy["r"] = facing, ship["q"] + dq, ship["r"] + dr
        row = layout.parts(observe(games, layout)).targets[0, 0]
        right, down = dq * math.sqrt(3) / 2, dr + dq / 2
        bearing = (math.degrees(math.atan2(right, -down)) - 60 * facing) % 360
        away = math.hypot(right, down)
        assert row["ahead"][0] * 20 == pytest.approx(math.cos(math.radians(bearing)) * away, abs=1e-4)
        assert row["right"][0] * 20 == pytest.approx(
            math.sin(math.radians(bearing)) * away / (math.sqrt(3) / 2), abs=1e-4
        )
        off = [min((bearing - 60 * sector) % 360, (60 * sector - bearing) % 360) for sector in range(6)]
        assert row["sector"].tolist() == [float(abs(one - min(off)) < 1e-6) for one in off]
        assert row["in_arc"][0] == (min(bearing, 360 - bearing) < 1e-6)


def look(games: np.ndarray, layout: Layout) -> bytes:
    return observe(games, layout).tobytes()


def test_both_seats_see_alike_from_their_own_ends() -> None:
    for seed in range(12):
        games = battle(seed, seed * 3)
        layout = Layout(MAX_SHIPS, MAX_SHIPS, 10, aids=True)
        assert look(half_turned(games), layout) == look(games, layout)


def test_no_power_or_order_that_is_hidden_shows() -> None:
    games = stated("power")
    layout = Layout(2, 2, 1, aids=True)
    seen = look(games, layout)
    assert layout.parts(observe(games, layout)).incoming["volley"][0, 0, :3].all()
    for power, seed in product(range(1, 7), (0, 7, 2**63)):
        games["ships"][0, 1, 0]["power"], games["seed"] = power, seed
        assert look(games, layout) == seen
    assert look(engine.view(games, 0), layout) == seen
    games = stated("orders")
    other = games["ships"][0, 1]
    other["order"] = Order.FORWARD
    seen = look(games, layout)
    for order in (Order.LEFT, Order.RIGHT, Order.DRIFT):
        other["order"] = order
        assert look(games, layout) == seen


def test_all_is_within_its_bounds() -> None:
    layout = Layout(MAX_SHIPS, MAX_SHIPS, 10, aids=True)
    low, high = layout.bounds()
    for seed in range(40):
        games = battle(seed, seed % 25)
        if seed % 2:  # all that makes fire strong
            ships = games["ships"][0]
            real = ships["status"] > 0
            ships["power_dice"][real] = (4, 20, 20)
            ships["volleys"][real], ships["lasers"][real], ships["torpedoes"][real] = 6, 20, 1
            games["rules"]["laser_attack_die"], games["rules"]["torpedo_beside_bonus"] = 20, 6
            games["rules"]["attenuation"], games["rules"]["laser_range"] = seed % 4, 20
        seen = observe(games, layout)
        outside = (seen < low) | (seen > high) | ~np.isfinite(seen)
        assert not outside.any(), [list(layout.slots())[k] for k in np.flatnonzero(outside.any(axis=0))]


def test_a_crossing_has_no_rows_of_fire() -> None:
    groups = [name for name, _ in Layout(2, 0, 3, aids=True).groups()]
    assert groups == [name for name, _ in Layout(2, 1, 3, aids=True).groups() if not name.startswith(
        ("their", "firepower", "target", "outgoing", "incoming"))]  # fmt: skip
    parts = Layout(2, 0, 3, aids=True).parts(np.zeros((1, Layout(2, 0, 3, aids=True).size), np.float32))
    assert all(getattr(parts, name).shape == (1, 0) for name in FIRE_ROWS)
