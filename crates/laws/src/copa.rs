//! Copa: moves the window towards the rate 1/(δ·d_q), d_q being the queueing delay, and detects flows that fill the
//! queue.
//!
//! V. Arun and H. Balakrishnan, "Copa: practical delay-based congestion control for the Internet", NSDI 2018,
//! usenix.org/conference/nsdi18/presentation/arun. Window W and 1/δ in packets, times in seconds:
//!
//! * RTTmin: least sample of 10 s. RTTstanding: least of the last srtt/2. d_q = RTTstanding − RTTmin
//! * per ACK W ← W + v·acked/(δ·W) where W/RTTstanding ≤ 1/(δ·d_q), else W ← W − v·acked/(δ·W); paced at
//!   2·W/RTTstanding
//! * v: 1; doubles in each round trip in which W has moved in the same direction as in the three before, and is 1 again
//!   when it turns
//! * slow start: W doubles in a round trip until the rate is above 1/(δ·d_q) for the first time
//! * the queue is nearly empty where d_q < 0.1·(RTTmax − RTTmin), RTTmax being the maximum sample of four round trips,
//!   or where the queue holds fewer of its own packets, W·d_q/RTTstanding, than 7/8 of its default target 1/δ. Its
//!   oscillation empties it once in five round trips. After five without it, other flows fill it, and 1/δ follows AIMD:
//!   one more in a round trip without loss, half of it after a loss, at least 2; otherwise δ is its default
//!
//! Fluid: dW/dt = ±1/(δ·rtt), the sign that of 1/(δ·q) − x with x = W/(d + q): at rest x·q = 1/δ. The price is q, the
//! utility (1/δ)·ln x. In packets the window oscillates about that rest: the standing queue is nearly empty once in
//! five round trips, and the mean is above 1/δ.
//!
//! **Where we differ**
//! * Time windows hold three samples instead of all (Nichols's filter): a window may be slightly shorter, never longer.
//! * An ACK adds at most the packets that it acknowledges: a window at most doubles in a round trip.
//! * The paper has no bound on its own packets: its receiver acknowledges every packet. Where an ACK covers two, the
//!   second has waited behind the first, so that on slow links the oscillation of 2.5/δ packets never comes within a
//!   tenth of zero, and Copa would mistake itself for a rival. Beside flows that fill the queue, 1/δ of its own packets
//!   are always in the queue; beside other Copa flows fewer in each oscillation.
//! * Round trips count from the first draining of slow start's own queue: until then the queue is its own.
//! * v is 1 at once when a step goes against the direction of the last round trip, not only at its end.
//! * A timeout leaves 2 packets (the paper does not say). Losses do not change the window, as in the paper's default
//!   mode.

use crate::fluid::passed;
use crate::shared::LOSS_FLOOR;
use crate::shared::max_filter::MaxFilter;
use crate::{Ack, Congestion, CongestionKind, FluidLaw, FluidPath, Law, Needs};
use windward_units::{Duration, PacketRate, Packets};

params! {
    /// Parameters of [`Copa`].
    Params {
        /// δ: the law keeps 1/δ packets in queues.
        delta: f64 = 0.5, from 0.001 to 1, note ", which is 2 packets (§2.1)";
        /// Lower δ beside flows that fill the queue (§2.2).
        competitive: bool = true;
        /// Window of the minimum-RTT filter, in seconds.
        min_rtt_window: f64 = 10, from 0.1 to 1e6;
    }
}

/// The law and its state. Boxed: a flow holds the law itself, and most laws are small.
#[derive(Clone, Debug)]
pub struct Copa(Box<State>);

#[derive(Clone, Debug)]
struct State {
    params: Params,
    cwnd: f64,
    is_slow_start: bool,
    /// Present 1/δ.
    aim: f64,
    samples: Option<Samples>,
    round: u64,
    // Velocity
    velocity: f64,
    is_up: bool,
    /// Consecutive round trips in one direction.
    same: u32,
    cwnd_at_round: f64,
    // Mode
    rounds_since_empty: u32,
    /// True once slow start's queue has drained.
    has_drained: bool,
    has_loss: bool,
    /// True if the law was in slow start before the last timeout.
    was_slow_start: bool,
}

/// Round-trip times of three windows; minima are stored as maxima of their negatives.
#[derive(Clone, Copy, Debug)]
struct Samples {
    least: MaxFilter,
    standing: MaxFilter,
    greatest: MaxFilter,
}

