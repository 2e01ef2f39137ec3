//! quinn's interface to congestion control.

#![expect(clippy::disallowed_types, reason = "quinn tells the time by std's Instant")]

use crate::host::Host;
use crate::stock::{Stock, Stocked};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use serde_json::{Value, json};
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;
use windward_laws::{LawSpec, SpecError};
use windward_units::{Duration, Packets};

/// A law that cannot control a QUIC connection.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unfit {
    /// No law of this name.
    #[error("there is no law {0}; laws: {laws}", laws = LawSpec::NAMES.join(", "))]
    Name(String),
    /// A parameter is unknown or out of range.
    #[error("parameter {0} of the law: {1}")]
    Parameter(String, String),
    /// The law responds to the number of marks, which quinn does not report.
    #[error("{0} counts ECN marks, and quinn reports only that there were some: take a law without `ecn`, as cubic")]
    CountsMarks(&'static str),
    /// The initial window is not a number of packets.
    #[error("an initial window of {0} packets: allowed are 2 to 1000")]
    InitialWindow(f64),
}

/// A law for all connections of an endpoint: hand it to `TransportConfig::congestion_controller_factory`.
#[derive(Debug)]
pub struct Laws {
    spec: LawSpec,
    initial: f64,
    /// Seed of the next connection's law.
    seed: AtomicU64,
}

impl Laws {
    /// Law of the specification, with an initial window of ten packets (RFC 6928).
    ///
    /// # Errors
    /// [`Unfit::CountsMarks`].
    pub fn new(spec: LawSpec) -> Result<Self, Unfit> {
        if spec.needs().counts_marks {
            return Err(Unfit::CountsMarks(spec.name()));
        }
        Ok(Self { spec, initial: 10.0, seed: AtomicU64::new(1) })
    }

    /// Law `name` with its default parameters.
    ///
    /// # Errors
    /// [`Unfit::Name`], [`Unfit::CountsMarks`].
    pub fn named(name: &str) -> Result<Self, Unfit> {
        Self::with(name, json!({}))
    }

    /// Law `name` with `parameters`, a JSON object, over its defaults.
    ///
    /// # Errors
    /// [`Unfit::Name`], [`Unfit::Parameter`], [`Unfit::CountsMarks`].
    pub fn with(name: &str, parameters: Value) -> Result<Self, Unfit> {
        let spec = LawSpec::from_json(name, parameters).map_err(|error| match error {
            SpecError::Name(name) => Unfit::Name(name),
            SpecError::Parameter(field, why) => Unfit::Parameter(field, why),
        })?;
        Self::new(spec)
    }

    /// Laws with an initial window of `packets` packets.
    ///
    /// # Errors
    /// [`Unfit::InitialWindow`].
    pub fn initial_window(mut self, packets: f64) -> Result<Self, Unfit> {
        if !(2.0..=1000.0).contains(&packets) {
            return Err(Unfit::InitialWindow(packets));
        }
        self.initial = packets;
        Ok(self)
    }

    /// Laws whose random streams follow from `seed`: equal seeds give equal connections.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = AtomicU64::new(seed);
        self
    }

    /// The law of the next connection.
    pub(crate) fn control(&self, now: Instant, mtu: u16) -> Controlled {
        // Seeds of connections are apart by more than one, as random streams want.
        let seed = self.seed.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        Controlled::new(self.spec, self.initial, seed, now, mtu)
    }
}

impl ControllerFactory for Laws {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(self.control(now, current_mtu))
    }
}

/// A law for one connection, which can be watched.
pub(crate) struct Watched {
    spec: LawSpec,
    is_quinns: bool,
    initial: f64,
    seed: u64,
    seen: OnceLock<Seen>,
}

/// State of a connection under a law of Windward, or a controller of quinn.
enum Seen {
    Host(Arc<Mutex<Host>>),
    Stock(Arc<Mutex<Stock>>),
}

/// Figures of a connection.
pub(crate) struct Figures {
    /// Window in packets.
    pub cwnd: Packets,
    /// Packets in flight, rounded.
    pub flight: u32,
    /// Smoothed and latest RTT; zero before the first sample.
    pub rtts: (Duration, Duration),
    /// Reductions by losses, and by persistent congestion.
    pub reductions: [u64; 2],
}

