"""Captures, read by a decoder of our own and, where it is installed, by Wireshark's dissectors."""

import json
import shutil
import struct
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import windward as ww

#: A flat: an access point in the hall, a laptop beside it and one two rooms off, which uploads.
FLAT = """
name = "flat"
duration = "1 s"
warmup = "0 s"
seeds = 1
node = [{ name = "ap" }, { name = "near" }, { name = "far" }]
flow = [
  { name = "down", from = "ap", to = "near", law = "cubic", size = "4 MB" },
  { name = "up", from = "far", to = "ap", law = "cubic", size = "300 kB" },
]
output = { air = { from = "0 s", length = "1 s" } }

[[wifi]]
name = "home"
standard = "STANDARD"
access_point = "ap"
station = [
  { node = "ap", at = ["0 m", "0 m"] },
  { node = "near", at = ["5 m", "0 m"] },
  { node = "far", at = ["30 m", "0 m"] },
]
loss = [{ from = "ap", to = "near", probability = 0.1 }]
"""

#: Radiotap's fields by bit: alignment and size.
FIELDS = {0: (8, 8), 1: (1, 1), 2: (1, 1), 3: (2, 4), 19: (1, 3), 20: (4, 8), 21: (2, 12), 23: (2, 12)}


@dataclass
class Frame:
    """A frame of 802.11 in a capture."""

    interface: str
    #: Radiotap's fields by bit.
    fields: dict[int, bytes]
    body: bytes


def frames(path: Path) -> Iterator[Frame]:
    """The frames of 802.11 of a pcapng file, in their order."""
    data = path.read_bytes()
    interfaces: list[tuple[str, int]] = []
    at = 0
    while at < len(data):
        block, length = struct.unpack_from("<II", data, at)
        if block == 1:
            link_type, _, _, _, size = struct.unpack_from("<HHIHH", data, at + 8)
            interfaces.append((data[at + 20 : at + 20 + size].decode(), link_type))
        elif block == 6:
            number, _, _, kept, _ = struct.unpack_from("<IIIII", data, at + 8)
            name, link_type = interfaces[number]
            packet = data[at + 28 : at + 28 + kept]
            if link_type == 127:
                yield Frame(name, *radiotap(packet))
        at += length


