/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * Fixed point for control laws. eBPF has neither floating point nor, before -mcpu=v4, a signed division: everything
 * here is unsigned, branch-free where the verifier would otherwise follow every path, and short of 64 bits at every
 * step.
 *
 *   packets    Q24 in u64, below 2^44: windows up to a million packets, to 6e-8
 *   shares     Q30 in u32, 0 to 1
 *   logarithms Q24 in s64, to base 2
 *   parameters Q16 in u32
 */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

#define FIXED static inline __attribute__((always_inline, unused))

/* One packet. */
#define PACKET (1ull << 24)

/* Windows end here, as Linux's do in practice: 2^20 packets. */
#define CWND_LIMIT (PACKET << 20)

/* A parameter in the unit of packets. */
FIXED u64 q24(u32 parameter)
{
	return (u64)parameter << 8;
}

FIXED u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

FIXED u64 most(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* part/whole, at most 1; both below 2^34. Too small by less than 2^-30. */
FIXED u32 share(u64 part, u64 whole)
{
	return (least(part, whole) << 30) / whole;
}

/* value·factor, the factor below 2 in Q30, the value below 2^47. Too small by less than two units. */
FIXED u64 times(u64 value, u32 factor)
{
	return (value * (factor >> 15) + (value * (factor & 0x7fff) >> 15)) >> 15;
}

/* value/divisor, both in Q24, the divisor below 2^52, by long division in two digits of 12 bits. Too small by less than
 * one unit. */
FIXED u64 divided(u64 value, u64 divisor)
{
	u64 quotient = value / divisor;
	u64 rest = (value % divisor) << 12;

	quotient = quotient << 12 | rest / divisor;
	rest = (rest % divisor) << 12;
	return quotient << 12 | rest / divisor;
}

/* 1 where value is not zero. The barrier keeps the compiler from making it a branch: the verifier would follow both ways, at
 * each of the steps below. */
FIXED u64 is_nonzero(u64 value)
{
	value |= -value;
	__asm__("" : "+r"(value));
	return value >> 63;
}

/* The index of the highest bit of a value that is not zero. (clang 14 crashes on the builtin.) */
FIXED u32 highest_bit(u64 value)
{
	u32 index = 0;

	for (u32 step = 32; step; step /= 2) {
		u32 shift = is_nonzero(value >> step) * step;

		value >>= shift;
		index += shift;
	}
	return index;
}

/* log2(value), value in Q24 and not zero: 24 digits, each the square's carry. Too small by less than 2^-23. */
FIXED s64 log2_of(u64 value)
{
	u32 msb = highest_bit(value);
	u64 mantissa = value << (63 - msb) >> 33; /* Q30, from 1 to 2 */
	u64 digits = 0;

	for (int i = 0; i < 24; i++) {
		mantissa = mantissa * mantissa >> 30;
		digits = digits << 1 | mantissa >> 31;
		mantissa >>= mantissa >> 31;
	}
	return ((s64)msb - 24) * (s64)PACKET + (s64)digits;
}

/* value·2^log, at most `limit`; the value below 2^44. The power comes from its Taylor series of degree 9: too small by
 * less than 2e-8 of itself, the remainder ln(2)^10/10! and nine truncations of 2^-30. */
FIXED u64 times_exp2(u64 value, s64 log, u64 limit)
{
	u64 biased = (u64)(log + 64 * (s64)PACKET); /* shifts of negative numbers are the compiler's to choose */
	u32 whole = biased >> 24;
	u64 f = biased & (PACKET - 1);
	u64 p = 109; /* ln(2)^k/k! in Q30, k = 9 to 0 */

	p = 1419 + (p * f >> 24);
	p = 16377 + (p * f >> 24);
	p = 165394 + (p * f >> 24);
	p = 1431680 + (p * f >> 24);
	p = 10327387 + (p * f >> 24);
	p = 59597083 + (p * f >> 24);
	p = 257941248 + (p * f >> 24);
	p = 744261118 + (p * f >> 24);
	p = (1u << 30) + (p * f >> 24);
	value = times(value, p);
	if (whole < 64)
		return least(whole ? value >> (64 - whole) : 0, limit);
	if (whole > 64 + 63)
		return value ? limit : 0;
	return value > limit >> (whole - 64) ? limit : value << (whole - 64);
}
