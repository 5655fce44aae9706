"""Moving a ship (rules.md section 4) and the end drift (section 3)."""

from __future__ import annotations

from fc_env import dice, events
from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.hexgrid import DIRECTIONS, DQ, DR, edges_beyond, on_map
from fc_env.jit import jit
from fc_env.rules import doom, fire, flaws, orders, victory
from fc_env.rules.board import in_play, marker_at, other_ship_at, step, taken_for_ship
from fc_env.rules.contact import contact
from fc_env.rules.damage import suffer
from fc_env.rules.power import MOVEMENT, die_of
from fc_env.ruleset import MapEdge
from fc_env.state import MAX_SHIPS, SEATS, Doom, Flaw, Order, Phase, Slip, Status

SMALL_HEX_DIE = 100
"""MOV-10; not a field of the rule set."""


@jit
def hexes_of(roll: int, slowness: int) -> int:
    """MOV-1. Hexes of a move: the movement roll divided by the Slowness."""
    return roll // slowness


@jit
def movement_die(game, ship, avoid_hazard: bool) -> int:
    """MOV-9. Faces of the movement die; under Avoid Hazard it is smaller."""
    faces = die_of(ship, MOVEMENT)
    if avoid_hazard:
        return dice.stepped(faces, game.rules.avoid_hazard_move_steps)
    return faces


@jit
def contact_die(game, ship, avoid_hazard: bool) -> int:
    """Faces of the CON-1 die in a ship's own move; under Avoid Hazard it is larger (MOV-9)."""
    if not avoid_hazard:
        return game.rules.avoid_die
    return game.rules.avoid_hazard_die_flagship if ship.flagship else game.rules.avoid_hazard_die


@jit
def may_slip(game, ship, hexes: int) -> bool:
    """MOV-3. A sideslip belongs to a forward move of at least one hex, never to a drift (COR-9)."""
    return game.rules.sideslip != 0 and ship.order == Order.FORWARD and hexes > 0


@jit
def may_slip_to(ship, slip: int) -> bool:
    """Whether a last hex may be chosen: with an engine imbalance only one to its own side (MOV-3, COR-23).

    Without sideslips in the rule set there is no choice to take away, and the imbalance does nothing.
    """
    return ship.flaw != Flaw.ENGINE_IMBALANCE or slip == ship.flaw_side


@jit
def slip_heading(facing: int, slip: int) -> int:
    """Direction of the last hex (MOV-3): straight ahead, ahead-left or ahead-right; the facing is kept."""
    if slip == Slip.LEFT:
        return (facing + DIRECTIONS - 1) % DIRECTIONS
    if slip == Slip.RIGHT:
        return (facing + 1) % DIRECTIONS
    return facing


@jit
def is_open(game, q: int, r: int) -> bool:
    """COR-10. Whether a ship can go to a hex: on the map, or off it by an open edge, which the goal always is."""
    if on_map(game.width, game.height, q, r) or game.rules.map_edge == MapEdge.LEAVE:
        return True
    return edges_beyond(game.width, game.height, q, r) & game.goal != 0


