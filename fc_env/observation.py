"""What the acting seat sees, as float32: the encoder and its layout.

The acting seat sees itself first and the board from its own end. An observation is a flat float32 row; the
structured views ``parts`` (head, own ships, their ships, markers) lie on the same memory. It holds all that
rules.md calls open (COR-1) and nothing it calls hidden, see ``encoding``.

With ``aids`` it goes on with what is made for learning, and derived from the rest: a longer row that begins with the
plain one. The near maps show the hexes around the ship in focus, turned so that it faces north, with the density it
would meet and the hits to expect from the drift; the prospects what its next move may bring, see ``near``. Where there
is an enemy they are followed by what fire would do, see ``targets``. ``odds`` and ``odds_fire`` are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fc_env import schema
from fc_env.encoding import encode, scratch_of
from fc_env.jit import jit, kernel_view
from fc_env.schema import (
    FIREPOWER_DTYPE,
    HEAD_DTYPE,
    MARKER_DTYPE,
    NEAR_DTYPE,
    NEAR_HEXES,
    PROSPECT_DTYPE,
    SALVO_DTYPE,
    SCRATCH,
    SHIP_DTYPE,
    TARGET_DTYPE,
    Slot,
)


class Parts(NamedTuple):
    """Structured views of a flat batch of observations (N, D)."""

    head: np.ndarray  # schema.HEAD_DTYPE (N, 1)
    own: np.ndarray  # schema.SHIP_DTYPE (N, own ships)
    theirs: np.ndarray  # schema.SHIP_DTYPE (N, their ships)
    markers: np.ndarray  # schema.MARKER_DTYPE (N, markers)
    # The aids, empty without them:
    near: np.ndarray  # schema.NEAR_DTYPE (N, 1)
    prospects: np.ndarray  # schema.PROSPECT_DTYPE (N, 1)
    # Empty also where there is no enemy:
    firepower: np.ndarray  # schema.FIREPOWER_DTYPE (N, own ships)
    targets: np.ndarray  # schema.TARGET_DTYPE (N, their ships)
    outgoing: np.ndarray  # schema.SALVO_DTYPE (N, their ships), from the ship in focus at each
    incoming: np.ndarray  # schema.SALVO_DTYPE (N, their ships), from each at the ship in focus


class Layout(NamedTuple):
    """How many of each an observation has room for, and if it has aids. One scenario, or the largest of several."""

    own: int
    theirs: int
    markers: int
    aids: bool = False

    @classmethod
    def of(cls, setups: np.ndarray, aids: bool = False) -> Layout:
        """The layout for games of these scenarios, SETUP (S,), plain or with aids.

        With two sides there is room for the larger one on either, so that one layout serves both seats.
        """
        games = np.atleast_1d(setups)["game"]
        own, theirs = games["n_ships"].max(axis=0).tolist()
        if theirs:
            own = theirs = max(own, theirs)
        return cls(own, theirs, int(games["n_markers"].max()), aids)

    def groups(self) -> list[tuple[str, tuple[Slot, ...]]]:
        """The rows of an observation in order: a name and its slots."""
        rows: list[tuple[str, tuple[Slot, ...]]] = [("game", schema.HEAD)]
        rows += [(f"own ship {index}", schema.SHIP) for index in range(self.own)]
        rows += [(f"their ship {index}", schema.SHIP) for index in range(self.theirs)]
        rows += [(f"marker {index}", schema.MARKER) for index in range(self.markers)]
        if not self.aids:
            return rows
        rows += [("near", schema.NEAR), ("prospects", schema.PROSPECTS)]
        if self.theirs:
            rows += [(f"firepower {index}", schema.FIREPOWER) for index in range(self.own)]
        for kind, slots in (("target", schema.TARGET), ("outgoing", schema.SALVO), ("incoming", schema.SALVO)):
            rows += [(f"{kind} {index}", slots) for index in range(self.theirs)]
        return rows

    def slots(self) -> Iterator[tuple[str, str, Slot]]:
        """Every float of an observation in order: group, full name, slot."""
        for group, slots in self.groups():
            for slot in slots:
                for place in range(slot.size):
                    label = slot.labels[place] if slot.labels else str(place)
                    yield group, f"{slot.name}[{label}]" if slot.size > 1 else slot.name, slot

    @property
    def counts(self) -> np.ndarray:
        """The three numbers as kernels take them, int64 (3,)."""
        return np.array(self[:3], np.int64)

    @property
    def size(self) -> int:
        """Number of floats."""
        return sum(slot.size for _, slots in self.groups() for slot in slots)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest value of each float, float32 (D,) each."""
        low = np.array([slot.low for _, _, slot in self.slots()], np.float32)
        high = np.array([slot.high for _, _, slot in self.slots()], np.float32)
        return low, high

    def parts(self, flat: np.ndarray) -> Parts:
        """Structured views of float32 (N, D), C-contiguous; they share its memory."""
        if flat.ndim != 2 or flat.dtype != np.float32 or flat.shape[1] != self.size:
            raise ValueError(f"observations of {flat.dtype} {flat.shape}: want float32 (N, {self.size})")
        views, start, fire = [], 0, self.theirs if self.aids else 0
        for dtype, count in (
            (HEAD_DTYPE, 1),
            (SHIP_DTYPE, self.own),
            (SHIP_DTYPE, self.theirs),
            (MARKER_DTYPE, self.markers),
            (NEAR_DTYPE, self.aids),
            (PROSPECT_DTYPE, self.aids),
            (FIREPOWER_DTYPE, self.own if fire else 0),
            (TARGET_DTYPE, fire),
            (SALVO_DTYPE, fire),
            (SALVO_DTYPE, fire),
        ):
            end = start + count * dtype.itemsize // schema.FLOAT
            views.append(flat[:, start:end].view(dtype) if count else np.zeros((len(flat), 0), dtype))
            start = end
        return Parts(*views)

    def digest(self) -> str:
        """Digest of all names, ranges and places (hex, 16 digits); what a trained model was made for."""
        import hashlib

        text = "\n".join(f"{group}/{name}/{slot.low}/{slot.high}/{slot.unit}" for group, name, slot in self.slots())
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def describe(layout: Layout) -> str:
    """A table of every slot: number, group, name, meaning, unit, range."""
    lines = [f"{'slot':>4}  {'group':<12} {'name':<28} {'range':<11} {'unit':<24} meaning"]
    for number, (group, name, slot) in enumerate(layout.slots()):
        bounds = f"{slot.low:g}..{slot.high:g}"
        lines.append(f"{number:>4}  {group:<12} {name:<28} {bounds:<11} {slot.unit:<24} {slot.meaning}")
    return "\n".join(lines)


