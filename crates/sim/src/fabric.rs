//! A network below its endpoints, for a caller with endpoints and a clock of its own.

use crate::apps::Probed;
use crate::makers::Makers;
use crate::network::{LawChoice, Network, SourceConfig, Timing};
use crate::output::{LinkStats, Output};
use crate::topology::{Route, Topology};
use crate::world::World;
use windward_elements::ecn::{Codepoint, Ecn};
use windward_elements::link::LinkStep;
use windward_elements::packet::{Kind, Packet};
use windward_elements::queue::Label;
use windward_elements::status::{Cause, Sight};
use windward_tables::Frames;
use windward_units::Time;

/// An item that crosses a [`Fabric`]; only the owner knows its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parcel {
    /// Index of its flow in the network.
    pub flow: u32,
    /// True if it takes the route of the flow's ACKs.
    pub is_backward: bool,
    /// Bytes on the wire.
    pub size: u32,
    /// The owner's identifier of the parcel.
    pub handle: u32,
    /// Identifies the conversation, for queues that serve conversations separately.
    pub conversation: u64,
    /// Its ECN field, which queues may mark.
    pub ecn: Codepoint,
}

/// A network whose owner sends parcels along the routes of flows, advances the time, and takes out the arrived and lost
/// parcels.
///
/// The owner controls the time. Elements, random streams and counters are those of [`crate::run`], driven by the
/// caller's clock.
pub struct Fabric {
    world: World,
    /// Starts of each flow's routes in the table of routes.
    routes: Vec<[u32; 2]>,
}

impl Fabric {
    /// Fabric of `topology` in the run of `seed`, with background traffic from `sources` and a forward and a backward
    /// route for each flow. Cells use built-in schedulers only.
    pub fn new<'a>(
        topology: Topology,
        sources: Vec<SourceConfig>,
        routes: impl IntoIterator<Item = [&'a Route; 2]>,
        timing: Timing,
        seed: u64,
    ) -> Self {
        Self::with(&Network { sources, ..Network::new(topology, timing) }, routes, seed)
    }

    /// Fabric of all of `network` in the run of `seed`, in which the flows that `is_own` selects by index are the
    /// owner's: they send nothing of themselves. The other flows, the applications and the sources run. Laws and cells'
    /// schedulers are built-in ones.
    pub fn of(mut network: Network, is_own: impl Fn(usize) -> bool, seed: u64) -> Self {
        let routes: Vec<_> = network.flows.iter().map(|flow| [flow.forward.clone(), flow.backward.clone()]).collect();
        for (_, flow) in network.flows.iter_mut().enumerate().filter(|(index, _)| is_own(*index)) {
            (flow.start, flow.stop) = (Time::NEVER, None);
            if let LawChoice::Quic(law, _) = flow.law {
                // It needs no ends, for it is never opened.
                flow.law = LawChoice::Known(law);
            }
        }
        network.transfers.retain(|transfer| !transfer.flows.clone().any(&is_own));
        Self::with(&network, routes.iter().map(|[forward, backward]| [forward, backward]), seed)
    }