@jit
def collide_in_passing(game, tape, seat: int, index: int) -> None:
    """MOV-10. Two lesser ships in one hex each roll d100; on the same number both take that much damage."""
    ship = game.ships[seat, index]
    piece = other_ship_at(game, seat, index, ship.q, ship.r)
    if not game.rules.small_hexes or piece < 0 or ship.flagship:
        return
    other = game.ships[piece // MAX_SHIPS, piece % MAX_SHIPS]
    if other.flagship:
        return
    # A ship moves once a turn and passes each other ship at most once then: this tells all these rolls apart.
    mine = dice.roll(game, tape, Purpose.SMALL_HEX, ship.token, 2 * other.token + 1, SMALL_HEX_DIE)
    theirs = dice.roll(game, tape, Purpose.SMALL_HEX, other.token, 2 * ship.token, SMALL_HEX_DIE)
    events.write_ship(game, tape, Rule.MOV_10, seat, index, mine, theirs)
    if mine == theirs:
        suffer(game, tape, seat, index, mine)
        suffer(game, tape, piece // MAX_SHIPS, piece % MAX_SHIPS, mine)
        doom.settle(game, tape, piece // MAX_SHIPS, piece % MAX_SHIPS)


@jit
def enter(game, tape, seat: int, index: int, avoid_die: int) -> None:
    """MOV-6. A ship has come into a hex of the map: contact with a marker there; ships are passed freely."""
    ship = game.ships[seat, index]
    marker = marker_at(game, ship.q, ship.r)
    if marker >= 0:
        events.write(game, tape, Rule.MOV_6, seat, index, marker, ship.q, ship.r, -1, game.markers[marker].density)
        contact(game, tape, seat, index, marker, avoid_die)
    collide_in_passing(game, tape, seat, index)


@jit
def leave(game, tape, seat: int, index: int) -> None:
    """MOV-8. A ship that has moved off the map has left: out of play, and not destroyed."""
    ship = game.ships[seat, index]
    ship.status = Status.LEFT
    edges = edges_beyond(game.width, game.height, ship.q, ship.r)
    if game.rules.map_edge == MapEdge.WALL:
        events.write_ship(game, tape, Rule.COR_10, seat, index, -1, edges & game.goal)
    events.write_ship(game, tape, Rule.MOV_8, seat, index, -1, edges)


@jit
def next_heading(game, ship, last: bool, slip: int) -> int:
    """COR-9. Direction of a ship's next hex; a sideslip against a wall is made straight ahead instead."""
    heading = slip_heading(ship.facing, slip) if last else ship.facing
    if not is_open(game, ship.q + DQ[heading], ship.r + DR[heading]):
        return ship.facing
    return heading


@jit
def fly(game, tape, seat: int, index: int, hexes: int, slip: int, avoid_die: int) -> None:
    """MOV-7. Move a ship ``hexes`` hexes and on while its hex is taken, meeting what is there."""
    ship = game.ships[seat, index]
    free_q, free_r = ship.q, ship.r  # the last hex of its path where it may rest
    flown = 0
    taken = False
    while flown < hexes or taken:
        last = flown == hexes - 1
        heading = next_heading(game, ship, last, slip)
        if last and heading != slip_heading(ship.facing, slip):
            events.write_ship(game, tape, Rule.COR_9, seat, index, -1, slip)
        if not is_open(game, ship.q + DQ[heading], ship.r + DR[heading]):
            # A wall (MOV-8): falling back to the last free hex is no new contact (COR-10).
            if taken:
                events.write_ship(game, tape, Rule.COR_10, seat, index, -1, 0)
            ship.q, ship.r = free_q, free_r
            events.write_ship(game, tape, Rule.MOV_8, seat, index, -1, 0)
            return
        step(ship, heading)
        flown += 1
        if not on_map(game.width, game.height, ship.q, ship.r):
            leave(game, tape, seat, index)
            return
        if flown > hexes:
            events.write_ship(game, tape, Rule.MOV_7, seat, index, -1, flown - hexes)
        hull = ship.hull
        enter(game, tape, seat, index, avoid_die)
        taken = taken_for_ship(game, seat, index)
        if ship.hull == 0 and hull > 0 and (flown < hexes or taken):
            events.write_ship(game, tape, Rule.CON_4, seat, index, -1, max(hexes - flown, 0))
        if not taken:
            free_q, free_r = ship.q, ship.r


@jit
def turn(game, tape, seat: int, index: int) -> None:
    """MOV-4. A turn marker turns the ship one hexside after its move, even after one of 0 hexes (MOV-2)."""
    ship = game.ships[seat, index]
    if not in_play(ship) or (ship.order != Order.RIGHT and ship.order != Order.LEFT):
        return
    by = 1 if ship.order == Order.RIGHT else DIRECTIONS - 1
    ship.facing = (ship.facing + by) % DIRECTIONS
    events.write_ship(game, tape, Rule.MOV_4, seat, index, -1, ship.facing)


@jit
def note_no_hull(game, tape, seat: int, index: int) -> None:
    """Write that a ship has ended its move at 0 hull, if that decides what becomes of it at once (COR-12)."""
    if tape is None:
        return
    ship = game.ships[seat, index]
    edges = edges_beyond(game.width, game.height, ship.q, ship.r)
    crossed = ship.flagship != 0 and edges & game.goal != 0 and ship.doom != Doom.CORE_BREACH and ship.blast == 0
    if ship.hull == 0 and (crossed or not game.rules.countdown_to_doom):
        events.write_ship(game, tape, Rule.COR_12, seat, index, -1, edges)


@jit
def finish(game, tape, seat: int, index: int) -> None:
    """CON-4, COR-12. After a move: a ship at 0 hull is dealt with, and one that has left may end the game."""
    note_no_hull(game, tape, seat, index)
    doom.finish(game, tape, seat, index)
    victory.check_leaving(game, tape, seat, index)


@jit
def drift(game, tape, seat: int, index: int, avoid_die: int) -> None:
    """END-2, COR-11. A drift: straight ahead, no roll, no turn; it meets markers like any move."""
    ship = game.ships[seat, index]
    hexes, contacts = game.rules.drift_hexes, ship.contacts
    q, r = ship.q + hexes * DQ[ship.facing], ship.r + hexes * DR[ship.facing]
    events.write_ship(game, tape, Rule.END_2, seat, index, -1, hexes)
    fly(game, tape, seat, index, hexes, Slip.STRAIGHT, avoid_die)
    if ship.contacts > contacts or ship.q != q or ship.r != r or not in_play(ship):
        events.write_ship(game, tape, Rule.COR_11, seat, index, -1, ship.contacts - contacts)


@jit
def meet_doom(game, tape, seat: int, index: int, avoid_die: int, moving: bool) -> bool:
    """COR-17. Doom comes once an act is declared; True if it took the act's place, and all is done and finished.

    A drift that takes the place of an Avoid Hazard keeps its die (MOV-9). In the end drift the act is a drift. A
    sitting duck that drifts on a red card has its marker taken away unseen, and meets markers with the plain die.
    """
    ship = game.ships[seat, index]
    stays = doom.declare(game, tape, seat, index)
    drifts = stays and doom.only_drifts(ship, moving)
    if ship.activated and (drifts or not stays):
        events.write_ship(game, tape, Rule.COR_17, seat, index, -1, ship.doom)
    if drifts:
        drift(game, tape, seat, index, avoid_die)
        finish(game, tape, seat, index)
        return True
    if not stays:
        doom.finish(game, tape, seat, index)
        return True
    if ship.doom == Doom.SPITE_STRIKE:
        fire.spite_strike(game, tape, seat, index)
        doom.finish(game, tape, seat, index)
        return True
    return False


@jit
def begin(game, tape, seat: int, index: int, avoid_hazard: bool) -> None:
    """MOV-5. A ship is activated to move, a drift marker without a roll; it waits for its sideslip to be chosen."""
    ship = game.ships[seat, index]
    orders.show(game, tape, seat, index)
    ship.activated = 1
    events.write_ship(game, tape, Rule.ORD_2, seat, index, -1, 1)
    avoid_die = contact_die(game, ship, avoid_hazard)
    if avoid_hazard:
        events.write_ship(game, tape, Rule.MOV_9, seat, index, -1, avoid_die)
    if meet_doom(game, tape, seat, index, avoid_die, True):
        return
    hexes = 0
    if ship.order != Order.DRIFT:
        roll = dice.roll(game, tape, Purpose.MOVEMENT, ship.token, 0, movement_die(game, ship, avoid_hazard))
        pips = flaws.told(game, tape, seat, index, roll, flaws.lowered(ship, roll))
        hexes = hexes_of(pips, ship.slowness)
        events.write_ship(game, tape, Rule.MOV_1, seat, index, roll, hexes)
    else:
        events.write_ship(game, tape, Rule.MOV_5, seat, index, -1, -1)
    game.asked = index
    game.move_hexes = hexes
    game.move_avoid_die = avoid_die
    if may_slip(game, ship, hexes):
        game.phase = Phase.SIDESLIP
    else:
        carry_out(game, tape, Slip.STRAIGHT)


@jit
def carry_out(game, tape, slip: int) -> None:
    """MOV-2. Make the move of the ship that is asked, its last hex as chosen, or a drift for 0 hexes; then its turn."""
    seat, index = game.actor, game.asked
    hexes, avoid_die = game.move_hexes, game.move_avoid_die
    game.asked, game.move_hexes, game.move_avoid_die = -1, 0, 0
    game.phase = Phase.CARD
    if hexes == 0:
        if game.ships[seat, index].order != Order.DRIFT:
            events.write_ship(game, tape, Rule.MOV_2, seat, index, -1, -1)
        drift(game, tape, seat, index, avoid_die)
    else:
        fly(game, tape, seat, index, hexes, slip, avoid_die)
    turn(game, tape, seat, index)
    finish(game, tape, seat, index)


@jit
def sideslip(game, tape, slip: int) -> None:
    """Choose the last hex of the move that waits for it (MOV-3)."""
    events.write_ship(game, tape, Rule.MOV_3, game.actor, game.asked, -1, slip)
    if game.ships[game.actor, game.asked].flaw == Flaw.ENGINE_IMBALANCE:
        flaws.note(game, tape, game.actor, game.asked, -1)
    carry_out(game, tape, slip)


@jit
def end_drift_phase(game, tape) -> None:
    """TURN-6, END-1. Each ship not activated drifts, by side in initiative order, then by index."""
    events.write_game(game, tape, Rule.TURN_6, game.turn)
    game.phase = Phase.VICTORY
    for place in range(SEATS):
        seat = (game.first + place) % SEATS
        for index in range(game.n_ships[seat]):
            if orders.may_be_activated(game.ships[seat, index]) and game.phase != Phase.OVER:
                events.write_ship(game, tape, Rule.END_1, seat, index, -1, place)
                if not meet_doom(game, tape, seat, index, game.rules.avoid_die, True):
                    drift(game, tape, seat, index, game.rules.avoid_die)
                    finish(game, tape, seat, index)
