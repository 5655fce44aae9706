"""What a training run is told: one flat file, every value of which can be set on the command line too."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NoReturn, get_origin

from pydantic import BaseModel, ConfigDict, Field

from agents.seen import KINDS
from fc_env import scenarios
from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.reward import POTENTIALS
from fc_env.seeding import MAX_SEED
from fc_env.strict_yaml import Document, Where, did_you_mean, parse_value, read, spell, validate

DEFAULT = "configs/train/crossing.yaml"
_ROOTS = Path(__file__).resolve().parents[1:3]
"""Folders that may hold ``configs``: this package once installed, and the checkout."""

Width = Annotated[int, Field(ge=1, le=4096)]
Weight = Annotated[float, Field(ge=0, le=1e6)]
Share = Annotated[float, Field(ge=0, le=1)]


class TrainConfig(BaseModel):
    """The fields of a training file; each one's description is its help on the command line."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: str = Field("crossing", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", description="name of the run's folder")
    run_folder: str | None = Field(None, description="the run's folder; null: runs/NAME-TIME")
    scenario: str = Field("crossing", description="scenario, a name or a path")
    fields: list[str] = Field(["dense"], min_length=1, max_length=64, description="fields to train in")
    curriculum: Literal["even", "ladder"] = Field("even", description="fields mixed evenly, or one after the other")
    curriculum_rate: Share = Field(0.7, description="success rate at which a ladder adds its next field or opponent")
    opponents: dict[str, Weight] = Field(
        {}, max_length=64, description="weights of the agents on the other side; {} where there is none"
    )
    opponent_curriculum: Literal["weights", "ladder", "league"] = Field(
        "weights",
        description="opponents drawn by their weights, one after the other, or with past selves and the hard ones more",
    )
    snapshot_every: int = Field(10, ge=1, le=10**6, description="in a league, rollouts between past selves")
    pool_size: int = Field(8, ge=1, le=1000, description="in a league, past selves that play at a time")
    anchor_share: Share = Field(0.5, description="in a league, share of the games that is against the opponents named")
    pfsp_power: float = Field(
        1.0, ge=0, le=100, description="in a league, an opponent's chance goes by (1 - win rate) to this power"
    )
    seat: Literal[0, 1, "random"] = Field(0, description="the learner's seat in battles; random: drawn for each game")
    seed: int = Field(0, ge=0, le=MAX_SEED, description="seed of the run")
    threads: int = Field(2, ge=1, le=256, description="threads of the networks; another number gives other rounding")

    total_steps: int = Field(1_000_000, ge=1, le=10**12, description="decisions to train on, rounded up to rollouts")
    n_envs: int = Field(256, ge=1, le=65536, description="games side by side")
    n_steps: int = Field(128, ge=2, le=65536, description="decisions of each game in a rollout")
    batch_size: int = Field(4096, ge=2, le=10**7, description="decisions in a minibatch")
    n_epochs: int = Field(4, ge=1, le=100, description="passes over a rollout")
    learning_rate: float = Field(1e-3, gt=0, le=1, description="step size of the optimiser at the start")
    learning_rate_end: float = Field(0.0, ge=0, le=1, description="the same at the end; linear in between")
    gamma: float = Field(0.999, ge=0, le=1, description="discount of a decision; also of the shaping")
    gae_lambda: float = Field(0.95, ge=0, le=1, description="lambda of the advantage estimate")
    clip_range: float = Field(0.2, gt=0, le=10, description="clipping of the policy's change")
    ent_coef: float = Field(0.01, ge=0, le=10, description="weight of the entropy at the start")
    ent_coef_end: float = Field(0.001, ge=0, le=10, description="the same at the end; linear in between")
    vf_coef: float = Field(0.5, ge=0, le=100, description="weight of the value loss")
    max_grad_norm: float = Field(0.5, gt=0, le=1000, description="gradients are clipped to this norm")
    target_kl: float | None = Field(None, gt=0, le=10, description="stop a rollout's passes beyond this; null: never")
    actor_net: list[Width] = Field([128, 128], max_length=8, description="widths of the policy's hidden layers")
    critic_net: list[Width] = Field([128, 128], max_length=8, description="widths of the value's hidden layers")
    activation: Literal["tanh", "relu", "elu", "silu"] = Field("tanh", description="between the layers")
    aids: bool = Field(True, description="observations with what is derived for learning: prospects, near maps, fire")
    leave_out: list[str] = Field(
        [], max_length=64, description="kinds of rows (marker, near, ...) and slots of the observation it is not shown"
    )
    shaping: dict[str, float] = Field({}, description="weights of the shaping potentials; {}: none")

    imitate: str | None = Field(None, description="agent to learn from before play; null: none")
    imitation_decisions: int = Field(1_000_000, ge=1, le=10**10, description="decisions of that agent to learn from")
    imitation_epochs: int = Field(2, ge=1, le=100, description="passes over them")
    imitation_rate: float = Field(1e-3, gt=0, le=1, description="step size of the optimiser meanwhile")

    checkpoint_every: int = Field(10, ge=1, le=10**6, description="rollouts between checkpoints")
    keep_checkpoints: int = Field(2, ge=1, le=1000, description="newest checkpoints that are kept")
    evaluation_games: int = Field(
        1000, ge=0, le=10**6, description="held-out games of each agent, in battles seeds of two games; 0: none"
    )
    evaluation_fields: list[str] = Field(["dense"], max_length=64, description="fields to evaluate in, a table each")
    evaluation_agents: list[str] = Field(
        ["pilot", "zigzag", "drifter", "random"],
        max_length=64,
        description="agents to compare the trained one with, or to match it against",
    )

    @property
    def rollout(self) -> int:
        """Decisions in one rollout."""
        return self.n_envs * self.n_steps

    @property
    def success(self) -> str:
        """What the share of successes is called: in battles games are won, else they are crossed."""
        return "win rate" if self.opponents else "crossing rate"


