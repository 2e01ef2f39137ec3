//! Laws for the connections of an endpoint.

#![expect(clippy::disallowed_types, reason = "the stacks tell the time by std's Instant")]

use crate::host::Host;
use serde_json::{Value, json};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use windward_laws::{LawSpec, SpecError};
use windward_units::Packets;

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

/// Locks what no other thread has.
pub(crate) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection under a law.
pub(crate) struct Controlled {
    pub(crate) spec: LawSpec,
    initial: f64,
    seed: u64,
    origin: Instant,
    mtu: u16,
    /// The stacks want what several threads may look at; who watches the connection does so between its events.
    pub(crate) host: Arc<Mutex<Host>>,
    pub(crate) window: u64,
}

impl Controlled {
    pub(crate) fn new(spec: LawSpec, initial: f64, seed: u64, origin: Instant, mtu: u16) -> Self {
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

impl fmt::Debug for Controlled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controlled").field("law", &self.spec.name()).finish_non_exhaustive()
    }
}
