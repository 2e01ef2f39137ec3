//! Counters of a station's direction, and the tables made of them.

use windward_tables::{Histogram, table};

/// Most MCS of a table.
pub(super) const SCHEMES: usize = 29;

table! {
    /// Radio links of LTE and NR cells: the columns that other links lack. A link is one direction of a station.
    pub struct RanLinkStats: "ran_links", Totals, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Resource blocks used, as a share of all those of the direction.
        prb_share: f64 [""],
        /// Transport blocks sent for the first time.
        blocks: u64 ["blocks"],
        /// Mean CQI of the reports by which blocks were sent.
        mean_cqi: f64 [""],
        /// Mean MCS index of first transmissions.
        mean_mcs: f64 [""],
        /// Mean signal-to-noise ratio per layer of all transmissions.
        mean_snr_db: f64 ["dB"],
        /// Offset of the outer loop link adaptation at the end.
        olla_db: f64 ["dB"],
        /// First transmissions that were not decoded, as a share.
        bler: f64 [""],
        /// HARQ retransmissions.
        harq_retransmissions: u64 ["blocks"],
        /// Blocks that HARQ lost: retransmissions were exhausted, or a NACK was read as an ACK.
        harq_lost: u64 ["blocks"],
        /// Parts that RLC sent again.
        rlc_retransmissions: u64 ["parts"],
        /// Gaps in the stream that the receiver gave up.
        gaps: u64 ["gaps"],
        /// Parts that RLC gave up after all retransmissions.
        rlc_failures: u64 ["parts"],
        /// Packets discarded by age.
        discarded: u64 ["packets"],
        /// Mean time from the first transmission of a packet's first byte to its delivery in order: transmission, HARQ,
        /// RLC and reordering.
        mean_radio_delay_s: f64 ["s"],
        /// Median of that time.
        radio_delay_p50_s: f64 binned ["s"],
        /// 95th percentile of that time.
        radio_delay_p95_s: f64 binned ["s"],
        /// 99th percentile of that time.
        radio_delay_p99_s: f64 binned ["s"],
        /// Scheduling requests; 0 for a downlink.
        scheduling_requests: u64 [""],
        /// Mean time from data at an empty uplink buffer to the block that answers the scheduling request.
        mean_grant_wait_s: f64 ["s"],
    }
}

table! {
    /// MCS of LTE and NR cells: first transmissions of each MCS in use, by link.
    pub struct RanMcsStats: "ran_mcs", Parts, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// MCS index.
        mcs: u32 fixed [""],
        /// First transmissions.
        blocks: u64 ["blocks"],
        /// Those that were not decoded.
        failures: u64 ["blocks"],
    }
}

/// Counters.
#[derive(Clone, Debug, Default)]
pub(super) struct Air {
    /// Resource blocks used.
    pub prbs: u64,
    pub transmissions: u64,
    pub cqi: u64,
    pub snr: f64,
    /// First transmissions and failures by MCS.
    pub by_mcs: [[u64; 2]; SCHEMES],
    pub harq_lost: u64,
    pub repeats: u64,
    pub gaps: u64,
    pub failures: u64,
    pub discarded: u64,
    /// Times from first byte to delivery, and their sum in nanoseconds.
    pub delays: Histogram,
    pub delay: u128,
    pub requests: u64,
    pub grants: u64,
    /// Sum of the waits for the grants that answer requests, in nanoseconds.
    pub grant_wait: u64,
}

impl Air {
    /// Counts from now.
    pub fn reset(&mut self) {
        let mut delays = std::mem::take(&mut self.delays);
        delays.clear();
        *self = Self { delays, ..Self::default() };
    }

    /// Adds the counters of another bearer.
    pub fn merge(&mut self, other: &Self) {
        self.prbs += other.prbs;
        self.transmissions += other.transmissions;
        self.cqi += other.cqi;
        self.snr += other.snr;
        let of_mcs = self.by_mcs.iter_mut().flatten().zip(other.by_mcs.iter().flatten());
        of_mcs.for_each(|(count, more)| *count += more);
        self.harq_lost += other.harq_lost;
        self.repeats += other.repeats;
        self.gaps += other.gaps;
        self.failures += other.failures;
        self.discarded += other.discarded;
        self.delays.merge(&other.delays);
        self.delay += other.delay;
        self.requests += other.requests;
        self.grants += other.grants;
        self.grant_wait += other.grant_wait;
    }

    /// Row of the link; `all` are the resource blocks of its direction since the reset.
    pub fn row(&self, link: u32, all: f64, olla_db: f64) -> RanLinkStats {
        let sum = |of: usize| self.by_mcs.iter().map(|counts| counts[of]).sum::<u64>();
        let (blocks, failures) = (sum(0), sum(1));
        let of_blocks = |sum: f64| sum / blocks as f64;
        let mcs: u64 = (0..).zip(&self.by_mcs).map(|(mcs, counts)| mcs * counts[0]).sum();
        let [radio_delay_p50_s, radio_delay_p95_s, radio_delay_p99_s] = self.delays.percentiles();
        RanLinkStats {
            link,
            prb_share: self.prbs as f64 / all,
            blocks,
            mean_cqi: of_blocks(self.cqi as f64),
            mean_mcs: of_blocks(mcs as f64),
            mean_snr_db: self.snr / self.transmissions as f64,
            olla_db,
            bler: of_blocks(failures as f64),
            harq_retransmissions: self.transmissions - blocks,
            harq_lost: self.harq_lost,
            rlc_retransmissions: self.repeats,
            gaps: self.gaps,
            rlc_failures: self.failures,
            discarded: self.discarded,
            mean_radio_delay_s: self.delay as f64 * 1e-9 / self.delays.count() as f64,
            radio_delay_p50_s,
            radio_delay_p95_s,
            radio_delay_p99_s,

            scheduling_requests: self.requests,
            mean_grant_wait_s: self.grant_wait as f64 * 1e-9 / self.grants as f64,
        }
    }

    /// Rows of the MCS in use.
    pub fn mcs_rows(&self, link: u32) -> impl Iterator<Item = RanMcsStats> {
        let used = (0..).zip(&self.by_mcs).filter(|(_, counts)| counts[0] > 0);
        used.map(move |(mcs, &[blocks, failures])| RanMcsStats { link, mcs, blocks, failures })
    }
}
