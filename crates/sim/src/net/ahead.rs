//! Links that hand packets on ahead of time.
//!
//! A link that gets all its packets from one other link gets them in the order in which that link carries them,
//! whatever happens elsewhere. Each packet is handed to it as soon as its time of arrival is known, which saves the
//! event. Only a look at counters or queues could tell the difference: no packet is handed on beyond the next look.

use windward_units::Time;

/// Links that hand packets on.
#[derive(Default)]
pub struct Ahead {
    /// Ports that do.
    ports: Vec<u32>,
    /// Time before which each port does: that of the next look, or zero. Empty in a run that may be looked at anytime.
    until: Vec<Time>,
    /// Number of packets handed on, each of which has saved an event.
    pub handed_on: u64,
}

impl Ahead {
    /// Sets the ports that hand packets on.
    pub(super) fn lead(&mut self, leads: &[bool]) {
        self.ports = (0..).zip(leads).filter_map(|(port, leads)| leads.then_some(port)).collect();
        self.until = vec![Time::ZERO; leads.len()];
    }

    /// Time before which `port` hands packets on.
    #[inline]
    pub(super) fn until(&self, port: u32) -> Time {
        self.until.get(port as usize).copied().unwrap_or(Time::ZERO)
    }

    /// Sets the time of the next look.
    pub fn look_next(&mut self, time: Time) {
        for &port in &self.ports {
            self.until[port as usize] = time;
        }
    }
}
