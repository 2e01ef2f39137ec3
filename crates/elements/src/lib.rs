//! Elements of a packet network, which take the time as an argument and know no transport.
//!
//! Simulator and emulator run the same queues and links. The engine is a calendar of events with random streams.

#![forbid(unsafe_code)]

pub mod backpressure;
pub mod coding;
pub mod csv;
pub mod ecn;
pub mod engine;
pub mod link;
pub mod node;
pub mod packet;
pub mod queue;
pub mod size;
pub mod status;