/// Round trips in one direction after which the velocity doubles.
const STEADY: u32 = 3;
/// Maximum velocity of the window.
const MOST_VELOCITY: f64 = 1e6;
/// Round trips in which its own oscillation empties the queue (§2.2), and those of RTTmax.
const CYCLE: u32 = 5;
const GREATEST_ROUNDS: u64 = 4;
/// Share of the oscillation of delays below which the queue is nearly empty.
const NEARLY_EMPTY: f64 = 0.1;
/// Share of the target 1/δ: fewer packets are in the queue in each oscillation beside other Copa flows, but not beside
/// flows that fill the queue.
const OWN_SHARE: f64 = 0.875;
/// Minimum 1/δ of the competitive mode.
const LEAST_AIM: f64 = 2.0;
const PACING_GAIN: f64 = 2.0;

impl Copa {
    /// A new connection with `initial` packets of window.
    pub fn new(params: Params, initial: Packets) -> Self {
        Self(Box::new(State {
            params,
            cwnd: initial.count().max(1.0),
            is_slow_start: true,
            aim: 1.0 / params.delta,
            samples: None,
            round: 0,
            velocity: 1.0,
            is_up: true,
            same: 0,
            cwnd_at_round: initial.count(),
            rounds_since_empty: 0,
            has_drained: false,
            has_loss: false,
            was_slow_start: true,
        }))
    }
}

impl Law for Copa {
    const NEEDS: Needs = Needs { drives_recovery: true, counts_acks: false, ..Needs::CLASSIC };
    const NOT_IN_LINUX: Option<&'static str> =
        Some("Linux has no Copa, nor is there an eBPF twin of it\nhint: `simulate`");

    fn on_ack(&mut self, ack: &Ack) {
        let state = &mut *self.0;
        state.has_loss |= ack.lost.count() > 0.0;
        if let Some(rtt) = ack.rtt {
            state.sample(ack, rtt);
        }
        let Some(samples) = state.samples else { return };
        if ack.round != state.round {
            state.round = ack.round;
            state.end_round();
        }
        if !state.has_drained || state.is_nearly_empty(&samples) {
            state.rounds_since_empty = 0;
        }
        state.step(ack, &samples);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let state = &mut *self.0;
        match event.kind {
            CongestionKind::Mark => {}
            CongestionKind::Loss => state.has_loss = true,
            CongestionKind::Timeout => {
                state.has_loss = true;
                state.was_slow_start = state.is_slow_start;
                state.is_slow_start = false;
                state.cwnd = state.cwnd.min(LOSS_FLOOR);
                (state.velocity, state.same) = (1.0, 0);
            }
        }
    }

    fn cwnd(&self) -> Packets {
        Packets::new(self.0.cwnd)
    }

    fn pacing_rate(&self) -> Option<PacketRate> {
        let standing = self.0.samples?.standing();
        (standing > 0.0).then(|| PacketRate::per_sec(PACING_GAIN * self.0.cwnd / standing))
    }

    fn on_undo(&mut self, before: Packets) {
        let state = &mut *self.0;
        state.cwnd = state.cwnd.max(before.count());
        state.is_slow_start |= state.was_slow_start;
        state.was_slow_start = false;
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        let state = &*self.0;
        sink("aim", state.aim);
        sink("velocity", state.velocity);
        sink("queue_delay", state.samples.map_or(0.0, |samples| samples.queue_delay()));
        sink("is_competitive", f64::from(u8::from(state.is_competitive())));
    }
}

impl Samples {
    fn standing(&self) -> f64 {
        -self.standing.max()
    }

    fn queue_delay(&self) -> f64 {
        (self.standing() + self.least.max()).max(0.0)
    }

    /// Recent oscillation of the round-trip times.
    fn swing(&self) -> f64 {
        self.greatest.max() + self.least.max()
    }
}

impl State {
    fn sample(&mut self, ack: &Ack, rtt: Duration) {
        let (now, rtt, srtt) = (ack.now.as_nanos(), rtt.as_secs(), ack.srtt.as_nanos());
        let samples = self.samples.get_or_insert_with(|| Samples {
            least: MaxFilter::at(now, -rtt),
            standing: MaxFilter::at(now, -rtt),
            greatest: MaxFilter::at(now, rtt),
        });
        samples.least.push(now, -rtt, Duration::from_secs(self.params.min_rtt_window).as_nanos());
        samples.standing.push(now, -rtt, srtt / 2);
        samples.greatest.push(now, rtt, GREATEST_ROUNDS * srtt);
    }

    fn is_nearly_empty(&self, samples: &Samples) -> bool {
        let own = OWN_SHARE / self.params.delta;
        samples.queue_delay() <= NEARLY_EMPTY * samples.swing()
            || self.cwnd * samples.queue_delay() < own * samples.standing()
    }

