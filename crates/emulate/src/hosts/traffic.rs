//! What the packets between hosts mean: whose they are, how large, and what became of them.

use super::arrivals::Arrivals;
use super::plan::{Plan, flow_of};
use crate::frames::Segment;
use crate::wire::{Sort, Sorted};
use std::io::{self, Write};
use windward_sim::{LinkType, Network, Parcel, Pcapng};
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
        let interface = |node| (format!("node{node}"), LinkType::Raw);
        let interfaces: Vec<(String, LinkType)> = plan.nodes.iter().map(interface).collect();
        let capture = capture.map(|out| Pcapng::new(out, &interfaces));
        let interval = network.timing.sample_interval;
        let samples = network.timing.duration.as_nanos() / interval.as_nanos().max(1);
        let counts = FlowCounts { by_sample: vec![0; samples as usize], ..FlowCounts::default() };
        Self {
            ends: ends.collect(),
            warmup: network.timing.warmup,
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

#[cfg(test)]
mod tests {
    use super::*;

    const PAYLOAD: u32 = 1000;

    fn traffic() -> Traffic {
        Traffic {
            ends: vec![Ends { source: 0, sink: 1, overhead: None }],
            warmup: at(500),
            interval: Duration::from_millis(100),
            arrivals: vec![Arrivals::default()],
            counts: vec![FlowCounts { by_sample: vec![0; 10], ..FlowCounts::default() }],
            capture: None,
        }
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// The segment `number` of a connection whose SYN has the number 0.
    fn packet(number: u32, is_syn: bool) -> Vec<u8> {
        let payload = if is_syn { 0 } else { PAYLOAD };
        let mut packet = vec![0; 40 + payload as usize];
        packet[0] = 0x45;
        packet[2..4].copy_from_slice(&(40 + payload as u16).to_be_bytes());
        packet[9] = 6;
        let sequence = if is_syn { 0 } else { 1 + number * PAYLOAD };
        packet[24..28].copy_from_slice(&sequence.to_be_bytes());
        packet[32] = 5 << 4;
        packet[33] = if is_syn { 2 } else { 0x10 };
        packet
    }

    /// One segment in each 10 ms for a second, the first that is missed at 400 ms, sent again at 600 ms: the warm-up at
    /// 500 ms ends within the recovery. Nobody looks until the end, which is as late as a reading can be.
    #[test]
    fn what_arrives_counts_in_the_network_s_own_time() {
        let mut traffic = traffic();
        let parcel = Parcel { flow: 0, is_backward: false, size: 1040, handle: 0 };
        traffic.arrived(at(1), &parcel, &packet(0, true));
        for number in 1..=100 {
            // The instant at which a sample closes belongs to it.
            let missed = if number == 60 { 40 } else { number };
            if number != 40 {
                traffic.arrived(at(10 * u64::from(number)), &parcel, &packet(missed - 1, false));
            }
            if number == 70 {
                // Sent again without need.
                traffic.arrived(at(700), &parcel, &packet(45, false));
            }
        }
        traffic.arrived(at(1000), &parcel, &packet(59, false));
        let counts = traffic.finish().expect("there is no capture").remove(0);
        // In order, the sixth sample would have 20 segments more, and the half second after the warm-up 10.
        let by_sample: Vec<u64> = counts.by_sample.iter().map(|bytes| bytes / u64::from(PAYLOAD)).collect();
        assert_eq!(by_sample, [10, 10, 10, 9, 10, 10, 10, 10, 10, 11]);
        assert_eq!(counts.arrived, 51 * u64::from(PAYLOAD));
    }
}
