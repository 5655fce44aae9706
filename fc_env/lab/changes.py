"""Changes of a rule's source: what tests and the lab plant in copies of the rules, to see who notices."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from typing import NamedTuple


class Change(NamedTuple):
    """A change of one function: ``old`` is replaced by ``new`` in its source; its whole body, if ``old`` is empty."""

    module: str  # below fc_env
    function: str
    old: str
    new: str


def changed_source(source: str, change: Change) -> str:
    """A function's source under a change. Raises ValueError if there is nothing to change any more."""
    if change.old:
        if change.old not in source:
            raise ValueError(f"{change.module}.{change.function} does not contain {change.old!r}")
        return source.replace(change.old, change.new)
    head = re.match(r"(?:@\w+\n)*def .*:\n", source)
    if head is None:
        raise ValueError(f"{change.module}.{change.function}: want its signature on one line")
    locals_used = re.findall(r"^    (?:marker|ship) = game\.\w+\[.*\]\n", source, re.MULTILINE)
    return head[0] + "".join(locals_used) + textwrap.indent(change.new, "    ") + "\n"


def changed_module(change: Change) -> tuple[str, str]:
    """The file of the changed module, as a path below the package, and its text under the change."""
    module = importlib.import_module(f"fc_env.{change.module}")
    text = inspect.getsource(module)
    source = inspect.getsource(getattr(module, change.function))
    if text.count(source) != 1:
        raise ValueError(
            f"{change.module}.{change.function}: its source stands {text.count(source)} times in its module"
        )
    return change.module.replace(".", "/") + ".py", text.replace(source, changed_source(source, change))
