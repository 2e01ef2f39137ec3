"""Options of `windward link`: what they mean, and what is refused."""

import re
import sys
from typing import Any

import pytest
from conftest import Cli

from windward import transfer


@pytest.fixture
def rates(monkeypatch: pytest.MonkeyPatch) -> list[list[float]]:
    """Rates of the links of each call, none of which is emulated."""
    seen: list[list[float]] = []

    def run(links: Any, *_: object) -> dict[str, Any]:
        seen.append(list(links.rates_bps))
        return {"down": [{}], "up": [{}], "quality": {}}

    monkeypatch.setattr("windward._engine.emulate_link", run, raising=False)
    return seen


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "a link needs a rate, such as 10mbit, a trace, Wi-Fi, a cell, or a profile"),
        (("--rate", "10mbit", "--trace", "x"), "rate and trace: give one of them, not both"),
        (("--delay", "5 parsec"), "--delay 5 parsec: `parsec` is not a unit of duration"),
        (("--loss", "7"), "--loss 7: 7 is not a probability"),
        (("--buffer", "1 elephant"), "--buffer 1 elephant: `1 elephant` is not a buffer size"),
        (("--rate", "10mbip"), "error: --rate 10mbip: `mbip` is not a unit of rate"),
        (("--rate", "10mbit,10mbip"), "error: --rate 10mbit,10mbip: `mbip` is not a unit of rate"),
        (
            ("--rate", "10mbps"),
            "--rate 10mbps: `10mbps` has two readings: write 10mbit for bits, or 80mbit for the bytes",
        ),
        (("--rate", "1mbit,800kbps"), "800kbps: `800kbps` has two readings: write 800kbit for bits, or 6400kbit"),
        (("--rate", "10Mbps"), "write 10mbit for bits, or 80mbit for the bytes that tc(8) means"),
        (("--rate", "10MBPS"), "`10MBPS` has two readings: write 10mbit for bits, or 80mbit for the bytes"),
        (("--rate", "10 Kibps"), "`10 Kibps` has two readings: write 10kibit for bits, or 80kibit"),
        (("--rate", "1.5gbps"), "write 1.5gbit for bits, or 12gbit for the bytes"),
        (
            ("--rate", "1mbit", "--change", "1s rate=8bps"),
            "--change '1s rate=8bps': rate=8bps: `8bps` has two readings",
        ),
        (("--rate", "10Mb/s"), "hint: did you mean `Mbit/s`?"),
        (("--rate", "-5mbit"), "--rate -5mbit: `-5mbit` is negative; a rate must be above zero"),
        (("--rate", "1e400mbit"), "`1e400mbit` is too large for a rate"),
        (("--rate", "10MBps"), "hint: did you mean `MB/s`?"),
        (("--rate", "1mbit", "--loss", "200%"), "is not a probability"),
        (("--rate", "1mbit,2mbit,3mbit"), "one value, or two"),
        (("--rate", "1mbit", "--loss", "1,5%"), "--loss 1,5%: `1,5%` has two readings: write 1.5% for a decimal"),
        (("--rate", "2,5mbit"), "--rate 2,5mbit: `2,5mbit` has two readings: write 2.5mbit for a decimal"),
        (("--rate", "1mbit", "--change", "1s delay=1,5ms"), "delay=1,5ms: `1,5ms` has two readings: write 1.5ms"),
        (("--trace", "nowhere"), "error: --trace nowhere: cannot read"),
        (("--rate", "1mbit", "--delay", "5"), "--delay 5: `5` has no unit"),
        (("--rate", "1mbit", "--reorder", "1%"), "--reorder 1%: expected SHARE:TIME, such as 1%:8ms, or 0"),
        (("--rate", "1mbit", "--reorder", "2:8ms"), "--reorder 2:8ms: 2 is not a probability"),
        (("--rate", "1mbit", "--reorder", "1%:8"), "--reorder 1%:8: `8` has no unit"),
        (("--rate", "1mbit", "--change", "1s reorder=1%"), "--change '1s reorder=1%': reorder=1%: expected SHARE:TIME"),
        (("--rate", "1mbit", "--change", "1s reorder=7:8ms"), "--change '1s reorder=7:8ms': 7 is not a probability"),
        (("--wifi", "802.11be"), "--wifi 802.11be: 802.11be is not modelled; 802.11ax is the nearest standard"),
        (("--wifi", "802.11n,width=80MHz"), "width=80MHz: 802.11n has no channels of 80 MHz; the widest has 40 MHz"),
        (("--wifi", "802.11n,width=80MHz"), "hint: width=40MHz"),
        (("--wifi", "802.11ac", "--change", "1s rate=8bps"), "--change '1s rate=8bps'"),
    ],
)
def test_refused(cli: Cli, options: tuple[str, ...], message: str) -> None:
    if sys.platform != "linux":
        pytest.skip("links are emulated on Linux only")
    run = cli("link", *options, "--", "true")
    assert run.returncode == 2
    assert run.stdout == ""
    assert message in run.stderr
    assert "link[0]" not in run.stderr
    assert "wifi[0]" not in run.stderr
    assert run.stderr.count(message) == 1


