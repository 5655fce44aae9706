"""Faults to be planted in copies of the rules, to see whether the lab notices (``python -m fc_env.lab faults``)."""

from __future__ import annotations

from typing import NamedTuple

from fc_env.lab.changes import Change


class Fault(NamedTuple):
    """A fault: its rule, what is wrong, and the change that makes it so."""

    rule: str
    what: str
    change: Change


def _fault(rule: str, what: str, module: str, function: str, old: str, new: str) -> Fault:
    return Fault(rule, what, Change(module, function, old, new))


# ---- the turn, power and orders

_TURN = [
    _fault("TURN-1", "asteroids do not drift", "rules.orders", "orders_phase", "Phase.DRIFT", "Phase.INITIATIVE"),
    _fault("TURN-7", "every other turn is left out", "rules.victory", "next_turn", "game.turn += 1", "game.turn += 2"),
    _fault("POW-1", "a flagship gets the next way", "rules.power", "choose", "power = way", "power = way % 6 + 1"),
    _fault("POW-1", "shields and weapons swapped", "rules.power", "die_of", "power, system]",
           "power, 1 - system if system < 2 else system]"),
    _fault("POW-2", "a lesser ship's die is read backwards", "rules.power", "roll_lesser",
           "ship.power = dice.roll(game, tape, Purpose.POWER, ship.token, 0, POWER_DIE)",
           "ship.power = 7 - dice.roll(game, tape, Purpose.POWER, ship.token, 0, POWER_DIE)"),
    _fault("POW-3", "powers are never shown", "rules.power", "show", "", "return"),
    _fault("ORD-1", "every marker is a forward one", "rules.orders", "give", "ship.order = order", "ship.order = 1"),
    _fault("ORD-1", "markers lie face up", "rules.orders", "give", "ship.order_shown = 0", "ship.order_shown = 1"),
    _fault("COR-1", "seat 1 gives orders first", "rules.orders", "orders_phase", "in range(SEATS)", "in (1, 0)"),
    _fault("ORD-2", "a ship that moved may act again", "rules.movement", "begin", "ship.activated = 1",
           "ship.activated = 0"),
]  # fmt: skip

# ---- drift and contact

_DRIFT = [
    _fault("COR-8", "the last marker does not roll", "rules.drift", "drift_phase", "range(game.n_markers)",
           "range(game.n_markers - 1)"),
    _fault("DRF-1", "two markers change places between turns", "rules.victory", "next_turn", "game.first = 0",
           "game.first = 0\n    if game.n_markers > 1:\n        one, two = game.markers[0], game.markers[1]\n"
           "        one.q, two.q = two.q, one.q\n        one.r, two.r = two.r, one.r"),
    _fault("DRF-1", "a marker drifts one hex too few", "rules.drift", "drift_marker", "in range(hexes)",
           "in range(hexes - 1)"),
    _fault("DRF-2", "a ship that a marker passes is not met", "rules.drift", "advance", "if piece >= 0",
           "if piece >= 0 and taken_for_marker(game, index) and index < 0"),
    _fault("DRF-2", "the first flagship is never met", "rules.drift", "advance", "if piece >= 0", "if piece > 0"),
    _fault("DRF-3", "the last marker is moved on one hex too far", "rules.drift", "displace",
           "    while taken_for_marker(game, index):",
           "    if index == game.n_markers - 1 and taken_for_marker(game, index) and not advance(game, tape, index):\n"
           "        return\n    while taken_for_marker(game, index):"),
    _fault("DRF-3", "the ship goes on instead of the marker", "rules.drift", "displace",
           "        if not advance(game, tape, index):",
           "        piece = ship_at(game, marker.q, marker.r)\n        if piece >= 0:\n"
           "            step(game.ships[piece // 6, piece % 6], marker.facing)\n            continue\n"
           "        if not advance(game, tape, index):"),
    _fault("DRF-4", "a marker wraps to the row beside its own", "rules.drift", "wait_opposite",
           "row_start(game.width, game.height, marker.q, marker.r, marker.facing)",
           "row_start(game.width, game.height, marker.q, (marker.r + 1 if on_map(game.width, game.height, marker.q, "
           "marker.r + 1) else marker.r), marker.facing)"),
    _fault("DRF-4", "a marker waits one hex too far off", "rules.drift", "wait_opposite",
           "marker.facing)\n    step(marker, back)", "marker.facing)\n    step(marker, back)\n    step(marker, back)"),
    _fault("MAP-4", "a marker loses density when it wraps", "rules.drift", "wait_opposite", "    back = ",
           "    marker.density = max(marker.density - 1, 1)\n    back = "),
    _fault("CON-1", "contact at the density is safe", "rules.contact", "is_hit", "roll <= density", "roll < density"),
    _fault("CON-1", "contact one above the density hits", "rules.contact", "is_hit", "roll <= density",
           "roll <= density + 1"),
    _fault("CON-1", "a contact is rolled for twice", "rules.movement", "enter",
           "        contact(game, tape, seat, index, marker, avoid_die)",
           "        contact(game, tape, seat, index, marker, avoid_die)\n"
           "        contact(game, tape, seat, index, marker, avoid_die)"),
    _fault("CON-1", "contacts are not forgotten in a new turn", "rules.victory", "next_turn",
           "ship.activated, ship.contacts = 0, 0", "ship.activated = 0"),
    _fault("CON-2", "shields stop asteroids", "rules.contact", "contact", "roll_lasers(game, tape, ship))",
           "roll_lasers(game, tape, ship) + ship.power_dice[0] // 2)"),
    _fault("CON-2", "lasers take nothing off", "rules.contact", "hull_damage", "damage_roll - lasers_roll",
           "damage_roll"),
]  # fmt: skip