    fn is_competitive(&self) -> bool {
        self.params.competitive && self.rounds_since_empty > CYCLE
    }

    /// Updates mode and velocity, once per round trip.
    fn end_round(&mut self) {
        self.rounds_since_empty = self.rounds_since_empty.saturating_add(1);
        self.aim = match (self.is_competitive(), self.has_loss) {
            (false, _) => 1.0 / self.params.delta,
            (true, false) => self.aim + 1.0,
            (true, true) => (self.aim / 2.0).max(LEAST_AIM),
        };
        self.has_loss = false;
        let is_up = self.cwnd > self.cwnd_at_round;
        self.cwnd_at_round = self.cwnd;
        if self.is_slow_start || is_up != self.is_up {
            (self.is_up, self.same, self.velocity) = (is_up, 0, 1.0);
            return;
        }
        self.same += 1;
        if self.same >= STEADY {
            self.velocity = (self.velocity * 2.0).min(MOST_VELOCITY);
        }
    }

    fn step(&mut self, ack: &Ack, samples: &Samples) {
        let acked = ack.acked.count();
        // W/RTTstanding ≤ 1/(δ·d_q), without a division by no queue.
        let is_below = self.cwnd * samples.queue_delay() <= self.aim * samples.standing();
        if is_below && ack.app_limited {
            return;
        }
        if self.is_slow_start {
            if is_below {
                self.cwnd += acked;
                return;
            }
            self.is_slow_start = false;
        }
        self.has_drained |= is_below;
        if is_below != self.is_up && self.velocity > 1.0 {
            (self.velocity, self.same) = (1.0, 0);
        }
        let step = (self.velocity * self.aim * acked / self.cwnd).min(acked);
        self.cwnd = if is_below { self.cwnd + step } else { (self.cwnd - step).max(LOSS_FLOOR) };
    }
}

