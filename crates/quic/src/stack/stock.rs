//! Controllers of connections that can be watched.

#![expect(clippy::disallowed_types, reason = "the stacks tell the time by std's Instant")]

use super::own::Own;
use super::proto::RttEstimator;
use super::proto::congestion::{Controller, ControllerFactory};
use crate::controller::{Controlled, Laws, lock};
use crate::host::Host;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;
use windward_laws::LawSpec;
use windward_units::{Duration, Packets};

impl ControllerFactory for Laws {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(self.control(now, current_mtu))
    }
}

/// A law for one connection, which can be watched.
pub(crate) struct Watched {
    spec: LawSpec,
    is_own: bool,
    initial: f64,
    seed: u64,
    seen: OnceLock<Seen>,
}

/// State of a connection under a law of Windward, or a controller of the stack.
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

impl Watched {
    /// Law with an initial window of `initial` packets; the stack's own controller of its name if it `is_own`.
    pub fn new(spec: LawSpec, is_own: bool, initial: f64, seed: u64) -> Self {
        Self { spec, is_own, initial, seed, seen: OnceLock::new() }
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
        let stock = self.is_own.then(|| Stock::new(&self.spec, self.initial, now, current_mtu)).flatten();
        if let Some(stock) = stock.map(|stock| Arc::new(Mutex::new(stock))) {
            self.seen.get_or_init(|| Seen::Stock(Arc::clone(&stock)));
            return Box::new(Stocked::new(stock));
        }
        let controlled = Controlled::new(self.spec, self.initial, self.seed, now, current_mtu);
        self.seen.get_or_init(|| Seen::Host(Arc::clone(&controlled.host)));
        Box::new(controlled)
    }
}

/// Figures of a connection under a controller of the stack.
pub struct Stock {
    pub own: Own,
    mtu: f64,
    flight: u64,
    srtt: Duration,
    last_rtt: Duration,
    /// Time at which the newest of the packets that are being acknowledged was sent.
    newest: Option<Instant>,
    /// Time of the last reduction.
    reduced: Option<Instant>,
    reductions: [u64; 2],
    rtts: Option<Vec<Duration>>,
}

impl Stock {
    /// Controller of the name of `law` with an initial window of `initial` packets; `None` if the stack has none.
    pub fn new(law: &LawSpec, initial: f64, now: Instant, mtu: u16) -> Option<Self> {
        let window = (initial * f64::from(mtu)) as u64;
        let own = Own::new(law.name(), window, now, mtu)?;
        Some(Self::of(own, mtu))
    }

    fn of(own: Own, mtu: u16) -> Self {
        Self {
            own,
            mtu: f64::from(mtu),
            flight: 0,
            srtt: Duration::ZERO,
            last_rtt: Duration::ZERO,
            newest: None,
            reduced: None,
            reductions: [0; 2],
            rtts: None,
        }
    }

    /// Window in packets.
    pub fn cwnd(&self) -> Packets {
        Packets::new(self.own.get().window() as f64 / self.mtu)
    }

    /// Packets in flight, rounded.
    pub fn flight(&self) -> u32 {
        (self.flight as f64 / self.mtu).round() as u32
    }

    /// Smoothed and latest RTT; zero before the first sample.
    pub fn rtts(&self) -> (Duration, Duration) {
        (self.srtt, self.last_rtt)
    }

    /// Reductions by losses, and by persistent congestion.
    pub fn reductions(&self) -> [u64; 2] {
        self.reductions
    }

    /// Takes the RTT samples since the last call; the first call begins to keep them.
    pub fn take_rtts(&mut self, sink: &mut dyn FnMut(Duration)) {
        self.rtts.get_or_insert_default().drain(..).for_each(sink);
    }

    /// Reports the threshold of slow start, and what the controller shows.
    pub fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        if let Some(ssthresh) = self.own.get().metrics().ssthresh.filter(|ssthresh| *ssthresh < u64::MAX) {
            sink("ssthresh", ssthresh as f64 / self.mtu);
        }
        self.own.observe(self.mtu, sink);
    }

    /// Handles the departure of `bytes` that count as in flight.
    pub fn sent(&mut self, bytes: u64) {
        self.flight += bytes;
    }

    /// Handles the acknowledgement of a packet sent at `sent`.
    pub fn acked(&mut self, sent: Instant, rtt: &RttEstimator) {
        self.newest = Some(sent);
        self.srtt = Duration::from_nanos(rtt.get().as_nanos() as u64);
    }

    /// Handles the end of the acknowledgements that have come together.
    pub fn end_acks(&mut self, now: Instant, in_flight: u64) {
        self.flight = in_flight;
        if let Some(sent) = self.newest.take() {
            self.last_rtt = Duration::from_nanos(now.saturating_duration_since(sent).as_nanos() as u64);
            if let Some(rtts) = &mut self.rtts {
                rtts.push(self.last_rtt);
            }
        }
    }

    /// Handles a loss of `bytes`, or a mark of none, of which the newest packet was sent at `sent`.
    pub fn congested(&mut self, now: Instant, sent: Instant, is_persistent: bool, bytes: u64) {
        // RFC 9002 §7.3.2: one reduction for all that was sent before it.
        if is_persistent {
            self.reductions[1] += 1;
        } else if self.reduced.is_none_or(|until| sent > until) {
            self.reductions[0] += u64::from(bytes > 0);
            self.reduced = Some(now);
        }
        self.flight = self.flight.saturating_sub(bytes);
    }

    /// Handles another size of full datagrams.
    pub fn set_mtu(&mut self, mtu: u16) {
        self.mtu = f64::from(mtu);
    }
}

/// A controller of the stack for one connection, which can be watched.
pub struct Stocked {
    stock: Arc<Mutex<Stock>>,
}

impl fmt::Debug for Stocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stocked").finish_non_exhaustive()
    }
}

impl Stocked {
    /// Controller with its figures.
    pub fn new(stock: Arc<Mutex<Stock>>) -> Self {
        Self { stock }
    }

    /// Lets the controller act, and keeps its figures.
    pub fn with<T>(&self, act: impl FnOnce(&mut Stock) -> T) -> T {
        act(&mut lock(&self.stock))
    }

    /// A connection on another path, with a copy of the controller.
    pub fn copy(&self) -> Self {
        let copy = self.with(|stock| Stock::of(stock.own.copy(), stock.mtu as u16));
        Self::new(Arc::new(Mutex::new(copy)))
    }
}
