//! The seeds of a scenario, simulated or emulated by worker threads.
//!
//! A [`Job`] is started once and polled until it is done. It tells how far each seed is, hands over what has finished, and
//! can be cancelled; the first failure ends it. What it does with a seed is a [`Task`]: [`Simulations`], or `Emulations` on
//! Linux. A [`Pool`] takes work of any kind for as long as there is some, and no failure ends it.

#![forbid(unsafe_code)]

mod capture;
#[cfg(target_os = "linux")]
mod emulations;
mod fuse;
mod job;
mod pool;
mod simulations;

#[cfg(target_os = "linux")]
pub use emulations::Emulations;
pub use fuse::Fuse;
pub use job::{AlreadyStarted, Error, Job, Seed, Task};
pub use pool::{Pool, Work};
pub use simulations::Simulations;
