/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * Veno. The twin of crates/laws/src/veno.rs, which carries the equations and their sources.
 */
#pragma once
#include "law.h"

struct params {
	u32 beta;
	u32 gamma;
};

struct law {
	u64 cwnd;     /* Q24 */
	u64 ssthresh; /* Q24 */
	u64 backlog;  /* packets in queues by the latest sample, Q24 */
};

FIXED void law_init(struct law *law, u32 cwnd)
{
	*law = (struct law){ .cwnd = cwnd * PACKET, .ssthresh = ~0ull };
}

FIXED int is_congested(const struct law *law, const struct params *params)
{
	return law->backlog >= q24(params->beta);
}

FIXED void law_grow(struct law *law, const struct params *params, const struct ack *ack)
{
	u64 grown;

	if (ack->rtt)
		law->backlog = queued(law->cwnd, ack->base_rtt, ack->rtt);
	if (law_is_slow_start(law)) {
		law->cwnd = least(slow_start(law->cwnd, law->ssthresh, ack->acked), CWND_LIMIT);
		return;
	}
	grown = ack->acked * (is_congested(law, params) ? PACKET / 2 : PACKET);
	law->cwnd = least(law->cwnd + divided(grown, law->cwnd), CWND_LIMIT);
}

FIXED void law_congestion(struct law *law, const struct params *params, const struct congestion *event)
{
	u32 left = is_congested(law, params) ? 1 << 15 : params->gamma;

	law->ssthresh = most(times_parameter(event->flight * PACKET, left), LOSS_FLOOR);
	law->cwnd = law->ssthresh;
}

/* Its own figure: packets in queues. */
FIXED void law_observe(const struct law *law, u32 base_rtt, struct observed *observed)
{
	observed->avg_rtt = 0;
	observed->own = law->backlog;
}
