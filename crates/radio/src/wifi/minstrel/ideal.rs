//! Rate control by SNR: the fastest rate whose threshold the receiver's last answer reached.

use crate::wifi::ppdu::{Mode, Width};
use libm::log10;

/// Rate control by SNR towards one receiver.
#[derive(Clone, Debug)]
pub struct Ideal {
    /// Rates and their thresholds in decibels, the fastest first.
    rates: Box<[(Mode, f64)]>,
    current: Mode,
    attempts: u8,
}

impl Ideal {
    /// The lowest of `rates`, which must not be empty, until an answer reports an SNR. Each has the SNR in decibels, in
    /// its own width, from which on it is better than slower ones; a PPDU has `attempts` attempts.
    pub fn new(rates: impl IntoIterator<Item = (Mode, f64)>, attempts: u8) -> Self {
        let mut rates: Box<[_]> = rates.into_iter().collect();
        // The higher threshold first among equal rates.
        rates.sort_by(|(a, at), (b, bt)| b.bits_per_sec().cmp(&a.bits_per_sec()).then(bt.total_cmp(at)));
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
