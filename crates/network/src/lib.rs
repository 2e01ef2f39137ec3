//! The network of a scenario file for a transport of your own: links with queues, losses and recordings, Wi-Fi, LTE and
//! NR cells, and the traffic of others.
//!
//! A transport that does no input or output of its own hands over datagrams and moves the time. This one asks a server
//! behind an LTE cell, and gets its answer:
//!
//! ```
//! use windward_network::{Datagram, Duration, Network, Time};
//!
//! let mut network = Network::from_toml(
//!     r#"
//! name = "question"
//! duration = "10 s"
//! node = [{ name = "phone" }, { name = "mast" }, { name = "server" }]
//! link = [{ from = "mast", to = "server", rate = "1 Gbit/s", delay = "10 ms" }]
//! flow = [{ name = "mine", from = "server", to = "phone", law = "cubic" }]
//! [[cell]]
//! name = "lte"
//! access_point = "mast"
//! technology = "lte"
//! preset = "lte-10mhz"
//! station = [{ node = "phone", snr = "15 dB" }]
//! "#,
//!     &[],
//!     1,
//! )?;
//! let (up, down) = (network.path("phone", "server")?, network.path("server", "phone")?);
//! let mut now = Time::ZERO + Duration::from_millis(100);
//! network.send(now, Datagram::new(up, b"question".to_vec()));
//! let answered = loop {
//!     // A transport takes the earlier of this and its own timer.
//!     now = network.next_time().expect("a cell has always a next slot");
//!     match network.poll(now) {
//!         Some((at, Datagram { path, .. })) if path == up => network.send(at, Datagram::new(down, vec![0; 1000])),
//!         Some((at, _)) => break at,
//!         None => {}
//!     }
//! };
//! assert!(answered.as_secs() < 0.2);
//! # Ok::<(), windward_network::Unusable>(())
//! ```
//!
//! [`Network::run`] is that loop for both ends of a transport: it takes what implements [`End`].
//!
//! Equal calls with equal seeds give equal datagrams at equal times, to the bit.

#![forbid(unsafe_code)]

mod clock;

pub use clock::Clock;
use slab::Slab;
use std::collections::VecDeque;
pub use windward_scenario::Scenario;
use windward_scenario::{Error, FlowName, LinkName, NoPackets};
pub use windward_sim::{Codepoint, LinkStats};
use windward_sim::{Fabric, LawChoice, Output, Parcel};
pub use windward_units::{Duration, Time};

/// Bytes of an IPv4 and a UDP header, which each datagram has on the wire beside its payload.
pub const HEADERS: u32 = 28;

/// A scenario that is no network for this transport.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// The file has problems.
    #[error(transparent)]
    Scenario(#[from] Error),
    /// A capacity region has no packets.
    #[error(transparent)]
    NoPackets(#[from] NoPackets),
    /// A law, scheduler or rule is written in Python.
    #[error("`{0}` is written in Python, which does not run here: take a built-in one")]
    Python(String),
    /// A flow that is not the caller's, or an application, is over QUIC.
    #[error(
        "`{0}` is over QUIC, which does not run here\nhint: name it among your own flows, or `transport = \"tcp\"`"
    )]
    Quic(String),
    /// No flow has this name.
    #[error("there is no flow `{name}`; flows: {flows}")]
    Flow {
        /// Name that was asked for.
        name: String,
        /// Names of all flows.
        flows: String,
    },
    /// No flow of the transport's has these ends.
    #[error(
        "no flow of yours leads from `{from}` to `{to}` or back; yours: {paths}\nhint: add a [[flow]] between the two"
    )]
    Path {
        /// First node asked for.
        from: String,
        /// Last node asked for.
        to: String,
        /// Ends of all flows of the transport.
        paths: String,
    },
}

/// One way between the ends of a flow of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    flow: u32,
    is_backward: bool,
}

impl Path {
    /// The other way of the same flow.
    pub fn back(self) -> Self {
        Self { is_backward: !self.is_backward, ..self }
    }
}

/// A UDP datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram<T = Vec<u8>> {
    /// Its way.
    pub path: Path,
    /// Its payload, to which [`HEADERS`] are added on the wire.
    pub payload: T,
    /// Its ECN field, which queues may mark.
    pub ecn: Codepoint,
    /// Identifies the conversation, such as a hash of the ports: queues that serve conversations separately tell them
    /// apart by it.
    pub conversation: u64,
}

