//! Plays packetdrill's scripts against the simulator's TCP.
//!
//! A script says which segments arrive when, and which must be sent. The [player](play) gives the first to the sender
//! and the receiver that the simulator's flows run ([`windward_sim::socket`]) and compares what they send. None of
//! packetdrill's scripts is part of this: they are fetched apart.

#![forbid(unsafe_code)]

mod assertion;
mod bytes;
mod judge;
mod notes;
pub mod page;
mod parse;
pub mod play;
mod reader;
mod script;
mod settings;

pub use judge::judge;
pub use play::Verdict;
