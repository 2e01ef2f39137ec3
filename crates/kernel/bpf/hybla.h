/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * Hybla. The twin of crates/laws/src/hybla.rs, which carries the equations and their sources.
 */
#pragma once
#include "law.h"

struct params {
	u32 rtt0; /* seconds */
};

struct law {
	u64 cwnd;     /* Q24 */
	u64 ssthresh; /* Q24 */
	u64 rho;      /* Q24 */
	u64 square;   /* ρ², Q24 */
	u64 opening;  /* 2^ρ − 1, Q24 */
	u32 min_srtt; /* microseconds; ~0 before the first */
};

/* Greatest ρ of slow start, and the packets up to which that leads. */
#define STEEPEST (16 * PACKET)
#define CEILING (65535 * PACKET)

FIXED void law_init(struct law *law, u32 cwnd)
{
	*law = (struct law){ .cwnd = cwnd * PACKET, .ssthresh = ~0ull, .min_srtt = ~0u };
	law->rho = law->square = law->opening = PACKET;
}

/* ρ = rtt/rtt₀, the parameter a number of 2^-16 seconds. */
FIXED u64 rho_of(u32 rtt, u32 rtt0)
{
	return most(divided((u64)rtt << 16, (u64)rtt0 * 1000000), PACKET);
}

/* ρ², ρ being at most 2^14; at most a million. */
FIXED u64 square_of(u64 rho)
{
	u64 whole = rho >> 24, part = rho & (PACKET - 1);

	return least((whole * whole << 24) + 2 * whole * part + (part * part >> 24), CWND_LIMIT);
}

#define law_learn law_learn
FIXED void law_learn(struct law *law, const struct params *params, const struct ack *ack)
{
	if (!ack->srtt || ack->srtt >= law->min_srtt)
		return;
	law->min_srtt = ack->srtt;
	law->rho = rho_of(least(ack->srtt, RTT_LIMIT), params->rtt0);
	law->square = square_of(law->rho);
	law->opening = times_exp2(PACKET, least(law->rho, STEEPEST), CWND_LIMIT) - PACKET;
}

FIXED void law_grow(struct law *law, const struct params *params, const struct ack *ack)
{
	if (law_is_slow_start(law)) {
		u64 limit = least(law->ssthresh, most(law->cwnd, CEILING));

		law->cwnd = least(law->cwnd + law->opening * ack->acked, limit);
		return;
	}
	law->cwnd = least(law->cwnd + divided(law->square * ack->acked, law->cwnd), CWND_LIMIT);
}

FIXED void law_congestion(struct law *law, const struct params *params, const struct congestion *event)
{
	law->ssthresh = half_flight(event->flight);
	law->cwnd = law->ssthresh;
}

/* Its own figure: ρ. */
FIXED void law_observe(const struct law *law, u32 base_rtt, struct observed *observed)
{
	observed->avg_rtt = 0;
	observed->own = law->rho;
}
