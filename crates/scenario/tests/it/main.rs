//! The format: what is accepted and what it becomes, what is refused and in which words.

mod cells;
mod compile;
mod extremes;
mod properties;
mod recordings;
mod refused;
mod scenarios;
mod schema;
mod small_queues;
mod stack;
mod windows;
