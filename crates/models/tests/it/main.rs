//! Scenarios through the engines without packets, and beside packets: regions, rates, windows, refusals.

mod aggregation;
mod backlog_csma;
mod backpressure;
mod changes;
mod marks;
mod max_weight;
mod optimum;
mod refused;
mod regions;
mod routing;
mod wifi;
