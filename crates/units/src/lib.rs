//! Quantities of a network as types that do not mix.
//!
//! [`Time`] and [`Duration`] count nanoseconds in `u64`. [`Packets`] and [`PacketRate`] are `f64`, because the
//! papers' windows are real numbers. [`Bytes`] and [`BitRate`] are `u64` and live only at the edge: control laws
//! compute in packets, and the host converts once.
//!
//! None of them implements `Deref` or `From<f64>`: a wrong mix must not compile.
//! Every type reads and prints the words people write: `"20 ms"`, `"10 Mbit/s"`, `"1.5 kB"`, `"200 packets"`.

#![forbid(unsafe_code)]

mod amount;
mod control;
mod mix;
mod radio;
mod text;
mod time;

pub use amount::{BitRate, Bytes, PacketRate, Packets};
pub use control::Control;
pub use mix::splitmix64;
pub use radio::{Decibels, Distance, Frequency, PowerLevel, Speed, SymbolRate};
pub use text::{ParseError, Quantity, split};
pub use time::{Duration, Time};
