"""PettingZoo AEC environment ``fleet_captain_v0``: every seat is an agent, asked one after the other.

>>> from fc_env import pettingzoo_env
>>> env = pettingzoo_env.env(scenario="duel")
>>> env.reset(seed=7)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     over = termination or truncation
...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

It needs ``pettingzoo`` (the extra of that name).
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import gymnasium as gym
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from fc_env import actions as act
from fc_env import seeding
from fc_env.actions import action_name, whole_action
from fc_env.batch import OUTCOMES, Batch
from fc_env.errors import ConfigError, GameOverError, IllegalActionError
from fc_env.render import MODES, renderer
from fc_env.reward import Rewarder, RewardLike, reward_config
from fc_env.ruleset import RuleSet
from fc_env.scenarios import load_setups
from fc_env.state import SEATS
from fc_env.validity import check_array

NAME = "fleet_captain_v0"
AGENTS = tuple(f"seat_{seat}" for seat in range(SEATS))


class _InOrder(wrappers.OrderEnforcingWrapper):
    """The wrapper that refuses calls in the wrong order; a state that is set is as good as a reset."""

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore what ``get_state`` gave. Raises ConfigError."""
        self.env.set_state(state)
        self._has_reset = True


def env(*arguments: Any, **named: Any) -> AECEnv:
    """The environment as users want it, which refuses calls in the wrong order. Arguments of ``raw_env``."""
    return _InOrder(raw_env(*arguments, **named))


