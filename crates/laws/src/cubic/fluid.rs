//! Fluid form of CUBIC.

use super::params::{Params, Version};
use crate::{FluidLaw, FluidPath, Utility};
use std::cmp::Ordering;
use windward_units::Packets;

/// State: window, W_max, age since the last loss in seconds, and in round trips.
impl FluidLaw for Params {
    fn dimension(&self) -> usize {
        4
    }

    fn start(&self, cwnd: Packets, out: &mut [f64]) {
        // On the plateau, which the Reno-friendly window has just reached: W = W_max, s = K.
        let w_max = cwnd.count();
        let (_, beta) = self.constants();
        let rounds = (1.0 - beta) * w_max / self.friendly_growth();
        out.copy_from_slice(&[w_max, w_max, self.k(w_max, beta * w_max), rounds]);
    }

    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]) {
        let [cwnd, w_max, age, rounds] = *state else { unreachable!("the state of CUBIC has four entries") };
        let (c, beta) = self.constants();
        let k = self.k(w_max, beta * w_max);
        let off = age - k;
        let w_cubic = c * off * off * off + w_max;
        let friendly = self.friendly(w_max, rounds);
        let window = w_cubic.max(friendly.window);
        let losses = path.loss * window / path.rtt();
        out[1] = -(w_max - window) * losses;
        out[2] = 1.0 - age * losses;
        out[3] = (1.0 - path.loss) / path.rtt() - rounds * losses;
        // d/dt of C·(s − K)³ + W_max, where dK/dt = K/(3·W_max) · dW_max/dt.
        let cubic_slope = 3.0 * c * off * off * (out[2] - k / (3.0 * w_max) * out[1]) + out[1];
        let friendly_slope = friendly.growth * out[3] + friendly.share * out[1];
        let slope = match friendly.window.total_cmp(&w_cubic) {
            Ordering::Greater => friendly_slope,
            Ordering::Less => cubic_slope,
            Ordering::Equal => friendly_slope.max(cubic_slope),
        };
        // The last term keeps the window on the curve whatever the integrator's error.
        out[0] = slope + (window - cwnd) / path.rtt();
    }

    fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        (path.loss > 0.0).then(|| Packets::new(self.cubic_rest(path).max(self.friendly_rest(path))))
    }

    fn maximises(&self, path: &FluidPath) -> Option<Utility> {
        // At this loss or any higher one it is Reno.
        if path.loss > 0.0 && self.friendly_rest(path) >= self.cubic_rest(path) {
            return Some(Utility::SquareRoot { k: self.friendly_k() });
        }
        let (c, beta) = self.constants();
        let weight = libm::cbrt(c / ((1.0 - beta) * path.rtt()));
        Some(Utility::Power { weight, alpha: 4.0 / 3.0 })
    }
}

/// The Reno-friendly window W_est.
struct Friendly {
    window: f64,
    /// Growth in a round trip.
    growth: f64,
    /// Derivative by W_max.
    share: f64,
}

impl Params {
    /// α, the growth of W_est in a round trip (RFC 9438 §4.3).
    fn friendly_growth(&self) -> f64 {
        let (_, beta) = self.constants();
        3.0 * (1.0 - beta) / (1.0 + beta)
    }

    /// W_est after `rounds` round trips since a loss at `w_max`. From there on it grows by one in RFC 9438, not in the
    /// kernels.
    fn friendly(&self, w_max: f64, rounds: f64) -> Friendly {
        let (alpha, (_, beta)) = (self.friendly_growth(), self.constants());
        let reached = (1.0 - beta) * w_max / alpha;
        match self.version == Version::Rfc9438 && rounds >= reached {
            true => Friendly { window: w_max + rounds - reached, growth: 1.0, share: 1.0 - (1.0 - beta) / alpha },
            false => Friendly { window: beta * w_max + alpha * rounds, growth: alpha, share: beta },
        }
    }

    /// α/(1 − β): W²·p/(1 − p) where W_est rests.
    fn friendly_k(&self) -> f64 {
        3.0 / (1.0 + self.constants().1)
    }

    fn friendly_rest(&self, path: &FluidPath) -> f64 {
        (self.friendly_k() * (1.0 - path.loss) / path.loss).sqrt()
    }

