//! A timer that is moved far more often than it expires.
//!
//! Postponing it costs nothing: when the pending event occurs before the deadline, it is scheduled again.

use windward_units::Time;

/// A deadline and the event that watches it.
#[derive(Clone, Debug)]
pub struct Timer {
    deadline: Time,
    event: Time,
}

/// Outcome of an event of the timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ring {
    /// The deadline has come; the timer is off.
    Expired,
    /// Schedule the next event at this time.
    Later(Time),
    /// No action: the timer is off, or another event watches it.
    Nothing,
}

impl Timer {
    /// A timer that is off.
    pub const fn off() -> Self {
        Self { deadline: Time::NEVER, event: Time::NEVER }
    }

    /// Sets the deadline; call [`Self::unwatched`] afterwards.
    #[inline]
    pub fn set(&mut self, deadline: Time) {
        self.deadline = deadline;
    }

    /// Time of the event to schedule, if none is pending early enough.
    #[inline]
    pub fn unwatched(&mut self) -> Option<Time> {
        if self.deadline < self.event {
            self.event = self.deadline;
            Some(self.deadline)
        } else {
            None
        }
    }

    /// Cancels the timer.
    #[inline]
    pub fn cancel(&mut self) {
        self.deadline = Time::NEVER;
    }

    /// True if a deadline is set.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.deadline != Time::NEVER
    }

    /// The deadline; [`Time::NEVER`] if none is set.
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// Handles an event of this timer.
    pub fn ring(&mut self, now: Time) -> Ring {
        if now != self.event {
            return Ring::Nothing;
        }
        self.event = Time::NEVER;
        if self.deadline <= now {
            self.deadline = Time::NEVER;
            Ring::Expired
        } else if self.is_set() {
            self.event = self.deadline;
            Ring::Later(self.deadline)
        } else {
            Ring::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn a_moved_timer_expires_once_at_its_last_deadline() {
        let mut timer = Timer::off();
        timer.set(at(10));
        assert_eq!(timer.unwatched(), Some(at(10)));
        timer.set(at(20));
        assert_eq!(timer.unwatched(), None);
        assert_eq!(timer.ring(at(10)), Ring::Later(at(20)));
        // Earlier than the pending event: needs a second event, and the first becomes void.
        timer.set(at(15));
        assert_eq!(timer.unwatched(), Some(at(15)));
        assert_eq!(timer.ring(at(15)), Ring::Expired);
        assert_eq!(timer.ring(at(20)), Ring::Nothing);
    }

    #[test]
    fn a_cancelled_timer_stays_quiet() {
        let mut timer = Timer::off();
        timer.set(at(10));
        timer.unwatched();
        timer.cancel();
        assert_eq!(timer.ring(at(10)), Ring::Nothing);
        timer.set(at(12));
        assert_eq!(timer.unwatched(), Some(at(12)));
    }
}
