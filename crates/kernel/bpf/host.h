/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * The host of a law in the kernel: keeps the books that `struct ack` asks for, and answers as tcp_congestion_ops. A
 * law's file is its header and this one.
 *
 * Recovery stays the kernel's: pkts_acked comes with every ACK and lets the law learn; cong_avoid only where the window
 * may grow. The state lies in the socket's private area, and what `show` prints goes to a map when a round trip ends,
 * at most once per millisecond.
 */
#pragma once
#include "core.h"
#include "defaults.h"

struct connection {
	struct law law;
	u32 base_rtt;
	u32 rtt;            /* of this ACK; 0: no sample */
	u32 flight_at_send;
	u32 round;
	u32 round_end;      /* sequence number: the first ACK beyond it ends the round trip */
	u32 flight;         /* at the last congestion event */
	u32 delivered;      /* packets of this connection, up to the last ACK */
	u32 shown;          /* when it last went to the map, microseconds */
};

_Static_assert(sizeof(struct connection) <= 104, "the kernel gives a law 104 bytes of a socket");

/* Of a connection, for `show`: src/flow.rs reads it. Addresses and ports as the socket has them. */
struct flow {
	u32 local[4], remote[4];
	u16 local_port, remote_port, family, is_slow_start;
	u32 cwnd_limit;
	u32 base_rtt;       /* microseconds */
	u32 srtt;
	u64 cwnd;           /* Q24 */
	struct observed observed;
	u64 rounds;
};

/* Microseconds. */
#define SHOW_EVERY 1000

/* TCP_INFINITE_SSTHRESH: none was set yet. */
#define SSTHRESH_NONE 0x7fffffff

/* Made by the loader, one set per loaded law. */
extern struct map law_params, law_flows;

char law_license[] SEC("license") = "Dual MIT/GPL";

FIXED struct connection *connection_of(struct tcp_sock *tp)
{
	return (struct connection *)((struct inet_connection_sock *)tp)->icsk_ca_priv;
}

FIXED const struct params *parameters(void)
{
	u32 first = 0;

	return bpf_map_lookup_elem(&law_params, &first);
}

/* Is `other` beyond `sequence`? RFC 9293 §3.4. */
FIXED int passed(u32 sequence, u32 other)
{
	return (s32)(other - sequence) > 0;
}

/* RFC 5681's FlightSize: packets sent and not yet acknowledged cumulatively, those found lost or SACKed included. Without what
 * limited transmit let out on duplicate ACKs (§3.2 step 2): that is what exceeds the window, which is not yet
 * reduced. */
FIXED u32 flight_of(const struct tcp_sock *tp)
{
	return least(tp->packets_out, tp->snd_cwnd);
}