def problems(config: TrainConfig) -> Iterator[tuple[Where, str]]:
    """What no single field can tell."""
    if config.batch_size > config.rollout:
        yield ("batch_size",), f"is {config.batch_size}: want at most n_envs * n_steps, {config.rollout}"
    for name in config.shaping:
        if name not in POTENTIALS:
            hint = did_you_mean(name, POTENTIALS)
            yield ("shaping", name), f"is not a potential: {hint}want one of {', '.join(POTENTIALS)}"
    parts = [*KINDS, *(slot.name for table in KINDS.values() for slot in table)]
    for place, name in enumerate(config.leave_out):
        if name not in parts:
            hint = did_you_mean(name, parts)
            yield ("leave_out", place), f"is {name!r}: {hint}want a kind, one of {', '.join(KINDS)}, or a slot"
    known = scenarios.fields(config.scenario)
    for key in ("fields", "evaluation_fields"):
        for place, field in enumerate(getattr(config, key)):
            if field not in known:
                hint = did_you_mean(field, known)
                yield (key, place), f"is {field!r}: {hint}want one of {', '.join(known)}, fields of {config.scenario}"
    yield from _problems_of_agents(config, known)
    yield from _problems_of_sides(config, known)


def _problems_of_agents(config: TrainConfig, known: Sequence[str]) -> Iterator[tuple[Where, str]]:
    """Agents that do not exist, or cannot be made for the first field: better found now than after the training."""
    from agents import make, names
    from agents.lab.players import agent as opponent
    from agents.lab.players import player
    from fc_env.opponents import wants_aids

    teachers = [] if config.imitate is None else [config.imitate]
    makers = (("evaluation_agents", config.evaluation_agents, config.evaluation_fields, player),
              ("opponents", list(config.opponents), config.fields, opponent),
              ("imitate", teachers, config.fields, make))  # fmt: skip
    for key, agents, fields, maker in makers:
        field = (fields or config.fields)[0]
        setups = scenarios.load(config.scenario, field) if field in known else None
        for place, agent in enumerate(agents):
            where: Where = {"opponents": (key, agent), "imitate": (key,)}.get(key, (key, place))
            own = ":" in agent and key != "imitate"  # module:factory
            if agent.partition(":")[0] not in names() and not own:
                yield where, f"is {agent!r}: {did_you_mean(agent, names())}want one of {', '.join(names())}"
            elif setups is not None:
                try:
                    made = maker(agent, setups)
                    if key == "imitate" and wants_aids(made) and not config.aids:
                        yield where, f"is {agent!r}, which sees aids: want aids: true"
                except ConfigError as refused:
                    yield where, f"is {agent!r}, which cannot be made: {refused}"