    fn with<'a>(network: &Network, routes: impl IntoIterator<Item = [&'a Route; 2]>, seed: u64) -> Self {
        let mut world = World::new(network, &Makers::default(), seed, None);
        // Parcels bring their labels along.
        let routes =
            routes.into_iter().map(|routes| routes.map(|route| world.net.add_route(route, Label::default()))).collect();
        Self { world, routes }
    }

    /// Sends a parcel at `now`, which must not precede the time reached by [`Self::advance`].
    pub fn send(&mut self, now: Time, parcel: Parcel) {
        let Parcel { flow, is_backward, size, handle, conversation, ecn } = parcel;
        self.world.net.now = self.world.net.now.max(now);
        let hop = self.routes[flow as usize][usize::from(is_backward)];
        let packet = Packet::new(Kind::Parcel { is_backward }, Time::ZERO, flow, hop, size);
        let (stamp, ecn) = (conversation, Ecn::new(ecn));
        self.world.net.send(Packet { number: handle, stamp, ecn, ..packet }, false);
    }

    /// Time of the next event.
    pub fn next_time(&mut self) -> Option<Time> {
        self.world.net.calendar.next_time()
    }

    /// Processes all events due by `now`.
    pub fn advance(&mut self, now: Time) {
        while self.next_time().is_some_and(|time| time <= now) {
            let Some(event) = self.world.next(now) else { return };
            self.world.handle(event);
        }
    }

    /// Takes out the arrived parcels, each with its arrival time.
    pub fn arrived(&mut self) -> impl Iterator<Item = (Time, Parcel)> {
        self.world.net.arrived.drain(..).map(|(time, packet)| (time, parcel(&packet)))
    }

    /// Takes out the parcels that queues dropped and wires lost. True for a drop by a full queue at the start of the
    /// route.
    pub fn lost(&mut self) -> impl Iterator<Item = (Parcel, bool)> {
        let Self { world, routes } = self;
        world.net.losses.parcels.drain(..).map(|(packet, cause)| {
            let parcel = parcel(&packet);
            let hop = routes[packet.flow as usize][usize::from(parcel.is_backward)];
            (parcel, cause == Cause::Queue && packet.is_at_source(hop))
        })
    }

    /// Sets the probes per second of a source of [`crate::Pattern::Probes`]; returns their round trips since the last
    /// call.
    pub fn set_pace(&mut self, source: u32, pace: f64) -> Probed {
        self.world.set_pace(source, pace)
    }

    /// Backlog, delay and rate of a port.
    pub fn see(&mut self, port: u32) -> Sight {
        self.world.net.see(port)
    }

    /// Adds changes of a link, in order of time and none before the time reached by [`Self::advance`]. False for a port
    /// that is no link that changes ([`crate::LinkConfig::make_changeable`]).
    pub fn plan(&mut self, port: u32, steps: &[LinkStep]) -> bool {
        self.world.net.plan(port, steps)
    }

    /// Totals of all ports and tables of the media at `now`, as [`Self::finish`] would return them.
    pub fn totals(&mut self, now: Time) -> (Vec<LinkStats>, Frames) {
        self.world.totals(now)
    }

    /// Ends the run at `end` and returns all results except those of flows.
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
    use windward_elements::link::{LinkChange, LinkConfig, Loss};
    use windward_elements::queue::Buffer;
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

    /// 1500 bytes take 1 ms at 12 Mbit/s and 2 ms at 6 Mbit/s. The first parcel arrives after 1 + 5 + 2 + 10 ms. The
    /// second follows 1 ms behind and waits another 1 ms for the slow link. The third and fourth reach that link, where
    /// at most one packet may wait.
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
        // Four arrive at 6, 7, 8 and 9 ms. At 8 ms the second starts its transmission, so only the fourth finds a
        // packet waiting.
        assert_eq!(fabric.lost().map(|(parcel, is_first)| (parcel.handle, is_first)).collect::<Vec<_>>(), [(3, false)]);
        fabric.advance(millis(500));
        let seen: Vec<_> = fabric.arrived().map(|(time, parcel)| (time, parcel.handle)).collect();
        assert_eq!(seen, [(millis(18), 0), (millis(20), 1), (millis(22), 2)]);
        let output = fabric.finish(millis(1000));
        assert_eq!((output.links[1].packets, output.links[1].dropped), (3, 1));
        assert_eq!(output.link_series.rows(), 3 * 5);
    }

    /// 1500 bytes take 1 ms at 12 Mbit/s. The first parcel leaves at 1 ms. The link is down from 1.5 ms, in the middle
    /// of the second, to 11.5 ms, and then has 6 Mbit/s and another delay: the rest of 6000 bits takes 1 ms. A link
    /// that loses all of its packets from then on loses the third.
    #[test]
    fn the_owner_changes_links_as_it_goes() {
        let mut config = link(1, 12, 5, Buffer::Unlimited);
        config.make_changeable();
        let topology = Topology::of_links([config, link(2, 12, 7, Buffer::Unlimited)]);
        let timing = Timing { duration: Time::NEVER, warmup: Time::ZERO, sample_interval: Duration::MAX };
        let (forward, backward) = (Route::from(vec![0]), Route::from(vec![1]));
        let mut fabric = Fabric::new(topology, Vec::new(), [[&forward, &backward]], timing, 1);
        let micros = |n: u64| Time::from_nanos(n * 1_000);
        fabric.advance(Time::ZERO);
        for handle in 0..3 {
            fabric.send(Time::ZERO, Parcel { size: 1500, handle, ..Parcel::default() });
        }
        fabric.advance(micros(1500));
        let step = |at, change| LinkStep { at: micros(at), change };
        let down = LinkChange { is_up: Some(false), ..LinkChange::default() };
        let up = LinkChange {
            is_up: Some(true),
            rate: Some(BitRate::bits_per_sec(6_000_000).into()),
            delay: Some(Duration::from_millis(1).into()),
            ..LinkChange::default()
        };
        let loses = LinkChange { loss: Some(Loss::Bernoulli(1.0)), ..LinkChange::default() };
        assert!(fabric.plan(0, &[step(1500, down), step(11_500, up)]));
        assert!(fabric.plan(0, &[step(13_000, loses)]), "a later change is added to those that are planned");
        assert!(!fabric.plan(1, &[]), "it was not made changeable");
        fabric.advance(micros(100_000));
        let seen: Vec<_> = fabric.arrived().map(|(time, parcel)| (time, parcel.handle)).collect();
        assert_eq!(seen, [(micros(6_000), 0), (micros(13_500), 1)]);
        assert_eq!(fabric.lost().map(|(parcel, _)| parcel.handle).collect::<Vec<_>>(), [2]);
        let (links, _) = fabric.totals(micros(100_000));
        assert_eq!((links[0].packets, links[0].lost), (3, 1));
        let ended = fabric.finish(micros(100_000)).links;
        assert_eq!((links[0].packets, links[0].utilization), (ended[0].packets, ended[0].utilization));
    }
}
