//! E-MULTCP: control of the number of parallel connections of a transfer.
//!
//! M. Chen, A. Zakhor and R. Fujita, "Flow Control in Wireless Networks", University of California at Berkeley, 2007,
//! §IV. On a link with random losses one connection leaves most of the capacity unused; n connections get about n times
//! as much, until the link is full and a queue forms. n therefore grows without a queue and shrinks with one: inversely
//! increasing, multiplicatively decreasing (IIMD).
//!
//! Three laws share this interface. [`Kind::Paper`] is the paper's (21), for transfers that last for hours;
//! [`Kind::Additive`] is its predecessor in MULTFRC. [`Kind::Fast`] is ours, for files that take a minute. Each states
//! its equations in its own file; docs/reference/laws/emultcp.md explains them.
//!
//! Like a [`Law`](crate::Law), a [`Controller`] reads no clock and opens nothing. Its **host**, a download or a
//! simulated transfer, calls [`Controller::update`] every [`Controller::period`] seconds with its measurements, and
//! opens or closes connections accordingly.

mod bound;
mod constants;
mod fast;
mod least;
mod paper;
mod params;
mod path;
mod sample;
mod single;
mod smooth;
mod start;
#[cfg(test)]
mod tests;

pub use params::{Kind, Params, Rounding};
pub use sample::Sample;

use constants::GROWTH;
use fast::Fast;
use paper::Paper;

/// Controller of a transfer's number of connections.
#[derive(Clone, Debug)]
pub struct Controller {
    params: Params,
    state: State,
    wanted: u32,
}

#[derive(Clone, Debug)]
enum State {
    Paper(Paper),
    Fast(Box<Fast>),
}

impl Controller {
    /// Controller of a new transfer. `remembered` is [`Controller::connections`] at the end of the last one from the
    /// same host; the paper's law has no memory and ignores it.
    pub fn new(params: Params, remembered: Option<f64>) -> Self {
        let state = match params.law {
            Kind::Paper | Kind::Additive => State::Paper(Paper::new()),
            Kind::Fast => State::Fast(Box::new(Fast::new(&params, remembered))),
        };
        let mut controller = Self { params, state, wanted: 1 };
        controller.wanted = controller.round();
        controller
    }

    /// Takes a measurement; returns the wanted number of connections.
    pub fn update(&mut self, sample: Sample) -> u32 {
        match &mut self.state {
            State::Paper(paper) => paper.update(&self.params, &sample),
            State::Fast(fast) => fast.update(&self.params, &sample),
        }
        self.wanted = self.round();
        // The end game: a connection opened now would end in its slow start.
        if let Some(remaining) = sample.remaining
            && remaining * 8.0 < sample.rate * self.params.settle
        {
            self.wanted = self.wanted.min(sample.connections.max(1));
        }
        self.wanted
    }

    /// Forgets the round trips of the path: its route has changed (chen2007 §IV-A: a change that traceroute detects
    /// resets rtt_min). The fast law takes rtt_min from its host, which begins it anew itself.
    pub fn forget_path(&mut self) {
        if let State::Paper(paper) = &mut self.state {
            paper.forget_path();
        }
    }

    /// Number of connections for n. The fast law takes its integer part, and closes one only once n is half a
    /// connection below it, so that connections do not alternate between open and closed.
    fn round(&self) -> u32 {
        let n = self.connections();
        let kept = f64::from(self.wanted);
        let is_kept = self.params.law == Kind::Fast && (kept - GROWTH.closing..kept).contains(&n);
        let is_nearest = self.params.law != Kind::Fast && self.params.rounding == Rounding::Nearest;
        let shifted = if is_nearest { n + 0.5 } else { n };
        // The conversion saturates, and cuts off.
        if is_kept { self.wanted } else { (shifted as u32).clamp(1, self.params.max) }
    }

    /// Wanted number of connections.
    pub fn wanted(&self) -> u32 {
        self.wanted
    }

    /// n, a real number.
    pub fn connections(&self) -> f64 {
        match &self.state {
            State::Paper(paper) => paper.n,
            State::Fast(fast) => fast.n,
        }
    }

    /// Seconds between the host's calls: a tenth of τ, at most 0.1 s.
    pub fn period(&self) -> f64 {
        (self.params.tau / 10.0).min(0.1)
    }

    /// Queue measured by the law, in seconds; `None` before the first RTT. For the paper's law that of its last update.
    pub fn queue(&self) -> Option<f64> {
        match &self.state {
            State::Paper(paper) => paper.queue,
            State::Fast(fast) => fast.queue(),
        }
    }

    /// Bound on the sum of the connections' receive windows in bytes; `None` without a bound. The host divides it among
    /// its connections by [`share`].
    pub fn window(&self) -> Option<f64> {
        match &self.state {
            State::Paper(_) => None,
            State::Fast(fast) => fast.window(&self.params).map(|bits| bits / 8.0),
        }
    }

    /// Parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }
}

/// Share of connection `index` of `count` in a window of `bytes`: whole segments, with one more for the first
/// connections.
pub fn share(bytes: f64, segment: u32, count: u32, index: u32) -> u32 {
    let all = (bytes / f64::from(segment)) as u32;
    all / count + u32::from(index < all % count)
}
