//! Number of attempts in a stage of the chain.

use super::groups::Rate;
use super::receiver::{OVERHEAD, Receiver};
use super::stats::fraction;

/// Overhead with RTS and CTS.
const OVERHEAD_RTS: u32 = OVERHEAD + 2 * 60;
/// Time in microseconds that a stage may take.
const SEGMENT: u32 = 6000;
/// Contention windows and slot by which retries are counted.
const CW_MIN: u32 = 15;
const CW_MAX: u32 = 1023;
const SLOT: u32 = 9;

impl Receiver {
    /// Attempts at a rate, without RTS and with it; at most `tries` without.
    pub(super) fn attempts(&mut self, rate: Rate, tries: u8) -> (u8, u8) {
        self.count_retries(rate, tries);
        let stats = self.stats(rate);
        if stats.probability < fraction(20, 100) { (2, 2) } else { (stats.retries, stats.retries_rts) }
    }

    /// Counts the attempts at a rate that fit into a segment, unless they are known.
    pub(super) fn count_retries(&mut self, rate: Rate, tries: u8) {
        let stats = self.stats(rate);
        if stats.is_counted {
            return;
        }
        if stats.probability < fraction(10, 100) {
            let stats = self.stats_mut(rate);
            (stats.retries, stats.retries_rts) = (1, 1);
            return;
        }
        let data = rate.duration().wrapping_mul(self.mean_length()) / 1000;
        let mut cw = CW_MIN;
        let mut contention = || {
            let wait = (SLOT * cw) >> 1;
            cw = (cw << 1 | 1).min(CW_MAX);
            wait
        };
        let first = contention() + contention();
        let mut time = first + 2 * (OVERHEAD + data);
        let mut time_rts = first + 2 * (OVERHEAD_RTS + data);
        let (mut retries, mut retries_rts) = (2, 2);
        loop {
            let wait = contention();
            time += wait + OVERHEAD + data;
            time_rts += wait + OVERHEAD_RTS + data;
            if time_rts < SEGMENT {
                retries_rts += 1;
            }
            if time >= SEGMENT {
                break;
            }
            retries += 1;
            if retries >= tries {
                break;
            }
        }
        let stats = self.stats_mut(rate);
        (stats.retries, stats.retries_rts, stats.is_counted) = (retries, retries_rts, true);
    }
}
