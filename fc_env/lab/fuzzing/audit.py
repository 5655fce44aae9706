"""What one phase or one decision did, gone through event by event and die by die.

``check`` takes a game before and after it, the events and the dice in between, and what is offered next. It follows
the events on a copy of how things stood, by rules of its own (``flights``, ``salvos``, ``doom`` ...), and in the end
all must stand as the events lead to. So what happens without being told is noticed as well as what is told and does
not happen.
"""

from __future__ import annotations

from fc_env.actions import MANOEUVRE, PASS, SLIP, TARGET
from fc_env.events import Rule
from fc_env.jit import jit
from fc_env.lab.fuzzing import choices, doom, flights, salvos
from fc_env.lab.fuzzing.geometry import inside
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.notes import (
    ACTING,
    ATTACKS,
    AVOID_DIE,
    BLASTING,
    BLASTS,
    BY_PHASE,
    END_NEXT,
    GUNNER,
    HAZARD,
    MOVED,
    PIECES,
    SALVO,
    TOLD,
    UNSURE,
    begin,
    expect,
    is_there,
    ship_of,
)
from fc_env.lab.fuzzing.phases import close_phase, drifts_at_end, piece_at
from fc_env.lab.fuzzing.standing import check_standing
from fc_env.state import MAX_SHIPS, Doom, Flaw, Order, Phase, Slip, Status
from fc_env.tape import N_EVENTS


@jit
def check(before, game, now, action: int, tape, notes) -> None:
    """Note in ``notes.broken`` what does not hold of a step from ``before`` to ``game``.

    ``now`` is a copy of ``before`` to follow the events on.
    """
    begin(before, notes)
    set_scene(before, now, action, notes)
    check_standing(before, game, notes)
    for row in range(tape.counts[N_EVENTS]):
        see(now, game, tape, notes, tape.events[row])
    close(before, game, now, action, tape, notes)


@jit
def set_scene(before, now, action: int, notes) -> None:
    """What is known before anything has happened: who acts, and with which die it meets markers."""
    notes.now[AVOID_DIE], notes.now[ACTING] = before.rules.avoid_die, -1
    if action in (BY_PHASE, PASS):
        return
    acting = -1
    if before.phase == Phase.SIDESLIP:
        acting = before.actor * MAX_SHIPS + before.asked
        notes.now[AVOID_DIE] = before.move_avoid_die
        flights.fly(now, notes, acting, before.move_hexes, action - SLIP + Slip.STRAIGHT, Invariant.MOVE_MADE)
    elif before.phase == Phase.TARGET:
        acting = before.actor * MAX_SHIPS + before.asked
    elif before.phase == Phase.CARD:
        acting = before.actor * MAX_SHIPS + (action - TARGET + 2 * MAX_SHIPS) % MAX_SHIPS
        if action >= MANOEUVRE and choices.lets_move(before.card):
            notes.now[HAZARD] = 1
            flagship = ship_of(before, acting).flagship != 0
            rules = before.rules
            notes.now[AVOID_DIE] = rules.avoid_hazard_die_flagship if flagship else rules.avoid_hazard_die
    notes.now[ACTING] = acting


# ---- event by event


@jit
def see(now, game, tape, notes, event) -> None:
    """Follow one event."""
    piece = event.seat * MAX_SHIPS + event.ship
    rule = event.rule
    if not of_blast(rule):
        doom.end_of_blast(now, notes)
    if rule == Rule.DRF_1:
        flights.begin_drift(now, notes, tape, event.marker, event.roll)
    elif rule == Rule.DRF_2:
        flights.met_by_marker(now, notes, piece, event.marker)
    elif rule == Rule.CON_1:
        flights.contact(now, notes, tape, piece, event.marker, event.roll, event.value)
    elif rule == Rule.CON_2:
        damage = flights.contact_damage(now, notes, tape, piece, event.roll)
        doom.hurt(now, notes, piece, damage, event.value, Invariant.CONTACT_DAMAGE)
    elif rule == Rule.ORD_2:
        see_activation(now, notes, tape, piece, event.value)
    elif rule == Rule.END_1:
        see_end_drift(now, notes, tape, piece)
    elif rule == Rule.END_2:
        flights.drift(now, notes, piece, event.value)
    elif rule == Rule.MOV_1:
        flights.move(now, game, notes, tape, piece, event.roll, event.value, notes.now[HAZARD] != 0)
    elif rule == Rule.MOV_4:
        see_turn(now, notes, piece, event.value)
    elif rule == Rule.MOV_5:
        expect(notes, Invariant.DRIFT_ORDER, ship_of(now, piece).order == Order.DRIFT)
        notes.drift_due[piece] = 1
    elif rule == Rule.MOV_8:
        see_edge(now, notes, piece, event.value)
    elif rule == Rule.MOV_10:
        flights.pass_ship(now, notes, tape, piece, event.roll, event.value)
    else:
        see_fire_and_doom(now, notes, tape, piece, event)


