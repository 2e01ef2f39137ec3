//! Runs of scenarios on worker threads, and episodes.

mod episodes;
mod job;
