"""Configuration files, read strictly.

YAML 1.2 (core schema: ``1e-4`` and ``1e3`` are floats, ``no`` is text) with one mapping at the top. Refused
at once: duplicate keys, anchors and aliases, tags, directives, several documents, numbers that are not finite,
files too large or not UTF-8. Nothing is executed and no other file is read. Every problem is one line that
names file, line, key, value, and what would be right.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from ruamel.yaml import YAML, events
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from fc_env.errors import ConfigError, FleetCaptainError

MAX_BYTES = 1 << 15
"""A larger file is refused; the largest that makes sense is a few thousand bytes, and reading must not take long."""
MAX_DEPTH = 32
"""Mappings and lists within each other."""

Where = tuple[str | int, ...]
"""A key path: names of mappings' keys and places in lists, such as ``("ships", 0, "hull")``."""

Check = Callable[[Any], Iterable[tuple[Where, str]]]
"""What a model's own checks say: pairs of a key path and of words that follow the key, "is 7: want ..."."""

M = TypeVar("M", bound=BaseModel)

_NULL = re.compile(r"null|Null|NULL|~|")
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_MAX_DIGITS = 20


@dataclass(frozen=True)
class Document:
    """A file as read: ``data`` and, for each key path in it, the line it stands on (counted from 1; 0: in none)."""

    name: str
    data: dict[str, Any]
    lines: Mapping[Where, int]

    def line(self, where: Where) -> int | None:
        """Line of a key path, or of what it would stand in; None if that is not in the file either."""
        return self.lines.get(where, self.lines.get(where[:-1], 0)) or None

    def at(self, where: Where) -> str:
        """File, line and key path, as problems begin."""
        line = self.line(where)
        return f"{self.name}:{line}: {spell(where)}" if line else f"{self.name}: {spell(where)}"

    def with_value(self, where: Where, value: Any) -> Document:
        """The document with one value set, as by an argument or on a command line; mappings are made as needed.

        Raises IndexError for an item that a list does not have.
        """
        data = _set(self.data, where, value)
        kept = {key: line for key, line in self.lines.items() if key[: len(where)] != where}
        return Document(self.name, data, {**kept, where: 0})


def _set(data: Any, where: Where, value: Any) -> Any:
    if not where:
        return value
    if isinstance(data, list) and isinstance(where[0], int):
        items = list(data)
        items[where[0]] = _set(items[where[0]], where[1:], value)
        return items
    inner = dict(data) if isinstance(data, Mapping) else {}
    inner[str(where[0])] = _set(inner.get(str(where[0])), where[1:], value)
    return inner


