//! What the packets between hosts mean: whose they are, how large, and what became of them.

use super::arrivals::Arrivals;
use super::plan::{Plan, flow_of};
use crate::frames::Segment;
use crate::wire::{Sort, Sorted};
use std::io::{self, Write};
use windward_sim::{Network, Parcel, Pcapng};
use windward_units::{Duration, Time};

/// Bytes of a packet that a capture keeps: all headers, and a little.
const KEPT: usize = 128;

/// The flows of a plan, as the emulator sees them.
pub(super) struct Traffic {
    ends: Vec<Ends>,
    /// Totals count from here.
    warmup: Time,
    interval: Duration,
    arrivals: Vec<Arrivals>,
    counts: Vec<FlowCounts>,
    capture: Option<Pcapng>,
}

/// What became of a flow's data, by the network's own time: however late somebody looks, it counts when it happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FlowCounts {
    /// Bytes that arrived after the warm-up, each once.
    pub arrived: u64,
    /// The same in each sampling interval, from the beginning.
    pub by_sample: Vec<u64>,
    /// Data segments that queues dropped or wires lost after the warm-up.
    pub lost: u64,
}

struct Ends {
    source: usize,
    sink: usize,
    /// Header bytes that a packet counts, where they are not its own.
    overhead: Option<u32>,
}

impl Traffic {
    pub(super) fn new(plan: &Plan, network: &Network, capture: Option<Box<dyn Write + Send>>) -> Self {
        let ends = plan.flows.iter().map(|flow| Ends {
            source: flow.source,
            sink: flow.sink,
            overhead: flow.config.tcp.overhead.map(|bytes| bytes.count() as u32),
        });
        let names: Vec<String> = plan.nodes.iter().map(|node| format!("node{node}")).collect();
        let capture = capture.map(|out| Pcapng::new(out, &names));
        let interval = network.sample_interval;
        let samples = network.duration.as_nanos() / interval.as_nanos().max(1);
        let counts = FlowCounts { by_sample: vec![0; samples as usize], ..FlowCounts::default() };
        Self {
            ends: ends.collect(),
            warmup: network.warmup,
            interval,
            arrivals: vec![Arrivals::default(); plan.flows.len()],
            counts: vec![counts; plan.flows.len()],
            capture,
        }
    }

    /// The counts of each flow; an error where the capture could not be written.
    pub(super) fn finish(self) -> io::Result<Vec<FlowCounts>> {
        self.capture.map_or(Ok(()), Pcapng::finish)?;
        Ok(self.counts)
    }

    fn capture(&mut self, time: Time, parcel: &Parcel, packet: &[u8]) {
        if let Some(capture) = &mut self.capture {
            let interface = self.ends[parcel.flow as usize].source as u32;
            capture.packet(interface, time, &packet[..packet.len().min(KEPT)], packet.len() as u32);
        }
    }
}

impl Sort for Traffic {
    fn sort(&mut self, _: usize, packet: &[u8]) -> Option<Sorted> {
        let segment = Segment::read(packet)?;
        let (flow, is_for_sink) = flow_of(segment.to)?;
        let ends = self.ends.get(flow as usize)?;
        let size = ends.overhead.map_or(packet.len() as u32, |overhead| segment.payload + overhead);
        Some(Sorted { flow, is_backward: !is_for_sink, size })
    }

    fn port(&self, parcel: &Parcel) -> usize {
        let ends = &self.ends[parcel.flow as usize];
        if parcel.is_backward { ends.source } else { ends.sink }
    }

    fn sent(&mut self, now: Time, parcel: &Parcel, packet: &[u8]) {
        if !parcel.is_backward {
            self.capture(now, parcel, packet);
        }
    }

    fn arrived(&mut self, due: Time, parcel: &Parcel, packet: &[u8]) {
        if parcel.is_backward {
            self.capture(due, parcel, packet);
            return;
        }
        let Some(segment) = Segment::read(packet) else { return };
        let fresh = self.arrivals[parcel.flow as usize].add(&segment);
        let counts = &mut self.counts[parcel.flow as usize];
        if due > self.warmup {
            counts.arrived += fresh;
        }
        // A sample closes its interval: what arrives in its very instant is in it.
        let sample = due.as_nanos().saturating_sub(1) / self.interval.as_nanos().max(1);
        if let Some(count) = counts.by_sample.get_mut(sample as usize) {
            *count += fresh;
        }
    }

    fn lost(&mut self, now: Time, parcel: &Parcel, packet: &[u8]) {
        if now >= self.warmup && Segment::read(packet).is_some_and(|segment| segment.payload > 0) {
            self.counts[parcel.flow as usize].lost += 1;
        }
    }
}
