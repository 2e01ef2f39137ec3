//! A network below its endpoints, for an owner who has endpoints and a clock of his own.

use crate::ecn::{Codepoint, Ecn};
use crate::makers::Makers;
use crate::medium::Cause;
use crate::net::Net;
use crate::network::{Network, SourceConfig, Timing};
use crate::packet::{Kind, Packet};
use crate::record::Output;
use crate::status::Sight;
use crate::topology::{Route, Topology};
use crate::world::World;
use windward_units::Time;

/// Something that crosses a [`Fabric`]; what it is only its owner knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parcel {
    /// The flow that it belongs to, by its index in the network.
    pub flow: u32,
    /// Whether it goes the way of the flow's ACKs.
    pub is_backward: bool,
    /// Bytes on the wire.
    pub size: u32,
    /// What the owner knows it by.
    pub handle: u32,
    /// What tells it from parcels of other conversations, for queues that serve each by itself.
    pub conversation: u64,
    /// Its ECN field, which queues may mark.
    pub ecn: Codepoint,
}

/// The topology and the background sources of a network. Its owner sends parcels along the routes of flows, moves its time
/// on, and takes out what has arrived and what was lost.
///
/// Time is the owner's: the same elements, random streams and counts as in [`crate::run`], with the clock of whoever asks.
pub struct Fabric {
    world: World,
    /// Where each flow's routes begin in the table of routes.
    routes: Vec<[u32; 2]>,
}

impl Fabric {
    /// The fabric of `topology` in the run of `seed`, with `sources` in its background, for flows of which each has a route
    /// there and one back. The schedulers of its cells are ours.
    pub fn new<'a>(
        topology: Topology,
        sources: Vec<SourceConfig>,
        routes: impl IntoIterator<Item = [&'a Route; 2]>,
        timing: Timing,
        seed: u64,
    ) -> Self {
        let (flows, transfers) = (Vec::new(), Vec::new());
        let network = Network { topology, flows, transfers, sources, timing, internals: false, air: None };
        let mut world = World::new(&network, &Makers::default(), seed, None);
        let routes = routes.into_iter().map(|routes| routes.map(|route| world.net.add_route(route))).collect();
        Self { world, routes }
    }

    /// Sends a parcel at `now`, which is not before the time that [`Self::advance`] has reached.
    pub fn send(&mut self, now: Time, parcel: Parcel) {
        let Parcel { flow, is_backward, size, handle, conversation, ecn } = parcel;
        self.world.net.now = self.world.net.now.max(now);
        let hop = self.routes[flow as usize][usize::from(is_backward)];
        let packet = Packet::new(Kind::Parcel { is_backward }, Time::ZERO, flow, hop, size);
        let (stamp, ecn) = (conversation, Ecn::new(ecn));
        self.world.net.send(Packet { number: handle, stamp, ecn, ..packet }, false);
    }

    /// When something happens next.
    pub fn next_time(&mut self) -> Option<Time> {
        self.world.net.calendar.next_time()
    }

    /// Lets everything happen that is due by `now`.
    pub fn advance(&mut self, now: Time) {
        while self.next_time().is_some_and(|time| time <= now) {
            let Some(event) = self.world.next(now) else { return };
            self.world.handle(event);
        }
    }

    /// Takes out what has arrived, with the instant at which it did.
    pub fn arrived(&mut self) -> impl Iterator<Item = (Time, Parcel)> {
        self.world.net.arrived.drain(..).map(|(time, packet)| (time, parcel(&packet)))
    }

    /// Takes out what queues dropped and wires lost, and whether it was a full queue where its route begins.
    pub fn lost(&mut self) -> impl Iterator<Item = (Parcel, bool)> {
        let Self { world, routes } = self;
        world.net.losses.parcels.drain(..).map(|(packet, cause)| {
            let parcel = parcel(&packet);
            let hop = routes[packet.flow as usize][usize::from(parcel.is_backward)];
            (parcel, cause == Cause::Queue && Net::is_at_source(&packet, hop))
        })
    }

    /// What is to be seen of a port.
    pub fn see(&mut self, port: u32) -> Sight {
        self.world.net.see(port)
    }

    /// What happened until `end`: everything but the flows.
    pub fn finish(self, end: Time) -> Output {
        self.world.finish(end)
    }
}

fn parcel(packet: &Packet) -> Parcel {
    let is_backward = packet.kind == Kind::Parcel { is_backward: true };
    let &Packet { flow, size, number: handle, stamp: conversation, .. } = packet;
    Parcel { flow, is_backward, size, handle, conversation, ecn: packet.ecn.codepoint() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::LinkConfig;
    use crate::queue::Buffer;
    use windward_units::{BitRate, Duration};

    fn link(key: u64, megabits: u64, millis: u64, buffer: Buffer) -> LinkConfig {
        let rate = BitRate::bits_per_sec(megabits * 1_000_000);
        LinkConfig { buffer, ..LinkConfig::new(key, rate, Duration::from_millis(millis)) }
    }

    fn fabric() -> Fabric {
        let topology = Topology::of_links([
            link(1, 12, 5, Buffer::Unlimited),
            link(2, 6, 10, Buffer::Packets(1)),
            link(3, 12, 7, Buffer::Unlimited),
        ]);
        let timing = Timing {
            duration: Time::from_nanos(1_000_000_000),
            warmup: Time::ZERO,
            sample_interval: Duration::from_millis(100),
        };
        let (forward, backward) = (Route::from(vec![0, 1]), Route::from(vec![2]));
        Fabric::new(topology, Vec::new(), [[&forward, &backward]], timing, 1)
    }

    /// 1500 bytes take 1 ms at 12 Mbit/s and 2 ms at 6: the first parcel is there after 1 + 5 + 2 + 10 ms, the second, a
    /// millisecond behind it, waits another for the slow link; the third and fourth come to it while one waits at most.
    #[test]
    fn parcels_take_what_the_links_say_and_come_back_to_their_owner() {
        let mut fabric = fabric();
        fabric.advance(Time::ZERO);
        let send = |fabric: &mut Fabric, handle, is_backward| {
            fabric.send(Time::ZERO, Parcel { is_backward, size: 1500, handle, ..Parcel::default() });
        };
        (0..4).for_each(|handle| send(&mut fabric, handle, false));
        send(&mut fabric, 7, true);
        let millis = |n: u64| Time::from_nanos(n * 1_000_000);
        assert_eq!(fabric.next_time(), Some(millis(6)));
        fabric.advance(millis(17));
        let seen: Vec<_> = fabric.arrived().map(|(time, parcel)| (time, parcel.handle, parcel.is_backward)).collect();
        assert_eq!(seen, [(millis(8), 7, true)]);
        // Four come at 6, 7, 8 and 9 ms; at 8 ms the second begins to leave, so only the fourth finds a packet waiting.
        assert_eq!(fabric.lost().map(|(parcel, is_first)| (parcel.handle, is_first)).collect::<Vec<_>>(), [(3, false)]);
        fabric.advance(millis(500));
        let seen: Vec<_> = fabric.arrived().map(|(time, parcel)| (time, parcel.handle)).collect();
        assert_eq!(seen, [(millis(18), 0), (millis(20), 1), (millis(22), 2)]);
        let output = fabric.finish(millis(1000));
        assert_eq!((output.links[1].packets, output.links[1].dropped), (3, 1));
        assert_eq!(output.link_series.time_s.len(), 3 * 5);
    }
}
