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

/// One step of length `h` from `state`, for an autonomous right-hand side `f(state, out)`. Returns the new state and
/// the estimate of its error.
///
/// # Errors
/// Errors of `f`.
pub fn step<X>(
    state: &[f64],
    h: f64,
    mut f: impl FnMut(&[f64], &mut [f64]) -> Result<(), X>,
) -> Result<(Vec<f64>, Vec<f64>), X> {
    let n = state.len();
    let mut stages = vec![vec![0.0; n]; 7];
    f(state, &mut stages[0])?;
    let mut at = vec![0.0; n];
    for (row, weights) in A.iter().enumerate() {
        for i in 0..n {
            let slope: f64 = weights.iter().zip(&stages).map(|(weight, stage)| weight * stage[i]).sum();
            at[i] = state[i] + h * slope;
        }
        let (_, rest) = stages.split_at_mut(row + 1);
        f(&at, &mut rest[0])?;
    }
    let error =
        (0..n).map(|i| h * E.iter().zip(&stages).map(|(weight, stage)| weight * stage[i]).sum::<f64>()).collect();
    Ok((at, error))
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
            let mut state = vec![1.0, 0.0];
            for _ in 0..steps {
                let right = |x: &[f64], out: &mut [f64]| -> Result<(), ()> {
                    (out[0], out[1]) = (tau * x[1], -tau * x[0]);
                    Ok(())
                };
                state = step(&state, 1.0 / f64::from(steps), right).expect("it cannot fail").0;
            }
            ((state[0] - 1.0).powi(2) + state[1].powi(2)).sqrt()
        };
        let order = libm::log2(error(20) / error(40));
        assert!((4.8..5.2).contains(&order), "{order}");
    }
}
