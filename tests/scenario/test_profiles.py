"""Scenarios that write every default out give what those without them give, so that the reference says the truth.

A key of the format has a scenario, a paper, an example or a bench that sets it: one that nobody sets is not wanted.
"""

import copy
import dataclasses
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY

import windward as ww
from windward import format as fields

PROFILES = REPOSITORY / "scenarios" / "profiles"

#: What each file writes out, by the path of its table.
WRITTEN = {
    "nr": {
        "cell": "tdd special layers mcs_table per_slot average shadowing station_power propagation adaptation harq "
        "uplink rlc pdcp handover",
        "cell.station": "weight priority",
        "cell.site": "power",
    },
    "queues": {
        "link.queue": "min max probability weight gentle ecn hard_drop target interval queues quantum update alpha "
        "beta burst coupling threshold range classic_share window isolation tins framing overhead mpu rtt ingress",
    },
    "laws": {
        "flow.law": "alpha k beta gamma zeta period noise update reset adaptive base rtt0 delta_l rtt_scaling "
        "bandwidth_switch s_max low_window fast_convergence filter cwnd_gain min_rtt_window probe_rtt policer "
        "loss_threshold headroom probe_rtt_interval delta competitive g rtt_target history_discounting "
        "oscillation_reduction alpha_min alpha_max beta_min beta_max win_thresh theta phi rho target gain history "
        "inference",
    },
    "impairments": {"link.loss": "loss_good loss_bad", "link.hold": "thin"},
    "adhoc": {
        "wifi": "mode data_rate basic_rate short_retries buffer timing reach",
        "wifi.routing": "mode active_route ttl_start net_diameter link_layer local_repair intermediate_replies jitter "
        "period settling spacing missed",
    },
    "wifi": {
        "wifi": "width streams guard_interval rate_control ampdu amsdu block_ack txq",
        "wifi.station": "weight edca",
    },
}


def without(table: Any, path: list[str], keys: set[str]) -> None:
    """Removes `keys` of the tables at a path."""
    if isinstance(table, list):
        for one in table:
            without(one, path, keys)
    elif not path:
        for key in keys & table.keys():
            del table[key]
    elif path[0] in table:
        without(table[path[0]], path[1:], keys)


@pytest.mark.parametrize("name", WRITTEN)
def test_defaults_that_are_written_out_change_nothing(name: str, tmp_path: Path) -> None:
    written = tomllib.loads((PROFILES / f"{name}.toml").read_text(encoding="utf-8"))
    bare = copy.deepcopy(written)
    for path, keys in WRITTEN[name].items():
        before = copy.deepcopy(bare)
        without(bare, path.split("."), set(keys.split()))
        assert bare != before
    (tmp_path / "bare.json").write_text(json.dumps(bare), encoding="utf-8")
    one, other = (ww.load(path).simulate(seeds=1) for path in (PROFILES / f"{name}.toml", tmp_path / "bare.json"))
    assert one.summary().equals(other.summary())


#: Keys of before the rule that nothing sets yet. The list only becomes shorter.
UNSET = {
    "ack_dscp",
    "altitude",
    "bearer",
    "cap",
    "cushion",
    "delay_spread",
    "doppler",
    "estimate",
    "failures",
    "fps",
    "gateway",
    "held_when_empty",
    "hello",
    "horizon",
    "impairment",
    "initial_ssthresh",
    "ladder",
    "line_of_sight",
    "loss_detection",
    "max_efficiency",
    "min_elevation",
    "nagle",
    "optimistic_acks",
    "playout",
    "position",
    "qoe",
    "quick_acks",
    "redirect",
    "report_entry",
    "reservoir",
    "robustness",
    "rto",
    "safety",
    "settle",
    "shared_buffer",
    "short_cycles",
    "sinusoids",
    "start_after",
    "target_error",
    "uplink_snr",
    "variation",
    "violation",
}


def test_every_key_is_set_by_somebody() -> None:
    keys = {
        field.name
        for table in vars(fields).values()
        if isinstance(table, type) and dataclasses.is_dataclass(table)
        for field in dataclasses.fields(table)
    }
    files = [
        path
        for top in ("scenarios", "evidence/papers", "examples", "evidence/benches")
        for path in (REPOSITORY / top).rglob("*")
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files if path.suffix in (".toml", ".py", ".json"))
    unset = {key for key in keys if not re.search(rf'\b{key}"?\s*[=:]', text)}
    assert unset == UNSET, "give a new key a scenario; take one that has got one off the list"


def test_the_profiles_are_those_of_the_folder() -> None:
    assert {path.stem for path in PROFILES.glob("*.toml")} == WRITTEN.keys()
