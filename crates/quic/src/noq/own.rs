//! noq's own controllers.

#![expect(clippy::disallowed_types, reason = "noq tells the time by std's Instant")]

use crate::debugged::{before, field};
use noq_proto::congestion::{Bbr3Config, Controller, ControllerFactory, CubicConfig, NewRenoConfig};
use std::sync::Arc;
use std::time::Instant;

/// Controller of noq with the name of a law of Windward.
pub struct Own(Box<dyn Controller>);

impl Own {
    /// Controller of the name of a law with an initial window of `window` bytes; `None` if noq has none.
    pub fn new(name: &str, window: u64, now: Instant, mtu: u16) -> Option<Self> {
        Some(Self(match name {
            "reno" => {
                let mut config = NewRenoConfig::default();
                config.initial_window(window);
                Arc::new(config).build(now, mtu)
            }
            "cubic" => {
                let mut config = CubicConfig::default();
                config.initial_window(window);
                Arc::new(config).build(now, mtu)
            }
            "bbr3" => {
                let mut config = Bbr3Config::default();
                config.initial_window(window);
                Arc::new(config).build(now, mtu)
            }
            _ => return None,
        }))
    }

    pub fn get(&self) -> &dyn Controller {
        self.0.as_ref()
    }

    pub fn get_mut(&mut self) -> &mut dyn Controller {
        self.0.as_mut()
    }

    pub fn copy(&self) -> Self {
        Self(self.0.clone_box())
    }

    /// Reports the state of BBRv3 by the names that `bbr3` of Windward has: phase, bounds in packets of `mtu` bytes,
    /// rates in packets a second, and the minimum RTT in seconds.
    pub fn observe(&self, mtu: f64, sink: &mut dyn FnMut(&str, f64)) {
        // The records of all packets in flight are behind what is read.
        let text = before(&self.0, "packets");
        let phases =
            ["Startup", "Drain", "ProbeBw(Down)", "ProbeBw(Cruise)", "ProbeBw(Refill)", "ProbeBw(Up)", "ProbeRtt"];
        let Some(phase) = field(&text, "state").and_then(|state| phases.iter().position(|own| *own == state)) else {
            return;
        };
        let value = |name: &str| field(&text, name).and_then(|value| value.parse::<f64>().ok());
        // Without a bound there is none to show.
        let packets = |name: &str| value(name).filter(|value| *value < UNBOUNDED).map_or(0.0, |value| value / mtu);
        let min_rtt = field(&text, "min_rtt").and_then(seconds).filter(|rtt| *rtt < UNKNOWN_RTT);
        sink("max_bw", packets("max_bw"));
        sink("bw", packets("bw"));
        sink("min_rtt", min_rtt.unwrap_or(0.0));
        sink("phase", phase as f64);
        sink("inflight_longterm", packets("inflight_longterm"));
        sink("inflight_shortterm", packets("inflight_shortterm"));
    }
}

/// Least value that stands for no bound: noq has `u64::MAX`.
const UNBOUNDED: f64 = 1e18;

/// Least round trip in seconds that stands for none: noq has `u64::MAX`.
const UNKNOWN_RTT: f64 = 1e9;

/// Seconds of a time as `std` shows it.
fn seconds(text: &str) -> Option<f64> {
    let units = [("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    units.iter().find_map(|(unit, factor)| Some(text.strip_suffix(unit)?.parse::<f64>().ok()? * factor))
}
