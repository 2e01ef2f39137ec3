"""Capture of a link's packets at its near end, by a program that runs there.

    python _capture.py FILE DEVICE

It needs the standard library alone and runs until it is killed. Each packet is in the file when the next one comes.
"""

from __future__ import annotations

import socket
import struct
import sys
from pathlib import Path

#: Linux's ETH_P_ALL and SO_TIMESTAMPNS, which Python does not name.
_ALL_PROTOCOLS, _TIMESTAMP_NS = 3, 35

#: Beginning of a pcap file with times in nanoseconds and packets that begin with their IP header (LINKTYPE_RAW).
_HEAD = struct.pack("=IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, 101)

#: Room of the socket for packets that wait to be written.
_ROOM = 1 << 23

#: Bytes of packets after which a capture ends.
MOST_BYTES = 64 << 20


def capture(path: Path, device: str) -> None:
    """Writes the packets of a device, in both directions, and a line to standard output before the first."""
    with path.open("wb", buffering=0) as file, _listener(device) as packets:
        file.write(_HEAD)
        print("ready", flush=True)
        written = 0
        while written < MOST_BYTES:
            data, extra, _, _ = packets.recvmsg(1 << 18, socket.CMSG_SPACE(16))
            seconds, nanoseconds = struct.unpack("=qq", extra[0][2][:16])
            file.write(struct.pack("=IIII", seconds & 0xFFFFFFFF, nanoseconds, len(data), len(data)) + data)
            written += len(data)


def _listener(device: str) -> socket.socket:
    """A socket that receives each packet of a device with its time."""
    # Not open for packets before it is bound: those of other devices would come first.
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    packets.setsockopt(socket.SOL_SOCKET, _TIMESTAMP_NS, 1)
    packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _ROOM)
    packets.bind((device, _ALL_PROTOCOLS))
    return packets


if __name__ == "__main__":
    capture(Path(sys.argv[1]), sys.argv[2])