impl<T> Datagram<T> {
    /// Datagram of a transport without ECN that has one conversation on each path.
    pub fn new(path: Path, payload: T) -> Self {
        Self { path, payload, ecn: Codepoint::NotCapable, conversation: u64::from(path.flow) }
    }
}

/// One end of a transport without input, output or a clock, for [`Network::run`].
pub trait End<T> {
    /// Takes a datagram that arrives at `now`.
    fn receive(&mut self, now: Time, payload: T, ecn: Codepoint);

    /// Handles what is due at `now`, and returns the next datagram to send. Called until there is none.
    fn poll(&mut self, now: Time) -> Option<(T, Codepoint)>;

    /// Time of the next timer.
    fn next_time(&mut self) -> Option<Time>;
}

/// A network in virtual time. Its owner sends datagrams and moves the time, which never goes back.
pub struct Network<T = Vec<u8>> {
    fabric: Fabric,
    flows: Vec<FlowName>,
    links: Vec<LinkName>,
    is_own: Vec<bool>,
    /// Payloads under way, by the handles of their parcels.
    payloads: Slab<T>,
    arrived: VecDeque<(Time, Datagram<T>)>,
    lost: u64,
}

impl<T: AsRef<[u8]>> Network<T> {
    /// Network of a TOML file without recordings, in the run of `seed`. See [`Self::new`] for `own`.
    ///
    /// # Errors
    /// [`Unusable`].
    pub fn from_toml(text: &str, own: &[&str], seed: u64) -> Result<Self, Unusable> {
        Self::new(&Scenario::from_toml(text, "scenario")?, own, seed)
    }

    /// Network of `scenario` in the run of `seed`. `own` names the flows, or groups of flows, that are the caller's:
    /// they send nothing of themselves, whatever their law, and their routes are the caller's paths. If it is empty,
    /// all flows are. The other flows run under their laws, and so do applications and sources.
    ///
    /// # Errors
    /// [`Unusable::NoPackets`], [`Unusable::Python`], [`Unusable::Flow`], [`Unusable::Quic`].
    pub fn new(scenario: &Scenario, own: &[&str], seed: u64) -> Result<Self, Unusable> {
        scenario.check_packets()?;
        let of_python = [scenario.python_laws(), scenario.python_schedulers(), scenario.python_rules()];
        if let Some(class) = of_python.into_iter().flatten().next() {
            return Err(Unusable::Python(class.class.clone()));
        }
        let compiled = scenario.compile(seed);
        let (flows, links) = (compiled.flows, compiled.links);
        if let Some(name) = own.iter().find(|own| !flows.iter().any(|flow| is_named(flow, own))) {
            let flows = listed(flows.iter().map(|flow| flow.name.clone()));
            return Err(Unusable::Flow { name: (*name).to_owned(), flows });
        }
        let is_own: Vec<bool> =
            flows.iter().map(|flow| own.is_empty() || own.iter().any(|own| is_named(flow, own))).collect();
        let others = compiled.network.flows.iter().zip(&is_own).zip(&flows).filter(|((_, is_own), _)| !**is_own);
        let is_quic = |flow: &windward_sim::FlowConfig| matches!(flow.law, LawChoice::Quic(_, _));
        if let Some((_, name)) = others.into_iter().find(|((flow, _), _)| is_quic(flow)) {
            return Err(Unusable::Quic(name.name.clone()));
        }
        if let Some(app) = compiled.network.apps.iter().position(|app| matches!(app.law, LawChoice::Quic(_, _))) {
            return Err(Unusable::Quic(compiled.apps[app].name.clone()));
        }
        let fabric = Fabric::of(compiled.network, |flow| is_own[flow], seed);
        let (payloads, arrived) = (Slab::new(), VecDeque::new());
        Ok(Self { fabric, flows, links, is_own, payloads, arrived, lost: 0 })
    }

    /// Way from a node to another: that of the first own flow between them, forward or backward.
    ///
    /// # Errors
    /// [`Unusable::Path`].
    pub fn path(&self, from: &str, to: &str) -> Result<Path, Unusable> {
        for (flow, name) in self.own() {
            if (name.from.as_str(), name.to.as_str()) == (from, to) {
                return Ok(Path { flow, is_backward: false });
            }
            if (name.to.as_str(), name.from.as_str()) == (from, to) {
                return Ok(Path { flow, is_backward: true });
            }
        }
        let paths = listed(self.own().map(|(_, name)| format!("{} to {}", name.from, name.to)));
        Err(Unusable::Path { from: from.to_owned(), to: to.to_owned(), paths })
    }

