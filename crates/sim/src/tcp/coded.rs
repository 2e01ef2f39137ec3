//! A connection whose data cross the network as combinations: what it sends goes into the coding layer, what the layer says comes
//! to its sender as ACKs, and what it decodes to its receiver.

use super::connection::Connection;
use super::sender::Turn;
use super::timer::{Ring, Timer};
use crate::coding::{
    BlockRecord, CodingConfig, Combination, FEEDBACK, Feedback, HEADER, Request, Sink, SinkCounts, Source,
    SourceCounts, coefficients,
};
use crate::engine::{FlowTimer, Wake};
use crate::net::Net;
use crate::packet::{Kind, Packet};
use windward_laws::Law;
use windward_units::{Duration, Time};

/// In place of the segment that a combination stands for.
const NO_SEGMENT: u32 = u32::MAX;

/// The coding layer at the two ends of a flow.
pub struct Coding {
    /// Of the coefficients.
    key: u64,
    ideal: bool,
    source: Source,
    sink: Sink,
    /// Of the sink's requests.
    timer: Timer,
    /// When the first segment of each decoded block was sent.
    opened: Vec<Time>,
}

/// What the layer of a flow counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodingCounts {
    /// At the source.
    pub source: SourceCounts,
    /// At the sink.
    pub sink: SinkCounts,
}

impl Coding {
    /// The layer of a flow whose coefficients `key` names.
    pub fn new(config: &CodingConfig, key: u64) -> Self {
        Self {
            key,
            ideal: config.ideal,
            source: Source::new(config),
            // The simulator's segments have no bytes: ranks are those of the coefficients.
            sink: Sink::new(config, 1),
            timer: Timer::off(),
            opened: Vec::new(),
        }
    }

    /// What it counted so far.
    pub fn counts(&self) -> CodingCounts {
        CodingCounts { source: self.source.counts, sink: self.sink.counts }
    }

    /// Blocks that were decoded, with the instant at which each was opened.
    pub fn decoded(&self) -> impl Iterator<Item = (Time, &BlockRecord)> {
        self.opened.iter().copied().zip(&self.sink.decoded)
    }

    /// Decodes what is decodable; how many segments that gave.
    fn decode(&mut self, now: Time) -> u32 {
        let mut count = 0;
        while self.sink.take(now).is_some() {
            count += 1;
        }
        while let Some(record) = self.sink.decoded.get(self.opened.len()) {
            self.opened.push(self.source.opened_at(record.block).unwrap_or(record.began));
        }
        count
    }
}

impl Connection {
    /// A segment goes out.
    #[cold]
    pub(super) fn send_coded(&mut self, net: &mut Net, turn: Turn, segment: Packet) {
        if let Some(capture) = &mut net.capture {
            capture.record(net.now, &segment, true);
        }
        let rtt = self.sender.rtt().srtt();
        let cwnd = self.sender.law().cwnd().count();
        let Some(coding) = &mut self.coding else { return };
        let combination = match turn {
            Turn::New(_) => Some(coding.source.admit(net.now, cwnd, rtt, segment.is_last)),
            Turn::Again(number) => coding.source.repeat(net.now, number, rtt),
            Turn::Wait(_) | Turn::Idle => None,
        };
        if let Some(combination) = combination {
            self.send_combination(net, &combination);
        }
    }

    fn send_combination(&self, net: &mut Net, combination: &Combination) {
        let size = self.headers().data() + self.segment() + HEADER + combination.size;
        let packet = self.packet(net.now, Kind::Coded, self.forward());
        net.send(combination.write(Packet { size, ..packet }), false);
    }

    /// A combination arrives.
    pub(super) fn on_combination(&mut self, net: &mut Net, packet: &Packet) {
        let Some(coding) = &mut self.coding else { return };
        let combination = Combination::read(packet);
        let drawn = if coding.ideal { Vec::new() } else { coefficients(coding.key, &combination) };
        let Some(received) = coding.sink.receive(net.now, &combination, &drawn, &[0]) else {
            debug_assert!(false, "combinations of ours are well formed");
            return;
        };
        for _ in 0..coding.decode(net.now) {
            let number = self.receiver.next();
            let segment = Packet { number, ..*packet };
            // The layer has acknowledged it.
            let _ = self.receiver.receive(net.now, &segment);
        }
        self.send_feedback(net, &received.feedback, packet.stamp);
        self.watch_requests(net);
    }

