/* Types and functions of the Linux kernel that its file net/mac80211/rc80211_minstrel_ht.c uses, for user space.
 *
 * Written from that file's uses and from the documentation of mac80211. Values of flags are arbitrary but distinct. */
#pragma once

#include "../../kernel/shim.h"

typedef unsigned int gfp_t;

#define GENMASK(high, low) ((~0UL << (low)) & (~0UL >> (63 - (high))))
#define FIELD_PREP(mask, value) (((u64)(value) << __builtin_ctzl(mask)) & (mask))
#define FIELD_GET(mask, value) (((u64)(value) & (mask)) >> __builtin_ctzl(mask))
#define BUILD_BUG_ON(condition) ((void)sizeof(char[1 - 2 * !!(condition)]))
#define WARN_ON(condition) (condition)
#define le16_to_cpu(x) (x)
#define cpu_to_le16(x) ((__le16)(x))
#define __read_mostly
#define __init
#define module_param(name, type, mode)
#define MODULE_PARM_DESC(name, text)

/* Memory. */
#define GFP_ATOMIC 0
#define kzalloc(size, flags) calloc(1, size)
#define kzalloc_obj(what, ...) ((typeof(what) *)calloc(1, sizeof(what)))
static inline void kfree(const void *p) { free((void *)p); }

/* Time. */
#define time_after(a, b) ((long)((b) - (a)) < 0)
#define time_is_after_jiffies(a) time_after(a, jiffies)

static void get_random_bytes(void *bytes, size_t count);

/* Rates. */
enum nl80211_band { NL80211_BAND_2GHZ, NL80211_BAND_5GHZ, NL80211_BAND_60GHZ, NL80211_BAND_6GHZ, NL80211_BAND_S1GHZ, NL80211_BAND_LC, NUM_NL80211_BANDS };
enum { IEEE80211_TX_MAX_RATES = 4, IEEE80211_TX_RATE_TABLE_SIZE = 4, IEEE80211_MAX_MPDU_LEN_HT_BA = 4095 };

#define IEEE80211_TX_RC_USE_RTS_CTS BIT(0)
#define IEEE80211_TX_RC_USE_SHORT_PREAMBLE BIT(2)
#define IEEE80211_TX_RC_MCS BIT(3)
#define IEEE80211_TX_RC_40_MHZ_WIDTH BIT(5)
#define IEEE80211_TX_RC_SHORT_GI BIT(7)
#define IEEE80211_TX_RC_VHT_MCS BIT(8)
#define IEEE80211_TX_RC_80_MHZ_WIDTH BIT(9)
#define IEEE80211_TX_RC_160_MHZ_WIDTH BIT(10)

#define IEEE80211_TX_CTL_AMPDU BIT(0)
#define IEEE80211_TX_CTL_NO_ACK BIT(1)
#define IEEE80211_TX_CTL_RATE_CTRL_PROBE BIT(2)
#define IEEE80211_TX_STAT_AMPDU BIT(3)
#define IEEE80211_TX_STAT_ACK BIT(4)
#define IEEE80211_TX_CTL_LDPC BIT(5)
#define IEEE80211_TX_CTL_STBC_SHIFT 6
#define IEEE80211_TX_CTRL_PORT_CTRL_PROTO BIT(0)

#define IEEE80211_RATE_SHORT_PREAMBLE BIT(0)
#define IEEE80211_RATE_ERP_G BIT(1)

#define IEEE80211_HT_CAP_LDPC_CODING BIT(0)
#define IEEE80211_HT_CAP_SGI_20 BIT(5)
#define IEEE80211_HT_CAP_SGI_40 BIT(6)
#define IEEE80211_HT_CAP_RX_STBC (3 << 8)
#define IEEE80211_HT_CAP_RX_STBC_SHIFT 8
#define IEEE80211_VHT_CAP_RXLDPC BIT(4)
#define IEEE80211_VHT_CAP_SHORT_GI_80 BIT(5)
#define IEEE80211_VHT_CAP_RXSTBC_MASK (7 << 8)
#define IEEE80211_VHT_CAP_RXSTBC_SHIFT 8
enum { IEEE80211_VHT_MCS_SUPPORT_0_7, IEEE80211_VHT_MCS_SUPPORT_0_8, IEEE80211_VHT_MCS_SUPPORT_0_9, IEEE80211_VHT_MCS_NOT_SUPPORTED };
enum ieee80211_smps_mode { IEEE80211_SMPS_AUTOMATIC, IEEE80211_SMPS_OFF, IEEE80211_SMPS_STATIC, IEEE80211_SMPS_DYNAMIC };
enum { IEEE80211_STA_RX_BW_20, IEEE80211_STA_RX_BW_40, IEEE80211_STA_RX_BW_80, IEEE80211_STA_RX_BW_160 };

#define RATE_INFO_FLAGS_MCS BIT(0)
#define RATE_INFO_FLAGS_VHT_MCS BIT(1)
#define RATE_INFO_FLAGS_SHORT_GI BIT(2)
enum { RATE_INFO_BW_20, RATE_INFO_BW_40, RATE_INFO_BW_80 };

struct rate_info {
	u8 flags, mcs, nss, bw;
	u16 legacy;
};

struct ieee80211_rate_status {
	struct rate_info rate_idx;
	u8 try_count;
};

struct ieee80211_tx_rate {
	s8 idx;
	u16 count : 5, flags : 11;
};

