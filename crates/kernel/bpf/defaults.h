/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * What most laws do alike, for a `struct law` with `cwnd` and `ssthresh`. Comes after the law's header; a law with a
 * function of its own defines a macro of the same name.
 */
#pragma once

#ifndef law_learn
FIXED void law_learn(struct law *law, const struct params *params, const struct ack *ack)
{
}
#endif

#ifndef law_is_slow_start
FIXED int law_is_slow_start(const struct law *law)
{
	return law->cwnd < law->ssthresh;
}
#endif

/* The threshold of a loss, and a window of one packet. */
#ifndef law_timeout
FIXED void law_timeout(struct law *law, const struct params *params, const struct congestion *event)
{
	law_congestion(law, params, event);
	law->cwnd = PACKET;
}
#endif

#ifndef law_follow
FIXED void law_follow(struct law *law, u64 cwnd)
{
	law->cwnd = cwnd;
}
#endif

/* As the kernel's tcp_undo_cwnd_reduction: neither window nor threshold stays below its old value. */
#ifndef law_undo
FIXED void law_undo(struct law *law, u64 cwnd, u64 ssthresh)
{
	law->cwnd = cwnd;
	law->ssthresh = most(law->ssthresh, ssthresh);
}
#endif
