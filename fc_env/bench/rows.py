"""The rows of the benchmark: the goals, comparisons with others, how it scales, and what costs what."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from fc_env import engine, scenarios, seeding
from fc_env.bench import peers, startup, training
from fc_env.bench.goals import Effort, Found, Goal, rates, ratios
from fc_env.bench.playing import Player, batch_player, single_player
from fc_env.observation import Encoder, Layout
from fc_env.opponents import any_legal_range
from fc_env.reward import RewardConfig, Rewarder
from fc_env.state import Phase

BATCH = 1024
PER_SECOND = "decisions/s"


def _batch(scenario: str, field: str, n: int, aids: bool, effort: Effort) -> Found:
    return rates(batch_player(scenario, field, n, aids=aids), effort)


def _single(scenario: str, field: str, effort: Effort) -> Found:
    return rates(single_player(scenario, field), effort)


def _threads(n: int, effort: Effort) -> Found:
    return ratios(batch_player("battle", "standard", n, 2), batch_player("battle", "standard", n), effort)


def _against(peer: Callable[[], Player], effort: Effort) -> Found:
    theirs = peer()
    return ratios(batch_player("battle", "standard", BATCH), theirs, effort)


def _clones(effort: Effort) -> Found:
    games = engine.new(scenarios.load("battle", "standard"), range(BATCH))
    rows = np.random.default_rng(0).permutation(BATCH)
    copies = engine.clone(games)
    values = []
    for _ in range(effort.rounds):
        made, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < effort.seconds:
            engine.clone(games, rows=rows, out=copies)
            made += BATCH
        values.append(made / spent)
    return Found(values)


def _rate(
    name: str, what: str, scenario: str, field: str, n: int, floor: float | None = None, aim: float | None = None
) -> Goal:
    """A row of decisions per second of one thread."""
    what = f"{what}, a batch of {n:,}, one thread"
    return Goal(name, what, PER_SECOND, partial(_batch, scenario, field, n, False), floor, aim)


def _aided(scenario: str, field: str) -> Goal:
    """The same of observations with aids."""
    what = f"{scenario}, {field} field, a batch of {BATCH:,}, one thread, observations with aids"
    return Goal(f"{scenario}-aids", what, PER_SECOND, partial(_batch, scenario, field, BATCH, True), slow=True)


def _speedup(name: str, n: int, floor: float | None = None, aim: float | None = None) -> Goal:
    """A row of two threads against one."""
    return Goal(name, f"battle, a batch of {n:,}, two threads against one", "times", partial(_threads, n), floor, aim)


def _peer(
    name: str, whose: str, peer: Callable[[], Player], floor: float | None = None, aim: float | None = None
) -> Goal:
    """A row against another environment."""
    return Goal(name, f"battle, a batch of 1,024, against {whose}", "times", partial(_against, peer), floor, aim)


PLAYED = (("battle", "standard"), ("duel", "standard"), ("crossing", "dense"))

GOALS = (
    _rate("battle", "battle, standard field", "battle", "standard", BATCH, 700_000, 1_000_000),
    _rate("duel", "duel, standard field", "duel", "standard", BATCH, 1_000_000, 1_500_000),
    _rate("crossing", "crossing, dense field", "crossing", "dense", BATCH, 1_000_000, 1_500_000),
    *(_aided(scenario, field) for scenario, field in PLAYED),
    _speedup("threads-1024", 1024, 1.6, 1.9),
    _speedup("threads-4096", 4096, 1.6, 1.9),
    Goal("single", "duel against easy, plain gymnasium.make, one game; the learner's decisions", PER_SECOND,
         partial(_single, "duel", "standard"), 100_000, 200_000),
    Goal("clone", "copies of battles, 1,024 at a time", "clones/s", _clones, 1_000_000, 3_000_000),
    Goal("ppo-share", "the environment's share of the time of MaskablePPO, 256 crossings, one thread", "%",
         partial(training.share, False), 5, 3, lower=True),
    Goal("ppo-steps", "MaskablePPO, 256 crossings, the learner on two threads, nets of 64x64", "steps/s",
         partial(training.steps, False), 15_000, 25_000),
    Goal("ppo-share-aids", "the same share with aids", "%", partial(training.share, True), lower=True, slow=True),
    Goal("ppo-steps-aids", "the same steps with aids", "steps/s", partial(training.steps, True), slow=True),
    Goal("import-warm", "a new process to the first step of a duel, compiled before", "s",
         startup.warm_start, 1.5, 1.0, lower=True),
    Goal("import-cold", "the same with nothing compiled before", "s",
         startup.cold_start, 40, 20, lower=True, slow=True),
    Goal("memory", "10,000 battles with observations and masks", "MB", startup.memory, 100, 40, lower=True),
    Goal("events-off", "battle, time that events take when nobody records", "%",
         startup.cost_of_events, lower=True, slow=True),
)  # fmt: skip
"""What the project has set itself, ``python -m fc_env.bench``."""

PEERS = (
    _peer("envpool", "EnvPool's Backgammon-v1", peers.envpool_backgammon, 7, 12),
    _peer("cartpole", "Gymnasium's CartPole-v1, a SyncVectorEnv of 64", peers.cart_pole, 8, 15),
    _peer("connect-four", "PettingZoo's Connect Four", peers.connect_four),
    _peer("open-spiel", "OpenSpiel's Backgammon", peers.open_spiel_backgammon),
)
"""Others on the same machine in the same run, ``--peers``."""

SIZES = (1, 16, 64, 256, 1024, 4096, 16384)
SHIPS = ((1, "duel"), (3, "skirmish"), (5, "battle"))
MARKERS = ((0, "open"), (6, "standard"), (18, "dense"), (36, "improbable"))
THREAD_SIZES = (128, 256, 512, 1024, 2048, 4096, 16384)

SCALING = (
    *(_rate(f"batch-{n}", "battle, standard field", "battle", "standard", n) for n in SIZES),
    *(_rate(f"ships-{2 * n}", f"{name}, {n} against {n} ships", name, "standard", BATCH) for n, name in SHIPS),
    *(_rate(f"markers-{n}", f"crossing, {n} markers", "crossing", field, BATCH) for n, field in MARKERS),
    *(_speedup(f"two-threads-{n}", n) for n in THREAD_SIZES),
)
"""How the speed changes with one thing at a time, ``--scaling``."""


# ---- what costs what


@cache
def _parts(effort: Effort) -> dict[str, list[float]]:
    """Nanoseconds per decision of each part of a step of 1,024 battles, in some rounds; the parts run one by one."""
    setups = scenarios.load("battle", "standard")
    games = engine.new(setups, range(BATCH))
    plain, aided = (Encoder(Layout.of(setups, aids), BATCH) for aids in (False, True))
    rewarder = Rewarder(RewardConfig(), BATCH)
    rng, actions = np.random.default_rng(0), np.zeros(BATCH, np.int64)
    masks, results = engine.legal_mask(games), np.zeros(BATCH)

    def restart() -> None:
        ended = np.flatnonzero(games["phase"] == Phase.OVER)
        if len(ended):
            raw = seeding.game_seeds(rng.integers(0, 2**62, len(ended)))
            engine.new_into(games, setups, raw, slots=ended)

    parts: dict[str, Callable[[], object]] = {
        "choosing": lambda: any_legal_range(masks, rng.random(BATCH), actions),
        "rules": lambda: engine.step(games, actions),
        "restart": restart,
        "mask": lambda: engine.legal_mask(games, masks),
        "observation": lambda: plain(games),
        "aided-observation": lambda: aided(games),
        "reward": lambda: rewarder.step(games, results),
    }
    found: dict[str, list[float]] = {name: [] for name in parts}
    for index in range(effort.rounds + 1):
        spent, steps, start = dict.fromkeys(parts, 0.0), 0, time.perf_counter()
        while time.perf_counter() - start < effort.seconds:
            for name, part in parts.items():
                before = time.perf_counter()
                part()
                spent[name] += time.perf_counter() - before
            steps += 1
        for name in parts if index else ():  # the first round warms up
            found[name].append(1e9 * spent[name] / (steps * BATCH))
    return found


def _part(name: str, effort: Effort) -> Found:
    found = _parts(effort)
    whole = sum(float(np.median(values)) for part, values in found.items() if part != "aided-observation")
    return Found(found[name], {"percent_of_all": round(100 * float(np.median(found[name])) / whole, 1)})


PARTS = tuple(
    Goal(f"part-{name}", f"battle, a batch of 1,024: {what}", "ns", partial(_part, name))
    for name, what in (
        ("rules", "carrying out the actions, dice included"),
        ("observation", "writing what the acting seat sees"),
        ("aided-observation", "the same with aids, in its place"),
        ("mask", "which actions are legal"),
        ("restart", "the next game where one ended"),
        ("reward", "rewards by name"),
        ("choosing", "the random player itself"),
    )
)
"""What costs what, per decision, ``--parts``."""

ALL = (*GOALS, *PEERS, *SCALING, *PARTS)


def group(row: Goal) -> str:
    """Where a row belongs: "goals", "peers", "parts", or what it scales with."""
    for name, rows in (("goals", GOALS), ("peers", PEERS), ("parts", PARTS)):
        if row in rows:
            return name
    return {"two-threads": "threads"}.get(name := row.name.rpartition("-")[0], name)


def groups() -> dict[str, set[str]]:
    """The names of the rows of each group."""
    found: dict[str, set[str]] = {}
    for row in ALL:
        found.setdefault(group(row), set()).add(row.name)
    return found
