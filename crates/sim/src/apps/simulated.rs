//! Applications over simulated connections.

use super::host::Apps;
use super::transport::{Opening, Transport, TwoWay};
use crate::makers::{Maker, Makers};
use crate::net::Net;
use crate::network::AppConfig;
use crate::tcp::{Duplex, Side};
use windward_elements::engine::{AppTimer, Event, FlowTimer, Wake};
use windward_elements::packet::Packet;
use windward_elements::queue::Label;
use windward_units::Time;

/// Both ends of the connections of an application.
pub struct Ends {
    law: Maker,
    /// Starts of the routes from the client and from the server.
    routes: [u32; 2],
}

impl TwoWay for Duplex {
    fn written(&self, side: Side) -> u64 {
        Self::written(self, side)
    }

    fn arrived(&self, side: Side) -> u64 {
        Self::arrived(self, side)
    }

    fn watch(&mut self, side: Side, bytes: u64) {
        Self::watch(self, side, bytes);
    }

    fn repairs(&self) -> [u64; 2] {
        let [client, server] = [Side::Client, Side::Server].map(|side| self.sender(side).counts());
        [client.retransmits + server.retransmits, client.timeouts + server.timeouts]
    }
}

impl Transport for Net {
    /// `None` for TFRC, which opens no connections.
    type App = Option<Ends>;
    type Link = Duplex;

    fn now(&self) -> Time {
        self.now
    }

    fn schedule(&mut self, at: Time, which: AppTimer, index: u32, detail: u32) {
        self.calendar.push(Event::with_timer(at, Wake::App(which), index, detail));
    }

    fn open(&mut self, app: &Self::App, opening: Opening<'_>, old: Option<&mut Duplex>) -> Option<Duplex> {
        let (Opening { id, config, seed }, ends) = (opening, app.as_ref()?);
        let laws = [ends.law.build(&config.tcp), ends.law.build(&config.tcp)];
        if let Some(link) = old {
            link.recycle(id, &config.tcp, laws, seed);
            link.start(self);
            return None;
        }
        let mut link = Duplex::new(id, &config.tcp, ends.routes, laws, seed);
        link.start(self);
        Some(link)
    }

    fn write(&mut self, link: &mut Duplex, side: Side, bytes: u64, is_last: bool) {
        link.write(self, side, bytes, is_last);
    }

    fn cut(&mut self, link: &mut Duplex, side: Side) {
        link.cut(side);
    }

    fn end(&mut self, _: &mut Duplex) {}
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
            makers.law(config.law).ok().map(|law| Ends { law, routes })
        };
        let apps = configs.iter().map(|config| (config.clone(), ends(config))).collect();
        Self::new(apps, flows.next_multiple_of(2) as u32, seed)
    }

    /// Handles a packet of a two-way connection. One of an ended connection is ignored.
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet) {
        let Some(link) = self.link(packet.flow) else { return };
        link.on_packet(net, packet, Side::of(packet.flow));
        if link.is_done(Side::Server) {
            self.end_if_closing(net, packet.flow);
        }
    }

    /// Handles a timer of a two-way connection.
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer, flow: u32) {
        if let Some(link) = self.link(flow) {
            link.wake(net, which, Side::of(flow));
        }
    }
}