# ---- cards

_CARDS = [
    _fault("CARD-1", "seat 0 always has the initiative", "rules.cards", "initiative_phase",
           "0 if rolls_0 > rolls_1 else 1", "0"),
    _fault("CARD-1", "the side without the initiative is asked first", "rules.cards", "flip_phase",
           "game.actor = game.first", "game.actor = 1 - game.first"),
    _fault("CARD-2", "the deck is counted on from turn to turn", "rules.victory", "next_turn", "game.flips = 0",
           "game.flips = game.flips % 40"),
    _fault("CARD-2", "cards are put back at once", "rules.cards", "note_flipped",
           "game.flipped |= _ONE << np.uint64(card)", "pass"),
    _fault("CARD-3", "the card that lies there is of the other colour", "rules.cards", "flip_phase",
           "game.card = card", "game.card = (card + 26) % 52"),
    _fault("CARD-7", "jokers are ignored", "rules.cards", "flip_phase",
           'if rank_of(card) == JOKER:', "if rank_of(card) > JOKER:"),
    _fault("COR-6", "cards go on when no ship can act", "rules.cards", "could_still_act", "and able", ""),
    _fault("CARD-4", "a side may act on a card without end", "rules.cards", "activate", "game.card_acts -= 1", "pass"),
    _fault("CARD-4", "a crew acts on the next lower rank", "rules.cards", "may_act", "ship.crew >> rank",
           "ship.crew >> (rank + 1)"),
    _fault("COR-2", "nobody may pass on a black card", "actions", "is_legal_here",
           "        return True\n    if action >= MANOEUVRE:",
           "        return game.card >= 26\n    if action >= MANOEUVRE:"),
    _fault("CARD-4", "the mask forgets the two of clubs", "actions", "is_legal_here",
           "can_act(game, game.actor, action - ACT, False)",
           "can_act(game, game.actor, action - ACT, False) and game.card != 0"),
    _fault("CARD-5", "the mask forgets the jack of clubs", "actions", "is_legal_here",
           "can_act(game, game.actor, action - MANOEUVRE, True)",
           "can_act(game, game.actor, action - MANOEUVRE, True) and game.card != 9"),
    _fault("CARD-6", "the mask forgets the ace of clubs", "actions", "is_legal_here",
           "can_act(game, game.actor, action - ACT, False)",
           "can_act(game, game.actor, action - ACT, False) and game.card != 12"),
    _fault("CARD-6", "all ships act on aces", "rules.cards", "may_act", "game.rules.aces == Aces.ALL or", "True or"),
    _fault("COR-5", "the mask forgets the two of hearts", "actions", "is_legal_here",
           "can_act(game, game.actor, action - ACT, False)",
           "can_act(game, game.actor, action - ACT, False) and game.card != 26"),
    _fault("CARD-8", "the second side is never asked", "rules.cards", "card_phase", "game.to_answer > 0",
           "game.to_answer > 1"),
    _fault("FIR-7", "an Alpha Strike may go at enemies out of range", "rules.fire", "may_be_struck",
           "return weapon_bears(game, game.ships[seat, index], PHASERS, game.ships[1 - seat, enemy])", "return True"),
    _fault("MOV-3", "an engine imbalance leaves every sideslip", "rules.movement", "may_slip_to", "", "return True"),
    _fault("COR-4", "lesser captains manoeuvre on any court card", "rules.cards", "may_manoeuvre",
           " and (ship.captain >> rank) & 1 != 0", ""),
]  # fmt: skip

