//! Linux's queues for Wi-Fi: FQ-CoDel for each station and TID, airtime fairness and airtime queue limits (AQL).
//!
//! Packets wait in transmit queues (TXQs), one per station and traffic identifier (TID). All TXQs of a radio share flow
//! queues and limits. A driver asks for the next TXQ of an access category, takes packets and gives the TXQ back.
//! The scheduler is deficit round robin in microseconds of airtime. AQL bounds the estimated airtime below the TXQs.
//!
//! Linux 6.12 to 6.18: `include/net/fq_impl.h`, `net/mac80211/tx.c`, `airtime.c` and `sta_info.c`.

mod airtime;
mod config;
mod estimate;
mod flows;
mod radio;

#[cfg(test)]
mod tests;

pub use crate::wifi::category::Category;
pub use config::{Aql, Discipline, FlowsConfig, TxqConfig, truesize};
pub use estimate::Estimator;
pub use radio::{StationId, Taken, Txq, Txqs};

/// No entry of a list.
const NONE: u32 = u32::MAX;
