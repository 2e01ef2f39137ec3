//! LEDBAT: low extra delay background transport, which yields to others by keeping the queueing delay at a target.
//!
//! S. Shalunov, G. Hazel, J. Iyengar and M. Kuehlewind, "Low Extra Delay Background Transport (LEDBAT)", RFC 6817,
//! 2012. Window W in packets, delays in seconds: q is the least of the last `filter` samples less the base delay, the
//! least of the last `history` minutes.
//!
//! * W ← W + `gain`·(1 − q/`target`)·acked/W, at least 2 (§2.4.2)
//! * slow start as Reno, until q exceeds the target for the first time after the beginning or a timeout
//! * on loss: ssthresh ← max(flight/2, 2); W ← ssthresh; on timeout the same ssthresh, W ← 1
//!
//! Fluid: dW/dt = [(1−p)·gain·(1 − q/target) − p·W²/2]/rtt packets per second. It rests at W = √(2(1−p)·gain·(1 −
//! q/target)/p), without losses only at a queue of `target`, which several flows share in any way. It maximises no
//! utility.
//!
//! **Where we differ**
//! * The delay is that of the round trip, since a sender has no clock of the receiver; queues of the way back count,
//!   too (the RFC: one-way delay).
//! * The window is not bounded by the flight plus one packet (ALLOWED_INCREASE): the host grows no window that was not
//!   full.

use crate::classic::{Avoidance, Classic};
use crate::fluid::MeanWindow;
use crate::shared::LOSS_FLOOR;
use crate::{Ack, Congestion, CongestionKind, FluidPath, Window};

params! {
    /// Parameters of [`Ledbat`].
    Params {
        /// Queueing delay that the law keeps, in seconds; the RFC allows 0.1 at most.
        target: f64 = 0.1, from 0.0001 to 10;
        /// Growth in packets per round trip without delay; the RFC allows 1 at most.
        gain: f64 = 1, from 0.01 to 100;
        /// Minutes whose least delay is the base delay (BASE_HISTORY), rounded up, at most 20.
        history: f64 = 10, from 1 to 20;
        /// Samples whose least is the current delay (CURRENT_FILTER), rounded up, at most 16.
        filter: f64 = 4, from 1 to 16;
    }
}

/// The law and its state.
pub type Ledbat = Classic<Params>;

/// Most minutes and samples.
const MINUTES: usize = 20;
const SAMPLES: usize = 16;
const NANOS_PER_MINUTE: u64 = 60_000_000_000;

/// Recent delays, in seconds.
#[derive(Clone, Debug)]
pub struct Delays {
    /// Least of each of the last minutes, the current one first.
    minutes: [f64; MINUTES],
    minute: u64,
    /// Last samples, the newest first.
    samples: [f64; SAMPLES],
    /// Queueing delay.
    queue: f64,
    /// True once the delay has exceeded the target, until a timeout.
    has_met_target: bool,
}

impl Default for Delays {
    fn default() -> Self {
        let (minutes, samples) = ([f64::INFINITY; MINUTES], [f64::INFINITY; SAMPLES]);
        Self { minutes, minute: 0, samples, queue: 0.0, has_met_target: false }
    }
}

fn least(values: &[f64], count: f64) -> f64 {
    let count = (count.ceil() as usize).clamp(1, values.len());
    values[..count].iter().copied().fold(f64::INFINITY, f64::min)
}

impl Params {
    /// Change of a window of `cwnd` packets by an ACK of `acked`, which leaves the least window.
    fn change(&self, delays: &Delays, cwnd: f64, acked: f64) -> f64 {
        let change = self.gain * (1.0 - delays.queue / self.target) * acked / cwnd;
        change.max((LOSS_FLOOR - cwnd).min(0.0))
    }
}

impl Avoidance for Params {
    /// Boxed, so that it does not make every flow larger.
    type State = Box<Delays>;

    fn learn(&self, delays: &mut Box<Delays>, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        let rtt = rtt.as_secs();
        let minute = ack.now.as_nanos() / NANOS_PER_MINUTE;
        let passed = (minute - delays.minute).min(MINUTES as u64) as usize;
        if passed > 0 {
            delays.minutes.rotate_right(passed % MINUTES);
            delays.minutes[..passed].fill(f64::INFINITY);
            delays.minute = minute;
        }
        delays.minutes[0] = delays.minutes[0].min(rtt);
        delays.samples.rotate_right(1);
        delays.samples[0] = rtt;
        delays.queue = (least(&delays.samples, self.filter) - least(&delays.minutes, self.history)).max(0.0);
        delays.has_met_target |= delays.queue > self.target;
    }

