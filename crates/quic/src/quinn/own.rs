//! quinn's own controllers.

#![expect(clippy::disallowed_types, reason = "quinn tells the time by std's Instant")]

use crate::debugged::{before, field};
use quinn_proto::congestion::{Bbr, BbrConfig, Controller, ControllerFactory, CubicConfig, NewRenoConfig};
use std::sync::Arc;
use std::time::Instant;

/// Controller of quinn with the name of a law of Windward.
pub enum Own {
    Plain(Box<dyn Controller>),
    Bbr(Box<Bbr>),
}

impl Own {
    /// Controller of the name of a law with an initial window of `window` bytes; `None` if quinn has none.
    pub fn new(name: &str, window: u64, now: Instant, mtu: u16) -> Option<Self> {
        Some(match name {
            "reno" => {
                let mut config = NewRenoConfig::default();
                config.initial_window(window);
                Self::Plain(Arc::new(config).build(now, mtu))
            }
            "cubic" => {
                let mut config = CubicConfig::default();
                config.initial_window(window);
                Self::Plain(Arc::new(config).build(now, mtu))
            }
            "bbr" => {
                let mut config = BbrConfig::default();
                config.initial_window(window);
                Self::Bbr(Box::new(Bbr::new(Arc::new(config), mtu)))
            }
            _ => return None,
        })
    }

    pub fn get(&self) -> &dyn Controller {
        match self {
            Self::Plain(inner) => inner.as_ref(),
            Self::Bbr(inner) => inner.as_ref(),
        }
    }

    pub fn get_mut(&mut self) -> &mut dyn Controller {
        match self {
            Self::Plain(inner) => inner.as_mut(),
            Self::Bbr(inner) => inner.as_mut(),
        }
    }

    pub fn copy(&self) -> Self {
        match self {
            Self::Plain(inner) => Self::Plain(inner.clone_box()),
            Self::Bbr(inner) => Self::Bbr(inner.clone()),
        }
    }

    /// Reports the mode of BBR and its estimate of the bandwidth in packets of `mtu` bytes a second, by the names that
    /// `bbr` of Windward has. The phases of its gain have another beginning at every run, and no effect on what is
    /// sent: they are not shown.
    pub fn observe(&self, mtu: f64, sink: &mut dyn FnMut(&str, f64)) {
        let Self::Bbr(bbr) = self else { return };
        let text = before(bbr, "loss_state");
        let modes = ["Startup", "Drain", "ProbeBw", "ProbeRtt"];
        if let Some(mode) = field(&text, "mode").and_then(|mode| modes.iter().position(|own| *own == mode)) {
            sink("mode", mode as f64);
        }
        let filter = text.split_once("max_filter: ").and_then(|(_, filter)| field(filter, "value"));
        if let Some(bandwidth) = filter.and_then(|value| value.parse::<f64>().ok()) {
            sink("bandwidth", bandwidth / mtu);
        }
    }
}
