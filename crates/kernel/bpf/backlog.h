/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * FAST and QUIC-TCP: the twin of crates/laws/src/backlog/paper.rs, which carries the equations and their sources. The
 * two laws' headers say what `exponent` W has in the step (Q24, −1 to 1), and whether base_rtt/avg_rtt damps it.
 */
#pragma once
#include "law.h"

struct law {
	u64 cwnd;       /* Q24 */
	u64 ssthresh;   /* Q24 */
	u64 avg_rtt;    /* microseconds, Q24; 0 before the first sample */
	u64 settled;    /* microseconds: packets sent before tell of the queue that slow start made */
	s32 scale;      /* log2 of κ·W^(1−2ρ), Q24, computed once per round trip */
	u32 scale_round;
	struct round_trip round;
	u8 has_scale;
	u8 is_slow_start;
	u8 is_stale;    /* this ACK's packet was sent before `settled` */
};

/* The law that includes this file defines these. */
FIXED s64 drift_log_scale(const struct params *params, u64 cwnd);
FIXED u64 drift_backlog(const struct params *params);

/* Least window, the ns-2 module's. */
#define FLOOR (2 * PACKET)

/* Samples that tell the standing queue from a burst; HyStart++'s (RFC 9406 §4.3). */
#define SAMPLES 8

FIXED void law_init(struct law *law, u32 cwnd)
{
	*law = (struct law){ .cwnd = cwnd * PACKET, .ssthresh = ~0ull, .is_slow_start = 1 };
}

/* AvgRTT in Q8 of a microsecond, as `share` takes it. */
FIXED u64 avg_rtt_q8(const struct law *law)
{
	return (law->avg_rtt + (1 << 15)) >> 16;
}

/* huang2020 Eq. 8. */
#define law_learn law_learn
FIXED void law_learn(struct law *law, const struct params *params, const struct ack *ack)
{
	u64 rtt = (u64)ack->rtt << 24;

	law->is_stale = ack->sent_at < law->settled;
	if (law->is_stale || !rtt)
		return;
	if (!law->avg_rtt)
		law->avg_rtt = rtt;
	else if (rtt > law->avg_rtt)
		law->avg_rtt += (rtt - law->avg_rtt) >> 8;
	else
		law->avg_rtt -= (law->avg_rtt - rtt) >> 8;
}

/* The equilibrium on a path that gave `sent_in` packets the round-trip time `rtt`: its rate times base_rtt, plus the
 * backlog. AvgRTT becomes the round-trip time that this window will have. */
FIXED void settle(struct law *law, const struct params *params, const struct ack *ack, u32 sent_in, u32 rtt)
{
	u64 cwnd = times(sent_in * PACKET, share(ack->base_rtt, rtt)) + drift_backlog(params);

	law->avg_rtt = divided(cwnd, sent_in * PACKET) * rtt;
	law->cwnd = most(least(cwnd, law->cwnd), FLOOR);
	law->settled = ack->now;
	law->is_slow_start = 0;
}

FIXED void grow_slow_start(struct law *law, const struct params *params, const struct ack *ack)
{
	struct round_trip ended;
	int has_ended = round_trip_on_ack(&law->round, ack, &ended);
	u32 rtt = 0;

	law->cwnd = least(slow_start(law->cwnd, law->ssthresh, ack->acked), CWND_LIMIT);
	law->is_slow_start = law->cwnd < law->ssthresh;
	/* The first samples of a round see the queue that the round before has left; later ones also its own bursts. */
	if (has_ended) {
		if (ended.samples && ended.samples < SAMPLES)
			rtt = ended.min_rtt;
	} else if (law->round.samples == SAMPLES) {
		rtt = law->round.min_rtt;
	}
	if (rtt > ack->base_rtt && ack->flight_at_send &&
	    queued(ack->flight_at_send * PACKET, ack->base_rtt, rtt) >= drift_backlog(params))
		settle(law, params, ack, ack->flight_at_send, rtt);
}

/* One ACK's share of the step −κ·b·W^(1−2ρ)·v with v = W − (base_rtt/avg_rtt)·W − p: a window of ACKs makes one step, adds at most
 * the window and takes at most half of it. */
FIXED void grow_by_step(struct law *law, const struct params *params, const struct ack *ack)
{
	u64 cwnd = law->cwnd, backlog = drift_backlog(params), avg_rtt = avg_rtt_q8(law);
	u32 base_share = share((u64)ack->base_rtt << 8, avg_rtt);
	u64 waiting = cwnd - times(cwnd, base_share);
	u64 distance = waiting > backlog ? waiting - backlog : backlog - waiting;
	u64 bound = waiting > backlog ? cwnd / 2 : cwnd;
	u64 step, change;

	if (!law->has_scale || law->scale_round != ack->round) {
		law->scale = drift_log_scale(params, cwnd);
		law->scale_round = ack->round;
		law->has_scale = 1;
	}
	if (DRIFT_IS_DAMPED)
		distance = times(distance, base_share);
	step = times_exp2(distance, law->scale, bound);
	change = divided(ack->acked * step, cwnd);
	if (waiting > backlog)
		law->cwnd = most(cwnd - least(change, cwnd), FLOOR);
	else
		law->cwnd = least(cwnd + change, CWND_LIMIT);
}

FIXED void law_grow(struct law *law, const struct params *params, const struct ack *ack)
{
	if (law->is_stale || !law->avg_rtt)
		return;
	if (law->is_slow_start)
		grow_slow_start(law, params, ack);
	else
		grow_by_step(law, params, ack);
}

FIXED void law_congestion(struct law *law, const struct params *params, const struct congestion *event)
{
	law->ssthresh = half_flight(event->flight);
	law->cwnd = law->ssthresh;
	law->has_scale = 0;
	law->is_slow_start = 0;
}

#define law_timeout law_timeout
FIXED void law_timeout(struct law *law, const struct params *params, const struct congestion *event)
{
	law_congestion(law, params, event);
	law->cwnd = PACKET;
	law->is_slow_start = 1;
}

#define law_is_slow_start law_is_slow_start
FIXED int law_is_slow_start(const struct law *law)
{
	return law->is_slow_start;
}

#define law_undo law_undo
FIXED void law_undo(struct law *law, u64 cwnd, u64 ssthresh)
{
	law->cwnd = cwnd;
	law->ssthresh = most(law->ssthresh, ssthresh);
	law->is_slow_start = cwnd < ssthresh;
	law->has_scale = 0;
}

/* Its own figure: the backlog estimate. */
FIXED void law_observe(const struct law *law, u32 base_rtt, struct observed *observed)
{
	observed->avg_rtt = law->avg_rtt;
	observed->own = law->avg_rtt ? law->cwnd - times(law->cwnd, share((u64)base_rtt << 8, avg_rtt_q8(law))) : 0;
}