def radiotap(packet: bytes) -> tuple[dict[int, bytes], bytes]:
    """The fields of the radiotap header, and the frame behind it."""
    _, _, length, present = struct.unpack_from("<BBHI", packet)
    fields, at = {}, 8
    for bit in range(32):
        if present >> bit & 1:
            align, size = FIELDS[bit]
            at = -(-at // align) * align
            fields[bit] = packet[at : at + size]
            at += size
    assert at == length
    return fields, packet[length:]


@dataclass
class Direction:
    """Counts of one direction between two stations, as a capture shows them."""

    mpdus: int = 0
    ppdus: int = 0
    failed: int = 0
    retries: int = 0


def losses(path: Path) -> dict[tuple[bytes, bytes], Direction]:
    """Counts of MPDUs by receiver and sender: one has failed if no ACK, or no bit of a BlockAck, says otherwise.

    An answer that was sent counts, whether or not it arrived.
    """
    told: dict[tuple[bytes, bytes], Direction] = {}
    waiting: dict[bytes, tuple[tuple[bytes, bytes], list[int], object]] = {}

    def give_up(sender: bytes) -> None:
        if sender in waiting:
            ways, numbers, _ = waiting.pop(sender)
            told[ways].failed += len(numbers)

    for frame in frames(path):
        body = frame.body
        receiver = body[4:10]
        match body[0]:
            case 0x88:
                ways = (receiver, body[10:16])
                way = told.setdefault(ways, Direction())
                reference = frame.fields[20][:4] if 20 in frame.fields else None
                if reference is None or ways[1] not in waiting or waiting[ways[1]][2] != reference:
                    give_up(ways[1])
                    waiting[ways[1]] = (ways, [], reference)
                    way.ppdus += 1
                waiting[ways[1]][1].append(int.from_bytes(body[22:24], "little") >> 4)
                way.mpdus += 1
                way.retries += body[1] >> 3 & 1
            case 0x94:
                start = int.from_bytes(body[18:20], "little") >> 4
                bitmap = int.from_bytes(body[20:], "little")
                if receiver in waiting:
                    ways, numbers, _ = waiting.pop(receiver)
                    told[ways].failed += sum(not bitmap >> ((number - start) % 4096) & 1 for number in numbers)
            case 0xD4:
                waiting.pop(receiver, None)
            case 0x84 | 0xB4:
                give_up(body[10:16])
    return told


@pytest.fixture(scope="module")
def flats(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[ww.Run, Path]]:
    """A flat of each standard, and the capture of its only seed."""
    folder = tmp_path_factory.mktemp("flats")
    runs = {}
    for standard in ("802.11n", "802.11ac", "802.11ax"):
        file = folder / f"{standard}.toml"
        file.write_text(FLAT.replace("STANDARD", standard))
        run = ww.load(file).simulate(output=folder / standard, pcap=True)
        runs[standard] = run, folder / standard / "seed-1" / "capture.pcapng"
    return runs


@pytest.mark.parametrize(("standard", "field"), [("802.11n", 19), ("802.11ac", 21), ("802.11ax", 23)])
def test_the_losses_of_mpdus_follow_from_a_capture(
    flats: dict[str, tuple[ww.Run, Path]], standard: str, field: int
) -> None:
    run, path = flats[standard]
    told = losses(path)
    address = {name: bytes([2, 0, 0, 0, 0, number]) for number, name in enumerate(("ap", "near", "far"), 1)}
    nodes = run.links.set_index("link")[["from", "to"]]
    for link in run.edca_links.merge(run.wifi_links, on=["seed", "link"]).itertuples():
        own = told[address[nodes.at[link.link, "to"]], address[nodes.at[link.link, "from"]]]
        assert (own.mpdus, own.ppdus) == (link.mpdus, link.data_frames)
        assert own.failed == link.mpdu_failures
        assert own.retries <= own.failed
    assert run.edca_links["mpdu_failures"].sum() > 200
    # The log of the air says the same.
    air, mpdus = run.air, run.air_mpdus
    assert air["mpdus"].sum() == len(mpdus) == sum(way.mpdus for way in told.values())
    assert (air["mpdus_received"] <= air["mpdus"]).all()
    data = air[air["kind"] == "data"]
    assert set(data["format"]) == {{19: "ht", 21: "vht", 23: "he"}[field]}
    assert set(air["format"]) == {data["format"].iloc[0], "non-ht"}
    assert set(data["category"]) == {"best-effort"}
    assert set(data["width_hz"]) <= {20e6, 40e6, 80e6}
    # One reference for each A-MPDU; the last of its MPDUs is marked; data carry the scheme.
    seen = [frame.fields for frame in frames(path) if frame.body[0] == 0x88]
    assert all(field in fields for fields in seen)
    aggregates = [fields[20] for fields in seen if 20 in fields]
    ends = [status for status in aggregates if status[4] & 8]
    assert len(ends) == len({status[:4] for status in aggregates}) == len({status[:4] for status in ends})
    # To the access point, or from it.
    assert Counter(frame.body[1] & 3 for frame in frames(path) if frame.body[0] == 0x88).keys() == {1, 2}


def test_the_figure_of_the_air_shows_aggregates(tmp_path: Path) -> None:
    """Bars with the numbers of their MPDUs, received ones and all; what failed has its colour in the legend."""
    glance = FLAT.replace("STANDARD", "802.11ac").replace(
        'from = "0 s", length = "1 s"', 'from = "60 ms", length = "14 ms"'
    )
    (tmp_path / "flat.toml").write_text(glance)
    run = ww.load(tmp_path / "flat.toml").simulate()
    [axes] = run.plot("air").axes
    data = run.air[run.air["kind"] == "data"]
    possible = {f"{some}/{all_}" for some, all_ in zip(data["mpdus_received"], data["mpdus"], strict=True)}
    labels = [text.get_text() for text in axes.texts]
    assert len([label for label in labels if "/" in label]) > 3
    assert {label for label in labels if "/" in label} <= possible
    legend = axes.get_legend()
    assert legend is not None
    assert {"data", "BlockAck", "MPDU not received"} <= {text.get_text() for text in legend.get_texts()}


def test_each_interface_can_have_a_file_of_its_own(tmp_path: Path) -> None:
    """A hop that is forwarded is in the file of the station that forwards it, once."""
    (tmp_path / "flat.toml").write_text(FLAT.replace("STANDARD", "802.11ac").replace('to = "ap"', 'to = "near"'))
    ww.load(tmp_path / "flat.toml").simulate(output=tmp_path / "out", pcap="interfaces")
    folder = tmp_path / "out" / "seed-1"
    assert not (folder / "capture.pcapng").exists()
    files = {file.stem: file for file in (folder / "captures").iterdir()}
    assert files.keys() == {"node0", "node2", "node0-wifi", "node1-wifi", "node2-wifi"}
    sent = Counter()
    for name in ("node0-wifi", "node2-wifi"):
        for frame in frames(files[name]):
            assert frame.interface == name
            # Source and first segments of the upload: 10.0.0.3.
            if frame.body[0] == 0x88 and not frame.body[1] & 8 and frame.body[46:50] == bytes([10, 0, 0, 3]):
                sent[name, frame.body[54 + 4 : 54 + 8]] += 1
    assert len(sent) > 200
    assert {name for name, _ in sent} == {"node0-wifi", "node2-wifi"}


def test_an_unknown_form_of_capture_is_refused(scenario_file: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="pcap='yes': allowed are True, False and \"interfaces\""):
        ww.load(scenario_file).simulate(output=tmp_path / "out", pcap="yes")  # type: ignore[arg-type]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize(
    ("standard", "field"),
    [
        ("802.11n", "radiotap.mcs.index"),
        ("802.11ac", "radiotap.vht.mcs.0"),
        ("802.11ax", "radiotap.he.data_3.data_mcs"),
    ],
)
def test_tshark_reads_aggregates(flats: dict[str, tuple[ww.Run, Path]], standard: str, field: str) -> None:
    run, path = flats[standard]
    names = ["wlan.fc.type_subtype", "radiotap.ampdu.reference", field, "wlan.ba.bm", "_ws.malformed", "_ws.expert"]
    command = ["tshark", "-r", str(path), "-T", "json", "-Y", "wlan"]
    result = subprocess.run(
        command + [part for name in names for part in ("-e", name)], capture_output=True, text=True, check=True
    )
    packets = [packet["_source"]["layers"] for packet in json.loads(result.stdout)]
    assert not any("_ws.malformed" in packet for packet in packets)
    data = [packet for packet in packets if packet["wlan.fc.type_subtype"][0] in {"40", "0x0028"}]
    assert len(data) == run.edca_links["mpdus"].sum()
    assert all(field in packet for packet in data)
    answers = [packet for packet in packets if packet["wlan.fc.type_subtype"][0] in {"25", "0x0019"}]
    assert len(answers) == run.edca_stations["block_ack_frames"].sum()
    assert all("wlan.ba.bm" in packet for packet in answers)


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_tshark_reads_captures_captures_without_complaint(scenario_file: Path, tmp_path: Path) -> None:
    run = ww.load(scenario_file).simulate(seeds=[2], output=tmp_path / "out", pcap=True)
    capture = tmp_path / "out" / "seed-2" / "capture.pcapng"
    fields = ["frame.number", "tcp.stream", "tcp.flags.syn", "tcp.len", "_ws.malformed", "tcp.checksum.status"]
    command = ["tshark", "-r", str(capture), "-o", "tcp.check_checksum:TRUE", "-T", "json"]
    command += [part for field in fields for part in ("-e", field)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    packets = [packet["_source"]["layers"] for packet in json.loads(result.stdout)]
    assert not any("_ws.malformed" in packet for packet in packets)
    # 0 is wrong, 1 right; 2 cannot be told, where the payload is not in the capture.
    assert {packet["tcp.checksum.status"][0] for packet in packets if "tcp.checksum.status" in packet} <= {"1", "2"}
    streams = {packet["tcp.stream"][0] for packet in packets if "tcp.stream" in packet}
    assert len(streams) == 3
    # Each data segment is seen once: as many as were sent, before the warm-up too.
    data = sum(1 for packet in packets if int(packet.get("tcp.len", ["0"])[0]) > 0)
    assert data >= run.flows["segments_sent"].sum()


def test_a_capture_that_cannot_be_written_is_an_error(scenario_file: Path) -> None:
    from windward import _engine
    from windward._format.parse import parse

    job = _engine.Job(
        parse(scenario_file),
        seeds=[1],
        threads=1,
        law=lambda name, parameters: object(),
        scheduler=lambda *_: object(),
        rule=lambda *_: object(),
    )
    job.start(str(scenario_file.parent / "nowhere"), packets="together")
    with pytest.raises(FileNotFoundError, match=r"seed-1\.pcapng"):
        job.wait(60.0)
