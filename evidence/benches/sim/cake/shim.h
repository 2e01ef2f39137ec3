/* Types and functions of the Linux kernel that net/sched/sch_cake.c uses, for user space.
 *
 * Written from their uses. Packets are never GSO packets, filtered by their ACKs or classified from outside. */
#pragma once

#include <stdio.h>

#include "../../kernel/shim.h"

typedef s64 ktime_t;
typedef u64 netdev_features_t;

#define __rcu
#define fallthrough
#define WRITE_ONCE(place, value) ((place) = (value))
#define div64_u64(n, d) ((u64)(n) / (u64)(d))
#define htons(x) (x)
#define IS_ENABLED(x) 0

/* Time. */
static s64 nanoseconds;
#define KTIME_MAX INT64_MAX
#define ktime_get() nanoseconds
#define ktime_sub(a, b) ((a) - (b))
#define ktime_add_ns(a, b) ((ktime_t)((a) + (s64)(b)))
#define ktime_add_ms(a, b) ((a) + (b) * 1000000L)
#define ktime_to_ns(a) ((s64)(a))
#define ns_to_ktime(a) ((ktime_t)(a))
#define ktime_before(a, b) ((a) < (b))
#define ktime_after(a, b) ((a) > (b))
static inline int ktime_compare(ktime_t a, ktime_t b) { return a < b ? -1 : a > b; }

/* Random numbers, drawn by the driver. */
static u16 get_random_u16(void);
static u32 get_random_u32(void);

/* Packets. */
struct iphdr {
	u8 dsfield;
};
struct ipv6hdr {
	u8 dsfield;
};
struct tcphdr {
	int unused;
};
struct udphdr {
	int unused;
};
struct qdisc_skb_cb {
	u32 pkt_len;
	u64 data[4];
};
struct sk_buff {
	struct sk_buff *next;
	u32 len, truesize, hash, number, mark, priority;
	u32 flow, source, sink;
	bool l4_hash, is_capable, is_marked;
	struct iphdr ip;
	struct qdisc_skb_cb cb;
};
struct skb_shared_info {
	u32 gso_size, gso_type, gso_segs;
};
enum { SKB_GSO_TCPV4 = 1, SKB_GSO_TCPV6 = 2, SKB_GSO_DODGY = 4, NETIF_F_GSO_MASK = 0 };
static const struct skb_shared_info none;
#define skb_shinfo(skb) (&none)
#define skb_is_gso(skb) false
#define skb_gso_segment(skb, features) NULL
#define netif_skb_features(skb) 0
#define IS_ERR_OR_NULL(p) (!(p))
#define skb_list_walk_safe(list, skb, after) for (skb = (list); skb; skb = after)
#define skb_network_offset(skb) 0
#define skb_transport_offset(skb) 0
#define __tcp_hdrlen(tcp) 0
#define skb_header_pointer(skb, offset, size, buffer) ((void *)&(skb)->ip)
#define skb_protocol(skb, skip) ETH_P_IP
#define ipv4_get_dsfield(ip) ((ip)->dsfield)
#define ipv6_get_dsfield(ip) ((ip)->dsfield)
#define ip_hdr(skb) (&(skb)->ip)
#define ipv6_hdr(skb) ((struct ipv6hdr *)&(skb)->ip)
#define ipv4_change_dsfield(ip, mask, value) ((void)(ip))
#define ipv6_change_dsfield(ip, mask, value) ((void)(ip))
#define pskb_may_pull(skb, length) true
#define skb_try_make_writable(skb, length) false
#define INET_ECN_MASK 3
enum { ETH_P_IP, ETH_P_IPV6, ETH_P_ARP };
#define qdisc_skb_cb(skb) (&(skb)->cb)
#define qdisc_cb_private_validate(skb, size) ((void)(skb))
#define qdisc_pkt_len(skb) ((skb)->len)
#define consume_skb(skb) ((void)(skb))
/* Told to the driver. */
static void kfree_skb(struct sk_buff *skb);
#define __qdisc_drop(skb, list) kfree_skb(skb)
static inline int qdisc_drop_one(struct sk_buff *skb)
{
	kfree_skb(skb);
	return 1;
}
#define qdisc_drop(skb, sch, list) qdisc_drop_one(skb)

