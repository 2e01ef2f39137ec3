/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * TCP-FIT. The twin of crates/laws/src/tcp_fit.rs, which carries the equations and their sources.
 */
#pragma once
#include "law.h"

struct params {
	u32 alpha;
	u32 beta;
	u32 period; /* seconds */
	u32 noise;  /* seconds */
};

struct law {
	u64 cwnd;     /* Q24 */
	u64 ssthresh; /* Q24 */
	u64 n;        /* Reno connections that this one stands for, Q24 */
	u64 began;    /* when the current period began, microseconds */
	u64 sum;      /* of the period's samples, microseconds */
	u32 samples;
	u32 max_rtt;  /* greatest smoothed round-trip time, microseconds */
	u8 has_begun; /* a period runs: never in slow start */
};

/* N ends here: 2^15. */
#define N_LIMIT (PACKET << 15)

/* Least α of the packet law, 1/1000 in Q30. */
#define LEAST_ALPHA 1073742

FIXED void law_init(struct law *law, u32 cwnd)
{
	*law = (struct law){ .cwnd = cwnd * PACKET, .ssthresh = ~0ull, .n = PACKET };
}

#define law_learn law_learn
FIXED void law_learn(struct law *law, const struct params *params, const struct ack *ack)
{
	law->max_rtt = most(law->max_rtt, ack->srtt);
	if (ack->rtt && !law_is_slow_start(law)) {
		law->sum += ack->rtt;
		law->samples++;
	}
}

/* N + β − β·N·q̂/α (Eq. 41), q̂ the queue's share of the period's mean round-trip time. */
FIXED u64 steered(const struct law *law, const struct params *params, u32 base_rtt)
{
	u64 noise = ((u64)params->noise * 1000000 + (1 << 15)) >> 16; /* microseconds */
	u64 base = law->samples * (base_rtt + noise);
	u64 waiting = law->sum > base ? divided((law->sum - base) << 6, law->sum) : 0; /* Q30 */
	u64 seen = law->max_rtt > base_rtt ? share(law->max_rtt - base_rtt, 2 * law->max_rtt) : 0;
	u64 alpha = most(least(seen, (u64)params->alpha << 14), LEAST_ALPHA);
	u64 pull = least(divided(times(law->n, waiting) << 6, alpha), CWND_LIMIT);
	u64 pushed = law->n + q24(params->beta);

	pull = times_parameter(pull, params->beta);
	return pushed > pull ? least(most(pushed - pull, PACKET), N_LIMIT) : PACKET;
}

/* Ends the period if it is over, and moves N. */
FIXED void steer(struct law *law, const struct params *params, const struct ack *ack)
{
	u64 period = most(ack->srtt, (u64)params->period * 1000000 >> 16);

	if (!law->has_begun) {
		law->has_begun = 1;
		law->began = ack->now;
	}
	if (ack->now - law->began < period || !law->samples)
		return;
	law->n = steered(law, params, ack->base_rtt);
	law->began = ack->now;
	law->sum = 0;
	law->samples = 0;
}

FIXED void law_grow(struct law *law, const struct params *params, const struct ack *ack)
{
	if (law_is_slow_start(law)) {
		law->cwnd = least(slow_start(law->cwnd, law->ssthresh, ack->acked), CWND_LIMIT);
		return;
	}
	steer(law, params, ack);
	law->cwnd = least(law->cwnd + divided(law->n * ack->acked, law->cwnd), CWND_LIMIT);
}

FIXED void law_congestion(struct law *law, const struct params *params, const struct congestion *event)
{
	u64 flight = event->flight * PACKET;

	law->ssthresh = most(flight - divided(2 * flight, 3 * law->n + PACKET), LOSS_FLOOR);
	law->cwnd = law->ssthresh;
}

#define law_timeout law_timeout
FIXED void law_timeout(struct law *law, const struct params *params, const struct congestion *event)
{
	law->ssthresh = half_flight(event->flight);
	law->cwnd = PACKET;
	law->has_begun = 0;
	law->sum = 0;
	law->samples = 0;
}

/* Its own figure: N. */
FIXED void law_observe(const struct law *law, u32 base_rtt, struct observed *observed)
{
	observed->avg_rtt = 0;
	observed->own = law->n;
}
