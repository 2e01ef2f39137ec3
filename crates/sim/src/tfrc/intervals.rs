//! The average loss interval (§5.4), with history discounting (§5.5).
//!
//! A loss interval is the number of packets from the first lost packet of a loss event to that of the next. With the
//! open interval I_0, the previous ones I_1 to I_n, n at most 8, and weights w = 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2:
//!
//! * I_mean = max(Σ I_i w_i, Σ I_{i+1} w_i)/Σ w_i, i from 0 to n − 1
//! * if I_0 is more than twice the mean of the others, these are discounted by DF = max(2·mean/I_0, 1/4) in the first
//!   sum; at the next loss event DF becomes their permanent factor

use crate::network::TfrcOptions;

const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// Minimum of DF.
const THRESHOLD: f64 = 0.25;

/// The closed loss intervals, newest first.
#[derive(Clone, Debug)]
pub struct LossIntervals {
    lengths: [f64; 8],
    discounts: [f64; 8],
    count: usize,
    is_discounted: bool,
}

impl LossIntervals {
    /// A history without intervals.
    pub fn new(options: TfrcOptions) -> Self {
        Self { lengths: [0.0; 8], discounts: [1.0; 8], count: 0, is_discounted: options.history_discounting }
    }

    /// Closes an interval of `length` packets at a loss event.
    pub fn close(&mut self, length: f64) {
        let discount = self.discount(length);
        self.discounts.iter_mut().for_each(|own| *own *= discount);
        self.lengths.rotate_right(1);
        self.discounts.rotate_right(1);
        (self.lengths[0], self.discounts[0]) = (length, 1.0);
        self.count = (self.count + 1).min(WEIGHTS.len());
    }

    /// Σ I_{i+1} w_i DF_{i+1} and Σ w_i DF_{i+1} of the closed intervals.
    fn closed(&self) -> (f64, f64) {
        let terms = (0..self.count).map(|at| (self.lengths[at], WEIGHTS[at] * self.discounts[at]));
        terms.fold((0.0, 0.0), |(total, weights), (length, weight)| (total + length * weight, weights + weight))
    }

    /// DF with `open` packets since the last loss event.
    fn discount(&self, open: f64) -> f64 {
        let (total, weights) = self.closed();
        let mean = total / weights;
        if self.is_discounted && self.count > 0 && open > 2.0 * mean { (2.0 * mean / open).max(THRESHOLD) } else { 1.0 }
    }

    /// Loss event rate with `open` packets since the last loss event; 0 before the first.
    pub fn loss_event_rate(&self, open: f64) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let discount = self.discount(open);
        let (mut total, mut weights) = (open * WEIGHTS[0], WEIGHTS[0]);
        // I_1 to I_{n−1}: the open interval displaces the oldest.
        let kept = self.lengths.iter().zip(&self.discounts).zip(&WEIGHTS[1..]);
        for ((length, own), weight) in kept.take(self.count - 1) {
            let weight = weight * own * discount;
            total += length * weight;
            weights += weight;
        }
        let (closed, closed_weights) = self.closed();
        (weights / total).min(closed_weights / closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(lengths: &[f64], history_discounting: bool) -> LossIntervals {
        let mut intervals = LossIntervals::new(TfrcOptions { history_discounting, ..TfrcOptions::default() });
        lengths.iter().for_each(|&length| intervals.close(length));
        intervals
    }

    fn mean(intervals: &LossIntervals, open: f64) -> f64 {
        1.0 / intervals.loss_event_rate(open)
    }

    /// Closed intervals, newest first: 80, 70, …, 10. Σ I w = 80 + 70 + 60 + 50 + 0.8·40 + 0.6·30 + 0.4·20 + 0.2·10 =
    /// 320, Σ w = 6, mean 53.33. With I_0 = 100: 100 + 80 + 70 + 60 + 0.8·50 + 0.6·40 + 0.4·30 + 0.2·20 = 390, mean 65.
    /// With I_0 = 10 it is 300, less than without: I_0 counts only if it raises the mean.
    #[test]
    fn eight_intervals_by_hand() {
        let intervals = intervals(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0], true);
        assert!((mean(&intervals, 10.0) - 320.0 / 6.0).abs() < 1e-12);
        assert!((mean(&intervals, 100.0) - 65.0).abs() < 1e-12);
    }

    /// The ninth displaces the oldest: 90 + 80 + 70 + 60 + 0.8·50 + 0.6·40 + 0.4·30 + 0.2·20 = 380.
    #[test]
    fn the_ninth_interval_pushes_out_the_first() {
        let lengths: Vec<f64> = (1..=9).map(|tens| f64::from(tens) * 10.0).collect();
        assert!((mean(&intervals(&lengths, true), 1.0) - 380.0 / 6.0).abs() < 1e-12);
    }

    /// Two closed intervals of 100 and 50 (the newer): mean 75. With I_0 = 120 the newest two count: (120 + 50)/2 = 85.
    #[test]
    fn fewer_intervals_have_fewer_weights() {
        let intervals = intervals(&[100.0, 50.0], true);
        assert!((mean(&intervals, 1.0) - 75.0).abs() < 1e-12);
        assert!((mean(&intervals, 120.0) - 85.0).abs() < 1e-12);
        assert_eq!(self::intervals(&[], true).loss_event_rate(1000.0), 0.0);
    }

    /// Eight of 100, I_0 = 400: DF = 2·100/400 = ½. The seven that I_0 leaves have the weight 5·½ = 2.5 (w_1 to w_7 sum
    /// up to 5): (400 + 2.5·100)/3.5 = 185.71. Without discounting it is (400 + 500)/6 = 150. At I_0 = 2000 DF is ¼:
    /// (2000 + 125)/2.25 = 944.44.
    #[test]
    fn a_long_silence_discounts_history() {
        let with = intervals(&[100.0; 8], true);
        assert!((mean(&with, 400.0) - 650.0 / 3.5).abs() < 1e-12);
        assert!((mean(&with, 2000.0) - 2125.0 / 2.25).abs() < 1e-12);
        assert!((mean(&with, 200.0) - 700.0 / 6.0).abs() < 1e-12);
        assert!((mean(&intervals(&[100.0; 8], false), 400.0) - 150.0).abs() < 1e-12);
    }

    /// After a loss event the intervals keep their discount: 400 and then seven of 100 at half their weight give (400 +
    /// ½·100·5)/(1 + 2.5) = 185.71, the same mean as before it.
    #[test]
    fn a_discount_stays_with_its_intervals() {
        let mut intervals = intervals(&[100.0; 8], true);
        intervals.close(400.0);
        assert!((mean(&intervals, 1.0) - 650.0 / 3.5).abs() < 1e-12);
        // The discount disappears with them: eight further ones of 50 count in full.
        (0..8).for_each(|_| intervals.close(50.0));
        assert!((mean(&intervals, 1.0) - 50.0).abs() < 1e-12);
    }
}