def spell(where: Where) -> str:
    """A key path as people write it: ``ships[0].hull``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{_one_line(part)}" for part in where)
    return text.removeprefix(".") or "the file"


def _one_line(text: str, limit: int = 60) -> str:
    """Text as it is if it is short and printable, else quoted and cut, so that a problem stays one line."""
    if text.isprintable() and len(text) <= limit:
        return text
    return ascii(text[:limit]) + ("..." if len(text) > limit else "")


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """``"did you mean 'hull'? "`` if one of the known words is near, else nothing."""
    near = difflib.get_close_matches(wrong, list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}? " if near else ""


# ---- reading


def read(path: str | PathLike[str], error: type[FleetCaptainError] = ConfigError) -> Document:
    """Read a file. Raises ``error`` with one line if it cannot be read or is refused."""
    name = _one_line(str(path), limit=4096)
    file = Path(path)
    try:
        if not file.is_file():
            what = "is not a file" if file.exists() else "there is no such file"
            raise error(f"{name}: {what}: want the path of a YAML file")
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as problem:
        if isinstance(problem, FleetCaptainError):
            raise
        reason = getattr(problem, "strerror", None) or str(problem)
        raise error(f"{name}: cannot be read ({reason}): want the path of a YAML file") from None
    return parse(raw, name, error)


def parse(raw: bytes, name: str, error: type[FleetCaptainError] = ConfigError) -> Document:
    """Parse the bytes of a file; ``name`` is what problems call it. Raises ``error`` with one line."""
    if len(raw) > MAX_BYTES:
        raise error(f"{name}: larger than {MAX_BYTES} bytes: want a smaller file")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw[: problem.start].count(b"\n") + 1
        raise error(f"{name}:{line}: byte {raw[problem.start]:#04x} is not UTF-8: want a file in UTF-8") from None
    builder = _Builder(name, text, error)
    data = builder.document()
    if not isinstance(data, dict):
        raise error(f"{name}:1: holds {_shown(data)}: want a mapping of keys to values")
    return Document(name, data, builder.lines)


def parse_value(text: str, name: str = "value", error: type[FleetCaptainError] = ConfigError) -> Any:
    """One YAML value, such as ``1e-4`` or ``[64, 64]`` given on a command line. Raises ``error`` with one line."""
    return _Builder(name, text, error).document()


class _Builder:
    """Builds plain Python values from the parser's events, refusing what a configuration has no need of."""

    def __init__(self, name: str, text: str, error: type[FleetCaptainError]) -> None:
        self.name, self.error = name, error
        self.lines: dict[Where, int] = {}
        self._events = self._checked(text)

    def _refuse(self, line: int, what: str) -> FleetCaptainError:
        return self.error(f"{self.name}:{line}: {what}")

    def _checked(self, text: str) -> Iterator[Any]:
        try:
            for event in YAML(typ="safe", pure=True).parse(text):
                line = event.start_mark.line + 1
                if isinstance(event, events.AliasEvent) or getattr(event, "anchor", None):
                    raise self._refuse(line, f"{event.anchor!r} is an anchor or alias: want the value itself")
                if isinstance(event, events.DocumentStartEvent) and (event.version or event.tags):
                    raise self._refuse(line, "a % directive: want none")
                tag = getattr(event, "tag", None)
                if tag is not None:
                    raise self._refuse(line, f"{tag!s:.40} is a tag: want a plain value")
                yield event
        except (ValueError, OverflowError) as problem:  # the parser's own slips, such as an escape beyond Unicode
            if isinstance(problem, FleetCaptainError):
                raise
            raise self.error(f"{self.name}: not YAML: an escape that stands for no character") from None
        except YAMLError as problem:
            mark = getattr(problem, "problem_mark", None)
            what = problem.problem if isinstance(problem, MarkedYAMLError) else str(problem)
            line = mark.line + 1 if mark is not None else 1
            raise self._refuse(line, f"not YAML: {' '.join(str(what).split())}") from None

    def document(self) -> Any:
        data = None
        for event in self._events:
            if isinstance(event, events.DocumentStartEvent) and event.explicit and self.lines:
                raise self._refuse(event.start_mark.line + 1, "a second document: want one")
            if isinstance(event, events.NodeEvent):
                if self.lines:
                    raise self._refuse(event.start_mark.line + 1, "a second document: want one")
                self.lines[()] = event.start_mark.line + 1
                data = self._node(event, ())
        return data

    def _node(self, event: Any, where: Where) -> Any:
        if len(where) > MAX_DEPTH:
            raise self._refuse(event.start_mark.line + 1, f"more than {MAX_DEPTH} levels: want fewer")
        if isinstance(event, events.MappingStartEvent):
            return self._mapping(where)
        if isinstance(event, events.SequenceStartEvent):
            return self._sequence(where)
        return self._scalar(event, where)

    def _mapping(self, where: Where) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for event in self._events:
            if isinstance(event, events.MappingEndEvent):
                break
            line = event.start_mark.line + 1
            key = self._scalar(event, where) if isinstance(event, events.ScalarEvent) else None
            if not isinstance(key, str):
                shown = _shown(event.value) if isinstance(event, events.ScalarEvent) else "a list or mapping"
                raise self._refuse(line, f"{spell(where)} has {shown} as a key: want a name")
            path = (*where, key)
            if key in mapping:
                raise self._refuse(
                    line, f"{spell(path)} is given twice, first in line {self.lines[path]}: want it once"
                )
            self.lines[path] = line
            mapping[key] = self._node(next(self._events), path)
        return mapping

    def _sequence(self, where: Where) -> list[Any]:
        items: list[Any] = []
        for event in self._events:
            if isinstance(event, events.SequenceEndEvent):
                break
            path = (*where, len(items))
            self.lines[path] = event.start_mark.line + 1
            items.append(self._node(event, path))
        return items

    def _scalar(self, event: Any, where: Where) -> Any:
        text = event.value
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise self._refuse(event.start_mark.line + 1, f"{spell(where)} holds half a surrogate pair: want text")
        if not event.implicit[0]:
            return text
        if _NULL.fullmatch(text):
            return None
        if _BOOL.fullmatch(text):
            return text.lower() == "true"
        if _INT.fullmatch(text) and len(text) <= _MAX_DIGITS:
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        is_int = _INT.fullmatch(text)
        if is_int or _NOT_FINITE.fullmatch(text) or _FLOAT.fullmatch(text):
            number = float(text) if _FLOAT.fullmatch(text) and not is_int else math.inf
            if math.isfinite(number):
                return number
            line = event.start_mark.line + 1
            raise self._refuse(
                line, f"{spell(where)} is {text:.40}: want a finite number of at most {_MAX_DIGITS} digits"
            )
        return text


