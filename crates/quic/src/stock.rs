//! quinn's own controllers, and what they show.

#![expect(clippy::disallowed_types, reason = "quinn tells the time by std's Instant")]

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{
    Bbr, BbrConfig, Controller, ControllerFactory, ControllerMetrics, CubicConfig, NewRenoConfig,
};
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use windward_laws::LawSpec;
use windward_units::{Duration, Packets};

/// Controller of quinn with the name of a law of Windward.
enum Inner {
    Plain(Box<dyn Controller>),
    Bbr(Box<Bbr>),
}

impl Inner {
    fn get(&self) -> &dyn Controller {
        match self {
            Self::Plain(inner) => inner.as_ref(),
            Self::Bbr(inner) => inner.as_ref(),
        }
    }

    fn get_mut(&mut self) -> &mut dyn Controller {
        match self {
            Self::Plain(inner) => inner.as_mut(),
            Self::Bbr(inner) => inner.as_mut(),
        }
    }

    fn copy(&self) -> Self {
        match self {
            Self::Plain(inner) => Self::Plain(inner.clone_box()),
            Self::Bbr(inner) => Self::Bbr(inner.clone()),
        }
    }
}

/// Figures of a connection under a controller of quinn.
pub struct Stock {
    inner: Inner,
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
    /// Controller of the name of `law` with an initial window of `initial` packets; `None` if quinn has none.
    pub fn new(law: &LawSpec, initial: f64, now: Instant, mtu: u16) -> Option<Self> {
        let window = (initial * f64::from(mtu)) as u64;
        let inner = match law.name() {
            "reno" => {
                let mut config = NewRenoConfig::default();
                config.initial_window(window);
                Inner::Plain(Arc::new(config).build(now, mtu))
            }
            "cubic" => {
                let mut config = CubicConfig::default();
                config.initial_window(window);
                Inner::Plain(Arc::new(config).build(now, mtu))
            }
            "bbr" => {
                let mut config = BbrConfig::default();
                config.initial_window(window);
                Inner::Bbr(Box::new(Bbr::new(Arc::new(config), mtu)))
            }
            _ => return None,
        };
        Some(Self::of(inner, mtu))
    }

    fn of(inner: Inner, mtu: u16) -> Self {
        Self {
            inner,
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
        Packets::new(self.inner.get().window() as f64 / self.mtu)
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

    /// Reports the threshold of slow start and, of BBR, its mode and its estimate of the bandwidth in packets a second.
    /// The phases of BBR's gain have another beginning at every run, and no effect on what is sent: they are not shown.
    pub fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        if let Some(ssthresh) = self.inner.get().metrics().ssthresh.filter(|ssthresh| *ssthresh < u64::MAX) {
            sink("ssthresh", ssthresh as f64 / self.mtu);
        }
        let Inner::Bbr(bbr) = &self.inner else { return };
        // quinn shows the state of its BBR to a debugger alone.
        let text = format!("{bbr:?}");
        let modes = ["mode: Startup", "mode: Drain", "mode: ProbeBw", "mode: ProbeRtt"];
        if let Some(mode) = modes.iter().position(|mode| text.contains(mode)) {
            sink("mode", mode as f64);
        }
        let bandwidth = after(&text, "max_filter: ").and_then(|rest| after(rest, "value: ")).and_then(number);
        if let Some(bandwidth) = bandwidth {
            sink("bandwidth", bandwidth / self.mtu);
        }
    }
}

/// The part of a text behind a word.
fn after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.split_once(word).map(|(_, rest)| rest)
}

/// Number with which a text begins.
fn number(text: &str) -> Option<f64> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// A controller of quinn for one connection, which can be watched.
pub struct Stocked {
    stock: Arc<Mutex<Stock>>,
}

impl Stocked {
    /// Controller with its figures.
    pub fn new(stock: Arc<Mutex<Stock>>) -> Self {
        Self { stock }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Stock) -> T) -> T {
        act(&mut self.stock.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Controller for Stocked {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        self.with(|stock| {
            stock.flight += bytes;
            stock.inner.get_mut().on_sent(now, bytes, last_packet_number);
        });
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, rtt: &RttEstimator) {
        self.with(|stock| {
            stock.newest = Some(sent);
            stock.srtt = Duration::from_nanos(rtt.get().as_nanos() as u64);
            stock.inner.get_mut().on_ack(now, sent, bytes, app_limited, rtt);
        });
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        self.with(|stock| {
            stock.flight = in_flight;
            if let Some(sent) = stock.newest.take() {
                stock.last_rtt = Duration::from_nanos(now.saturating_duration_since(sent).as_nanos() as u64);
                if let Some(rtts) = &mut stock.rtts {
                    rtts.push(stock.last_rtt);
                }
            }
            stock.inner.get_mut().on_end_acks(now, in_flight, app_limited, largest);
        });
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        self.with(|stock| {
            // RFC 9002 §7.3.2: one reduction for all that was sent before it.
            if is_persistent_congestion {
                stock.reductions[1] += 1;
            } else if stock.reduced.is_none_or(|until| sent > until) {
                stock.reductions[0] += u64::from(lost_bytes > 0);
                stock.reduced = Some(now);
            }
            stock.flight = stock.flight.saturating_sub(lost_bytes);
            stock.inner.get_mut().on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
        });
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.with(|stock| {
            stock.mtu = f64::from(new_mtu);
            stock.inner.get_mut().on_mtu_update(new_mtu);
        });
    }

    fn window(&self) -> u64 {
        self.with(|stock| stock.inner.get().window())
    }

    fn metrics(&self) -> ControllerMetrics {
        self.with(|stock| stock.inner.get().metrics())
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        let copy = self.with(|stock| Stock::of(stock.inner.copy(), stock.mtu as u16));
        Box::new(Self::new(Arc::new(Mutex::new(copy))))
    }

    fn initial_window(&self) -> u64 {
        self.with(|stock| stock.inner.get().initial_window())
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
