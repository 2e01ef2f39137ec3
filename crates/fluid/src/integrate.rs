//! Integration of the windows over time.

use crate::delayed::{Delayed, History, Signal};
use crate::dormand_prince;
use crate::model::{Model, Seen, per_second};
use windward_num::Error;

/// Time stepping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// The differential equation, by adaptive steps of order 5(4) with this relative and absolute (packets) tolerance.
    /// Laws defined per step make one per round trip.
    Ode {
        /// Allowed error per step.
        tolerance: f64,
    },
    /// One update every `period` seconds, as the papers' own computations do (huang2020 §V-A: 20 ms): a step of the
    /// laws defined per step, an Euler step of the others.
    Discrete {
        /// Seconds between updates.
        period: f64,
    },
    /// Delay differential equation of flows that see delay and loss of their path late, by Heun's method of order two
    /// with steps of a 64th of the shortest lag. Before the beginning signals are constant.
    Delayed {
        /// Feedback delay.
        lag: Lag,
    },
}

/// Feedback delay of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lag {
    /// One round trip of the flow, d + q at present.
    RoundTrip,
    /// A fixed number of seconds, for all flows.
    Seconds(f64),
}

/// Samples of a run, one entry per instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// Seconds.
    pub time: Vec<f64>,
    /// w_s of each flow, packets.
    pub windows: Vec<Vec<f64>>,
    /// x_s of each flow, packets per second.
    pub rates: Vec<Vec<f64>>,
    /// q^s of each flow, seconds.
    pub delays: Vec<Vec<f64>>,
    /// End of each piece of the run: one, unless the network changes.
    pub rests: Vec<Rest>,
    /// Evaluations of the right-hand side.
    pub evaluations: u64,
}

/// End of a piece of a run with a constant network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    /// Beginning and end of the piece, seconds.
    pub span: (f64, f64),
    /// w_s of each flow, packets.
    pub windows: Vec<f64>,
    /// x_s of each flow, packets per second.
    pub rates: Vec<f64>,
    /// q^s of each flow, seconds.
    pub delays: Vec<f64>,
}

impl Trajectory {
    /// Settling time in seconds: all rates stay within `share` of their last values from then on; `None` if only the
    /// last sample does.
    pub fn settled(&self, share: f64) -> Option<f64> {
        let last = self.rates.last()?;
        let is_close = |rates: &Vec<f64>| rates.iter().zip(last).all(|(x, end)| (x - end).abs() <= share * end.abs());
        let first = self.rates.iter().rposition(|rates| !is_close(rates)).map_or(0, |at| at + 1);
        (first + 1 < self.time.len() || self.time.len() == 1).then(|| self.time[first])
    }

    /// Index of the piece at a time, from 0; at a boundary, the next piece.
    pub fn piece_at(&self, time: f64) -> usize {
        let last = self.rests.len().saturating_sub(1);
        self.rests.iter().take(last).take_while(|rest| rest.span.1 <= time).count()
    }

    /// Ends the piece of `model` at `time`.
    fn rest(&mut self, time: f64, model: &mut Model, state: &[f64]) -> Result<(), Error> {
        model.observe(state)?;
        let begin = self.rests.last().map_or(0.0, |rest| rest.span.1);
        self.rests.push(Rest {
            span: (begin, time),
            windows: model.windows(state).collect(),
            rates: model.rates().to_vec(),
            delays: (0..model.flows()).map(|flow| model.path_delay(flow)).collect(),
        });
        Ok(())
    }

    fn sample(&mut self, time: f64, model: &mut Model, state: &[f64]) -> Result<(), Error> {
        model.observe(state)?;
        self.time.push(time);
        self.windows.push(model.windows(state).collect());
        self.rates.push(model.rates().to_vec());
        self.delays.push((0..model.flows()).map(|flow| model.path_delay(flow)).collect());
        Ok(())
    }
}

