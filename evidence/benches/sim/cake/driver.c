/* Random histories of Linux's CAKE, for crates/elements/src/queue/cake/tests/linux.rs.
 *
 * first.h, drop.h and rest.h are parts of net/sched/sch_cake.c: validate.py takes them from the kernel's source. */
#include "first.h"

#include "drop.h"

static u64 mix(u64 z)
{
	z += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static u64 state, dice, salt;

static u64 below(u64 count)
{
	state = mix(state);
	return (state >> 32) % count;
}

static u64 throw_dice(void)
{
	dice = mix(dice);
	return dice;
}

static u16 get_random_u16(void) { return throw_dice() >> 48; }
static u32 get_random_u32(void) { return throw_dice() >> 32; }

static u32 hashed(u64 key, u64 purpose) { return mix(key ^ mix(salt ^ purpose)) >> 32; }

static u32 flow_hash_from_keys(struct flow_keys *keys)
{
	if (keys->ports.ports)
		return hashed(mix((u64)(keys->ports.ports - 1) << 2), 0);
	if (keys->addrs.v4addrs.src)
		return hashed(keys->addrs.v4addrs.src - 1, 1);
	return hashed(keys->addrs.v4addrs.dst - 1, 2);
}

static bool is_verbose;
static u64 hash;

static void see(u32 value)
{
	hash = (hash ^ value) * 0x100000001b3;
	if (is_verbose)
		printf(" %u", value);
}

enum { DROPPED = 0x7f000001, TAKEN, END };

static void kfree_skb(struct sk_buff *skb)
{
	see(DROPPED);
	see(skb->number);
	free(skb);
}

/* The longest queue may be any of several: such a history ends. */
static bool is_tie;

static unsigned int cake_drop(struct Qdisc *sch, struct sk_buff **to_free)
{
	struct cake_sched_data *q = qdisc_priv(sch);
	u32 longest = 0, count = 0;

	for (int tin = 0; tin < q->tin_cnt; tin++)
		for (int at = 0; at < CAKE_QUEUES; at++) {
			u32 bytes = q->tins[tin].backlogs[at];

			count = bytes > longest ? 1 : count + (bytes == longest);
			longest = max(bytes, longest);
		}
	is_tie |= count > 1;
	/* Otherwise the heap's root need not be the longest queue: cake_heapify stops one level down. A new heap's is. */
	q->overflow_timeout = 0;
	return cake_drop_one(sch, to_free);
}

#include "rest.h"

static u32 true_size(u32 size)
{
	u32 room = 512;

	while (room < size + 320)
		room *= 2;
	return room + 256;
}

static void see_list(struct cake_tin_data *tin, struct list_head *list)
{
	struct cake_flow *flow;

	list_for_each_entry(flow, list, flowchain) {
		see(flow - tin->flows);
		see(flow->deficit);
		see(flow->set);
		see(flow->cvars.count);
		see(flow->cvars.drop_next);
		see(flow->cvars.p_drop);
	}
	see(END);
}

static void history(u64 seed, int steps)
{
	static struct cake_sched_data own;
	struct Qdisc sch = { .own = &own };
	const int modes[] = { CAKE_DIFFSERV_BESTEFFORT, CAKE_DIFFSERV_DIFFSERV3, CAKE_DIFFSERV_DIFFSERV4 };
	const u8 points[] = { 0, 8, 46, 34, 16, 10, 4, 48 };
	struct sk_buff *skb;
	u32 number = 0;

	memset(&own, 0, sizeof(own));
	cake_init(&sch, NULL, NULL);
	state = seed, dice = mix(seed ^ 1), salt = mix(mix(seed) ^ 1);
	hash = 0xcbf29ce484222325, is_tie = false;
	own.rate_bps = below(4) ? 12500 << below(9) : 0;
	own.flow_mode = below(8);
	own.tin_mode = modes[below(3)];
	own.interval = 10000 + below(190000);
	own.target = own.interval / 20;
	own.rate_overhead = (int)below(60) - 14;
	own.rate_mpu = below(100);
	own.atm_mode = below(3);
	own.buffer_config_limit = 20000 + below(400000);
	own.rate_flags = CAKE_FLAG_OVERHEAD | (below(2) ? CAKE_FLAG_INGRESS : 0);
	u64 flows = 1 + below(1 << below(12)), hosts = 1 + below(6), most = 1 + below(12);
	cake_reconfigure(&sch);
	nanoseconds = 1000000000;
	printf("%llu", (unsigned long long)seed);
	for (int step = 0; step < steps && !is_tie; step++) {
		u64 byte_ns = own.rate_bps ? 1000000000 / own.rate_bps : 100;

		nanoseconds += below(below(16) ? 1500 * byte_ns : 200000 * byte_ns);
		if (below(2)) {
			for (u64 left = 1 + below(most); left; left--) {
				skb = calloc(1, sizeof(*skb));
				skb->flow = below(flows), skb->source = below(hosts), skb->sink = below(hosts);
				skb->ip.dsfield = points[below(8)] << 2;
				skb->len = 40 + below(1461);
				skb->truesize = true_size(skb->len);
				skb->is_capable = below(2);
				skb->number = number++;
				cake_enqueue(skb, &sch, NULL);
			}
		} else {
			for (u64 left = 1 + below(most); left; left--) {
				skb = cake_dequeue(&sch);
				if (!skb)
					break;
				see(TAKEN);
				see(skb->number);
				see(skb->is_marked);
				free(skb);
			}
		}
		see(sch.q.qlen);
		see(sch.qstats.backlog);
		see(own.buffer_used);
		see(own.time_next_packet);
		see(own.failsafe_next_packet);
		for (int at = 0; at < own.tin_cnt; at++) {
			struct cake_tin_data *tin = &own.tins[at];

			see(tin->sparse_flow_count);
			see(tin->bulk_flow_count);
			see(tin->tin_backlog);
			see(tin->tin_deficit);
			see(tin->time_next_packet);
			see_list(tin, &tin->new_flows);
			see_list(tin, &tin->old_flows);
			see_list(tin, &tin->decaying_flows);
		}
		if (is_verbose)
			printf("\n");
		else if (!is_tie)
			printf(" %03x", (unsigned int)(hash >> 52));
	}
	printf("\n");
	/* A history ends with packets in its queues. */
	is_verbose = false;
	for (int at = 0; at < own.tin_cnt; at++)
		cake_clear_tin(&sch, at);
	free(own.tins);
}

/* driver FIRST COUNT STEPS [verbose] */
int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;

	u64 first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);

	for (u64 seed = first; seed < first + count; seed++) {
		is_verbose = argc > 4;
		history(seed, atoi(argv[3]));
	}
	return 0;
}
