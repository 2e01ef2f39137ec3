/* Types and functions of the Linux kernel that its Wi-Fi queues use, for user space: include/net/fq_impl.h,
 * include/net/codel_impl.h, and functions of net/mac80211.
 *
 * Written from their uses and from the documentation of mac80211. */
#pragma once

#include "../../kernel/shim.h"

#define EXPORT_SYMBOL(name)
#define WARN_ON_ONCE(condition) (condition)
#define WARN_ONCE(condition, ...) (condition)
#define typecheck(type, x) 1
#define DEFINE_STATIC_KEY_FALSE(name) static bool name
#define static_branch_unlikely(key) (*(key))
#define lockdep_assert_held(lock) ((void)(lock))
typedef int spinlock_t;
#define spin_lock_init(lock) ((void)(lock))
#define spin_lock_bh(lock) ((void)(lock))
#define spin_unlock_bh(lock) ((void)(lock))

/* Time. */
static u64 nanoseconds;
#define time_before_eq(a, b) ((long)((b) - (a)) >= 0)
#define ktime_get_ns() nanoseconds

/* Numbers that are changed by one thread. */
typedef struct {
	int counter;
} atomic_t;
#define atomic_read(a) ((a)->counter)
#define atomic_set(a, value) ((a)->counter = (value))
#define atomic_add(value, a) ((a)->counter += (value))
#define atomic_sub(value, a) ((a)->counter -= (value))
#define atomic_sub_return(value, a) ((a)->counter -= (value))
#define atomic_cmpxchg(a, old, new) ((a)->counter == (old) ? (a)->counter = (new) : 0)

/* Bits. */
#define bitmap_zalloc(bits, flags) calloc(DIV_ROUND_UP(bits, 64), 8)
#define bitmap_free(p) free(p)
static inline void __set_bit(unsigned int at, unsigned long *bits) { bits[at / 64] |= BIT(at % 64); }
static inline void __clear_bit(unsigned int at, unsigned long *bits) { bits[at / 64] &= ~BIT(at % 64); }
static inline bool test_bit(unsigned int at, const unsigned long *bits) { return bits[at / 64] >> at % 64 & 1; }
#define for_each_set_bit(at, bits, count) for (at = 0; at < (int)(count); at++) if (test_bit(at, bits))

/* Packets. */
struct ieee80211_tx_info {
	struct {
		u32 enqueue_time;
	} control;
};
struct sk_buff {
	struct sk_buff *next;
	u32 len, truesize, hash, number;
	bool is_capable, is_marked;
	struct ieee80211_tx_info cb[1];
};
struct sk_buff_head {
	struct sk_buff *first, *last;
	u32 qlen;
};
static inline void __skb_queue_head_init(struct sk_buff_head *queue) { memset(queue, 0, sizeof(*queue)); }
#define skb_queue_len(queue) ((queue)->qlen)
static inline struct sk_buff *__skb_dequeue(struct sk_buff_head *queue)
{
	struct sk_buff *skb = queue->first;

	if (skb) {
		queue->first = skb->next;
		queue->qlen--;
		skb->next = NULL;
	}
	return skb;
}
static inline void __skb_queue_tail(struct sk_buff_head *queue, struct sk_buff *skb)
{
	if (queue->first)
		queue->last->next = skb;
	else
		queue->first = skb;
	queue->last = skb;
	queue->qlen++;
}
#define skb_list_walk_safe(list, skb, after) \
	for (skb = (list), after = skb ? skb->next : NULL; skb; skb = after, after = skb ? skb->next : NULL)
/* Packets are filtered nowhere here. */
#define skb_queue_walk_safe(queue, skb, tmp) for (skb = tmp = (queue)->first; skb != tmp;)
#define __skb_unlink(skb, queue) ((void)(skb), (void)(queue))
#define skb_get_hash(skb) ((skb)->hash)
#define skb_get_dsfield(skb) ((void)(skb), 0)

#include <net/codel.h>
#include <net/codel_impl.h>
#include <net/fq.h>
#include <net/fq_impl.h>

/* mac80211. */
enum { IEEE80211_NUM_TIDS = 16, IEEE80211_NUM_ACS = 4, IEEE80211_TXQ_STOP = 0 };
enum { AIRTIME_USE_TX = 1, AIRTIME_USE_RX = 2 };
enum { NL80211_EXT_FEATURE_AQL, NL80211_EXT_FEATURE_AIRTIME_FAIRNESS };

struct wiphy {
	bool features[2];
};
#define wiphy_ext_feature_isset(wiphy, feature) ((wiphy)->features[feature])
#define wiphy_name(wiphy) "radio"

struct ieee80211_hw {
	struct wiphy *wiphy;
};

struct ieee80211_local {
	struct ieee80211_hw hw;
	struct fq fq;
	struct codel_vars *cvars;
	struct codel_params cparams;
	spinlock_t active_txq_lock[IEEE80211_NUM_ACS];
	struct list_head active_txqs[IEEE80211_NUM_ACS];
	u16 schedule_round[IEEE80211_NUM_ACS];
	u16 airtime_flags;
	u32 aql_txq_limit_low[IEEE80211_NUM_ACS], aql_txq_limit_high[IEEE80211_NUM_ACS], aql_threshold;
	atomic_t aql_total_pending_airtime, aql_ac_pending_airtime[IEEE80211_NUM_ACS];
};
#define hw_to_local(p) container_of(p, struct ieee80211_local, hw)

struct ieee80211_sub_if_data {
	struct ieee80211_local *local;
};
struct ieee80211_vif {
	struct ieee80211_sub_if_data sdata;
};
#define vif_to_sdata(vif) (&(vif)->sdata)

struct ieee80211_sta {
	int unused;
};

struct airtime_info {
	u64 rx_airtime, tx_airtime;
	unsigned long last_active;
	s32 deficit;
	atomic_t aql_tx_pending;
	u32 aql_limit_low, aql_limit_high;
};

struct sta_info {
	struct ieee80211_sta sta;
	struct ieee80211_local *local;
	struct ieee80211_sub_if_data *sdata;
	struct airtime_info airtime[IEEE80211_NUM_ACS];
	u16 airtime_weight;
};

struct ieee80211_txq {
	struct ieee80211_vif *vif;
	struct ieee80211_sta *sta;
	u8 tid, ac;
};

struct txq_info {
	struct fq_tin tin;
	struct codel_vars def_cvars;
	struct codel_stats cstats;
	struct sk_buff_head frags;
	u16 schedule_round;
	struct list_head schedule_order;
	unsigned long flags[1];
	struct ieee80211_txq txq;
};
#define to_txq_info(p) container_of(p, struct txq_info, txq)
#define txq_has_queue(p) (to_txq_info(p)->tin.backlog_packets > 0)

static u8 ieee80211_ac_from_tid(u8 tid)
{
	return (u8[]){ 2, 3, 3, 2, 1, 1, 0, 0 }[tid];
}

static void ieee80211_free_txskb(struct ieee80211_hw *hw, struct sk_buff *skb);
static bool ieee80211_txq_airtime_check(struct ieee80211_hw *hw, struct ieee80211_txq *txq);
