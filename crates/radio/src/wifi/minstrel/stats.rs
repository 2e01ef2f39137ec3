//! Statistics of one rate: success probability, attempts, retry counts.

/// A fraction of 4096, the unit of all probabilities.
pub(super) const fn fraction(over: u32, under: u32) -> u16 {
    ((over << SCALE) / under) as u16
}

/// Bits behind the point.
pub(super) const SCALE: u32 = 12;

/// Counts and averages of a rate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stats {
    /// Attempts in this interval; wraps around as in Linux.
    pub(super) attempts: u16,
    /// MPDUs acknowledged in this interval; wraps around as in Linux.
    pub(super) success: u16,
    /// True if it was ever attempted.
    pub(super) is_tried: bool,
    /// True if the retry counts are those of the current statistics.
    pub(super) is_counted: bool,
    /// Most attempts in a stage of the chain, without RTS and with it.
    pub(super) retries: u8,
    pub(super) retries_rts: u8,
    /// Success probability, low-pass filtered, and its value before.
    pub(super) probability: u16,
    pub(super) earlier: u16,
}

impl Stats {
    /// Ends an interval: filters the success probability.
    pub(super) fn close(&mut self) {
        if self.attempts > 0 {
            let now = (i32::from(self.success) << SCALE) / i32::from(self.attempts);
            self.filter(now);
            self.is_tried = true;
        }
        self.attempts = 0;
        self.success = 0;
    }

    /// Second-order low-pass filter with a period of 16 intervals; restarts where its output is zero.
    pub(super) fn filter(&mut self, now: i32) {
        let now = if now == 0 { 1 } else { now };
        if self.probability == 0 {
            (self.probability, self.earlier) = (now as u16, now as u16);
            return;
        }
        let last = i32::from(self.probability);
        let sum = FILTER[0] * now + FILTER[1] * last + FILTER[2] * i32::from(self.earlier);
        let next = match (sum >> SCALE).min(1 << SCALE) {
            ..0 => 1,
            next => next,
        };
        (self.probability, self.earlier) = (next as u16, last as u16);
    }
}

/// Weights of the input, the last output and the one before it, in 4096ths: with a = exp(−π√2/16), 2a·cos(2π√2/16) and
/// −a²; they add up to one.
const FILTER: [i32; 3] = [(1 << SCALE) - 0x1499 + 0x092e, 0x1499, -0x092e];
