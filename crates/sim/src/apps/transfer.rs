//! A transfer over several connections; a controller decides their number.

use super::source::{Probed, Source};
use crate::endpoint::Endpoint;
use crate::makers::{Maker, Makers};
use crate::net::Net;
use crate::network::{FlowConfig, TcpOptions, TransferConfig};
use std::ops::Range;
use windward_laws::emultcp::{Controller, Kind, Sample, share};
use windward_units::{Duration, Time};

/// A running transfer.
pub struct Transfer {
    flows: Range<usize>,
    /// Maker of the laws; `None` for TFRC.
    law: Option<Maker>,
    /// TCP parameters of each of its flows.
    tcp: TcpOptions,
    controller: Controller,
    is_combined: bool,
    start: Time,
    stop: Time,
    /// Times at which the connections of the flows opened, for those that ever were, which are the first ones.
    opened_at: Vec<Time>,
    /// Number of flows that send, counted from the first.
    open: usize,
    /// Bytes that had arrived at the last decision, and its time.
    delivered: u64,
    looked_at: Time,
    /// Mean RTT at the last decision, in seconds; NaN without a sample.
    rtt: f64,
    /// Source of the probes, if they measure the round trips.
    probes: Option<u32>,
    pace: ProbePace,
}

impl Transfer {
    /// Transfer of `config` over some of `flows`, before its first decision.
    pub fn new(config: &TransferConfig, flows: &[FlowConfig], makers: &Makers) -> Self {
        let flow = &flows[config.flows.start];
        Self {
            flows: config.flows.clone(),
            law: makers.law(flow.law).ok(),
            tcp: flow.tcp.clone(),
            controller: Controller::new(config.controller, None),
            is_combined: config.is_combined,
            start: config.start,
            stop: config.stop.unwrap_or(Time::NEVER),
            opened_at: Vec::new(),
            open: 0,
            delivered: 0,
            looked_at: config.start,
            rtt: f64::NAN,
            probes: config.probes,
            pace: ProbePace::default(),
        }
    }

    /// Measures, asks the controller, and opens and closes connections. Returns the time of the next decision.
    pub fn control(&mut self, net: &mut Net, flows: &mut [Endpoint], sources: &mut [Source]) -> Option<Time> {
        let flows = &mut flows[self.flows.clone()];
        let is_over = net.now >= self.stop;
        let prober = self.probes.and_then(|index| sources.get_mut(index as usize));
        let probed = prober.map(|prober| self.probe(flows, prober, is_over));
        let wanted = if is_over { 0 } else { self.ask(net.now, flows, probed).min(flows.len()) };
        for flow in &mut flows[wanted..self.open.max(wanted)] {
            flow.stop(net);
        }
        for (at, flow) in flows.iter_mut().enumerate().take(wanted).skip(self.open) {
            if at == self.opened_at.len() {
                self.opened_at.push(net.now);
                if self.is_receivers() {
                    flow.measure_at_receiver();
                }
                flow.start(net);
            } else if flow.reopen(net, &self.tcp, self.law.as_ref()) {
                self.opened_at[at] = net.now;
            }
        }
        self.open = wanted;
        if self.is_combined {
            let n = self.controller.connections();
            flows.iter_mut().for_each(|flow| flow.emulate(n));
        }
        self.grant(&mut flows[..wanted]);
        (!is_over).then(|| net.now + Duration::from_secs(self.controller.period()))
    }

    /// True if the receiver decides from its own measurements, as `windward get` does. The paper's laws have probes.
    fn is_receivers(&self) -> bool {
        self.controller.params().law == Kind::Fast
    }

    /// Divides the limit on the receive windows, if there is one, among the connections.
    fn grant(&self, flows: &mut [Endpoint]) {
        let (window, count) = (self.controller.window(), flows.len() as u32);
        for (flow, index) in flows.iter_mut().zip(0..) {
            flow.bound_receive_window(window.map(|bytes| share(bytes, flow.segment(), count, index)));
        }
    }

    /// Lets as many probes leave as segments do, and takes the round trips of those that have returned.
    fn probe(&mut self, flows: &[Endpoint], prober: &mut Source, is_over: bool) -> Probed {
        let sent = flows.iter().map(|flow| flow.counts().sent).sum::<u64>();
        let pace = self.pace.follow(sent, self.controller.period());
        let probed = prober.set_pace(if is_over { 0.0 } else { pace });
        if probed.is_new_path() {
            self.controller.forget_path();
        }
        probed
    }

    fn ask(&mut self, now: Time, flows: &mut [Endpoint], probed: Option<Probed>) -> usize {
        let settle = Duration::from_secs(self.controller.params().settle);
        let (mut sum, mut count, mut rtt_min, mut delivered) = (0.0, 0.0, f64::INFINITY, 0);
        for (index, (flow, opened_at)) in flows.iter_mut().zip(&self.opened_at).enumerate() {
            delivered += flow.payload_delivered();
            // A minimum with NaN, the value of a flow without samples, is the other number.
            rtt_min = f64::min(rtt_min, flow.averages().rtts().1);
            let recent = flow.take_recent_rtt();
            if let Some(rtt) = recent.filter(|_| index < self.open && now.since(*opened_at) >= settle) {
                sum += rtt.as_secs();
                count += 1.0;
            }
        }
        if let Some(probed) = probed {
            (sum, count) = probed.mean().map_or((0.0, 0.0), |mean| (mean, 1.0));
        }
        self.rtt = sum / count;
        let span = now.since(self.looked_at).as_secs();
        let arrived = (delivered - self.delivered) as f64 * 8.0;
        (self.delivered, self.looked_at) = (delivered, now);
        self.controller.update(Sample {
            now: now.as_secs(),
            rtt: (count > 0.0).then_some(self.rtt),
            rtt_min,
            rate: if span > 0.0 { arrived / span } else { 0.0 },
            connections: self.open as u32,
            remaining: None,
        }) as usize
    }

    /// Indices of its flows.
    pub fn flows(&self) -> &Range<usize> {
        &self.flows
    }

    /// Active time between `begin` and `end`.
    pub fn span(&self, begin: Time, end: Time) -> Duration {
        let (begin, end) = (begin.max(self.start), end.min(self.stop));
        if begin < end { end.since(begin) } else { Duration::ZERO }
    }

    /// Reports its internal state, as [`windward_laws::Law::observe`] does.
    pub fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("open", self.open as f64);
        sink("n", self.controller.connections());
        sink("mean_rtt_s", self.rtt);
        sink("queue_s", self.controller.queue().unwrap_or(f64::NAN));
    }
}

/// Probes per second: the mean rate of a transfer's segments.
#[derive(Debug, Default)]
pub struct ProbePace {
    /// Segments sent at the last decision.
    sent: u64,
    per_second: f64,
}

impl ProbePace {
    /// EWMA weight of the segments of a period: the mean is that of a second.
    const WEIGHT: f64 = 0.1;

    /// Rate after a period in seconds, at whose end `sent` segments have left.
    pub fn follow(&mut self, sent: u64, period: f64) -> f64 {
        let rate = sent.saturating_sub(self.sent) as f64 / period;
        self.sent = sent;
        self.per_second += Self::WEIGHT * (rate - self.per_second);
        self.per_second
    }
}
