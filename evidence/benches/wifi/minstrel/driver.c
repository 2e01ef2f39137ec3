/* Random histories of Linux's Minstrel-HT. Prints what crates/sim/examples/minstrel.rs prints, from the kernel's own code.
 *
 * cc -fwrapv -include shim.h -I STANDINS -I DIRECTORY driver.c, where DIRECTORY has copies of rc80211_minstrel_ht.[ch]
 * and STANDINS an empty file for each header that they include. */
#include "rc80211_minstrel_ht.c"

#include <stdio.h>

static u64 state;

static u64 draw(void)
{
	u64 z = state + 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return state = z ^ (z >> 31);
}

static u64 below(u64 count)
{
	return (draw() >> 32) % count;
}

static void get_random_bytes(void *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		((u8 *)bytes)[i] = draw() >> 32;
}

/* What is seen after a report: its hash, or its numbers. */
static bool is_verbose;
static u64 hash;

static void see(u32 value)
{
	hash = (hash ^ value) * 0x100000001b3;
	if (is_verbose)
		printf(" %u", value);
}

/* Success probabilities of all rates, in 65536ths. */
static u32 hidden[MINSTREL_GROUPS_NB][MCS_GROUP_RATES];

static void change(void)
{
	u64 kind = below(3), limit = below(10);

	for (int group = 0; group < MINSTREL_GROUPS_NB; group++) {
		int streams = minstrel_mcs_groups[group].streams;

		for (int mcs = 0; mcs < MCS_GROUP_RATES; mcs++) {
			u32 any = draw() >> 48;

			if (kind == 0)
				hidden[group][mcs] = any;
			else if (kind == 1)
				hidden[group][mcs] = (u64)mcs <= limit ? 62000 : any / 32;
			else
				hidden[group][mcs] = (u64)streams <= 1 + limit / 3 ? 50000 + any / 8 : any / 64;
		}
	}
}

static int number(int idx, int flags)
{
	struct ieee80211_tx_rate rate = { .idx = idx, .flags = flags };

	return flags & IEEE80211_TX_RC_VHT_MCS ? MI_RATE(minstrel_vht_get_group_idx(&rate), idx & 0xf)
					       : MI_RATE(minstrel_ht_get_group_idx(&rate), idx % 8);
}

