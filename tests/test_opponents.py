"""What an opponent may be given as, and how pools draw."""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fc_env import engine, opponents
from fc_env import errors as err
from fc_env.curriculum import Progress
from fc_env.observation import observe
from fc_env.opponents import Opposition, Pool, as_pool, lots, resolve
from fc_env.seeding import game_seeds
from tests.battles import duel

ROOT = Path(__file__).resolve().parent.parent
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The entry points of pyproject.toml, and some of another package, as installing would declare them."""
    other = {"argued": "tests.test_opponents:argued", "broken": "tests.no_such:x", "lost": "tests.test_opponents:lost"}
    declare(tmp_path, DECLARED[opponents.GROUP] | other)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield


def declare(folder: Path, entries: dict[str, str]) -> None:
    info = folder / "some_opponents-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-opponents\nVersion: 1\n", encoding="utf-8")
    lines = [f"[{opponents.GROUP}]", *(f"{name} = {place}" for name, place in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def first(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(axis=1)


def last(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def argued(setups: np.ndarray, argument: str) -> Any:
    assert len(setups) == 1
    return {"first": first, "last": last, "": first}[argument]


def nothing(setups: np.ndarray, argument: str) -> Any:
    return None


SETUPS = duel()
MASKS = np.zeros((3, 32), bool)
MASKS[0, [3, 5]] = MASKS[1, [1, 2, 31]] = MASKS[2, [0, 7]] = True
SEEN = np.zeros((3, 4), np.float32)


def test_all_that_is_declared_can_be_made() -> None:
    assert {"random", *opponents.LEVELS} <= set(DECLARED[opponents.GROUP])
    games = engine.new(SETUPS, range(3))
    masks = engine.legal_mask(games)
    for name in DECLARED[opponents.GROUP]:
        argument = ":2" if name in ("rollout", "mcts") else ""  # simulations a decision
        made = Opposition(name + argument, SETUPS)
        seen = observe(games, made.layouts[0])
        assert masks[np.arange(3), made.answer(0, seen, masks, np.zeros(3))].all()


def test_names_callables_and_factories() -> None:
    assert resolve(first, SETUPS) is first
    assert resolve("argued", SETUPS).__name__ == "first"
    assert resolve("argued:last", SETUPS).__name__ == "last"
    assert resolve("tests.test_opponents:argued", SETUPS).__name__ == "first"
    assert resolve("tests.test_opponents:argued:last", SETUPS).__name__ == "last"
    assert {"random", "argued"} <= set(opponents.names())
    assert Opposition(["easy", first], SETUPS).names == ("easy", "first")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("randon", "did you mean 'random'"),
        ("medum", "want a declared name"),
        ("no_such_module:x", "cannot be loaded"),
        ("tests.test_opponents:no_such", "cannot be loaded"),
        ("broken", "cannot be loaded"),
        ("lost", "cannot be loaded"),
        ("tests.test_opponents:SEEN", "want a factory"),
        ("tests.test_opponents:nothing", "want a callable"),
        ("random:7", "random takes no argument"),
        (7, "want a name, module:factory, a callable"),
        ([], "want a sequence of one or more"),
        ([first, None], "want a callable or a name"),
        ({"random": -1.0}, "want a number from 0"),
        ({"random": True}, "want a number from 0"),
        ({"random": float("nan")}, "want a number from 0"),
        ({"random": 0.0, "easy": 0}, "want one above 0"),
    ],
)
def test_what_is_none_is_refused(given: Any, message: str) -> None:
    with pytest.raises(err.ConfigError, match=message):
        Opposition(given, SETUPS)


def test_pools_that_contradict_themselves_are_refused() -> None:
    with pytest.raises(err.ConfigError, match="1 weights for 2"):
        Pool([first, last], [1.0])
    with pytest.raises(err.ConfigError, match="one or the other"):
        Pool([first, last], [1.0, 2.0], lambda progress: np.array([0.5, 0.5]))
    with pytest.raises(err.ConfigError, match="want a callable"):
        Pool([first, last], sample="even")  # type: ignore[arg-type]
    with pytest.raises(err.ConfigError, match="want a sequence"):
        Pool("random")


def drawn(given: Any, n: int = 4000, episode: int = 0) -> np.ndarray:
    chooser = Opposition(given, SETUPS).chooser
    return chooser.choose(np.arange(n), np.full(n, episode), game_seeds(range(n), episode))


def test_weights_are_the_chances() -> None:
    even = np.bincount(drawn([first, last]), minlength=2)
    assert abs(even[0] - 2000) < 200
    weighted = np.bincount(drawn({"argued:first": 3, "argued:last": 1, "random": 0}), minlength=3)
    assert abs(weighted[0] - 3000) < 200 and weighted[2] == 0
    assert not drawn(first).any()


def test_draws_depend_on_the_games_seed_only() -> None:
    chooser = Opposition([first, last], SETUPS).chooser
    raw = game_seeds(range(50))
    alone = [chooser.choose(np.array([9]), np.array([4]), raw[i : i + 1])[0] for i in range(50)]
    assert chooser.choose(np.arange(50), np.zeros(50, int), raw).tolist() == alone
    assert not np.array_equal(drawn([first, last], 50), drawn([first, last], 50, episode=1))


def test_a_sampling_rule_is_shown_how_it_went() -> None:
    told: list[Progress] = []

    def worst(progress: Progress) -> np.ndarray:
        told.append(progress)
        return np.full(len(progress.slots), int(progress.win_rate.argmin()))

    ready = Opposition(Pool([first, last], sample=worst), SETUPS)
    ready.chooser.note(np.array([0, 0, 1]), np.array([False, True, True]))
    assert ready.chooser.choose(np.arange(3), np.zeros(3, int), game_seeds(range(3))).tolist() == [0, 0, 0]
    assert told[0].games.tolist() == [2, 1] and told[0].win_rate.tolist() == [0.5, 1.0]
    wrong = Opposition(Pool([first, last], sample=lambda progress: np.array([0.5, 0.6])), SETUPS)
    with pytest.raises(err.ConfigError, match="opponent sampling gave"):
        wrong.chooser.choose(np.arange(3), np.zeros(3, int), game_seeds(range(3)))


def test_a_pool_of_one_is_that_one() -> None:
    assert as_pool("random").opponents == ["random"]
    pool = Pool([first])
    assert as_pool(pool) is pool


def test_lots_are_even_and_their_own() -> None:
    seeds = game_seeds(range(2000))
    one, next_one = lots(seeds, np.zeros(2000, np.int64)), lots(seeds, np.ones(2000, np.int64))
    for some in (one, next_one):
        assert (some >= 0).all() and (some < 1).all()
        counts = np.bincount((some * 10).astype(int), minlength=10)
        assert ((counts - 200) ** 2 / 200).sum() < 27.9  # 99.9% of chi-square with 9 degrees
    assert abs(np.corrcoef(one, next_one)[0, 1]) < 0.1


def test_any_legal_action_is_as_likely() -> None:
    player = resolve("random", SETUPS)
    masks = np.zeros((3000, 32), bool)
    masks[:, [2, 9, 31]] = True
    chosen = Opposition("random", SETUPS).answer(0, SEEN, masks, lots(game_seeds(range(3000)), np.zeros(3000, int)))
    counts = np.bincount(chosen, minlength=32)
    assert counts[[2, 9, 31]].sum() == 3000 and (abs(counts[[2, 9, 31]] - 1000) < 120).all()
    ends = player(SEEN, MASKS, np.array([0.0, 1 - 2**-53, 0.5]))  # type: ignore[call-arg]
    assert ends.tolist() == [3, 31, 7]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.array([3, 1]), r"int64 \(2,\): want integers \(3,\)"),
        (np.array([3.0, 1.0, 0.0]), "float64"),
        (np.array([3, 4, 0]), "chose action 4"),
        (np.array([3, 1, 32]), "chose action 32"),
        (np.array([-29, 1, 0]), "chose action -29"),
        (None, "object"),
    ],
)
def test_an_answer_that_is_none_is_refused_by_name(answer: Any, message: str) -> None:
    def odd(observations: np.ndarray, masks: np.ndarray) -> Any:
        return answer

    with pytest.raises(err.IllegalActionError, match=f"opponent 'odd'.*{message}"):
        Opposition(odd, SETUPS).answer(0, SEEN, MASKS, np.zeros(3))


def test_an_opponent_cannot_write_into_what_it_is_shown() -> None:
    def vandal(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        chosen = masks.argmax(axis=1)
        observations[:], masks[:] = 9.0, True
        return chosen

    seen, masks = SEEN.copy(), MASKS.copy()
    Opposition(vandal, SETUPS).answer(0, seen, masks, np.zeros(3))
    assert np.array_equal(seen, SEEN) and np.array_equal(masks, MASKS)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "opponent 3: want a name"),
        (b"easy", "want a name, module:factory, a callable"),
        ("agents.random:AnyLegal", "want a factory of"),
        (".agents:make", "cannot be loaded"),
        (type("Player", (), {}), "opponent Player is a class"),
    ],
)
def test_what_is_no_opponent_is_refused_by_what_it_is(given: Any, words: str) -> None:
    with pytest.raises(err.ConfigError, match=words):
        Opposition(given, SETUPS)


@pytest.mark.parametrize("weights", [3, "12", {1, 2}, [1, 10**400], [float("inf"), 1]])
def test_weights_that_are_none_are_refused(weights: Any) -> None:
    with pytest.raises(err.ConfigError, match="opponent weight"):
        Pool(["easy", "hard"], weights)
