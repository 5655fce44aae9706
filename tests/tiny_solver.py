"""The best possible play of the tiny crossing, by dynamic programming over every chance and every decision.

Written from the rules alone, with nothing of the engine but the scenario's file: a position is where both markers,
the ship, its facing and its hull are, and how many turns are left. Within a turn the ship's player first chooses power
and order, then the markers drift, then cards come. For a lone flagship of a card only its colour matters, or that it
is a joker: what acting is worth stays the same all through the card phase, so it either acts on the first black
card or lets all of them pass.

Arrays have the axes (marker 0, marker 1, hex, facing, hull); a marker is at 0 while it waits off the map, at i in hex i
of its row.
Hexes are (column, height), the height counted in half hexes, so that the six directions are plain vectors.

``python -m tests.tiny_solver [GAMES]`` prints what every agent reaches of it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from ruamel.yaml import YAML

Hex = tuple[int, int]

FACINGS = ("N", "NE", "SE", "S", "SW", "NW")
STEP = {"N": (0, -2), "NE": (1, -1), "SE": (1, 1), "S": (0, 2), "SW": (-1, 1), "NW": (-1, -1)}
LADDER = (4, 6, 8, 10, 12, 20)
FORWARD, RIGHT, LEFT, DRIFT = range(4)
TURN = {FORWARD: 0, RIGHT: 1, LEFT: -1, DRIFT: 0}
STRAIGHT, SLIP_LEFT, SLIP_RIGHT = range(3)
SLIP = {STRAIGHT: 0, SLIP_LEFT: -1, SLIP_RIGHT: 1}
PASS, ACT, AVOID = range(3)
BLACK_CARDS = 26
MOVEMENT_OF_POWER = (2, 1, 2, 0, 1, 0)
"""POW-2: which die LMH, LHM, MLH, MHL, HLM and HML give to movement."""
TINY = Path(__file__).resolve().parent.parent / "fc_env" / "data" / "tiny.yaml"


def hex_at(label: str) -> Hex:
    """MAP-6: a printed hex. The second, fourth, ... column stands half a hex lower (MAP-1)."""
    column, row = int(label[:2]), int(label[2:])
    return column, 2 * row + (column + 1) % 2


def map_hexes(width: int, height: int) -> list[Hex]:
    """Every hex of a map, in a fixed order."""
    return [hex_at(f"{column:02}{row:02}") for column in range(1, width + 1) for row in range(1, height + 1)]


def ahead(hex: Hex, heading: str, count: int = 1) -> Hex:
    """The hex so many steps ahead."""
    dx, dy = STEP[heading]
    return hex[0] + count * dx, hex[1] + count * dy


@dataclass(frozen=True)
class Scenario:
    """What the file says, and the defaults of section 12 of the rules that matter here."""

    width: int
    height: int
    markers: list[tuple[Hex, str, int]]
    entry: Hex
    facings: list[str]
    dice: list[int]
    slowness: int
    hull: int
    lasers: int
    rules: dict[str, Any]

    @classmethod
    def read(cls, path: Path = TINY) -> Scenario:
        """The scenario of a file with one ship and two markers placed one by one."""
        text = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
        (ship,) = text["ships"]
        placed = text["fields"][text["default_field"]]["markers"]
        rules = {
            "drift_die": 6,
            "avoid_die": 6,
            "contact_damage_die": 20,
            "laser_reduction_die": 6,
            "avoid_hazard_die_flagship": 10,
            "avoid_hazard_move_steps": -1,
            "jokers": 2,
        }
        assert set(text["rules"]) <= {*rules, "turn_limit"}, "a rule this solver does not know"
        assert text["goal"] == "east" and len(placed) == 2 and ship["flagship"]
        width, height = map(int, text["map"].split("x"))
        return cls(
            width,
            height,
            [(hex_at(m["hex"]), m["facing"], m["density"]) for m in placed],
            hex_at(ship["hex"]),
            ship["facing"] if isinstance(ship["facing"], list) else [ship["facing"]],
            [int(die[1:]) for die in ship["dice"].split()],
            ship["slowness"],
            ship["hull"],
            ship["lasers"],
            {**rules, **text["rules"]},
        )


@dataclass
class Flight:
    """Where a straight flight ends from every hex, (M0, M1, X) each: a hex, or ``len(hexes)`` for crossed and one
    more for lost; and whether it meets each marker."""

    end: np.ndarray
    meets: tuple[np.ndarray, np.ndarray]


@dataclass
class TurnPlan:
    """The worth of every choice of one turn."""

    order: np.ndarray  # (M0, M1, X, 6, H+1, dice, orders), before the drift
    card: np.ndarray  # (3, M0, M1, X, 6, H+1, dice, orders): pass, act, Avoid Hazard, after the drift
    slip: dict[tuple[int, int], np.ndarray]  # by hexes and contact die: (3, M0, M1, X, 6, H+1)
    value: np.ndarray  # (M0, M1, X, 6, H+1): before power is chosen


@dataclass
class Solver:
    """All tables of one scenario; ``solve`` fills in ``plans``, ``plans[t - 1]`` for turn t."""

    scenario: Scenario
    plans: list[TurnPlan] = field(default_factory=list)

    def __post_init__(self) -> None:
        it = self.scenario
        self.hexes = map_hexes(it.width, it.height)
        self.index = {hex: x for x, hex in enumerate(self.hexes)}
        self.rows = [self.row(hex, heading) for hex, heading, _ in it.markers]
        self.shape = (len(self.rows[0]) + 1, len(self.rows[1]) + 1, len(self.hexes))
        self.crossed, self.lost = len(self.hexes), len(self.hexes) + 1
        self.damage = self.damage_matrix()
        self.most_hexes = max(it.dice) // it.slowness
        self.flights = {
            (facing, count, slip): self.flight(facing, count, slip)
            for facing, count, slip in product(range(6), range(1, self.most_hexes + 1), SLIP)
        }
        faces = range(1, it.rules["drift_die"] + 1)
        self.drifts = [self.drift(first, second) for first, second in product(faces, faces)]

    # The board

    def row(self, hex: Hex, heading: str) -> list[Hex]:
        """MAP-3: the row of a marker, from its first hex on."""
        while ahead(hex, heading, -1) in self.index:
            hex = ahead(hex, heading, -1)
        hexes = [hex]
        while ahead(hexes[-1], heading) in self.index:
            hexes.append(ahead(hexes[-1], heading))
        return hexes

    def place(self, marker: int, at: int) -> Hex | None:
        """The hex of a marker; None while it waits."""
        return self.rows[marker][at - 1] if at else None

    def flight(self, facing: int, count: int, slip: int) -> Flight:
        """MOV-1, MOV-3, MOV-6 to MOV-8 from every position."""
        end = np.zeros(self.shape, int)
        meets = (np.zeros(self.shape, bool), np.zeros(self.shape, bool))
        for m0, m1, x in np.ndindex(self.shape):
            markers = (self.place(0, m0), self.place(1, m1))
            hex, flown = self.hexes[x], 0
            while flown < count or hex in markers:
                turn = SLIP[slip] if flown == count - 1 else 0
                hex = ahead(hex, FACINGS[(facing + turn) % 6])
                flown += 1
                if hex not in self.index:
                    break
                for marker in (0, 1):
                    meets[marker][m0, m1, x] |= hex == markers[marker]
            leaves = self.crossed if hex[0] > self.scenario.width else self.lost
            end[m0, m1, x] = self.index.get(hex, leaves)
        return Flight(end, meets)

    def drift(self, *rolls: int) -> tuple[list[np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """DRF-1 to DRF-4, COR-8 for one pair of rolls: where the markers come to, and whether they meet the ship."""
        comes = [np.zeros(self.shape, int), np.zeros(self.shape, int)]
        meets = (np.zeros(self.shape, bool), np.zeros(self.shape, bool))
        for m0, m1, x in np.ndindex(self.shape):
            at = [m0, m1]
            for marker in (0, 1):
                steps, other = rolls[marker], self.place(1 - marker, at[1 - marker])
                while steps or self.place(marker, at[marker]) in (other, self.hexes[x]):
                    at[marker] += 1
                    if at[marker] > len(self.rows[marker]):
                        at[marker] = 0
                        break
                    meets[marker][m0, m1, x] |= self.place(marker, at[marker]) == self.hexes[x]
                    steps = max(0, steps - 1)
            for marker in (0, 1):
                comes[marker][m0, m1, x] = at[marker]
        return comes, meets

    # Contact

    def damage_matrix(self) -> np.ndarray:
        """CON-2: chance (hull before, hull after) of a hit, with the lasers."""
        it = self.scenario
        dice = [range(1, it.rules["contact_damage_die"] + 1)]
        dice += [range(1, it.rules["laser_reduction_die"] + 1)] * it.lasers
        chances = np.zeros((it.hull + 1, it.hull + 1))
        for first, *lasers in product(*dice):
            for hull in range(it.hull + 1):
                chances[hull, max(0, hull - max(0, first - sum(lasers)))] += 1
        return chances / chances.sum(axis=1, keepdims=True)

    def contact(self, worth: np.ndarray, meets: tuple[np.ndarray, np.ndarray], die: int) -> np.ndarray:
        """CON-1: worth before the contacts; (M0, M1, X, ..., H+1) after them. The order of contacts is all one."""
        for marker in (0, 1):
            risk = min(self.scenario.markers[marker][2], die) / die * meets[marker]
            risk = risk.reshape(risk.shape + (1,) * (worth.ndim - 3))
            worth = worth + risk * (worth @ self.damage.T - worth)
        return worth

    # Worth of the choices, from the last turn to the first

    def flown(self, beyond: np.ndarray, count: int, slip: int, turn: int, die: int) -> np.ndarray:
        """Worth of a flight from every position, (M0, M1, X, 6, H+1), given that of where it ends."""
        m0, m1, _ = np.ogrid[tuple(slice(n) for n in self.shape)]
        worth = []
        for facing in range(6):
            flight = self.flights[facing, count, slip]
            ends = beyond[m0, m1, flight.end, (facing + turn) % 6]
            worth.append(self.contact(ends, flight.meets, die))
        return np.stack(worth, axis=3)

    def moved(self, beyond: np.ndarray, order: int, faces: int, die: int, slips: dict) -> np.ndarray:
        """MOV-1 to MOV-5: worth of an activation, over the movement roll and the best sideslip after it."""
        turn = TURN[order]
        hexes = [0] if order == DRIFT else [roll // self.scenario.slowness for roll in range(1, faces + 1)]
        worth = {}
        for count in set(hexes):
            if order == FORWARD and count:
                if (count, die) not in slips:
                    slips[count, die] = np.stack([self.flown(beyond, count, slip, 0, die) for slip in SLIP])
                worth[count] = slips[count, die].max(axis=0)
            else:
                worth[count] = self.flown(beyond, max(1, count), STRAIGHT, turn, die)
        return sum(worth[count] for count in hexes) / len(hexes)

    def plan(self, after: np.ndarray) -> TurnPlan:
        """One turn backwards: ``after`` is the worth of every position at its end."""
        it = self.scenario
        beyond = np.concatenate([after, np.zeros_like(after[:, :, :2])], axis=2)
        beyond[:, :, self.crossed, :, 1:] = 1.0
        avoid, hazard = it.rules["avoid_die"], it.rules["avoid_hazard_die_flagship"]
        slips: dict[tuple[int, int], np.ndarray] = {}
        drifting = self.flown(beyond, 1, STRAIGHT, 0, avoid)
        card = np.empty((3, *drifting.shape, len(it.dice), 4))
        for d, order in product(range(len(it.dice)), range(4)):
            smaller = LADDER[max(0, LADDER.index(it.dice[d]) + it.rules["avoid_hazard_move_steps"])]
            card[PASS, ..., d, order] = drifting
            card[ACT, ..., d, order] = self.moved(beyond, order, it.dice[d], avoid, slips)
            card[AVOID, ..., d, order] = self.moved(beyond, order, smaller, hazard, slips)
        black = BLACK_CARDS / (BLACK_CARDS + it.rules["jokers"])  # the first card that is not red
        cards = black * card.max(axis=0) + (1 - black) * card[PASS]
        # The drift of the markers before, with contacts; its axes last, as ``contact`` wants the hull there.
        cards = np.moveaxis(cards, 4, -1)
        order_worth = np.zeros_like(cards)
        x = np.arange(self.shape[2])
        for comes, meets in self.drifts:
            order_worth += self.contact(cards[comes[0], comes[1], x], meets, avoid) / len(self.drifts)
        order_worth = np.moveaxis(order_worth, -1, 4)
        return TurnPlan(order_worth, card, slips, order_worth.max(axis=(-1, -2)))

    def solve(self) -> float:
        """The best possible crossing rate."""
        value = np.zeros((*self.shape, 6, self.scenario.hull + 1))
        self.plans = []
        for _ in range(self.scenario.rules["turn_limit"]):
            self.plans.insert(0, self.plan(value))
            value = self.plans[0].value
        m0, m1 = (self.rows[m].index(self.scenario.markers[m][0]) + 1 for m in (0, 1))
        x = self.index[self.scenario.entry]
        starts = [value[m0, m1, x, FACINGS.index(facing), -1] for facing in self.scenario.facings]
        return float(np.mean(starts))


@cache
def solved(path: Path = TINY) -> tuple[Solver, float]:
    """The solved scenario and its best rate."""
    solver = Solver(Scenario.read(path))
    return solver, solver.solve()


# The policy played in the engine


def part_of(solver: Solver, games: np.ndarray) -> tuple[np.ndarray, ...]:
    """Indices (marker 0, marker 1, hex, facing, hull) of positions of the engine, each (N,)."""

    def hex_of(piece: Any) -> Hex:
        return int(piece["q"]) + 1, 2 * int(piece["r"]) + int(piece["q"]) + 2

    def of_marker(marker: int, piece: Any) -> int:
        row = solver.rows[marker]
        return row.index(hex_of(piece)) + 1 if hex_of(piece) in row else 0

    ships = games["ships"][:, 0, 0]
    return (
        *(np.array([of_marker(m, piece) for piece in games["markers"][:, m]]) for m in (0, 1)),
        np.array([solver.index[hex_of(ship)] for ship in ships]),
        ships["facing"],
        ships["hull"],
    )


def best_actions(solver: Solver, games: np.ndarray) -> np.ndarray:
    """The solver's choice in each of N games that ask, as action ids (N,)."""
    from fc_env import actions as act
    from fc_env.state import Phase

    chosen = np.zeros(len(games), int)
    place = part_of(solver, games)
    powers = [act.POWER + MOVEMENT_OF_POWER.index(die) for die in range(3)]
    for i, game in enumerate(games):
        plan, at, ship = solver.plans[game["turn"] - 1], tuple(axis[i] for axis in place), game["ships"][0, 0]
        die, order = MOVEMENT_OF_POWER[ship["power"] - 1], ship["order"] - 1
        if game["phase"] == Phase.POWER:
            chosen[i] = powers[plan.order[at].max(axis=-1).argmax()]
        elif game["phase"] == Phase.ORDERS:
            chosen[i] = act.ORDER + plan.order[at][die].argmax()
        elif game["phase"] == Phase.CARD:
            chosen[i] = (act.PASS, act.ACT, act.MANOEUVRE)[plan.card[(slice(None), *at, die, order)].argmax()]
        else:
            worth = plan.slip[int(game["move_hexes"]), int(game["move_avoid_die"])]
            chosen[i] = act.SLIP + worth[(slice(None), *at)].argmax()
    return chosen


