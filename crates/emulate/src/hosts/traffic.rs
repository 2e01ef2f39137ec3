//! Packets between hosts: their flow, size and fate.

use super::arrivals::Arrivals;
use super::coded::{Coded, Look};
use super::plan::{Plan, flow_of};
use crate::ip;
use crate::tcp::Segment;
use crate::wire::{Hands, Sort, Sorted};
use std::io;
use windward_sim::{BlockStats, Codepoint, CodingStats, Destination, LinkType, Network, Parcel, Pcapng, Timing};
use windward_units::{Time, splitmix64};

/// Bytes of a packet that a capture keeps: all headers, and a little.
const KEPT: usize = 128;

/// The flows and applications of a plan, as the emulator sees them.
pub(super) struct Traffic<'a> {
    /// Those of the flows, then those of the applications.
    ends: Vec<Ends>,
    /// The coding layers of those flows that have one.
    coded: Vec<Option<Coded<'a>>>,
    timing: Timing,
    arrivals: Vec<Arrivals>,
    counts: Vec<FlowCounts>,
    capture: Option<Pcapng>,
}

/// Fate of a flow's data, by the network's own time, independent of the time of reading.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FlowCounts {
    /// Bytes that arrived after the warm-up, each once.
    pub arrived: u64,
    /// Bytes of each sampling interval, from the beginning.
    pub by_sample: Vec<u64>,
    /// Data segments, or combinations of them, that queues dropped or wires lost after the warm-up.
    pub lost: u64,
    /// Data segments that arrived marked after the warm-up.
    pub marked: u64,
    /// Counts of the coding layer after the warm-up, if there is one, and the decoded blocks.
    pub coding: Option<(CodingStats, Vec<BlockStats>)>,
}

impl FlowCounts {
    /// Nothing yet, in a run of `timing`.
    pub(super) fn new(timing: Timing) -> Self {
        let samples = timing.duration.as_nanos() / timing.sample_interval.as_nanos().max(1);
        Self { by_sample: vec![0; samples as usize], ..Self::default() }
    }

    /// `fresh` bytes have arrived.
    pub(super) fn arrive(&mut self, due: Time, fresh: u64, timing: Timing) {
        if due > timing.warmup {
            self.arrived += fresh;
        }
        // A sample closes its interval: what arrives in its very instant is in it.
        let sample = due.as_nanos().saturating_sub(1) / timing.sample_interval.as_nanos().max(1);
        if let Some(count) = self.by_sample.get_mut(sample as usize) {
            *count += fresh;
        }
    }
}

/// True for a segment with data, and for a datagram of a connection over QUIC.
fn has_data(packet: &[u8]) -> bool {
    Segment::read(packet).is_none_or(|segment| segment.payload > 0)
}

fn is_marked(packet: &[u8]) -> bool {
    ip::codepoint(packet) == Codepoint::Marked
}

struct Ends {
    source: usize,
    sink: usize,
    /// Header bytes that a packet counts, where they are not its own.
    overhead: Option<u32>,
}

impl<'a> Traffic<'a> {
    /// That of `plan` in the run of `seed`; `look` is for each flow where its sender is to be seen.
    pub(super) fn new(
        plan: &Plan,
        network: &Network,
        seed: u64,
        capture: Option<Destination>,
        look: impl Fn(usize) -> Look<'a>,
    ) -> Self {
        let ends = plan.flows.iter().map(|flow| Ends {
            source: flow.source,
            sink: flow.sink,
            overhead: flow.config.tcp.overhead.map(|bytes| bytes.count() as u32),
        });
        let apps = plan.apps.iter().map(|app| Ends {
            source: app.client,
            sink: app.server,
            overhead: app.config.tcp.overhead.map(|bytes| bytes.count() as u32),
        });
        let coded = plan.flows.iter().enumerate().map(|(index, flow)| {
            let key = splitmix64(seed) ^ flow.config.key;
            Coded::new(index as u32, &flow.config, key, plan.mtu, look(index))
        });
        let interface = |node| (format!("node{node}"), LinkType::Raw);
        let interfaces: Vec<(String, LinkType)> = plan.nodes.iter().map(interface).collect();
        let capture = capture.map(|out| Pcapng::new(out, interfaces));
        let counts = FlowCounts::new(network.timing);
        Self {
            ends: ends.chain(apps).collect(),
            coded: coded.collect(),
            timing: network.timing,
            arrivals: vec![Arrivals::default(); plan.flows.len()],
            counts: vec![counts; plan.flows.len()],
            capture,
        }
    }

    /// The counts of each flow; an error where the capture could not be written.
    pub(super) fn finish(mut self) -> io::Result<Vec<FlowCounts>> {
        self.capture.take().map_or(Ok(()), Pcapng::finish)?;
        for (counts, coded) in self.counts.iter_mut().zip(&self.coded) {
            counts.coding = coded.as_ref().map(|coded| coded.finish(self.timing.warmup));
        }
        Ok(self.counts)
    }

    /// A packet has arrived at the kernel of a flow's sink, or of a server, whose requests count their own bytes.
    fn count(&mut self, due: Time, flow: u32, packet: &[u8]) {
        let Some(arrivals) = self.arrivals.get_mut(flow as usize) else { return };
        // A sink over QUIC counts what it reads.
        let fresh = Segment::read(packet).map_or(0, |segment| arrivals.add(&segment));
        let counts = &mut self.counts[flow as usize];
        counts.arrive(due, fresh, self.timing);
        counts.marked += u64::from(due > self.timing.warmup && has_data(packet) && is_marked(packet));
    }

