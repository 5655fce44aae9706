"""What may be chosen, and what a choice does, worked out anew (sections 3, 5 and 10)."""

from __future__ import annotations

from fc_env.actions import ACT, MANOEUVRE, N_ACTIONS, ORDER, PASS, POWER, SLIP, TARGET
from fc_env.jit import jit
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.notes import expect, was_flipped
from fc_env.lab.fuzzing.salvos import LASERS, PHASERS, TORPEDO, reaches
from fc_env.ruleset import Aces
from fc_env.state import MAX_SHIPS, SEATS, Flaw, Order, Phase, Status

SUITED = 52


@jit
def rank(card: int) -> int:
    """CARD-2. 2 to 14 of a card 0..51, clubs, spades, hearts, diamonds; 15 of a joker."""
    return card % 13 + 2 if card < SUITED else 15


@jit
def lets_move(card: int) -> bool:
    """CARD-3. Clubs and spades."""
    return card < 26


@jit
def bears_on_some(game, seat: int, ship, alpha: bool) -> bool:
    """COR-5. Whether a weapon of a ship, for an Alpha Strike a phaser, bears on an enemy."""
    for index in range(game.n_ships[1 - seat]):
        target = game.ships[1 - seat, index]
        if target.status != Status.IN_PLAY:
            continue
        if reaches(game, ship, ship.jammed, PHASERS, target):
            return True
        if not alpha and (
            reaches(game, ship, ship.jammed, TORPEDO, target) or reaches(game, ship, ship.jammed, LASERS, target)
        ):
            return True
    return False


@jit
def rank_allows(game, ship, manoeuvre: bool) -> bool:
    """CARD-4 to CARD-6, COR-4. Whether the rank of the open card lets a ship act so."""
    shown = rank(game.card)
    if shown == 14:
        if game.rules.aces == Aces.NONE:
            return False
        return ship.flagship != 0 or (game.rules.aces == Aces.ALL and not manoeuvre)
    if ship.flagship:
        return True
    if manoeuvre:
        return shown > 10 and (ship.captain >> shown) % 2 == 1
    return shown <= 10 and (ship.crew >> shown) % 2 == 1


@jit
def may(game, seat: int, index: int, manoeuvre: bool) -> bool:
    """Whether a ship can be activated so on the open card."""
    ship = game.ships[seat, index]
    if index >= game.n_ships[seat] or ship.status != Status.IN_PLAY or ship.activated:
        return False
    return rank_allows(game, ship, manoeuvre) and (lets_move(game.card) or bears_on_some(game, seat, ship, manoeuvre))


@jit
def may_any(game, seat: int) -> bool:
    """CARD-8. Whether a side could activate a ship on the open card."""
    for index in range(game.n_ships[seat]):
        if may(game, seat, index, False) or may(game, seat, index, True):
            return True
    return False


@jit
def should_be_offered(game, action: int) -> bool:
    """COR-2. Whether an action is a choice of the player who is asked."""
    if game.phase == Phase.POWER:
        return POWER <= action < ORDER
    if game.phase == Phase.ORDERS:
        return ORDER <= action < SLIP
    if game.phase == Phase.SIDESLIP:
        ship = game.ships[game.actor, game.asked]
        slip = action - SLIP
        return SLIP <= action < ACT and (ship.flaw != Flaw.ENGINE_IMBALANCE or slip == ship.flaw_side)
    if game.phase == Phase.TARGET:
        index = action - TARGET
        if index < 0 or index >= game.n_ships[1 - game.actor]:
            return False
        target = game.ships[1 - game.actor, index]
        ship = game.ships[game.actor, game.asked]
        return target.status == Status.IN_PLAY and reaches(game, ship, ship.jammed, PHASERS, target)
    if action == PASS:
        return True
    if ACT <= action < MANOEUVRE:
        return may(game, game.actor, action - ACT, False)
    return MANOEUVRE <= action < TARGET and may(game, game.actor, action - MANOEUVRE, True)


@jit
def of_offer(game, action: int) -> int:
    """The invariant that an action's being offered or not is a matter of."""
    of_cards = ACT <= action < TARGET
    if game.phase == Phase.SIDESLIP and SLIP <= action < ACT:
        return Invariant.SLIPS_OFFERED
    if game.phase == Phase.TARGET and action >= TARGET:
        return Invariant.STRIKE_TARGETS
    if game.phase != Phase.CARD or not of_cards:
        return Invariant.OFFERED_BY_PHASE
    ship = game.ships[game.actor, (action - ACT) % MAX_SHIPS]
    if (action - ACT) % MAX_SHIPS >= game.n_ships[game.actor] or ship.status != Status.IN_PLAY:
        return Invariant.OFFERED_BY_PHASE
    if ship.activated:
        return Invariant.ACTIVATED_ONCE
    if rank(game.card) == 14:
        return Invariant.ACES
    manoeuvre = action >= MANOEUVRE
    if not lets_move(game.card) and rank_allows(game, ship, manoeuvre):
        return Invariant.FIRE_BEARS
    return Invariant.CAPTAIN_MANOEUVRES if manoeuvre else Invariant.CREW_ACTS


