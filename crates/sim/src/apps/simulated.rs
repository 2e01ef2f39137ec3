//! Applications over simulated connections.

use super::host::Apps;
use super::transport::{Opening, Transport, TwoWay};
use crate::ends::{MakeQuic, QuicHeard};
use crate::makers::{Maker, Makers};
use crate::net::Net;
use crate::network::{AppConfig, LawChoice, QuicOptions};
use crate::quic::Exchange;
use crate::tcp::{Duplex, Side};
use windward_elements::engine::{AppTimer, Event, FlowTimer, Wake};
use windward_elements::packet::Packet;
use windward_elements::queue::Label;
use windward_laws::LawSpec;
use windward_units::Time;

/// Both ends of the connections of an application.
pub struct Ends {
    transport: Over,
    /// Starts of the routes from the client and from the server.
    routes: [u32; 2],
}

/// Transport of an application.
enum Over {
    Tcp(Maker),
    Quic((LawSpec, QuicOptions), MakeQuic),
}

/// A connection of an application.
#[expect(
    clippy::large_enum_variant,
    reason = "most connections are TCP's, and a pointer would cost each packet a miss"
)]
pub enum Link {
    Tcp(Duplex),
    Quic(Box<Exchange>),
}

impl TwoWay for Link {
    fn written(&self, side: Side) -> u64 {
        match self {
            Self::Tcp(link) => link.written(side),
            Self::Quic(link) => link.written(side),
        }
    }

    fn arrived(&self, side: Side) -> u64 {
        match self {
            Self::Tcp(link) => link.arrived(side),
            Self::Quic(link) => link.arrived(side),
        }
    }

    fn watch(&mut self, side: Side, bytes: u64) {
        match self {
            Self::Tcp(link) => link.watch(side, bytes),
            Self::Quic(link) => link.watch(side, bytes),
        }
    }

    fn repairs(&self) -> [u64; 2] {
        match self {
            Self::Tcp(link) => {
                let [client, server] = [Side::Client, Side::Server].map(|side| link.sender(side).counts());
                [client.retransmits + server.retransmits, client.timeouts + server.timeouts]
            }
            Self::Quic(link) => link.repairs(),
        }
    }

    fn has_streams(&self) -> bool {
        matches!(self, Self::Quic(link) if link.has_streams())
    }

    fn take_heard(&mut self, side: Side) -> Option<QuicHeard> {
        match self {
            Self::Tcp(_) => None,
            Self::Quic(link) => link.take_heard(side),
        }
    }
}

impl Transport for Net {
    /// `None` for TFRC, which opens no connections.
    type App = Option<Ends>;
    type Link = Link;

    fn now(&self) -> Time {
        self.now
    }

    fn schedule(&mut self, at: Time, which: AppTimer, index: u32, detail: u32) {
        self.calendar.push(Event::with_timer(at, Wake::App(which), index, detail));
    }

    fn open(&mut self, app: &Self::App, opening: Opening<'_>, old: Option<&mut Link>) -> Option<Link> {
        let (Opening { id, config, seed }, Ends { transport, routes }) = (opening, app.as_ref()?);
        let maker = match transport {
            Over::Tcp(maker) => maker,
            Over::Quic(law, make) => {
                let has_streams = config.kind.has_streams();
                let mut link = Exchange::new(id, &config.tcp, *law, (make, has_streams), *routes, seed);
                link.start(self);
                return Some(Link::Quic(Box::new(link)));
            }
        };
        let laws = [maker.build(&config.tcp), maker.build(&config.tcp)];
        if let Some(Link::Tcp(link)) = old {
            link.recycle(id, &config.tcp, laws, seed);
            link.start(self);
            return None;
        }
        let mut link = Duplex::new(id, &config.tcp, *routes, laws, seed);
        link.start(self);
        Some(Link::Tcp(link))
    }

    fn write(&mut self, link: &mut Link, side: Side, number: u32, bytes: u64, is_last: bool) {
        match link {
            Link::Tcp(link) => link.write(self, side, bytes, is_last),
            Link::Quic(link) => link.write(self, side, number, bytes),
        }
    }

    fn cut(&mut self, link: &mut Link, side: Side) {
        match link {
            Link::Tcp(link) => link.cut(side),
            Link::Quic(_) => debug_assert!(false, "transfers of a time are over TCP"),
        }
    }

    fn end(&mut self, link: &mut Link) {
        if let Link::Quic(link) = link {
            link.end(self);
        }
    }
}

impl Apps<Net> {
    /// Applications of `configs` in the run of `seed`; the numbers below `flows` are those of other flows.
    pub fn simulated(configs: &[AppConfig], makers: &Makers, net: &mut Net, flows: usize, seed: u64) -> Self {
        let mut ends = |config: &AppConfig| {
            let (from, to) = (config.client, config.server);
            let routes = [
                net.add_route(&config.forward, Label { from, to, dscp: 0 }),
                net.add_route(&config.backward, Label { from: to, to: from, dscp: 0 }),
            ];
            let transport = match config.law {
                LawChoice::Quic(law, options) => Some(Over::Quic((law, options), makers.ends())),
                law => makers.law(law).ok().map(Over::Tcp),
            };
            transport.map(|transport| Ends { transport, routes })
        };
        let apps = configs.iter().map(|config| (config.clone(), ends(config))).collect();
        Self::new(apps, flows.next_multiple_of(2) as u32, seed)
    }

    /// Handles a packet of a two-way connection. One of an ended connection is ignored.
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet) {
        let Some(link) = self.link(packet.flow) else { return };
        let is_done = match link {
            Link::Tcp(link) => {
                link.on_packet(net, packet, Side::of(packet.flow));
                link.is_done(Side::Server)
            }
            Link::Quic(link) => {
                link.on_packet(net, packet);
                link.is_answered()
            }
        };
        if is_done {
            self.end_if_closing(net, packet.flow);
        }
    }

    /// Handles a timer of a two-way connection.
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer, flow: u32) {
        match self.link(flow) {
            Some(Link::Tcp(link)) => link.wake(net, which, Side::of(flow)),
            Some(Link::Quic(link)) => link.wake(net),
            None => {}
        }
    }
}
