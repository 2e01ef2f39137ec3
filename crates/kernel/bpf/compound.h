/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * Compound. The twin of crates/laws/src/compound.rs, which carries the equations and their sources.
 */
#pragma once
#include "law.h"

struct params {
	u32 alpha;
	u32 k;
	u32 beta;
	u32 gamma;
	u32 zeta;
};

struct law {
	u64 cwnd;         /* the sum of the two, Q24 */
	u64 loss_window;  /* Q24 */
	u64 delay_window; /* Q24 */
	u64 ssthresh;     /* Q24 */
	struct round_trip round;
	struct round_trip ended;
	u8 has_ended;     /* this ACK ends a round trip, `ended` */
	u8 is_slow_start;
};

FIXED void set_windows(struct law *law, u64 loss_window, u64 delay_window)
{
	law->loss_window = loss_window;
	law->delay_window = delay_window;
	law->cwnd = least(loss_window + delay_window, CWND_LIMIT);
}

FIXED void law_init(struct law *law, u32 cwnd)
{
	*law = (struct law){ .ssthresh = ~0ull, .is_slow_start = 1 };
	set_windows(law, cwnd * PACKET, 0);
}

#define law_learn law_learn
FIXED void law_learn(struct law *law, const struct params *params, const struct ack *ack)
{
	law->has_ended = round_trip_on_ack(&law->round, ack, &law->ended);
}

/* α·W^k, in packets. */
FIXED u64 growth(const struct params *params, u64 cwnd)
{
	s64 log = log2_of(q24(params->alpha)) + (s64)(params->k * (u64)log2_of(cwnd) >> 16);

	return times_exp2(PACKET, log, CWND_LIMIT);
}

FIXED void law_grow(struct law *law, const struct params *params, const struct ack *ack)
{
	u64 loss_window = law->loss_window, delay_window = law->delay_window;

	if (law->is_slow_start) {
		loss_window = least(slow_start(loss_window, law->ssthresh, ack->acked), CWND_LIMIT);
		law->is_slow_start = loss_window < law->ssthresh;
		set_windows(law, loss_window, delay_window);
		return;
	}
	loss_window = least(loss_window + divided(ack->acked * PACKET, law->cwnd), CWND_LIMIT);
	if (law->has_ended && law->ended.samples) {
		u64 diff = queued(ack->flight_at_send * PACKET, ack->base_rtt, law->ended.min_rtt);

		if (diff < q24(params->gamma)) {
			u64 grown = growth(params, least(loss_window + delay_window, CWND_LIMIT));

			delay_window = least(delay_window + (grown > PACKET ? grown - PACKET : 0), CWND_LIMIT);
		} else {
			delay_window -= least(times_parameter(diff, params->zeta), delay_window);
		}
	}
	set_windows(law, loss_window, delay_window);
}

FIXED void law_congestion(struct law *law, const struct params *params, const struct congestion *event)
{
	u64 loss_window;

	law->ssthresh = most(times_parameter(law->cwnd, (1 << 16) - params->beta), LOSS_FLOOR);
	law->is_slow_start = 0;
	loss_window = least(law->loss_window / 2, law->ssthresh);
	set_windows(law, loss_window, law->ssthresh - loss_window);
}

#define law_timeout law_timeout
FIXED void law_timeout(struct law *law, const struct params *params, const struct congestion *event)
{
	law->ssthresh = half_flight(event->flight);
	law->is_slow_start = 1;
	set_windows(law, PACKET, 0);
}

/* The delay window keeps what it can. */
#define law_follow law_follow
FIXED void law_follow(struct law *law, u64 cwnd)
{
	u64 delay_window = least(law->delay_window, cwnd);

	set_windows(law, cwnd - delay_window, delay_window);
}

#define law_is_slow_start law_is_slow_start
FIXED int law_is_slow_start(const struct law *law)
{
	return law->is_slow_start;
}

/* What the event took from the delay window goes to the loss window. */
#define law_undo law_undo
FIXED void law_undo(struct law *law, u64 cwnd, u64 ssthresh)
{
	law_follow(law, cwnd);
	law->ssthresh = most(law->ssthresh, ssthresh);
	law->is_slow_start = cwnd < ssthresh;
}

/* Its own figure: the delay window. */
FIXED void law_observe(const struct law *law, u32 base_rtt, struct observed *observed)
{
	observed->avg_rtt = 0;
	observed->own = law->delay_window;
}