    fn cubic_rest(&self, path: &FluidPath) -> f64 {
        let (c, beta) = self.constants();
        libm::pow(c / (1.0 - beta), 0.25) * libm::pow(path.rtt() / path.loss, 0.75)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::near;
    use windward_units::Duration;

    fn path(rtt_ms: u64, loss: f64) -> FluidPath {
        FluidPath { base_rtt: Duration::from_millis(rtt_ms), queue_delay: Duration::ZERO, loss, marks: 0.0 }
    }

    #[test]
    fn the_fluid_moves_as_its_model_says() {
        // W_max = 100, s = K − 1 with K = ∛75: W = 100 − 0.4 = 99.6. p = 0.001, rtt = 0.1 s: λ = 0.996 /s. dW_max =
        // −0.4·0.996 = −0.3984; ds = 1 − 3.217 163 3·0.996 = −2.204 294 6; dW = 3·0.4·1·(ds − K/300·dW_max) + dW_max =
        // 1.2·(−2.204 294 6 + 0.005 600 4) − 0.3984 = −3.036 833. Ten round trips after the loss W_est is 70 +
        // 10·0.9/1.7 = 75.3, below the curve; dn = 0.999·10 − 10·0.996 = 0.03.
        let mut out = [0.0; 4];
        Params::default().derivative(&[99.6, 100.0, 3.217_163_3, 10.0], &path(100, 0.001), &mut out);
        near(out[0], -3.036_833, 1e-5);
        near(out[1], -0.3984, 1e-6);
        near(out[2], -2.204_294_6, 1e-6);
        near(out[3], 0.03, 1e-7);
    }

    #[test]
    fn where_reno_is_ahead_the_window_grows_as_reno_does() {
        // W_max = 20, rtt = 20 ms: eight round trips after the loss W_est = 14 + 8·0.9/1.7 = 18.235 294, and the curve
        // has 20 − 0.4·(∛15 − 0.16)³ = 14.87. p = 0.01: λ = 9.117 647 /s; dW_max = −1.764 706·9.117 647 = −16.089 965;
        // dn = 0.99·50 − 8·9.117 647 = −23.441 176; dW = 0.9/1.7·dn − 0.7·16.089 965 = −23.673 010.
        let mut out = [0.0; 4];
        let window = 14.0 + 7.2 / 1.7;
        Params::default().derivative(&[window, 20.0, 0.16, 8.0], &path(20, 0.01), &mut out);
        near(out[0], -23.673_010, 1e-5);
        near(out[1], -16.089_965, 1e-5);
        near(out[3], -23.441_176, 1e-5);
        // Past W_max, after 17/1.5 round trips, RFC 9438 has it grow by one: without losses 50 packets/s, in the kernel
        // 0.528·50.
        let mut growth = |params: Params, window: f64| {
            params.derivative(&[window, 20.0, 0.2, 17.0 / 1.5 + 2.0], &path(20, 0.0), &mut out);
            out[0]
        };
        near(growth(Params::default(), 22.0), 50.0, 1e-9);
        let linux = Params { version: Version::Linux, ..Params::default() };
        let (alpha, beta) = (linux.friendly_growth(), 717.0 / 1024.0);
        near(growth(linux, beta * 20.0 + alpha * (17.0 / 1.5 + 2.0)), 50.0 * alpha, 1e-9);
    }

    #[test]
    fn it_rests_at_the_larger_of_both_responses() {
        let rest = |rtt, loss| Params::default().equilibrium(&path(rtt, loss)).map_or(0.0, Packets::count);
        // 100 ms, p = 0.001: √(3/1.7·999) = 41.987 above (0.4/0.3)^¼·100^¾ = 33.980. p = 0.0001: 191.089 above 132.8.
        near(rest(100, 1e-3), 41.987, 1e-3);
        near(rest(100, 1e-4), 191.089, 1e-3);
        // They meet near p = C/(1−β)·T³·((1+β)/3)² = 4/3·0.001·0.321 111 = 4.281 5·10⁻⁴, but for the p of 1 − p.
        let maximises = |loss| Params::default().maximises(&path(100, loss));
        assert!(matches!(maximises(4.27e-4), Some(Utility::Power { .. })));
        assert_eq!(maximises(4.30e-4), Some(Utility::SquareRoot { k: 3.0 / 1.7 }));
    }
}
