//! PPDU of an exchange.

use super::times::Control;
use crate::wifi::ppdu::{Format, Guard, Mode, Width};
use std::mem;
use windward_units::{Duration, Time};

/// The exchange in progress, and its PPDU.
///
/// Numbers of MPDUs mean something within their session only. [`Sending::begin`] alone sets the session, and forgets
/// the numbers of the exchange before: a request has none, and a turn of another category or receiver its own.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    session: u32,
    numbers: Vec<u32>,
    /// Bytes of the PSDU up to the end of each MPDU.
    ends: Vec<u32>,
    /// Places in `numbers` of the MPDUs that its destination did not receive, if it received any.
    pub failed: Vec<u32>,
    pub mode: Mode,
    pub duration: Duration,
    /// True if the answer is an ACK.
    pub is_single: bool,
    pub control: Option<Control>,
    /// Start of the exchange.
    pub began: Time,
    /// True if the counters count the attempt, and the transmission of the PPDU.
    pub counts_attempt: bool,
    pub counts_data: bool,
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
            counts_attempt: false,
            counts_data: false,
        }
    }

    /// Begins an exchange of a session, so far without MPDUs.
    #[inline]
    pub fn begin(&mut self, session: u32) {
        self.session = session;
        self.numbers.clear();
        self.ends.clear();
        self.failed.clear();
    }

    /// Session of the exchange.
    #[inline]
    pub fn session(&self) -> u32 {
        self.session
    }

    /// Numbers of the PPDU's MPDUs in the session; none in a request.
    #[inline]
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Bytes of the PSDU up to the end of each MPDU.
    #[inline]
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Bytes of the PSDU.
    #[inline]
    pub fn bytes(&self) -> u32 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Adds an MPDU of the session that makes the PSDU `end` bytes long.
    #[inline]
    pub fn push(&mut self, number: u32, end: u32) {
        self.numbers.push(number);
        self.ends.push(end);
    }

    /// Sets the length of the PSDU, whose last MPDU has changed.
    #[inline]
    pub fn set_bytes(&mut self, bytes: u32) {
        if let Some(end) = self.ends.last_mut() {
            *end = bytes;
        }
    }

    /// Takes the numbers out, and leaves the room `spare` for others.
    pub fn take_numbers(&mut self, spare: Vec<u32>) -> Vec<u32> {
        self.ends.clear();
        mem::replace(&mut self.numbers, spare)
    }
}
