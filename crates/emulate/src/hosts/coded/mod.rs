//! Network coding of a flow between two kernels ([`windward_sim::coding`] with the bytes of real packets).
//!
//! The segments of data and the FIN that the source's kernel sends become symbols: whole IP packets, padded to one
//! size. Combinations of them cross the network, are decoded at the sink, and its kernel gets the packets in order. Its
//! pure ACKs are swallowed; what the sink of the layer says instead comes to the source's kernel as an ACK of our
//! making, in the sink's name. All else, SYN, RST, the sink's FIN and the source's ACKs of these, goes its way as it
//! is.

mod frame;
mod peer;
mod segments;
#[cfg(test)]
mod tests;

use crate::tcp::{Acknowledgement, FIN, RST, Segment};
use crate::wire::Hands;
use frame::Content;
use peer::Peer;
use segments::{Segments, symbol_size};
use std::ops::Range;
use windward_coding::Encoder;
use windward_sim::coding::{
    Acknowledged, Combination, FEEDBACK, Feedback, HEADER, MOST_SEGMENTS, Request, Sink, Source, coefficients,
};
use windward_sim::{BlockStats, CodingStats, FlowConfig, Parcel};
use windward_units::{Duration, Time};

/// The largest frame that flows need whose packets have at most `mtu` bytes.
pub(super) const fn frame_size(mtu: u32) -> usize {
    frame::room(MOST_SEGMENTS, symbol_size(mtu))
}

/// State of the sender according to the source's kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sight {
    /// Segments of the window.
    pub cwnd: f64,
    /// The smoothed round trip; zero before the first sample.
    pub srtt: Duration,
}

/// Source of [`Sight`].
pub(super) type Look<'a> = Box<dyn Fn() -> Sight + Send + 'a>;

/// The coding layer at the two ends of a flow.
pub(super) struct Coded<'a> {
    flow: u32,
    /// Key of the coefficients.
    key: u64,
    /// Bytes on the wire of a combination without its coefficients, and of what the sink says.
    sizes: [u32; 2],
    source: Source,
    sink: Sink,
    segments: Segments,
    peer: Peer,
    look: Look<'a>,
    /// Time at which the first segment of each decoded block was sent.
    opened: Vec<Time>,
    /// Counts at the end of the warm-up.
    before: Option<CodingStats>,
}

impl<'a> Coded<'a> {
    /// The layer of a flow with coding whose packets have at most `mtu` bytes; `None` for a flow without.
    pub(super) fn new(flow: u32, config: &FlowConfig, key: u64, mtu: u32, look: Look<'a>) -> Option<Self> {
        let coding = config.coding.as_ref()?;
        let header = config.tcp.header_bytes() as u32;
        Some(Self {
            flow,
            key,
            sizes: [header + config.tcp.segment.count() as u32 + HEADER, header + FEEDBACK],
            source: Source::new(coding),
            sink: Sink::new(coding, symbol_size(mtu)),
            segments: Segments::new(symbol_size(mtu)),
            peer: Peer::default(),
            look,
            opened: Vec::new(),
            before: None,
        })
    }

    /// A packet comes from the source's kernel. Returns it where the layer has nothing to do with it.
    pub(super) fn send(&mut self, now: Time, parcel: Parcel, hands: &mut Hands) -> Option<Parcel> {
        let packet = hands.frames.packet(parcel.handle);
        let segment = Segment::read(packet)?;
        if segment.is_syn() {
            self.segments.open(segment.sequence);
        }
        if segment.is_syn() || segment.flags & RST != 0 || (segment.payload == 0 && segment.flags & FIN == 0) {
            return Some(parcel);
        }
        if let Some(stamps) = segment.options(packet).timestamps {
            self.segments.stamp(now, stamps.value);
        }
        let Sight { cwnd, srtt } = (self.look)();
        let Range { start: begin, end } = segment.numbers();
        let again = self.segments.known(begin, end);
        let mut combinations: Vec<_> = again.filter_map(|number| self.source.repeat(now, number, srtt)).collect();
        if self.segments.has_news(begin, end) {
            self.segments.push(end, packet);
            combinations.push(self.source.admit(now, cwnd, srtt, segment.flags & FIN != 0));
        }
        hands.frames.give_back(parcel.handle);
        combinations.iter().for_each(|combination| self.send_combination(combination, hands));
        None
    }

    /// A packet comes from the sink's kernel. Returns it where it shall pass.
    pub(super) fn answer(&mut self, parcel: Parcel, hands: &mut Hands) -> Option<Parcel> {
        let packet = hands.frames.packet(parcel.handle);
        let segment = Segment::read(packet)?;
        self.peer.see(&segment, packet);
        if segment.is_pure_ack() {
            hands.frames.give_back(parcel.handle);
            return None;
        }
        Some(parcel)
    }

    fn send_combination(&mut self, combination: &Combination, hands: &mut Hands) {
        let all = coefficients(self.key, combination);
        let Some((first, _)) = self.source.segments(combination.block) else { return };
        let symbols = self.segments.symbols(first, combination.columns);
        let coded = Encoder::new(&symbols).and_then(|encoder| encoder.encode(&all[..symbols.len()]));
        let (Ok(payload), Some(handle)) = (coded, hands.take()) else {
            debug_assert!(false, "the segments of a block are kept until it is decoded");
            return;
        };
        let length = frame::write_combination(hands.frames.room(handle), combination, &all, &payload);
        hands.frames.set_length(handle, length);
        let size = self.sizes[0] + combination.size;
        hands.send(Parcel { flow: self.flow, size, handle, ..Parcel::default() });
    }

