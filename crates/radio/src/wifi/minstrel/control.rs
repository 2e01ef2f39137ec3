//! Rate controls of a sender towards one receiver.

use super::chain::{Chain, STAGES};
use super::ideal::Ideal;
use super::sender::Minstrel;
use crate::wifi::ppdu::{Mode, Width};
use windward_units::Time;

/// Rate control of a sender towards one receiver.
#[derive(Clone, Debug)]
pub enum RateControl {
    /// One rate, and the attempts of a PPDU.
    Fixed(Mode, u8),
    /// By the SNR that the receiver reports.
    Ideal(Ideal),
    /// Minstrel-HT.
    Minstrel(Box<Minstrel>),
}

impl RateControl {
    /// Chain of the next PPDU.
    #[inline]
    pub fn chain(&mut self, now: Time) -> Chain {
        match self {
            Self::Fixed(mode, attempts) => Chain::of(*mode, *attempts),
            Self::Ideal(ideal) => {
                let (mode, attempts) = ideal.choice();
                Chain::of(mode, attempts)
            }
            Self::Minstrel(minstrel) => minstrel.chain(now),
        }
    }

    /// Outcome of a PPDU; see [`Minstrel::report`].
    #[inline]
    pub fn report(&mut self, now: Time, chain: &Chain, tries: [u8; STAGES], mpdus: u16, acknowledged: u16) {
        if let Self::Minstrel(minstrel) = self {
            minstrel.report(now, chain, tries, mpdus, acknowledged);
        }
    }

    /// SNR of a PPDU in decibels, which the receiver's answer reports.
    #[inline]
    pub fn heard(&mut self, snr: f64, width: Width) {
        if let Self::Ideal(ideal) = self {
            ideal.heard(snr, width);
        }
    }
}
