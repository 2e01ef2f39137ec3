//! Windward's laws as congestion controllers of quinn, and quinn in virtual time.
//!
//! A server runs one of the laws by three lines:
//!
//! ```
//! use std::sync::Arc;
//!
//! let mut transport = quinn_proto::TransportConfig::default();
//! let law = windward_quic::Laws::named("quic-tcp")?;
//! transport.congestion_controller_factory(Arc::new(law));
//! # Ok::<(), windward_quic::Unfit>(())
//! ```
//!
//! `quinn` re-exports the types of `quinn-proto` 0.11. A law counts packets, quinn bytes: one packet is one datagram of
//! the path's MTU.
//!
//! Limits of quinn's interface, which no law can lift: it paces at 1.25 windows per round trip whatever rate a law asks
//! for, reports the bytes of a loss but not which packets, and no number of ECN marks. Laws that count marks are
//! refused. The least window is two datagrams.
//!
//! With the feature `noq`, [`Laws`] is a controller factory of noq-proto 1.4 as well, and endpoints of noq run in
//! virtual time. noq paces at a law's rate, and reports losses that were none.

#![forbid(unsafe_code)]

mod controller;
mod debugged;
mod ends;
mod host;
#[cfg(feature = "noq")]
pub mod noq;
mod quinn;
mod uploaded;

pub use controller::{Laws, Unfit};
pub use ends::{HAS_NOQ, ends};
pub use quinn::{Upload, null};
pub use uploaded::{Uploaded, bottleneck};
