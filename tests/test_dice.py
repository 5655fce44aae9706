"""The dice are fair, whichever way one walks through their labels, and seeds share nothing.

All seeds here are fixed, so these tests either always pass or always fail. The bar of each statistic is one that fair
dice pass with a chance of 99.99%.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from fc_env import dice, engine, scenarios, seeding
from fc_env.dice import Purpose
from fc_env.errors import SeedError
from fc_env.jit import COMPILED, jit, kernel_view
from fc_env.rules import cards
from fc_env.ruleset import LADDER
from fc_env.state import GAME
from fc_env.tape import new_tape

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered in scalar")

FACES = (2, *LADDER, 52, 53, 54, 55, 56, 100)
DIMENSIONS = ("seed", "turn", "purpose", "piece", "nth")
MANY = 20_000 if COMPILED else 1_500
MILLION = 1_000_000
Z = 3.72  # of the normal distribution's upper tail, 1 in 10,000
MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


@jit
def roll_many(seeds, turns, purposes, pieces, nths, faces: int, out) -> None:
    for i in range(out.shape[0]):
        out[i] = dice.uniform(seeds[i], turns[i], purposes[i], pieces[i], nths[i], faces)


@jit
def draw_many(games, tape, seeds, drawn) -> None:
    """Flip the first cards of one deck for each seed into a row."""
    game = games[0]
    for i in range(drawn.shape[0]):
        game.seed = seeds[i]
        game.flipped = np.uint64(0)
        for k in range(drawn.shape[1]):
            game.flips = k
            drawn[i, k] = cards.draw(game, tape)
            game.flipped |= np.uint64(1) << np.uint64(drawn[i, k])


def rolls_along(dimension: str, faces: int, n: int, seed: int = 1) -> np.ndarray:
    """``n`` rolls that differ in one part of the label as long as it lasts, then in the seed."""
    counts = np.arange(n)
    labels = {"turn": np.full(n, 3), "purpose": np.full(n, 1), "piece": np.full(n, 2), "nth": np.full(n, 0)}
    seeds = np.full(n, seed, np.uint64)
    if dimension == "seed":
        seeds += counts.astype(np.uint64)
    else:
        size = {"turn": 1000, "purpose": len(Purpose), "piece": 36, "nth": n}[dimension]
        labels[dimension] = counts % size
        seeds += (counts // size).astype(np.uint64)
    out = np.zeros(n, np.int64)
    roll_many(seeds, labels["turn"], labels["purpose"], labels["piece"], labels["nth"], faces, out)
    return out


def decks(n: int, depth: int, jokers: int = 2) -> np.ndarray:
    games = np.zeros(1, GAME)
    games["turn"], games["rules"]["jokers"] = 1, jokers
    drawn = np.zeros((n, depth), np.int64)
    draw_many(kernel_view(games), new_tape(), np.arange(n, dtype=np.uint64) + np.uint64(7), drawn)
    return drawn


def is_uniform(counts: np.ndarray) -> bool:
    """Pearson's chi-square against equal counts, its bar by Wilson and Hilferty's approximation, on both sides."""
    expected = counts.sum() / counts.size
    assert expected >= 5, "too few rolls for a chi-square test"
    freedom = counts.size - 1
    spread = 2 / (9 * freedom)
    high, low = (freedom * max(1 - spread + z * math.sqrt(spread), 0) ** 3 for z in (Z, -Z))
    return low <= ((counts - expected) ** 2 / expected).sum() <= high


def is_uncorrelated(one: np.ndarray, other: np.ndarray) -> bool:
    return abs(np.corrcoef(one, other)[0, 1]) < Z / math.sqrt(len(one))


def assert_fair(rolls: np.ndarray, faces: int) -> None:
    assert rolls.min() == 1 and rolls.max() == faces
    assert is_uniform(np.bincount(rolls, minlength=faces + 1)[1:])
    # Successive rolls: as pairs where there are rolls enough, and by their correlation at several distances.
    if len(rolls) // 2 >= 5 * faces * faces:
        pairs = rolls[0 : len(rolls) // 2 * 2].reshape(-1, 2) - 1
        assert is_uniform(np.bincount(pairs[:, 0] * faces + pairs[:, 1], minlength=faces * faces))
    for apart in (1, 2, 3, 36):
        assert is_uncorrelated(rolls[:-apart], rolls[apart:])


def test_the_statistic_notices_a_slightly_unfair_die() -> None:
    """A d6 made of a byte by remainder is unfair by 1 in 43, and one that never rolls 6 is worse."""
    bytes_ = np.random.default_rng(0).integers(0, 256, 400_000)
    assert is_uniform(np.bincount(bytes_[bytes_ < 252] % 6))
    assert not is_uniform(np.bincount(bytes_ % 6))
    assert not is_uniform(np.array([100, 100, 100, 100, 100, 0]))
    assert not is_uniform(np.full(20, 100)), "rolls that are too even are no rolls either"
    assert not is_uncorrelated(bytes_[:-1] + bytes_[1:], bytes_[1:])


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("faces", FACES)
def test_every_die_is_fair_along_every_part_of_its_label(faces: int, dimension: str) -> None:
    assert_fair(rolls_along(dimension, faces, MANY), faces)


@pytest.mark.slow
@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("faces", FACES)
def test_every_die_is_fair_over_a_million_rolls(faces: int, dimension: str) -> None:
    assert_fair(rolls_along(dimension, faces, MILLION, seed=10**15), faces)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_different_dice_of_one_label_do_not_move_together_with_another_label(dimension: str) -> None:
    """A d6 and the d20 of the next place, as contact and damage rolls are."""
    avoid, damage = rolls_along(dimension, 6, MANY), rolls_along(dimension, 20, MANY)
    assert is_uncorrelated(avoid[:-1], damage[1:])
    assert not is_uncorrelated(avoid, damage), "on one and the same label they are one number"


def test_no_two_parts_of_a_label_are_mixed_up() -> None:
    """Each part has bits of its own: turn up to 65535, purpose and piece up to 255, place up to 2**32 - 1."""
    labels = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 0, 2**16), (0, 0, 0, 2**32 - 1)]
    labels += [(0, 0, 255, 0), (0, 255, 0, 0), (65535, 0, 0, 0), (0, 0, 0, 0)]
    streams = {tuple(int(dice.uniform(np.uint64(seed), *label, 1_000_000)) for seed in range(4)) for label in labels}
    assert len(streams) == len(labels)
    assert max(Purpose) <= 255


def unmix(x: int) -> int:
    """The inverse of dice.mix_plain, in exact integers."""

    def unshift(value: int, by: int) -> int:
        result = value
        for _ in range(64 // by + 1):
            result = value ^ (result >> by)
        return result

    x = unshift(x, 31)
    x = unshift(x * pow(0x94D049BB133111EB, -1, 2**64) & MASK, 27)
    x = unshift(x * pow(0xBF58476D1CE4E5B9, -1, 2**64) & MASK, 30)
    return x


def seed_for(bits: int) -> int:
    """The seed whose first 32 bits of chance, for the label of turn 0, purpose 0, piece 0, place 0, are given."""
    state = unmix((bits << 32) | 0x12345678)
    state = unmix((state - GOLDEN) & MASK)
    return (unmix(state) - GOLDEN) & MASK


def later_bits(bits: int) -> list[int]:
    """The 32 bits that follow when the first are rejected."""
    state, found = (bits << 32) | 0x12345678, []
    for _ in range(4):
        with np.errstate(over="ignore"):
            state = int(dice.mix_plain(np.uint64((state + GOLDEN) & MASK)))
        found.append(state >> 32)
    return found


def test_mixing_loses_nothing() -> None:
    for x in (0, 1, 2**32, 2**63, MASK, GOLDEN):
        with np.errstate(over="ignore"):
            assert unmix(int(dice.mix_plain(np.uint64(x)))) == x


@pytest.mark.parametrize("faces", FACES)
def test_rejection_leaves_every_face_exactly_as_many_of_the_2_32_chances(faces: int) -> None:
    """For each face, seeds are made whose 32 bits lie at the ends of what belongs to the face.

    Bits ``x`` belong to face ``x * faces // 2**32 + 1``. In a face's range the remainders grow by ``faces`` from less
    than ``faces``, so only its first ``x`` can be rejected; it must be exactly where the range is one too long.
    """
    whole = 2**32
    for face in range(1, faces + 1):
        first, end = -(-(face - 1) * whole // faces), -(-face * whole // faces)
        rejected = end - first - whole // faces
        assert rejected in (0, 1)
        for x in {first, first + 1, (first + end) // 2, end - 1}:
            accepted = [x, *later_bits(x)] if x >= first + rejected else later_bits(x)
            value = accepted[0] * faces // whole + 1
            assert accepted[0] * faces % whole >= whole % faces, "twice rejected: choose other low bits"
            assert dice.uniform(np.uint64(seed_for(x)), 0, 0, 0, 0, faces) == value


@pytest.mark.parametrize("faces", LADDER)
@pytest.mark.parametrize("steps", range(-6, 7))
def test_the_ladder_stops_at_its_ends(faces: int, steps: int) -> None:
    place = min(max(LADDER.index(faces) + steps, 0), len(LADDER) - 1)
    assert dice.stepped(faces, steps) == LADDER[place]


def test_card_2_the_first_card_is_any_card_as_likely() -> None:
    """CARD-2"""
    first = decks(MANY, 1)[:, 0]
    assert is_uniform(np.bincount(first, minlength=54))


@pytest.mark.parametrize("jokers", range(5))
def test_card_2_a_deck_holds_every_card_once(jokers: int) -> None:
    """CARD-2"""
    whole = decks(100, 52 + jokers, jokers)
    assert (np.sort(whole, axis=1) == np.arange(52 + jokers)).all()


def test_card_2_every_place_in_the_deck_is_any_card_as_likely() -> None:
    """CARD-2: the place of the first joker and of an ace, and the card in the tenth place."""
    whole = decks(MANY // 5, 54)
    for card in (52, 12):
        assert is_uniform(np.bincount(np.argmax(whole == card, axis=1), minlength=54))
    assert is_uniform(np.bincount(whole[:, 9], minlength=54))
    assert is_uncorrelated(whole[:, 0] // 13, whole[:, 2] % 13)


def fair_pairs(drawn: np.ndarray) -> bool:
    """Whether successive cards are any two different ones, each pair as likely."""
    one, other = drawn[:, 0], drawn[:, 1]
    assert (one != other).all()
    return is_uniform(np.bincount(one * 53 + other - (other > one), minlength=54 * 53))


@pytest.mark.skipif(not COMPILED, reason="too slow uncompiled")
def test_card_2_successive_cards_are_any_pair_as_likely() -> None:
    """CARD-2"""
    assert fair_pairs(decks(40_000, 2))


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="too slow uncompiled")
def test_card_2_successive_cards_are_any_pair_as_likely_over_a_million_decks() -> None:
    """CARD-2"""
    drawn = decks(MILLION, 10)
    assert fair_pairs(drawn[:, :2]) and fair_pairs(drawn[:, 8:])
    assert is_uniform(np.bincount(drawn[:, 0], minlength=54))


def test_neighbouring_seeds_and_places_share_no_stream() -> None:
    """Seeds 0..99 times 64 games of a batch are 6,400 games of their own, and so are the games after each."""
    bases = np.concatenate([seeding.batch_seeds(seed, 64) for seed in range(100)])
    games = [seeding.game_seeds(bases, episode) for episode in range(3)] + [seeding.game_seeds(range(100))]
    every = np.concatenate(games)
    assert len(set(bases.tolist())) == 6_400 and len(set(every.tolist())) == 3 * 6_400 + 100
    # Streams and not just seeds: twelve d20 tell apart 20**12 of them, also when one starts some rolls later.
    rolls = np.zeros((6_400, 16), np.int64)
    for nth in range(16 if COMPILED else 0):
        label = np.full(6_400, nth)
        roll_many(games[0], label * 0 + 1, label * 0, label * 0, label, 20, rolls[:, nth])
    if COMPILED:
        windows = {tuple(row[start : start + 12]) for row in rolls.tolist() for start in range(5)}
        assert len(windows) == 5 * 6_400


def test_a_batch_is_seeded_alike_whatever_its_size() -> None:
    assert (seeding.batch_seeds(5, 64)[:7] == seeding.batch_seeds(5, 7)).all()


def test_training_and_test_games_are_disjoint() -> None:
    """The space is the top bit, so no seed and no episode of one is in the other."""
    seeds = [0, 1, 2, 2**31, 2**32, 2**63 - 1, *range(10, 500)]
    for episode in range(5):
        train, test = (seeding.game_seeds(seeds, episode, space) for space in ("train", "test"))
        assert (train < 2**63).all() and (test >= 2**63).all()
    with pytest.raises(SeedError, match="want one of train, test"):
        seeding.game_seeds([1], 0, "exam")


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**32, 2**63 - 1, np.int64(5), np.uint32(5)])
def test_every_seed_in_range_is_taken_as_itself(seed: int) -> None:
    assert seeding.check_seed(seed) == int(seed)
    others = [other for other in (0, 1, 5, 2**31, 2**32, 2**63 - 1) if other != seed]
    assert int(seeding.game_seeds([seed])[0]) not in seeding.game_seeds(others).tolist()


def test_episodes_are_one_for_all_or_one_for_each() -> None:
    one, other = seeding.game_seeds([5, 5], [0, 1]).tolist()
    assert [one, other] == [*seeding.game_seeds([5], 0), *seeding.game_seeds([5], 1)]
    with pytest.raises(ValueError, match="broadcast"):
        seeding.game_seeds([5, 6], [0, 1, 2])


@pytest.mark.parametrize("seed", [-1, 2**63, 2**64, 1.5, 5.0, "5", True, False, np.True_, None, np.float64(3), [3]])
def test_bad_seeds_are_refused(seed: object) -> None:
    """By every way in, with the value and what would be right."""
    tiny = scenarios.load("tiny")
    for way_in in (
        lambda: seeding.check_seed(seed),
        lambda: seeding.game_seeds([0, seed]),
        lambda: seeding.batch_seeds(seed, 4),  # type: ignore[arg-type]
        lambda: engine.new(tiny, [seed]),  # type: ignore[list-item]
    ):
        with pytest.raises(SeedError, match=r"want an integer from 0 to 2\*\*63 - 1"):
            way_in()


def test_a_fresh_seed_is_a_seed() -> None:
    fresh = {seeding.fresh_seed() for _ in range(20)}
    assert len(fresh) == 20 and all(seeding.check_seed(seed) == seed for seed in fresh)
