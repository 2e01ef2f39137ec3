/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * What a law is told, in the units of the kernel. Each law's header then defines
 *
 *   struct params           its parameters, u32 in Q16, in the order of the Rust law's
 *   struct law              its state, at most 72 bytes
 *   law_init                a sender whose window begins at so many packets
 *   law_grow                an ACK came on which the window may change: not in recovery, not short of data
 *   law_congestion          a loss or a mark, at most once per round trip
 *   law_observe
 *
 * and, where defaults.h does not do,
 *
 *   law_learn               the same or any other ACK, before law_grow: what its samples teach
 *   law_timeout             the retransmission timer expired
 *   law_follow              the host has moved the window itself
 *   law_undo                the last event was spurious: the window is `cwnd` again, and the threshold was `ssthresh`
 *   law_is_slow_start
 *
 * and is compiled twice: into eBPF behind host.h, and by the machine's C compiler into the test that holds it to the
 * Rust law.
 */
#pragma once
#include "fixed.h"

/* An ACK that delivers something new. Times in microseconds. */
struct ack {
	u64 now;
	u64 sent_at;        /* when the newest packet that it delivers was sent */
	u32 acked;          /* packets */
	u32 rtt;            /* 0: no sample */
	u32 srtt;           /* smoothed (RFC 6298 §2) */
	u32 base_rtt;
	u32 flight_at_send; /* packets in flight when that packet was sent, itself included */
	u32 round;          /* round trips completed */
};

/* A loss, a mark or a timeout was found. */
struct congestion {
	u32 flight;   /* packets not yet acknowledged, those lost or SACKed included: RFC 5681's FlightSize */
	u32 base_rtt; /* microseconds */
};

/* What `show` prints of a connection beside its window. */
struct observed {
	u64 avg_rtt; /* microseconds, Q24; 0: the host's srtt */
	u64 own;     /* the law's own figure, Q24: see src/laws.rs */
};

/* Round-trip times end here: 16 s. */
#define RTT_LIMIT ((1u << 24) - 1)

struct law;
FIXED int law_is_slow_start(const struct law *law);

/* RFC 5681 §3.1, Eq. 4. */
#define LOSS_FLOOR (2 * PACKET)

/* As the kernel's tcp_slow_start: by what was acknowledged, however many segments an ACK is for, up to ssthresh. Receivers
 * that merge segments (GRO) acknowledge dozens at once; RFC 3465's limit of two would take away most of slow start. */
FIXED u64 slow_start(u64 cwnd, u64 ssthresh, u32 acked)
{
	return least(cwnd + acked * PACKET, ssthresh);
}

/* RFC 5681 §3.1, Eq. 4: half of what is in flight, at least two packets. */
FIXED u64 half_flight(u32 flight)
{
	return most((u64)flight * (PACKET / 2), LOSS_FLOOR);
}

/* Packets of a window that wait in queues: cwnd·(1 − base_rtt/rtt). */
FIXED u64 queued(u64 cwnd, u32 base_rtt, u32 rtt)
{
	return rtt > base_rtt ? times(cwnd, share(rtt - base_rtt, rtt)) : 0;
}

/* value·parameter, the value below 2^44, the product below 2^60. */
FIXED u64 times_parameter(u64 value, u32 parameter)
{
	return (value >> 16) * parameter + ((value & 0xffff) * parameter >> 16);
}

/* Congestion avoidance: one packet more per round trip. */
FIXED u64 one_per_round(u64 cwnd, u32 acked)
{
	return least(cwnd + divided(acked * PACKET, cwnd), CWND_LIMIT);
}

/* The round-trip samples of the current round trip. */
struct round_trip {
	u32 number;
	u32 samples;
	u32 min_rtt;
};

/* Counts a sample; true when the ACK ends the round trip, whose samples `ended` then holds, its own included. */
FIXED int round_trip_on_ack(struct round_trip *round, const struct ack *ack, struct round_trip *ended)
{
	if (ack->rtt) {
		round->min_rtt = round->samples ? least(round->min_rtt, ack->rtt) : ack->rtt;
		round->samples++;
	}
	if (ack->round == round->number)
		return 0;
	ended->samples = round->samples;
	ended->min_rtt = round->min_rtt;
	round->number = ack->round;
	round->samples = 0;
	round->min_rtt = 0;
	return 1;
}
