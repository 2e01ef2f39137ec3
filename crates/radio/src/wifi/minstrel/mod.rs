//! Minstrel-HT, the rate control of Linux's mac80211, decision by decision, in integers; rate control by SNR; fixed
//! rates.
//!
//! Statistics are closed every 50 ms: the success probability of each rate, low-pass filtered, gives the four rates
//! with the highest throughput and the most robust one. A PPDU is sent along a chain of four rates. Up to fifty times a
//! second a PPDU probes another rate.
//!
//! Linux 6.12 to 6.18, `net/mac80211/rc80211_minstrel_ht.c`. HE's groups follow the same rules; Linux leaves HE to
//! firmware. CCK and OFDM rates are left out.

mod capabilities;
mod chain;
mod control;
mod groups;
mod ideal;
mod receiver;
mod retry;
mod sample;
mod select;
mod sender;
mod stats;

#[cfg(test)]
mod tests;

pub use capabilities::Capabilities;
pub use chain::{Chain, STAGES, Stage};
pub use control::RateControl;
pub use ideal::Ideal;
pub use sample::SampleTable;
pub use sender::Minstrel;
