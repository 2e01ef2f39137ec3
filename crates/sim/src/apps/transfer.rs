//! A transfer over several connections, whose number a controller decides.

use crate::endpoint::Endpoint;
use crate::makers::{LawChoice, Maker, Makers};
use crate::net::Net;
use crate::network::{FlowConfig, TransferConfig};
use std::ops::Range;
use windward_laws::emultcp::{Controller, Params, Sample};
use windward_units::{Duration, Packets, Time};

/// A running transfer.
pub struct Transfer {
    flows: Range<usize>,
    law: Maker,
    initial: Packets,
    controller: Controller,
    start: Time,
    stop: Time,
    /// Of those flows that were ever open, the first ones, when their connection opened.
    opened_at: Vec<Time>,
    /// How many of them shall send, from the first.
    open: usize,
    /// What had arrived at the last look, in bytes, and when that was.
    delivered: u64,
    looked_at: Time,
    /// Mean RTT at the last look, in seconds; NaN without a sample.
    rtt: f64,
    /// What the receivers have room for, in segments, and whether the controller had bounded that at the last look.
    receive_window: u32,
    is_bounded: bool,
}

impl Transfer {
    /// The transfer of `config` over some of `flows`, before its first look.
    pub fn new(config: &TransferConfig, flows: &[FlowConfig], makers: &Makers) -> Self {
        let flow = &flows[config.flows.start];
        // A rate is not bounded by a window.
        let clamp = config.controller.clamp && !matches!(flow.law, LawChoice::Tfrc(_));
        let controller = Params { clamp, ..config.controller };
        Self {
            flows: config.flows.clone(),
            law: makers.law(flow.law),
            initial: flow.tcp.initial_cwnd(),
            controller: Controller::new(controller, None),
            start: config.start,
            stop: config.stop.unwrap_or(Time::NEVER),
            opened_at: Vec::new(),
            open: 0,
            delivered: 0,
            looked_at: config.start,
            rtt: f64::NAN,
            receive_window: flow.tcp.receive_window,
            is_bounded: false,
        }
    }

    /// Measures, asks the controller, and opens and closes connections. Returns when to look next.
    pub fn control(&mut self, net: &mut Net, flows: &mut [Endpoint]) -> Option<Time> {
        let flows = &mut flows[self.flows.clone()];
        let is_over = net.now >= self.stop;
        let wanted = if is_over { 0 } else { self.ask(net.now, flows).min(flows.len()) };
        for flow in &mut flows[wanted..self.open.max(wanted)] {
            flow.stop(net);
        }
        for (at, flow) in flows.iter_mut().enumerate().take(wanted).skip(self.open) {
            if at == self.opened_at.len() {
                self.opened_at.push(net.now);
                flow.start(net);
            } else if flow.reopen(net, || self.law.build(self.initial)) {
                self.opened_at[at] = net.now;
            }
        }
        self.open = wanted;
        self.bound(flows);
        (!is_over).then(|| net.now + Duration::from_secs(self.controller.period()))
    }

    /// Bounds the windows of the open connections; once nothing bounds them, they and those that will open again are free.
    fn bound(&mut self, flows: &mut [Endpoint]) {
        let was_bounded = std::mem::replace(&mut self.is_bounded, self.controller.window().is_some());
        if !(was_bounded || self.is_bounded) {
            return;
        }
        let open = self.open as u32;
        let bounded = if self.is_bounded { self.open } else { flows.len() };
        for (index, flow) in (0..).zip(&mut flows[..bounded]) {
            let share = self.controller.share(index, open, flow.segment());
            flow.set_receive_window(share.map_or(self.receive_window, |share| share.min(self.receive_window)));
        }
    }

    fn ask(&mut self, now: Time, flows: &mut [Endpoint]) -> usize {
        let settle = Duration::from_secs(self.controller.params().settle);
        let (mut sum, mut count, mut delivered) = (0.0, 0.0, 0);
        let (mut least, mut rtt_min) = (f64::INFINITY, f64::INFINITY);
        for (index, (flow, opened_at)) in flows.iter_mut().zip(&self.opened_at).enumerate() {
            delivered += flow.payload_delivered();
            // A minimum with NaN, which a flow without samples has, is the other number.
            rtt_min = f64::min(rtt_min, flow.tally().rtts().1);
            let recent = flow.take_recent_rtt();
            if let Some(rtt) = recent.filter(|_| index < self.open && now.since(*opened_at) >= settle) {
                sum += rtt.as_secs();
                count += 1.0;
                least = f64::min(least, rtt.as_secs());
            }
        }
        self.rtt = sum / count;
        let span = now.since(self.looked_at).as_secs();
        let arrived = (delivered - self.delivered) as f64 * 8.0;
        (self.delivered, self.looked_at) = (delivered, now);
        self.controller.update(Sample {
            now: now.as_secs(),
            rtt: (count > 0.0).then_some(self.rtt),
            least_rtt: (count > 0.0).then_some(least),
            rtt_min,
            rate: if span > 0.0 { arrived / span } else { 0.0 },
            connections: self.open as u32,
            remaining: None,
        }) as usize
    }

    /// Its flows, by index.
    pub fn flows(&self) -> &Range<usize> {
        &self.flows
    }

    /// How long it lasts between `begin` and `end`.
    pub fn span(&self, begin: Time, end: Time) -> Duration {
        let (begin, end) = (begin.max(self.start), end.min(self.stop));
        if begin < end { end.since(begin) } else { Duration::ZERO }
    }

    /// Shows what it does, as [`windward_laws::Law::observe`] does.
    pub fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("open", self.open as f64);
        sink("n", self.controller.connections());
        sink("window", self.controller.window().unwrap_or(f64::NAN));
        sink("mean_rtt_s", self.rtt);
        sink("queue_s", self.controller.queue().unwrap_or(f64::NAN));
    }
}
