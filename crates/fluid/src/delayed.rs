//! Delay differential equations, integrated by steps of equal length.
//!
//! Heun's method with linear interpolation of the past; both are of order two. A step must not be longer than the
//! shortest lag, so that no slope needs a signal of its own step.

use std::collections::VecDeque;

/// A system with delayed signals; before the beginning they are constant.
pub trait Delayed {
    /// Error type.
    type Error;

    /// Signals of `state`, and the lag of each in seconds.
    ///
    /// # Errors
    /// Errors of the system.
    fn signals(&mut self, state: &[f64]) -> Result<Vec<Signal>, Self::Error>;

    /// Writes the time derivative of `state` to `out`; `heard` are the delayed signals at this time.
    fn slope(&self, state: &[f64], heard: &[f64], out: &mut [f64]);
}

/// One signal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// Value.
    pub value: f64,
    /// Lag in seconds.
    pub lag: f64,
}

/// Past signals, step by step.
pub struct History {
    step: f64,
    /// Number of discarded steps.
    gone: u64,
    values: VecDeque<Vec<f64>>,
    longest: f64,
    scratch: Scratch,
}

/// Memory of a step.
#[derive(Default)]
struct Scratch {
    /// Delayed signals.
    heard: Vec<f64>,
    /// State at the end of the step, by Euler's method.
    ahead: Vec<f64>,
    /// Slopes at the beginning and the end of the step.
    slopes: [Vec<f64>; 2],
}

impl History {
    /// Past of a system that begins with `signals` and advances in steps of `step` seconds.
    pub fn new(step: f64, signals: &[Signal]) -> Self {
        let mut history = Self { step, gone: 0, values: VecDeque::new(), longest: 0.0, scratch: Scratch::default() };
        history.keep(signals);
        history
    }

    fn keep(&mut self, signals: &[Signal]) {
        self.longest = signals.iter().map(|signal| signal.lag).fold(self.longest, f64::max);
        self.values.push_back(signals.iter().map(|signal| signal.value).collect());
        // Twice the longest lag so far: lags grow no faster than time.
        while self.values.len() as f64 > 2.0 * self.longest / self.step + 2.0 {
            self.values.pop_front();
            self.gone += 1;
        }
    }

    /// Signal at step `at`, a real number.
    fn at(&self, signal: usize, at: f64) -> f64 {
        let at = (at - self.gone as f64).clamp(0.0, (self.values.len() - 1) as f64);
        let (before, share) = (at as usize, at.fract());
        let value = |step: usize| self.values[step.min(self.values.len() - 1)][signal];
        value(before) * (1.0 - share) + value(before + 1) * share
    }

    /// Writes the delayed signals at step `now` to `heard`.
    fn hear(&self, now: f64, signals: &[Signal], heard: &mut Vec<f64>) {
        heard.clear();
        heard.extend(signals.iter().enumerate().map(|(at, signal)| self.at(at, now - signal.lag / self.step)));
    }

    /// One step of `system`; updates `state`.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn advance<S: Delayed>(&mut self, system: &mut S, state: &mut [f64]) -> Result<(), S::Error> {
        let now = (self.gone + self.values.len() as u64 - 1) as f64;
        let signals = system.signals(state)?;
        let mut scratch = std::mem::take(&mut self.scratch);
        let Scratch { heard, ahead, slopes: [first, second] } = &mut scratch;
        for slope in [&mut *first, &mut *second] {
            slope.clear();
            slope.resize(state.len(), 0.0);
        }
        self.hear(now, &signals, heard);
        system.slope(state, heard, first);
        ahead.clear();
        ahead.extend(state.iter().zip(&*first).map(|(value, slope)| value + self.step * slope));
        let later = system.signals(ahead)?;
        self.hear(now + 1.0, &later, heard);
        system.slope(ahead, heard, second);
        for (value, (a, b)) in state.iter_mut().zip(first.iter().zip(&*second)) {
            *value += self.step * (a + b) / 2.0;
        }
        self.scratch = scratch;
        let signals = system.signals(state)?;
        self.keep(&signals);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::f64::consts::FRAC_PI_2;

    /// x′ = −k·x(t − 1).
    struct Linear {
        k: f64,
    }

    impl Delayed for Linear {
        type Error = Infallible;
        fn signals(&mut self, state: &[f64]) -> Result<Vec<Signal>, Infallible> {
            Ok(vec![Signal { value: state[0], lag: 1.0 }])
        }
        fn slope(&self, _state: &[f64], heard: &[f64], out: &mut [f64]) {
            out[0] = -self.k * heard[0];
        }
    }

    /// x at every step from x = 1 in the past, `steps` a lag.
    fn run(k: f64, steps: u32, lags: u32) -> Vec<f64> {
        let (mut system, mut state) = (Linear { k }, [1.0]);
        let mut history = History::new(1.0 / f64::from(steps), &[Signal { value: 1.0, lag: 1.0 }]);
        let mut path = vec![1.0];
        for _ in 0..steps * lags {
            history.advance(&mut system, &mut state).unwrap_or_else(|never| match never {});
            path.push(state[0]);
        }
        path
    }

    #[test]
    fn the_order_is_two() {
        // By the method of steps x(3) = 1 − 3k + k²·2²/2 − k³/6; halving the step divides the error by four.
        let k = 1.5;
        let exact = 1.0 - 3.0 * k + 2.0 * k * k - k * k * k / 6.0;
        let error = |steps| (run(k, steps, 3)[3 * steps as usize] - exact).abs();
        let order = libm::log2(error(20) / error(40));
        assert!((1.9..2.1).contains(&order), "{order}");
        assert!(error(40) < 1e-3, "{}", error(40));
    }

    #[test]
    fn the_limit_of_stability_is_half_pi() {
        // Dominant roots of s = −k·e^(−s): at k = π/2, s = ±iπ/2; Re s = (k − π/2)·(π/2)/(1 + π²/4) nearby. Amplitudes
        // 40 lags apart, in 5 % on either side: e^(±40·0.05·(π/2)²/(1 + π²/4)) = e^±1.42; order two of steps of 1/50
        // leaves 1 %.
        let swing = |k: f64| {
            let path = run(k, 50, 80);
            let most = |range: std::ops::Range<usize>| path[range].iter().fold(0.0f64, |most, x| most.max(x.abs()));
            most(76 * 50..80 * 50) / most(36 * 50..40 * 50)
        };
        assert!(swing(0.95 * FRAC_PI_2) < 0.3, "{}", swing(0.95 * FRAC_PI_2));
        assert!((swing(FRAC_PI_2) - 1.0).abs() < 0.02, "{}", swing(FRAC_PI_2));
        assert!(swing(1.05 * FRAC_PI_2) > 3.3, "{}", swing(1.05 * FRAC_PI_2));
    }
}
