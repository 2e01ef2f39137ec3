//! Impairments of a wire: loss, at random or of stated packets, extra delay, aggregation and reordering.

use super::config::{Hold, Jitter, LinkConfig, Loss, Reorder};
use super::flight::Flight;
use crate::engine::{Purpose, Stream};
use crate::packet::Packet;
use std::ops::RangeInclusive;
use std::sync::Arc;
use windward_units::{Duration, Time};

/// Random loss with its state.
#[derive(Debug)]
pub struct Losses {
    model: Loss,
    is_bad: bool,
    stream: Stream,
}

/// Reordered packets, in a flight of their own.
#[derive(Debug)]
pub struct Late {
    /// `None` while no further packets are reordered.
    model: Option<Reorder>,
    last_delivery: Time,
    /// Reordered packets in flight.
    pub flight: Flight,
    stream: Stream,
}

impl Late {
    /// Reordering of `link`; `None` without it.
    pub fn new(link: &LinkConfig, seed: u64) -> Option<Self> {
        link.reorder.map(|_| Self::changing(link, seed))
    }

    /// Reordering of `link`, which may change.
    pub fn changing(link: &LinkConfig, seed: u64) -> Self {
        let stream = Stream::new(seed, link.key, Purpose::Reorder);
        Self { model: link.reorder, last_delivery: Time::ZERO, flight: Flight::default(), stream }
    }

    /// Changes or ends the reordering; packets in flight keep their arrival times. The random stream continues.
    pub fn change(&mut self, model: Option<Reorder>) {
        self.model = model;
    }

    /// Extra delay of the next packet if it is reordered.
    #[inline]
    pub fn takes(&mut self) -> Option<Duration> {
        let Reorder { share, delay } = self.model?;
        self.stream.chance(share).then_some(delay)
    }

    /// Adds a packet that arrives at `time`, or with the last of them if later; returns the time to deliver it if it is
    /// the first.
    #[inline]
    pub fn carry(&mut self, time: Time, packet: Packet) -> Option<Time> {
        let delivery = time.max(self.last_delivery);
        self.last_delivery = delivery;
        self.flight.add(delivery, packet).then_some(delivery)
    }
}

/// Loss of packets by their number.
#[derive(Debug)]
pub struct Listed {
    /// Ranges of numbers, in order, and the index of the first that is not over.
    lost: Arc<[RangeInclusive<u64>]>,
    at: usize,
    /// Number of the last packet.
    last: u64,
}

impl Listed {
    /// Losses of `link` by number; `None` without them.
    pub fn new(link: &LinkConfig) -> Option<Self> {
        (!link.lose.is_empty()).then(|| Self { lost: link.lose.clone(), at: 0, last: 0 })
    }

    /// Counts the next packet; true if it is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        self.last += 1;
        while self.lost.get(self.at).is_some_and(|range| *range.end() < self.last) {
            self.at += 1;
        }
        self.lost.get(self.at).is_some_and(|range| range.contains(&self.last))
    }
}

/// Aggregation of packets: the hold that is open.
#[derive(Debug)]
pub struct Holder {
    config: Hold,
    /// End of the last hold.
    release: Option<Time>,
}

impl Holder {
    /// Aggregation of `link`; `None` without it.
    pub fn new(link: &LinkConfig) -> Option<Self> {
        link.hold.map(|config| Self { config, release: None })
    }

    /// Time at which a packet whose transmission ends at `end` is released: with the hold that is open, or at the end
    /// of one that it opens.
    #[inline]
    pub fn release(&mut self, end: Time) -> Time {
        match self.release {
            Some(release) if end <= release => release,
            _ => {
                let release = end + self.config.length;
                self.release = Some(release);
                release
            }
        }
    }

    /// True if ACKs take the place of earlier ones.
    #[inline]
    pub fn thins(&self) -> bool {
        self.config.thins
    }
}

/// Random extra delay.
#[derive(Debug)]
pub struct Delays {
    model: Jitter,
    stream: Stream,
}

impl Losses {
    /// Loss of `link`; `None` without loss.
    pub fn new(link: &LinkConfig, seed: u64) -> Option<Self> {
        (link.loss != Loss::None).then(|| Self::changing(link, seed))
    }

    /// Loss of `link`, which may change.
    pub fn changing(link: &LinkConfig, seed: u64) -> Self {
        Self { model: link.loss, is_bad: false, stream: Stream::new(seed, link.key, Purpose::Loss) }
    }

    /// Changes the loss and resets its state to good. The random stream continues.
    pub fn change(&mut self, loss: Loss) {
        (self.model, self.is_bad) = (loss, false);
    }

    /// True if the next packet is lost.
    #[inline]
    pub fn strikes(&mut self) -> bool {
        let p = match self.model {
            Loss::None => return false,
            Loss::Bernoulli(p) => p,
            Loss::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => {
                let leave = if self.is_bad { bad_to_good } else { good_to_bad };
                self.is_bad ^= self.stream.chance(leave);
                if self.is_bad { loss_bad } else { loss_good }
            }
        };
        self.stream.chance(p)
    }
}

