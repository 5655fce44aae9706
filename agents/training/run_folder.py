"""The folder of a run: what it was told, what made it, what it measured, and where it stands."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from agents.training import checkpoints
from agents.training.checkpoints import Loaded, Snapshot, write_file
from agents.training.config import TrainConfig, changed_key, from_data, refuse_change
from agents.versions import versions
from fc_env.errors import ConfigError
from fc_env.strict_yaml import read

CONFIG, VERSIONS, METRICS = "config.yaml", "versions.json", "metrics.jsonl"


def json_bytes(data: Any) -> bytes:
    """Plain data as the contents of a JSON file."""
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


class RunFolder:
    """One run's folder. Everything raises OSError where the disk does."""

    def __init__(self, path: Path, config: TrainConfig) -> None:
        self.path = path
        self.config = config
        self._lock: io.TextIOWrapper | None = None

    @classmethod
    def create(cls, config: TrainConfig, command: str) -> RunFolder:
        """Make the folder of a new run. Raises ConfigError if the named one is in use."""
        if config.run_folder is not None:
            path = Path(config.run_folder)
            if path.exists() and (not path.is_dir() or any(path.iterdir())):
                raise ConfigError(f"run_folder {path} is not empty: want a new folder, or --resume {path}")
            path.mkdir(parents=True, exist_ok=True)
        else:
            path = _new_folder(Path("runs") / f"{config.name}-{time.strftime('%Y%m%d-%H%M%S')}")
        run = cls(path, config)
        run._take()
        write_file(path / VERSIONS, json_bytes({**versions(), "command": command}))
        write_file(path / CONFIG, _yaml_bytes(config))
        return run

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """The folder of a run that was begun. Raises ConfigError if it is none, or another process works in it."""
        if not (path / CONFIG).is_file():
            raise ConfigError(f"--resume {path}: there is no {CONFIG} in it: want the folder of a run")
        document = read(path / CONFIG)
        run = cls(path, from_data(document.data, str(path / CONFIG)))
        run._take()
        checkpoints.remove_unfinished(path)
        checkpoints.remove_unfinished(run.checkpoints)
        return run

    @property
    def checkpoints(self) -> Path:
        """Where the checkpoints lie."""
        return self.path / "checkpoints"

    def _take(self) -> None:
        """Keep other processes out for as long as this one lives."""
        try:
            import fcntl
        except ImportError:  # no such locks on this system
            return
        self._lock = (self.path / ".lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ConfigError(f"run folder {self.path}: another process is training in it") from None

    def close(self) -> None:
        """Let other processes in."""
        if self._lock is not None:
            self._lock.close()

    def write(self, name: str, data: bytes) -> None:
        """Write one file, whole or not at all."""
        write_file(self.path / name, data)

    # ---- checkpoints

    def save(self, snapshot: Snapshot, observation: Mapping[str, Any]) -> Path:
        """Write a checkpoint; ``observation`` says what the observations were."""
        about = {"config": self.config.model_dump(), "observation": observation, "versions": versions()}
        return checkpoints.save(
            self.checkpoints, snapshot.state["steps"], snapshot, about, self.config.keep_checkpoints
        )

    def newest(self, note: Callable[[str], None]) -> Loaded | None:
        """The newest whole checkpoint. Raises ConfigError if it was made with another configuration."""
        loaded = checkpoints.newest(self.checkpoints, note)
        if loaded is None:
            return None
        said, made_by = loaded.manifest.get("config"), loaded.manifest.get("versions")
        if not isinstance(said, dict) or not isinstance(made_by, dict):
            raise ConfigError(f"checkpoint {loaded.path}: its manifest lacks the configuration or the versions")
        made_with = from_data(said, str(loaded.path))
        key = changed_key(made_with, self.config)
        if key:
            refuse_change(key, made_with, self.config, self.path)
        differing = [
            f"{name} {was} (now {now})" for name, now in versions().items() if (was := made_by.get(name)) != now
        ]
        if differing:
            note(f"the checkpoint was made with {', '.join(differing)}: the result may differ in the last digits")
        return loaded

    # ---- metrics

    def add_metrics(self, figures: Mapping[str, Any]) -> None:
        """Append one line to the metrics."""
        with (self.path / METRICS).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(figures) + "\n")

    def metrics(self) -> list[dict[str, Any]]:
        """All lines of the metrics; one that was cut off by a kill is left out."""
        file = self.path / METRICS
        lines = []
        for line in file.read_bytes().splitlines() if file.is_file() else []:
            try:
                lines.append(json.loads(line))
            except ValueError:
                continue
        return lines

    def forget_metrics_after(self, rollouts: int) -> None:
        """Drop the lines of rollouts that will be made again."""
        kept = [line for line in self.metrics() if line["rollout"] <= rollouts]
        self.write(METRICS, "".join(json.dumps(line) + "\n" for line in kept).encode())


def _new_folder(wanted: Path) -> Path:
    number, path = 1, wanted
    while True:
        try:
            path.mkdir(parents=True)
            return path
        except FileExistsError:
            if not wanted.parent.is_dir():
                raise
            number += 1
            path = wanted.with_name(f"{wanted.name}-{number}")


def _yaml_bytes(config: TrainConfig) -> bytes:
    stream = io.BytesIO()
    yaml = YAML()
    yaml.default_flow_style = None
    yaml.dump(config.model_dump(), stream)
    return stream.getvalue()