@jit
def of_blast(rule: int) -> bool:
    """Whether an event may be a part of a blast that is going on."""
    hurts = rule == Rule.FIR_1 or rule == Rule.COR_18 or rule == Rule.COR_20 or rule == Rule.DOOM_1
    return hurts or rule == Rule.COR_23


@jit
def see_fire_and_doom(now, notes, tape, piece: int, event) -> None:
    """Follow one event of these."""
    rule = event.rule
    if rule == Rule.FIR_4 or rule == Rule.FIR_5 or rule == Rule.FIR_6 or rule == Rule.FIR_8:
        if not notes.now[SALVO] or notes.now[GUNNER] != piece:
            salvos.end_of_salvo(notes)
            salvos.expect_salvo(now, notes, piece, -1)
        salvos.shot(now, notes, rule, piece, event.value)
    elif rule == Rule.FIR_7:
        expect(notes, Invariant.ALPHA_STRIKE, piece == notes.now[ACTING] and now.phase == Phase.TARGET)
        salvos.expect_salvo(now, notes, piece, event.value)
    elif rule == Rule.FIR_2:
        salvos.attenuation_told(now, notes, event.value)
    elif rule == Rule.FIR_1:
        see_attack(now, notes, tape, piece, event)
    elif rule == Rule.DOOM_1:
        doom.destroyed(now, notes, piece)
    elif rule == Rule.DOOM_2:
        doom.rolled(now, notes, tape, piece, event.roll, event.value)
    elif rule == Rule.DOOM_3:
        doom.blast(now, notes, piece, event.value)
    elif rule == Rule.DOOM_4:
        doom.casualty(notes, piece, event.value)
    elif rule == Rule.COR_18:
        doom.jolt(now, notes, piece, event.roll, event.value)
    elif rule == Rule.COR_19:
        if event.roll >= 0:
            doom.after_spite(now, notes, tape, piece, event.roll, event.value, notes.now[ATTACKS])
        else:
            doom.breached(now, notes, piece, event.value != 0)
    elif rule == Rule.COR_20:
        doom.set_off(notes, piece, event.value)
    elif rule == Rule.COR_21:
        doom.repair(notes, piece)
    elif rule == Rule.COR_23 and event.value == Flaw.TORPEDO_JAMS:
        notes.jammed[piece] = 1
        expect(notes, Invariant.REPAIRS_AND_JAMS, event.roll == 1)


@jit
def see_attack(now, notes, tape, piece: int, event) -> None:
    """FIR-1. An attack has come to its end."""
    # That a blast has struck a sitting duck was told by the duck's roll.
    if notes.now[BLASTING] >= 0 and notes.jolt[piece] < 0:
        doom.struck_by_blast(now, notes, piece)
    damage = salvos.attack(now, notes, tape, piece, event.roll)
    doom.hurt(now, notes, piece, damage, event.value, Invariant.DAMAGE_OF_ATTACK)
    notes.now[TOLD] = 0


@jit
def see_activation(now, notes, tape, piece: int, moves: int) -> None:
    """ORD-2. A ship is activated, to move or to fire."""
    ship = ship_of(now, piece)
    fits = piece == notes.now[ACTING] and ship.activated == 0 and notes.alive[piece] != 0
    expect(notes, Invariant.ACTIVATED_ONCE, fits and (moves != 0) == choices.lets_move(now.card))
    doom.due_at_activation(now, notes, tape, piece)


