/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * H-TCP. The twin of crates/laws/src/htcp, which carries the equations and their sources, with growth scaled by the
 * round-trip time and halving where the throughput has changed.
 */
#pragma once
#include "law.h"

struct params {
	u32 delta_l; /* seconds */
};

struct law {
	u64 cwnd;     /* Q24 */
	u64 ssthresh; /* Q24 */
	u64 since;    /* when the last event ended, microseconds */
	u64 mean;     /* throughput, packets in 2^20 microseconds, Q24: smoothed, */
	u64 greatest; /* the greatest since the last event */
	u64 before;   /* and of the time before it */
	u64 began;    /* when `acked` was last zero, microseconds */
	u32 acked;    /* packets */
	u32 max_rtt;  /* microseconds, Q8 */
	u32 beta;     /* share of the window that the last event left, Q30 */
	u8 has_ended; /* the last event: `since` is known */
	u8 is_adaptive;
};

/* β is from 1/2 to 0.8, Q30. */
#define HALF (1u << 29)
#define MOST_LEFT 858993459u

/* Microseconds: the least round-trip time that tells of a queue, and what a sample may exceed those before it. */
#define LEAST_RTT 10000
#define CREDIBLE 20000

/* Δ counts up to a thousand seconds. */
#define DELTA_LIMIT 1000000000u

FIXED void law_init(struct law *law, u32 cwnd)
{
	*law = (struct law){ .cwnd = cwnd * PACKET, .ssthresh = ~0ull, .beta = HALF };
}

/* α in packets, Q24: 2(1−β)·max(f·s, 1). */
FIXED u64 alpha_of(const struct law *law, const struct params *params, const struct ack *ack)
{
	u64 low = (u64)params->delta_l * 1000000 >> 16;
	u64 delta = least(ack->now - law->since, DELTA_LIMIT);
	u64 past = delta > low ? ((delta - low) << 24) / 1000000 : 0; /* seconds, Q24 */
	u64 f = PACKET + 10 * past + ((past >> 6) * (past >> 6) >> 14);
	u64 scale = least(most(((u64)ack->base_rtt << 24) / 100000, PACKET / 10), 2 * PACKET); /* Q24 */
	u64 growth = most((f >> 24) * scale + ((f & (PACKET - 1)) * scale >> 24), PACKET);

	return times(2 * growth, (1u << 30) - law->beta);
}

FIXED void count(struct law *law, const struct ack *ack, u64 alpha)
{
	u64 window = law->cwnd - least(most(alpha, PACKET), law->cwnd);
	u64 span = ack->now - law->began, sample;

	law->acked = least(law->acked + ack->acked, (1 << 19) - 1);
	if (law->acked * PACKET < window || span < ack->base_rtt || !span)
		return;
	sample = least(((u64)law->acked << 44) / span, CWND_LIMIT);
	if (ack->now - law->since < 4 * (u64)ack->base_rtt) {
		law->mean = sample;
		law->greatest = sample;
	} else {
		law->mean = (3 * law->mean + sample) / 4;
		law->greatest = most(law->greatest, law->mean);
	}
	law->acked = 0;
	law->began = ack->now;
}

FIXED void law_grow(struct law *law, const struct params *params, const struct ack *ack)
{
	u64 alpha;

	if (!law->has_ended) {
		law->has_ended = 1;
		law->since = ack->now;
		law->acked = 0;
		law->began = ack->now;
	}
	if (ack->rtt) {
		law->max_rtt = most(law->max_rtt, (u64)ack->base_rtt << 8);
		if ((u64)ack->rtt << 8 <= law->max_rtt + ((u64)CREDIBLE << 8))
			law->max_rtt = most(law->max_rtt, (u64)ack->rtt << 8);
	}
	alpha = alpha_of(law, params, ack);
	count(law, ack, alpha);
	if (law_is_slow_start(law))
		law->cwnd = least(slow_start(law->cwnd, law->ssthresh, ack->acked), CWND_LIMIT);
	else
		law->cwnd = least(law->cwnd + divided(alpha * ack->acked, law->cwnd), CWND_LIMIT);
}

/* Chooses β for an event. */
FIXED void adapt(struct law *law, u64 base_rtt)
{
	u64 base = base_rtt << 8, max_rtt = most(law->max_rtt, base);
	int is_steady = 5 * law->greatest >= 4 * law->before && 5 * law->greatest <= 6 * law->before;

	law->before = law->greatest;
	law->beta = HALF;
	if (is_steady && law->is_adaptive && base_rtt > LEAST_RTT)
		law->beta = least(most(share(base, max_rtt), HALF), MOST_LEFT);
	law->is_adaptive = is_steady;
	law->max_rtt = base + (max_rtt - base) * 95 / 100;
	law->has_ended = 0;
}

/* A timeout in recovery is of the event that is being repaired; so is one of which the kernel has asked for ssthresh. */
FIXED void law_congestion(struct law *law, const struct params *params, const struct congestion *event)
{
	if (law->has_ended)
		adapt(law, event->base_rtt);
	law->ssthresh = most(times(event->flight * PACKET, law->beta), LOSS_FLOOR);
	law->cwnd = law->ssthresh;
}

/* The time since the last event goes on (Linux: htcp_cwnd_undo), unless growth has begun anew. */
#define law_undo law_undo
FIXED void law_undo(struct law *law, u64 cwnd, u64 ssthresh)
{
	law->cwnd = cwnd;
	law->ssthresh = most(law->ssthresh, ssthresh);
	law->has_ended = law->since > 0;
}

/* Its own figure: β. */
FIXED void law_observe(const struct law *law, u32 base_rtt, struct observed *observed)
{
	observed->avg_rtt = 0;
	observed->own = law->beta >> 6;
}
