"""Environments of reinforcement learning: the libraries' own checks, determinism, the certificate, refusals."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import REPOSITORY

import windward as ww

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'windward[gym]'")
pettingzoo = pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install 'windward[gym]'")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from pettingzoo.test import parallel_api_test, parallel_seed_test  # noqa: E402

import windward.gym  # noqa: E402
from windward.gym import PRESETS, Drawn, Env, VectorEnv, bench, parallel_env  # noqa: E402
from windward.gym._best import best  # noqa: E402
from windward.gym._core import OBSERVATIONS, OF_AGENT, STRENGTHS  # noqa: E402
from windward.gym._rewards import REWARDS  # noqa: E402
from windward.gym._sources import compiled  # noqa: E402

DOWNLOAD = PRESETS["Download"]["scenario"]
#: Background traffic takes all of the link.
NO_OPTIMUM = {
    **DOWNLOAD,
    "background": [{"name": "noise", "from": "a", "to": "b", "pattern": {"kind": "cbr", "rate": "13 Mbit/s"}}],
}
LOSSY = {**DOWNLOAD, "link": [{**DOWNLOAD["link"][0], "loss": "0.5 %"}]}


def play(envs: VectorEnv, steps: int, seed: int = 5) -> list[bytes]:
    """All that some steps of random actions give, as bytes."""
    random = np.random.default_rng(seed)
    observations, infos = envs.reset(seed=seed)
    found = [observations.tobytes()]
    for _ in range(steps):
        actions = random.uniform(-1, 1, envs.action_space.shape).astype(np.float32)
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        found += [
            values.tobytes() for values in (observations, rewards, terminations, truncations, infos["episode_regret"])
        ]
    return found


@pytest.mark.parametrize("name", ["Download", "BesideCubic", "Aurora", "Wifi"])
def test_gymnasium_finds_no_fault(name: str) -> None:
    env = gymnasium.make(f"windward/{name}-v0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The wrappers of `make` are Gymnasium's own.
        check_env(env.unwrapped, skip_render_check=True)


def test_discrete_actions_and_several_agents_are_spaces_that_gymnasium_accepts() -> None:
    for options in ({"action": "discrete"}, {"agents": 2, "action": "discrete"}, {"agents": 2}):
        check_env(Env(**{**PRESETS["Share"], **options}), skip_render_check=True)


def test_pettingzoo_finds_no_fault() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel_env("Share"), num_cycles=300)
        parallel_seed_test(lambda: parallel_env("Share"), num_cycles=20)


def test_agents_join_when_their_flows_begin_and_leave_when_they_are_done() -> None:
    flows = [
        {"name": "first", "from": "a", "to": "b", "law": "reno", "size": "1 MB"},
        {"name": "late", "from": "a", "to": "b", "law": "reno", "start": "2 s", "size": "1 MB"},
    ]
    env = windward.gym.ParallelEnv({**DOWNLOAD, "flow": flows}, agents=2, reward="power")
    env.reset(seed=1)
    assert env.agents == ["first"]
    seen, ends = [], {}
    while env.agents:
        _, rewards, terminated, truncated, infos = env.step({name: np.array([0.5]) for name in env.agents})
        assert rewards.keys() == terminated.keys() == infos.keys()
        seen.append(tuple(rewards))
        ends |= {name: infos[name]["time_s"] for name in rewards if terminated[name]}
        assert not any(truncated.values())
    assert ("late",) in seen
    assert ends["first"] < 5
    assert ends["late"] > 2


def test_threads_and_the_number_of_environments_change_no_byte() -> None:
    one = play(VectorEnv(LOSSY, num_envs=12, threads=1), 150)
    for threads in (2, 8):
        assert play(VectorEnv(LOSSY, num_envs=12, threads=threads), 150) == one


def test_an_environment_of_a_vector_is_the_single_one_of_its_seed() -> None:
    envs, env = VectorEnv(LOSSY, num_envs=3), Env(LOSSY)
    many, _ = envs.reset(seed=7)
    one, _ = env.reset(seed=9)
    random = np.random.default_rng(1)
    for _ in range(400):
        assert np.array_equal(many[2], one)
        actions = random.uniform(-1, 1, (3, 1)).astype(np.float32)
        many, rewards, *_, infos = envs.step(actions)
        one, reward, terminated, truncated, info = env.step(actions[2])
        assert reward == rewards[2]
        assert info["episode_regret"] == infos["episode_regret"][2]
        if terminated or truncated:
            assert info["ending"] == "duration"
            many, *_ = envs.step(actions)
            one, _ = env.reset()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_episodes_begin_again_as_the_mode_says(mode: str) -> None:
    envs = VectorEnv(DOWNLOAD, num_envs=2, max_steps=3, autoreset_mode=mode)
    envs.reset(seed=1)
    idle = np.zeros((2, 1), dtype=np.float32)
    for _ in range(2):
        assert not envs.step(idle)[3].any()
    observations, _, terminations, truncations, infos = envs.step(idle)
    assert truncations.all()
    assert not terminations.any()
    if mode == "NextStep":
        _, rewards, _, truncations, infos = envs.step(idle)
        assert not rewards.any()
        assert not truncations.any()
        assert (infos["time_s"] < 0.5).all()
    elif mode == "SameStep":
        assert infos["_final_obs"].all()
        assert not np.array_equal(infos["final_obs"][0], observations[0])
        assert (infos["final_info"]["time_s"] > infos["time_s"]).all()
    else:
        with pytest.raises(ValueError, match="their episodes are over"):
            envs.step(idle)
        before = observations.copy()
        after, _ = envs.reset(options={"reset_mask": np.array([False, True])})
        assert np.array_equal(after[0], before[0])
        assert not np.array_equal(after[1], before[1])
        with pytest.raises(ValueError, match="2 truths"):
            envs.reset(options={"reset_mask": np.zeros(2, dtype=np.bool_)})
    envs.reset(seed=3)
    assert not envs.step(idle)[3].any()


def simulated(plain: dict, seed: int, law: object, tmp_path: Path) -> ww.Run:
    """The run of a mapping with another law of its first flow."""
    path = tmp_path / "plain.json"
    flows = [{**plain["flow"][0], "law": law}, *plain["flow"][1:]]
    path.write_text(json.dumps({**plain, "flow": flows, "seeds": [seed]}), encoding="utf-8")
    return ww.load(path).simulate()


def idle(env: Env) -> dict:
    """The tables of an episode in which nothing is done."""
    env.reset(seed=4)
    while env.step(np.zeros(1))[4]["ending"] == "":
        pass
    found = env.finish()
    assert found is not None
    return found


CONSTANT = """
import windward as ww


