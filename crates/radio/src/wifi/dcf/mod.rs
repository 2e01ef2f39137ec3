//! Distributed coordination function, IEEE 802.11-2016, §10.3: contention, exchanges, retries and routing protocols.

mod air;
mod contend;
mod discipline;
mod exchange;
mod mac;
mod managed;
mod messages;
mod report;
mod routing;
mod station;
mod times;
mod waiting;

#[cfg(test)]
mod tests;

pub use routing::Wifi;