/// Locks what no other thread has.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watched {
    /// Law with an initial window of `initial` packets; quinn's controller of its name if it `is_quinns`.
    pub fn new(spec: LawSpec, is_quinns: bool, initial: f64, seed: u64) -> Self {
        Self { spec, is_quinns, initial, seed, seen: OnceLock::new() }
    }

    /// Figures of the connection, if it has begun.
    pub fn figures(&self) -> Option<Figures> {
        Some(match self.seen.get()? {
            Seen::Host(host) => {
                let host = lock(host);
                let (cwnd, flight, rtts, reductions) = (host.cwnd(), host.flight(), host.rtts(), host.reductions());
                Figures { cwnd, flight, rtts, reductions }
            }
            Seen::Stock(stock) => {
                let stock = lock(stock);
                let (cwnd, flight, rtts, reductions) = (stock.cwnd(), stock.flight(), stock.rtts(), stock.reductions());
                Figures { cwnd, flight, rtts, reductions }
            }
        })
    }

    /// Takes the RTT samples since the last call; the first call begins to keep them.
    pub fn take_rtts(&self, sink: &mut dyn FnMut(Duration)) {
        match self.seen.get() {
            Some(Seen::Host(host)) => lock(host).take_rtts(sink),
            Some(Seen::Stock(stock)) => lock(stock).take_rtts(sink),
            None => {}
        }
    }

    /// Reports the internal state of the law.
    pub fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        match self.seen.get() {
            Some(Seen::Host(host)) => lock(host).observe(sink),
            Some(Seen::Stock(stock)) => lock(stock).observe(sink),
            None => {}
        }
    }
}

impl ControllerFactory for Watched {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let stock = self.is_quinns.then(|| Stock::new(&self.spec, self.initial, now, current_mtu)).flatten();
        if let Some(stock) = stock.map(|stock| Arc::new(Mutex::new(stock))) {
            self.seen.get_or_init(|| Seen::Stock(Arc::clone(&stock)));
            return Box::new(Stocked::new(stock));
        }
        let controlled = Controlled::new(self.spec, self.initial, self.seed, now, current_mtu);
        self.seen.get_or_init(|| Seen::Host(Arc::clone(&controlled.host)));
        Box::new(controlled)
    }
}

/// A connection under a law.
pub(crate) struct Controlled {
    pub(crate) spec: LawSpec,
    initial: f64,
    seed: u64,
    origin: Instant,
    mtu: u16,
    /// quinn wants what several threads may look at; who watches the connection does so between its events.
    host: Arc<Mutex<Host>>,
    pub(crate) window: u64,
}

impl Controlled {
    fn new(spec: LawSpec, initial: f64, seed: u64, origin: Instant, mtu: u16) -> Self {
        let host = Host::new(spec.build(Packets::new(initial)), seed, mtu);
        let window = host.window();
        Self { spec, initial, seed, origin, mtu, host: Arc::new(Mutex::new(host)), window }
    }

    /// Lets the host handle an event at `now`, in nanoseconds since the origin, and takes its window.
    pub(crate) fn then(&mut self, handle: impl FnOnce(&mut Host)) {
        let mut host = lock(&self.host);
        handle(&mut host);
        self.window = host.window();
    }

    pub(crate) fn nanos(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.origin).as_nanos() as u64
    }

    pub(crate) fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.then(|host| host.set_mtu(mtu));
    }

    /// Slow-start threshold in bytes, and pacing rate in bit/s.
    pub(crate) fn thresholds(&self) -> (Option<u64>, Option<u64>) {
        let host = lock(&self.host);
        (host.ssthresh(), host.pacing_rate())
    }

    /// A law has no copy: another path begins with a fresh one, as RFC 9000 §9.4 asks.
    pub(crate) fn fresh(&self) -> Self {
        Self::new(self.spec, self.initial, self.seed, self.origin, self.mtu)
    }

    /// Initial window in bytes.
    pub(crate) fn first_window(&self) -> u64 {
        (self.initial * f64::from(self.mtu)) as u64
    }
}

impl Controller for Controlled {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        let now = self.nanos(now);
        self.then(|host| host.sent(now, bytes));
    }

    fn on_ack(&mut self, _now: Instant, sent: Instant, bytes: u64, _app_limited: bool, _rtt: &RttEstimator) {
        let sent = self.nanos(sent);
        self.then(|host| host.acked(sent, bytes));
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _largest: Option<u64>) {
        let now = self.nanos(now);
        self.then(|host| host.end_acks(now, in_flight, app_limited));
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        let (now, sent) = (self.nanos(now), self.nanos(sent));
        self.then(|host| match lost_bytes {
            0 => host.marked(now, sent),
            bytes => host.lost(now, sent, is_persistent_congestion, bytes),
        });
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.set_mtu(new_mtu);
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window;
        (metrics.ssthresh, metrics.pacing_rate) = self.thresholds();
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.fresh())
    }

    fn initial_window(&self) -> u64 {
        self.first_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
