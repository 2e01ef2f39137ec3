"""Probes of E-MULTCP over a route that becomes a hop longer (chen2007 §IV-A: rtt_min is reset)."""

import pytest

import windward as ww

#: When the receiver has left the sender's range, and ends of the run, in seconds.
LEFT_S, END_S = 200, 500

#: Queueing delay above which connections close, in round trips; the second hop adds a seventh of the round trip.
GAMMA = 0.08


def transfer(*, probes: bool) -> ww.Run:
    """Two segments in flight a connection, over a wire of 40 ms there and back and one or two hops of 802.11b."""
    away = [
        ww.format.Waypoint(time=f"{LEFT_S - 1} s", at=["150 m", "0 m"]),
        ww.format.Waypoint(time=f"{LEFT_S} s", at=["400 m", "0 m"]),
    ]
    stations = [
        ww.format.WifiStation(node="gate", at=["0 m", "0 m"]),
        ww.format.WifiStation(node="relay", at=["200 m", "0 m"]),
        ww.format.WifiStation(node="phone", at=["150 m", "0 m"], motion=ww.format.WaypointsMotion(points=away)),
    ]
    controller = ww.format.Emultcp(tau="5 s", gamma=GAMMA, max=4, probes=probes)
    return ww.Scenario(
        name="route",
        duration=f"{END_S} s",
        stack="rfc",
        output=ww.Output(sample_interval="5 s", internals=True),
        node=[ww.Node(name=name) for name in ("server", "gate", "relay", "phone")],
        link=[ww.Link(from_="server", to="gate", rate="100 Mbit/s", delay="20 ms")],
        wifi=[ww.Wifi(name="air", standard="802.11b", mode="ns2", routing=ww.format.DsdvRouting(), station=stations)],
        flow=[
            ww.Flow(
                from_="server", to="phone", law="reno", receive_window="2 packets", connections=controller, sack=False
            )
        ],
    ).simulate(seeds=1)


@pytest.mark.parametrize("probes", [True, False])
def test_a_longer_route_is_no_queue_for_probes(probes: bool) -> None:
    run = transfer(probes=probes)
    shown = run.internals.pivot_table(index="time_s", columns="name", values="value")
    before, after = (shown[(shown.index > end - 50) & (shown.index < end)] for end in (LEFT_S, END_S))
    assert before["n"].min() > 2
    if probes:
        # It goes on with the connections that two hops take.
        assert after["n"].min() > 1.5
        assert after["n"].max() > 2
    else:
        # The hop is taken for a queue, for rtt_min is that of the shorter route.
        assert after["queue_s"].min() > GAMMA * 0.044
        assert after["n"].max() < 1.1