    /// The coding layer of a parcel's flow.
    fn layer(&mut self, now: Time, parcel: &Parcel) -> Option<&mut Coded<'a>> {
        let coded = self.coded.get_mut(parcel.flow as usize)?.as_mut()?;
        if now > self.timing.warmup {
            coded.warm();
        }
        Some(coded)
    }

    fn capture(&mut self, time: Time, parcel: &Parcel, packet: &[u8]) {
        // As in a simulation, without applications.
        let is_flow = (parcel.flow as usize) < self.counts.len();
        if let Some(capture) = self.capture.as_mut().filter(|_| is_flow) {
            let interface = self.ends[parcel.flow as usize].source as u32;
            capture.packet(interface, time, &packet[..packet.len().min(KEPT)], packet.len() as u32);
        }
    }
}

impl Sort for Traffic<'_> {
    fn sort(&mut self, _: usize, packet: &[u8]) -> Option<Sorted> {
        let segment = Segment::read(packet);
        let to = segment.as_ref().map(|segment| segment.to).or_else(|| ip::to_udp(packet))?;
        let (flow, is_for_sink) = flow_of(to)?;
        let overhead = segment.and_then(|segment| Some(segment.payload + self.ends.get(flow as usize)?.overhead?));
        let size = overhead.unwrap_or(packet.len() as u32);
        Some(Sorted { flow, is_backward: !is_for_sink, size })
    }

    fn port(&self, parcel: &Parcel) -> usize {
        let ends = &self.ends[parcel.flow as usize];
        if parcel.is_backward { ends.source } else { ends.sink }
    }

    fn send(&mut self, now: Time, parcel: Parcel, hands: &mut Hands) {
        if !parcel.is_backward {
            self.capture(now, &parcel, hands.frames.packet(parcel.handle));
        }
        let passed = match self.layer(now, &parcel) {
            Some(layer) if parcel.is_backward => layer.answer(parcel, hands),
            Some(layer) => layer.send(now, parcel, hands),
            None => Some(parcel),
        };
        if let Some(parcel) = passed {
            hands.send(parcel);
        }
    }

    fn arrive(&mut self, due: Time, parcel: Parcel, hands: &mut Hands) {
        let port = self.port(&parcel);
        let packets = match self.layer(due, &parcel) {
            Some(layer) => layer.arrive(due, parcel, hands),
            None => vec![parcel.handle],
        };
        for (position, handle) in packets.into_iter().enumerate() {
            let packet = hands.frames.packet(handle);
            match parcel.is_backward {
                true => self.capture(due, &parcel, packet),
                false => self.count(due, parcel.flow, packet),
            }
            match position {
                0 => hands.write(due, port, handle),
                _ => hands.write_behind(port, handle),
            }
        }
    }

    fn lose(&mut self, now: Time, parcel: Parcel, is_at_source: bool, hands: &mut Hands) {
        let is_coded = self.layer(now, &parcel).is_some_and(|layer| layer.lose(parcel, is_at_source, hands));
        let packet = hands.frames.packet(parcel.handle);
        if now >= self.timing.warmup
            && (is_coded || has_data(packet) && !(parcel.is_backward && Segment::read(packet).is_none()))
            && let Some(counts) = self.counts.get_mut(parcel.flow as usize)
        {
            counts.lost += 1;
        }
        hands.frames.give_back(parcel.handle);
    }

    fn due(&self) -> Time {
        self.coded.iter().flatten().map(Coded::due).min().unwrap_or(Time::NEVER)
    }

    fn wake(&mut self, now: Time, hands: &mut Hands) {
        self.coded.iter_mut().flatten().filter(|coded| coded.due() <= now).for_each(|coded| coded.expire(now, hands));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::Duration;

    const PAYLOAD: u32 = 1000;

    fn traffic() -> Traffic<'static> {
        Traffic {
            ends: vec![Ends { source: 0, sink: 1, overhead: None }],
            coded: vec![None],
            timing: Timing { duration: at(1000), warmup: at(500), sample_interval: Duration::from_millis(100) },
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
        traffic.count(at(1), 0, &packet(0, true));
        for number in 1..=100 {
            // The instant at which a sample closes belongs to it.
            let missed = if number == 60 { 40 } else { number };
            if number != 40 {
                traffic.count(at(10 * u64::from(number)), 0, &packet(missed - 1, false));
            }
            if number == 70 {
                // Sent again without need.
                traffic.count(at(700), 0, &packet(45, false));
            }
        }
        traffic.count(at(1000), 0, &packet(59, false));
        let counts = traffic.finish().expect("there is no capture").remove(0);
        // In order, the sixth sample would have 20 segments more, and the half second after the warm-up 10.
        let by_sample: Vec<u64> = counts.by_sample.iter().map(|bytes| bytes / u64::from(PAYLOAD)).collect();
        assert_eq!(by_sample, [10, 10, 10, 9, 10, 10, 10, 10, 10, 11]);
        assert_eq!(counts.arrived, 51 * u64::from(PAYLOAD));
    }
}
