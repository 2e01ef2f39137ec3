"""Random linear network coding over GF(2^8): encode, recode, decode.

A block of packets of one size is sent as linear combinations, each with one coefficient (a byte) for each packet. Any
combinations that are linearly independent, as many as there are packets, give the block back; nodes on the way combine
what they have without decoding.

>>> from random import Random
>>> from windward import coding
>>> packets = [b"wind", b"ward", b"bird"]
>>> encoder, decoder, random = coding.Encoder(packets), coding.Decoder(3, 4), Random(1)
>>> while not decoder.is_complete:
...     coefficients = coding.draw(3, random)
...     innovative = decoder.add(coefficients, encoder.encode(coefficients))
>>> decoder.decode()
[b'wind', b'ward', b'bird']

The field is GF(2)[x] modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11D). Packets, coefficients and payloads are `bytes` or other
buffers of bytes, such as one-dimensional arrays of numpy's uint8. What does not fit raises ValueError.
"""

from __future__ import annotations

from random import Random

from windward._engine import Decoder, Encoder, Recoder, coding_kernel, coding_multiply

__all__ = ["POLYNOMIAL", "Decoder", "Encoder", "Recoder", "draw", "kernel", "multiply"]

#: x^8 + x^4 + x^3 + x^2 + 1.
POLYNOMIAL = 0x11D


def draw(packets: int, random: Random) -> bytes:
    """Coefficients for a block of `packets`, uniform among those that are not all zero."""
    if packets < 1:
        raise ValueError(f"coefficients for {packets} packets; allowed: 1 and more")
    while not any(coefficients := random.randbytes(packets)):
        pass
    return coefficients


def multiply(a: int, b: int) -> int:
    """The product of two elements of the field, each from 0 to 255."""
    return coding_multiply(a, b)


def kernel() -> str:
    """The instructions by which packets are combined on this machine: gfni512, gfni256, avx2, ssse3, neon or scalar."""
    return coding_kernel()