@pytest.mark.usefixtures("rates")
@pytest.mark.parametrize(
    ("wifi", "message"),
    [
        ("ac", "`ac`: expected a standard first: 802.11n, 802.11ac, 802.11ax\nhint: did you mean `802.11ac`?"),
        ("802.11ac,widht=80MHz", "there is no `widht`; known: width, band"),
        ("802.11ac,widht=80MHz", "hint: did you mean `width`?"),
        ("802.11ac,width", "`width`: expected width=VALUE"),
        ("802.11ac,mcs=1,mcs=2", "`mcs` is given twice"),
        ("802.11ac,width=80", "width=80: `80` has no unit"),
        ("802.11ac,width=30MHz", 'channels of 30 MHz do not exist\nhint: allowed: "20 MHz", "40 MHz"'),
        ("802.11ac,band=2.4GHz", "band=2.4GHz: 802.11ac has no channels at 2.4 GHz"),
        ("802.11ac,guard-interval=3ns", "guard-interval=3ns: 802.11ac has no guard interval of 3 ns"),
        ("802.11ac,width=20MHz,streams=1,mcs=9", "1 spatial stream\nhint: mcs=8"),
        ("802.11ac,mcs=10", "mcs=10: 802.11ac has no MCS 10; allowed: 0 to 9"),
        ("802.11ac,mcs=ten", "mcs=ten: expected a whole number"),
        ("802.11ac,streams=9", "streams=9: 9 spatial streams are too many; allowed: 1 to 4"),
        ("802.11ac,mcs=7,rate-control=ideal", "mcs and rate-control: give one of them, not both"),
        ("802.11ac,rate-control=best", "rate-control=best: unknown value `best`"),
        ("802.11ac,snr=25", "snr=25: expected a value with its unit, such as snr=25dB"),
        ("802.11ac,snr=90dB", "snr=90dB: out of range; allowed: 0 dB to 70 dB"),
        ("802.11ac,snr=25dB,distance=5m", "snr and distance: give one of them, not both"),
        ("802.11ac,distance=0m", "distance=0m: must be above 0 m"),
        # From 5 m, where -40.8 dBm arrive, to -82 dBm: 5 m times ten to the power 41.2/35.
        ("802.11ac,distance=500m", "distance=500m: the station does not reach the access point; allowed: up to 75 m"),
        ("802.11ac,stations=101", "stations=101: too many; allowed: 0 to 100"),
        ("802.11ac,queue=fast", "queue=fast: unknown value `fast`"),
        ("802.11ac,queue=fifo,airtime-fairness=true", "airtime-fairness=true: `airtime_fairness` needs queues"),
    ],
)
def test_wifi_is_refused(wifi: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as refused:
        transfer.link(["true"], wifi=wifi)
    assert "wifi[0]" not in str(refused.value)


@pytest.mark.usefixtures("rates")
@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("n78-50mhz", "`n78-50mhz`: expected a carrier first: lte-10mhz"),
        ("n78-40mh", "hint: did you mean `n78-40mhz`?"),
        ("n78-40mhz,srn=3dB", "there is no `srn`; known: snr, uplink-snr"),
        ("n78-40mhz,snr", "`snr`: expected snr=VALUE"),
        ("n78-40mhz,snr=1dB,snr=2dB", "`snr` is given twice"),
        ("n78-40mhz,snr=18", "snr=18: `18` has no unit"),
        ("n78-40mhz,users=0", "users=0: out of range; allowed: 1 to 32"),
        ("n78-40mhz,users=two", "users=two: expected a whole number"),
        ("lte-10mhz,layers=4", "layers=4: 4 layers; allowed: 1 or 2 with LTE"),
        ("n78-40mhz,rlc=tm", "rlc=tm: unknown value `tm`"),
        ("n78-40mhz,sr-period=3ms", "sr-period=3ms: 3 ms is not a multiple of the pattern of slots, 2.5 ms"),
    ],
)
def test_a_cell_is_refused(cell: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as refused:
        transfer.link(["true"], cell=cell)
    assert "cell[0]" not in str(refused.value)


@pytest.mark.usefixtures("rates")
def test_one_radio() -> None:
    with pytest.raises(ValueError, match="wifi and cell: give one of them, not both"):
        transfer.link(["true"], cell="n78-40mhz", wifi="802.11ac")


def test_a_cell_has_the_rates_of_its_carrier(rates: list[list[float]]) -> None:
    """88.8 and 31.2 elements a block and slot, 51 blocks, MCS 27 (7.40625 bits), 1500 of 1509 bytes; a wire first."""
    transfer.link(["true"], cell="n78-20mhz,snr=40dB,users=2")
    transfer.link(["true"], cell="n78-20mhz,snr=40dB", delay="20ms")
    down, up = (elements * 51 / 0.5e-3 * 7.40625 * 1500 / 1509 for elements in (88.8, 31.2))
    assert rates[0] == pytest.approx([down, up] * 2, rel=1e-6)
    assert rates[1] == pytest.approx([100e9, 100e9, down, up], rel=1e-6)


@pytest.mark.usefixtures("rates")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"buffer": "9"}, "buffer 9: a wire without a rate has no queue; that of Wi-Fi is set by `queue=`"),
        ({"delay": "5 parsec"}, "delay 5 parsec: `parsec` is not a unit of duration"),
    ],
)
def test_the_wire_behind_wifi_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        transfer.link(["true"], wifi="802.11ac", **options)


