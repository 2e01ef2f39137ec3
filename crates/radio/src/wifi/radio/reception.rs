//! Reception that both MACs share: power of all signals, choice among preambles, and the NAV.

use windward_units::Time;

/// Reservation of the medium by others (NAV).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(in crate::wifi) struct Nav {
    /// Its end.
    pub until: Time,
    /// End of a reservation by an RTS, and the time by which a frame must follow to keep it.
    announced: (Time, Time),
}

impl Nav {
    /// No reservation.
    pub const NONE: Self = Self { until: Time::ZERO, announced: (Time::ZERO, Time::ZERO) };

    /// Reserves the medium until `end`. A NAV set by an RTS, with a `patience`, may be reset if no frame follows by
    /// then (IEEE 802.11-2016, §10.3.2.4). An RTS that does not lengthen the NAV is not the basis of a reset.
    #[inline]
    pub fn reserve(&mut self, end: Time, patience: Option<Time>) {
        match patience {
            Some(patience) if end > self.until => {
                self.announced = (end, patience);
                self.until = self.until.max(end.min(patience));
            }
            _ => self.until = self.until.max(end),
        }
    }

    /// Confirms the reservation of an RTS: another frame has begun, whose header is complete at `known`.
    #[inline]
    pub fn keep(&mut self, known: Time) {
        let (end, patience) = self.announced;
        if known <= patience {
            self.until = self.until.max(end);
        }
    }
}

/// Adds a signal to the sum of `energy` of that many signals; returns the sum before.
#[inline]
pub(in crate::wifi) fn begin_signal(energy: &mut f64, signals: &mut u32, power: f64) -> f64 {
    let others = *energy;
    *signals += 1;
    *energy += power;
    others
}

/// Takes a signal out of the sum of `energy`; returns the sum before.
#[inline]
pub(in crate::wifi) fn end_signal(energy: &mut f64, signals: &mut u32, power: f64) -> f64 {
    let before = *energy;
    *signals -= 1;
    // Removes rounding errors of silence.
    *energy = if *signals == 0 { 0.0 } else { before - power };
    before
}
