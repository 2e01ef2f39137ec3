//! Timings and rules of the MAC: the standard's, with the changes of the mode and of the table.

use super::check::Check;
use crate::check::common::{given_of, ratio};
use crate::format::wifi::{Access, Mode, Standard, Timing, seven};
use windward_sim::wifi::{Mac, Phy};
use windward_units::BitRate;

/// Attempts of a frame above the RTS threshold (IEEE 802.11-2020, dot11LongRetryLimit).
const LONG_RETRIES: u32 = 4;

impl Check<'_> {
    /// The physical layer and the MAC.
    pub fn mac(&mut self) -> (Phy, Mac) {
        let wifi = self.wifi;
        let slowest = wifi.basic_rate.map_or(slowest(wifi.standard), |rate| rate.0);
        let phy = match wifi.standard {
            Standard::B => Phy::B,
            Standard::A => Phy::A,
            Standard::G => Phy::G,
            Standard::Bianchi => Phy::BIANCHI,
            Standard::N | Standard::Ac | Standard::Ax => unreachable!("EDCA has its own check"),
        };
        let mut mac = match wifi.standard {
            Standard::Bianchi => Mac { basic_rate: slowest, ..Mac::bianchi() },
            _ => Mac {
                short_retries: Some(wifi.short_retries.0),
                long_retries: Some(wifi.long_retries.map_or(LONG_RETRIES, |count| count.0)),
                ..Mac::standard(slowest)
            },
        };
        let timing = wifi.timing.clone().unwrap_or_default();
        self.check_timing(&timing);
        let phy = self.phy(phy, &timing);
        if wifi.mode == Mode::Ns2 {
            mac = mac.of_ns2(&phy);
        }
        mac.rts_threshold = wifi.rts_threshold.map(|threshold| threshold.0).or(mac.rts_threshold);
        self.check_retries(mac.rts_threshold.is_some());
        mac.capture = wifi.reach.capture.map(|least| ratio(least.0)).or(mac.capture);
        mac.uses_eifs = timing.eifs.unwrap_or(mac.uses_eifs);
        mac.overhead = timing.overhead.map_or(mac.overhead, |bytes| bytes.0);
        mac.timeout = timing.timeout.map(|span| span.0).or(mac.timeout);
        let answer = phy.sifs + phy.propagation + phy.propagation;
        if let Some(timeout) = mac.timeout.filter(|timeout| *timeout <= answer) {
            let message = format!("a timeout of {timeout} ends before an answer can begin, after {answer}");
            self.refuse(["timing".into(), "timeout".into()], message, None);
        }
        (phy, mac)
    }

    /// Refuses limits of retries that no frame reaches.
    fn check_retries(&mut self, has_rts: bool) {
        let wifi = self.wifi;
        let is_ideal = matches!(wifi.access.0, Access::Ideal(_) | Access::MaxWeight(_));
        let given = [("short_retries", wifi.short_retries != seven()), ("long_retries", wifi.long_retries.is_some())];
        for key in given_of(given) {
            let why = match wifi.standard {
                Standard::Bianchi => "Bianchi's model has no limit of retries",
                _ if is_ideal => "ideal access has no retries: every packet is one attempt",
                _ if key == "long_retries" && !has_rts => "it is for frames above `rts_threshold`, and none is given",
                _ => continue,
            };
            self.refuse([key.into()], format!("`{key}` has no effect: {why}"), Some("leave it out"));
        }
    }

    /// Refuses timings of contention where access is ideal.
    fn check_timing(&mut self, timing: &Timing) {
        if !matches!(self.wifi.access.0, Access::Ideal(_) | Access::MaxWeight(_)) {
            return;
        }
        let given = [
            ("slot", timing.slot.is_some()),
            ("timeout", timing.timeout.is_some()),
            ("cw_min", timing.cw_min.is_some()),
            ("cw_max", timing.cw_max.is_some()),
            ("eifs", timing.eifs.is_some()),
        ];
        for key in given_of(given) {
            let message = format!("`{key}` has no effect under ideal access, which has no contention windows");
            self.refuse(["timing".into(), key.into()], message, Some("leave it out, or access = \"dcf\""));
        }
    }

    fn phy(&mut self, phy: Phy, timing: &Timing) -> Phy {
        let phy = Phy {
            slot: timing.slot.map_or(phy.slot, |span| span.0),
            sifs: timing.sifs.map_or(phy.sifs, |span| span.0),
            difs: timing.difs.map_or(phy.difs, |span| span.0),
            preamble: timing.preamble.map_or(phy.preamble, |span| span.0),
            propagation: timing.propagation.map_or(phy.propagation, |span| span.0),
            cw_min: timing.cw_min.map_or(phy.cw_min, |count| count.0),
            cw_max: timing.cw_max.map_or(phy.cw_max, |count| count.0),
            ..phy
        };
        let mut must = |holds: bool, key: &'static str, message: String| {
            if !holds {
                self.refuse(["timing".into(), key.into()], message, None);
            }
        };
        must(phy.difs > phy.sifs, "difs", format!("DIFS ({}) must be longer than SIFS ({})", phy.difs, phy.sifs));
        let least = phy.sifs.as_nanos().min(phy.slot.as_nanos());
        let message = format!(
            "the propagation delay ({}) must be shorter than SIFS ({}) and a slot ({})",
            phy.propagation, phy.sifs, phy.slot
        );
        must(phy.propagation.as_nanos() < least, "propagation", message);
        let message = format!("cw_max ({}) must be at least cw_min ({})", phy.cw_max, phy.cw_min);
        must(phy.cw_max >= phy.cw_min, "cw_max", message);
        phy
    }
}

const fn mbit(rate: u64) -> BitRate {
    BitRate::bits_per_sec(rate * 1_000_000)
}

/// Default rate of data frames.
pub(super) const fn fastest(standard: Standard) -> BitRate {
    match standard {
        Standard::B => mbit(11),
        Standard::A | Standard::G | Standard::N | Standard::Ac | Standard::Ax => mbit(54),
        Standard::Bianchi => mbit(1),
    }
}

const fn slowest(standard: Standard) -> BitRate {
    match standard {
        Standard::B | Standard::Bianchi => mbit(1),
        Standard::A | Standard::G | Standard::N | Standard::Ac | Standard::Ax => mbit(6),
    }
}
