"""The observation: all that is open, nothing that is hidden, and every slot what its table says."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fc_env import engine, scenarios, schema
from fc_env.batch import Batch
from fc_env.notation import Position
from fc_env.observation import Encoder, Layout, describe, observe
from fc_env.state import Facing, Order, Outcome, Phase
from tests.adapters import pick

TEXT = """fleet-captain position 1
map 30x20
mode battle
turn 3
phase orders
seed 42
first 1
actor {actor}
asked 0
ship 0 0812 NE flagship dice d6 d8 d10 slowness 2 hull 8/10 lasers 1 volleys 2 torpedo power LMH shown
ship 0 0609 SE crew 2-4,7 captain JQ dice d4 d6 d8 slowness 1 hull 5 power MLH shown order left
ship 1 1110 SW flagship dice d6 d8 d12 slowness 3 hull 12 volleys 3 power HML shown
ship 1 1407 NW crew 5,6 captain K dice d4 d4 d8 slowness 1 hull 4/6 power LHM shown order drift
marker 1010 SE 4
marker 0714 N 2
marker waiting 0105 NE 3
"""
LAYOUT = Layout(2, 2, 3, aids=True)


def battle(actor: int = 0) -> np.ndarray:
    """A battle in which a seat is asked for an order: GAME (1,)."""
    return np.atleast_1d(Position.parse(TEXT.format(actor=actor)).game).copy()


def look(games: np.ndarray, layout: Layout = LAYOUT) -> bytes:
    return observe(games, layout).tobytes()


def half_turned(games: np.ndarray) -> np.ndarray:
    """The same position with the board turned by half and the seats exchanged."""
    turned = games.copy()
    for name in ("ships", "n_ships", "side_token"):
        turned[name] = games[name][:, ::-1]
    for name in ("actor", "first"):
        turned[name] = 1 - games[name]
    turned["goal"] = (games["goal"] << 2 | games["goal"] >> 2) & 15  # north and south, east and west
    won = np.isin(games["outcome"], (Outcome.SEAT_0_WINS, Outcome.SEAT_1_WINS))
    turned["outcome"] = np.where(won, Outcome.SEAT_0_WINS + Outcome.SEAT_1_WINS - games["outcome"], games["outcome"])
    for name in ("ships", "markers"):
        pieces = turned[name]
        real = (pieces["status"] > 0) if name == "ships" else (pieces["density"] > 0)
        q, r = pieces["q"], pieces["r"]
        row = r + (q >> 1)
        width, height = (games[size].reshape(-1, *([1] * (pieces.ndim - 1))) for size in ("width", "height"))
        new_q = width - 1 - q
        new_r = height - 1 - row - (new_q >> 1)
        pieces["q"], pieces["r"] = np.where(real, new_q, q), np.where(real, new_r, r)
        pieces["facing"] = np.where(real, (pieces["facing"] + 3) % 6, pieces["facing"])
    return turned


def test_each_seat_sees_the_board_from_its_own_end() -> None:
    for actor in (0, 1):
        games = battle(actor)
        assert games["actor"][0] == actor
        turned = half_turned(games)
        assert look(turned) == look(games)
        assert look(half_turned(turned)) == look(games)
    assert look(battle(0)) != look(battle(1))


def set_ship(seat: int, index: int, name: str, value: Any) -> Callable[[np.ndarray], None]:
    def change(games: np.ndarray) -> None:
        games["ships"][0, seat, index][name] = value

    return change


def hide(seat: int, index: int, order: int, power: int) -> Callable[[np.ndarray], None]:
    def change(games: np.ndarray) -> None:
        ship = games["ships"][0, seat, index]
        ship["order"], ship["order_shown"] = order, 0
        ship["power"], ship["power_shown"] = power, 0

    return change


def test_what_is_hidden_never_shows() -> None:
    games = battle()
    hide(1, 0, Order.FORWARD, 2)(games)
    seen = look(games)
    for seed in (0, 1, 2**63, 2**64 - 1):
        games["seed"] = seed
        assert look(games) == seen
    for order, power in itertools.product((Order.FORWARD, Order.RIGHT, Order.LEFT, Order.DRIFT), range(1, 7)):
        hide(1, 0, order, power)(games)
        assert look(games) == seen
    hide(1, 0, Order.NONE, 2)(games)
    assert look(games) != seen, "that an order was given is open"


def test_a_view_is_seen_as_the_game_is() -> None:
    games = battle()
    hide(1, 1, Order.LEFT, 3)(games)
    assert look(engine.view(games, 0)) == look(games)


def set_field(name: str, value: Any) -> Callable[[np.ndarray], None]:
    def change(games: np.ndarray) -> None:
        games[name] = value

    return change


def set_marker(name: str, value: int) -> Callable[[np.ndarray], None]:
    def change(games: np.ndarray) -> None:
        games["markers"][0, 1][name] = value

    return change


OPEN = {
    "turn": set_field("turn", 4), "phase": set_field("phase", Phase.CARD),
    "card": set_field("card", 7), "to_answer": set_field("to_answer", 1), "card_acts": set_field("card_acts", 1),
    "move_hexes": set_field("move_hexes", 3), "move_avoid_die": set_field("move_avoid_die", 8),
    "asked": set_field("asked", 1), "outcome": set_field("outcome", 3), "goal": set_field("goal", 2),
    **{f"{who} {name}": set_ship(seat, index, name, value)
       for who, seat, index in (("own", 0, 1), ("their", 1, 1))
       for name, value in (
           ("status", 2), ("flagship", 1), ("slowness", 4), ("volleys", 0), ("torpedoes", 1), ("lasers", 3),
           ("full_hull", 9), ("crew", 1 << 9), ("captain", 1 << 12), ("q", 9), ("r", 2), ("facing", 3), ("hull", 1),
           ("power", 6), ("order", 1), ("activated", 1), ("power_dice", (6, 8, 20)))},
    "their order shown": set_ship(1, 1, "order_shown", 1), "own order shown": set_ship(0, 1, "order_shown", 1),
    "own order": set_ship(0, 1, "order", Order.FORWARD), "own power": set_ship(0, 1, "power", 5),
    "their power hidden": set_ship(1, 1, "power_shown", 0),
    **{f"marker {name}": set_marker(name, value)
       for name, value in (("q", 9), ("r", 8), ("facing", 2), ("density", 5))},
}  # fmt: skip


@pytest.mark.parametrize("what", OPEN)
def test_what_is_open_shows(what: str) -> None:
    games = battle()
    games["ships"][0, 1, 1]["order_shown"] = 1 if what == "their order" else 0
    before = look(games)
    OPEN[what](games)
    assert look(games) != before


def test_who_decides_first_shows_from_the_initiative_roll_on() -> None:
    games = battle()
    for phase, shows in ((Phase.ORDERS, False), (Phase.CARD, True)):
        games["phase"] = phase
        seen = set()
        for first in (0, 1):
            games["first"] = first
            seen.add(look(games))
        assert (len(seen) == 2) == shows


def test_flipped_cards_show_by_colour_and_rank() -> None:
    games = battle()
    seen = {look(games)}
    for card in (0, 5, 30, 52):
        games["flipped"], games["flips"] = 1 << card, 1
        seen.add(look(games))
    assert len(seen) == 5


def test_every_slot_is_described_once() -> None:
    layout = Layout(2, 3, 4)
    names = [(group, name) for group, name, _ in layout.slots()]
    assert len(names) == len(set(names)) == layout.size
    lines = describe(layout).splitlines()[1:]
    assert len(lines) == layout.size
    for number, (line, (group, name, slot)) in enumerate(zip(lines, layout.slots(), strict=True)):
        assert line.split()[0] == str(number) and group in line and name in line and slot.meaning in line
    parts = layout.parts(np.zeros((1, layout.size), np.float32))
    assert sum(part.nbytes for part in parts) == layout.size * 4
    for group, slots in layout.groups():
        assert len({slot.name for slot in slots}) == len(slots), group
        assert all(len(slot.labels) in (0, slot.size) and slot.low < slot.high for slot in slots)


def test_slots_lie_where_the_table_says() -> None:
    layout = Layout(2, 2, 3)
    flat = np.arange(layout.size, dtype=np.float32)[None]
    parts = layout.parts(flat)
    found = np.concatenate([
        part[0, row][slot.name]
        for part, slots in zip(
            parts,
            (schema.HEAD, schema.SHIP, schema.SHIP, schema.MARKER, schema.NEAR, schema.PROSPECTS,
             schema.FIREPOWER, schema.TARGET, schema.SALVO, schema.SALVO),
            strict=True,
        )
        for row in range(part.shape[1])
        for slot in slots
    ])  # fmt: skip
    assert found.tolist() == flat[0].tolist()
    for wrong in (flat[0], flat.astype(np.float64), flat[:, 1:]):
        with pytest.raises(ValueError, match="want float32"):
            layout.parts(wrong)


def ahead(facing: int) -> tuple[int, int]:
    """One hex towards a hexside, in axial coordinates, worked out from the names of the hexsides."""
    steps = {"N": (0, -1), "NE": (1, -1), "SE": (1, 0), "S": (0, 1), "SW": (-1, 1), "NW": (-1, 0)}
    return steps[Facing(facing).name]


def hexes_ahead(game: np.ndarray, marker: np.ndarray, most: int) -> list[tuple[int, int]]:
    """The hexes a marker would come to, as far as the map goes."""
    found = []
    q, r = int(marker["q"]), int(marker["r"])
    for _ in range(most):
        q, r = q + ahead(marker["facing"])[0], r + ahead(marker["facing"])[1]
        if not (0 <= q < game["width"] and 0 <= r + (q >> 1) < game["height"]):
            break
        found.append((q, r))
    return found


def slow_near(game: np.ndarray) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]]:
    """Density and risk by hex, by going through all rolls of the drift die."""
    density: dict[tuple[int, int], float] = {}
    risk: dict[tuple[int, int], float] = {}
    faces = range(1, int(game["rules"]["drift_die"]) + 1)
    before = game["phase"] in (Phase.POWER, Phase.ORDERS)
    for marker in game["markers"][: game["n_markers"]]:
        hits = min(int(marker["density"]) / int(game["rules"]["avoid_die"]), 1.0)
        path = hexes_ahead(game, marker, 2 * len(faces))
        here = (int(marker["q"]), int(marker["r"]))
        if not before:
            density[here] = density.get(here, 0.0) + marker["density"] / 6
        for one in faces:
            start = one if before else 0
            if before and one <= len(path):
                density[path[one - 1]] = density.get(path[one - 1], 0.0) + marker["density"] / 6 / len(faces)
            for other in faces if before else (one,):
                for place in path[start : start + other]:
                    chance = hits / (len(faces) ** 2 if before else len(faces))
                    risk[place] = risk.get(place, 0.0) + chance
    return density, risk


def test_near_maps_equal_a_slow_count() -> None:
    checked = {True: 0, False: 0}
    for field, seed in (("dense", 1), ("improbable", 2), ("dense", 3)):
        batch = Batch(scenarios.load("crossing", field), 2, aids=True)
        batch.reset(seed)
        for step in range(40):
            for i in range(2):
                game, part = batch.games[i], batch.layout.parts(batch.observations)
                ship = game["ships"][0, 0]
                if game["phase"] == Phase.OVER:
                    continue
                density, risk = slow_near(game)
                near = part.near[i, 0]
                for place, offset in enumerate(schema.near_offsets()):
                    q, r = int(offset[0]), int(offset[1])
                    for _ in range(int(ship["facing"])):
                        q, r = -r, q + r
                    q, r = int(ship["q"]) + q, int(ship["r"]) + r
                    inside = 0 <= q < game["width"] and 0 <= r + (q >> 1) < game["height"]
                    assert (near["near_edge"][place] == 0) == inside
                    if not inside:
                        assert near["near_edge"][place] == (1.0 if q >= game["width"] else -1.0)
                        continue
                    assert near["near_density"][place] == pytest.approx(min(density.get((q, r), 0.0), 1.0), abs=1e-6)
                    assert near["near_risk"][place] == pytest.approx(min(risk.get((q, r), 0.0), 6.0), abs=1e-6)
                    checked[bool(density.get((q, r)))] += 1
            actions = np.where(batch.over, 0, pick(batch.masks, step))
            batch.step(actions, batch.over.copy())
            if batch.over.any():
                batch.reset(slots=np.flatnonzero(batch.over))
    assert min(checked.values()) > 200


EXTREMES: list[dict[str, Any]] = [
    {"drift_die": 20, "avoid_die": 4, "turn_limit": 5, "jokers": 4, "first_drift_safe": False},
    {"drift_die": 4, "drift_hexes": 3, "aces": "all", "jokers": 0, "map_edge": "wall"},
    {"avoid_hazard_move_steps": -3, "avoid_hazard_die_flagship": 20, "sideslip": False, "turn_limit": 1000},
    {"contact_damage_die": 4, "aces": "none", "drift_hexes": 0, "turn_limit": 60, "long_row_share": 0},
]


def play_extremes(games: int) -> None:
    for number, rules in enumerate(EXTREMES):
        for field in ("open", "improbable"):
            batch = Batch(scenarios.load("crossing", field, rules), 16, aids=True)
            batch.reset(number)
            low, high = batch.layout.bounds()
            ended, step = 0, 0
            while ended < games / (2 * len(EXTREMES)):
                seen = batch.observations
                assert seen.dtype == np.float32
                outside = (seen < low) | (seen > high) | ~np.isfinite(seen)
                assert not outside.any(), [list(batch.layout.slots())[k] for k in np.flatnonzero(outside.any(axis=0))]
                if batch.over.any():
                    ended += int(batch.over.sum())
                    batch.reset(slots=np.flatnonzero(batch.over))
                batch.step(pick(batch.masks, step))
                step += 1


def test_bounds_hold_in_extreme_games() -> None:
    play_extremes(300)


@pytest.mark.slow
def test_bounds_hold_in_a_hundred_thousand_extreme_games() -> None:
    play_extremes(100_000)


def test_largest_layout_fits_all_scenarios() -> None:
    setups = np.concatenate([scenarios.load("crossing", field) for field in ("open", "dense")])
    layout = Layout.of(setups)
    assert layout == Layout(1, 0, 18)
    games = engine.new(setups, [1, 1], which=[0, 1])
    markers = layout.parts(observe(games, layout)).markers
    assert markers["present"][:, :, 0].sum(axis=1).tolist() == [0, 18]
    assert Layout.of(setups[:1]).digest() != layout.digest()


def test_the_buffer_is_used_again() -> None:
    encoder = Encoder(LAYOUT, 2)
    games = np.concatenate([battle(0), battle(1)])
    first = encoder(games).copy()
    other = encoder(games[::-1].copy())
    assert other is encoder.flat and np.array_equal(other, first[::-1])
