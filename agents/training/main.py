"""The command line of training, and the run from its first rollout to its table of results."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from agents import seen
from agents.training import config as configuration
from agents.training.config import TrainConfig
from fc_env import seeding
from fc_env.commandline import exit_status
from fc_env.errors import ConfigError

if TYPE_CHECKING:
    from agents.training.league import League
    from agents.training.learner import Learner
    from agents.training.progress import Display
    from agents.training.run_folder import RunFolder


class Stop:
    """Turns the first interrupt into a wish to stop; the second one stops the process at once.

    When all is saved there is nothing to wait for, and the first one raises KeyboardInterrupt.
    """

    def __init__(self) -> None:
        self.signal = 0
        self.saved = False
        self._old: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._old[number] = signal.signal(number, self._wish)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._old.items():
            signal.signal(number, handler)

    def _wish(self, number: int, frame: FrameType | None) -> None:
        if self.signal:
            os.write(2, b"stopped at once; the last checkpoint counts\n")
            os._exit(128 + number)
        self.signal = number
        if self.saved:
            raise KeyboardInterrupt
        os.write(2, b"\nstopping after this rollout, to save it; once more stops at once\n")


def main(arguments: Sequence[str] | None = None, program: str = "train.py") -> int:
    """Train and evaluate as the command line says; returns the exit status."""

    def work() -> int:
        given = configuration.parse_arguments(arguments, program)
        command = shlex.join([*program.split(), *(sys.argv[1:] if arguments is None else arguments)])
        with Stop() as stop:
            return _run(given, command, program, stop)

    return exit_status(work)


def _run(given: configuration.Given, command: str, program: str, stop: Stop) -> int:
    if given.resume is None:
        config = configuration.load(given.config or configuration.DEFAULT, given.changes)
        from agents.training.run_folder import RunFolder

        run = RunFolder.create(config, command)
    else:
        run = _opened(given, Path(given.resume))
    try:
        print(f"run folder: {run.path}", flush=True)
        return Run(run, command, program, stop).go()
    finally:
        run.close()


def _opened(given: configuration.Given, path: Path) -> RunFolder:
    """The run to go on with. Raises ConfigError if the command line asks for another configuration."""
    from agents.training.run_folder import RunFolder

    run = RunFolder.open(path)
    asked = run.config
    if given.config is not None:
        asked = configuration.load(given.config, given.changes)
    elif given.changes:
        asked = configuration.from_data({**run.config.model_dump(), **given.changes}, "the command line")
    key = configuration.changed_key(run.config, asked)
    if key:
        configuration.refuse_change(key, run.config, asked, path)
    return run


class Run:
    """One process's part of a run."""

    def __init__(self, run: RunFolder, command: str, program: str, stop: Stop) -> None:
        self.run, self.config = run, run.config
        self.command, self.program, self.stop = command, program, stop
        self.seconds = 0.0
        """Seconds of training so far, those of earlier processes included."""
        self.observation: Any = None
        """The observation the agent is trained for, an ``ObservationCard``."""
        self.league: League | None = None

    def go(self) -> int:
        """Train what is left, then evaluate; returns the exit status."""
        from agents.training import report
        from agents.training.learner import Learner

        self.observation = report.observation_of(self.config)
        self.league = _league(self.config, self.run.path)
        environment = _environment(self.config, league=self.league)
        shown = seen.columns(environment.batch.layout, self.config.leave_out)
        learner = Learner(self.config, environment, shown, self.league.names if self.league else None)
        self._restore(learner)
        if self.config.imitate is not None and not learner.rollouts and not self._imitate(learner):
            return self._stopped(
                "stopped while learning from another agent, of which nothing is saved. To begin again:"
            )
        if not learner.done:
            self._train(learner)
        report.write_model(self.run, learner, self.observation, self.command, [])
        report.write_curve(self.run)
        if self.league is not None:
            report.write_ratings(self.run)
        if not learner.done:
            return self._stopped(f"stopped at {learner.steps:,} steps, saved. To go on:")
        if self.config.evaluation_games:
            self.stop.saved = True
            try:
                if self.stop.signal:
                    raise KeyboardInterrupt
                results = report.evaluate_run(self.run, lambda line: print(line, flush=True))
            except KeyboardInterrupt:
                return self._stopped("stopped while evaluating; the trained agent is saved. To evaluate it:")
            report.write_model(self.run, learner, self.observation, self.command, results)
            print(report.text(results))
        print(f"model and results: {self.run.path}", flush=True)
        return 0

    def _imitate(self, learner: Learner) -> bool:
        """Learn from another agent first; False if that was interrupted."""
        from agents.protocol import make
        from agents.training.imitation import Classroom, imitate
        from fc_env.lab.measuring import duration

        config = self.config
        teacher = str(config.imitate)
        begun = time.monotonic()

        def note(done: int, agreed: float) -> None:
            rate = done / (time.monotonic() - begun)
            left = duration((config.imitation_decisions - done) / rate)
            print(f"{done:,} decisions of {teacher} seen, {rate:,.0f}/s, {left} left, {agreed:.1%} alike", flush=True)

        # Games of their own, so that those of the learner are the same with and without a teacher.
        environment = _environment(config, int(seeding.batch_seeds(config.seed, 1)[0]))
        classroom = Classroom(environment, make(teacher, environment.batch.setups, config.seed), config.gamma)
        whole = imitate(learner.model, classroom, config, note, lambda: bool(self.stop.signal))
        self.seconds += time.monotonic() - begun
        return whole

    def _stopped(self, how: str) -> int:
        print(f"{how}\n  {self.program} --resume {shlex.quote(str(self.run.path))}", flush=True)
        return 128 + self.stop.signal

    def _restore(self, learner: Learner) -> None:
        loaded = self.run.newest(lambda line: print(line, file=sys.stderr, flush=True))
        if loaded is None:
            self.run.forget_metrics_after(0)
            return
        try:
            made_for = seen.ObservationCard.model_validate(loaded.manifest["observation"])
            differs = seen.difference(made_for, self.observation)
            if differs:
                raise ConfigError(f"made for other observations: {differs}")
            if self.league is not None:
                self.league.restore(loaded.snapshot.state["league"])
            learner.restore(loaded.snapshot)
            self.seconds = float(loaded.snapshot.state["seconds"])
        except (KeyError, TypeError, ValueError, RuntimeError) as problem:
            words = " ".join(str(problem).split())
            raise ConfigError(f"checkpoint {loaded.path}: does not fit this run ({words:.300})") from None
        self.run.forget_metrics_after(learner.rollouts)
        print(f"going on from {learner.steps:,} steps", flush=True)

    def _train(self, learner: Learner) -> None:
        from agents.training.progress import Display
        from agents.training.scalars import Scalars

        whole = -(-self.config.total_steps // self.config.rollout) * self.config.rollout
        display = Display(whole, learner.steps, self.config.success)
        with display, Scalars(self.run.path / "tensorboard", learner.steps) as board:
            while not learner.done and not self.stop.signal:
                figures = self._rollout(learner, display)
                figures |= self._league_goes_on(learner, figures)
                self.run.add_metrics(figures)
                board.add(figures)
                display.rollout(figures)
                if learner.done or self.stop.signal or learner.rollouts % self.config.checkpoint_every == 0:
                    self._save(learner)

    def _rollout(self, learner: Learner, display: Display) -> dict[str, Any]:
        begun = time.monotonic()
        learner.rollout(lambda: display.step(learner.steps, learner.seen.success_rate))
        took = time.monotonic() - begun
        self.seconds += took
        return {
            **learner.metrics(),
            "seconds": round(self.seconds, 3),
            "steps_per_second": round(self.config.rollout / took, 1),
        }

    def _league_goes_on(self, learner: Learner, figures: dict[str, Any]) -> dict[str, Any]:
        """Freeze the policy if it is time to; returns the learner's rating then."""
        from agents.training import ratings

        if self.league is None or not self.league.due(learner.rollouts):
            return {}
        chooser = learner.env.batch.opponents.chooser  # type: ignore[attr-defined]
        self.league.admit(learner.policy(), chooser.games, chooser.crossing_rate)
        history = ratings.over_time([*self.run.metrics(), figures], self.config.snapshot_every, self.league.names[0])
        return {"rating": round(float(history.learner.value[-1]), 2)}

    def _save(self, learner: Learner) -> None:
        snapshot = learner.snapshot()
        snapshot.state["seconds"] = self.seconds
        if self.league is not None:
            snapshot.state["league"] = self.league.state()
        self.run.save(snapshot, self.observation.model_dump())


def _setups(config: TrainConfig) -> Any:
    from fc_env.scenarios import load_setups

    return load_setups([(config.scenario, field) for field in config.fields])


def _players(config: TrainConfig, setups: Any) -> list[Any]:
    from agents.lab.players import agent

    return [agent(name, setups) for name in config.opponents]


def _league(config: TrainConfig, folder: Path) -> League | None:
    """The league of a run with this folder, if it plays in one."""
    from agents.training.league import League
    from fc_env.observation import Layout

    if config.opponent_curriculum != "league":
        return None
    setups = _setups(config)
    shown = seen.columns(Layout.of(setups, config.aids), config.leave_out)
    return League(config, _players(config, setups), shown, folder)


def _environment(config: TrainConfig, seed: int | None = None, league: League | None = None) -> Any:
    from agents.training.curricula import ladder
    from fc_env.opponents import Pool
    from fc_env.reward import RewardConfig
    from fc_env.sb3_env import FleetCaptainVecEnv

    setups = _setups(config)
    steps = ladder(config.curriculum_rate)
    pool = None
    if league is not None:
        pool = Pool(league.players, sample=league.sample)
    elif config.opponents:
        players = _players(config, setups)
        if config.opponent_curriculum == "ladder":
            pool = Pool(players, sample=steps)
        else:
            pool = Pool(players, weights=list(config.opponents.values()))

    return FleetCaptainVecEnv(
        setups,
        config.n_envs,
        seed=config.seed if seed is None else seed,
        space="train",
        reward=RewardConfig(shaping=config.shaping, gamma=config.gamma),
        curriculum=steps if config.curriculum == "ladder" else None,
        opponent=pool,
        seat=config.seat,
        aids=config.aids,
    )
