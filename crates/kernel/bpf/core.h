/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * The kernel's structures, as far as the laws use them. Offsets here mean nothing: the loader puts in those of the
 * running kernel, by name (CO-RE).
 */
#pragma once

#define CORE __attribute__((preserve_access_index))

struct in6_addr {
	union {
		u32 u6_addr32[4];
	} in6_u;
} CORE;

struct sock_common {
	u32 skc_daddr, skc_rcv_saddr;
	u16 skc_dport, skc_num, skc_family;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
} CORE;

struct sock {
	struct sock_common __sk_common;
} CORE;

struct inet_connection_sock {
	u64 icsk_ca_priv[13];
} CORE;

struct tcp_sock {
	u32 snd_cwnd, snd_cwnd_clamp, snd_ssthresh, prior_ssthresh, prior_cwnd, max_packets_out, mss_cache;
	u32 packets_out, sacked_out, retrans_out, snd_una, snd_nxt, srtt_us, delivered;
	u64 tcp_mstamp;
	u8 is_cwnd_limited : 1;
} CORE;

struct ack_sample {
	s32 rtt_us;
	u32 in_flight;
} CORE;

/* enum tcp_ca_state */
#define TCP_CA_CWR 2
#define TCP_CA_LOSS 4

/* A field of one bit: enum bpf_field_info_kind's BPF_FIELD_BYTE_OFFSET, LSHIFT_U64 and RSHIFT_U64; it lies in one byte. */
#define CORE_BIT(base, field)                                                                      \
	((u64) * ((u8 *)(base) + __builtin_preserve_field_info((base)->field, 0))                  \
		 << __builtin_preserve_field_info((base)->field, 4) >>                             \
	 __builtin_preserve_field_info((base)->field, 5))

/* The helpers in use, by their numbers (include/uapi/linux/bpf.h). */
struct map;
static void *(*const bpf_map_lookup_elem)(struct map *, const void *) = (void *)1;
static long (*const bpf_map_update_elem)(struct map *, const void *, const void *, u64) = (void *)2;
static long (*const bpf_map_delete_elem)(struct map *, const void *) = (void *)3;

#define SEC(name) __attribute__((section(name), used))