    fn send_feedback(&self, feedback: &Feedback, hands: &mut Hands) {
        let Some(handle) = hands.take() else { return };
        let length = frame::write_feedback(hands.frames.room(handle), feedback);
        hands.frames.set_length(handle, length);
        let (flow, size) = (self.flow, self.sizes[1]);
        hands.send(Parcel { flow, is_backward: true, size, handle, ..Parcel::default() });
    }

    /// Something has come to its end of the network. Returns the frames with packets for the kernel there: one that has
    /// nothing to do with the layer, what was decoded, or an ACK.
    pub(super) fn arrive(&mut self, now: Time, parcel: Parcel, hands: &mut Hands) -> Vec<u32> {
        match frame::read(hands.frames.packet(parcel.handle)) {
            Content::Plain => vec![parcel.handle],
            Content::Combination(combination, coefficients, payload) => {
                let received = self.sink.receive(now, &combination, coefficients, payload);
                hands.frames.give_back(parcel.handle);
                let decoded = self.decode(now, hands);
                if let Some(received) = received {
                    self.send_feedback(&received.feedback, hands);
                }
                decoded
            }
            Content::Feedback(feedback) => {
                hands.frames.give_back(parcel.handle);
                let told = self.source.on_feedback(&feedback);
                if let Some(request) = feedback.request {
                    self.repair(&request, hands);
                }
                told.and_then(|told| self.acknowledge(&told, hands)).into_iter().collect()
            }
        }
    }

    /// Decodes what is decodable: frames with packets, in order.
    fn decode(&mut self, now: Time, hands: &mut Hands) -> Vec<u32> {
        let mut packets = Vec::new();
        while let Some(symbol) = self.sink.take(now) {
            let Some((packet, handle)) = segments::packet(&symbol).zip(hands.take()) else { continue };
            hands.frames.room(handle)[..packet.len()].copy_from_slice(packet);
            hands.frames.set_length(handle, packet.len());
            packets.push(handle);
        }
        while let Some(record) = self.sink.decoded.get(self.opened.len()) {
            self.opened.push(self.source.opened_at(record.block).unwrap_or(record.began));
        }
        packets
    }

    fn repair(&mut self, request: &Request, hands: &mut Hands) {
        let Sight { srtt, .. } = (self.look)();
        for _ in 0..self.source.owed(request) {
            if let Some(combination) = self.source.repair(request.block, srtt) {
                self.send_combination(&combination, hands);
            }
        }
    }

    /// A frame with the ACK that tells the source's kernel this.
    fn acknowledge(&mut self, told: &Acknowledged, hands: &mut Hands) -> Option<u32> {
        let ranges = told.sack.iter().filter(|(from, to)| from < to);
        let sack: Vec<(u32, u32)> =
            ranges.map(|&(from, to)| (self.segments.sequence(from), self.segments.sequence(to))).collect();
        let next = self.segments.sequence(told.next);
        let echo = self.segments.stamp_of(told.sent_at);
        self.segments.forget(self.source.oldest());
        let ack: Acknowledgement<'_> = self.peer.acknowledge(next, &sack, echo)?;
        let handle = hands.take()?;
        let length = ack.write(hands.frames.room(handle));
        hands.frames.set_length(handle, length);
        Some(handle)
    }

    /// A parcel was lost, `is_at_source` by a full queue where its route begins. Returns whether it carried data.
    pub(super) fn lose(&mut self, parcel: Parcel, is_at_source: bool, hands: &Hands) -> bool {
        let content = frame::read(hands.frames.packet(parcel.handle));
        if let (Content::Combination(combination, ..), true) = (content, is_at_source) {
            self.source.dropped(combination.segment);
        }
        matches!(content, Content::Combination(..))
    }

    /// Next time at which [`Self::expire`] has something to do.
    pub(super) fn due(&self) -> Time {
        self.sink.due()
    }

    /// The sink asks for what it has waited for.
    pub(super) fn expire(&mut self, now: Time, hands: &mut Hands) {
        for feedback in self.sink.expire(now) {
            self.send_feedback(&feedback, hands);
        }
    }

    /// Ends the warm-up.
    pub(super) fn warm(&mut self) {
        if self.before.is_none() {
            self.before = Some(self.counts());
        }
    }

    fn counts(&self) -> CodingStats {
        CodingStats::new(self.flow, &self.source.counts, &self.sink.counts)
    }

    /// Counts after the warm-up.
    pub(super) fn finish(&self, warmup: Time) -> (CodingStats, Vec<BlockStats>) {
        let totals = self.before.as_ref().map_or_else(|| self.counts(), |before| self.counts().since(before));
        let decoded = self.opened.iter().zip(&self.sink.decoded).filter(|(_, record)| record.ended > warmup);
        (totals, decoded.map(|(&opened, record)| BlockStats::new(self.flow, opened, record)).collect())
    }
}
