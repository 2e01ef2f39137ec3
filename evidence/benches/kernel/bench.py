"""Cost of a call of a kernel law: nanoseconds, as counted by the kernel, for each law and operation.

Needs root. Connections run over the loopback of a network namespace that ends with this process.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import socket
import struct
import sys
import threading

from windward import KernelError, _engine

LIBC = ctypes.CDLL(None, use_errno=True)
#: The system call bpf(2).
BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280}[platform.machine()]
#: Its commands, and where `struct bpf_prog_info` has the counters.
PROG_GET_NEXT_ID, PROG_GET_FD_BY_ID, OBJ_GET_INFO_BY_FD, ENABLE_STATS = 11, 13, 15, 32
INFO_SIZE, NAME, TIME_AND_COUNT = 208, slice(64, 80), slice(192, 208)
CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP = 0x4000_0000, 0x8914, 1
BYTES = 2_000_000_000


def bpf(command: int, attributes: bytearray) -> int:
    """The system call; its answer, or -1."""
    buffer = (ctypes.c_char * len(attributes)).from_buffer(attributes)
    return int(LIBC.syscall(BPF, command, buffer, len(attributes)))


def programs() -> set[int]:
    """The ids of all programs in the kernel."""
    found: set[int] = set()
    attributes = bytearray(12)
    while bpf(PROG_GET_NEXT_ID, attributes) == 0:
        _, last, _ = struct.unpack("III", attributes)
        found.add(last)
        attributes = bytearray(struct.pack("III", last, 0, 0))
    return found


def cost(program: int) -> tuple[str, int, int]:
    """A program's name, the nanoseconds it has run and how often."""
    descriptor = bpf(PROG_GET_FD_BY_ID, bytearray(struct.pack("III", program, 0, 0)))
    info = bytearray(INFO_SIZE)
    address = ctypes.addressof((ctypes.c_char * INFO_SIZE).from_buffer(info))
    bpf(OBJ_GET_INFO_BY_FD, bytearray(struct.pack("IIQ", descriptor, INFO_SIZE, address)))
    os.close(descriptor)
    return info[NAME].rstrip(b"\0").decode(), *struct.unpack("QQ", info[TIME_AND_COUNT])


def transfer(law: str) -> None:
    """Sends BYTES over the loopback by `law`, in segments as on a real link."""
    listener = socket.create_server(("127.0.0.1", 0))
    sender = socket.create_connection(listener.getsockname())
    receiver, _ = listener.accept()
    sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, law.encode())
    block = bytes(1 << 20)

    def send() -> None:
        for _ in range(BYTES // len(block)):
            sender.sendall(block)
        sender.shutdown(socket.SHUT_WR)

    thread = threading.Thread(target=send)
    thread.start()
    while receiver.recv(1 << 20):
        pass
    thread.join()


def enter_namespace() -> None:
    """A network namespace of this process's own, its loopback up."""
    if LIBC.unshare(CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "making a network namespace")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))


def main() -> None:
    """Prints one line for each law."""
    try:
        _engine.kernel_support()
    except (KernelError, AttributeError) as why:
        print(f"kernel laws are left out: {why}", file=sys.stderr)
        return
    enter_namespace()
    counting = bpf(ENABLE_STATS, bytearray(4))
    print(f"{'ns a call':<12}{'pkts_acked':>12}{'cong_avoid':>12}{'both, of an ACK':>18}{'calls':>12}")
    for law, _ in _engine.kernel_laws():
        before = programs()
        loaded = _engine.kernel_load(law, [], f"ww_{os.getpid()}", False)
        transfer(loaded.name)
        costs = {name: (time, count) for name, time, count in map(cost, programs() - before)}
        (learn, calls), (grow, grown) = costs["pkts_acked"], costs["cong_avoid"]
        both = learn / calls + grow / grown
        print(f"{law:<12}{learn / calls:>12.0f}{grow / grown:>12.0f}{both:>18.0f}{calls:>12}")
        del loaded
    os.close(counting)


if __name__ == "__main__":
    main()