static void history(u64 seed, int reports)
{
	static struct ieee80211_rate ofdm = { .bitrate = 60 };
	struct ieee80211_supported_band band = { .bitrates = &ofdm, .n_bitrates = 1, .band = NL80211_BAND_5GHZ };
	struct wiphy wiphy = { .bands = { [NL80211_BAND_5GHZ] = &band } };
	struct ieee80211_hw hw = { .wiphy = &wiphy, .max_rates = 4 };
	struct ieee80211_sub_if_data sdata = { 0 };
	struct sta_info info = { .sdata = &sdata };
	struct ieee80211_sta *sta = &info.sta;

	state = seed;
	bool is_vht = below(2);
	int width = below(is_vht ? 3 : 2), streams = 1 + below(4);
	bool is_short = below(2);
	int highest = is_vht ? below(3) : 0;

	hw.max_rate_tries = (u8[]){ 2, 4, 7, 10 }[below(4)];
	hw.TX_STATUS_NO_AMPDU_LEN = below(8) == 0;
	sta->deflink.bandwidth = IEEE80211_STA_RX_BW_20 + width;
	sta->deflink.ht_cap.ht_supported = true;
	sta->deflink.ht_cap.cap = is_short ? IEEE80211_HT_CAP_SGI_20 | IEEE80211_HT_CAP_SGI_40 : 0;
	memset(sta->deflink.ht_cap.mcs.rx_mask, 0xff, streams);
	if (is_vht) {
		u16 map = 0xffff;

		for (int i = 0; i < streams; i++)
			map = (map & ~(3 << 2 * i)) | highest << 2 * i;
		sta->deflink.vht_cap.vht_supported = true;
		sta->deflink.vht_cap.cap = is_short ? IEEE80211_VHT_CAP_SHORT_GI_80 : 0;
		sta->deflink.vht_cap.vht_mcs.tx_mcs_map = map;
	}
	jiffies = 1000 + below(1000);
	init_sample_table();
	change();

	struct minstrel_priv *mp = minstrel_ht_alloc(&hw);
	struct minstrel_ht_sta *mi = minstrel_ht_alloc_sta(mp, sta, GFP_ATOMIC);

	minstrel_ht_rate_init(mp, &band, NULL, sta, mi);
	hash = 0xcbf29ce484222325;
	if (!is_verbose)
		printf("%llu", (unsigned long long)seed);
	for (int i = 0; i < reports; i++) {
		u64 pace = below(8);

		jiffies += below(pace < 6 ? 4 : pace == 6 ? 30 : 120);
		if (below(64) == 0)
			change();

		/* The chain, as mac80211 completes it. */
		struct sk_buff skb = { .info.flags = IEEE80211_TX_CTL_AMPDU | IEEE80211_TX_STAT_AMPDU };
		struct ieee80211_tx_rate_control control = { .skb = &skb };
		struct ieee80211_tx_rate rates[IEEE80211_TX_MAX_RATES];

		for (int j = 0; j < IEEE80211_TX_MAX_RATES; j++)
			skb.info.control.rates[j].idx = -1;
		minstrel_ht_get_rate(mp, sta, mi, &control);

		bool is_probe = skb.info.flags & IEEE80211_TX_CTL_RATE_CTRL_PROBE;
		u32 mpdus = 1 + below(64);

		if (is_probe && below(2))
			mpdus = 1;
		if (is_verbose)
			printf("%llu %d:", (unsigned long long)seed, i);
		for (int j = 0; j < IEEE80211_TX_MAX_RATES; j++) {
			rates[j] = skb.info.control.rates[j];
			if (rates[j].idx < 0 || !rates[j].count) {
				rates[j].idx = sta->rates->rate[j].idx;
				rates[j].count = sta->rates->rate[j].count;
				rates[j].flags = sta->rates->rate[j].flags;
			}
			see(number(rates[j].idx, rates[j].flags));
			see(rates[j].count);
			see(!!(rates[j].flags & IEEE80211_TX_RC_USE_RTS_CTS));
		}
		see(is_probe);

		/* The outcome. */
		u32 acknowledged = 0;
		bool is_over = false;

		for (int j = 0; j < IEEE80211_TX_MAX_RATES; j++) {
			int rate = number(rates[j].idx, rates[j].flags), tries = 0;

			while (!is_over && tries < rates[j].count) {
				u64 any = draw();

				tries++;
				if ((any & 0xffff) < hidden[MI_RATE_GROUP(rate)][MI_RATE_IDX(rate)]) {
					acknowledged = 1 + (any >> 32) % mpdus;
					is_over = true;
				}
			}
			skb.info.status.rates[j] = rates[j];
			skb.info.status.rates[j].count = tries;
			if (!tries)
				skb.info.status.rates[j].idx = -1;
		}
		skb.info.status.ampdu_len = mpdus;
		skb.info.status.ampdu_ack_len = acknowledged;

		struct ieee80211_tx_status status = { .sta = sta, .info = &skb.info };

		minstrel_ht_tx_status(mp, &band, mi, &status);

		for (int j = 0; j < MAX_THR_RATES; j++)
			see(mi->max_tp_rate[j]);
		see(mi->max_prob_rate);
		for (size_t j = 0; j < ARRAY_SIZE(mi->sample); j++)
			for (int k = 0; k < MINSTREL_SAMPLE_RATES; k++)
				see(mi->sample[j].sample_rates[k]);
		see(mi->avg_ampdu_len);
		for (int group = 0; group < MINSTREL_GROUPS_NB; group++) {
			for (int mcs = 0; mcs < MCS_GROUP_RATES; mcs++) {
				if (!(mi->supported[group] & BIT(mcs)))
					continue;
				see(mi->groups[group].rates[mcs].prob_avg);
				see(mi->groups[group].rates[mcs].prob_avg_1);
			}
		}
		see(minstrel_ht_get_expected_throughput(mi));
		if (is_verbose)
			printf("\n");
		else
			printf(" %03x", (unsigned int)(hash >> 52));
	}
	if (!is_verbose)
		printf(" %016llx\n", (unsigned long long)hash);
	kfree(sta->rates);
	kfree(mi);
	kfree(mp);
}

/* driver FIRST COUNT REPORTS [verbose] */
int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	is_verbose = argc > 4;

	u64 first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);

	for (u64 seed = first; seed < first + count; seed++)
		history(seed, atoi(argv[3]));
	(void)mac80211_minstrel_ht;
	return 0;
}
