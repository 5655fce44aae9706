"""Scores on the suite: from what games were worth to figures, words and a plot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.lab import suite
from fc_env.files import write_bytes, write_text
from fc_env.lab import measuring, pictures
from fc_env.lab.statistics import Interval, interquartile_mean, paired_mean, wilson


def figures(name: str, results: suite.Results, reference: Mapping[str, suite.Results]) -> dict[str, Any]:
    """The score of an agent, plain data; it is None for one that does not play all tasks, and while the reference lacks
    one of the two agents of the scale."""
    ends = [reference.get(one) for one in (suite.ZERO, suite.HUNDRED)]
    score, tasks = None, []
    zero, hundred = (suite.means(end) if end is not None else None for end in ends)
    if zero is not None and hundred is not None and len(results) == len(suite.TASKS):
        samples = {task.name: results[task.name].mean(axis=1) for task in suite.TASKS}
        score = interquartile_mean(samples, zero, hundred)
    for place, task in enumerate(suite.TASKS):
        if task.name not in results:
            continue
        rate = _rate(results[task.name])
        scaled = None
        if zero is not None and hundred is not None:
            scaled = [100.0 * (one - zero[place]) / (hundred[place] - zero[place]) for one in rate]
        tasks.append({
            "task": task.name,
            "games": int(results[task.name].size),
            "rate": rate.value,
            "interval_95": list(rate[1:]),
            "score": None if scaled is None else scaled[0],
            "score_interval_95": None if scaled is None else scaled[1:],
            "references": {one: suite.means(found)[place] for one, found in reference.items()},
        })  # fmt: skip
    return {
        "agent": name,
        "score": None if score is None else score.value,
        "interval_95": None if score is None else list(score[1:]),
        "tasks": tasks,
    }


def _rate(worth: np.ndarray) -> Interval:
    if worth.shape[1] == 1:
        return wilson(int(worth.sum()), len(worth))
    return paired_mean(worth)


# ---- words


def words(found: Mapping[str, Any]) -> str:
    """A report as text that is Markdown too."""
    title = f"{suite.NAME} v{suite.VERSION}: {found['agent']}"
    if not found["comparable"]:
        title += " (quick: few seeds, not comparable)"
    lines = [f"# {title}", "", f"Score {_score(found)}: the mean of the middle four of six tasks, where 0 is "
             f"`{suite.ZERO}` and 100 `{suite.HUNDRED}`.", ""]  # fmt: skip
    known = list(found["tasks"][0]["references"])
    heads = ["task", "games", "crossed or won", "95% interval", "score", "95% interval", *known]
    rows = [
        [one["task"], f"{one['games']:,}", f"{one['rate']:.1%}", measuring.ends(one["interval_95"]),
         measuring.number(one["score"]), _ends(one["score_interval_95"]),
         *(f"{one['references'][name]:.1%}" for name in known)]
        for one in found["tasks"]
    ]  # fmt: skip
    lines.append(measuring.table(heads, rows))
    if found["left_out"]:
        lines += ["", "It does not play all tasks, and so has no score:"]
        lines += [f"- {task}: {reason}" for task, reason in found["left_out"].items()]
    if found["forfeits"]:
        lines += ["", f"{found['forfeits']} games were forfeited:", *(f"- {fault}" for fault in found["faults"])]
    return "\n".join(lines)


def _ends(interval: Sequence[float] | None) -> str:
    return "-" if interval is None else f"{interval[0]:.1f} to {interval[1]:.1f}"


def _score(found: Mapping[str, Any]) -> str:
    if found["left_out"]:
        return "-"
    if found["score"] is None:
        return f"- (the reference has no results of {suite.HUNDRED} yet)"
    return f"{found['score']:.1f} (95% interval {_ends(found['interval_95'])})"


def table(every: Sequence[Mapping[str, Any]]) -> str:
    """One line for each agent, the best first, as text that is Markdown too."""
    order = sorted(every, key=_rank)
    heads = ["agent", "score", "95% interval", *(task.name for task in suite.TASKS)]
    rows = [
        [f"`{one['agent']}`", measuring.number(one["score"]), _ends(one["interval_95"]),
         *_rates(one)]
        for one in order
    ]  # fmt: skip
    return measuring.table(heads, rows)


def _rates(one: Mapping[str, Any]) -> list[str]:
    rates = {task["task"]: f"{task['rate']:.1%}" for task in one["tasks"]}
    return [rates.get(task.name, "-") for task in suite.TASKS]


def _rank(one: Mapping[str, Any]) -> tuple[bool, float]:
    """Agents with a score first, then those without by how they did in what they play."""
    if one["score"] is not None:
        return False, -one["score"]
    return True, -float(np.mean([task["rate"] for task in one["tasks"]]))


# ---- files


def write(found: Mapping[str, Any], path: Path) -> None:
    """Write a report as ``PATH.md``, ``PATH.json`` and ``PATH.png``."""
    write_text(path.with_suffix(".json"), json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    write_text(path.with_suffix(".md"), f"{words(found)}\n\n![Results by task]({path.name}.png)\n")
    write_bytes(path.with_suffix(".png"), _picture(found))


def _picture(found: Mapping[str, Any]) -> bytes:
    """Shares of games crossed or won by task, with intervals, beside those of the reference agents."""
    axes = pictures.axes()
    places = np.arange(len(found["tasks"]))[::-1]
    rates = np.array([one["rate"] for one in found["tasks"]])
    ends = np.array([one["interval_95"] for one in found["tasks"]])
    spread = np.abs(ends.T - rates)
    axes.errorbar(100 * rates, places, xerr=100 * spread, fmt="o", capsize=4, label=found["agent"], zorder=3)
    for marker, name in zip("|x+12", found["tasks"][0]["references"], strict=False):
        axes.scatter([100 * one["references"][name] for one in found["tasks"]], places, marker=marker, label=name)
    title = f"{suite.NAME} v{suite.VERSION}" + ("" if found["comparable"] else ", quick: not comparable")
    axes.set(xlabel="crossed or won, %", xlim=(-2, 102), title=title)
    axes.set_yticks(places, [one["task"] for one in found["tasks"]])
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="best", fontsize="small")
    return pictures.png(axes)


__all__ = ["figures", "table", "words", "write"]
