/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * FAST: W ← W − γ·v. The twin of crates/laws/src/fast.rs.
 */
#pragma once
#include "fixed.h"

struct params {
	u32 gamma;
	u32 alpha;
};

#define DRIFT_IS_DAMPED 0
#include "backlog.h"

FIXED s64 drift_log_scale(const struct params *params, u64 cwnd)
{
	return log2_of(q24(params->gamma));
}

FIXED u64 drift_backlog(const struct params *params)
{
	return q24(params->alpha);
}