    fn send_feedback(&self, net: &mut Net, feedback: &Feedback, stamp: u64) {
        let size = self.headers().ack(&Default::default()) + FEEDBACK;
        let packet = Packet { stamp, size, ..self.packet(net.now, Kind::CodedAck, self.backward()) };
        net.send(feedback.write(packet), false);
    }

    /// What the sink says arrives: it comes to the sender as an ACK; what it asks for leaves.
    pub(super) fn on_feedback(&mut self, net: &mut Net, packet: &Packet) {
        let feedback = Feedback::read(packet);
        let rtt = self.sender.rtt().srtt();
        let Some(coding) = &mut self.coding else { return };
        let acknowledged = coding.source.on_feedback(&feedback);
        if let Some(request) = feedback.request {
            for _ in 0..coding.source.owed(&request) {
                let coding = self.coding.as_mut();
                if let Some(repair) = coding.and_then(|coding| coding.source.repair(request.block, rtt)) {
                    self.send_combination(net, &repair);
                }
            }
        }
        if let Some(acknowledged) = acknowledged {
            let ack = self.packet(net.now, Kind::Ack, self.backward());
            let (number, sack, stamp) = (acknowledged.next, acknowledged.sack, acknowledged.sent_at.as_nanos());
            self.on_ack(net, &Packet { stamp, number, sack, ..ack });
        }
    }

    /// A full queue has dropped a combination of this flow.
    pub fn on_drop(&mut self, packet: &Packet) {
        let is_ours = Net::is_at_source(packet, self.forward());
        if let Some(coding) = self.coding.as_mut().filter(|_| is_ours) {
            coding.source.dropped(Combination::read(packet).segment);
        }
    }

    fn watch_requests(&mut self, net: &mut Net) {
        let index = self.index();
        let Some(coding) = &mut self.coding else { return };
        // A block that has long made no progress is due when a later one shows that all of it was sent.
        coding.timer.set(coding.sink.due().max(net.now));
        Self::watch_timer(&mut coding.timer, net, FlowTimer::Request, index);
    }

    /// The timer of requests rings.
    #[cold]
    pub(super) fn wake_requests(&mut self, net: &mut Net) {
        let Some(coding) = &mut self.coding else { return };
        match coding.timer.ring(net.now) {
            Ring::Nothing => {}
            Ring::Later(time) => net.schedule(time, Wake::Flow(FlowTimer::Request), self.index()),
            Ring::Expired => {
                for feedback in coding.sink.expire(net.now) {
                    self.send_feedback(net, &feedback, 0);
                }
                self.watch_requests(net);
            }
        }
    }
}

impl Combination {
    /// A packet with this header.
    fn write(&self, packet: Packet) -> Packet {
        let Self { block, id, size, columns, segment, rtt } = *self;
        let rtt = (rtt.as_nanos() / 1000).min(u64::from(u32::MAX)) as u32;
        let sack = [(block, id), (size, columns), (rtt, 0)];
        Packet { number: segment.unwrap_or(NO_SEGMENT), sack, ..packet }
    }

    /// The header of a packet.
    fn read(packet: &Packet) -> Self {
        let [(block, id), (size, columns), (rtt, _)] = packet.sack;
        let segment = (packet.number != NO_SEGMENT).then_some(packet.number);
        Self { block, id, size, columns, segment, rtt: Duration::from_micros(u64::from(rtt)) }
    }
}

impl Feedback {
    fn write(&self, packet: Packet) -> Packet {
        let Self { block, rank, below, request } = *self;
        let request = request.map_or((0, 0), |request| (request.block, request.missing));
        Packet { number: below, sack: [(block, rank), request, (0, 0)], ..packet }
    }

    fn read(packet: &Packet) -> Self {
        let [(block, rank), (asked, missing), _] = packet.sack;
        let request = (missing > 0).then_some(Request { block: asked, missing });
        Self { block, rank, below: packet.number, request }
    }
}
