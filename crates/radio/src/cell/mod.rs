//! A slotted cell: fading channels, adaptive modulation and coding, per-station queues, a scheduler.

pub mod amc;
pub mod channel;
mod config;
mod scheduler;
mod slots;
mod station;

pub use config::{Average, CellConfig, MeanChange, Repair, Service, StationConfig};
pub(super) use scheduler::Scheduler;
pub use scheduler::{Candidate, Choose, SchedulerConfig, Slot};
pub use slots::Cell;
pub use station::CellStationStats;