@jit
def check_offer(game, mask, notes) -> None:
    """The mask of a game whose player is asked, bool (N_ACTIONS,)."""
    for action in range(N_ACTIONS):
        expect(notes, of_offer(game, action), mask[action] == should_be_offered(game, action))
    if game.phase == Phase.CARD:
        expect(notes, Invariant.ASKED_HAS_CHOICE, may_any(game, game.actor))
        expect(notes, Invariant.FIRST_SIDE_FIRST, game.to_answer == SEATS or game.actor != game.first)
        passed_over = game.to_answer == 1 and game.actor == game.first
        expect(notes, Invariant.FIRST_SIDE_FIRST, not passed_over)
        most = game.rules.activations_per_card
        expect(notes, Invariant.ACTS_PER_CARD, game.card_acts > 0 and game.card_acts <= most)
    check_asked(game, notes)


@jit
def check_asked(game, notes) -> None:
    """COR-1. Power and orders are asked of the first ship that has none, seat 0 before seat 1."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            wants = game.phase == Phase.POWER and ship.flagship and ship.power == 0
            wants = wants or (game.phase == Phase.ORDERS and ship.order == Order.NONE)
            if wants and ship.status == Status.IN_PLAY:
                expect(notes, Invariant.ASKED_IN_ORDER, game.actor == seat and game.asked == index)
                return


# ---- what a phase of the cards does


@jit
def could_act(game, ship) -> bool:
    """COR-6. Whether some card of this turn might let a ship act."""
    if ship.status != Status.IN_PLAY or ship.activated:
        return False
    return ship.flagship != 0 or ship.crew != 0 or ship.captain != 0 or game.rules.aces == Aces.ALL


@jit
def anyone_could_act(game) -> bool:
    """The same of all ships."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            if could_act(game, game.ships[seat, index]):
                return True
    return False


@jit
def check_flip(before, game, notes, rolled: int) -> None:
    """CARD-2, CARD-7, COR-6. After a flip; ``rolled`` is the card that fell, 1..56, or 0 if none did."""
    deck = SUITED + before.rules.jokers
    over = before.flips >= deck or not anyone_could_act(before)
    expect(notes, Invariant.CARDS_END_IN_TIME, over == (rolled == 0))
    if rolled == 0:
        expect(notes, Invariant.PHASES_IN_ORDER, game.phase == Phase.END_DRIFT)
        return
    card = rolled - 1
    new = card < deck and not was_flipped(before, card) and was_flipped(game, card)
    expect(notes, Invariant.CARD_IS_NEW, new and game.flips == before.flips + 1)
    joker = rank(card) == 15
    expect(notes, Invariant.JOKER_ENDS_CARDS, joker == (game.phase == Phase.END_DRIFT))
    if game.phase == Phase.CARD:
        expect(notes, Invariant.CARD_IS_NEW, game.card == card)
        expect(notes, Invariant.FIRST_SIDE_FIRST, game.actor == game.first and game.to_answer == SEATS)
        expect(notes, Invariant.ACTS_PER_CARD, game.card_acts == game.rules.activations_per_card)


@jit
def check_not_asked(before, game, notes) -> None:
    """CARD-8. After the part of a card's phase that asks nobody (any more): no choice was kept from a side."""
    if before.phase != Phase.CARD or game.phase != Phase.FLIP:
        return
    seat, acts, left = before.actor, before.card_acts, before.to_answer
    while left > 0:
        expect(notes, Invariant.ASKED_HAS_CHOICE, acts == 0 or not may_any(before, seat))
        seat, left, acts = 1 - seat, left - 1, before.rules.activations_per_card


@jit
def asks_at_once(phase: int) -> bool:
    """Whether a phase does nothing but ask."""
    return phase == Phase.TARGET or phase == Phase.SIDESLIP


@jit
def follows(phase: int, after: int) -> bool:
    """TURN-1 to TURN-7. Whether one phase may come after another, or after a decision in it."""
    if after == phase:
        return phase == Phase.POWER or phase == Phase.ORDERS or phase == Phase.CARD or asks_at_once(phase)
    if phase == Phase.POWER:
        return after == Phase.ORDERS
    if phase == Phase.ORDERS:
        return after == Phase.DRIFT
    if phase == Phase.DRIFT:
        return after == Phase.INITIATIVE
    if phase == Phase.INITIATIVE:
        return after == Phase.FLIP
    if phase == Phase.FLIP:
        return after == Phase.CARD or after == Phase.END_DRIFT
    if phase == Phase.CARD:
        return after == Phase.FLIP or after == Phase.TARGET or after == Phase.SIDESLIP or after == Phase.OVER
    if phase == Phase.TARGET or phase == Phase.SIDESLIP:
        return after == Phase.CARD or after == Phase.OVER
    if phase == Phase.END_DRIFT:
        return after == Phase.VICTORY or after == Phase.OVER
    return phase == Phase.VICTORY and (after == Phase.POWER or after == Phase.OVER)