@jit
def see_end_drift(now, notes, tape, piece: int) -> None:
    """END-1. A ship that was not activated is to drift: the next one in the order of the end drift."""
    place = notes.now[END_NEXT]
    while place < PIECES and not drifts_at_end(now, notes, place):
        place += 1
    fits = now.phase == Phase.END_DRIFT and place < PIECES and piece_at(now, place) == piece
    expect(notes, Invariant.END_DRIFT_OF_ALL, fits)
    notes.now[END_NEXT] = place + 1
    notes.drift_due[piece] = 1
    doom.due_at_activation(now, notes, tape, piece)


@jit
def see_turn(now, notes, piece: int, facing: int) -> None:
    """MOV-4. A ship turns by its marker."""
    order = ship_of(now, piece).order
    by = 1 if order == Order.RIGHT else 5
    fits = (order == Order.RIGHT or order == Order.LEFT) and facing == (notes.facing[piece] + by) % 6
    expect(notes, Invariant.TURN_MADE, fits and piece == notes.now[ACTING])
    notes.facing[piece], notes.turned[piece] = facing, 1
    ship = ship_of(now, piece)
    ship.facing = facing


@jit
def see_edge(now, notes, piece: int, edges: int) -> None:
    """MOV-8. A ship leaves, or stops at a wall."""
    left = not inside(now, notes.q[piece], notes.r[piece])
    expect(notes, Invariant.EDGE, notes.now[UNSURE] != 0 or left == (edges != 0))
    if edges != 0:
        notes.alive[piece] = 0


# ---- and in the end


@jit
def close(before, game, now, action: int, tape, notes) -> None:
    """What must hold when all events have been followed."""
    if before.phase == Phase.DRIFT:
        flights.end_of_drift(before, game, notes)
    else:
        flights.markers_stay(before, game, notes)
    doom.end_of_blast(now, notes)
    salvos.end_of_salvo(notes)
    flights.no_stray_dice(before, notes, tape)
    expect(notes, Invariant.PHASES_IN_ORDER, choices.follows(before.phase, game.phase))
    expect(notes, Invariant.NO_BLAST_WAITS, notes.now[BLASTS] == 0)
    for piece in range(PIECES):
        if is_there(game, piece):
            close_ship(before, game, now, notes, piece)
    close_acts(before, game, action, notes)
    close_phase(before, game, now, action, tape, notes)


@jit
def close_ship(before, game, now, notes, piece: int) -> None:
    """Whether a ship is what the events made of it."""
    ship, old = ship_of(game, piece), ship_of(before, piece)
    close_turn_state(before, game, notes, ship, old, piece)
    expect(notes, Invariant.CREW_CASUALTY, ship.crew == notes.crew[piece])
    expect(notes, Invariant.REPAIRS_AND_JAMS, ship.jammed == notes.jammed[piece])
    expect(notes, Invariant.DOOM_ROLLED, notes.doom_due[piece] == 0)
    expect(notes, Invariant.SMALL_HEXES, notes.passing[piece] == notes.passed[piece])
    if notes.now[UNSURE]:
        return
    place_fits = ship.q == notes.q[piece] and ship.r == notes.r[piece]
    expect(notes, notes.how[piece] if notes.how[piece] >= 0 else Invariant.MOVE_MADE.value, place_fits)
    expect(notes, Invariant.TURN_MADE, ship.facing == notes.facing[piece])
    met = Invariant.MARKERS_MEET if before.phase == Phase.DRIFT else Invariant.ROCKS_MET
    expect(notes, met, notes.met[piece] == notes.seen[piece])
    in_play = ship.status == Status.IN_PLAY
    expect(notes, Invariant.HULL_ACCOUNTED, ship.hull == notes.hull[piece] and in_play == (notes.alive[piece] != 0))
    close_doom(before, game, notes, ship, old, piece)
    if notes.drift_due[piece] and in_play:
        acting = piece == notes.now[ACTING]
        how = Invariant.DRIFT_ORDER if old.order == Order.DRIFT else Invariant.NO_HEX_IS_DRIFT
        expect(notes, how if acting else Invariant.END_DRIFT_OF_ALL, notes.doom[piece] == Doom.SPITE_STRIKE)