def play_best(solver: Solver, count: int, space: str = "test") -> np.ndarray:
    """Play games of seeds 0.. with the solver's policy in the engine; which of them crossed, bool (N,)."""
    from fc_env import engine, scenarios
    from fc_env.state import Outcome, Phase

    games = engine.new(scenarios.load("tiny"), range(count), space)
    crossed = np.zeros(count, bool)
    live = np.arange(count)
    while len(games):
        engine.step(games, best_actions(solver, games))
        over = games["phase"] == Phase.OVER
        crossed[live[over]] = games["outcome"][over] == Outcome.CROSSED
        games, live = games[~over].copy(), live[~over]
    return crossed


def rates(names: list[str], count: int) -> dict[str, float]:
    """Crossing rates of agents over the same games."""
    from agents.evaluate import evaluate
    from fc_env import scenarios

    played = evaluate(names, scenarios.load("tiny"), range(count))
    return {name: float(games.crossed.mean()) for name, games in played.items()}


def main(count: int) -> None:
    """Print the table of agents against the optimum."""
    solver, best = solved()
    print(f"{'player':<24}{'crossing rate':>15}{'of the optimum':>16}")
    print(f"{'optimum (computed)':<24}{best:>15.4f}{1:>16.1%}")
    played = {"optimum (played)": float(play_best(solver, count).mean())}
    played |= rates(["pilot", "zigzag", "drifter", "random"], count)
    for name, rate in played.items():
        print(f"{name:<24}{rate:>15.4f}{rate / best:>16.1%}")
    print(f"{count} games each; standard error at most {0.5 / count**0.5:.4f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)
