/* Random histories of Linux's Wi-Fi queues, for crates/radio/src/wifi/txq/tests/linux.rs.
 *
 * mac80211.h has the functions of net/mac80211 that validate.py takes from the kernel's source, airtime.h its table of
 * airtimes. */
#include "mac80211.h"

#include "airtime.h"

#include <stdio.h>

static u64 mix(u64 z)
{
	z += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static u64 state;

static u64 below(u64 count)
{
	state = mix(state);
	return (state >> 32) % count;
}

static bool is_verbose;
static u64 hash;

static void see(u32 value)
{
	hash = (hash ^ value) * 0x100000001b3;
	if (is_verbose)
		printf(" %u", value);
}

enum { DROPPED = 1001, TAKEN, END };

static void ieee80211_free_txskb(struct ieee80211_hw *hw, struct sk_buff *skb)
{
	(void)hw;
	see(DROPPED);
	see(skb->number);
	free(skb);
}

/* Modes: group and MCS in the table, streams, HE. */
static const struct {
	int group, mcs, streams;
	bool is_he;
} modes[] = {
	{ HT_GROUP_IDX(1, 0, BW_20), 0, 1, false },   { HT_GROUP_IDX(1, 0, BW_20), 7, 1, false },
	{ VHT_GROUP_IDX(1, 1, BW_80), 9, 1, false },  { VHT_GROUP_IDX(2, 1, BW_80), 9, 2, false },
	{ HE_GROUP_IDX(2, HE_GI_08, BW_80), 11, 2, true }, { HE_GROUP_IDX(2, HE_GI_08, BW_160), 11, 2, true },
};

/* ieee80211_calc_expected_tx_airtime over the kernel's table, stored in steps of 4 µs. */
static u32 estimate(int mode, u32 bytes, bool is_voice)
{
	u32 len = bytes + 38, airtime;

	if (mode < 0) {
		airtime = 36 + len * 8 * 10 / 60;
	} else {
		const struct mcs_group *group = &airtime_mcs_groups[modes[mode].group];
		u32 duration = (u32)group->duration[modes[mode].mcs] << group->shift;
		u32 overhead = 36 + (modes[mode].streams << 2);
		int shift = duration > 400 * 1024 ? 1 : duration > 250 * 1024 ? 2 : duration > 150 * 1024 ? 3 : duration > 70 * 1024 ? 4
			    : !modes[mode].is_he || duration > 20 * 1024 ? 5 : 6;

		airtime = duration * len / AVG_PKT_SIZE / 1024;
		if (is_voice)
			airtime += overhead;
		else
			airtime = max_t(u32, airtime + (overhead >> shift), 4);
	}
	return min_t(u32, airtime, 4095) >> 2 << 2;
}

static u32 truesize(u32 bytes)
{
	u32 room = 1;

	while (room < bytes + 64 + 14 + 320)
		room <<= 1;
	return 256 + room;
}

enum { STATIONS = 4, TIDS = 8 };

static void history(u64 seed, int steps)
{
	struct wiphy wiphy = { 0 };
	struct ieee80211_local local = { .hw.wiphy = &wiphy, .airtime_flags = AIRTIME_USE_TX | AIRTIME_USE_RX };
	struct ieee80211_vif vif = { .sdata.local = &local };
	struct sta_info stations[STATIONS] = { 0 };
	struct txq_info queues[STATIONS][TIDS] = { 0 };
	int rates[STATIONS] = { -1, -1, -1, -1 };
	struct {
		int station, tid;
		u32 estimate;
	} under[8192];
	u32 count = 0, number = 0;
	u64 salt = mix(mix(seed) ^ 1);

	state = seed;
	int n = 1 + below(STATIONS);

	wiphy.features[NL80211_EXT_FEATURE_AIRTIME_FAIRNESS] = below(4) != 0;
	wiphy.features[NL80211_EXT_FEATURE_AQL] = below(4) != 0;
	fq_init(&local.fq, 1 << below(5));
	local.fq.limit = 20 + below(400);
	local.fq.memory_limit = 20000 + below(800000);
	codel_params_init(&local.cparams);
	local.cparams.target = MS2TIME((1 + below(20)));
	local.cparams.interval = MS2TIME((2 + below(60)));
	local.cparams.ecn = true;
	local.cvars = calloc(local.fq.flows_cnt, sizeof(local.cvars[0]));
	local.aql_threshold = 24000;
	for (int ac = 0; ac < IEEE80211_NUM_ACS; ac++) {
		INIT_LIST_HEAD(&local.active_txqs[ac]);
		local.aql_txq_limit_low[ac] = 5000;
		local.aql_txq_limit_high[ac] = 12000;
	}
	for (int s = 0; s < n; s++) {
		stations[s].local = &local;
		stations[s].sdata = &vif.sdata;
		stations[s].airtime_weight = (u16[]){ 128, 256, 512 }[below(3)];
		for (int ac = 0; ac < IEEE80211_NUM_ACS; ac++) {
			stations[s].airtime[ac].deficit = stations[s].airtime_weight;
			stations[s].airtime[ac].aql_limit_low = 5000;
			stations[s].airtime[ac].aql_limit_high = 12000;
		}
		for (int tid = 0; tid < TIDS; tid++) {
			struct txq_info *txqi = &queues[s][tid];

			fq_tin_init(&txqi->tin);
			INIT_LIST_HEAD(&txqi->schedule_order);
			txqi->txq = (struct ieee80211_txq){ &vif, &stations[s].sta, tid, ieee80211_ac_from_tid(tid) };
		}
	}
	u64 tids = below(2) ? TIDS : 1, flows = below(2) ? 12 : 2;

	nanoseconds = 1000000000;
	hash = 0xcbf29ce484222325;
	if (!is_verbose)
		printf("%llu", (unsigned long long)seed);
	for (int step = 0; step < steps; step++) {
		nanoseconds += below(4) == 0 ? below(20000000) : below(2000000);
		jiffies = nanoseconds / 1000000;
		if (is_verbose)
			printf("%llu %d:", (unsigned long long)seed, step);

		u64 kind = below(8);

		if (kind == 0) {
			int s = below(n);

			rates[s] = below(6);
		} else if (kind < 4) {
			for (u64 left = 1 + below(6); left; left--) {
				int s = below(n), tid = below(tids);
				u32 flow = below(flows), size = (u32[]){ 52, 300, 1500 }[below(3)];
				struct sk_buff *skb = calloc(1, sizeof(*skb));
				struct txq_info *txqi = &queues[s][tid];

				skb->is_capable = below(2);
				skb->number = number++;
				skb->len = size;
				skb->truesize = truesize(size);
				skb->hash = mix(mix((u64)flow << 2) ^ salt) >> 32;
				skb->cb[0].control.enqueue_time = codel_get_time();
				fq_tin_enqueue(&local.fq, &txqi->tin, fq_flow_idx(&local.fq, skb), skb, fq_skb_free_func);
				__ieee80211_schedule_txq(&local.hw, &txqi->txq, false);
			}
		} else if (kind < 6) {
			int ac = tids > 1 ? below(IEEE80211_NUM_ACS) : ieee80211_ac_from_tid(0);
			struct ieee80211_txq *txq;

			ieee80211_txq_schedule_start(&local.hw, ac);
			while ((txq = ieee80211_next_txq(&local.hw, ac))) {
				struct sta_info *sta = container_of(txq->sta, struct sta_info, sta);
				int s = sta - stations;

				for (u64 left = below(12); left; left--) {
					struct sk_buff *skb = NULL;

					if (ieee80211_txq_airtime_check(&local.hw, txq))
						skb = fq_tin_dequeue(&local.fq, &to_txq_info(txq)->tin, fq_tin_dequeue_func);
					if (!skb)
						break;

					u32 airtime = 0;

					if (wiphy.features[NL80211_EXT_FEATURE_AQL]) {
						airtime = estimate(rates[s], skb->len, ac == 0);
						ieee80211_sta_update_pending_airtime(&local, sta, ac, airtime, false);
					}
					see(TAKEN);
					see(skb->number);
					see(airtime);
					see(skb->is_marked);
					under[count].station = s, under[count].tid = txq->tid, under[count++].estimate = airtime;
					free(skb);
				}

				u32 used = below(5000);

				if (wiphy.features[NL80211_EXT_FEATURE_AIRTIME_FAIRNESS])
					ieee80211_sta_register_airtime(&sta->sta, txq->tid, used, 0);
				__ieee80211_schedule_txq(&local.hw, txq, below(10) == 0);
			}
		} else {
			u64 left = below(10);

			for (left = min_t(u64, left, count); left; left--) {
				u32 at = below(count);

				ieee80211_sta_update_pending_airtime(&local, &stations[under[at].station], ieee80211_ac_from_tid(under[at].tid),
								     under[at].estimate, true);
				under[at] = under[--count];
			}
		}
		for (int s = 0; s < n; s++) {
			for (int ac = 0; ac < IEEE80211_NUM_ACS; ac++) {
				see(ieee80211_sta_deficit(&stations[s], ac));
				see(atomic_read(&stations[s].airtime[ac].aql_tx_pending));
			}
			for (int tid = 0; tid < TIDS; tid++) {
				see(queues[s][tid].tin.backlog_packets);
				see(queues[s][tid].tin.backlog_bytes);
			}
		}
		see(local.fq.backlog);
		see(local.fq.memory_usage);
		see(local.fq.collisions);
		for (int ac = 0; ac < IEEE80211_NUM_ACS; ac++) {
			struct txq_info *txqi;

			list_for_each_entry(txqi, &local.active_txqs[ac], schedule_order)
				see((container_of(txqi->txq.sta, struct sta_info, sta) - stations) * TIDS + txqi->txq.tid);
			see(END);
		}
		if (is_verbose)
			printf("\n");
		else
			printf(" %03x", (unsigned int)(hash >> 52));
	}
	if (!is_verbose)
		printf(" %016llx\n", (unsigned long long)hash);
	/* A history ends with packets in its queues. */
	is_verbose = false;
	for (int s = 0; s < n; s++)
		for (int tid = 0; tid < TIDS; tid++)
			fq_tin_reset(&local.fq, &queues[s][tid].tin, fq_skb_free_func);
	fq_reset(&local.fq, fq_skb_free_func);
	free(local.cvars);
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
