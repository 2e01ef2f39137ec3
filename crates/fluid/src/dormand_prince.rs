//! The embedded Runge–Kutta pair of order 5(4) by Dormand and Prince (J. Comput. Appl. Math. 6, 1980).

/// Nodes' coefficients: row i gives stage i + 1 from the stages before it; the last row is also the fifth-order answer.
const A: [&[f64]; 6] = [
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// Fifth-order minus fourth-order weights.
const E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];

/// A step and the space for its stages.
pub struct Step {
    stages: [Vec<f64>; 7],
    /// State after the step.
    pub next: Vec<f64>,
    /// Estimate of its error.
    pub error: Vec<f64>,
}

impl Step {
    /// Space for states of `n` values.
    pub fn new(n: usize) -> Self {
        Self { stages: std::array::from_fn(|_| vec![0.0; n]), next: vec![0.0; n], error: vec![0.0; n] }
    }

    /// Takes one step of length `h` from `state`, for an autonomous right-hand side `f(state, out)`.
    ///
    /// # Errors
    /// Errors of `f`.
    pub fn take<X>(
        &mut self,
        state: &[f64],
        h: f64,
        mut f: impl FnMut(&[f64], &mut [f64]) -> Result<(), X>,
    ) -> Result<(), X> {
        let Self { stages, next, error } = self;
        f(state, &mut stages[0])?;
        for (row, weights) in A.iter().enumerate() {
            let (before, rest) = stages.split_at_mut(row + 1);
            for (i, value) in next.iter_mut().enumerate() {
                let slope: f64 = weights.iter().zip(&*before).map(|(weight, stage)| weight * stage[i]).sum();
                *value = state[i] + h * slope;
            }
            f(next, &mut rest[0])?;
        }
        for (i, value) in error.iter_mut().enumerate() {
            *value = h * E.iter().zip(&*stages).map(|(weight, stage)| weight * stage[i]).sum::<f64>();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A harmonic oscillator over one period of 1: the error falls with the fifth power of the step, so halving it
    /// divides the error by 32; the measured order lies between 4.8 and 5.2.
    #[test]
    fn the_order_is_five() {
        let tau = std::f64::consts::TAU;
        let error = |steps: u32| {
            let (mut state, mut step) = (vec![1.0, 0.0], Step::new(2));
            for _ in 0..steps {
                let right = |x: &[f64], out: &mut [f64]| -> Result<(), ()> {
                    (out[0], out[1]) = (tau * x[1], -tau * x[0]);
                    Ok(())
                };
                step.take(&state, 1.0 / f64::from(steps), right).expect("it cannot fail");
                state.copy_from_slice(&step.next);
            }
            ((state[0] - 1.0).powi(2) + state[1].powi(2)).sqrt()
        };
        let order = libm::log2(error(20) / error(40));
        assert!((4.8..5.2).contains(&order), "{order}");
    }
}