/// Follows `model` from `windows` (packets) for `duration` seconds, sampled every `interval` seconds.
///
/// # Errors
/// As [`windward_num::FluidMap::solve`].
pub fn integrate(
    model: &mut Model,
    windows: &[f64],
    duration: f64,
    interval: f64,
    method: Method,
) -> Result<Trajectory, Error> {
    integrate_pieces(&mut [(0.0, model)], windows, duration, interval, method, &|_| ())
}

/// Follows a network that changes: each model holds from its time, in seconds, to that of the next. The first begins at
/// 0, times grow, and all have the same flows, whose states continue.
///
/// With [`Method::Delayed`] a model begins at the nearest step. `tell` receives the progress in seconds.
///
/// # Errors
/// As [`windward_num::FluidMap::solve`].
pub fn integrate_pieces(
    pieces: &mut [(f64, &mut Model)],
    windows: &[f64],
    duration: f64,
    interval: f64,
    method: Method,
    tell: &dyn Fn(f64),
) -> Result<Trajectory, Error> {
    let mut state = pieces[0].1.start(windows);
    let mut trajectory = Trajectory::default();
    trajectory.sample(0.0, pieces[0].1, &state)?;
    let samples = (duration / interval).round() as u64;
    let mut step = interval / 100.0;
    let mut echo = match method {
        Method::Delayed { lag } => {
            // One step for all pieces: the past is kept on one grid.
            let shortest = pieces.iter().map(|(_, model)| model.least_base_rtt()).fold(f64::INFINITY, f64::min);
            Some(Echo::new(pieces[0].1, lag, shortest, &state, interval)?)
        }
        Method::Ode { .. } | Method::Discrete { .. } => None,
    };
    let mut at = 0;
    for sample in 1..=samples {
        let begin = (sample - 1) as f64 * interval;
        let end = begin + interval;
        let mut now = begin;
        loop {
            let next = pieces.get(at + 1).map_or(f64::INFINITY, |piece| piece.0);
            let until = next.min(end);
            // Rounding shall not make whole intervals differ.
            let span = if now == begin && until == end { interval } else { until - now };
            let model = &mut *pieces[at].1;
            match method {
                _ if span <= 0.0 => {}
                Method::Discrete { period } => {
                    updates(model, &mut state, now, span, period, &mut trajectory)?;
                }
                Method::Ode { tolerance } => {
                    let right = |at: &[f64], out: &mut [f64]| model.derivative(at, out);
                    let went = |passed: f64| tell(now + passed);
                    trajectory.evaluations += flow(right, &mut state, span, &mut step, tolerance, went)?;
                }
                Method::Delayed { .. } => {
                    if let Some(echo) = &mut echo {
                        // Counted from the last sample, so that the pieces of an interval together have its steps.
                        let done = |time: f64| ((time - begin) / interval * echo.steps as f64).round() as u64;
                        let count = done(until) - done(now);
                        trajectory.evaluations += echo.advance(model, &mut state, count)?;
                    }
                }
            }
            now = until;
            tell(now);
            if next > end {
                break;
            }
            trajectory.rest(next, model, &state)?;
            at += 1;
        }
        trajectory.sample(end, pieces[at].1, &state)?;
    }
    trajectory.rest(duration, pieces[at].1, &state)?;
    Ok(trajectory)
}

/// Applies the updates in (`from`, `from + span`].
fn updates(
    model: &mut Model,
    state: &mut [f64],
    from: f64,
    span: f64,
    period: f64,
    trajectory: &mut Trajectory,
) -> Result<(), Error> {
    // Counted from zero, so that no rounding loses one.
    let count = |time: f64| (time / period + 1e-9).floor() as u64;
    let mut change = vec![0.0; state.len()];
    for _ in count(from)..count(from + span) {
        model.update(state, period, &mut change)?;
        trajectory.evaluations += 1;
        state.iter_mut().zip(&change).for_each(|(value, change)| *value += change);
    }
    Ok(())
}

/// A model's past, and its steps between two samples.
struct Echo {
    history: History,
    lag: Lag,
    /// Steps between two samples.
    steps: u64,
}

