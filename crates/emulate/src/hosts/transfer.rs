//! A transfer over several connections between kernels; a controller decides their number, as in a simulation.
//!
//! Round trips are the kernel's smoothed ones of the connections that acknowledged data since the last decision, or
//! those of the network's own probes: 32 bytes that cross the emulated links and no host.

use super::flow::sleep_until;
use super::flows::Flow;
use crate::sys::Clock;
use crate::wire::{Desk, Order};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use windward_laws::emultcp::{Controller, Sample};
use windward_sim::{ProbePace, Probed, TransferConfig};
use windward_units::{Duration, Time};

/// A transfer, before it begins and while it runs.
pub(super) struct Transfer<'a> {
    config: &'a TransferConfig,
    flows: &'a [Flow<'a>],
    /// Takes orders for the probes, if there are any.
    desk: Option<Desk>,
    state: Mutex<State>,
}

struct State {
    controller: Controller,
    /// Number of flows that are to send, counted from the first.
    open: usize,
    /// Segments of each flow that had arrived at the last decision, and its time.
    delivered: Vec<u64>,
    looked_at: Time,
    /// Mean RTT at the last decision, in seconds; NaN without a sample.
    rtt: f64,
    pace: ProbePace,
}

impl<'a> Transfer<'a> {
    /// The transfer of `config` over some of `flows`, before its first decision.
    pub(super) fn new(config: &'a TransferConfig, flows: &'a [Flow<'a>], desk: Option<Desk>) -> Self {
        let flows = &flows[config.flows.clone()];
        let state = State {
            controller: Controller::new(config.controller, None),
            open: 0,
            delivered: vec![0; flows.len()],
            looked_at: config.start,
            rtt: f64::NAN,
            pace: ProbePace::default(),
        };
        Self { config, flows, desk: desk.filter(|_| config.probes.is_some()), state: Mutex::new(state) }
    }

    /// Decides once a period, from the start of the transfer to its end or to `stop`.
    pub(super) fn run(&self, clock: Clock, stop: &AtomicBool) {
        let period = Duration::from_secs(self.lock().controller.period());
        let end = self.config.stop.unwrap_or(Time::NEVER);
        let mut due = self.config.start;
        while due < end && sleep_until(clock, due, stop) {
            self.decide(clock.now());
            due += period;
        }
        if sleep_until(clock, end, stop) {
            self.probe(0.0);
            self.lock().open = 0;
            self.flows.iter().for_each(|flow| flow.want(false));
        }
    }

    /// Measures, asks the controller, and opens and closes connections.
    fn decide(&self, now: Time) {
        let infos: Vec<_> = self.flows.iter().map(|flow| flow.info().unwrap_or_default()).collect();
        let mut state = self.lock();
        let (mut sum, mut count, mut rtt_min, mut arrived) = (0.0, 0.0, f64::INFINITY, 0.0);
        for (index, (flow, info)) in self.flows.iter().zip(&infos).enumerate() {
            let fresh = info.delivered.saturating_sub(state.delivered[index]);
            state.delivered[index] = info.delivered;
            arrived += (fresh * flow.plan().config.tcp.segment.count()) as f64 * 8.0;
            if info.min_rtt_us > 0 {
                rtt_min = rtt_min.min(f64::from(info.min_rtt_us) / 1e6);
            }
            // Without an acknowledgment the smoothed RTT is an old one.
            if index < state.open && fresh > 0 && info.srtt_us > 0 {
                sum += f64::from(info.srtt_us) / 1e6;
                count += 1.0;
            }
        }
        if self.desk.is_some() {
            let sent = infos.iter().map(|info| info.data_segments).sum::<u64>();
            let period = state.controller.period();
            let probed = self.probe(state.pace.follow(sent, period)).unwrap_or_default();
            if probed.is_new_path() {
                state.controller.forget_path();
            }
            (sum, count) = probed.mean().map_or((0.0, 0.0), |mean| (mean, 1.0));
        }
        state.rtt = sum / count;
        let span = now.since(state.looked_at).as_secs();
        state.looked_at = now;
        let sample = Sample {
            now: now.as_secs(),
            rtt: (count > 0.0).then_some(state.rtt),
            rtt_min,
            rate: if span > 0.0 { arrived / span } else { 0.0 },
            connections: state.open as u32,
            remaining: None,
        };
        state.open = (state.controller.update(sample) as usize).min(self.flows.len());
        for (index, flow) in self.flows.iter().enumerate() {
            flow.want(index < state.open);
        }
    }

    /// Sets the probes per second; returns the round trips of those that have returned.
    fn probe(&self, pace: f64) -> Option<Probed> {
        let (desk, source) = (self.desk.as_ref()?, self.config.probes?);
        let (reply, answer) = mpsc::channel();
        // Without an answer where the emulator has ended.
        desk.order(Order::Pace(source, pace, reply)).then(|| answer.recv().ok())?
    }

    /// Index of its first flow, under which its state is recorded.
    pub(super) fn first(&self) -> usize {
        self.config.flows.start
    }

    /// Reports its internal state, with the names of a simulation.
    pub(super) fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        let state = self.lock();
        sink("open", state.open as f64);
        sink("n", state.controller.connections());
        sink("mean_rtt_s", state.rtt);
        sink("queue_s", state.controller.queue().unwrap_or(f64::NAN));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