impl FluidLaw for Params {
    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]) {
        let waiting = state[0] * path.queued_share();
        let aim = 1.0 / self.delta;
        out[0] = aim / path.rtt() * (1.0 - 2.0 * passed(waiting, aim));
    }

    fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        let share = path.queued_share();
        (share > 0.0).then(|| Packets::new(1.0 / (self.delta * share)))
    }

    fn backlog(&self) -> Option<Packets> {
        Some(Packets::new(1.0 / self.delta))
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@inproceedings{arun2018copa,
  author = {Venkat Arun and Hari Balakrishnan},
  title = {Copa: Practical Delay-Based Congestion Control for the Internet},
  booktitle = {15th USENIX Symposium on Networked Systems Design and Implementation (NSDI)},
  pages = {329--342}, year = {2018}, publisher = {USENIX Association},
  url = {https://www.usenix.org/conference/nsdi18/presentation/arun}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{congestion, near, slow_ack};

    fn observed(law: &Copa, wanted: &str) -> f64 {
        let mut value = f64::NAN;
        law.observe(&mut |name, shown| {
            if name == wanted {
                value = shown;
            }
        });
        value
    }

    /// After slow start with 100 packets: 100 ms at first, then 125 ms until the standing round trip has forgotten the
    /// first.
    fn steady() -> Copa {
        let mut law = Copa::new(Params::default(), Packets::new(99.0));
        law.on_ack(&slow_ack(1000, 0, 100.0, 100));
        for ms in [1070, 1140, 1210] {
            law.on_ack(&slow_ack(ms, 0, 100.0, 125));
        }
        law
    }

    #[test]
    fn a_step_is_a_share_of_one_over_delta() {
        // The first ACK doubles; then d_q = 0 until 100 ms are forgotten after 62.5 ms: at 1070 ms d_q = 25 ms, 100·25
        // > 2·125: out of slow start, down by 2/100; then by 2/99.98 and 2/99.96.
        let law = steady();
        near(law.cwnd().count(), 100.0 - 0.02 - 2.0 / 99.98 - 2.0 / 99.959_996, 1e-9);
        near(observed(&law, "queue_delay"), 0.025, 1e-12);
        // 2·W/RTTstanding = 2·99.94/0.125.
        near(law.pacing_rate().unwrap().as_per_sec(), 16.0 * law.cwnd().count(), 1e-9);
    }

    #[test]
    fn it_turns_at_the_target_rate() {
        // W·d_q/RTTstanding = 2 at W = 10 and 125 ms: below that it grows.
        for (window, grows) in [(9.9, true), (10.1, false)] {
            let mut law = steady();
            law.0.cwnd = window;
            law.on_ack(&slow_ack(1220, 0, window, 125));
            assert_eq!(law.cwnd().count() > window, grows, "{window}");
            near((law.cwnd().count() - window).abs(), 2.0 / window, 1e-9);
        }
    }

    #[test]
    fn the_velocity_doubles_after_three_round_trips_in_one_direction() {
        let mut law = steady();
        (law.0.is_up, law.0.cwnd_at_round, law.0.params.competitive) = (false, 200.0, false);
        let mut velocities = Vec::new();
        for round in 1..=6 {
            law.on_ack(&slow_ack(1210 + 10 * round, round, 100.0, 125));
            velocities.push(law.0.velocity);
        }
        assert_eq!(velocities, [1.0, 1.0, 2.0, 4.0, 8.0, 16.0]);
        // A step up ends it.
        law.0.cwnd = 5.0;
        law.on_ack(&slow_ack(1280, 6, 5.0, 125));
        assert_eq!(law.0.velocity, 1.0);
        near(law.cwnd().count(), 5.4, 1e-12);
    }

    #[test]
    fn a_queue_that_never_empties_makes_it_compete() {
        // d_q = 25 ms of a swing of 30 ms for six round trips: 1/δ grows by one in each, and a loss halves it.
        let mut law = steady();
        law.0.has_drained = true;
        let mut aims = Vec::new();
        for round in 1..=9u64 {
            for ms in [0, 70] {
                law.on_ack(&slow_ack(1210 + 140 * round + ms, round, 100.0, if ms == 0 { 130 } else { 125 }));
            }
            aims.push(observed(&law, "aim"));
        }
        assert_eq!(aims, [2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        law.on_congestion(&congestion(CongestionKind::Loss, 100.0));
        let before = law.cwnd().count();
        assert_eq!(law.0.aim, 6.0);
        law.on_ack(&slow_ack(3000, 10, 100.0, 125));
        assert_eq!(observed(&law, "aim"), 3.0);
        // The window itself has only made its step.
        assert!(law.cwnd().count() > 0.9 * before);
        // Empty once: the default again at the end of the round trip.
        law.on_ack(&slow_ack(3010, 10, 100.0, 100));
        law.on_ack(&slow_ack(3020, 11, 100.0, 100));
        assert_eq!((observed(&law, "aim"), observed(&law, "is_competitive")), (2.0, 0.0));
    }

    /// The law with `window` packets after eight round trips with a standing queue of 25 ms in 125 ms, an oscillation
    /// of 30 ms.
    fn after_eight_rounds(window: f64, has_drained: bool) -> Copa {
        let mut law = steady();
        law.0.has_drained = has_drained;
        for round in 1..=8u64 {
            for ms in [0, 70] {
                law.0.cwnd = window;
                law.on_ack(&slow_ack(1210 + 140 * round + ms, round, window, if ms == 0 { 130 } else { 125 }));
            }
        }
        law
    }

    #[test]
    fn fewer_than_its_target_of_its_own_are_no_rival() {
        // Of W packets W·25/125 = W/5 are waiting: fewer than 7/8 of 2 up to W = 8.75.
        for (window, is_competitive) in [(8.5, 0.0), (9.0, 1.0)] {
            assert_eq!(observed(&after_eight_rounds(window, true), "is_competitive"), is_competitive, "{window}");
        }
    }

    #[test]
    fn the_queue_of_its_own_slow_start_is_no_rival() {
        // 100·25/125 = 20 packets, above the target of 2: it drains them. Once it has, they are another's.
        assert_eq!(observed(&after_eight_rounds(100.0, false), "is_competitive"), 0.0);
        assert_eq!(observed(&after_eight_rounds(100.0, true), "is_competitive"), 1.0);
    }

    #[test]
    fn a_timeout_leaves_two() {
        let mut law = steady();
        law.on_congestion(&congestion(CongestionKind::Timeout, 100.0));
        near(law.cwnd().count(), 2.0, 0.0);
    }

    #[test]
    fn it_rests_with_one_over_delta_in_the_queue() {
        // x·q = 1/δ = 4: W·20/120 = 4 at W = 24.
        let params = Params { delta: 0.25, ..Params::default() };
        let path = FluidPath {
            base_rtt: Duration::from_millis(100),
            queue_delay: Duration::from_millis(20),
            loss: 0.0,
            marks: 0.0,
        };
        near(params.equilibrium(&path).unwrap().count(), 24.0, 1e-9);
        let mut out = [0.0];
        params.derivative(&[12.0], &path, &mut out);
        near(out[0], 4.0 / 0.12, 1e-9);
        params.derivative(&[48.0], &path, &mut out);
        near(out[0], -4.0 / 0.12, 1e-9);
    }
}