impl Delays {
    /// Jitter of `link`; `None` without it.
    pub fn new(link: &LinkConfig, seed: u64) -> Option<Self> {
        (link.jitter != Jitter::None).then(|| Self::changing(link, seed))
    }

    /// Jitter of `link`, which may change.
    pub fn changing(link: &LinkConfig, seed: u64) -> Self {
        Self { model: link.jitter, stream: Stream::new(seed, link.key, Purpose::Jitter) }
    }

    /// Changes the jitter. The random stream continues.
    pub fn change(&mut self, jitter: Jitter) {
        self.model = jitter;
    }

    /// Delay of the next packet on a link with propagation delay `delay`.
    #[inline]
    pub fn draw(&mut self, delay: Duration) -> Duration {
        match self.model {
            Jitter::None => delay,
            Jitter::Uniform(most) => delay + most.scale(self.stream.uniform()),
            Jitter::Normal(deviation) => {
                // The conversion saturates at zero from below: the clipping of evidence/papers/wang2016 §4.4.
                Duration::from_secs(delay.as_secs() + deviation.as_secs() * self.stream.normal())
            }
            Jitter::ClippedNormal(deviation) => delay + deviation.scale(self.stream.normal().max(0.0)),
            Jitter::Exponential(mean) => delay + self.stream.exponential_span(mean),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::BitRate;

    fn link(loss: Loss, jitter: Jitter) -> LinkConfig {
        let rate = BitRate::bits_per_sec(1_000_000);
        LinkConfig { loss, jitter, ..LinkConfig::new(3, rate, Duration::from_millis(10)) }
    }

    /// Gilbert–Elliott with transitions 0.1 and 0.3 is bad a quarter of the time. With a loss probability of 1 in that
    /// state it loses 25 %, in bursts of mean length 1/0.3. 200 000 packets hold some 15 000 bursts of standard
    /// deviation 2.8: 5 standard errors are 0.12 and, with the correlation factor (2 − 0.4)/0.4 = 4 on the binomial
    /// variance, 0.0097 of loss.
    #[test]
    fn gilbert_elliott_loses_in_bursts_of_the_right_length() {
        let model = Loss::GilbertElliott { good_to_bad: 0.1, bad_to_good: 0.3, loss_good: 0.0, loss_bad: 1.0 };
        let mut losses = Losses::new(&link(model, Jitter::None), 1).expect("it loses");
        let lost: Vec<bool> = (0..200_000).map(|_| losses.strikes()).collect();
        let share = lost.iter().filter(|&&l| l).count() as f64 / lost.len() as f64;
        let runs = lost.windows(2).filter(|w| !w[0] && w[1]).count() as f64;
        assert!((share - 0.25).abs() < 0.0097, "{share}");
        assert!((share * lost.len() as f64 / runs - 1.0 / 0.3).abs() < 0.12);
    }

    #[test]
    fn jitter_never_makes_a_delay_negative() {
        let jitter = Jitter::Normal(Duration::from_millis(50));
        let mut delays = Delays::new(&link(Loss::None, jitter), 1).expect("it jitters");
        let drawn: Vec<Duration> = (0..1000).map(|_| delays.draw(Duration::from_millis(10))).collect();
        assert!(drawn.contains(&Duration::ZERO));
        assert!(drawn.iter().any(|d| *d > Duration::from_millis(60)));
    }

    /// Half of the draws equal the base. The mean of the others is σ√(2/π), the overall mean σ/√(2π) = 3.989 ms for σ =
    /// 10 ms. A draw's standard deviation is 5.8 ms: three standard errors of 100 000 draws are 0.055 ms, and of the
    /// share 0.0047.
    #[test]
    fn clipped_jitter_leaves_half_of_the_packets_alone() {
        let base = Duration::from_millis(10);
        let jitter = Jitter::ClippedNormal(Duration::from_millis(10));
        let mut delays = Delays::new(&link(Loss::None, jitter), 1).expect("it jitters");
        let drawn: Vec<Duration> = (0..100_000).map(|_| delays.draw(base)).collect();
        let alone = drawn.iter().filter(|&&d| d == base).count() as f64 / drawn.len() as f64;
        let mean = drawn.iter().map(|d| d.as_secs()).sum::<f64>() / drawn.len() as f64 - base.as_secs();
        assert!(drawn.iter().all(|d| *d >= base));
        assert!((alone - 0.5).abs() < 0.0047, "{alone}");
        assert!((mean - 0.003_989).abs() < 0.000_055, "{mean}");
    }

    #[test]
    fn a_clean_wire_draws_nothing() {
        assert!(Losses::new(&link(Loss::None, Jitter::None), 1).is_none());
        assert!(Delays::new(&link(Loss::None, Jitter::None), 1).is_none());
    }
}
