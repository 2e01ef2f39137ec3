/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A law's header for the machine's own compiler: its functions under the law's name, the state behind a pointer. Compiled once
 * for each law, with LAW and LAW_HEADER defined.
 */
#include LAW_HEADER

#define JOIN(law, function) law##_##function
#define NAME(law, function) JOIN(law, function)

_Static_assert(sizeof(struct law) <= 72, "a law's state and the host's books share 104 bytes");

unsigned long NAME(LAW, size)(void)
{
	return sizeof(struct law);
}

void NAME(LAW, init)(struct law *law, u32 cwnd)
{
	law_init(law, cwnd);
}

/* `may_grow`: not in recovery, not short of data. */
void NAME(LAW, on_ack)(struct law *law, const struct params *params, const struct ack *ack, int may_grow)
{
	law_learn(law, params, ack);
	if (may_grow)
		law_grow(law, params, ack);
}

void NAME(LAW, on_congestion)(struct law *law, const struct params *params, u32 flight, int is_timeout)
{
	if (is_timeout)
		law_timeout(law, params, flight);
	else
		law_congestion(law, params, flight);
}

u64 NAME(LAW, cwnd)(const struct law *law)
{
	return law->cwnd;
}

u64 NAME(LAW, own)(const struct law *law, u32 base_rtt)
{
	struct observed observed = { 0 };

	law_observe(law, base_rtt, &observed);
	return observed.own;
}
