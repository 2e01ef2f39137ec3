//! Datagrams of saturated sources at their first hop.
//!
//! As a UDP socket on Linux with a full send buffer: what the socket has handed down counts until the driver is done
//! with it (`sk_wmem_alloc`). On Wi-Fi a packet is done by its acknowledgement, or when it is given up or dropped.

use crate::packet::{Kind, Packet};

/// Backlogs, by the index of the source.
#[derive(Debug, Default)]
pub struct Backlogs(Vec<Backlog>);

/// Datagrams of a source with which its first hop is not done.
#[derive(Clone, Copy, Debug)]
struct Backlog {
    /// Start of the source's route.
    hop: u32,
    /// Their number.
    waiting: u32,
    /// True while the source waits for a completion.
    is_awaited: bool,
}

impl Backlog {
    /// A source that is not saturated: no route has this hop, nor the one after it.
    const OFF: Self = Self { hop: u32::MAX - 1, waiting: 0, is_awaited: false };
}

impl Backlogs {
    /// Counts the datagrams of a source whose route starts at `hop`, from now on.
    pub fn watch(&mut self, source: u32, hop: u32) {
        let at = source as usize;
        self.0.resize(self.0.len().max(at + 1), Backlog::OFF);
        self.0[at] = Backlog { hop, ..Backlog::OFF };
    }

    /// Number of a source's datagrams with which its first hop is not done.
    pub fn waiting(&self, source: u32) -> u32 {
        self.0[source as usize].waiting
    }

    /// Counts a datagram that a source sends.
    pub fn send(&mut self, source: u32) {
        self.0[source as usize].waiting += 1;
    }

    /// Notes that a source waits for a completion.
    pub fn wait(&mut self, source: u32) {
        self.0[source as usize].is_awaited = true;
    }

    /// Counts a completed datagram. Returns true if its source waited for one.
    #[inline]
    pub fn complete(&mut self, packet: &Packet) -> bool {
        let Some(backlog) = self.0.get_mut(packet.flow as usize) else { return false };
        if packet.kind != Kind::Datagram || !packet.is_at_source(backlog.hop) {
            return false;
        }
        debug_assert!(backlog.waiting > 0, "a datagram is completed once");
        backlog.waiting -= 1;
        std::mem::take(&mut backlog.is_awaited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::Time;

    #[test]
    fn only_datagrams_at_the_start_of_their_route_count() {
        let mut backlogs = Backlogs::default();
        backlogs.watch(3, 40);
        backlogs.send(3);
        backlogs.send(3);
        let packet = |kind, flow, hop| Packet::new(kind, Time::ZERO, flow, hop, 1500);
        backlogs.wait(3);
        for other in [(Kind::Datagram, 2, 40), (Kind::Datagram, 3, 41), (Kind::Data, 3, 40), (Kind::Datagram, 9, 0)] {
            assert!(!backlogs.complete(&packet(other.0, other.1, other.2)));
        }
        assert_eq!(backlogs.waiting(3), 2);
        assert!(backlogs.complete(&packet(Kind::Datagram, 3, 40)));
        assert!(!backlogs.complete(&packet(Kind::Datagram, 3, 40)), "the source does not wait again");
        assert_eq!(backlogs.waiting(3), 0);
    }
}
