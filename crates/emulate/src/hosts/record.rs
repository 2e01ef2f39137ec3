//! Tables of the flows, as of a simulation. Senders' windows and counts are the kernel's, read
//! when the machine comes to it; what arrived and what was lost are as the network counted them, by its own time.

use super::flows::Flow;
use super::plan::Plan;
use super::traffic::FlowCounts;
use super::transfer::Transfer;
use crate::sys::TcpInfo;
use windward_sim::{FlowSeries, FlowStats, Internals, Network, Output};
use windward_units::{Duration, Time};

/// States of `tcpi_ca_state` in which lost segments are repaired.
const RECOVERY: u8 = 3;

/// Samples the flows and adds up.
pub(super) struct Record {
    interval: Duration,
    warmup: Time,
    duration: Time,
    has_internals: bool,
    /// Samples taken, and whether the warm-up and the end were.
    samples: u64,
    is_warm: bool,
    is_over: bool,
    flow_series: FlowSeries,
    internals: Internals,
    flows: Vec<Tally>,
}

/// Sums over a flow's samples.
#[derive(Clone, Default)]
struct Tally {
    /// At the last sample.
    state: u8,
    last: TcpInfo,
    /// Kernel's counts at the end of the warm-up, and the recoveries until then.
    at_warmup: (TcpInfo, u64),
    /// Segments acknowledged at the last sample.
    delivered: u64,
    /// Since the beginning, from one sample to the next.
    recoveries: u64,
    samples: u64,
    cwnd: f64,
    rate: f64,
    /// Sum of the smoothed RTTs, each as often as segments were acknowledged since the sample before, and of these
    /// counts.
    acknowledged: u64,
    rtt: f64,
    rtts: u64,
    max_rtt: f64,
}

impl Record {
    pub(super) fn new(network: &Network, plan: &Plan) -> Self {
        Self {
            interval: network.timing.sample_interval,
            warmup: network.timing.warmup,
            duration: network.timing.duration,
            has_internals: network.internals,
            samples: 0,
            is_warm: false,
            is_over: false,
            flow_series: FlowSeries::default(),
            internals: Internals::default(),
            flows: vec![Tally::default(); plan.flows.len()],
        }
    }

    /// Time of the next record; `None` at the end of the run.
    pub(super) fn next_due(&self) -> Option<Time> {
        let sample = self.next_sample().min(self.duration);
        let due = if self.is_warm { sample } else { sample.min(self.warmup) };
        (!self.is_over).then_some(due)
    }

    fn next_sample(&self) -> Time {
        Time::from_nanos((self.samples + 1) * self.interval.as_nanos())
    }

    /// Takes down what is due.
    pub(super) fn take(&mut self, due: Time, flows: &[Flow<'_>], transfers: &[Transfer<'_>]) {
        let is_warm_up = !self.is_warm && due >= self.warmup;
        let is_sample = due >= self.next_sample();
        self.is_over = due >= self.duration;
        for (tally, flow) in self.flows.iter_mut().zip(flows) {
            if let Some(info) = flow.info() {
                tally.see(&info);
            }
            if is_warm_up {
                tally.at_warmup = (tally.last, tally.recoveries);
            }
        }
        self.is_warm |= is_warm_up;
        if is_sample {
            self.samples += 1;
            self.sample(due, flows);
            if self.has_internals {
                for transfer in transfers {
                    transfer.observe(&mut |name, value| self.internals.push(due, transfer.first(), name, value));
                }
            }
        }
    }