def _problems_of_sides(config: TrainConfig, known: Sequence[str]) -> Iterator[tuple[Where, str]]:
    """Opponents where there is no other side, or none where there is one."""
    if config.fields[0] not in known:
        return
    two_sides = scenarios.have_two_sides(scenarios.load(config.scenario, config.fields[0]))
    if two_sides and not sum(config.opponents.values()) > 0:
        yield (
            ("opponents",),
            f"is {config.opponents}: want an agent of weight above 0, since {config.scenario} has two sides",
        )
    if config.opponent_curriculum == "league" and not two_sides:
        yield ("opponent_curriculum",), f"is 'league': want 'weights', since {config.scenario} has one side"
    if config.opponents and not two_sides:
        yield ("opponents",), f"is {config.opponents}: want {{}}, since {config.scenario} has one side"
    if config.seat != 0 and not two_sides:
        yield ("seat",), f"is {config.seat!r}: want 0, since {config.scenario} has one side"


def find(path: str) -> Path:
    """The file at a path; what ships with the package is found wherever one stands."""
    given = Path(path)
    if given.exists() or given.is_absolute():
        return given
    return next((root / given for root in _ROOTS if (root / given).is_file()), given)


def load(path: str, changes: dict[str, Any] | None = None) -> TrainConfig:
    """A training file with values changed. Raises ConfigError, one line for every problem."""
    document = read(find(path))
    given = changes or {}
    for key, value in given.items():
        document = document.with_value((key,), value)
    try:
        return validate(document, TrainConfig, check=problems)
    except ConfigError as refused:
        # What was set on the command line is not the file's fault.
        lines = [_blame(line, f"{document.name}: ", given) for line in str(refused).splitlines()]
        raise ConfigError("\n".join(lines)) from None


def _blame(line: str, start: str, changes: dict[str, Any]) -> str:
    rest = line.removeprefix(start)
    key = re.match(r"\w*", rest)
    return f"command line: {rest}" if rest != line and key is not None and key[0] in changes else line


def from_data(data: dict[str, Any], name: str) -> TrainConfig:
    """A configuration from plain data. Raises ConfigError."""
    return validate(Document(name, data, {}), TrainConfig, check=problems)


def changed_key(old: TrainConfig, new: TrainConfig) -> str:
    """The first key whose value differs, other than the folder's name; empty if none does."""
    for key in TrainConfig.model_fields:
        if key != "run_folder" and getattr(old, key) != getattr(new, key):
            return key
    return ""


# ---- the command line


class Given(NamedTuple):
    """What the command line says."""

    config: str | None
    resume: str | None
    changes: dict[str, Any]


def _option(key: str) -> str:
    return "--" + key.replace("_", "-")


def parse_arguments(arguments: Sequence[str] | None, program: str) -> Given:
    """Read the command line. Raises ConfigError for what does not exist or cannot be read."""
    parser = Parser(
        program,
        description="Train a pilot, then measure it against the scripted agents on held-out games.",
        epilog="A value is written as in the file, such as 3e-4 or [128, 128]; a list also as 128,128.",
    )
    parser.add_argument("--config", help=f"training file (default: {DEFAULT})")
    parser.add_argument("--resume", metavar="FOLDER", help="go on with the run in this folder")
    values = parser.add_argument_group("values of the training file")
    for key, field in TrainConfig.model_fields.items():
        names = dict.fromkeys((_option(key), f"--{key}"))
        values.add_argument(*names, dest=f"value_{key}", metavar="VALUE", help=field.description)
    given, unknown = parser.parse_known_args(arguments)
    if unknown:
        known = ["--config", "--resume", *(_option(key) for key in TrainConfig.model_fields)]
        near = difflib.get_close_matches(unknown[0].split("=")[0], known, 1, 0.6)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ConfigError(f"{unknown[0]} is not an option: {hint}--help lists all options")
    changes = {
        key: _value(key, getattr(given, f"value_{key}"))
        for key in TrainConfig.model_fields
        if getattr(given, f"value_{key}") is not None
    }
    return Given(given.config, given.resume, changes)


def _value(key: str, text: str) -> Any:
    annotation = TrainConfig.model_fields[key].annotation
    if annotation is str:
        return text
    if get_origin(annotation) is list and not text.lstrip().startswith("["):
        text = f"[{text}]"
    return parse_value(text, _option(key))


def refuse_change(key: str, old: TrainConfig, new: TrainConfig, folder: Path) -> NoReturn:
    """Raise ConfigError: a resumed run keeps its configuration."""
    raise ConfigError(
        f"{spell((key,))} is {getattr(new, key)!r}, but {getattr(old, key)!r} in the run {folder}: want it unchanged "
        "to resume, or a new run"
    )


__all__ = ["DEFAULT", "Given", "TrainConfig", "changed_key", "find", "from_data", "load", "parse_arguments"]
