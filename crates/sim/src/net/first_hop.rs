//! Packets that their senders have handed down and the first hop has not completed.
//!
//! Linux counts the memory of what a socket has handed down and the driver has not completed (`sk_wmem_alloc`). On
//! Wi-Fi a packet is completed by its acknowledgement, or when it is given up or dropped.

use std::marker::PhantomData;
use windward_elements::packet::{Kind, Packet};
use windward_radio::wifi::txq::truesize;

/// Segments of flows with TCP small queues, by the memory that they take, in bytes.
pub type SmallQueues = FirstHop<Memory>;

/// Datagrams of saturated sources, by their number.
pub type Backlogs = FirstHop<Number>;

/// Packets that are counted, and their measure.
pub trait Measure {
    /// Kind of the packets.
    const KIND: Kind;
    /// Amount of a packet of `size` bytes.
    fn of(size: u32) -> u64;
}

/// Memory of segments.
#[derive(Debug, Default)]
pub struct Memory;

impl Measure for Memory {
    const KIND: Kind = Kind::Data;
    fn of(size: u32) -> u64 {
        truesize(size)
    }
}

/// Number of datagrams.
#[derive(Debug, Default)]
pub struct Number;

impl Measure for Number {
    const KIND: Kind = Kind::Datagram;
    fn of(_size: u32) -> u64 {
        1
    }
}

/// Packets at the first hop, by the index of their flow or source.
#[derive(Debug, Default)]
pub struct FirstHop<M> {
    senders: Vec<Sender>,
    measure: PhantomData<M>,
}

/// Packets of a sender that its first hop has not completed.
#[derive(Clone, Copy, Debug)]
struct Sender {
    /// Start of the sender's route.
    hop: u32,
    /// True while the sender waits for a completion.
    is_waiting: bool,
    /// Their amount.
    amount: u64,
}

impl Sender {
    /// A sender that is not watched: no route has this hop, nor the one after it.
    const OFF: Self = Self { hop: u32::MAX - 1, is_waiting: false, amount: 0 };
}

impl<M: Measure> FirstHop<M> {
    /// Counts the packets of a sender whose route starts at `hop`, from now on.
    pub fn watch(&mut self, sender: u32, hop: u32) {
        let at = sender as usize;
        self.senders.resize(self.senders.len().max(at + 1), Sender::OFF);
        self.senders[at] = Sender { hop, ..Sender::OFF };
    }

    /// Amount of a sender's packets that are not completed.
    pub fn amount(&self, sender: u32) -> u64 {
        self.senders[sender as usize].amount
    }

    /// Counts a packet of `size` bytes that a sender hands down.
    pub fn send(&mut self, sender: u32, size: u32) {
        self.senders[sender as usize].amount += M::of(size);
    }

    /// Notes that a sender waits for a completion.
    pub fn wait(&mut self, sender: u32) {
        self.senders[sender as usize].is_waiting = true;
    }

    /// Counts a completed packet. Returns true if its sender waited for one.
    #[inline]
    pub fn complete(&mut self, packet: &Packet) -> bool {
        let Some(sender) = self.senders.get_mut(packet.flow as usize) else { return false };
        if packet.kind != M::KIND || !packet.is_at_source(sender.hop) {
            return false;
        }
        let amount = M::of(packet.size);
        debug_assert!(sender.amount >= amount, "a packet is completed once");
        sender.amount -= amount;
        std::mem::take(&mut sender.is_waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::Time;

    fn packet(kind: Kind, flow: u32, hop: u32) -> Packet {
        Packet::new(kind, Time::ZERO, flow, hop, 1500)
    }

    /// Only packets of their kind at the start of their route count. `one` is the amount of a packet of 1500 bytes.
    fn counts<M: Measure + Default>(own: Kind, other: Kind, one: u64) {
        let mut hop = FirstHop::<M>::default();
        hop.watch(3, 40);
        hop.send(3, 1500);
        hop.send(3, 1500);
        assert_eq!(hop.amount(3), 2 * one);
        hop.wait(3);
        for other in [packet(own, 2, 40), packet(own, 3, 41), packet(other, 3, 40)] {
            assert!(!hop.complete(&other));
        }
        assert!(!hop.complete(&packet(own, 9, 0)), "senders beyond the last one are not watched");
        assert_eq!(hop.amount(3), 2 * one);
        assert!(hop.complete(&packet(own, 3, 40)));
        assert!(!hop.complete(&packet(own, 3, 40)), "the sender is woken once");
        assert_eq!(hop.amount(3), 0);
    }

    /// A packet of 1500 bytes takes 256 + 2048 bytes of memory.
    #[test]
    fn only_segments_at_the_start_of_their_route_count() {
        counts::<Memory>(Kind::Data, Kind::Ack, 2304);
    }

    #[test]
    fn only_datagrams_at_the_start_of_their_route_count() {
        counts::<Number>(Kind::Datagram, Kind::Data, 1);
    }
}
