"""Configuration files: what is read as what, and that every refusal is one line with file, line, key and value."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Annotated, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from fc_env import strict_yaml
from fc_env.errors import ConfigError, ScenarioError


def parsed(text):
    return strict_yaml.parse(text.encode(), "some.yaml").data


VALUES = [
    ("1", 1),
    ("-3", -3),
    ("+3", 3),
    ("0110", 110),
    ("0o17", 15),
    ("0x1F", 31),
    ("1e-4", 1e-4),
    ("1E-4", 1e-4),
    ("1e3", 1000.0),
    ("-2.5e+10", -2.5e10),
    (".5", 0.5),
    ("5.", 5.0),
    ("3e-4", 3e-4),
    ("true", True),
    ("False", False),
    ("null", None),
    ("~", None),
    ("", None),
    ("no", "no"),
    ("on", "on"),
    ("Yes", "Yes"),
    ("N", "N"),
    ("1_000", "1_000"),
    ("12:30", "12:30"),
    ("2026-11-30", "2026-11-30"),
    ("1e", "1e"),
    ("e5", "e5"),
    (".", "."),
    ("-", [None]),
    ("0b1", "0b1"),
    ('"1e-4"', "1e-4"),
    ("'true'", "true"),
    ('""', ""),
    ("[1, 2.0, x]", [1, 2.0, "x"]),
    ("{b: 1, a: []}", {"b": 1, "a": []}),
    ("<<", "<<"),
    ("Ærø", "Ærø"),
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[repr(text) for text, _ in VALUES])
def test_read_as(text, value):
    if text == "-":
        assert parsed("key:\n  -\n") == {"key": value}
        return
    read = parsed(f"key: {text}\n")["key"]
    assert read == value and type(read) is type(value)
    if isinstance(value, (int, float, str)):
        again = strict_yaml.parse_value(text)
        assert again == value and type(again) is type(value)


REFUSED_FILES = {
    "empty": ("", 1, "want a mapping"),
    "comment only": ("# nothing\n", 1, "want a mapping"),
    "list on top": ("- 1\n- 2\n", 1, "want a mapping"),
    "text on top": ("hello\n", 1, "want a mapping"),
    "key twice": ("a: 1\nb: 2\na: 3\n", 3, "a is given twice, first in line 1"),
    "key twice inside": ("a:\n  b: [{c: 1,\n   c: 2}]\n", 3, "a.b[0].c is given twice, first in line 2"),
    "key twice, quoted": ("a: 1\n'a': 3\n", 2, "a is given twice"),
    "anchor": ("a: 1\nb: &x 2\n", 2, "'x' is an anchor or alias"),
    "anchor on a mapping": ("a: &x {b: 1}\n", 1, "'x' is an anchor or alias"),
    "anchor on a key": ("&x a: 1\n", 1, "'x' is an anchor or alias"),
    "alias": ("a: 1\nb: *x\n", 2, "'x' is an anchor or alias"),
    "merge": ("a: 1\n<<: *a\n", 2, "'a' is an anchor or alias"),
    "python tag": ("a: !!python/object/apply:os.system ['false']\n", 1, "is a tag"),
    "own tag": ("a: 1\nb: !include other.yaml\n", 2, "is a tag"),
    "plain tag": ("a: !!str 5\n", 1, "is a tag"),
    "bare tag": ("a: ! 5\n", 1, "is a tag"),
    "version": ("%YAML 1.1\n---\na: 1\n", 2, "% directive"),
    "tag directive": ("%TAG !e! tag:example.com,2000:\n---\na: 1\n", 2, "% directive"),
    "two documents": ("a: 1\n---\nb: 2\n", 2, "a second document"),
    "second one, unmarked": ("a: 1\n...\nb: 2\n", 3, "a second document"),
    "second one empty": ("a: 1\n---\n", 2, "a second document"),
    "number as key": ("a:\n  3: 1\n", 2, "a has '3' as a key"),
    "true as key": ("true: 1\n", 1, "the file has 'true' as a key"),
    "nothing as key": (": 1\n", 1, "the file has '' as a key"),
    "list as key": ("? [a, b]\n: 1\n", 1, "list or mapping as a key"),
    "infinity": ("a: 1\nb: .inf\n", 2, "b is .inf: want a finite number"),
    "minus infinity": ("b: -.INF\n", 1, "b is -.INF: want a finite number"),
    "nan": ("b: [1, .nan]\n", 1, "b[1] is .nan: want a finite number"),
    "too large": ("b: 1e999\n", 1, "b is 1e999: want a finite number"),
    "too many digits": (f"b: {'9' * 5000}\n", 1, "want a finite number of at most 20 digits"),
    "tab": ("a: 1\n\tb: 2\n", 2, "not YAML"),
    "open bracket": ("a: [1, 2\n", 2, "not YAML"),
    "open quote": ('a: "x\n', 2, "not YAML"),
    "bad indent": ("a: 1\n  b: 2\n", 2, "not YAML"),
    "control character": ("a: 1\nb: \x00\n", 1, "not YAML"),
    "half a surrogate": ('a: "\\ud800"\n', 1, "half a surrogate"),
    "deep": ("a: " + "[" * 40 + "]" * 40, 1, "levels"),
    "deeper": ("a: " + "[" * 500, 1, "levels"),
    "deep mappings": ("{a: " * 5000, 1, "levels"),
}


@pytest.mark.parametrize("case", REFUSED_FILES)
def test_refused(case, tmp_path):
    text, line, says = REFUSED_FILES[case]
    file = tmp_path / "some.yaml"
    file.write_bytes(text.encode())
    for error in (ConfigError, ScenarioError):
        with pytest.raises(error) as refused:
            strict_yaml.read(file, error)
        message = str(refused.value)
        assert message.startswith(f"{file}:{line}: ") and says in message
        assert len(message.splitlines()) == 1 and len(message) < 300 + len(str(file))


def test_alias_bomb_refused_at_its_first_anchor():
    layers = ["a: &a [lol]"] + [
        f"{b}: &{b} [{', '.join(['*' + a] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    with pytest.raises(ConfigError, match=r"some.yaml:1: 'a' is an anchor"):
        parsed("\n".join(layers))


def test_file_too_large():
    text = "a: 1 #" + "x" * (strict_yaml.MAX_BYTES - 6)
    assert parsed(text) == {"a": 1}
    with pytest.raises(ConfigError, match=f"larger than {strict_yaml.MAX_BYTES} bytes"):
        parsed(text + "x")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_not_utf_8(encoding):
    with pytest.raises(ConfigError, match=r"some.yaml:\d: byte 0x[0-9a-f]+ is not UTF-8"):
        strict_yaml.parse("a: 1\nb: Ærø\n".encode(encoding), "some.yaml")


def test_byte_order_mark_is_no_part_of_a_key():
    assert strict_yaml.parse(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", "some.yaml").data == {"a": 1, "b": 2}


def test_document_marks_are_allowed():
    assert parsed("# first\n---\na: 1\n...\n") == {"a": 1}
    assert parsed("---\na: 1\n") == {"a": 1}


def test_no_file(tmp_path):
    for path, says in [
        (tmp_path / "none.yaml", "there is no such file"),
        (tmp_path, "is not a file"),
        ("/dev/zero", "is not a file"),
        ("x" * 5000, "cannot be read|there is no such file"),
        ("a\x00b", "cannot be read|there is no such file"),
        ("", "is not a file"),
    ]:
        with pytest.raises(ConfigError, match=says) as refused:
            strict_yaml.read(path)
        assert len(str(refused.value).splitlines()) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_named_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(ConfigError, match="is not a file"):
        strict_yaml.read(tmp_path / "pipe.yaml")


def test_lines_of_key_paths():
    text = "# first\na: 1\nb:\n  - x\n  - c: 2\n    d:\n      - 3\ne: {f: 1,\n    g: 2}\n"
    document = strict_yaml.parse(text.encode(), "some.yaml")
    expected = {
        (): 2, ("a",): 2, ("b",): 3, ("b", 0): 4, ("b", 1): 5, ("b", 1, "c"): 5, ("b", 1, "d"): 6,
        ("b", 1, "d", 0): 7, ("e",): 8, ("e", "f"): 8, ("e", "g"): 9,
    }  # fmt: skip
    assert dict(document.lines) == expected
    assert document.line(("e", "missing")) == 8 and document.line(("nowhere", "at", "all")) is None
    assert document.at(("b", 1, "d", 0)) == "some.yaml:7: b[1].d[0]"


def test_with_value_leaves_the_document_alone():
    document = strict_yaml.parse(b"a: 1\nb: {c: 2, d: 3}\n", "some.yaml")
    changed = document.with_value(("b", "c"), 5).with_value(("x", "y"), [6])
    assert changed.data == {"a": 1, "b": {"c": 5, "d": 3}, "x": {"y": [6]}}
    assert document.data == {"a": 1, "b": {"c": 2, "d": 3}}
    assert changed.at(("b", "d")) == "some.yaml:2: b.d"
    assert changed.at(("b", "c")) == "some.yaml: b.c" and changed.at(("x", "y", 0)) == "some.yaml: x.y[0]"


class Net(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    sizes: list[Annotated[int, Field(ge=1)]] = [64]
    act: Literal["tanh", "relu"] = "tanh"


class Config(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    steps: int = Field(ge=1, le=100, description="how many")
    rate: float = 0.5
    name: str | None = None
    net: Net = Net()
    more: dict[str, Net] = {}
    either: int | str = 0


def config(text, check=None):
    return strict_yaml.validate(strict_yaml.parse(text.encode(), "c.yaml"), Config, ConfigError, check)


def test_model_made():
    made = config("steps: 5\nrate: 1e-4\nnet: {sizes: [1, 2], act: relu}\nmore: {x: {act: tanh}}\n")
    assert (made.steps, made.rate, made.net.sizes, made.more["x"].act) == (5, 1e-4, [1, 2], "tanh")
    assert config("steps: 5\nrate: 1\n").rate == 1.0


PROBLEMS = [
    ("steps: 0", "c.yaml:1: steps is 0: want a value from 1 to 100 (how many)"),
    ("steps: 101", "c.yaml:1: steps is 101: want a value from 1 to 100 (how many)"),
    ("steps: 1e1", "c.yaml:1: steps is 10.0: want an integer (how many)"),
    ("steps: true", "c.yaml:1: steps is true: want an integer (how many)"),
    ("steps: '5'", "c.yaml:1: steps is '5': want an integer (how many)"),
    ("steps:", "c.yaml:1: steps is empty: want an integer (how many)"),
    ("name: x", "c.yaml:1: steps is missing: want it set (how many)"),
    ("steps: 1\nrate: 1e", "c.yaml:2: rate is '1e': want a number"),
    ("steps: 1\nrate: false", "c.yaml:2: rate is false: want a number"),
    ("steps: 1\nname: 5", "c.yaml:2: name is 5: want text"),
    ("steps: 1\nnet: 5", "c.yaml:2: net is 5: want a mapping of keys to values"),
    ("steps: 1\nnet:", "c.yaml:2: net is empty: want a mapping of keys to values"),
    ("steps: 1\nnet:\n  sizes: 5", "c.yaml:3: net.sizes is 5: want a list"),
    ("steps: 1\nnet:\n  sizes:\n  - 1\n  - 0", "c.yaml:5: net.sizes[1] is 0: want a value of at least 1"),
    ("steps: 1\nnet:\n  act: gelu", "c.yaml:3: net.act is 'gelu': want 'tanh' or 'relu'"),
    ("steps: 1\nnet:\n  atc: relu", "c.yaml:3: net.atc is not a key: did you mean 'act'? keys are sizes, act"),
    ("steps: 1\nmore:\n  q:\n    sizse: []", "c.yaml:4: more.q.sizse is not a key: did you mean 'sizes'? keys are"),
    ("steps: 1\nzzz: 1", "c.yaml:2: zzz is not a key: keys are steps, rate, name, net, more, either"),
    ("steps: 1\neither: []", "c.yaml:2: either is []: want "),
    ('steps: 1\n"a\\nb": 2', "c.yaml:2: 'a\\nb' is not a key: keys are"),
]


@pytest.mark.parametrize(("text", "line"), PROBLEMS, ids=[text for text, _ in PROBLEMS])
def test_problem_of_a_value(text, line):
    with pytest.raises(ConfigError) as refused:
        config(text)
    assert str(refused.value).splitlines()[0].startswith(line)


def test_all_problems_at_once(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("step: 1\nrate: x\nnet:\n  act: 1\n", encoding="utf-8")
    with pytest.raises(ScenarioError) as refused:
        strict_yaml.load_model(file, Config, ScenarioError)
    lines = str(refused.value).splitlines()
    assert len(lines) == 4
    assert all(re.match(rf"{re.escape(str(file))}:\d+: \S+ is ", line) for line in lines)


def test_checks_of_the_caller():
    def check(made):
        yield ("net", "sizes", 0), f"is {made.net.sizes[0]}: want an even number"
        yield ("rate",), "is usual: want it said"

    with pytest.raises(ConfigError) as refused:
        config("steps: 1\nnet:\n  sizes: [3]\n", check)
    assert str(refused.value).splitlines() == [
        "c.yaml:3: net.sizes[0] is 3: want an even number",
        "c.yaml:1: rate is usual: want it said",
    ]
    assert config("steps: 1", lambda made: ()).steps == 1


PIECES = ["a", "b: ", "- ", "[", "]", "{", "}", ",", ": ", "\n", "  ", "#", "&x ", "*x", "!t ", "'", '"', "|", ">",
          "?", "1e9", "%", "---", "...", "\\", "\t", "\u2028", "é", "0x", "~", '"\\UFFFFFFFF"', "\x07"]  # fmt: skip


@settings(max_examples=300)
@given(st.one_of(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.text(max_size=40)))
def test_any_text_is_read_or_refused_in_one_line(text):
    try:
        document = strict_yaml.parse(text.encode("utf-8", "surrogatepass"), "some.yaml")
    except ConfigError as refused:
        assert len(str(refused).splitlines()) == 1 and str(refused).isprintable()
    else:
        assert isinstance(document.data, dict)


@settings(max_examples=200)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(raw):
    try:
        strict_yaml.parse(raw, "some.yaml")
    except ConfigError as refused:
        assert len(str(refused).splitlines()) == 1


def test_reading_needs_no_compiler():
    code = "import sys, fc_env.strict_yaml; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
