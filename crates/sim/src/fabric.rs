//! A network below its endpoints, for an owner who has endpoints and a clock of his own.

use crate::makers::Makers;
use crate::net::ARRIVED;
use crate::network::Network;
use crate::packet::{Kind, Packet};
use crate::record::Output;
use crate::world::World;
use windward_units::{Duration, Time};

/// Something that crosses a [`Fabric`]; what it is only its owner knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parcel {
    /// The flow that it belongs to, by its index in the network.
    pub flow: u32,
    /// Whether it goes the way of the flow's ACKs.
    pub is_backward: bool,
    /// Bytes on the wire.
    pub size: u32,
    /// What the owner knows it by.
    pub handle: u32,
}

/// The links, cells and background sources of a network. Its owner sends parcels along the routes of flows, moves its time on,
/// and takes out what has arrived and what was lost.
///
/// Time is the owner's: the same elements, luck and counts as in [`crate::run`], with the clock of whoever asks.
pub struct Fabric {
    world: World,
    /// Where each flow's routes begin in the table of routes.
    routes: Vec<[u32; 2]>,
}

impl Fabric {
    /// The fabric of `network` with the luck of `seed`; of the flows only the routes count. The schedulers of its cells are
    /// ours.
    pub fn new(network: &Network, seed: u64) -> Self {
        let empty = Network { flows: Vec::new(), transfers: Vec::new(), ..network.clone() };
        let mut world = World::new(&empty, &Makers::default(), seed, None);
        let table = &mut world.net.routes;
        let mut append = |links: &[u32]| {
            let begin = table.len() as u32;
            table.extend_from_slice(links);
            table.push(ARRIVED);
            begin
        };
        let routes = network.flows.iter().map(|flow| [append(&flow.forward), append(&flow.backward)]).collect();
        Self { world, routes }
    }

    /// Sends a parcel at `now`, which is not before the time that [`Self::advance`] has reached.
    pub fn send(&mut self, now: Time, parcel: Parcel) {
        let Parcel { flow, is_backward, size, handle } = parcel;
        self.world.net.now = self.world.net.now.max(now);
        let hop = self.routes[flow as usize][usize::from(is_backward)];
        let kind = Kind::Parcel;
        let packet =
            Packet { stamp: 0, flow, hop, number: handle, size, sack: Default::default(), kind, is_last: is_backward };
        self.world.net.forward(packet);
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

    /// Takes out what queues dropped and wires lost.
    pub fn lost(&mut self) -> impl Iterator<Item = Parcel> {
        self.world.net.losses.parcels.drain(..).map(|packet| parcel(&packet))
    }

    /// Packets waiting at a link or station, and how long one that arrives now would wait; see [`Output::link_series`].
    pub fn queue(&mut self, link: usize) -> (usize, Duration) {
        self.world.net.queue(link)
    }

    /// What happened until `end`: everything but the flows.
    pub fn finish(self, end: Time) -> Output {
        self.world.finish(end)
    }
}

fn parcel(packet: &Packet) -> Parcel {
    Parcel { flow: packet.flow, is_backward: packet.is_last, size: packet.size, handle: packet.number }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Buffer, FlowConfig, Jitter, LawChoice, LinkConfig, Loss, TcpOptions};
    use windward_laws::LawSpec;
    use windward_units::BitRate;

    fn link(key: u64, megabits: u64, millis: u64, buffer: Buffer) -> LinkConfig {
        let rate = BitRate::bits_per_sec(megabits * 1_000_000).into();
        let delay = Duration::from_millis(millis);
        LinkConfig { key, rate, delay, buffer, loss: Loss::None, jitter: Jitter::None }
    }

    fn network() -> Network {
        let flow = FlowConfig {
            key: 9,
            source: 0,
            sink: 2,
            forward: vec![0, 1],
            backward: vec![2],
            law: LawChoice::Known(LawSpec::all()[0]),
            start: Time::ZERO,
            stop: None,
            size: None,
            tcp: TcpOptions::default(),
        };
        Network {
            links: vec![
                link(1, 12, 5, Buffer::Unlimited),
                link(2, 6, 10, Buffer::Packets(1)),
                link(3, 12, 7, Buffer::Unlimited),
            ],
            cells: Vec::new(),
            flows: vec![flow],
            transfers: Vec::new(),
            sources: Vec::new(),
            duration: Time::from_nanos(1_000_000_000),
            warmup: Time::ZERO,
            sample_interval: Duration::from_millis(100),
            internals: false,
        }
    }

    /// 1500 bytes take 1 ms at 12 Mbit/s and 2 ms at 6: the first parcel is there after 1 + 5 + 2 + 10 ms, the second, a
    /// millisecond behind it, waits another for the slow link; the third and fourth come to it while one waits at most.
    #[test]
    fn parcels_take_what_the_links_say_and_come_back_to_their_owner() {
        let mut fabric = Fabric::new(&network(), 1);
        fabric.advance(Time::ZERO);
        let send = |fabric: &mut Fabric, handle, is_backward| {
            fabric.send(Time::ZERO, Parcel { flow: 0, is_backward, size: 1500, handle });
        };
        (0..4).for_each(|handle| send(&mut fabric, handle, false));
        send(&mut fabric, 7, true);
        let millis = |n: u64| Time::from_nanos(n * 1_000_000);
        assert_eq!(fabric.next_time(), Some(millis(6)));
        fabric.advance(millis(17));
        let seen: Vec<_> = fabric.arrived().map(|(time, parcel)| (time, parcel.handle, parcel.is_backward)).collect();
        assert_eq!(seen, [(millis(8), 7, true)]);
        // Four come at 6, 7, 8 and 9 ms; at 8 ms the second begins to leave, so only the fourth finds a packet waiting.
        assert_eq!(fabric.lost().map(|parcel| parcel.handle).collect::<Vec<_>>(), [3]);
        fabric.advance(millis(500));
        let seen: Vec<_> = fabric.arrived().map(|(time, parcel)| (time, parcel.handle)).collect();
        assert_eq!(seen, [(millis(18), 0), (millis(20), 1), (millis(22), 2)]);
        let output = fabric.finish(millis(1000));
        assert_eq!((output.links[1].packets, output.links[1].dropped), (3, 1));
        assert_eq!(output.link_series.time_s.len(), 3 * 5);
    }
}