class raw_env(AECEnv):
    """A game between captains, or of one, as a game for agents ``seat_0`` and ``seat_1``.

    ## Action space
    ``Discrete(32)``, as of ``fc_env.env.FleetCaptainEnv``; an agent may be asked several times running. What is not
    legal is refused with IllegalActionError, and the game goes on unchanged.

    ## Observation space
    ``Dict``: ``observation``, ``Box`` float32 (D,), what the agent's seat may know, right for each agent at every step
    (``observe``); ``action_mask``, int8 (32,), all 0 for an agent that may not act.

    ## Rewards
    At the end as of ``fc_env.reward.result``: a win is +1, a loss -1, a draw 0. Further terms of ``reward`` run from
    one of the agent's own decisions to the next, and are given when it is asked again.

    ## Episode end
    All agents are terminated when the game ends, or all truncated after ``max_cycles`` decisions. Each then takes one
    last ``step(None)``.

    ## Information
    ``turn``, counted from 1; after a step ``reward_terms`` of an agent that gets a reward; at the end ``outcome``.

    ## Arguments
    ``scenario``, ``field``, ``rules``, ``seed_space``, ``reward``, ``render_mode`` and ``aids`` as of
    ``FleetCaptainEnv``; ``max_cycles``: an integer from 1, or None for no limit but that of the game. Raises
    ScenarioError, SeedError, ConfigError.

    ## Versions
    v0: first version.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as the library types it
        "name": NAME,
        "render_modes": list(MODES),
        "render_fps": 4,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        scenario: str | PathLike[str] | np.ndarray = "duel",
        field: str | None = None,
        rules: RuleSet | Mapping[str, Any] | None = None,
        seed_space: str = "train",
        reward: RewardLike = None,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        aids: bool = False,
    ) -> None:
        super().__init__()
        renderer(render_mode)
        if max_cycles is not None and (
            isinstance(max_cycles, bool) or not isinstance(max_cycles, (int, np.integer)) or max_cycles < 1
        ):
            raise ConfigError(f"max_cycles {max_cycles!r}: want an integer from 1, or None")
        setups = load_setups(scenario if isinstance(scenario, np.ndarray) else [(scenario, field)], rules)
        self.batch = Batch(setups, 1, seed_space, aids=aids)
        self.layout = self.batch.layout
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        sides = setups["game"]["n_ships"].max(axis=0) > 0
        self.possible_agents = [agent for agent, there in zip(AGENTS, sides, strict=True) if there]
        self.agents: list[str] = []
        self._rewarders = [Rewarder(reward_config(reward), 1) for _ in AGENTS]
        self._asked = np.zeros(SEATS, np.bool_)
        """Seats that were asked in this game: rewards run from their first decision on."""
        self._cycles = 0
        low, high = self.layout.bounds()
        self.observation_spaces: dict[str, gym.spaces.Space] = {
            agent: self._space(low, high) for agent in self.possible_agents
        }
        self.action_spaces: dict[str, gym.spaces.Space] = {
            agent: gym.spaces.Discrete(act.N_ACTIONS) for agent in self.possible_agents
        }

    @staticmethod
    def _space(low: np.ndarray, high: np.ndarray) -> gym.spaces.Dict:
        mask = gym.spaces.Box(0, 1, (act.N_ACTIONS,), np.int8)
        return gym.spaces.Dict({"observation": gym.spaces.Box(low, high, dtype=np.float32), "action_mask": mask})

    # ---- PettingZoo

    def observation_space(self, agent: str) -> gym.spaces.Space:
        """The same space object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gym.spaces.Space:
        """The same space object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game: of the seed, or else the next one after the last. Raises SeedError.

        There are no ``options``; as in PettingZoo's own environments any are passed over, which its tests rely on.
        """
        self.batch.reset(None if seed is None else [seeding.check_seed(seed)])
        self._cycles = 0
        self._asked[:] = False
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._take_stock()
        self._give_rewards()
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees now, whether it acts or not. Raises NotResetError, ConfigError for no such agent."""
        if agent not in self.possible_agents:
            raise ConfigError(f"agent {agent!r}: want one of {', '.join(self.possible_agents)}")
        seat = AGENTS.index(agent)
        mask = np.zeros(act.N_ACTIONS, np.int8)
        if self.agents and not self._ended and self.batch.actors[0] == seat:
            mask[:] = self.batch.masks[0]
        return {"observation": self.batch.seen_by(np.array([seat]))[0], "action_mask": mask}

    def step(self, action: Any) -> None:
        """One action of the agent that is asked; None, and nothing else, of one that has ended.

        Raises IllegalActionError, GameOverError or NotResetError; then nothing has changed.
        """
        self.batch.need_reset()
        if not self.agents:
            raise GameOverError("every agent has ended: want a reset")
        if self._ended:
            self._leave(action)
            return
        number = whole_action(action)
        if not 0 <= number < act.N_ACTIONS:
            raise IllegalActionError(self.batch.why_illegal(0, number))
        acted = AGENTS[self.batch.actors[0]]
        self.batch.step(np.array([number]))
        self._cycles += 1
        self._cumulative_rewards[acted] = 0.0
        self._clear_rewards()
        self._take_stock()
        self._give_rewards()
        self._accumulate_rewards()

    def render(self) -> Any:
        """A picture of the game as it stands, as the render mode says; None without one. Raises NotResetError."""
        draw = renderer(self.render_mode)
        if draw is None:
            return None
        self.batch.need_reset()
        return draw(self.batch.games[0].copy())

    def close(self) -> None:
        """Nothing is held open."""

    # ---- inside

    @property
    def _ended(self) -> bool:
        """Whether the game is over or was cut short, for all agents alike."""
        return bool(self.batch.over[0]) or self._too_long

    @property
    def _too_long(self) -> bool:
        return self.max_cycles is not None and self._cycles >= self.max_cycles and not self.batch.over[0]

    def _take_stock(self) -> None:
        """Note of all agents who is asked, who has ended, and what they are told."""
        over, cut = bool(self.batch.over[0]), self._too_long
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, cut)
        told: dict[str, Any] = {"turn": self.batch.turns.item(0)}
        if over:
            told["outcome"] = OUTCOMES[self.batch.games["outcome"][0]]
        self.infos = {agent: dict(told) for agent in self.agents}
        self.agent_selection = self.agents[0] if over or cut else AGENTS[self.batch.actors[0]]

    def _give_rewards(self) -> None:
        """Rewards of the seats that are asked now, or of all at the end."""
        batch = self.batch
        for agent in self.agents:
            seat = AGENTS.index(agent)
            seats = np.array([seat])
            if not self._ended and batch.actors[0] != seat:
                continue
            if not self._asked[seat]:
                self._rewarders[seat].reset(batch.games, seats=seats)
                self._asked[seat] = True
                if not batch.over[0]:
                    continue
            reward, terms = self._rewarders[seat].step(batch.games, batch.results[:, seat], seats)
            self.rewards[agent] = reward.item(0)
            self.infos[agent]["reward_terms"] = {name: term.item(0) for name, term in terms.items()}

    def _leave(self, action: Any) -> None:
        """The last step of an agent that has ended."""
        agent = self.agents[0]
        if action is not None:
            raise GameOverError(f"{agent} has ended: want the action None, not {action!r}")
        self.agents.remove(agent)
        tables: list[dict[str, Any]] = [self.rewards, self._cumulative_rewards, self.infos]
        for table in (*tables, self.terminations, self.truncations):
            del table[agent]
        self._clear_rewards()
        if self.agents:
            self.agent_selection = self.agents[0]

    # ---- beyond PettingZoo

    def action_name(self, action: int) -> str:
        """The action in words. Raises IllegalActionError if there is no such action."""
        return action_name(action)

    def why_illegal(self, action: int) -> str:
        """A sentence: why an action is not legal now, and which are; empty if it is. Raises as of FleetCaptainEnv."""
        return self.batch.why_illegal(0, action)

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything play depends on but the arguments, as plain arrays; ``set_state`` goes on from there.

        Raises NotResetError.
        """
        self.batch.need_reset()
        state = dict(self.batch.get_state())
        state["cycles"] = np.array([self._cycles])
        state["asked"] = self._asked.copy()
        state["agents"] = np.array([agent in self.agents for agent in AGENTS])
        for name, table in (("rewards", self.rewards), ("cumulative_rewards", self._cumulative_rewards)):
            state[name] = np.array([table.get(agent, 0.0) for agent in AGENTS])
        for seat, rewarder in enumerate(self._rewarders):
            state |= {f"seat_{seat}_{name}": array for name, array in rewarder.get_state().items()}
        return state

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore what ``get_state`` gave; only ``reward_terms`` come again with the next step.

        Raises ConfigError for anything else; then nothing has changed.
        """
        own = {"cycles": np.zeros(1, np.int64), "asked": self._asked, "agents": np.zeros(SEATS, np.bool_)}
        own |= {name: np.zeros(SEATS) for name in ("rewards", "cumulative_rewards")}
        for seat, rewarder in enumerate(self._rewarders):
            own |= {f"seat_{seat}_{name}": array for name, array in rewarder.get_state().items()}
        for name, array in own.items():
            check_array(state, name, array)
        self.batch.set_state(state)
        self._cycles = int(state["cycles"][0])
        self._asked[:] = state["asked"]
        self.agents = [agent for agent in self.possible_agents if state["agents"][AGENTS.index(agent)]]
        for seat, rewarder in enumerate(self._rewarders):
            prefix = f"seat_{seat}_"
            rewarder.set_state({k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)})
        if self.agents:
            self._take_stock()
        else:
            self.terminations, self.truncations, self.infos = {}, {}, {}
        self.rewards = {agent: state["rewards"].item(AGENTS.index(agent)) for agent in self.agents}
        self._cumulative_rewards = {a: state["cumulative_rewards"].item(AGENTS.index(a)) for a in self.agents}


__all__ = ["NAME", "env", "raw_env"]
