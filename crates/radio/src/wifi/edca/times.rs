//! Constant times of a network.

use super::config::EdcaConfig;
use crate::wifi::ppdu::{ACK, BAR_BYTES, CTS, Mode, RTS, answer_rate_of, block_ack_bytes};
use windward_units::{BitRate, Duration};

/// Durations of the control frames at one basic rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    /// The rate in Mbit/s.
    pub mbit: u64,
    pub rts: Duration,
    pub cts: Duration,
    pub ack: Duration,
    pub block_ack: Duration,
    pub request: Duration,
}

/// Constant times.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub slot: Duration,
    pub sifs: Duration,
    pub propagation: Duration,
    /// From the end of a frame with errors to the start of an interframe space: SIFS and an ACK at the lowest rate.
    pub after_error: Duration,
    /// From the end of a frame to the time at which its answer must have begun.
    pub timeout: Duration,
    /// Preamble by which a frame is detected.
    pub preamble: Duration,
    /// Bytes of a BlockAck.
    pub block_ack_bytes: u32,
    /// Control frames at each basic rate.
    controls: Vec<Control>,
    /// Index of the answers' rate by MCS.
    of_mcs: [u8; 12],
}

impl Times {
    /// Computes the times of a network.
    pub fn new(config: &EdcaConfig) -> Self {
        let phy = &config.phy;
        let at = |mbit: u64, bytes| phy.air_time(bytes, BitRate::bits_per_sec(mbit * 1_000_000));
        let block_ack = block_ack_bytes(u64::from(config.block_ack.window));
        let control = |&mbit: &u64| Control {
            mbit,
            rts: at(mbit, RTS),
            cts: at(mbit, CTS),
            ack: at(mbit, ACK),
            block_ack: at(mbit, block_ack),
            request: at(mbit, BAR_BYTES),
        };
        Self {
            slot: phy.slot,
            sifs: phy.sifs,
            propagation: phy.propagation,
            after_error: phy.sifs + phy.air_time(ACK, phy.coding.slowest()),
            timeout: phy.sifs + phy.slot + phy.preamble + phy.propagation * 2,
            preamble: phy.preamble,
            block_ack_bytes: block_ack as u32,
            controls: config.basic_rates.iter().map(control).collect(),
            of_mcs: std::array::from_fn(|mcs| {
                let wanted = answer_rate_of(mcs, &config.basic_rates);
                config.basic_rates.iter().position(|&rate| rate == wanted).unwrap_or(0) as u8
            }),
        }
    }

    /// Control frames in answer to data at `mode`.
    #[inline]
    pub fn control(&self, mode: Mode) -> &Control {
        &self.controls[self.of_mcs[usize::from(mode.mcs())] as usize]
    }

    /// Duration of a CTS at a basic rate.
    pub fn cts(&self, mbit: u64) -> Duration {
        let known = self.controls.iter().find(|control| control.mbit == mbit);
        known.map_or(Duration::ZERO, |control| control.cts)
    }
}
