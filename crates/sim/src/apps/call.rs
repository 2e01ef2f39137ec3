//! Calls: the quality of their speech, and of their video.

use super::carries::Carries;
use super::source::Source;
use crate::output::{SourceStats, share};
use windward_tables::{Bucket, table};
use windward_traffic::emodel::mean_opinion_score;
use windward_units::{Duration, Time};

table! {
    /// Speech quality of each direction of a call, from the end of the warm-up to the end of the run.
    pub struct CallStats: "calls", Totals, "source", IfAny;
    columns {
        /// Source of the datagrams.
        source: u32 @ "sources" fixed [""],
        /// Delay from mouth to ear: a packet's playing time, the shortest delay of the network, and the time that the
        /// receiver waits beyond it. NaN without arrivals.
        delay_s: f64 ["s"],
        /// Packets that the network lost, divided by those that it lost or delivered.
        lost: f64 [""],
        /// Packets that arrived after the time at which the receiver plays them, divided by the same.
        late: f64 [""],
        /// Rating R of the E-model (ITU-T G.107), 0 to 93.2 less the codec's impairment. NaN without arrivals.
        rating: f64 [""],
        /// Mean opinion score of this rating, 1 to 4.41.
        mos: f64 [""],
    }
}

table! {
    /// Video of each direction of a call, from the end of the warm-up to the end of the run. Rates are on the wire.
    pub struct CallVideoStats: "call_videos", Totals, "source", IfAny;
    columns {
        /// Source of the datagrams.
        source: u32 @ "sources" fixed [""],
        /// Mean bit rate of the encoder, which its law decides; frames count alike. NaN without frames.
        target_bps: f64 ["bit/s"],
        /// Rate of arrivals, headers included.
        received_bps: f64 ["bit/s"],
        /// Lost datagrams divided by sent ones. NaN if none was sent.
        loss: f64 [""],
        /// 95th percentile of the one-way delays of the datagrams. NaN without arrivals.
        delay_p95_s: f64 binned ["s"],
        /// Median of the delays of frames, from their encoding to the arrival of their last packet. NaN without frames.
        frame_delay_p50_s: f64 binned ["s"],
        /// 95th percentile of these delays.
        frame_delay_p95_s: f64 binned ["s"],
        /// 99th percentile of these delays.
        frame_delay_p99_s: f64 binned ["s"],
        /// Frames that were not complete when a newer one began to arrive, divided by these and those that were shown.
        /// NaN without arrivals.
        missed: f64 [""],
        /// Freezes: gaps between two shown frames of more than three of their times, and of more than 150 ms beyond
        /// one. The last may last until the end of the run.
        freezes: u64 [""],
        /// Sum of these gaps.
        frozen_s: f64 ["s"],
    }
}

impl Carries for CallStats {
    fn of(index: u32, source: &Source, totals: &SourceStats, _: Time) -> Option<Self> {
        let call = source.call?;
        let counts = &source.counts;
        let lost = totals.lost;
        let all = counts.received + lost;
        let played_by = counts.least_delay.map(|least| least + call.playout);
        let is_late = |bucket: &Bucket| played_by.is_some_and(|latest| bucket.least > latest.as_nanos());
        let late: u64 = counts.delays.buckets().filter(is_late).map(|bucket| bucket.count).sum();
        let delay = played_by.map(|played| played + call.frame);
        let rating = delay.map_or(f64::NAN, |delay| call.rating(delay, share(lost + late, all)));
        Some(Self {
            source: index,
            delay_s: delay.map_or(f64::NAN, Duration::as_secs),
            lost: share(lost, all),
            late: share(late, all),
            rating,
            mos: mean_opinion_score(rating),
        })
    }
}

impl Carries for CallVideoStats {
    fn of(index: u32, source: &Source, totals: &SourceStats, end: Time) -> Option<Self> {
        let video = source.video.as_ref()?;
        let picture = &video.picture;
        let (missed, shown) = picture.missed_and_shown();
        let (freezes, frozen) = picture.freezes(end);
        let [frame_delay_p50_s, frame_delay_p95_s, frame_delay_p99_s] = picture.delays.percentiles();
        Some(Self {
            source: index,
            target_bps: video.mean_target(),
            received_bps: totals.received_bps,
            loss: totals.loss,
            delay_p95_s: totals.delay_p95_s,
            frame_delay_p50_s,
            frame_delay_p95_s,
            frame_delay_p99_s,
            missed: share(missed, missed + shown),
            freezes,
            frozen_s: frozen.as_secs(),
        })
    }
}
