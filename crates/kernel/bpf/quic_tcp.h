/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only
 *
 * QUIC-TCP, huang2020 Eq. 9: W ← W − κ·(BaseRTT/AvgRTT)·W^(1−2ρ)·v. The twin of crates/laws/src/quic_tcp.rs.
 */
#pragma once
#include "fixed.h"

struct params {
	u32 rho;
	u32 kappa;
	u32 backlog;
};

#define DRIFT_IS_DAMPED 1
#include "backlog.h"

/* log2 of κ·W^(1−2ρ). The product (1−2ρ)·log2(W) is one of Q16 and Q24, below 2^16 · 2^29. */
FIXED s64 drift_log_scale(const struct params *params, u64 cwnd)
{
	u64 log = log2_of(cwnd); /* not negative: the window is at least two packets */
	u64 rho = least(params->rho, 1 << 16);
	s64 power = rho > 1 << 15 ? -(s64)((2 * rho - (1 << 16)) * log >> 16) : (s64)(((1 << 16) - 2 * rho) * log >> 16);

	return power + log2_of(q24(params->kappa));
}

FIXED u64 drift_backlog(const struct params *params)
{
	return q24(params->backlog);
}
