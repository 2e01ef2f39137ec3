//! One run: events in order until the time is up.

use crate::apps::Source;
use crate::capture::Capture;
use crate::cell::Cell;
use crate::engine::{Calendar, Class};
use crate::link::Link;
use crate::net::{ARRIVED, Net};
use crate::network::Network;
use crate::output::Output;
use crate::packet::{Kind, Packet};
use crate::record::Recorder;
use crate::tcp::Connection;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use windward_units::Time;

/// Events between two looks at the control.
const EVENTS_PER_LOOK: u64 = 16_384;

/// The handle on a run from other threads: how far it is, and a way to end it.
#[derive(Debug, Default)]
pub struct Control {
    is_cancelled: AtomicBool,
    simulated: AtomicU64,
}

impl Control {
    /// A handle on a run that has not begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the run soon.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the run was told to end.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// How far the run is.
    pub fn simulated(&self) -> Time {
        Time::from_nanos(self.simulated.load(Ordering::Relaxed))
    }
}

/// Why a run has no output.
#[derive(Debug)]
pub enum RunError {
    /// It was cancelled.
    Interrupted,
    /// Its capture could not be written.
    Capture(io::Error),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("the run was interrupted"),
            Self::Capture(error) => write!(f, "the packet capture cannot be written: {error}"),
        }
    }
}

impl std::error::Error for RunError {}

/// Simulates `network` with the luck of `seed`. Where `capture` is given, the packets of all flows are written to it
/// as pcapng.
///
/// # Errors
/// [`RunError::Interrupted`] after [`Control::cancel`]; [`RunError::Capture`] where `capture` refuses to be written.
pub fn run(
    network: &Network,
    seed: u64,
    control: &Control,
    capture: Option<Box<dyn io::Write + Send>>,
) -> Result<Output, RunError> {
    let mut world = World::new(network, seed, capture);
    world.run(network, control)?;
    if let Some(capture) = world.net.capture.take() {
        capture.finish().map_err(RunError::Capture)?;
    }
    Ok(world.recorder.finish(network.duration, &mut world.net, &mut world.flows, &world.sources, world.events))
}

struct World {
    net: Net,
    flows: Vec<Connection>,
    sources: Vec<Source>,
    recorder: Recorder,
    events: u64,
}

impl World {
    fn new(network: &Network, seed: u64, capture: Option<Box<dyn io::Write + Send>>) -> Self {
        let mut routes = Vec::new();
        let mut route = |links: &[u32]| {
            let begin = routes.len() as u32;
            routes.extend_from_slice(links);
            routes.push(ARRIVED);
            begin
        };
        let flows: Vec<Connection> = (0..)
            .zip(&network.flows)
            .map(|(index, config)| Connection::new(index, config, route(&config.forward), route(&config.backward)))
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
            cells: network.cells.iter().map(|config| Cell::new(config, seed)).collect(),
            stations: (0..)
                .zip(&network.cells)
                .flat_map(|(cell, c)| (0..c.stations.len() as u32).map(move |s| (cell, s)))
                .collect(),
            routes,
            hops: 0,
            segments_lost: vec![0; flows.len()],
            capture: capture.map(|out| Capture::new(out, network)),
        };
        let mut world = Self { net, flows, sources, recorder: Recorder::new(network, seed), events: 0 };
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
        for index in 0..network.cells.len() as u32 {
            self.net.schedule(Time::ZERO, Class::Slot, index);
        }
        self.net.schedule(network.warmup, Class::Warm, 0);
        self.net.schedule(Time::ZERO + network.sample_interval, Class::Sample, 0);
    }

    fn run(&mut self, network: &Network, control: &Control) -> Result<(), RunError> {
        let mut next_look = 0;
        while let Some(event) = self.net.calendar.pop() {
            let time = event.time();
            if time > network.duration {
                break;
            }
            debug_assert!(time >= self.net.now, "time never goes back");
            self.net.now = time;
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
                Class::Sample => {
                    self.recorder.sample(&mut self.net, &self.flows);
                    self.net.schedule(time + network.sample_interval, Class::Sample, 0);
                }
            }
            if self.events >= next_look {
                next_look = self.events + EVENTS_PER_LOOK;
                control.simulated.store(time.as_nanos(), Ordering::Relaxed);
                if control.is_cancelled() {
                    return Err(RunError::Interrupted);
                }
            }
        }
        control.simulated.store(network.duration.as_nanos(), Ordering::Relaxed);
        self.net.now = network.duration;
        Ok(())
    }

    #[inline]
    fn arrive(&mut self, packet: &Packet) {
        if packet.kind == Kind::Datagram {
            self.sources[packet.flow as usize].receive(self.net.now, packet);
        } else {
            self.flows[packet.flow as usize].on_packet(&mut self.net, packet);
        }
    }
}