    fn slow_start(&self, delays: &Box<Delays>, window: &Window, ack: &Ack) -> f64 {
        let acked = ack.counted().count();
        if delays.has_met_target {
            window.cwnd + self.change(delays, window.cwnd, acked)
        } else {
            window.doubled(acked)
        }
    }

    fn gain(&self, delays: &mut Box<Delays>, cwnd: f64, ack: &Ack) -> f64 {
        self.change(delays, cwnd, ack.counted().count())
    }

    fn ssthresh(&self, delays: &mut Box<Delays>, event: &Congestion) -> f64 {
        if event.kind == CongestionKind::Timeout {
            delays.has_met_target = false;
        }
        event.flight.count() / 2.0
    }

    fn observe(&self, delays: &Box<Delays>, _cwnd: f64, sink: &mut dyn FnMut(&str, f64)) {
        sink("queue_delay", delays.queue);
    }
}

impl MeanWindow for Params {
    fn slope(&self, cwnd: f64, path: &FluidPath) -> f64 {
        let growth = self.gain * (1.0 - path.queue_delay.as_secs() / self.target);
        ((1.0 - path.loss) * growth - path.loss * cwnd * cwnd / 2.0) / path.rtt()
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@misc{rfc6817,
  author = {Stanislav Shalunov and Greg Hazel and Janardhan Iyengar and Mirja Kuehlewind},
  title = {Low Extra Delay Background Transport ({LEDBAT})},
  howpublished = {RFC 6817}, year = {2012}, month = dec,
  doi = {10.17487/RFC6817}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};
    use crate::{FluidLaw, Law};
    use windward_units::{Duration, Packets};

    /// In congestion avoidance with a window of 20 packets, base delay 100 ms.
    fn avoiding() -> Ledbat {
        let mut law = Ledbat::new(Params::default(), Packets::new(40.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 40.0));
        law.on_ack(&ack(0, 0, 20.0));
        near(law.window.cwnd, 20.05, 1e-12);
        law
    }

    /// §2.4.2: at a delay of 50 ms half of Reno's growth, at 100 ms none, at 300 ms two packets less a round trip. The
    /// least of four samples counts: the fourth long one is the first that changes the delay.
    #[test]
    fn growth_falls_with_the_delay() {
        for (rtt, rate) in [(150, 0.5), (200, 0.0), (400, -2.0)] {
            let mut law = avoiding();
            for _ in 0..3 {
                law.on_ack(&slow_ack(1, 0, 20.0, rtt));
                near(law.state.queue, 0.0, 1e-12);
            }
            let before = law.window.cwnd;
            law.on_ack(&slow_ack(1, 0, 20.0, rtt));
            near(law.window.cwnd, before + rate / before, 1e-9);
        }
    }

    /// §2.4.2, BASE_HISTORY: after ten minutes on a longer path the base delay is that of the longer path.
    #[test]
    fn the_base_delay_is_forgotten() {
        let mut law = avoiding();
        for minute in 1..=10 {
            (0..4).for_each(|_| law.on_ack(&slow_ack(60_000 * minute, 0, 20.0, 150)));
            near(law.state.queue, if minute < 10 { 0.05 } else { 0.0 }, 1e-12);
        }
    }

    /// A delay above the target ends slow start, however high its threshold.
    #[test]
    fn slow_start_ends_at_the_target() {
        let mut law = Ledbat::new(Params::default(), Packets::new(10.0));
        law.on_ack(&ack(0, 0, 10.0));
        assert_eq!(law.window.cwnd, 11.0);
        (0..4).for_each(|_| law.on_ack(&slow_ack(1, 0, 10.0, 250)));
        near(law.window.cwnd, 14.0 - 0.5 / 14.0, 1e-12);
        (0..4).for_each(|_| law.on_ack(&ack(2, 1, 10.0)));
        assert!((13.9..14.3).contains(&law.window.cwnd), "{}", law.window.cwnd);
    }

    #[test]
    fn the_window_is_two_at_least() {
        let mut law = avoiding();
        (0..400).for_each(|_| law.on_ack(&slow_ack(1, 0, 20.0, 900)));
        assert_eq!(law.window.cwnd, 2.0);
    }

    /// p = 1 %: √(2·0.99·0.5/0.01) = 9.949 9 at half of the target, and no rest without losses.
    #[test]
    fn the_fluid_rests_by_losses() {
        let of = |queue_ms, loss| {
            let (base_rtt, queue_delay) = (Duration::from_millis(100), Duration::from_millis(queue_ms));
            Params::default().equilibrium(&FluidPath { base_rtt, queue_delay, loss, marks: 0.0 })
        };
        near(of(50, 0.01).expect("losses").count(), 9.949_874, 1e-5);
        assert!(of(50, 0.0).is_none());
    }
}
