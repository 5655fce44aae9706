"""What a command of the lab hands over: one report as Markdown, as one HTML page, and as JSON.

It says how it was made (command, seeds, versions) and nothing else that differs from run to run, so that the same
command on the same versions gives the same bytes.
"""

from __future__ import annotations

import base64
import json
import platform
import shlex
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fc_env import __version__
from fc_env.bench.machine import packages
from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.files import check_writable, write_bytes, write_text
from fc_env.lab import pictures
from fc_env.lab.spreading import without_workers

DPI = 100
NAME = "report"
"""Of the files in the folder, before their endings."""
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
th { text-align: left; }
code { background: color-mix(in srgb, currentColor 10%, transparent); padding: 0 .2rem; overflow-wrap: anywhere; }
img { max-width: 100%; background: white; }
"""


class _Part(NamedTuple):
    """A part of a report: a title or none, Markdown, and a picture or none."""

    title: str
    text: str
    picture: Callable[[], bytes] | None


PACKAGES = ("numpy", "numba", "scipy", "matplotlib", "markdown-it-py")
"""What else has a say in a report."""


def made_by(program: str, arguments: Sequence[str], given: Any = None, seeds: range | None = None) -> dict[str, Any]:
    """How a report is made: the command but for what changes nothing, its agents and seeds, and the versions."""
    versions = {"fc_env": __version__, "python": platform.python_version(), **packages(PACKAGES)}
    made: dict[str, Any] = {"command": f"{program} {shlex.join(without_workers(arguments))}".strip()}
    if seeds is not None:
        made["agents"] = given.agents
        made["seeds"] = {"space": given.space, "first": seeds[0], "last": seeds[-1]}
    return {**made, "versions": versions}


class Report:
    """A report in parts. ``made``: of ``made_by``; ``figures``: all of its numbers, plain data."""

    def __init__(self, title: str, made: dict[str, Any], figures: dict[str, Any]) -> None:
        self.title, self.made, self.figures = title, made, figures
        self._parts: list[_Part] = []

    def text(self, text: str, title: str = "") -> None:
        """Add Markdown, such as a table."""
        self._parts.append(_Part(title, text, None))

    def shades(self, title: str, rows: Sequence[str], columns: Sequence[str], shares: np.ndarray) -> None:
        """Add a picture of shares from 0 to 1 by row and column, float64 (R, C)."""
        self._parts.append(_Part(title, "", lambda: _shades(rows, columns, shares)))

    def bars(self, title: str, rows: Sequence[dict[str, Any]]) -> None:
        """Add a picture of chances and frequencies: rows have a name, a chance, a frequency and its interval."""
        self._parts.append(_Part(title, "", lambda: _bars(rows)))

    def points(self, title: str, names: Sequence[str], series: dict[str, np.ndarray]) -> None:
        """Add a picture of shares with intervals: for each series a row for each name, float64 (N, 3)."""
        self._parts.append(_Part(title, "", lambda: _points(names, series)))

    def _foot(self) -> str:
        versions = ", ".join(f"{name} {version}" for name, version in self.made["versions"].items())
        played = ""
        if "seeds" in self.made:
            seeds = self.made["seeds"]
            played = (
                f", played by {' and '.join(self.made['agents'])} on seeds {seeds['first']} to {seeds['last']} of the "
            )
            played += f"{seeds['space']} space"
        return f"Made by `{self.made['command']}`{played}, with {versions}."

    def markdown(self, pictures: bool = True) -> str:
        """The report as Markdown; ``pictures`` are files beside it, or left out."""
        lines = [f"# {self.title}", "", self._foot(), ""]
        for place, part in enumerate(self._parts):
            if part.picture and not pictures:
                continue
            lines += [f"## {part.title}", ""] if part.title else []
            lines += [f"![{part.title}]({_picture_name(place)})" if part.picture else part.text, ""]
        return "\n".join(lines)

    def html(self) -> str:
        """The report as one page that needs no other file."""
        from markdown_it import MarkdownIt

        render = MarkdownIt("commonmark", {"html": False}).enable("table").render
        body = [f"<h1>{escape(self.title)}</h1>", render(self._foot())]
        for part in self._parts:
            body += [f"<h2>{escape(part.title)}</h2>"] if part.title else []
            if part.picture:
                data = base64.b64encode(part.picture()).decode()
                body.append(f'<img alt="{escape(part.title)}" src="data:image/png;base64,{data}">')
            else:
                body.append(render(part.text))
        head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        title = f"<title>{escape(self.title)}</title><style>{_STYLE}</style>"
        return (
            f'<!doctype html>\n<html lang="en"><head>{head}{title}</head><body>\n'
            + "\n".join(body)
            + "\n</body></html>\n"
        )

    def json(self) -> str:
        """All numbers, and how they were made."""
        return json.dumps({**self.made, **self.figures}, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def write(self, folder: Path) -> None:
        """Write ``report.md``, ``report.html``, ``report.json`` and the pictures. Raises OSError."""
        texts = {"md": self.markdown(), "html": self.html(), "json": self.json()}
        for place, part in enumerate(self._parts):
            if part.picture:
                write_bytes(folder / _picture_name(place), part.picture())
        for ending, text in texts.items():
            write_text(folder / f"{NAME}.{ending}", text)


def _picture_name(place: int) -> str:
    return f"{NAME}-{place}.png"


def _shades(rows: Sequence[str], columns: Sequence[str], shares: np.ndarray) -> bytes:
    axes = pictures.axes(2 + 0.28 * len(rows), 2 + 0.4 * len(columns))
    image = axes.imshow(shares.T, cmap="cividis", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(rows)), rows, rotation=90, fontsize="small")
    axes.set_yticks(range(len(columns)), columns)
    axes.figure.colorbar(image, ax=axes, label="share of games")
    return pictures.png(axes, DPI)


def _bars(rows: Sequence[dict[str, Any]]) -> bytes:
    axes = pictures.axes(max(4.0, 1.5 + 0.5 * len(rows)), 4)
    places = np.arange(len(rows))
    axes.bar(places, [100 * row["chance"] for row in rows], color="lightsteelblue", label="exact")
    middle = 100 * np.array([row["frequency"] for row in rows])
    ends = 100 * np.array([row["interval_95"] for row in rows]).T
    axes.errorbar(places, middle, yerr=np.abs(ends - middle), fmt="k.", capsize=3, label="engine, 95% interval")
    axes.set_xticks(places, [row["name"] for row in rows], rotation=90)
    axes.set(ylabel="%")
    axes.legend()
    return pictures.png(axes, DPI)


def _points(names: Sequence[str], series: dict[str, np.ndarray]) -> bytes:
    axes = pictures.axes(max(5.0, 2 + 0.6 * len(names)), 4)
    for place, (label, rows) in enumerate(series.items()):
        middle = 100 * rows[:, 0]
        wide = np.abs(100 * rows[:, 1:].T - middle)
        axes.errorbar(
            np.arange(len(names)) + 0.1 * place, middle, yerr=wide, fmt="os^v"[place] + "-", capsize=3, label=label
        )
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set(ylabel="%", ylim=(0, 100))
    axes.grid(axis="y", alpha=0.3)
    axes.legend(fontsize="small")
    return pictures.png(axes, DPI)


# ---- the command line


def add_options(parser: Parser) -> None:
    """Where the report goes."""
    parser.add_argument("--out", type=Path, default=None, metavar="FOLDER",
                        help="write the report there, as Markdown, HTML and JSON (default: print it)")  # fmt: skip


def check_out(folder: Path | None) -> None:
    """Raise ConfigError or OSError if no report could be written there; the folder is made."""
    if folder is None:
        return
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--out {folder}: there is a file of that name: want a folder")
    import markdown_it  # noqa: F401  # before anything is played, for what is missing is told when it is imported
    import matplotlib  # noqa: F401

    folder.mkdir(parents=True, exist_ok=True)
    for ending in ("md", "html", "json"):
        check_writable(folder / f"{NAME}.{ending}")


def hand_over(report: Report, folder: Path | None) -> None:
    """Print the report, or write it to the folder and say so."""
    if folder is None:
        print(report.markdown(pictures=False))
    else:
        report.write(folder)
        print(f"{folder / NAME}.html, and .md, .json")
