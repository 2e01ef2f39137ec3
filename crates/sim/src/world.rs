//! A network with its endpoints, event by event.

use crate::apps::{Apps, Probed, Source, Transfer, chain_messages, introduce, pair_games};
use crate::endpoint::Endpoint;
use crate::makers::Makers;
use crate::net::{Net, Tap};
use crate::network::{FlowConfig, Network, Pattern, SourceConfig};
use crate::output::{LinkStats, Output, Series};
use crate::record::{Recorder, add_requests};
use std::io;
use windward_elements::engine::{Calendar, Event, FlowTimer, RunTimer, Wake};
use windward_elements::packet::{Kind, Packet};
use windward_elements::queue::Label;
use windward_laws::Reins;
use windward_radio::air::AirRecord;
use windward_tables::Frames;
use windward_units::{Duration, Time};

/// State that events act on.
pub struct World {
    pub net: Net,
    flows: Vec<Endpoint>,
    transfers: Vec<Transfer>,
    apps: Apps<Net>,
    sources: Vec<Source>,
    recorder: Recorder,
    sample_interval: Duration,
    /// Time of the next sample.
    next_sample: Time,
    /// Times at which ports are looked at beside samples, in order; none for a run whose ports are looked at anytime.
    looks: Vec<Time>,
    /// Number of events handled so far.
    pub events: u64,
    /// Links and flows that the next call of [`Self::tidy`] begins with.
    tidied: [usize; 2],
}

/// Links and flows from which a network gives back the memory of bursts: slow start's, of which each flow has one.
const CROWD: usize = 2000;

/// Calls of [`World::tidy`] that visit all links and flows.
const VISITS: usize = 64;

impl World {
    /// World of `network` in the run of `seed`, before its first event.
    pub fn new(network: &Network, makers: &Makers, seed: u64, tap: Option<Box<dyn Tap + Send>>) -> Self {
        let Network { topology, flows, sources, timing, .. } = network;
        let pending = 4 * flows.len()
            + sources.len()
            + network.transfers.len()
            + 8 * network.apps.len()
            + 2 * network.windows.len()
            + 8;
        let mut net = Net::new(topology, &makers.hooks, seed, [flows.len(), sources.len()], pending);
        net.air = network.air.clone().map(|span| (span, AirRecord::default()));
        net.tap = tap;
        let flows: Vec<Endpoint> = (0..)
            .zip(flows)
            .map(|(index, config)| {
                let (from, to) = (config.source, config.sink);
                let [data, acks] = topology.points.flows.get(index as usize).copied().unwrap_or_default();
                let routes = [
                    net.add_route(&config.forward, Label { from, to, dscp: data }),
                    net.add_route(&config.backward, Label { from: to, to: from, dscp: acks }),
                ];
                if config.tcp.small_queues.is_some() {
                    net.small_queues.watch(index, routes[0]);
                }
                Endpoint::new(index, config, makers, routes, seed)
            })
            .collect();
        let mut sources: Vec<Source> = (0..)
            .zip(sources)
            .map(|(index, config)| {
                let (from, to) = (config.source, config.sink);
                let dscp = topology.points.sources.get(index as usize).copied().unwrap_or_default();
                let replies = Label { from: to, to: from, dscp };
                let there = net.add_route(&config.path, Label { from, to, dscp });
                let routes = (there, config.reply.as_ref().map(|reply| net.add_route(reply, replies)));
                if matches!(config.pattern, Pattern::Saturated { .. }) {
                    net.watch(index, routes.0, topology, seed);
                }
                Source::new(index, index, config, routes, seed)
            })
            .collect();
        introduce(&mut sources, &network.sources);
        pair_games(&mut sources, &network.sources);
        chain_messages(&mut sources);
        let recorder = Recorder::new(seed, network);
        let transfer = |config| Transfer::new(config, &network.flows, makers);
        let transfers = network.transfers.iter().map(transfer).collect();
        let apps = Apps::simulated(&network.apps, makers, &mut net, flows.len(), seed);
        net.hand_out_labels();
        let sample_interval = timing.sample_interval;
        let mut world = Self {
            net,
            flows,
            transfers,
            apps,
            sources,
            recorder,
            sample_interval,
            next_sample: Time::ZERO + sample_interval,
            looks: Vec::new(),
            events: 0,
            tidied: [0; 2],
        };
        world.schedule_beginnings(network);
        world
    }