    /// Forward way of the own flow `name`.
    ///
    /// # Errors
    /// [`Unusable::Flow`].
    pub fn flow(&self, name: &str) -> Result<Path, Unusable> {
        let found = self.own().find(|(_, flow)| flow.name == name);
        found.map(|(flow, _)| Path { flow, is_backward: false }).ok_or_else(|| Unusable::Flow {
            name: name.to_owned(),
            flows: listed(self.own().map(|(_, flow)| flow.name.clone())),
        })
    }

    fn own(&self) -> impl Iterator<Item = (u32, &FlowName)> {
        (0..).zip(&self.flows).zip(&self.is_own).filter(|(_, is_own)| **is_own).map(|(flow, _)| flow)
    }

    /// Sends a datagram at `now`, which must not precede the time of an earlier call.
    pub fn send(&mut self, now: Time, datagram: Datagram<T>) {
        self.fabric.advance(now);
        let Path { flow, is_backward } = datagram.path;
        let (ecn, conversation) = (datagram.ecn, datagram.conversation);
        let size = datagram.payload.as_ref().len() as u32 + HEADERS;
        let handle = self.payloads.insert(datagram.payload) as u32;
        self.fabric.send(now, Parcel { flow, is_backward, size, handle, conversation, ecn });
    }

    /// Time at which the network has something to do next: [`Self::poll`] is due then.
    pub fn next_time(&mut self) -> Option<Time> {
        match self.arrived.front() {
            Some((at, _)) => Some(*at),
            None => self.fabric.next_time(),
        }
    }

    /// Moves the time to `now` and takes out the next datagram that has arrived, with its time. Call it until there is
    /// none.
    pub fn poll(&mut self, now: Time) -> Option<(Time, Datagram<T>)> {
        if self.arrived.is_empty() {
            self.fabric.advance(now);
            for (at, parcel) in self.fabric.arrived() {
                let Parcel { flow, is_backward, handle, conversation, ecn, .. } = parcel;
                if let Some(payload) = self.payloads.try_remove(handle as usize) {
                    let path = Path { flow, is_backward };
                    self.arrived.push_back((at, Datagram { path, payload, ecn, conversation }));
                }
            }
            for (parcel, _) in self.fabric.lost() {
                self.lost += u64::from(self.payloads.try_remove(parcel.handle as usize).is_some());
            }
        }
        self.arrived.pop_front()
    }

    /// Runs a transport from `now` to `end`, or until `is_over`: the first of its `ends` sends on `path`, the second
    /// one on the way back. Datagrams of other paths are not read. Returns the time at which it ended.
    pub fn run<E: End<T>>(
        &mut self,
        path: Path,
        ends: &mut [E; 2],
        (mut now, end): (Time, Time),
        mut is_over: impl FnMut(&mut [E; 2]) -> bool,
    ) -> Time {
        loop {
            for (own, way) in ends.iter_mut().zip([path, path.back()]) {
                while let Some((payload, ecn)) = own.poll(now) {
                    self.send(now, Datagram { ecn, ..Datagram::new(way, payload) });
                }
            }
            let timers = ends.iter_mut().filter_map(End::next_time);
            let next = timers.chain(self.next_time()).min().unwrap_or(Time::NEVER).max(now);
            if next > end || is_over(ends) {
                return now;
            }
            now = next;
            while let Some((_, Datagram { path: way, payload, ecn, .. })) = self.poll(now) {
                if way == path || way == path.back() {
                    ends[usize::from(way == path)].receive(now, payload, ecn);
                }
            }
        }
    }

    /// Number of datagrams that queues have dropped and links have lost so far.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Names and totals of all links and stations at `now`.
    pub fn links(&mut self, now: Time) -> impl Iterator<Item = (&LinkName, LinkStats)> {
        let (stats, _) = self.fabric.totals(now);
        self.links.iter().zip(stats)
    }

    /// Ends the run at `end` and returns its tables. Those of the flows have nothing about the own ones.
    pub fn finish(self, end: Time) -> Output {
        self.fabric.finish(end)
    }
}

fn is_named(flow: &FlowName, own: &str) -> bool {
    flow.name == own || flow.label == own
}

fn listed(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
