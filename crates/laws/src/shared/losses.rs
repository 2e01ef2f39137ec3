//! Random losses in the equation of a law whose paper has none: the mean of what its packets do.
//!
//! The window u changes by s(u) packets per round trip, and each packet is lost with probability p. A loss leaves b·u,
//! and during the round trip of its repair the window stands there. With 1/(p·u) round trips from a repair to the next
//! loss, the share p·u/(1 + p·u) of all round trips is repair. The window at rest outside repairs and its mean w are
//!
//! * s(u) = m·p·(1 − b)·u², where m = E\[u²\]/E\[u\]² of a window with constant s
//! * w = u·(1 + b·p·u)/(1 + p·u)
//!
//! E\[u\]² = (2/π)·(s/p)·∏ ((1 − b^2k)/(1 − b^(2k−1)))², k = 1, 2, …, and E\[u²\] = (s/p)/(1 − b): T. J. Ott, J. H. B.
//! Kemperman and M. Mathis, "The stationary behavior of ideal TCP congestion avoidance", 1996, for b = ½.

/// Reaction of a law to a loss.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Losses {
    /// Share b of the window that a loss leaves.
    left: f64,
    /// m.
    moment: f64,
}

impl Losses {
    /// A loss leaves half of the window.
    pub(crate) const HALVE: Self = Self { left: 0.5, moment: 1.165_730 };
    /// A loss leaves three quarters of the window.
    pub(crate) const TAKE_A_QUARTER: Self = Self { left: 0.75, moment: 1.070_873 };

    /// Change of the mean window `cwnd` per round trip on a path that loses a share `loss`, with `step` for s. Without
    /// losses that is `step` itself; with losses a window of ACKs at most doubles the window and takes at most half of
    /// it, as in packets.
    pub(crate) fn change(&self, cwnd: f64, loss: f64, step: impl Fn(f64) -> f64) -> f64 {
        if loss == 0.0 {
            return step(cwnd);
        }
        let window = self.outside_repairs(cwnd.max(0.0), loss);
        let grown = step(window).clamp(-window / 2.0, window.max(1.0));
        let cut = self.moment * loss * (1.0 - self.left) * window * window;
        (grown - cut) / (1.0 + loss * window)
    }

    /// The window u whose mean with its repairs is `cwnd`: b·p·u² + (1 − p·w)·u = w.
    fn outside_repairs(&self, cwnd: f64, loss: f64) -> f64 {
        let half = 1.0 - loss * cwnd;
        2.0 * cwnd / (half + (half * half + 4.0 * self.left * loss * cwnd).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::near;

    /// Ott, Kemperman and Mathis: the mean of a window that is halved is 1.3098/√p for s = 1. For b = ¾ the first
    /// factors are 1.75·1.182 5·1.077 8·1.038 5…, in all 2.4222: 0.797 88·2.4222 = 1.932 7, and 4/1.932 7² = 1.070 9.
    #[test]
    fn moments_are_those_of_the_stationary_window() {
        for (losses, mean) in [(Losses::HALVE, 1.3098), (Losses::TAKE_A_QUARTER, 1.932_7)] {
            near(losses.moment, 1.0 / ((1.0 - losses.left) * mean * mean), 2e-4);
        }
    }

    /// Half a loss per round trip at u = 50 and p = 0.01: a third of the time is repair at 25, the mean is (2·50 +
    /// 25)/3.
    #[test]
    fn repairs_lower_the_mean() {
        near(Losses::HALVE.outside_repairs(125.0 / 3.0, 0.01), 50.0, 1e-9);
        near(Losses::HALVE.outside_repairs(40.0, 0.0), 40.0, 1e-12);
    }

    /// u = 10 and p = 0.01: w = 10·1.05/1.1. The loss takes 1.165 73·0.01·½·100 = 0.582 865 in 1.1 round trips.
    #[test]
    fn a_loss_takes_its_share() {
        let change = |step: f64| Losses::HALVE.change(10.5 / 1.1, 0.01, |_| step);
        near(change(0.0), -0.582_865 / 1.1, 1e-9);
        near(change(3.0), (3.0 - 0.582_865) / 1.1, 1e-9);
        // At most 10 more, at most 5 less.
        near(change(30.0), (10.0 - 0.582_865) / 1.1, 1e-9);
        near(change(-30.0), (-5.0 - 0.582_865) / 1.1, 1e-9);
        near(Losses::HALVE.change(10.0, 0.0, |_| 30.0), 30.0, 0.0);
    }
}