    /// Lets links hand packets on ahead of time, in a run of `network` whose ports its own events alone look at.
    pub fn look_ahead(&mut self, network: &Network) {
        let Network { topology, flows, sources, timing, windows, .. } = network;
        let looks_itself = |source: &SourceConfig| matches!(source.pattern, Pattern::Lengths { .. });
        // Sources of coded flows are told at once of what a queue drops.
        let is_coded = |flow: &FlowConfig| flow.coding.is_some();
        if !topology.nodes.is_empty() || sources.iter().any(looks_itself) || flows.iter().any(is_coded) {
            return;
        }
        self.net.look_ahead(topology);
        self.looks = windows.iter().flat_map(|window| [window.start, window.end]).collect();
        self.looks.extend([timing.warmup, timing.duration]);
        self.looks.sort();
        self.look_next(Time::ZERO);
    }

    /// Lets links hand packets on until the first look after `now`.
    fn look_next(&mut self, now: Time) {
        let next = self.looks.partition_point(|look| *look <= now);
        self.net.ahead.look_next(self.looks.get(next).map_or(Time::ZERO, |look| self.next_sample.min(*look)));
    }

    fn schedule_beginnings(&mut self, network: &Network) {
        let net = &mut self.net;
        for (index, flow) in (0..).zip(&network.flows) {
            net.schedule(flow.start, Wake::Flow(FlowTimer::Open), index);
            if let Some(stop) = flow.stop {
                net.schedule(stop, Wake::Flow(FlowTimer::Close), index);
            }
        }
        for (index, (source, config)) in (0..).zip(self.sources.iter_mut().zip(&network.sources)) {
            net.schedule(source.first(config.start), Wake::Source, index);
        }
        for (index, transfer) in (0..).zip(&network.transfers) {
            net.schedule(transfer.start, Wake::Transfer, index);
        }
        self.apps.begin(net);
        net.schedule(network.timing.warmup, Wake::Run(RunTimer::Warm), 0);
        net.schedule(Time::ZERO + network.timing.sample_interval, Wake::Run(RunTimer::Sample), 0);
        for (index, window) in (0..).zip(&network.windows) {
            net.schedule(window.start, Wake::Run(RunTimer::Window), 2 * index);
            let is_last = window.end >= network.timing.duration;
            let timer = if is_last { RunTimer::LastWindow } else { RunTimer::Window };
            net.schedule(window.end, Wake::Run(timer), 2 * index + 1);
        }
    }

    /// Takes the next event if it is due by `until`.
    #[inline]
    pub fn next(&mut self, until: Time) -> Option<Event> {
        self.net.calendar.pop().filter(|event| event.time() <= until)
    }

    /// Time of the next event.
    pub fn next_time(&mut self) -> Option<Time> {
        self.net.calendar.next_time()
    }

    /// Flow `index`.
    pub fn flow(&self, index: usize) -> &Endpoint {
        &self.flows[index]
    }

    /// The law of flow `index` if it is set from outside.
    pub fn reins(&mut self, index: usize) -> Option<&mut Reins> {
        self.flows[index].reins()
    }

    /// Lets flow `index` send at `now` what its law allows.
    pub fn poke(&mut self, index: usize, now: Time) {
        self.net.now = self.net.now.max(now);
        self.flows[index].poke(&mut self.net);
    }

