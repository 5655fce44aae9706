"""Make one rule after another a no-op and see whether a test that claims the rule notices.

``python tests/rule_mutants.py`` (uncompiled: NUMBA_DISABLE_JIT=1) prints one JSON line: for each change its rule, the
change, and the test that failed under it and passed without it, or null. ``test_rules_matter`` wants no null.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import signal
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from fc_env.lab.changes import Change, changed_source

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 20
"""How long a test may take under a change; one that hangs has noticed it."""


MUTANTS: list[tuple[str, Change]] = [
    ("MAP-1", Change("hexgrid", "axial_r", "column >> 1", "(column + 1) >> 1")),
    ("MAP-2", Change("rules.board", "step", "[direction]", "[(direction + 1) % 6]")),
    ("MAP-3", Change("hexgrid", "row_start", "back = hexes_ahead(", "back = 0 * hexes_ahead(")),
    ("MAP-4", Change("rules.board", "marker_at", "return index", "return -1")),
    ("MAP-5", Change("rules.board", "is_taken", "", "return False")),
    ("MAP-6", Change("hexgrid", "label", "q + 1", "q")),
    ("SHIP-1", Change("validity", "_sides", "flagships[seat] > 1", "False")),
    ("SHIP-2", Change("rules.cards", "may_act", "(ship.crew >> rank) & 1 != 0", "True")),
    ("SHIP-3", Change("rules.cards", "may_act", "    if ship.flagship:", "    if False:")),
    ("TURN-1", Change("rules.power", "power_phase", "", "game.phase = Phase.ORDERS\nreturn False")),
    ("TURN-2", Change("rules.orders", "orders_phase", "", "game.phase = Phase.DRIFT\nreturn False")),
    ("TURN-3", Change("rules.drift", "drift_phase", "", "game.phase = Phase.INITIATIVE")),
    ("TURN-4", Change("rules.cards", "initiative_phase", "", "game.first = 0\ngame.phase = Phase.FLIP")),
    ("TURN-5", Change("rules.cards", "flip_phase", "", "end_cards(game)")),
    ("TURN-6", Change("rules.movement", "end_drift_phase", "", "game.phase = Phase.VICTORY")),
    ("TURN-7", Change("rules.victory", "victory_phase", "", "next_turn(game)")),
    ("POW-1", Change("rules.power", "die_of", "DICE_OF_WAYS[ship.power, system]", "system")),
    (
        "POW-2",
        Change("rules.power", "roll_lesser", "dice.roll(game, tape, Purpose.POWER, ship.token, 0, POWER_DIE)", "1"),
    ),
    ("POW-3", Change("rules.power", "show", "", "return")),
    ("ORD-1", Change("rules.orders", "show", "ship.order_shown = 1", "pass")),
    ("ORD-2", Change("rules.orders", "may_be_activated", " and not ship.activated", "")),
    ("DRF-1", Change("rules.drift", "drift_marker", "range(hexes)", "range(1)")),
    ("DRF-2", Change("rules.drift", "advance", "if piece >= 0", "if False")),
    ("DRF-3", Change("rules.drift", "displace", "", "return")),
    ("DRF-4", Change("rules.drift", "wait_opposite", "", "step(marker, opposite(marker.facing))")),
    ("CON-1", Change("rules.contact", "is_hit", "", "return True")),
    ("CON-2", Change("rules.contact", "hull_damage", "", "return damage_roll")),
    ("CON-3", Change("rules.contact", "is_hit", "", "return roll <= density and roll < 6")),
    (
        "CON-4",
        Change(
            "rules.movement", "fly", "while flown < hexes or taken:", "while (flown < hexes or taken) and ship.hull:"
        ),
    ),
    ("CARD-1", Change("rules.cards", "initiative_phase", "0 if rolls_0 > rolls_1 else 1", "0")),
    ("CARD-2", Change("rules.cards", "is_flipped", "", "return False")),
    ("CARD-3", Change("rules.cards", "is_black", "", "return True")),
    ("CARD-4", Change("rules.cards", "may_act", " and (ship.crew >> rank) & 1 != 0", "")),
    ("CARD-5", Change("rules.cards", "may_manoeuvre", " and (ship.captain >> rank) & 1 != 0", "")),
    ("CARD-6", Change("rules.cards", "may_act", "rank == ACE", "False")),
    ("CARD-7", Change("rules.cards", "is_over", "return True", "return False")),
    ("CARD-8", Change("rules.cards", "has_activation", "", "return True")),
    ("END-1", Change("rules.movement", "end_drift_phase", "orders.may_be_activated", "in_play")),
    ("END-2", Change("rules.movement", "drift", "", "return")),
    ("MOV-1", Change("rules.movement", "hexes_of", "", "return roll")),
    ("MOV-2", Change("rules.movement", "carry_out", "hexes == 0", "False")),
    ("MOV-3", Change("rules.movement", "may_slip", "", "return False")),
    ("MOV-4", Change("rules.movement", "turn", "", "return")),
    ("MOV-5", Change("rules.movement", "begin", "ship.order != Order.DRIFT", "True")),
    ("MOV-6", Change("rules.movement", "enter", "marker >= 0", "False")),
    ("MOV-7", Change("rules.movement", "fly", " or taken", "")),
    ("MOV-8", Change("rules.movement", "is_open", "game.rules.map_edge == MapEdge.LEAVE", "True")),
    ("MOV-9", Change("rules.movement", "contact_die", "not avoid_hazard", "True")),
    ("MOV-10", Change("rules.movement", "collide_in_passing", "", "return")),
    ("SET-1", Change("rules.setup", "is_long_enough", "", "return True")),
    ("SET-2", Change("rules.setup", "field_facing", "setup.drift_each", "False")),
    ("SET-3", Change("scenarios", "_setup", "% MAX_DENSITY + 1", "% 1 + 1")),
    ("SET-4", Change("rules.setup", "greatest_reaches", "reach += 1", "pass")),
    ("SET-5", Change("rules.setup", "lay_field", "return False", "return True")),
    ("FIR-1", Change("rules.attack", "damage_of", "attack // shields", "attack")),
    ("FIR-2", Change("rules.attack", "attenuated", "", "return roll")),
    ("FIR-3", Change("rules.fire", "density_between", "", "return 0")),
    ("FIR-4", Change("rules.fire", "next_key", "key > after and ", "")),
    ("FIR-5", Change("rules.fire", "fire_torpedo", "", "return 0")),
    ("FIR-6", Change("rules.fire", "fire_lasers", "", "return 0")),
    ("FIR-7", Change("rules.cards", "fire_ship", "enemy == fire.ANY", "True")),
    ("FIR-8", Change("rules.fire", "shoot", "not in_play(struck)", "False")),
    ("WIN-1", Change("rules.victory", "check_battle", "", "return")),
    ("WIN-2", Change("rules.victory", "check_crossing", "", "return")),
    ("WIN-3", Change("rules.victory", "check_convoy", "", "return")),
    ("DOOM-1", Change("rules.doom", "settle", "", "return")),
    ("DOOM-2", Change("rules.doom", "declare", "ship.hull > 0 or ", "")),
    ("DOOM-3", Change("rules.doom", "explosion", "for place in range(SEATS)", "for place in range(0)")),
    ("DOOM-4", Change("rules.doom", "casualty", "ship.crew -= 1 << highest", "pass")),
    ("COR-1", Change("rules.power", "ask", "range(SEATS)", "range(SEATS - 1, -1, -1)")),
    ("COR-2", Change("rules.orders", "orders_phase", "in_play(ship)", "ship.flagship and in_play(ship)")),
    ("COR-3", Change("rules.cards", "initiative_phase", "game.n_ships[1] > 0", "True")),
    ("COR-4", Change("rules.cards", "may_act", "rank < JACK and (", "rank >= JACK or (")),
    ("COR-5", Change("rules.fire", "bears", "", "return True")),
    ("COR-6", Change("rules.cards", "could_still_act", "", "return may_be_activated(ship)")),
    ("COR-7", Change("rules.contact", "contact", "ship.token", "(seat * 6 + index)")),
    ("COR-8", Change("rules.drift", "drift_phase", "range(game.n_markers)", "range(game.n_markers - 1, -1, -1)")),
    ("COR-9", Change("rules.movement", "next_heading", "if not is_open", "if False and is_open")),
    (
        "COR-10",
        Change("rules.movement", "is_open", "edges_beyond(game.width, game.height, q, r) & game.goal != 0", "False"),
    ),
    ("COR-11", Change("rules.movement", "drift", "    fly(", "    return\n    fly(")),
    (
        "COR-12",
        Change(
            "rules.movement",
            "finish",
            "",
            "victory.check_leaving(game, tape, seat, index)\ndoom.settle(game, tape, seat, index)",
        ),
    ),
    ("COR-13", Change("rules.fire", "open_fire", "made = fire_phasers", "made = fire_lasers")),
    ("COR-14", Change("rules.fire", "torpedo_column", "<= game.rules.torpedo_columns", "<= 0")),
    ("COR-15", Change("lines", "weight_between", " or not on_map(width, height, qs[i], rs[i])", "")),
    ("COR-16", Change("rules.damage", "suffer", "damage > 0 and ship.sitting_duck", "damage > 0 and ship.hull == 0")),
    ("COR-17", Change("rules.doom", "only_drifts", "", "return False")),
    ("COR-18", Change("rules.damage", "jolt", "", "return")),
    ("COR-19", Change("rules.doom", "risk_spite", "", "return")),
    ("COR-20", Change("rules.doom", "blasts", "", "return")),
    ("COR-21", Change("rules.doom", "repair", "", "return")),
    ("COR-22", Change("rules.victory", "check_leaving", "", "return")),
    ("COR-23", Change("rules.flaws", "lowered", "", "return roll")),
    ("COR-24", Change("rules.setup", "lay_marker", "if is_legal_place(game, index, ship_ahead)", "if True")),
    # the other halves of rules that take more than one function
    ("WIN-3", Change("rules.victory", "check_convoy", "int(game.rules.convoy_share)", "SHARE_UNIT // 2")),
    ("WIN-3", Change("rules.victory", "check_convoy", "int(ship.full_hull)", "int(ship.hull)")),
    ("POW-3", Change("engine", "view", 'theirs["power"][theirs["power_shown"] == 0] = 0', "pass")),
    ("ORD-1", Change("rules.orders", "give", "ship.order = order", "ship.order = 1")),
    ("CON-2", Change("rules.contact", "roll_lasers", "", "return 0")),
    ("CARD-1", Change("rules.cards", "pass_card", "game.actor = 1 - game.actor", "pass")),
    ("CARD-2", Change("rules.cards", "draw", " + game.rules.jokers", "")),
    ("CARD-4", Change("rules.cards", "activate", "game.card_acts -= 1", "pass")),
    ("CARD-7", Change("rules.cards", "flip_phase", "rank_of(card) == JOKER", "False")),
    ("MOV-3", Change("rules.movement", "slip_heading", "", "return facing")),
    ("MOV-8", Change("rules.movement", "leave", "ship.status = Status.LEFT", "pass")),
    ("MOV-9", Change("rules.movement", "movement_die", "if avoid_hazard", "if False")),
    ("SET-4", Change("rules.setup", "first_drift_is_safe", "", "return True")),
    ("WIN-2", Change("rules.victory", "has_crossed", " & game.goal", "")),
    ("DOOM-1", Change("rules.damage", "suffer", "min(damage, ship.hull)", "damage")),
    ("COR-1", Change("engine", "view", 'seen["seed"] = 0', "pass")),
    ("COR-1", Change("engine", "view", 'theirs["order"][given] = Order.HIDDEN', "pass")),
    ("CARD-4", Change("rules.cards", "card_phase", "game.card_acts > 0 and ", "")),
    ("COR-8", Change("rules.board", "in_play", "", "return True")),
    ("COR-9", Change("rules.movement", "may_slip", " and hexes > 0", "")),
    ("COR-10", Change("rules.movement", "fly", "ship.q, ship.r = free_q, free_r", "pass")),
    ("COR-10", Change("hexgrid", "edges_beyond", "if row < 0", "if edges == 0 and row < 0")),
    ("COR-10", Change("hexgrid", "edges_beyond", "elif row >= height", "elif edges == 0 and row >= height")),
    ("COR-22", Change("rules.victory", "check_battle", "left_0 and not left_1", "False")),
    ("COR-24", Change("rules.setup", "field_facing", "setup.field_facing >= 0", "False")),
    ("FIR-3", Change("lines", "weight_between", "min(left, right)", "left")),
    ("FIR-4", Change("rules.fire", "target_key", "density_between(game, ship, target)", "0")),
    ("FIR-4", Change("rules.fire", "weapon_bears", "ship.volleys > 0 and hexes <= die_of(ship, WEAPONS)", "True")),
    ("FIR-5", Change("rules.fire", "target_key", "weapon == TORPEDO and", "False and")),
    ("FIR-6", Change("rules.fire", "weapon_bears", " and hexes <= game.rules.laser_range", "")),
    ("FIR-7", Change("rules.fire", "may_be_struck", "weapon_bears(game, ", "True or (")),
    ("FIR-8", Change("rules.fire", "shoot", "doom.settle(game, tape, side, target)", "pass")),
    ("ORD-2", Change("rules.orders", "discard", "ship.activated = 1", "pass")),
    ("COR-5", Change("rules.fire", "bears", "not alpha_strike and (", "(")),
    ("COR-12", Change("rules.doom", "breach", "ship.doom == Doom.CORE_BREACH or ", "")),
    ("COR-18", Change("rules.doom", "blasts", "", "return")),
    ("COR-18", Change("rules.doom", "suffer_doom", "1 if result == Doom.SITTING_DUCK else 0", "1")),
    ("COR-19", Change("rules.doom", "only_drifts", " or (moving and ship.doom == Doom.ENGINE_STALL)", "")),
    ("COR-19", Change("rules.doom", "breach", "", "return")),
    ("COR-20", Change("rules.doom", "explosion", "(seat + 1 + place)", "(seat + place)")),
    ("COR-20", Change("rules.damage", "explode", "ship.status = Status.DESTROYED", "pass")),
    ("DOOM-2", Change("rules.doom", "declare", "if ship.flagship:", "if False:")),
    ("DOOM-3", Change("rules.doom", "explosion", "game.rules.explosion_steps", "0")),
    ("COR-23", Change("rules.flaws", "sensed", "ship.flaw == Flaw.FAULTY_SENSORS", "False")),
    ("COR-23", Change("rules.flaws", "is_blind", "", "return False")),
    ("COR-23", Change("rules.attack", "shields_die", "", "return faces")),
    ("COR-23", Change("rules.movement", "may_slip_to", "", "return True")),
    ("COR-23", Change("rules.doom", "bursts", "", "return False")),
    ("COR-23", Change("rules.fire", "stray", "roll == 1", "False")),
    ("COR-23", Change("rules.fire", "fire_torpedo", "ship.jammed = 1", "pass")),
]


@contextmanager
def applied(change: Change) -> Iterator[None]:
    """Everybody who calls the function calls the changed one; afterwards it is as before."""
    module = importlib.import_module(f"fc_env.{change.module}")
    function = getattr(module, change.function)
    namespace = dict(vars(module))
    source = changed_source(textwrap.dedent(inspect.getsource(function)), change)
    exec(compile(source, f"<{change.module} changed>", "exec"), namespace)
    before = function.__code__
    function.__code__ = namespace[change.function].__code__
    try:
        yield
    finally:
        function.__code__ = before


def passes(item: pytest.Item) -> bool:
    """Whether a test passes now; one that takes too long does not. Raises ValueError if a change is no good code."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"over {SECONDS} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        reports = runtestprotocol(item, log=False, nextitem=None)
    finally:
        signal.alarm(0)
    for report in reports:
        if re.search(r"NameError|UnboundLocalError|SyntaxError", report.longreprtext):
            raise ValueError(report.longreprtext)
    return all(report.passed for report in reports)


def fails_only_under(change: Change, item: pytest.Item) -> bool:
    """Whether a test notices a change."""
    with applied(change):
        survived = passes(item)
    return not survived and passes(item)


class Runner:
    """A pytest plugin that runs each rule's tests under the change that makes the rule a no-op."""

    def __init__(self) -> None:
        self.noticed: list[tuple[str, Change, str | None]] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for rule, change in MUTANTS:
            claiming = [item for item in session.items if any(rule in m.args for m in item.iter_markers("rule"))]
            claiming.sort(key=lambda item: item.name.startswith("test_engine"))  # statistics last, as they take longest
            noticed = (item.nodeid for item in claiming if fails_only_under(change, item))
            self.noticed.append((rule, change, next(noticed, None)))
        return True


def main() -> None:
    """Run all of them and print what noticed each."""
    runner = Runner()
    options = ["-p", "no:cacheprovider", "-p", "no:terminal", "-o", "addopts=", "-W", "ignore", "--rootdir", str(ROOT)]
    pytest.main([*options, "-c", str(ROOT / "pyproject.toml"), str(ROOT / "tests" / "rules")], plugins=[runner])
    print(json.dumps(runner.noticed), file=sys.__stdout__)


if __name__ == "__main__":
    main()
