//! The format: what is accepted and what it becomes, what is refused and in which words.

mod aggregation;
mod backlog_csma;
mod backpressure;
mod cells;
mod changes;
mod compile;
mod extremes;
mod marks;
mod max_weight;
mod optimum;
mod properties;
mod recordings;
mod refused;
mod regions;
mod routing;
mod scenarios;
mod schema;
mod small_queues;
mod stack;
mod wifi;
mod windows;