    /// Handles an event.
    #[inline]
    pub fn handle(&mut self, event: Event) {
        debug_assert!(event.time() >= self.net.now, "time never goes back");
        self.net.now = event.time();
        self.events += 1;
        let index = event.index();
        match event.wake() {
            Wake::Port(timer) => {
                if let Some(packet) = self.net.wake_port(timer, index) {
                    self.arrive(&packet);
                }
            }
            Wake::Medium => self.net.wake_medium(index, event.timer()),
            Wake::Flow(timer) => match self.flows.get_mut(index as usize) {
                Some(flow) => flow.wake(&mut self.net, timer),
                None => self.apps.wake(&mut self.net, timer, index),
            },
            Wake::App(timer) => self.apps.handle(&mut self.net, timer, index, event.timer()),
            Wake::Source => self.sources[index as usize].fire(&mut self.net),
            Wake::Rtp(timer) => self.sources[index as usize].wake(&mut self.net, timer),
            Wake::Transfer => {
                if let Some(next) =
                    self.transfers[index as usize].control(&mut self.net, &mut self.flows, &mut self.sources)
                {
                    self.net.schedule(next, Wake::Transfer, index);
                }
            }
            Wake::Run(RunTimer::Warm) => {
                self.recorder.warm(&mut self.net, &mut self.flows, &mut self.sources);
                self.apps.warm(event.time());
                self.look_next(event.time());
            }
            Wake::Run(RunTimer::Sample) => {
                let Self { net, flows, transfers, sources, .. } = self;
                self.recorder.sample(net, flows, transfers, sources);
                self.next_sample = event.time() + self.sample_interval;
                self.net.schedule(self.next_sample, Wake::Run(RunTimer::Sample), 0);
                self.look_next(event.time());
            }
            Wake::Run(RunTimer::Window | RunTimer::LastWindow) => {
                self.recorder.turn_window(index, &mut self.net, &self.flows);
                self.look_next(event.time());
            }
        }
    }

    #[inline]
    fn arrive(&mut self, packet: &Packet) {
        match packet.kind {
            Kind::Datagram => {
                self.sources[packet.flow as usize].receive(&mut self.net, packet);
                if let Some(other) = self.sources[packet.flow as usize].informs {
                    self.sources[other as usize].note(&mut self.net, packet);
                }
            }
            Kind::Report => self.sources[packet.flow as usize].hear(&mut self.net, packet),
            Kind::Parcel { .. } => self.net.arrived.push((self.net.now, *packet)),
            Kind::Routing => debug_assert!(false, "it stays within its medium"),
            _ => match self.flows.get_mut(packet.flow as usize) {
                Some(flow) => flow.on_packet(&mut self.net, packet),
                None => self.apps.on_packet(&mut self.net, packet),
            },
        }
    }

    /// Gives back the memory of bursts, in a share of the links and flows of a large network.
    pub fn tidy(&mut self) {
        let counts = [self.net.port_count(), self.flows.len()];
        if counts[0] + counts[1] < CROWD {
            return;
        }
        let [ports, flows] = [0, 1].map(|of| {
            let from = self.tidied[of];
            let to = (from + counts[of].div_ceil(VISITS)).min(counts[of]);
            self.tidied[of] = to % counts[of].max(1);
            from..to
        });
        self.net.tidy(ports);
        self.flows[flows].iter_mut().for_each(Endpoint::tidy);
    }

    /// Ends the recording of packets, if there is one.
    pub fn finish_tap(&mut self) -> io::Result<()> {
        self.net.tap.take().map_or(Ok(()), Tap::finish)
    }

    /// Series recorded so far.
    pub fn series(&self) -> Series {
        self.recorder.series()
    }

    /// Sets the probes per second of a source; returns their round trips since the last call.
    pub fn set_pace(&mut self, source: u32, pace: f64) -> Probed {
        self.sources.get_mut(source as usize).map(|source| source.set_pace(pace)).unwrap_or_default()
    }

    /// Totals of all ports and tables of the media at `now`.
    pub fn totals(&mut self, now: Time) -> (Vec<LinkStats>, Frames) {
        self.net.now = self.net.now.max(now);
        (self.recorder.link_totals(now, &mut self.net), self.net.media_tables())
    }

    /// Ends the run at `end` and returns its output.
    pub fn finish(self, end: Time) -> Output {
        let Self { mut net, mut flows, transfers, apps, sources, recorder, events, .. } = self;
        // What is handed on ahead is an event that another run has.
        let events = events + net.ahead.handed_on;
        net.now = end;
        net.calendar = Calendar::default();
        let mut output = recorder.finish(end, &mut net, &mut flows, &transfers, &sources, events);
        add_requests(&mut output, apps.finish(), end);
        output
    }
}
