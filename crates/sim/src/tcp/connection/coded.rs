//! A connection whose data cross the network as combinations. Its segments go into the coding layer. Feedback from the
//! layer reaches the sender as ACKs, and decoded segments reach the receiver.

use super::Connection;
use crate::net::Net;
use crate::tcp::sender::Turn;
use crate::tcp::timer::Ring;
use windward_elements::coding::{Combination, FEEDBACK, Feedback, HEADER, coefficients};
use windward_elements::engine::{FlowTimer, Wake};
use windward_elements::packet::{Kind, Packet};

impl Connection {
    /// Sends a segment as a combination.
    #[cold]
    pub(super) fn send_coded(&mut self, net: &mut Net, turn: Turn, segment: Packet) {
        if let Some(tap) = &mut net.tap {
            tap.packet(net.now, &segment, true);
        }
        self.note_drops(net);
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

    /// Handles the arrival of a combination.
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
            // The layer has already acknowledged it.
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

    /// Handles the sink's feedback: passes it to the sender as an ACK and sends the requested combinations.
    pub(super) fn on_feedback(&mut self, net: &mut Net, packet: &Packet) {
        self.note_drops(net);
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

    /// Records drops by full queues at the source. Must precede any sending or acknowledging.
    fn note_drops(&mut self, net: &mut Net) {
        let forward = self.forward();
        for packet in net.losses.take_coded(self.index()) {
            if let Some(coding) = &mut self.coding
                && packet.is_at_source(forward)
            {
                coding.source.dropped(Combination::read(&packet).segment);
            }
        }
    }

    fn watch_requests(&mut self, net: &mut Net) {
        let index = self.index();
        let Some(coding) = &mut self.coding else { return };
        // A stalled block becomes due once a later block shows that all of it was sent.
        coding.timer.set(coding.sink.due().max(net.now));
        Self::watch_timer(&mut coding.timer, net, FlowTimer::Request, index);
    }

    /// Handles the expiry of the request timer.
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