# ---- moving

_MOVES = [
    _fault("MOV-1", "moves are rounded up", "rules.movement", "hexes_of", "roll // slowness",
           "(roll + slowness - 1) // slowness"),
    _fault("MOV-1", "no ship moves more than five hexes", "rules.movement", "carry_out",
           "fly(game, tape, seat, index, hexes, slip", "fly(game, tape, seat, index, min(hexes, 5), slip"),
    _fault("MOV-2", "a move of no hexes stays where it is", "rules.movement", "carry_out",
           "        drift(game, tape, seat, index, avoid_die)", "        pass"),
    _fault("MOV-3", "sideslips go to the other side", "rules.movement", "slip_heading", "slip == Slip.LEFT",
           "slip == Slip.RIGHT"),
    _fault("MOV-4", "ships turn to the other side", "rules.movement", "turn", "Order.RIGHT", "Order.LEFT"),
    _fault("MOV-5", "a drift marker rolls for a move", "rules.movement", "begin", "if ship.order != Order.DRIFT",
           "if True"),
    _fault("MOV-6", "the first marker is flown through", "rules.movement", "enter", "if marker >= 0", "if marker > 0"),
    _fault("MOV-7", "a ship is moved on one hex too far", "rules.movement", "fly",
           "taken = taken_for_ship(game, seat, index)",
           "taken = taken_for_ship(game, seat, index) or flown == hexes + 1"),
    _fault("MOV-7", "a ship rests among asteroids", "rules.movement", "fly",
           "taken = taken_for_ship(game, seat, index)", "taken = False"),
    _fault("MOV-8", "walls are open", "rules.movement", "is_open", "", "return True"),
    _fault("MOV-9", "Avoid Hazard flies at full speed", "rules.movement", "movement_die", "if avoid_hazard",
           "if False"),
    _fault("MOV-9", "Avoid Hazard gives no better odds", "rules.movement", "contact_die", "if not avoid_hazard",
           "if True"),
    _fault("MOV-10", "flagships collide in passing", "rules.movement", "collide_in_passing", " or ship.flagship", ""),
    _fault("END-1", "seat 0 always drifts first", "rules.movement", "end_drift_phase", "(game.first + place) % SEATS",
           "place"),
    _fault("END-2", "a drift is always one hex", "rules.movement", "drift", "= game.rules.drift_hexes, ship.contacts",
           "= min(game.rules.drift_hexes, 1), ship.contacts"),
]  # fmt: skip

# ---- fire

_FIRE = [
    _fault("FIR-1", "an attack that equals the shields hurts", "rules.attack", "damage_of", "attack > shields",
           "attack >= shields"),
    _fault("FIR-1", "damage is the difference", "rules.attack", "damage_of", "attack // shields", "attack - shields"),
    _fault("FIR-2", "density is added", "rules.attack", "attenuated", "roll - density", "roll + density"),
    _fault("FIR-3", "fire along hexsides takes its left side", "lines", "weight_between", "min(left, right)", "left"),
    _fault("FIR-3", "fire is stopped by the target's own hex", "lines", "place_on_line", "along >= dq * u + dr * v",
           "along > dq * u + dr * v"),
    _fault("FIR-4", "all volleys go at one enemy", "rules.fire", "fire_phasers", "PHASERS, side, choice, key)",
           "PHASERS, side, choice, -1)"),
    _fault("FIR-4", "phasers reach one hex farther", "rules.fire", "weapon_bears", "hexes <= die_of(ship, WEAPONS)",
           "hexes <= die_of(ship, WEAPONS) + 1"),
    _fault("FIR-5", "torpedoes are as strong to the side", "rules.fire", "fire_torpedo",
           "if torpedo_column(game, ship, struck.q, struck.r) == 0", "if True"),
    _fault("FIR-5", "a torpedo goes at the nearest", "rules.fire", "target_key", "1 if weapon == TORPEDO and",
           "1 if weapon > LASERS and"),
    _fault("FIR-6", "lasers spare the lowest index", "rules.fire", "fire_lasers", "1 - seat, choice, enemy)",
           "1 - seat, choice & (choice - 1) if choice & (choice - 1) else choice, enemy)"),
    _fault("FIR-7", "an Alpha Strike fires as usual", "rules.fire", "alpha_strike",
           "open_fire(game, tape, seat, index, enemy)", "open_fire(game, tape, seat, index, ANY)"),
    _fault("FIR-8", "gone ships are fired at", "rules.fire", "shoot", "if not in_play(struck)", "if False"),
    _fault("COR-23", "a shield flaw is everywhere", "rules.attack", "shields_die",
           " and lies_along(target, q, r)", ""),
    _fault("COR-23", "a torpedo jams on a two as well", "rules.fire", "fire_torpedo", "roll == 1 and",
           "0 < roll <= 2 and"),
]  # fmt: skip