/* Keys of flows. */
enum { FLOW_DISSECTOR_KEY_IPV4_ADDRS = 1, FLOW_DISSECTOR_KEY_IPV6_ADDRS, FLOW_DISSECTOR_F_STOP_AT_FLOW_LABEL = 0 };
struct flow_keys {
	struct {
		u16 addr_type;
	} control;
	struct {
		u8 ip_proto;
	} basic;
	struct {
		u32 flow_label;
	} tags;
	struct {
		u32 keyid;
	} keyid;
	struct {
		u32 ports;
	} ports;
	union {
		struct {
			u32 src, dst;
		} v4addrs;
		struct {
			struct {
				u32 words[4];
			} src, dst;
		} v6addrs;
	} addrs;
};
/* Zero is none. */
static inline void skb_flow_dissect_flow_keys(const struct sk_buff *skb, struct flow_keys *keys, int flags)
{
	memset(keys, 0, sizeof(*keys));
	keys->control.addr_type = FLOW_DISSECTOR_KEY_IPV4_ADDRS;
	keys->ports.ports = skb->flow + 1;
	keys->addrs.v4addrs.src = skb->source + 1;
	keys->addrs.v4addrs.dst = skb->sink + 1;
}
static u32 flow_hash_from_keys(struct flow_keys *keys);
struct sk_buff;
#define cake_update_flowkeys(keys, skb) false

/* Disciplines. */
enum { NET_XMIT_SUCCESS, NET_XMIT_DROP, NET_XMIT_CN, __NET_XMIT_STOLEN = 0x10000, __NET_XMIT_BYPASS = 0x20000 };
enum { TCQ_F_CAN_BYPASS = 4 };
enum { TC_ACT_SHOT = 2, TC_ACT_STOLEN = 4, TC_ACT_QUEUED = 5, TC_ACT_TRAP = 8 };
#define TC_H_MAJ(h) ((h) & 0xFFFF0000U)
#define TC_H_MIN(h) ((h) & 0x0000FFFFU)
enum {
	CAKE_FLOW_NONE, CAKE_FLOW_SRC_IP, CAKE_FLOW_DST_IP, CAKE_FLOW_HOSTS, CAKE_FLOW_FLOWS, CAKE_FLOW_DUAL_SRC,
	CAKE_FLOW_DUAL_DST, CAKE_FLOW_TRIPLE
};
enum {
	CAKE_DIFFSERV_DIFFSERV3, CAKE_DIFFSERV_DIFFSERV4, CAKE_DIFFSERV_DIFFSERV8, CAKE_DIFFSERV_BESTEFFORT,
	CAKE_DIFFSERV_PRECEDENCE
};
enum { CAKE_ACK_NONE, CAKE_ACK_FILTER, CAKE_ACK_AGGRESSIVE };
enum { CAKE_ATM_NONE, CAKE_ATM_ATM, CAKE_ATM_PTM };
struct tcf_proto {
	int unused;
};
struct tcf_block {
	int unused;
};
struct tcf_result {
	u32 classid;
};
struct nlattr;
struct netlink_ext_ack;
struct qdisc_watchdog {
	int unused;
};
struct Qdisc {
	struct {
		u32 qlen;
	} q;
	struct {
		u32 backlog, drops, overlimits;
	} qstats;
	u32 limit, handle, flags;
	void *own;
};
#define qdisc_priv(sch) ((sch)->own)
#define qdisc_dev(sch) NULL
#define psched_mtu(dev) 1514
#define qdisc_qstats_drop(sch) ((sch)->qstats.drops++)
#define qdisc_bstats_update(sch, skb) ((void)(skb))
#define qdisc_tree_reduce_backlog(sch, packets, bytes) ((void)(sch))
#define qdisc_watchdog_init(watchdog, sch) ((void)(watchdog))
#define qdisc_watchdog_schedule_ns(watchdog, time) ((void)(watchdog))
#define rcu_dereference_bh(p) (p)
#define tcf_classify(skb, block, filter, result, compat) (-1)
#define tcf_classify_qdisc(skb, filter, result, compat) (-1)
#define tcf_block_get(block, list, sch, extack) 0
#define cake_change(sch, options, extack) 0
#define cake_ack_filter(q, flow) NULL