    fn sample(&mut self, due: Time, flows: &[Flow<'_>]) {
        let series = &mut self.flow_series;
        for (index, (tally, flow)) in self.flows.iter_mut().zip(flows).enumerate() {
            let state = flow.state();
            let is_open = state.opened.is_some() && state.closed.is_none_or(|closed| closed > due);
            let info = tally.last;
            let srtt = if info.srtt_us == 0 { f64::NAN } else { f64::from(info.srtt_us) / 1e3 };
            series.time_s.push(due.as_secs());
            series.flow.push(index as u32);
            series.cwnd.push(if is_open { f64::from(info.cwnd) } else { f64::NAN });
            series.flight.push(if is_open { f64::from(info.flight) } else { 0.0 });
            series.srtt_ms.push(srtt);
            series.rtt_ms.push(srtt);
            series.retransmits.push(info.retransmits);
            if is_open && due > self.warmup {
                tally.add(&info);
            }
            tally.delivered = info.delivered;
        }
        if self.has_internals {
            self.sample_internals(due, flows);
        }
    }

    /// State of Windward's laws, found by the connections' addresses.
    fn sample_internals(&mut self, due: Time, flows: &[Flow<'_>]) {
        let internals = &mut self.internals;
        for (index, flow) in flows.iter().enumerate() {
            flow.observe(&mut |name, value| internals.push(due, index, name, value));
        }
        let mut names: Vec<&str> = flows.iter().filter(|f| f.plan().is_ours).map(|f| f.plan().law.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let Ok((law, connections)) = windward_kernel::show(name) else { continue };
            for connection in connections {
                let local = connection.local.ip();
                let Some(index) = flows.iter().position(|flow| local == flow.plan().from) else { continue };
                let figures = [
                    ("base_rtt", connection.base_rtt),
                    ("avg_rtt", connection.avg_rtt),
                    (law.own.0, Some(connection.own)),
                ];
                for (name, value) in figures.into_iter().filter_map(|(name, value)| Some((name, value?))) {
                    internals.push(due, index, name, value);
                }
            }
        }
    }

    /// Completes `output`, which has all but the flows.
    pub(super) fn finish(self, output: Output, flows: &[Flow<'_>], counts: &[FlowCounts]) -> Output {
        let stats = self.flows.iter().zip(flows).zip(counts);
        let flow_series = FlowSeries { goodput_bps: self.goodputs(counts), ..self.flow_series.clone() };
        let coded = counts.iter().filter_map(|counts| counts.coding.clone());
        let (coding, blocks): (Vec<_>, Vec<_>) = coded.unzip();
        let mut output = Output {
            coding,
            blocks: blocks.concat(),
            flow_series: flow_series.into(),
            internals: self.internals.clone(),
            rtts: Vec::new(),
            ..output
        };
        let flows = stats.map(|((tally, flow), counts)| self.stats(tally, flow, counts)).enumerate();
        output.flows = flows.map(|(index, stats)| output.with_loss(index, stats)).collect();
        output
    }

    /// The goodput of every flow at every sample taken.
    fn goodputs(&self, counts: &[FlowCounts]) -> Vec<f64> {
        let interval = self.interval.as_secs();
        (0..self.samples as usize)
            .flat_map(|sample| counts.iter().map(move |flow| flow.by_sample[sample] as f64 * 8.0 / interval))
            .collect()
    }

    fn stats(&self, tally: &Tally, flow: &Flow<'_>, counts: &FlowCounts) -> FlowStats {
        let state = flow.state();
        let (before, recoveries) = tally.at_warmup;
        let delivered = counts.arrived;
        // The goodputs of a transfer's connections add up to that of the transfer.
        let (opened, closed) = match flow.plan().transfer {
            Some((start, stop)) => (Some(start), stop),
            None => (state.opened, state.closed),
        };
        let begin = opened.unwrap_or(self.duration).max(self.warmup);
        let end = closed.unwrap_or(self.duration).min(self.duration).max(begin);
        let open_for = end.since(begin).as_secs();
        let rate = if open_for > 0.0 { delivered as f64 / open_for } else { 0.0 };
        let info = tally.last;
        let mean = |sum: f64, count: u64| if count == 0 { f64::NAN } else { sum / count as f64 };
        let config = &flow.plan().config;
        FlowStats {
            goodput_bps: rate * 8.0,
            goodput_pps: rate / config.tcp.segment.count() as f64,
            delivered_bytes: delivered,
            segments_sent: info.data_segments - before.data_segments,
            retransmits: info.retransmits - before.retransmits,
            segments_lost: counts.lost,
            recoveries: tally.recoveries - recoveries,
            timeouts: info.timeouts - before.timeouts,
            marked: counts.marked,
            mean_cwnd: mean(tally.cwnd, tally.samples),
            mean_window_rate_pps: mean(tally.rate, tally.rtts),
            mean_rtt_s: mean(tally.rtt, tally.acknowledged),
            min_rtt_s: if info.min_rtt_us == 0 { f64::NAN } else { f64::from(info.min_rtt_us) / 1e6 },
            max_rtt_s: if tally.rtts == 0 { f64::NAN } else { tally.max_rtt },
            // The kernel shows no samples, only their smoothed mean.
            rtt_p50_s: f64::NAN,
            rtt_p95_s: f64::NAN,
            rtt_p99_s: f64::NAN,
            completion_s: match state.closed {
                Some(closed) if state.is_complete => closed.since(config.start).as_secs(),
                _ => f64::NAN,
            },
            unfinished: u64::from(config.size.is_some() && !state.is_complete),
            loss: f64::NAN,
        }
    }
}

impl Tally {
    fn see(&mut self, info: &TcpInfo) {
        self.recoveries += u64::from(info.state == RECOVERY && self.state != RECOVERY);
        self.recoveries += info.reductions.saturating_sub(self.last.reductions);
        (self.state, self.last) = (info.state, *info);
    }

    fn add(&mut self, info: &TcpInfo) {
        self.samples += 1;
        self.cwnd += f64::from(info.cwnd);
        if info.srtt_us > 0 {
            let rtt = f64::from(info.srtt_us) / 1e6;
            let acknowledged = info.delivered.saturating_sub(self.delivered);
            self.acknowledged += acknowledged;
            self.rtt += rtt * acknowledged as f64;
            self.rtts += 1;
            self.rate += f64::from(info.cwnd) / rtt;
            self.max_rtt = self.max_rtt.max(rtt);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 90 segments acknowledged at 0.1 s, then 10 at 1 s: a simulation has a sample of each, with the mean 0.19 s; over
    /// time the mean would be 0.55 s.
    #[test]
    fn the_mean_rtt_weighs_by_packets() {
        let mut tally = Tally { delivered: 100, ..Tally::default() };
        for (delivered, srtt_us) in [(190, 100_000), (200, 1_000_000), (200, 2_000_000)] {
            tally.add(&TcpInfo { delivered, srtt_us, ..TcpInfo::default() });
            tally.delivered = delivered;
        }
        assert!((tally.rtt / tally.acknowledged as f64 - 0.19).abs() < 1e-12);
        assert_eq!(tally.max_rtt, 2.0);
    }
}
