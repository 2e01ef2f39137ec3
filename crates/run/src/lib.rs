//! The seeds of a scenario, simulated or emulated by worker threads.
//!
//! A [`Job`] is started once and polled until it is done. It reports the progress of each seed, returns finished
//! results and can be cancelled. The first failure ends it. A [`Task`] defines the work per seed: [`Simulations`], or
//! `Emulations` on Linux. Below it a [`Pool`] accepts work of any kind as long as there is some, and continues after
//! failures.
//!
//! [`Episodes`] are runs whose windows agents set, interval by interval, for environments of reinforcement learning.

#![forbid(unsafe_code)]

mod capture;
#[cfg(target_os = "linux")]
mod emulations;
mod episode;
mod fuse;
mod job;
mod pool;
mod simulations;
mod stack;

#[cfg(target_os = "linux")]
pub use emulations::Emulations;
pub use episode::{
    Action, Beginning, Ending, Episode, EpisodeSettings, Episodes, Every, FEATURES, FIGURES, OF_NETWORK, Piece, Results,
};
pub use fuse::Fuse;
pub use job::{AlreadyStarted, Captures, Error, Job, PacketFiles, Seed, Task};
pub use pool::{Otherwise, Pool, Work, panic_text};
pub use simulations::Simulations;
pub use stack::{MissingStack, Stack, check_stacks};
