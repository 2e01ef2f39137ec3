//! Rate control by SNR: the highest rate whose threshold the receiver's last answer reported.

use crate::medium::wifi::ppdu::{Mode, Width};
use libm::log10;

/// Bit error probability at a rate's threshold (ns-3's `BerThreshold`).
pub const BIT_ERRORS: f64 = 1e-6;

/// Lowest and highest SNR between which a threshold is searched, in decibels.
const RANGE: (f64, f64) = (-30.0, 80.0);

/// Least SNR in decibels, to 1e-6 dB, at which `error_rate` is at most `most`; `error_rate` falls with the SNR.
pub fn least_snr(most: f64, error_rate: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = RANGE;
    while high - low > 1e-6 {
        let middle = 0.5 * (low + high);
        if error_rate(middle) > most { low = middle } else { high = middle }
    }
    high
}

/// Rate control by SNR towards one receiver.
#[derive(Clone, Debug)]
pub struct Ideal {
    /// Rates and their thresholds in decibels, the fastest first.
    rates: Box<[(Mode, f64)]>,
    current: Mode,
    attempts: u8,
}

impl Ideal {
    /// The lowest of `modes`, which must not be empty, until an answer reports an SNR. `threshold` is the least SNR of
    /// a mode in decibels, in its own width; a PPDU has `attempts` attempts.
    pub fn new(modes: impl IntoIterator<Item = Mode>, threshold: impl Fn(Mode) -> f64, attempts: u8) -> Self {
        let mut rates: Box<[_]> = modes.into_iter().map(|mode| (mode, threshold(mode))).collect();
        // The lower threshold first among equal rates.
        rates.sort_by(|(a, at), (b, bt)| b.bits_per_sec().cmp(&a.bits_per_sec()).then(at.total_cmp(bt)));
        let lowest = rates.iter().min_by_key(|(mode, _)| mode.bits_per_sec()).map(|(mode, _)| *mode);
        let Some(current) = lowest else { unreachable!("rate control by SNR needs a rate") };
        Self { rates, current, attempts }
    }

    /// Mode of the next PPDU, and its attempts.
    pub const fn choice(&self) -> (Mode, u8) {
        (self.current, self.attempts)
    }

    /// SNR in decibels that the receiver measured over `width`, also of a PPDU whose MPDUs all failed.
    pub fn heard(&mut self, snr: f64, width: Width) {
        let in_width = |mode: Mode| snr + 10.0 * log10(f64::from(width.mhz()) / f64::from(mode.width().mhz()));
        let fit = self.rates.iter().find(|(mode, threshold)| *threshold <= in_width(*mode));
        let lowest = self.rates[self.rates.len() - 1];
        self.current = fit.unwrap_or(&lowest).0;
    }
}
