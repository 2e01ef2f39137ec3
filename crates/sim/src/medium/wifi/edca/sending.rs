//! PPDU of an exchange.

use super::times::Control;
use crate::medium::wifi::ppdu::{Format, Guard, Mode, Width};
use windward_units::{Duration, Time};

/// The PPDU of the exchange in progress.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    pub session: u32,
    /// Numbers of its MPDUs.
    pub numbers: Vec<u32>,
    /// Bytes of the PSDU up to the end of each MPDU.
    pub ends: Vec<u32>,
    /// Places in `numbers` of the MPDUs that its destination did not receive, if it received any.
    pub failed: Vec<u32>,
    pub mode: Mode,
    pub duration: Duration,
    /// True if the answer is an ACK.
    pub is_single: bool,
    pub control: Option<Control>,
    /// Start of the exchange.
    pub began: Time,
}

impl Sending {
    /// A PPDU without MPDUs.
    pub fn new() -> Self {
        let Ok(mode) = Mode::new(Format::Ht, Width::Mhz20, 1, Guard::Ns800, 0) else {
            unreachable!("the slowest mode exists")
        };
        Self {
            session: 0,
            numbers: Vec::new(),
            ends: Vec::new(),
            failed: Vec::new(),
            mode,
            duration: Duration::ZERO,
            is_single: true,
            control: None,
            began: Time::ZERO,
        }
    }
}