# ---- validating


def load_model(
    path: str | PathLike[str],
    model: type[M],
    error: type[FleetCaptainError] = ConfigError,
    check: Check | None = None,
) -> M:
    """Read a file into a pydantic model. Raises ``error`` with one line for every problem found."""
    return validate(read(path, error), model, error, check)


def validate(
    document: Document, model: type[M], error: type[FleetCaptainError] = ConfigError, check: Check | None = None
) -> M:
    """The document as a model, which ``check`` may inspect further. Raises ``error``, one line for every problem."""
    try:
        made = model.model_validate(document.data)
    except ValidationError as refused:
        found = [_problem(document, model, dict(one)) for one in refused.errors(include_url=False)]
        raise error("\n".join(dict.fromkeys(found))) from None
    problems = [f"{document.at(where)} {what}" for where, what in (check(made) if check else ())]
    if problems:
        raise error("\n".join(problems))
    return made


def _problem(document: Document, model: type[BaseModel], one: dict[str, Any]) -> str:
    where, value = _where(document.data, one)
    at = document.at(where)
    if one["type"] == "extra_forbidden":
        known = list(_keys_of(_type_at(model, where[:-1])[0]))
        return f"{at} is not a key: {did_you_mean(str(where[-1]), known)}keys are {', '.join(known)}"
    _, field = _type_at(model, where)
    meaning = f" ({field.description})" if field is not None and field.description else ""
    if one["type"] == "missing":
        return f"{at} is missing: want it set{meaning}"
    if "[key]" in one["loc"]:
        return f"{at} is not a possible name: want {_want(one, field)}"
    return f"{at} is {_shown(value)}: want {_want(one, field)}{meaning}"


def _where(data: Any, one: dict[str, Any]) -> tuple[Where, Any]:
    """Key path and value of a problem; what pydantic adds for unions and for the keys of mappings is left out."""
    loc, path = one["loc"], []
    for number, part in enumerate(loc):
        in_mapping = isinstance(data, Mapping) and part in data
        if in_mapping or (isinstance(data, list) and isinstance(part, int) and part < len(data)):
            data = data[part]
        elif one["type"] != "missing" or number < len(loc) - 1:
            continue
        path.append(part)
    return tuple(path), data


def _type_at(model: type[BaseModel], where: Where) -> tuple[Any, FieldInfo | None]:
    """Annotation at a key path, and the field of a model nearest to it."""
    annotation: Any = model
    nearest: FieldInfo | None = None
    for part in where:
        annotation = _bare(annotation)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            nearest = _keys_of(annotation).get(str(part))
            annotation = nearest.annotation if nearest else Any
        elif get_origin(annotation) in (list, dict):
            annotation = get_args(annotation)[-1]
    return _bare(annotation), nearest


def _keys_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model by their keys in a document."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _bare(annotation: Any) -> Any:
    """An annotation without ``Annotated`` and ``| None``."""
    while True:
        origin, args = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            annotation = args[0]
        elif origin in (Union, UnionType) and len(args) == 2 and type(None) in args:
            annotation = args[0] if args[1] is type(None) else args[1]
        else:
            return annotation


_KINDS = {
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
}


def _want(one: dict[str, Any], field: FieldInfo | None) -> str:
    """What would be right, in words."""
    kind, message, context = one["type"], one["msg"], one.get("ctx", {})
    if kind in _KINDS:
        return _KINDS[kind]
    if kind == "value_error":
        return str(context["error"]).removeprefix("want ")
    if kind in ("too_short", "string_too_short"):
        return f"a length of at least {context['min_length']}"
    if kind in ("too_long", "string_too_long"):
        return f"a length of at most {context['max_length']}"
    if kind in ("greater_than_equal", "less_than_equal") and field is not None:
        ends = {name: getattr(limit, name) for limit in field.metadata for name in ("ge", "le") if hasattr(limit, name)}
        if len(ends) == 2:
            return f"a value from {ends['ge']} to {ends['le']}"
    if kind == "greater_than_equal":
        return f"a value of at least {context['ge']}"
    if kind == "less_than_equal":
        return f"a value of at most {context['le']}"
    if message.startswith("Input should be a valid "):
        return "a " + message.removeprefix("Input should be a valid ")
    return message.removeprefix("Input should be ")


def _shown(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, bool):
        return str(value).lower()
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    if len(text) > 60 and isinstance(value, list):
        return f"a list of {len(value)}"
    return text if len(text) <= 60 else text[:57] + "..."
