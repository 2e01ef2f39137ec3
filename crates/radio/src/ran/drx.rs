//! Discontinuous reception: the slots in which a station listens to the downlink.

use super::config::Drx;

/// Reception of a station.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sleep {
    config: Drx,
    /// Offset of the cycles, in slots.
    offset: u64,
    /// First slot after the inactivity timer.
    idle_from: u64,
}

impl Sleep {
    pub fn new(config: Drx, offset: u64) -> Self {
        Self { config, offset, idle_from: 0 }
    }

    /// Restarts the inactivity timer: new data is scheduled in `slot`.
    #[inline]
    pub fn stay(&mut self, slot: u64) {
        self.idle_from = self.idle_from.max(slot + 1 + self.config.inactivity);
    }

    /// First slot at or after `slot` in which the station listens.
    pub fn next_awake(&self, slot: u64) -> u64 {
        if slot < self.idle_from {
            return slot;
        }
        if let Some((cycle, count)) = self.config.short {
            let next = self.next_on(slot, cycle);
            if next < self.idle_from + cycle * count {
                return next;
            }
        }
        self.next_on(slot, self.config.long)
    }

    fn next_on(&self, slot: u64, cycle: u64) -> u64 {
        let place = (slot + cycle - self.offset % cycle) % cycle;
        if place < self.config.on { slot } else { slot + cycle - place }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles of 40 and 320 slots, on for 10, awake for 200 after activity, 2 short cycles.
    #[test]
    fn cycles_by_hand() {
        let config = Drx { on: 10, inactivity: 200, short: Some((40, 2)), long: 320 };
        let mut sleep = Sleep::new(config, 3);
        // Before any activity: short cycles until slot 80, then long ones.
        assert_eq!([0, 3, 12, 13, 60].map(|slot| sleep.next_awake(slot)), [3, 3, 12, 43, 323]);
        sleep.stay(1000);
        assert_eq!([1000, 1200, 1201, 1203, 1213].map(|slot| sleep.next_awake(slot)), [1000, 1200, 1203, 1203, 1243]);
        // The short cycles end at 1201 + 80 = 1281; the next long one begins at 4·320 + 3 = 1283.
        assert_eq!([1253, 1282, 1293].map(|slot| sleep.next_awake(slot)), [1283, 1283, 1603]);
    }

    /// A packet that comes at a random instant of the cycle waits (C − o)²/(2C) on average, at most C − o: whole slots,
    /// so (C − o)(C − o + 1)/(2C).
    #[test]
    fn mean_wait() {
        for (cycle, on) in [(40, 10), (160, 10), (320, 10)] {
            let sleep = Sleep::new(Drx { on, inactivity: 0, short: None, long: cycle }, 0);
            let waits: Vec<u64> = (10 * cycle..11 * cycle).map(|slot| sleep.next_awake(slot) - slot).collect();
            let asleep = cycle - on;
            assert_eq!(waits.iter().sum::<u64>(), asleep * (asleep + 1) / 2);
            assert_eq!(waits.iter().max(), Some(&asleep));
        }
    }
}