@pytest.mark.parametrize(
    ("rate", "bits"),
    [
        ("10mbit", 10e6),
        ("10 Mbit", 10e6),
        ("800kbit", 8e5),
        ("800kB/s", 6.4e6),
        ("1Tbit", 1e12),
        ("2kibit", 2048),
        ("1.5gibit", 1.5 * 2**30),
        ("10bit", 10),
        ("2.5 Mbit/s", 2.5e6),
    ],
)
def test_rates_are_those_of_scenarios_and_of_tc(rates: list[list[float]], rate: str, bits: float) -> None:
    transfer.link(["true"], rate=rate)
    assert rates[0] == [bits, bits]


@pytest.mark.parametrize(
    ("wifi", "options", "bits"),
    [
        # 1560 bits in 3.6 µs; at 40 MHz 720; HE: 980 bits of 13.6 µs.
        ("802.11ac,streams=1,mcs=9", {}, [433_333_333] * 2),
        ("802.11ac,streams=1,mcs=9,width=40MHz", {}, [200_000_000] * 2),
        ("802.11ax,streams=1,mcs=1,guard-interval=800ns", {}, [72_058_823] * 2),
        # 1 % of MPDUs are lost at 24.7 dB with MCS 8, at 26.1 dB with MCS 9, at 1.5 dB with MCS 0.
        ("802.11ac,streams=1,snr=25dB", {}, [390_000_000] * 2),
        ("802.11ac,streams=1,snr=0dB", {}, [32_500_000] * 2),
        # The wire comes first; every station has a link in each direction.
        ("802.11ac,streams=1,mcs=9", {"rate": "50mbit,10mbit"}, [50e6, 10e6] + [433_333_333] * 2),
        ("802.11ac,streams=1,mcs=9", {"delay": "20ms"}, [100e9] * 2 + [433_333_333] * 2),
        ("802.11ac,streams=1,mcs=9,stations=3", {}, [433_333_333] * 8),
    ],
)
def test_wifi_has_the_rates_of_its_standard(
    rates: list[list[float]], wifi: str, options: dict[str, str], bits: list[float]
) -> None:
    transfer.link(["true"], wifi=wifi, **options)
    assert rates == [bits]


@pytest.mark.usefixtures("rates")
def test_a_library_has_no_words_of_the_command_line() -> None:
    of_link = ({}, {"rate": "1mbit", "trace": "x"}, {"rate": "10mbps"}, {"rate": "1mbit", "delay": "5"})
    of_wifi = ({"wifi": "ac"}, {"wifi": "802.11ac,width=30MHz"}, {"wifi": "802.11ac", "queue": "fq-codel"})
    for arguments in (*of_link, *of_wifi):
        with pytest.raises(ValueError, match=r"rate|delay|wifi") as refused:
            transfer.link(["true"], **arguments)
        assert "--" not in str(refused.value)
