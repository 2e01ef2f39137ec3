"""windward.coding: blocks there and back, with nodes on the way, and what is refused."""

import doctest
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from windward import coding


def block(packets: int, size: int, seed: int) -> list[bytes]:
    return [Random(f"{seed} {packet}").randbytes(size) for packet in range(packets)]


def test_the_example_of_the_module() -> None:
    assert doctest.testmod(coding).failed == 0


@pytest.mark.parametrize(("packets", "size"), [(1, 1), (3, 1000), (32, 1000), (200, 7)])
def test_there_and_back_by_two_nodes(packets: int, size: int) -> None:
    sent, random = block(packets, size, 1), Random(2)
    encoder = coding.Encoder(sent)
    assert (len(encoder), encoder.size) == (packets, size)
    rows = [coding.draw(packets, random) for _ in range(packets + 4)]
    coded = list(zip(rows, encoder.encode_all(rows), strict=True))
    for _ in range(2):
        node = coding.Recoder(packets, size)
        for coefficients, payload in coded:
            node.add(coefficients, payload)
        coded = [node.recode(coding.draw(len(node), random)) for _ in range(packets + 4)]
    decoder = coding.Decoder(packets, size)
    for coefficients, payload in coded:
        if any(coefficients):
            rank = decoder.rank
            assert decoder.add(coefficients, payload) == (decoder.rank == rank + 1)
    assert decoder.is_complete
    assert decoder.decode() == sent


def test_encoding_is_the_sum_of_products() -> None:
    packets = block(5, 64, 3)
    coefficients = bytes([7, 0, 255, 1, 29])
    expected = [0] * 64
    for c, packet in zip(coefficients, packets, strict=True):
        expected = [total ^ coding.multiply(c, byte) for total, byte in zip(expected, packet, strict=True)]
    assert coding.Encoder(packets).encode(coefficients) == bytes(expected)


def test_the_polynomial() -> None:
    assert coding.multiply(2, 0x80) == coding.POLYNOMIAL & 0xFF


def test_arrays_and_memoryviews_are_taken() -> None:
    packets = [np.arange(8, dtype=np.uint8), memoryview(bytes(8))]
    assert coding.Encoder(packets).encode(np.array([1, 5], dtype=np.uint8)) == bytes(range(8))


def test_incremental_coding_gives_packets_away_early() -> None:
    packets = block(3, 10, 4)
    encoder, decoder = coding.Encoder(packets), coding.Decoder(3, 10)
    for known, row in enumerate([b"\x05\x00\x00", b"\x01\x09\x00", b"\x07\x07\x07"]):
        decoder.add(row, encoder.encode(row))
        assert [decoder.packet(at) for at in range(3)] == packets[: known + 1] + [None] * (2 - known)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (lambda: coding.Encoder([]), "a block of 0 packets; allowed: 1 to 1024"),
        (lambda: coding.Encoder([b"x"] * 1025), "a block of 1025 packets; allowed: 1 to 1024"),
        (lambda: coding.Encoder([b"ab", b"a"]), "packet 1 has 1 bytes; packets of this block have 2: pad the shorter"),
        (lambda: coding.Encoder([b""]), "packets of 0 bytes; allowed: 1 and more"),
        (lambda: coding.Encoder([b"a"]).encode(b"\x00"), "all coefficients are zero"),
        (lambda: coding.Encoder([b"a"]).encode(b"\x01\x02"), "2 coefficients for a block of 1 packets"),
        (lambda: coding.Decoder(2, 3).add(b"\x01\x02", b"ab"), "a payload of 2 bytes; packets of this block have 3"),
        (lambda: coding.Decoder(2, 3).decode(), "0 of 2 independent combinations received"),
        (lambda: coding.Decoder(0, 3), "a block of 0 packets; allowed: 1 to 1024"),
        (lambda: coding.Recoder(1, 1).recode(b"\x01"), "1 factors for 0 packets received"),
        (lambda: coding.draw(0, Random(1)), "coefficients for 0 packets; allowed: 1 and more"),
    ],
)
def test_what_is_refused(what: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        what()