/* The kernel's tcp_is_cwnd_limited. */
FIXED int is_cwnd_limited(const struct tcp_sock *tp)
{
	if (CORE_BIT(tp, is_cwnd_limited))
		return 1;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

FIXED void ack_of(struct tcp_sock *tp, const struct connection *connection, u32 acked, struct ack *ack)
{
	u32 age = connection->rtt ? connection->rtt : tp->srtt_us >> 3;

	ack->now = tp->tcp_mstamp;
	ack->sent_at = ack->now - age;
	ack->acked = acked;
	ack->rtt = connection->rtt;
	ack->srtt = tp->srtt_us >> 3;
	ack->base_rtt = connection->base_rtt;
	ack->flight_at_send = connection->flight_at_send;
	ack->round = connection->round;
}

FIXED struct congestion congestion_of(const struct connection *connection)
{
	return (struct congestion){ .flight = connection->flight, .base_rtt = connection->base_rtt };
}

FIXED void show(const struct tcp_sock *tp, const struct connection *connection)
{
	const struct sock_common *common = &((const struct sock *)tp)->__sk_common;
	struct flow flow = {
		.local = { common->skc_rcv_saddr },
		.remote = { common->skc_daddr },
		.local_port = common->skc_num,
		.remote_port = common->skc_dport,
		.family = common->skc_family,
		.is_slow_start = law_is_slow_start(&connection->law),
		.cwnd_limit = tp->snd_cwnd_clamp,
		.base_rtt = connection->base_rtt,
		.srtt = tp->srtt_us >> 3,
		.cwnd = connection->law.cwnd,
		.rounds = connection->round,
	};
	u64 key = (u64)tp;

	if (flow.family != 2) { /* AF_INET */
		for (int i = 0; i < 4; i++) {
			flow.local[i] = common->skc_v6_rcv_saddr.in6_u.u6_addr32[i];
			flow.remote[i] = common->skc_v6_daddr.in6_u.u6_addr32[i];
		}
	}
	law_observe(&connection->law, connection->base_rtt, &flow.observed);
	bpf_map_update_elem(&law_flows, &key, &flow, 0);
}

SEC("struct_ops/init") void init(u64 *context)
{
	struct tcp_sock *tp = (struct tcp_sock *)context[0];
	struct connection *connection = connection_of(tp);

	/* No sample yet. The handshake's is none: a SYN takes less time to transmit than a segment, and a law that aims at a queue of
	 * less than that difference would always see one. */
	connection->base_rtt = RTT_LIMIT;
	connection->rtt = 0;
	connection->flight_at_send = 0;
	connection->round = 0;
	connection->round_end = tp->snd_nxt;
	connection->flight = 0;
	connection->delivered = tp->delivered;
	connection->shown = tp->tcp_mstamp;
	law_init(&connection->law, tp->snd_cwnd);
	show(tp, connection);
}

SEC("struct_ops/release") void release(u64 *context)
{
	u64 key = context[0];

	bpf_map_delete_elem(&law_flows, &key);
}

/* What the law makes of a congestion event: the new ssthresh. */
FIXED u32 answer_of(const struct tcp_sock *tp, struct connection *connection, const struct params *params)
{
	struct congestion event;

	connection->flight = flight_of(tp);
	event = congestion_of(connection);
	law_congestion(&connection->law, params, &event);
	return most(connection->law.cwnd >> 24, 2);
}

/* Now and then, on a loaded machine, Linux 6.18 takes for an answer what lay on the stack, as if the program had not run: an ssthresh
 * of 2^31, from which recovery makes a window of 2^26 at once. The next ACK finds it here. No law answers so much:
 * it is asked again. */
FIXED void mend(struct tcp_sock *tp, struct connection *connection, const struct params *params)
{
	if (tp->snd_ssthresh > SSTHRESH_NONE)
		tp->snd_ssthresh = answer_of(tp, connection, params);
	if (tp->snd_cwnd > CWND_LIMIT / PACKET)
		tp->snd_cwnd = least(most(connection->law.cwnd >> 24, 1), tp->snd_cwnd_clamp);
}

SEC("struct_ops/pkts_acked") void pkts_acked(u64 *context)
{
	struct tcp_sock *tp = (struct tcp_sock *)context[0];
	const struct ack_sample *sample = (const struct ack_sample *)context[1];
	struct connection *connection = connection_of(tp);
	const struct params *params = parameters();
	s32 rtt = sample->rtt_us;
	struct ack ack;
	/* By an ACK of what was sent since it began. One that reaches round_end alone ends a train of ACKs: the first round of a
	 * connection would be as long as its initial window takes, and its rate the link's. */
	int has_ended = passed(connection->round_end, tp->snd_una);

	if (!params)
		return;
	mend(tp, connection, params);
	/* Where an ACK covers repetitions the kernel goes by timestamps. These count milliseconds: up to one less than it was. */
	connection->rtt = rtt > 0 && (u32)rtt % 1000 ? least(rtt, RTT_LIMIT) : 0;
	if (connection->rtt) {
		connection->base_rtt = least(connection->base_rtt, connection->rtt);
		if (tp->mss_cache)
			connection->flight_at_send = sample->in_flight / tp->mss_cache;
	}
	if (has_ended) {
		connection->round++;
		connection->round_end = tp->snd_nxt;
	}
	ack_of(tp, connection, tp->delivered - connection->delivered, &ack);
	connection->delivered = tp->delivered;
	law_learn(&connection->law, params, &ack);
	if (has_ended && (u32)tp->tcp_mstamp - connection->shown >= SHOW_EVERY) {
		connection->shown = tp->tcp_mstamp;
		show(tp, connection);
	}
}

SEC("struct_ops/cong_avoid") void cong_avoid(u64 *context)
{
	struct tcp_sock *tp = (struct tcp_sock *)context[0];
	struct connection *connection = connection_of(tp);
	struct law *law = &connection->law;
	const struct params *params = parameters();
	u32 cwnd = tp->snd_cwnd, acked = context[2];
	struct ack ack;

	if (!params || !is_cwnd_limited(tp))
		return;
	/* The kernel has moved the window itself: after recovery, a pause, an undone event, or at its limit. */
	if (cwnd != (u32)(law->cwnd >> 24))
		law_follow(law, cwnd * PACKET);
	ack_of(tp, connection, least(acked, 0xffff), &ack);
	law_grow(law, params, &ack);
	cwnd = most(law->cwnd >> 24, 1);
	tp->snd_cwnd = least(cwnd, tp->snd_cwnd_clamp);
	/* The kernel's slow start is over where the law's is. */
	if (!law_is_slow_start(law) && tp->snd_ssthresh > tp->snd_cwnd)
		tp->snd_ssthresh = tp->snd_cwnd;
}

/* The kernel asks for ssthresh once per congestion event; what follows it tells set_state. */
SEC("struct_ops/ssthresh") u32 ssthresh(u64 *context)
{
	struct tcp_sock *tp = (struct tcp_sock *)context[0];
	const struct params *params = parameters();

	if (!params)
		return most(tp->snd_cwnd / 2, 2);
	return answer_of(tp, connection_of(tp), params);
}

SEC("struct_ops/set_state") void set_state(u64 *context)
{
	struct tcp_sock *tp = (struct tcp_sock *)context[0];
	struct connection *connection = connection_of(tp);
	const struct params *params = parameters();
	u8 state = context[1];
	struct congestion event;

	if (!params)
		return;
	mend(tp, connection, params);
	event = congestion_of(connection);
	if (state == TCP_CA_LOSS)
		law_timeout(&connection->law, params, &event);
}

/* As the kernel's tcp_reno_undo_cwnd. Of the thresholds the kernel restores its own, which is the law's while that is in slow start. */
SEC("struct_ops/undo_cwnd") u32 undo_cwnd(u64 *context)
{
	struct tcp_sock *tp = (struct tcp_sock *)context[0];
	u32 cwnd = most(tp->snd_cwnd, tp->prior_cwnd);
	u32 ssthresh = tp->prior_ssthresh;

	law_undo(&connection_of(tp)->law, least(cwnd * PACKET, CWND_LIMIT),
		 ssthresh < SSTHRESH_NONE ? ssthresh * PACKET : ~0ull);
	return cwnd;
}
