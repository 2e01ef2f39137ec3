/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A law's header for the machine's own compiler: a table of its functions, named after the law. Compiled once for each
 * law, with TABLE and LAW_HEADER defined; c.rs calls it.
 */
#include LAW_HEADER
#include "defaults.h"

_Static_assert(sizeof(struct law) <= 72, "a law's state and the host's books share 104 bytes");

/* `may_grow`: not in recovery, not short of data. */
static void on_ack(struct law *law, const struct params *params, const struct ack *ack, int may_grow)
{
	law_learn(law, params, ack);
	if (may_grow)
		law_grow(law, params, ack);
}

static void on_congestion(struct law *law, const struct params *params, const struct congestion *event,
			  int is_timeout)
{
	if (is_timeout)
		law_timeout(law, params, event);
	else
		law_congestion(law, params, event);
}

static u64 cwnd(const struct law *law)
{
	return law->cwnd;
}

static u64 own(const struct law *law, u32 base_rtt)
{
	struct observed observed = { 0, 0 };

	law_observe(law, base_rtt, &observed);
	return observed.own;
}

const struct {
	unsigned long size;
	void (*init)(struct law *, u32);
	void (*on_ack)(struct law *, const struct params *, const struct ack *, int);
	void (*on_congestion)(struct law *, const struct params *, const struct congestion *, int);
	void (*follow)(struct law *, u64);
	void (*undo)(struct law *, u64, u64);
	u64 (*cwnd)(const struct law *);
	u64 (*own)(const struct law *, u32);
} TABLE = { sizeof(struct law), law_init, on_ack, on_congestion, law_follow, law_undo, cwnd, own };