class Constant(ww.Law):
    def __init__(self, cwnd):
        self.cwnd = cwnd

    def on_ack(self, ack): ...

    def on_congestion(self, congestion): ...
"""


def test_a_constant_window_has_the_figures_of_a_simulation(tmp_path: Path) -> None:
    (tmp_path / "constant.py").write_text(CONSTANT, encoding="utf-8")
    found = idle(Env(LOSSY, every="50 ms"))
    law = {"name": "python", "class": "constant.py:Constant"}
    expected = simulated(LOSSY, found["seed"], law, tmp_path).flows
    for column in ("goodput_bps", "segments_sent", "mean_rtt_s", "mean_window_rate_pps"):
        assert found["flows"][column][0] == expected[column][0], column


@pytest.mark.parametrize("law", ["cubic", {"name": "quic-tcp", "backlog": 20}])
def test_a_law_beneath_an_agent_that_does_nothing_is_that_law(law: object, tmp_path: Path) -> None:
    found = idle(Env({**LOSSY, "flow": [{**LOSSY["flow"][0], "law": law}]}, over_law=True))
    expected = simulated(LOSSY, found["seed"], law, tmp_path).flows
    for column in ("goodput_bps", "segments_sent", "mean_rtt_s"):
        assert found["flows"][column][0] == expected[column][0], column


def test_the_regret_is_that_of_the_goodputs_and_the_optimum() -> None:
    env = Env(PRESETS["BesideCubic"]["scenario"], every="200 ms", certify=True)
    _, info = env.reset(seed=1)
    _, rates = best(compiled(PRESETS["BesideCubic"]["scenario"]).engine).pieces[0]
    total, length = 0.0, 0.0
    for _ in range(40):
        _, reward, _, _, info = env.step(np.array([0.3]))
        share = np.log(info["goodput_bps"][0] / rates[0])
        assert info["log_share"][0] == pytest.approx(share, abs=1e-9)
        assert reward == pytest.approx(share, abs=1e-9)
        total, length = total + info["interval_s"] * info["regret"], length + info["interval_s"]
        assert info["exact"]
    assert rates[0] == pytest.approx(rates[1])
    assert sum(rates) == pytest.approx(24e6, rel=0.06)
    assert info["episode_regret"] == pytest.approx(total / length, abs=0.2)


def test_no_policy_beats_the_certificate() -> None:
    networks = [each for name in ("wired", "beside") for each in _all(name)]
    envs = VectorEnv(networks, agents=1, num_envs=48, certify=True, reward="power", max_steps=60)
    random = np.random.default_rng(3)
    envs.reset(seed=1)
    bias = random.uniform(-0.5, 0.5, (48, 1))
    seen = 0
    for _ in range(120):
        actions = np.clip(bias + random.normal(0, 0.3, (48, 1)), -1, 1)
        *_, infos = envs.step(actions)
        is_known = infos["exact"] & np.isfinite(infos["episode_regret"])
        seen += int(is_known.sum())
        assert (infos["episode_regret"][is_known] >= -infos["episode_slack"][is_known] - 1e-9).all()
    assert seen > 2000


def _all(family: str) -> list:
    """The networks of a family, as their source draws them."""
    draw, random = bench("train", family=family), np.random.default_rng(0)
    found = {str(drawn.scenario.name): drawn.scenario for drawn in (draw(random) for _ in range(60))}
    return [found[name] for name in sorted(found)]


def test_the_features_are_finite_and_within_their_bounds_on_all_networks_of_a_set() -> None:
    envs = gymnasium.make_vec(
        "windward/Train-v0", num_envs=48, vectorization_mode="vector_entry_point", reward="power", observation="full"
    )
    space = envs.observation_space
    observations, _ = envs.reset(seed=2)
    for _ in range(30):
        assert np.isfinite(observations).all()
        assert space.contains(observations)
        observations, rewards, *_ = envs.step(envs.action_space.sample())
        assert np.isfinite(rewards).all()


@pytest.mark.parametrize("action", ["window", "rate", "target"])
def test_an_action_moves_what_it_says(action: str) -> None:
    ends = []
    for sign in (-1.0, 1.0):
        env = Env(DOWNLOAD, action=action, **({"strength": 0.3} if action == "rate" else {}))
        env.reset(seed=1)
        for _ in range(12):
            *_, info = env.step(np.array([sign]))
        ends.append(info["sent_pps"][0])
    assert ends[0] < 0.7 * ends[1]


def test_pacing_scales_the_rate_of_the_law_beneath() -> None:
    rates = []
    for action in (-1.0, 0.0):
        env = Env(DOWNLOAD, over_law=True, action="pacing")
        env.reset(seed=1)
        for _ in range(40):
            *_, info = env.step(np.array([action]))
        rates.append(info["goodput_bps"][0])
    assert rates[0] < 0.8 * rates[1]


def test_a_reward_may_be_a_function() -> None:
    env = Env(DOWNLOAD, reward=lambda figures: -figures["rtt_s"])
    env.reset(seed=1)
    _, reward, _, _, info = env.step(np.zeros(1))
    assert reward == -info["rtt_s"][0]


def test_auroras_reward_is_its_formula() -> None:
    env = gymnasium.make("windward/Aurora-v0")
    env.reset(seed=1)
    for _ in range(5):
        observation, reward, _, _, info = env.step(np.array([0.5], dtype=np.float32))
    by_hand = 0.001 * (10 * info["acked_pps"][0] - 1000 * info["rtt_s"][0] - 2000 * info["loss"][0])
    assert reward == pytest.approx(by_hand)
    assert observation.shape == (30,)


def test_a_source_draws_each_network() -> None:
    drawn = []

    def source(random: np.random.Generator) -> Drawn:
        drawn.append(float(random.uniform(2, 50)))
        return Drawn(scenario={**DOWNLOAD, "link": [{**DOWNLOAD["link"][0], "rate": f"{drawn[-1]:.3f} Mbit/s"}]})

    env = Env(source)
    for _ in range(3):
        env.reset()
    env.reset(seed=1)
    env.reset(seed=1)
    assert len(set(drawn)) == len(drawn) - 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"agents": 2}, "the scenario has 1 flows"),
        ({"agents": ["nobody"]}, "no such flow; flows: agent"),
        ({"every": "soon"}, "allowed: `rtt`"),
        ({"every": "0 s"}, "allowed: `rtt`"),
        ({"observation": "all"}, "unknown observation"),
        ({"action": "jump"}, "unknown action"),
        ({"action": "pacing"}, "set `over_law`"),
        ({"action": "rate", "over_law": True}, "has no law beneath"),
        ({"reward": "money"}, "unknown reward"),
        ({"history": 0}, "at least 1"),
        ({"strength": 0.0}, "above 0"),
    ],
)
def test_what_is_wrong_is_refused_when_the_environment_is_made(options: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Env(DOWNLOAD, **options)


def test_actions_that_are_no_numbers_are_refused_and_large_ones_clipped() -> None:
    env = Env(DOWNLOAD)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="not a number"):
        env.step(np.array([np.nan]))
    large = env.step(np.array([np.inf]))[0]
    env.reset(seed=1)
    assert np.array_equal(env.step(np.array([1.0]))[0], large)


def test_flows_without_a_window_and_networks_without_packets_are_refused() -> None:
    flow = {**DOWNLOAD["flow"][0], "law": "tfrc"}
    with pytest.raises(ValueError, match="no window that an agent can set"):
        Env({**DOWNLOAD, "flow": [flow]}).reset()
    with pytest.raises(ValueError, match="no flows and no background"):
        Env({**DOWNLOAD, "flow": []})


def test_a_network_without_an_optimum_is_refused_for_the_regret_alone() -> None:
    with pytest.raises(ValueError, match="needs no optimum"):
        Env(NO_OPTIMUM)
    env = Env(NO_OPTIMUM, reward="power", certify=True)
    _, info = env.reset(seed=1)
    assert "episode_regret" not in info
    assert not info["exact"]


def test_a_step_has_a_bound_of_events() -> None:
    env = Env(DOWNLOAD, every="5 s", max_events=2000)
    env.reset(seed=1)
    _, _, terminated, truncated, info = env.step(np.zeros(1))
    assert (terminated, truncated, info["ending"]) == (False, True, "events")


def test_ctrl_c_ends_a_step_at_once() -> None:
    # A step of a minute: ten packets every 0.2 ms for an hour.
    link = {**DOWNLOAD["link"][0], "rate": "50 Gbit/s", "delay": "0.1 ms"}
    plain = {**DOWNLOAD, "duration": "3600 s", "link": [link]}
    for count, threads in ((1, 1), (16, 2)):
        envs = VectorEnv(plain, num_envs=count, threads=threads, every="3600 s", max_events=10**12, reward="power")
        timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
        begun = time.monotonic()
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            envs.reset(seed=1)
        timer.join()
        assert time.monotonic() - begun < 10


def test_resets_keep_no_memory() -> None:
    resource = pytest.importorskip("resource")
    envs = VectorEnv(DOWNLOAD, num_envs=64, autoreset_mode="Disabled", reward="power")
    envs.reset(seed=1)
    before = 0
    for at in range(120):
        envs.reset()
        if at == 20:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_the_guide_and_the_example_run() -> None:
    guide = (REPOSITORY / "docs" / "guides" / "learning.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", guide, flags=re.DOTALL)
    assert len(blocks) == 4
    for block in blocks:
        exec(compile(block, "learning.md", "exec"), {})
    script = REPOSITORY / "examples" / "learn" / "policy_search.py"
    done = subprocess.run([sys.executable, str(script), "--rounds", "2"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"learnt: \d\.\d+ of the best rate", done.stdout)


def test_the_guides_tables_are_those_of_the_code() -> None:
    guide = (REPOSITORY / "docs" / "guides" / "learning.md").read_text(encoding="utf-8")
    for name in [*OBSERVATIONS["full"], *OF_AGENT, *STRENGTHS, *REWARDS, *PRESETS]:
        assert re.search(rf"[`/\"]{name}(-v0)?[`\"]", guide), name


def test_scenarios_of_every_form_are_taken() -> None:
    path = Path(ww.__file__).parent / "_scenarios" / "dumbbell.toml"
    for form in (path, str(path), ww.load(path), [ww.load(path), DOWNLOAD], "bench:validation"):
        env = Env(form, reward="power")
        env.reset(seed=1)
        env.step(env.action_space.sample())
