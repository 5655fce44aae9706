"""What of an observation a trained model is shown, and whether that is the same here."""

from __future__ import annotations

import hashlib
import json

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from fc_env import schema
from fc_env.observation import Layout

KINDS = {
    "game": schema.HEAD,
    "ship": schema.SHIP,
    "marker": schema.MARKER,
    "near": schema.NEAR,
    "prospects": schema.PROSPECTS,
    "firepower": schema.FIREPOWER,
    "target": schema.TARGET,
    "outgoing": schema.SALVO,
    "incoming": schema.SALVO,
}
"""The kinds of rows of an observation, with their slots."""
OF_BATTLES = ("firepower", "target", "outgoing", "incoming")
"""Those that there are only where there is an enemy."""
AIDS = ("near", "prospects", *OF_BATTLES)
"""Those that there are only with aids."""


class ObservationCard(BaseModel):
    """What of an observation a model was made to see: without the kinds and slots that were left out."""

    model_config = ConfigDict(strict=True, extra="forbid")

    size: int = Field(ge=1, le=1_000_000)
    digest: str
    left_out: list[str] = []
    own: int = Field(ge=0, le=1000)
    theirs: int = Field(ge=0, le=1000)
    markers: int = Field(ge=0, le=1000)
    slots: dict[str, list[str]]

    @property
    def aids(self) -> bool:
        """Whether it sees aids."""
        return not self.slots.keys().isdisjoint(AIDS)


def kind_of(group: str) -> str:
    """The kind of a group of slots: ``"own ship 0"`` is a ship."""
    return next(kind for kind in KINDS if kind in group.split())


def columns(layout: Layout, left_out: list[str]) -> np.ndarray:
    """Places of the floats that are seen, int64 (K,), if the kinds and slots named in ``left_out`` are not."""
    seen = [not {kind_of(group), slot.name} & set(left_out) for group, _, slot in layout.slots()]
    return np.flatnonzero(seen)


def observation_card(layout: Layout, left_out: list[str] | None = None) -> ObservationCard:
    """What a card says of a layout: its counts, and each seen slot's name, size, range and unit."""
    unseen = left_out or []
    slots = {
        kind: [f"{s.name} x{s.size} {s.low:g}..{s.high:g} {s.unit}" for s in table if s.name not in unseen]
        for kind, table in KINDS.items()
        if kind not in unseen and (layout.theirs or kind not in OF_BATTLES) and (layout.aids or kind not in AIDS)
    }
    names = list(layout.slots())
    seen = columns(layout, unseen)
    text = "\n".join(f"{names[place][0]}/{names[place][1]}" for place in seen) + json.dumps(slots)
    return ObservationCard(
        size=len(seen),
        digest=hashlib.blake2b(text.encode(), digest_size=8).hexdigest(),
        left_out=sorted(unseen),
        own=0 if "ship" in unseen else layout.own,
        theirs=0 if "ship" in unseen else layout.theirs,
        markers=0 if "marker" in unseen else layout.markers,
        slots=slots,
    )


def difference(made_for: ObservationCard, here: ObservationCard) -> str:
    """In words, what differs between the observation a model was made for and the one here; empty if nothing."""
    if made_for.digest == here.digest and made_for.size == here.size:
        return ""
    for name, what in (("own", "own ships"), ("theirs", "ships of the other side"), ("markers", "markers")):
        theirs, ours = getattr(made_for, name), getattr(here, name)
        if theirs != ours:
            return f"it was made for {theirs} {what}, here there are {ours}"
    for kind in sorted(set(made_for.slots) | set(here.slots)):
        theirs, ours = made_for.slots.get(kind, []), here.slots.get(kind, [])
        for place in range(max(len(theirs), len(ours))):
            old = theirs[place] if place < len(theirs) else "nothing"
            new = ours[place] if place < len(ours) else "nothing"
            if old != new:
                return f"slot {place} of {kind} was {old!r} for it, here it is {new!r}"
    return f"its observation has digest {made_for.digest}, here it is {here.digest}"