@jit
def _encode_range(games, seats, counts, scratch, flat) -> None:
    for i in range(games.shape[0]):
        encode(games[i], seats[i], counts, scratch_of(0, 1, scratch), flat[i])


class Encoder:
    """Writes observations of one seat of each of N games into one buffer, again and again.

    ``chunks``: how many scratch records are in ``views``, one for each thread's part of the games.
    """

    def __init__(self, layout: Layout, n: int, chunks: int = 1) -> None:
        scratch = kernel_view(np.zeros(chunks, SCRATCH)) if layout.aids else None
        self.layout = layout
        self.flat = np.zeros((n, layout.size), np.float32)
        """float32 (N, D), overwritten by each call; copy what must last."""
        self.views = (layout.counts, scratch, kernel_view(self.flat))
        """The layout, scratch records (None without aids) and ``flat``, as kernels take them."""

    def __call__(self, games: np.ndarray, seats: np.ndarray | None = None) -> np.ndarray:
        """Encode games, GAME (N,), as ``seats`` see them, int64 (N,), by default those that act; returns ``flat``."""
        chosen = games["actor"].astype(np.int64) if seats is None else seats
        _encode_range(kernel_view(games), chosen, *self.views)
        return self.flat


def observe(games: np.ndarray, layout: Layout, seats: np.ndarray | None = None) -> np.ndarray:
    """What the acting seat of each game, or that of ``seats``, int64 (N,), sees: float32 (N, D), memory of its own."""
    return Encoder(layout, len(games))(games, seats)


__all__ = ["NEAR_HEXES", "Encoder", "Layout", "Parts", "describe", "observe"]
