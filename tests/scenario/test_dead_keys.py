"""Keys that change nothing: each is refused, or has a reason here."""

import json
import tomllib

import dead_keys
import pytest

from windward import _engine
from windward._engines.fluid import ignored

#: Reasons of the keys that no value changes in the small networks.
REASONS = {
    "seeds": "the sweep runs one seed",
    "flow.dscp": "read by 802.11n, ac, ax, bearers and captures",
    "flow.ack_dscp": "as `dscp`",
    "flow.start_step": "of several flows",
    "flow.ack_counting": "of laws that grow in the way of Reno",
    "flow.known_base_rtt": "of laws that read the base round trip",
    "flow.connections": "the three laws open as many in 4 s of a short queue",
    "background.dscp": "as that of flows",
    "background.start_step": "of several sources",
    "link.hold.thin": "of holds longer than two ACKs",
    "link.reverse.hold.thin": "of holds longer than two ACKs",
    "link.reverse.buffer": "no queue of ACKs",
    "link.reverse.queue": "no queue of ACKs",
    "app.tcp.ack_counting": "as that of flows",
    "app.tcp.ecn": "no mark in 4 s of short responses",
    "app.tcp.nagle": "one write a response",
    "app.tcp.send_buffer": "one write a response, which any buffer takes whole",
    "app.tcp.send_buffer.max": "as any `send_buffer`",
    "wifi.reach.power": "cancels: ranges are distances, and there is no noise",
    "wifi.reach.frequency": "cancels, as the power",
    "wifi.station.wall_loss": "all stay in reach, and nothing depends on the power",
    "wifi.reach.path_loss": "no two signals at one receiver",
    "wifi.reach.capture": "no two signals at one receiver",
    "wifi.entropy": "of optimum and fluid",
    "wifi.queue": "no queue at 1 Mbit/s in 4 s",
    "wifi.station.txq.airtime_fairness": "the client of an access point has one peer",
    "wifi.station.txq.aql": "the client's queues are short",
    "wifi.station.txq.received_airtime": "the client of an access point has one peer",
    "wifi.timing.eifs": "of stations that hear frames they cannot read",
    "wifi.station.queue": "the last station's queue stays short",
    "cell.fading": "each station has its own",
    "cell.pdcp.reordering": "of handovers, which one site has not",
    "cell.rlc.max_retransmissions": "no segment is lost as often in a few seconds",
    "cell.handover.reestablishment": "no radio link fails",
    "wifi.txq.aql": "the air never has as much to send, one MPDU at a time",
    "wifi.edca.video.txop": "no two packets of video wait",
    "wifi.station.edca.video.txop": "no two packets of video wait",
}
NETWORKS = (
    *("link", "app", "page", "background", "cell", "lte", "ac", "places"),
    'link/link.0.queue={ discipline = "policer", rate = "2 Mbit/s" }',
    *('page/app.0.protocol="http/1.1"', 'cell/cell.0.scheduler="round-robin"', 'lte/cell.0.scheduler="round-robin"'),
    *("ac/wifi.0.ampdu={ mpdus = 1 }", 'ac/wifi.0.profile="linux-mt76"'),
    *(
        'lte/cell.0.scheduler="max-snr"',
        "lte/cell.0.adaptation={ outer_loop = false }",
        'lte/cell.0.rlc={ mode = "um" }',
    ),
    *("flow", 'flow/flow.0.law="bbr"', 'flow/flow.0.law="copa"', "flow/flow.0.sack=false"),
    *('flow/flow.0.law="tfrc"', 'flow/flow.0.coding={ kind = "random" }'),
    *("wifi", 'wifi/wifi.0.standard="bianchi"', 'wifi/wifi.0.access="ideal"'),
)


@pytest.mark.parametrize("name", NETWORKS)
def test_each_key_acts_is_refused_or_has_a_reason(name: str) -> None:
    found, count = dead_keys.dead(dead_keys.networks()[name], dead_keys.SWEPT[name.partition("/")[0]], settled=REASONS)
    assert count > 5
    # Options of TCP are those of the application.
    is_page = name.startswith("page")
    assert [each for each in found if each.key not in REASONS and not (is_page and "tcp" in each.key)] == []


#: Reasons of the keys that change no fluid run.
OF_PACKETS = {
    "warmup": "equations have no warm-up",
    "seeds": "no randomness",
    "output.internals": "of packets",
    "link.reverse.rate": "ACKs take no capacity, as the page says",
    "link.reverse.buffer": "ACKs take no capacity",
    "link.reverse.loss": "ACKs are cumulative",
    "link.reverse.queue": "ACKs take no capacity",
    "flow.dscp": "read by 802.11n, ac, ax, bearers and captures",
    "flow.ack_dscp": "as `dscp`",
    "flow.start": "the head of the answer says that all flows send from the beginning",
    "flow.start_step": "as `start`",
    "flow.start_spread": "as `start`",
    "flow.stop": "as `start`",
    "flow.size": "as `start`",
    "flow.delayed_ack": "laws count packets, not ACKs",
    "background.packet": "sources take their mean rate",
    "background.dscp": "as that of flows",
    "background.start": "sources take their mean rate",
    "background.start_step": "as `start`",
    "background.stop": "sources take their mean rate",
}


def test_each_key_acts_on_the_fluid_or_is_refused_or_noted() -> None:
    network = dead_keys.networks()["link"] | {"duration": "4 s"}
    del network["change"]
    found, count = dead_keys.dead(
        network, ("", "link", "flow", "background"), dead_keys.fluid_digest, settled=OF_PACKETS
    )
    assert count > 30
    assert [each for each in found if each.key not in OF_PACKETS] == []


def test_the_fluid_names_keys_of_transports() -> None:
    text = """
    node = ["a", "b"]
    link = [{ from = "a", to = "b", rate = "10 Mbit/s", delay = "20 ms", loss = 0.02 }]
    flow = [
      { name = "f", from = "a", to = "b", law = "reno", sack = false, newreno = "linux" },
      { name = "g", from = "a", to = "b", law = "reno" },
    ]
    """
    fields = tomllib.loads(text)
    fields["node"] = [{"name": name} for name in fields["node"]]
    scenario = _engine.Scenario.from_json(json.dumps({"name": "n", "duration": "10 s"} | fields), "n", dead_keys.FOLDER)
    assert ignored(scenario) == ["equations: without `sack = false`, `newreno` of `f`; `simulate` has it"]
