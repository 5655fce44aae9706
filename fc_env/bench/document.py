"""Tables of what was measured, put into documents between ``<!-- bench: goals -->``, or another group, and
``<!-- end -->``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fc_env.bench.goals import in_words
from fc_env.bench.rows import groups
from fc_env.errors import ConfigError
from fc_env.files import write_text

BAR = 30
"""Characters of the longest bar."""

MARKED = re.compile(r"(<!-- bench: ([a-z]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table, its first column flush left and the others right."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, rule, *lines))


def goals_table(rows: Sequence[dict[str, Any]]) -> str:
    """What was reached, and what is wanted."""
    lines = []
    for row in rows:
        name = f"`{row['name']}`: {row['what']}"
        if "absent" in row:
            lines.append([name, "absent", "", "", "", ""])
            continue
        wanted = [in_words(row[goal]) if row[goal] is not None else "" for goal in ("floor", "aim")]
        spread = f"{in_words(row['low_quartile'])} to {in_words(row['high_quartile'])}"
        lines.append([name, f"{in_words(row['median'])} {row['unit']}", spread, *wanted, row["met"]])
    return table(["what", "median", "quartiles", "floor", "aim", "met"], lines)


def rates_table(rows: Sequence[dict[str, Any]]) -> str:
    """Decisions with turns and games beside them."""
    found = [row for row in rows if "turns_per_second" in row.get("beside", {})]
    lines = [
        [row["what"], *map(in_words, (row["median"], *(row["beside"][f"{x}_per_second"] for x in ("turns", "games"))))]
        for row in found
    ]
    return table(["", "decisions/s", "turns/s", "games/s"], lines)


def bars(rows: Sequence[dict[str, Any]]) -> str:
    """A bar for each row, as long as its median is large."""
    present = [row for row in rows if "absent" not in row]
    most = max((row["median"] for row in present), default=1.0)
    lines = []
    for row in present:
        length = max(1, round(BAR * row["median"] / most))
        lines.append(f"{row['name']:<18}{in_words(row['median']):>10} {row['unit']:<12}{'█' * length}")
    return "```\n" + "\n".join(lines) + "\n```\n"


def machine_line(where: dict[str, Any]) -> str:
    """Where it was measured, in a sentence."""
    known = ", ".join(
        f"{name} {value}" for name, value in where.items() if name not in ("processor", "cores", "system")
    )
    return f"{where['processor']}, {where['cores']} cores, {where['system']}; {known}.\n"


def blocks(results: dict[str, Any]) -> dict[str, str]:
    """What stands between the marks, by their names; of rows that were all measured only."""
    by_group: dict[str, list[dict[str, Any]]] = {}
    for group, names in groups().items():
        rows = [row for row in results["rows"] if row["name"] in names]
        if len(rows) == len(names):
            by_group[group] = rows
    shapes = {"goals": goals_table, "peers": goals_table}
    found = {group: shapes.get(group, bars)(rows) for group, rows in by_group.items()}
    if "goals" in by_group:
        found["rates"] = rates_table(by_group["goals"])
        found["machine"] = machine_line(results["machine"])
    return found


def marked_text(path: Path) -> str:
    """What a document holds. Raises ConfigError where it has no marks, OSError where it cannot be read."""
    text = path.read_text(encoding="utf-8")
    if not MARKED.search(text):
        raise ConfigError(f"{path} has no marks: want <!-- bench: goals --> and <!-- end --> around what is replaced")
    return text


def update(path: Path, results: dict[str, Any]) -> None:
    """Put the tables into a document. Raises ConfigError where it has no marks, OSError where it cannot be written."""
    text, found = marked_text(path), blocks(results)
    write_text(path, MARKED.sub(lambda m: m[1] + found.get(m[2], m[0][len(m[1]) : -len(m[3])]) + m[3], text))


__all__ = ["blocks", "marked_text", "update"]
