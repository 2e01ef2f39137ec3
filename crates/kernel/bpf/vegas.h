/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * Vegas. The twin of crates/laws/src/vegas.rs, which carries the equations and their sources.
 */
#pragma once
#include "law.h"

struct params {
	u32 alpha;
	u32 beta;
	u32 gamma;
};

enum growth { NONE, LINEAR, DOUBLE };

struct law {
	u64 cwnd;     /* Q24 */
	u64 ssthresh; /* Q24 */
	u64 diff;     /* packets in queues as last computed, Q24 */
	struct round_trip round;
	struct round_trip ended;
	u8 has_ended; /* this ACK ends a round trip, `ended` */
	u8 growth;
};

FIXED void law_init(struct law *law, u32 cwnd)
{
	*law = (struct law){ .cwnd = cwnd * PACKET, .ssthresh = ~0ull, .growth = DOUBLE };
}

#define law_learn law_learn
FIXED void law_learn(struct law *law, const struct params *params, const struct ack *ack)
{
	law->has_ended = round_trip_on_ack(&law->round, ack, &law->ended);
}

FIXED void leave_slow_start(struct law *law, u64 cwnd)
{
	law->cwnd = most(cwnd, LOSS_FLOOR);
	law->ssthresh = LOSS_FLOOR;
	law->growth = NONE;
}

FIXED void decide(struct law *law, const struct params *params)
{
	if (law->cwnd < law->ssthresh) {
		if (law->growth == DOUBLE)
			law->growth = NONE;
		else if (law->diff <= q24(params->gamma))
			law->growth = DOUBLE;
		else
			leave_slow_start(law, law->cwnd * 7 / 8);
		return;
	}
	law->growth = NONE;
	/* Too few samples, where the window has room for three, say nothing of the queue. */
	if (law->ended.samples < least(law->cwnd / PACKET, 3))
		law->growth = LINEAR;
	else if (law->diff > q24(params->beta))
		law->cwnd = most(law->cwnd - PACKET, LOSS_FLOOR);
	else if (law->diff < q24(params->alpha))
		law->growth = LINEAR;
}

FIXED void law_grow(struct law *law, const struct params *params, const struct ack *ack)
{
	if (law->has_ended && law->ended.samples) {
		law->diff = queued(ack->flight_at_send * PACKET, ack->base_rtt, law->ended.min_rtt);
		decide(law, params);
	}
	if (law->growth == LINEAR)
		law->cwnd = one_per_round(law->cwnd, ack->acked);
	else if (law->growth == DOUBLE)
		law->cwnd = least(slow_start(law->cwnd, law->ssthresh, ack->acked), CWND_LIMIT);
}

FIXED void law_congestion(struct law *law, const struct params *params, const struct congestion *event)
{
	leave_slow_start(law, law->cwnd * 3 / 4);
}

#define law_timeout law_timeout
FIXED void law_timeout(struct law *law, const struct params *params, const struct congestion *event)
{
	law->ssthresh = half_flight(event->flight);
	law->cwnd = LOSS_FLOOR;
	law->growth = DOUBLE;
}

/* Until the next round trip decides, the window stays. */
#define law_undo law_undo
FIXED void law_undo(struct law *law, u64 cwnd, u64 ssthresh)
{
	law->cwnd = cwnd;
	law->ssthresh = cwnd < ssthresh ? ssthresh : LOSS_FLOOR;
	law->growth = NONE;
}

/* Its own figure: the packets in queues as it last computed them. */
FIXED void law_observe(const struct law *law, u32 base_rtt, struct observed *observed)
{
	observed->avg_rtt = 0;
	observed->own = law->diff;
}
