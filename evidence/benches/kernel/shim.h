/* Types and functions of the Linux kernel that several of its files use, for user space.
 *
 * Written from their uses. The shim of each bench includes this one and adds what its own files use. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16, __le16, __be16;
typedef uint32_t u32, __be32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define likely(x) (x)
#define unlikely(x) (x)
#define BIT(n) (1UL << (n))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define do_div(n, base) ((n) /= (base))
static inline u32 reciprocal_scale(u32 value, u32 count) { return ((u64)value * count) >> 32; }

/* Memory. */
#define ENOMEM 12
#define GFP_KERNEL 0
#define kvcalloc(count, size, flags) calloc(count, size)
#define kvfree(p) free(p)

/* Time. */
#define HZ 1000
#define NSEC_PER_SEC 1000000000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_USEC 1000L
#define USEC_PER_SEC 1000000L
static unsigned long jiffies;

/* Circular lists. */
struct list_head {
	struct list_head *next, *prev;
};
static inline void INIT_LIST_HEAD(struct list_head *list) { list->next = list->prev = list; }
static inline bool list_empty(const struct list_head *list) { return list->next == list; }
static inline void list_between(struct list_head *item, struct list_head *prev, struct list_head *next)
{
	item->prev = prev, item->next = next;
	prev->next = next->prev = item;
}
static inline void list_add(struct list_head *item, struct list_head *list) { list_between(item, list, list->next); }
static inline void list_add_tail(struct list_head *item, struct list_head *list) { list_between(item, list->prev, list); }
static inline void list_del_init(struct list_head *item)
{
	item->prev->next = item->next;
	item->next->prev = item->prev;
	INIT_LIST_HEAD(item);
}
static inline void list_move_tail(struct list_head *item, struct list_head *list)
{
	list_del_init(item);
	list_add_tail(item, list);
}
#define list_first_entry(list, type, member) container_of((list)->next, type, member)
#define list_first_entry_or_null(list, type, member) (list_empty(list) ? NULL : list_first_entry(list, type, member))
#define list_for_each_entry(p, list, member) \
	for (p = list_first_entry(list, typeof(*p), member); &p->member != (list); p = list_first_entry(&p->member, typeof(*p), member))

/* Packets, of a type that each bench has. */
#define skb_mark_not_on_list(skb) ((skb)->next = NULL)
#define INET_ECN_set_ce(skb) ((skb)->is_marked = (skb)->is_capable)
