//! CUBIC as a differential equation.

use super::params::Params;
use crate::{FluidLaw, FluidPath, Utility};
use windward_units::Packets;

/// State: window, W_max, age since the last loss in seconds.
impl FluidLaw for Params {
    fn dimension(&self) -> usize {
        3
    }

    fn start(&self, cwnd: Packets, out: &mut [f64]) {
        // On the plateau: W = W_max, s = K.
        let w_max = cwnd.count();
        out.copy_from_slice(&[w_max, w_max, self.k(w_max, self.constants().1 * w_max)]);
    }

    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]) {
        let [cwnd, w_max, age] = *state else { unreachable!("the state of CUBIC has three entries") };
        let (c, beta) = self.constants();
        let k = self.k(w_max, beta * w_max);
        let w_cubic = c * (age - k) * (age - k) * (age - k) + w_max;
        let losses = path.loss * w_cubic / path.rtt();
        out[1] = -(w_max - w_cubic) * losses;
        out[2] = 1.0 - age * losses;
        // d/dt of C·(s − K)³ + W_max, where dK/dt = K/(3·W_max) · dW_max/dt; the last term keeps the window on the curve
        // whatever the integrator's error.
        let slope = 3.0 * c * (age - k) * (age - k) * (out[2] - k / (3.0 * w_max) * out[1]) + out[1];
        out[0] = slope + (w_cubic - cwnd) / path.rtt();
    }

    fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        if path.loss <= 0.0 {
            return None;
        }
        let (c, beta) = self.constants();
        let slope = c / (1.0 - beta);
        Some(Packets::new(libm::pow(slope, 0.25) * libm::pow(path.rtt() / path.loss, 0.75)))
    }

    fn maximises(&self, path: &FluidPath) -> Option<Utility> {
        let (c, beta) = self.constants();
        let weight = libm::cbrt(c / ((1.0 - beta) * path.rtt()));
        Some(Utility::Power { weight, alpha: 4.0 / 3.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::near;
    use windward_units::Duration;

    #[test]
    fn the_fluid_moves_as_its_model_says() {
        // W_max = 100, s = K − 1 with K = ∛75: W = 100 − 0.4 = 99.6. p = 0.001, rtt = 0.1 s: λ = 0.996 /s.
        // dW_max = −0.4·0.996 = −0.3984; ds = 1 − 3.217 163 3·0.996 = −2.204 294 6;
        // dW = 3·0.4·1·(ds − K/300·dW_max) + dW_max = 1.2·(−2.204 294 6 + 0.005 600 4) − 0.3984 = −3.036 833.
        let path =
            FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss: 0.001, marks: 0.0 };
        let mut out = [0.0; 3];
        Params::default().derivative(&[99.6, 100.0, 3.217_163_3], &path, &mut out);
        near(out[0], -3.036_833, 1e-5);
        near(out[1], -0.3984, 1e-6);
        near(out[2], -2.204_294_6, 1e-6);
    }
}
