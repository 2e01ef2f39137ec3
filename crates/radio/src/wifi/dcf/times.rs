//! Constant times and power ratios of a network.

use crate::wifi::config::{ACK, CTS, RTS, WifiConfig};
use windward_units::Duration;

/// Constant times and power ratios.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub slot: Duration,
    pub sifs: Duration,
    pub difs: Duration,
    pub propagation: Duration,
    /// EIFS after the end of a frame with errors; `None`: DIFS.
    pub eifs: Option<Duration>,
    pub timeout: Duration,
    pub preamble: Duration,
    /// NAVTimeout, from the end of an RTS.
    pub reservation: Duration,
    pub rts: Duration,
    pub cts: Duration,
    pub ack: Duration,
    /// Required power ratio of preambles and headers: that of the lowest rate.
    pub header_required: f64,
    /// Required power ratio of frames at the basic rate.
    pub control_required: f64,
}

impl Times {
    /// Computes the times of the network of `config`.
    pub fn new(config: &WifiConfig) -> Self {
        let WifiConfig { phy, mac, .. } = config;
        let control = |bytes| phy.air_time(bytes, mac.basic_rate);
        Self {
            slot: phy.slot,
            sifs: phy.sifs,
            difs: phy.difs,
            propagation: phy.propagation,
            // With an ACK at the lowest rate.
            eifs: mac.uses_eifs.then(|| phy.sifs + phy.air_time(ACK, phy.coding.slowest()) + phy.difs),
            timeout: mac.timeout.unwrap_or(phy.sifs + phy.slot + phy.preamble),
            preamble: phy.preamble,
            reservation: phy.sifs * 2 + control(CTS) + phy.preamble + phy.slot * 2,
            rts: control(RTS),
            cts: control(CTS),
            ack: control(ACK),
            header_required: config.required(phy.coding.slowest()),
            control_required: config.required(mac.basic_rate),
        }
    }
}
