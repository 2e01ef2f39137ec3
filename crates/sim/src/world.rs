//! A network with its endpoints, event by event.

use crate::apps::Source;
use crate::apps::Transfer;
use crate::engine::{Calendar, Class, Event};
use crate::link::Link;
use crate::makers::Makers;
use crate::medium::cell::Cell;
use crate::net::{ARRIVED, Losses, Net};
use crate::network::Network;
use crate::packet::{Kind, Packet};
use crate::record::Capture;
use crate::record::Output;
use crate::record::Recorder;
use crate::tcp::Connection;
use std::io;
use windward_units::{Duration, Time};

/// Everything that events concern.
pub struct World {
    pub net: Net,
    flows: Vec<Connection>,
    transfers: Vec<Transfer>,
    sources: Vec<Source>,
    recorder: Recorder,
    sample_interval: Duration,
    /// Events handled so far.
    pub events: u64,
}

impl World {
    /// The world of `network` with the luck of `seed`, before its first event.
    pub fn new(network: &Network, makers: &Makers, seed: u64, capture: Option<Box<dyn io::Write + Send>>) -> Self {
        let mut routes = Vec::new();
        let mut route = |links: &[u32]| {
            let begin = routes.len() as u32;
            routes.extend_from_slice(links);
            routes.push(ARRIVED);
            begin
        };
        let flows: Vec<Connection> = (0..)
            .zip(&network.flows)
            .map(|(index, config)| {
                let law = makers.law(config.law).build(config.tcp.initial_cwnd());
                Connection::new(index, config, law, route(&config.forward), route(&config.backward))
            })
            .collect();
        let sources: Vec<Source> = (0..)
            .zip(&network.sources)
            .map(|(index, config)| Source::new(index, index, config, route(&config.path), seed))
            .collect();
        let net = Net {
            now: Time::ZERO,
            calendar: Calendar::with_capacity(
                network.link_count() + 4 * flows.len() + sources.len() + network.cells.len() + 8,
            ),
            links: network.links.iter().map(|config| Link::new(config, seed)).collect(),
            cells: network.cells.iter().map(|config| Cell::new(config, makers, seed)).collect(),
            stations: (0..)
                .zip(&network.cells)
                .flat_map(|(cell, c)| (0..c.stations.len() as u32).map(move |s| (cell, s)))
                .collect(),
            routes,
            hops: 0,
            losses: Losses { segments: vec![0; flows.len()], parcels: Vec::new() },
            arrived: Vec::new(),
            capture: capture.map(|out| Capture::new(out, network)),
        };
        let transfer = |config| Transfer::new(config, &network.flows, makers);
        let transfers = network.transfers.iter().map(transfer).collect();
        let recorder = Recorder::new(network, seed);
        let sample_interval = network.sample_interval;
        let mut world = Self { net, flows, transfers, sources, recorder, sample_interval, events: 0 };
        world.schedule_beginnings(network);
        world
    }

    fn schedule_beginnings(&mut self, network: &Network) {
        for (index, flow) in (0..).zip(&network.flows) {
            self.net.schedule(flow.start, Class::Start, index);
            if let Some(stop) = flow.stop {
                self.net.schedule(stop, Class::Stop, index);
            }
        }
        for (index, (source, config)) in (0..).zip(self.sources.iter_mut().zip(&network.sources)) {
            let first = source.first(config.start);
            self.net.schedule(first, Class::Source, index);
        }
        for (index, transfer) in (0..).zip(&network.transfers) {
            self.net.schedule(transfer.start, Class::Control, index);
        }
        for index in 0..network.cells.len() as u32 {
            self.net.schedule(Time::ZERO, Class::Slot, index);
        }
        self.net.schedule(network.warmup, Class::Warm, 0);
        self.net.schedule(Time::ZERO + network.sample_interval, Class::Sample, 0);
    }

    /// Takes the next event that is due by `until`.
    #[inline]
    pub fn next(&mut self, until: Time) -> Option<Event> {
        self.net.calendar.pop().filter(|event| event.time() <= until)
    }

    /// Lets an event happen.
    #[inline]
    pub fn handle(&mut self, event: Event) {
        debug_assert!(event.time() >= self.net.now, "time never goes back");
        self.net.now = event.time();
        self.events += 1;
        let entity = event.entity();
        let flow = entity as usize;
        match event.class() {
            Class::Deliver => {
                if let Some(packet) = self.net.deliver(entity) {
                    self.arrive(&packet);
                }
            }
            Class::Slot => self.net.slot(entity),
            Class::DelayedAck => self.flows[flow].on_delayed_ack(&mut self.net),
            Class::Retransmit => self.flows[flow].on_retransmit(&mut self.net),
            Class::Pace => self.flows[flow].on_pace(&mut self.net),
            Class::Source => self.sources[flow].fire(&mut self.net),
            Class::Start => self.flows[flow].start(&mut self.net),
            Class::Stop => self.flows[flow].stop(&mut self.net),
            Class::Warm => self.recorder.warm(&mut self.net, &mut self.flows, &mut self.sources),
            Class::Control => {
                if let Some(next) = self.transfers[flow].control(&mut self.net, &mut self.flows) {
                    self.net.schedule(next, Class::Control, entity);
                }
            }
            Class::Sample => {
                self.recorder.sample(&mut self.net, &self.flows, &self.transfers);
                self.net.schedule(event.time() + self.sample_interval, Class::Sample, 0);
            }
        }
    }

    #[inline]
    fn arrive(&mut self, packet: &Packet) {
        match packet.kind {
            Kind::Datagram => self.sources[packet.flow as usize].receive(self.net.now, packet),
            Kind::Parcel => self.net.arrived.push((self.net.now, *packet)),
            _ => self.flows[packet.flow as usize].on_packet(&mut self.net, packet),
        }
    }

    /// Ends the capture, if there is one.
    pub fn finish_capture(&mut self) -> io::Result<()> {
        self.net.capture.take().map_or(Ok(()), Capture::finish)
    }

    /// What happened until `end`.
    pub fn finish(mut self, end: Time) -> Output {
        self.net.now = end;
        self.recorder.finish(end, &mut self.net, &mut self.flows, &self.transfers, &self.sources, self.events)
    }
}
