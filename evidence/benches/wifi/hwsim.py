"""Airtime shares of two stations behind the kernel's mac80211_hwsim beside the simulator's; as root, 20 seconds.

python evidence/benches/wifi/hwsim.py. Needs the module, iw, hostapd and wpa_supplicant, and a radio that reports
airtime: a module without NL80211_EXT_FEATURE_AIRTIME_FAIRNESS is skipped. Ends with 0 where
the shares agree or the comparison is skipped, which it prints with its reason, else with 1.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import windward as ww

MODULE = "mac80211_hwsim"
TOOLS = ("ip", "iw", "hostapd", "wpa_supplicant", "modprobe")
RADIOS = Path("/sys/class/ieee80211")
#: Namespaces, and the last byte of their addresses in 10.99.0.0/24. The slow station has the rates of 802.11a.
PLACES = {"ww-hwsim-ap": 1, "ww-hwsim-fast": 2, "ww-hwsim-slow": 3}
AP, FAST, SLOW = PLACES
SECONDS = 8
#: Largest difference of a share.
TOLERANCE = 0.05

HOSTAPD = """\
interface={device}
driver=nl80211
ssid=windward
hw_mode=a
channel=36
ieee80211n=1
ieee80211ac=1
wmm_enabled=1
"""
SUPPLICANT = (
    'network={{\n ssid="windward"\n key_mgmt=NONE\n scan_freq=5180\n disable_ht={old}\n disable_vht={old}\n}}\n'
)
SENDER = """
import socket, sys, time
ends = [socket.socket(type=socket.SOCK_DGRAM) for _ in sys.argv[2:]]
for end, address in zip(ends, sys.argv[2:]):
    end.connect((address, 9))
    end.setblocking(False)
stop = time.monotonic() + float(sys.argv[1])
while time.monotonic() < stop:
    for end in ends:
        try:
            end.send(bytes(1472))
        except OSError:
            pass
"""


class SkipError(Exception):
    """The comparison cannot be made here; the message says why."""


def run(*words: str, check: bool = True) -> str:
    """Output of a command, which takes 20 s at most."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    if check and done.returncode:
        raise SkipError(f"`{' '.join(words)}`: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def inside(place: str, *words: str) -> list[str]:
    """A command in a namespace."""
    return ["ip", "netns", "exec", place, *words]


@contextlib.contextmanager
def radios() -> Iterator[dict[str, str]]:
    """A radio in each namespace: its device. Afterwards nothing is left of them."""
    if os.geteuid() != 0:
        raise SkipError("this needs root")
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        raise SkipError(f"not installed: {', '.join(missing)}")
    if Path("/sys/module", MODULE).exists():
        raise SkipError(f"{MODULE} is in use: another program has its radios")
    before = set(RADIOS.iterdir()) if RADIOS.exists() else set()
    run("modprobe", MODULE, f"radios={len(PLACES)}")
    try:
        devices = {}
        for place, radio in zip(PLACES, sorted(set(RADIOS.iterdir()) - before), strict=True):
            (device,) = (each.name for each in (radio / "device" / "net").iterdir())
            run("ip", "netns", "add", place)
            run("iw", "phy", radio.name, "set", "netns", "name", place)
            run(*inside(place, "ip", "address", "add", f"10.99.0.{PLACES[place]}/24", "dev", device))
            devices[place] = device
        yield devices
    finally:
        for place in PLACES:
            run("ip", "netns", "delete", place, check=False)
        run("modprobe", "-r", MODULE, check=False)


def until_associated(place: str, device: str) -> None:
    """Waits for a station's association, 15 s at most."""
    for _ in range(75):
        if "Connected to" in run(*inside(place, "iw", "dev", device, "link")):
            return
        time.sleep(0.2)
    raise SkipError(f"{place} did not associate")


def kernels() -> dict[str, float]:
    """Shares of the kernel's airtime towards both stations."""
    with radios() as devices, tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as programs:

        def start(place: str, text: str, *words: str) -> None:
            file = Path(folder, place)
            file.write_text(text)
            command = inside(place, *words, str(file))
            program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            programs.callback(program.wait, timeout=10)
            programs.callback(program.terminate)

        start(AP, HOSTAPD.format(device=devices[AP]), "hostapd")
        addresses = {}
        for place in (FAST, SLOW):
            words = ("wpa_supplicant", "-i", devices[place], "-c")
            start(place, SUPPLICANT.format(old=int(place == SLOW)), *words)
            until_associated(place, devices[place])
            addresses[place] = run(*inside(place, "cat", f"/sys/class/net/{devices[place]}/address")).strip()
        ends = [f"10.99.0.{PLACES[place]}" for place in (FAST, SLOW)]
        run(*inside(AP, sys.executable, "-c", SENDER, str(SECONDS), *ends))
        dump = run(*inside(AP, "iw", "dev", devices[AP], "station", "dump"))
    airtime = {}
    for place, address in addresses.items():
        own = dump.partition(f"Station {address} ")[2].partition("\nStation ")[0]
        found = re.search(r"tx duration:\s*(\d+) us", own)
        airtime[place] = int(found[1]) if found else 0
    if not all(airtime.values()):
        raise SkipError("the radios report no airtime: this kernel's mac80211_hwsim has no airtime fairness")
    return {place: each / sum(airtime.values()) for place, each in airtime.items()}


def simulated() -> dict[str, float]:
    """Shares of airtime of the same downloads in the simulator."""
    slow = ww.format.FixedRate(mcs=4, streams=1, width="20 MHz")
    stations = [
        ww.format.WifiStation(node="AP", at=("0 m", "0 m")),
        ww.format.WifiStation(node=FAST, at=("5 m", "0 m")),
        ww.format.WifiStation(node=SLOW, at=("0 m", "5 m"), receive_rate=slow),
    ]
    air = ww.Wifi(name="home", standard="802.11ac", width="20 MHz", access_point="AP", station=stations)
    sources = [
        ww.Background(name=end, from_="AP", to=end, pattern=ww.format.Cbr(rate="300 Mbit/s"), packet="1500 B")
        for end in (FAST, SLOW)
    ]
    nodes = [ww.Node(name=name) for name in ("AP", FAST, SLOW)]
    found = ww.Scenario(name="hwsim", duration="8 s", warmup="1 s", node=nodes, wifi=[air], background=sources)
    links = found.simulate().edca_links.set_index("link")["airtime"]
    shares = {end: float(links[f"AP->{end}"]) for end in (FAST, SLOW)}
    return {end: share / sum(shares.values()) for end, share in shares.items()}


def main() -> None:
    """The command line."""
    try:
        real = kernels()
    except SkipError as why:
        print(f"skipped: {why}")
        return
    ours = simulated()
    for place in (FAST, SLOW):
        print(f"{place}: {real[place]:.3f} of the airtime, simulated {ours[place]:.3f}")
    if any(abs(real[place] - ours[place]) > TOLERANCE for place in (FAST, SLOW)):
        sys.exit(f"shares differ by more than {TOLERANCE}")


if __name__ == "__main__":
    main()
