/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * Westwood+. The twin of crates/laws/src/westwood.rs, which carries the equations and their sources.
 */
#pragma once
#include "law.h"

struct params {
	u32 filter;
};

struct law {
	u64 cwnd;      /* Q24 */
	u64 ssthresh;  /* Q24 */
	u64 bandwidth; /* packets in 2^20 microseconds, Q24; 0 before the first estimate */
	u64 began;     /* when the current round trip began, microseconds */
	u32 acked;     /* packets acknowledged in it */
	u32 round;
	u8 has_begun;
};

FIXED void law_init(struct law *law, u32 cwnd)
{
	*law = (struct law){ .cwnd = cwnd * PACKET, .ssthresh = ~0ull };
}

/* Counts what arrives; at the end of a round trip, takes its rate into the estimate. */
#define law_learn law_learn
FIXED void law_learn(struct law *law, const struct params *params, const struct ack *ack)
{
	u64 sample;

	if (!law->has_begun) {
		law->has_begun = 1;
		law->began = ack->now;
		law->round = ack->round;
		return;
	}
	law->acked = least(law->acked + ack->acked, (1 << 19) - 1);
	if (ack->round == law->round || ack->now <= law->began)
		return;
	sample = least(((u64)law->acked << 44) / (ack->now - law->began), CWND_LIMIT);
	if (law->bandwidth)
		sample = times_parameter(law->bandwidth, params->filter) +
			 times_parameter(sample, (1 << 16) - params->filter);
	law->bandwidth = sample;
	law->began = ack->now;
	law->round = ack->round;
	law->acked = 0;
}

FIXED void law_grow(struct law *law, const struct params *params, const struct ack *ack)
{
	if (law->cwnd < law->ssthresh)
		law->cwnd = least(slow_start(law->cwnd, law->ssthresh, ack->acked), CWND_LIMIT);
	else
		law->cwnd = one_per_round(law->cwnd, ack->acked);
}

/* Packets that the measured rate keeps in flight without a queue. */
FIXED u64 pipe(const struct law *law, u32 base_rtt)
{
	return (law->bandwidth >> 20) * base_rtt + ((law->bandwidth & 0xfffff) * base_rtt >> 20);
}

FIXED void law_congestion(struct law *law, const struct params *params, const struct congestion *event)
{
	law->ssthresh = law->bandwidth ? most(pipe(law, event->base_rtt), LOSS_FLOOR) : half_flight(event->flight);
	law->cwnd = least(law->cwnd, law->ssthresh);
}

/* Its own figure: the bandwidth estimate, in packets a second. */
FIXED void law_observe(const struct law *law, u32 base_rtt, struct observed *observed)
{
	observed->avg_rtt = 0;
	observed->own = law->bandwidth * 15625 >> 14; /* 10^6/2^20 */
}