impl Echo {
    fn new(model: &mut Model, lag: Lag, least_rtt: f64, state: &[f64], interval: f64) -> Result<Self, Error> {
        let shortest = match lag {
            Lag::RoundTrip => least_rtt,
            Lag::Seconds(seconds) => seconds,
        };
        let steps = (interval * STEPS_A_LAG / shortest).ceil().max(1.0);
        let signals = Heard { model, lag }.signals(state)?;
        Ok(Self { history: History::new(interval / steps, &signals), lag, steps: steps as u64 })
    }

    /// Advances by a number of steps; returns the evaluations.
    fn advance(&mut self, model: &mut Model, state: &mut [f64], count: u64) -> Result<u64, Error> {
        let mut heard = Heard { model, lag: self.lag };
        for _ in 0..count {
            self.history.advance(&mut heard, state)?;
        }
        Ok(3 * count)
    }
}

/// A model with feedback delay: the queueing delays of all flows, followed by their losses and their marks.
struct Heard<'a> {
    model: &'a mut Model,
    lag: Lag,
}

impl Delayed for Heard<'_> {
    type Error = Error;

    fn signals(&mut self, state: &[f64]) -> Result<Vec<Signal>, Error> {
        self.model.observe(state)?;
        let lag = |flow| match self.lag {
            Lag::RoundTrip => self.model.rtt(flow),
            Lag::Seconds(seconds) => seconds,
        };
        let seen: Vec<Seen> = (0..self.model.flows()).map(|flow| self.model.seen(flow)).collect();
        let delays = seen.iter().map(|seen| seen.queue_delay);
        let all = delays.chain(seen.iter().map(|seen| seen.loss)).chain(seen.iter().map(|seen| seen.marks));
        Ok(all.enumerate().map(|(at, value)| Signal { value, lag: lag(at % seen.len()) }).collect())
    }

    fn slope(&self, state: &[f64], heard: &[f64], out: &mut [f64]) {
        let count = self.model.flows();
        let seen = |flow| Seen { queue_delay: heard[flow], loss: heard[count + flow], marks: heard[2 * count + flow] };
        self.model.slopes(state, seen, out, per_second);
    }
}

/// Adaptive steps of `state` along `right` over `span` seconds; `step` is the length that the last one suggested;
/// `went` receives the seconds passed. Returns the evaluations.
pub(crate) fn flow<X>(
    mut right: impl FnMut(&[f64], &mut [f64]) -> Result<(), X>,
    state: &mut [f64],
    span: f64,
    step: &mut f64,
    tolerance: f64,
    went: impl Fn(f64),
) -> Result<u64, X> {
    let mut left = span;
    let mut evaluations = 0;
    let mut trial = dormand_prince::Step::new(state.len());
    while left > span * 1e-12 {
        let h = step.min(left);
        let tried = trial.take(state, h, &mut right);
        evaluations += 7;
        match tried {
            Ok(()) => {}
            // A step far too long may lead to windows for which F cannot be found: no reason to stop where it starts.
            Err(_) if h > LEAST_STEP => {
                *step = (0.2 * h).max(LEAST_STEP);
                continue;
            }
            Err(error) => return Err(error),
        }
        let scale = |old: f64, new: f64| tolerance * (1.0 + old.abs().max(new.abs()));
        let worst = state.iter().zip(&trial.next).zip(&trial.error).map(|((&old, &new), e)| e.abs() / scale(old, new));
        // `f64::max` would drop a NaN, and take the step.
        let worst = worst.fold(0.0, |worst: f64, own: f64| if own.is_nan() { f64::INFINITY } else { worst.max(own) });
        if worst <= 1.0 || h <= LEAST_STEP {
            state.copy_from_slice(&trial.next);
            left -= h;
            went(span - left);
        }
        // A full step's length is kept when the sampling cut this one short.
        let factor = (0.9 * libm::pow(worst.max(1e-10), -0.2)).clamp(0.2, 5.0);
        if worst > 1.0 || h >= *step {
            *step = (h * factor).max(LEAST_STEP);
        }
    }
    Ok(evaluations)
}

/// Least step at a jump of the right-hand side, seconds.
const LEAST_STEP: f64 = 1e-9;

/// Steps in the shortest lag.
const STEPS_A_LAG: f64 = 64.0;