# ---- doom and the ends

_ENDS = [
    _fault("DOOM-1", "no ship outlives its hull", "rules.doom", "settle", " and not game.rules.countdown_to_doom", ""),
    _fault("DOOM-1", "a ship mends one hull a turn", "rules.victory", "next_turn", "ship.activated, ship",
           "ship.hull = min(ship.hull + 1, ship.full_hull)\n            ship.activated, ship"),
    _fault("DOOM-2", "flagships roll one doom die", "rules.doom", "declare", "if ship.flagship:", "if False:"),
    _fault("DOOM-2", "two hull instead of one", "rules.doom", "suffer_doom", "gain(ship, 1)", "gain(ship, 2)"),
    _fault("DOOM-3", "blasts reach two hexes", "rules.doom", "explosion", "near.r) == 1", "near.r) <= 2"),
    _fault("DOOM-4", "the lowest rank is lost", "rules.doom", "casualty", "range(LOW_RANK, JACK)",
           "range(JACK - 1, LOW_RANK - 1, -1)"),
    _fault("SHIP-1", "a casualty takes the captain's ranks too", "rules.doom", "casualty", "    highest = 0",
           "    highest = 0\n    ship.captain = 0"),
    _fault("COR-18", "a sitting duck holds at the damage", "rules.damage", "jolt", "roll <= damage", "roll < damage"),
    _fault("COR-19", "a spite strike holds at its attacks", "rules.doom", "risk_spite", "roll <= attacks",
           "roll < attacks"),
    _fault("COR-19", "a core breach never comes", "rules.doom", "breach", "in_play(ship) and ship.doom",
           "False and ship.doom"),
    _fault("COR-20", "blasts wait for ever", "rules.doom", "blasts", "", "return"),
    _fault("COR-20", "friends are struck first", "rules.doom", "explosion", "(seat + 1 + place)", "(seat + place)"),
    _fault("COR-21", "every result repairs", "rules.doom", "suffer_doom", "    ship.doom = result",
           "    ship.doom = result\n    repair(game, tape, seat, index)"),
    _fault("WIN-1", "the lesser share of hull wins", "rules.victory", "check_battle", "if share_0 > share_1",
           "if share_0 < share_1"),
    _fault("WIN-2", "any edge is the goal", "rules.victory", "has_crossed", " & game.goal", ""),
    _fault("WIN-3", "half of the convoy is always enough", "rules.victory", "check_convoy",
           "int(game.rules.convoy_share)", "SHARE_UNIT // 2"),
]  # fmt: skip

# ---- the field and the dice

_FIELD = [
    _fault("SET-1", "markers lie on short rows too", "rules.setup", "is_long_enough", "", "return True"),
    _fault("SET-2", "each marker drifts another way", "rules.setup", "field_facing",
           "return game.markers[index - 1].facing", "return (game.markers[index - 1].facing + 1) % DIRECTIONS"),
    _fault("SET-4", "the first drift may touch ships", "rules.setup", "first_drift_is_safe", "", "return True"),
    _fault("MAP-5", "markers are laid on one another", "rules.setup", "is_legal_place",
           "if taken_for_marker(game, index)", "if False"),
    _fault("COR-7", "a d6 never shows a six", "dice", "uniform", "    return int(product >> 32) + 1",
           "    return min(int(product >> 32) + 1, 5) if faces == 6 else int(product >> 32) + 1"),
    _fault("COR-7", "a d20 shows a one too often", "dice", "uniform", "    return int(product >> 32) + 1",
           "    return max(int(product >> 32), 1) if faces == 20 else int(product >> 32) + 1"),
]  # fmt: skip

FAULTS: tuple[Fault, ...] = (*_TURN, *_DRIFT, *_CARDS, *_MOVES, *_FIRE, *_ENDS, *_FIELD)
"""All of them."""