@jit
def close_doom(before, game, notes, ship, old, piece: int) -> None:
    """COR-18, COR-19. What a ship is after its doom roll."""
    expect(notes, Invariant.DOOM_TABLE, ship.sitting_duck == notes.duck[piece])
    waits = game.phase == Phase.SIDESLIP and game.actor * MAX_SHIPS + game.asked == piece
    acted = piece == notes.now[ACTING] or before.phase == Phase.END_DRIFT
    if acted and not waits and notes.doom[piece] == Doom.CORE_BREACH:
        expect(notes, Invariant.BREACH_AND_SPITE, ship.status == Status.DESTROYED)


@jit
def close_turn_state(before, game, notes, ship, old, piece: int) -> None:
    """Whether the counts of the turn are what they were, with what was added; a new turn begins without any."""
    if game.turn != before.turn:
        expect(notes, Invariant.CONTACTS_COUNTED, ship.contacts == 0)
        expect(notes, Invariant.ACTIVATED_ONCE, ship.activated == 0)
        expect(notes, Invariant.POWER_GIVEN, ship.power == 0 and ship.power_shown == 0)
        expect(notes, Invariant.ORDERS_GIVEN, ship.order == Order.NONE and ship.order_shown == 0)
        expect(notes, Invariant.DOOM_ROLLED, ship.doom == Doom.NONE)
        return
    expect(notes, Invariant.CONTACTS_COUNTED, ship.contacts == old.contacts + notes.seen[piece])
    expect(notes, Invariant.DOOM_ROLLED, ship.doom == notes.doom[piece])
    if before.phase != Phase.POWER:
        expect(notes, Invariant.POWER_GIVEN, ship.power == old.power and ship.power_shown == old.power_shown)


@jit
def close_acts(before, game, action: int, notes) -> None:
    """ORD-1, ORD-2, CARD-4. Whether the ship that acts, and no other, is activated and shows or discards its marker."""
    if game.turn != before.turn:
        return
    acting = notes.now[ACTING]
    targets = before.phase == Phase.CARD and game.phase == Phase.TARGET
    for piece in range(PIECES):
        if not is_there(game, piece):
            continue
        ship, old = ship_of(game, piece), ship_of(before, piece)
        acts = piece == acting and not targets
        expect(notes, Invariant.ACTIVATED_ONCE, ship.activated == (1 if acts else old.activated))
        if before.phase == Phase.ORDERS:
            continue
        moves = acts and choices.lets_move(before.card)
        kept = Order.NONE.value if acts and not moves else old.order
        expect(notes, Invariant.ORDERS_GIVEN, ship.order == kept)
        shown = 1 if moves else (0 if acts else old.order_shown)
        expect(notes, Invariant.ORDERS_HIDDEN, ship.order_shown == shown)
    if before.phase == Phase.CARD and acting >= 0 and game.phase != Phase.OVER:
        expect(notes, Invariant.ACTS_PER_CARD, game.card_acts == before.card_acts - 1)
    if acting >= 0 and not targets:
        close_acting(before, game, notes, acting)


@jit
def close_acting(before, game, notes, acting: int) -> None:
    """Whether a ship that was activated did what its card lets it do: fire, or move and turn."""
    ship, old = ship_of(game, acting), ship_of(before, acting)
    if choices.lets_move(before.card):
        turns = (old.order == Order.RIGHT or old.order == Order.LEFT) and notes.doom[acting] != Doom.SPITE_STRIKE
        turns = turns and notes.doom[acting] != Doom.SITTING_DUCK and notes.doom[acting] != Doom.ENGINE_STALL
        if ship.status == Status.IN_PLAY and not notes.now[UNSURE]:
            expect(notes, Invariant.TURN_MADE, (notes.turned[acting] != 0) == turns)
            waits = game.phase == Phase.SIDESLIP
            stays = notes.doom[acting] == Doom.SPITE_STRIKE or waits or notes.drift_due[acting] != 0
            expect(notes, Invariant.MOVE_MADE, notes.now[MOVED] != 0 or stays)
        return
    drifts = notes.doom[acting] == Doom.SITTING_DUCK
    if ship.status == Status.IN_PLAY:
        expect(notes, Invariant.VOLLEYS, drifts or notes.now[SALVO] != 0)
        expect(notes, Invariant.MOVE_MADE, drifts or notes.now[MOVED] == 0)
