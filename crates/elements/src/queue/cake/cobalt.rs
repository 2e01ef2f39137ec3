//! COBALT: CoDel for flows that respond to congestion, and BLUE for flows that do not (Linux's `sch_cake.c`).
//!
//! Times are in nanoseconds, roots and probabilities have 32 bits behind the point, as in Linux.

use super::dice::Dice;

/// Parameters of COBALT in a tin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parameters {
    pub interval: u64,
    pub target: u64,
    /// Transmission time of a full-size packet.
    pub packet_time: u64,
}

/// Increase and decrease of BLUE's probability, at most once per target: 1/256 and 1/4096.
const INCREASE: u32 = 1 << 24;
const DECREASE: u32 = 1 << 20;

/// State of COBALT in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cobalt {
    pub count: u32,
    inverse_root: u32,
    /// Time of the next drop or mark; the end of the flow's activity while `count` is zero.
    pub drop_next: u64,
    blue_timer: u64,
    pub probability: u32,
    is_dropping: bool,
}

/// Decision on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Send,
    Drop,
}

const fn has_come(now: u64, time: u64) -> bool {
    now >= time
}

impl Cobalt {
    /// Decides on a packet that has been taken from its queue (`cobalt_should_drop`). `mark` marks it, and returns
    /// false if it cannot be marked. `bulk` is the number of bulk flows, or zero without `ingress`.
    pub fn judge(
        &mut self,
        parameters: &Parameters,
        (now, since): (u64, u64),
        bulk: u64,
        dice: &mut Dice,
        mark: impl FnOnce() -> bool,
    ) -> Verdict {
        let Parameters { interval, target, packet_time } = *parameters;
        let sojourn = now - since;
        let mut is_late = now > self.drop_next;
        let is_over = sojourn > target && sojourn > packet_time * bulk * 2 && sojourn > packet_time * 4;
        let mut is_due = self.count > 0 && has_come(now, self.drop_next);
        if is_over {
            if !self.is_dropping {
                self.is_dropping = true;
                self.drop_next = self.after(now, interval);
            }
            self.count = self.count.max(1);
        } else {
            self.is_dropping = false;
        }
        let mut drops = false;
        if is_due && self.is_dropping {
            drops = !mark();
            self.count = self.count.saturating_add(1);
            self.approach_root();
            self.drop_next = self.after(self.drop_next, interval);
            is_late = now > self.drop_next;
        } else {
            // Below the target the count decays at the rate at which it would have grown.
            while is_due {
                self.count -= 1;
                self.approach_root();
                self.drop_next = self.after(self.drop_next, interval);
                is_late = now > self.drop_next;
                is_due = self.count > 0 && has_come(now, self.drop_next);
            }
        }
        // BLUE drops even what could be marked: the flow has not responded.
        if self.probability > 0 {
            drops |= dice.word() < self.probability;
        }
        if self.count == 0 {
            self.drop_next = now + interval;
        } else if is_late && !drops {
            self.drop_next = now;
        }
        if drops { Verdict::Drop } else { Verdict::Send }
    }

    /// Notes a drop because the memory was full (`cobalt_queue_full`).
    pub fn note_full(&mut self, parameters: &Parameters, now: u64) {
        if now - self.blue_timer > parameters.target {
            self.probability = self.probability.saturating_add(INCREASE);
            self.blue_timer = now;
        }
        self.is_dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// Notes that the queue was served and found empty (`cobalt_queue_empty`).
    pub fn note_empty(&mut self, parameters: &Parameters, now: u64) {
        if self.probability > 0 && now - self.blue_timer > parameters.target {
            self.probability = self.probability.saturating_sub(DECREASE);
            self.blue_timer = now;
        }
        self.is_dropping = false;
        if self.count > 0 && has_come(now, self.drop_next) {
            self.count -= 1;
            self.approach_root();
            self.drop_next = self.after(self.drop_next, parameters.interval);
        }
    }

    /// True if no state is left that has to decay.
    pub const fn is_at_rest(&self, now: u64) -> bool {
        self.probability == 0 && self.count == 0 && has_come(now, self.drop_next)
    }

    /// Control law: interval/√count after `time`.
    const fn after(&self, time: u64, interval: u64) -> u64 {
        // The kernel's interval is cut to 32 bits here: it is below 4.29 s.
        time + ((interval as u32 as u64 * self.inverse_root as u64) >> 32)
    }

    /// Updates 1/√count (`cobalt_invsqrt`): exact up to 15, then by one step of Newton's method.
    const fn approach_root(&mut self) {
        if (self.count as usize) < ROOTS.len() {
            self.inverse_root = ROOTS[self.count as usize];
        } else {
            self.inverse_root = newton_step(self.count, self.inverse_root);
        }
    }
}

/// x ← x/2·(3 − count·x²).
const fn newton_step(count: u32, root: u32) -> u32 {
    let square = (root as u64 * root as u64) >> 32;
    let rest = (3_u64 << 32).wrapping_sub(count as u64 * square) >> 2;
    (rest.wrapping_mul(root as u64) >> 31) as u32
}

/// 1/√count of small counts: four steps from the value of the count before (`cobalt_cache_init`).
const ROOTS: [u32; 16] = {
    let mut roots = [u32::MAX; 16];
    let (mut root, mut count) = (u32::MAX, 1);
    while count < 16 {
        let mut step = 0;
        while step < 4 {
            root = newton_step(count, root);
            step += 1;
        }
        roots[count as usize] = root;
        count += 1;
    }
    roots
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_roots_are_exact() {
        for (count, root) in (1_u32..).zip(&ROOTS[1..]) {
            let exact = 4_294_967_296.0 / f64::from(count).sqrt();
            // Four steps from 1 towards 1/√2 leave the most.
            assert!((f64::from(*root) / exact - 1.0).abs() < 6e-4, "{count}: {root}");
        }
    }
}
