//! What the packets between hosts mean: whose they are, how large, and what became of them.

use super::plan::{Plan, flow_of};
use crate::frames::Segment;
use crate::wire::{Sort, Sorted};
use std::io::{self, Write};
use windward_sim::{Parcel, Pcapng};
use windward_units::Time;

/// Bytes of a packet that a capture keeps: all headers, and a little.
const KEPT: usize = 128;

/// The flows of a plan, as the emulator sees them.
pub(super) struct Traffic {
    ends: Vec<Ends>,
    /// Losses count from here.
    warmup: Time,
    /// Data segments of each flow that queues dropped or wires lost.
    lost: Vec<u64>,
    capture: Option<Pcapng>,
}

struct Ends {
    source: usize,
    sink: usize,
    /// Header bytes that a packet counts, where they are not its own.
    overhead: Option<u32>,
}

impl Traffic {
    pub(super) fn new(plan: &Plan, warmup: Time, capture: Option<Box<dyn Write + Send>>) -> Self {
        let ends = plan.flows.iter().map(|flow| Ends {
            source: flow.source,
            sink: flow.sink,
            overhead: flow.config.tcp.overhead.map(|bytes| bytes.count() as u32),
        });
        let names: Vec<String> = plan.nodes.iter().map(|node| format!("node{node}")).collect();
        let capture = capture.map(|out| Pcapng::new(out, &names));
        Self { ends: ends.collect(), warmup, lost: vec![0; plan.flows.len()], capture }
    }

    /// Data segments lost by flow; an error where the capture could not be written.
    pub(super) fn finish(self) -> io::Result<Vec<u64>> {
        self.capture.map_or(Ok(()), Pcapng::finish)?;
        Ok(self.lost)
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
        }
    }

    fn lost(&mut self, now: Time, parcel: &Parcel, packet: &[u8]) {
        if now >= self.warmup && Segment::read(packet).is_some_and(|segment| segment.payload > 0) {
            self.lost[parcel.flow as usize] += 1;
        }
    }
}