static inline void ieee80211_rate_set_vht(struct ieee80211_tx_rate *rate, u8 mcs, u8 nss) { rate->idx = ((nss - 1) << 4) | mcs; }
static inline u8 ieee80211_rate_get_vht_mcs(const struct ieee80211_tx_rate *rate) { return rate->idx & 0xf; }
static inline u8 ieee80211_rate_get_vht_nss(const struct ieee80211_tx_rate *rate) { return (rate->idx >> 4) + 1; }

struct ieee80211_tx_info {
	u32 flags;
	union {
		struct {
			struct ieee80211_tx_rate rates[IEEE80211_TX_MAX_RATES];
			u32 flags;
		} control;
		struct {
			struct ieee80211_tx_rate rates[IEEE80211_TX_MAX_RATES];
			u32 ampdu_ack_len, ampdu_len;
		} status;
	};
};

struct sk_buff {
	struct ieee80211_tx_info info;
};
#define IEEE80211_SKB_CB(skb) (&(skb)->info)

struct ieee80211_sta_rates {
	struct {
		s8 idx;
		u8 count, count_cts, count_rts;
		u16 flags;
	} rate[IEEE80211_TX_RATE_TABLE_SIZE];
};

struct ieee80211_rate {
	u32 flags;
	u16 bitrate;
};

struct ieee80211_supported_band {
	struct ieee80211_rate *bitrates;
	int n_bitrates;
	enum nl80211_band band;
};

struct ieee80211_mcs_info {
	u8 rx_mask[10];
};

struct ieee80211_sta_ht_cap {
	u16 cap;
	bool ht_supported;
	struct ieee80211_mcs_info mcs;
};

struct ieee80211_sta_vht_cap {
	bool vht_supported;
	u32 cap;
	struct {
		__le16 tx_mcs_map;
	} vht_mcs;
};

struct ieee80211_sta {
	struct {
		struct ieee80211_sta_ht_cap ht_cap;
		struct ieee80211_sta_vht_cap vht_cap;
		int bandwidth;
		enum ieee80211_smps_mode smps_mode;
		struct {
			u16 max_rc_amsdu_len;
		} agg;
		u32 supp_rates[NUM_NL80211_BANDS];
	} deflink;
	struct ieee80211_sta_rates *rates;
};

struct ieee80211_sub_if_data {
	struct {
		struct {
			bool use_short_preamble;
		} bss_conf;
	} vif;
};

struct sta_info {
	struct ieee80211_sta sta;
	struct ieee80211_sub_if_data *sdata;
};

enum { WLAN_STA_SHORT_PREAMBLE };
#define test_sta_flag(sta, flag) false

struct wiphy {
	struct ieee80211_supported_band *bands[NUM_NL80211_BANDS];
};

struct cfg80211_chan_def {
	int unused;
};
/* Channels of 5 and 10 MHz, until 6.12. */
#define ieee80211_chandef_rate_flags(chandef) ((void)(chandef), 0U)

struct ieee80211_hw {
	struct wiphy *wiphy;
	struct {
		struct cfg80211_chan_def chandef;
	} conf;
	u8 max_rates, max_rate_tries;
	bool TX_STATUS_NO_AMPDU_LEN, SUPPORTS_HT_CCK_RATES;
};
#define ieee80211_hw_check(hw, flag) ((hw)->flag)

struct dentry;

struct ieee80211_tx_rate_control {
	struct sk_buff *skb;
	bool short_preamble;
};

struct ieee80211_tx_status {
	struct ieee80211_sta *sta;
	struct ieee80211_tx_info *info;
	struct ieee80211_rate_status *rates;
	u8 n_rates;
};

struct rate_control_ops {
	const char *name;
	u32 capa;
	void (*tx_status_ext)(void *, struct ieee80211_supported_band *, void *, struct ieee80211_tx_status *);
	void (*get_rate)(void *, struct ieee80211_sta *, void *, struct ieee80211_tx_rate_control *);
	void (*rate_init)(void *, struct ieee80211_supported_band *, struct cfg80211_chan_def *, struct ieee80211_sta *, void *);
	void (*rate_update)(void *, struct ieee80211_supported_band *, struct cfg80211_chan_def *, struct ieee80211_sta *, void *, u32);
	void *(*alloc_sta)(void *, struct ieee80211_sta *, gfp_t);
	void (*free_sta)(void *, struct ieee80211_sta *, void *);
	void *(*alloc)(struct ieee80211_hw *);
	void (*free)(void *);
	u32 (*get_expected_throughput)(void *);
};
#define RATE_CTRL_CAPA_AMPDU_TRIGGER BIT(0)
#define ieee80211_rate_control_register(ops) 0
#define ieee80211_rate_control_unregister(ops) ((void)(ops))

#define rate_supported(sta, band, index) ((sta)->deflink.supp_rates[band] >> (index) & 1)
#define rate_lowest_index(band, sta) 0
#define ieee80211_sta_recalc_aggregates(sta) ((void)(sta))

/* Airtime of an OFDM frame with SIFS in microseconds; the rate is in units of 100 kbit/s. */
static inline int ieee80211_frame_duration(enum nl80211_band band, size_t bytes, int rate, int erp, int short_preamble)
{
	(void)band, (void)erp, (void)short_preamble;
	return 16 + 16 + 4 + 4 * DIV_ROUND_UP((16 + 8 * ((int)bytes + 4) + 6) * 10, 4 * rate);
}

static inline void rate_control_set_rates(struct ieee80211_hw *hw, struct ieee80211_sta *sta, struct ieee80211_sta_rates *rates)
{
	(void)hw;
	kfree(sta->rates);
	sta->rates = rates;
}
