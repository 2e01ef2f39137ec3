//! CUBIC of RFC 9438; its equations are in the module above.

use super::hystart::HyStart;
use super::params::Params;
use crate::shared::{LOSS_FLOOR, slow_start};
use crate::{Ack, Congestion, CongestionKind, Law};
use windward_units::{Packets, Time};

/// The law and its state.
#[derive(Clone, Debug)]
pub struct Sender {
    params: Params,
    now: Phase,
    /// State before the last congestion event.
    before: Phase,
    /// Time of the last ACK, to leave times without data out of t.
    last_ack: Time,
    hystart: Option<HyStart>,
}

/// State that a congestion event changes and an undo restores.
#[derive(Clone, Copy, Debug)]
struct Phase {
    cwnd: f64,
    ssthresh: f64,
    /// Window just before the last reduction; zero: use the window at the beginning of the next epoch.
    w_max: f64,
    /// Window before ssthresh was last set.
    cwnd_prior: f64,
    /// Beginning of this congestion avoidance; [`Time::NEVER`] until its first ACK.
    epoch: Time,
    k: f64,
    w_est: f64,
}

impl Sender {
    /// A sender whose window begins at `initial`.
    pub fn new(params: Params, initial: Packets) -> Self {
        let now = Phase {
            cwnd: initial.count(),
            ssthresh: f64::INFINITY,
            w_max: 0.0,
            cwnd_prior: 0.0,
            epoch: Time::NEVER,
            k: 0.0,
            w_est: 0.0,
        };
        Self { params, now, before: now, last_ack: Time::ZERO, hystart: params.hystart.then(HyStart::new) }
    }

    fn slow_start(&mut self, ack: &Ack) {
        let now = &mut self.now;
        match &mut self.hystart {
            None => now.cwnd = slow_start(now.cwnd, now.ssthresh, ack.acked.count()),
            Some(hystart) => {
                now.cwnd += hystart.growth(ack);
                if hystart.has_ended() {
                    now.ssthresh = now.cwnd;
                    self.hystart = None;
                }
            }
        }
    }

    #[inline]
    fn congestion_avoidance(&mut self, ack: &Ack) {
        let Self { params, now, .. } = self;
        if now.epoch == Time::NEVER {
            now.begin_epoch(params, ack.now);
        }
        let acked = ack.acked.count();
        let alpha = if now.w_est < now.cwnd_prior { 3.0 * (1.0 - params.beta) / (1.0 + params.beta) } else { 1.0 };
        now.w_est += alpha * acked / now.cwnd;
        let w_cubic = |t: f64| params.c * (t - now.k) * (t - now.k) * (t - now.k) + now.w_max;
        let t = ack.now.since(now.epoch).as_secs();
        if w_cubic(t) < now.w_est {
            now.cwnd = now.cwnd.max(now.w_est);
        } else {
            let target = w_cubic(t + ack.srtt.as_secs()).clamp(now.cwnd, 1.5 * now.cwnd);
            now.cwnd += acked * (target - now.cwnd) / now.cwnd;
        }
    }
}

impl Phase {
    fn begin_epoch(&mut self, params: &Params, now: Time) {
        self.epoch = now;
        self.w_est = self.cwnd;
        // RFC 9438 §4.8, §4.10: without a window to return to, the curve begins at its plateau.
        self.w_max = self.w_max.max(self.cwnd);
        self.k = params.k(self.w_max, self.cwnd);
    }
}

impl Law for Sender {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if ack.app_limited {
            return self.on_restart(ack.now);
        }
        self.last_ack = ack.now;
        if ack.recovering {
            return;
        }
        if self.now.cwnd < self.now.ssthresh { self.slow_start(ack) } else { self.congestion_avoidance(ack) }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let Self { params, now, .. } = self;
        self.before = *now;
        self.hystart = None;
        let is_timeout = event.kind == CongestionKind::Timeout;
        now.w_max = if is_timeout {
            0.0
        } else if params.fast_convergence && now.cwnd < now.w_max {
            now.cwnd * (1.0 + params.beta) / 2.0
        } else {
            now.cwnd
        };
        now.cwnd_prior = now.cwnd;
        now.ssthresh = (params.beta * event.flight.count()).max(LOSS_FLOOR);
        now.cwnd = if is_timeout { 1.0 } else { now.ssthresh };
        now.epoch = Time::NEVER;
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.now.cwnd)
    }

    /// Excludes idle time of the application from the time since the loss (RFC 9438 §4.2).
    fn on_restart(&mut self, now: Time) {
        if self.now.epoch != Time::NEVER {
            self.now.epoch += now.since(self.last_ack);
        }
        self.last_ack = now;
    }

    fn on_idle(&mut self, cwnd: Packets) {
        self.now.ssthresh = self.now.ssthresh.max(0.75 * self.now.cwnd);
        self.now.cwnd = self.now.cwnd.min(cwnd.count());
    }

    fn remember(&mut self, ssthresh: Packets) -> bool {
        self.now.ssthresh = ssthresh.count().max(LOSS_FLOOR);
        true
    }

    fn on_undo(&mut self, before: Packets) {
        let cwnd = self.now.cwnd.max(before.count());
        self.now = self.before;
        self.now.cwnd = self.now.cwnd.max(cwnd);
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("ssthresh", self.now.ssthresh);
        sink("w_max", self.now.w_max);
        sink("k", self.now.k);
        sink("w_est", self.now.w_est);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};

    /// After a loss at `window` packets: W_max = `window`, W = ssthresh = 0.7·`window`.
    fn after_loss(window: f64) -> Sender {
        let mut law = Sender::new(Params::default(), Packets::new(window));
        law.on_congestion(&congestion(CongestionKind::Loss, window));
        law
    }

    #[test]
    fn a_loss_at_100_packets_is_made_good_in_4_2_seconds() {
        // K = ∛((100 − 70)/0.4) = ∛75 = 4.217 163 3 s.
        let mut law = after_loss(100.0);
        near(law.now.cwnd, 70.0, 1e-12);
        law.on_ack(&ack(10_000, 0, 70.0));
        near(law.now.k, 4.217_163_3, 1e-7);
        // t = 0: W_cubic = 70 < W_est = 70 + (0.9/1.7)/70 = 70.007 563, so W = W_est.
        near(law.now.cwnd, 70.007_563, 1e-6);
        // t = 2 s: target = W_cubic(2.1) = 100 − 0.4·2.117 163 3³ = 96.204 03; W += (96.204 03 − 70.007 563)/70.007
        // 563.
        law.on_ack(&ack(12_000, 0, 70.0));
        near(law.now.cwnd, 70.381_758, 1e-5);
    }

    #[test]
    fn the_target_is_at_most_half_a_window_ahead() {
        // t = 10 s: W_cubic(10.1) = 100 + 0.4·5.882 836 7³ = 181 > 1.5·W, so each ACK adds half a packet.
        let mut law = after_loss(100.0);
        law.on_ack(&ack(10_000, 0, 70.0));
        law.on_ack(&ack(20_000, 0, 70.0));
        near(law.now.cwnd, 70.507_563, 1e-6);
    }

    #[test]
    fn a_cycle_carries_the_packets_of_the_response_function() {
        // W_max = 1000: K = ∛750 = 9.0856 s = 90.856 round trips, in which the mean of W_cubic is W_max·(1 − 0.3/4) =
        // 925 packets: 84 042 packets. Each ACK closes 1/W of the way to the curve one round trip ahead: W runs between
        // zero and one round trip ahead of it, 1/91 of the cycle.
        let mut law = after_loss(1000.0);
        let (mut now, mut packets) = (0.0, 0u32);
        while now < 9.0856 {
            law.on_ack(&Ack { now: Time::from_nanos((now * 1e9) as u64), ..ack(0, 0, 700.0) });
            now += 0.1 / law.now.cwnd;
            packets += 1;
        }
        near(f64::from(packets), 84_042.0, 84_042.0 / 91.0);
    }

    #[test]
    fn the_reno_estimate_speeds_up_at_the_old_window() {
        // At t = 0 only W_est grows, from 14 to 20 at 0.9/1.7 packets a window: (20² − 14²)/2 · 1.7/0.9 = 192.7 ACKs.
        // From there it grows as Reno, 1/W per ACK.
        let mut law = after_loss(20.0);
        let mut acks = 0;
        while law.now.cwnd < 20.0 {
            law.on_ack(&ack(5_000, 0, 14.0));
            acks += 1;
        }
        assert!((192..=194).contains(&acks), "{acks}");
        let before = law.now.cwnd;
        law.on_ack(&ack(5_000, 0, 20.0));
        near(law.now.cwnd, before + 1.0 / before, 1e-12);
    }

    #[test]
    fn a_second_loss_below_the_first_gives_way() {
        // 80 < 100: W_max = 80·(1 + 0.7)/2 = 68; ssthresh = 0.7·80 = 56.
        let mut law = after_loss(100.0);
        law.now.cwnd = 80.0;
        law.on_congestion(&congestion(CongestionKind::Loss, 80.0));
        near(law.now.w_max, 68.0, 1e-12);
        near(law.now.cwnd, 56.0, 1e-12);
    }

    #[test]
    fn after_a_timeout_the_curve_begins_at_its_plateau() {
        let mut law = after_loss(100.0);
        law.on_congestion(&congestion(CongestionKind::Timeout, 70.0));
        near(law.now.cwnd, 1.0, 0.0);
        near(law.now.ssthresh, 49.0, 1e-12);
        law.now.cwnd = 49.0;
        law.on_ack(&ack(10_000, 0, 49.0));
        assert_eq!((law.now.k, law.now.w_max), (0.0, 49.0));
    }

    #[test]
    fn a_spurious_event_is_taken_back() {
        let mut law = after_loss(100.0);
        law.on_ack(&ack(10_000, 0, 70.0));
        let before = law.now;
        law.on_congestion(&congestion(CongestionKind::Timeout, 70.0));
        law.on_undo(Packets::new(70.0));
        assert_eq!((law.now.cwnd, law.now.w_max, law.now.k), (before.cwnd, before.w_max, before.k));
        assert_eq!(law.now.epoch, before.epoch);
    }

    #[test]
    fn time_without_data_is_not_time_since_the_loss() {
        let mut law = after_loss(100.0);
        law.on_ack(&ack(10_000, 0, 70.0));
        law.on_ack(&Ack { app_limited: true, ..ack(12_000, 0, 70.0) });
        law.on_restart(Time::from_nanos(14_000_000_000));
        assert_eq!(law.now.epoch, Time::from_nanos(14_000_000_000));
    }

    #[test]
    fn hystart_leaves_slow_start_when_the_delay_rises() {
        let mut law = Sender::new(Params { hystart: true, ..Params::default() }, Packets::new(16.0));
        let round = |law: &mut Sender, number: u64, rtt: u64| {
            (0..8).for_each(|_| law.on_ack(&slow_ack(number * 100, number, 16.0, rtt)));
        };
        // Rounds 1 and 2 at 100 ms: 16 ACKs, 16 packets.
        round(&mut law, 1, 100);
        round(&mut law, 2, 100);
        near(law.now.cwnd, 32.0, 1e-12);
        // Round 3 at 113 ms > 100 + 100/8: seven whole packets, then a quarter from the eighth sample on.
        round(&mut law, 3, 113);
        near(law.now.cwnd, 39.25, 1e-12);
        // Rounds 4 to 7 of conservative slow start add 8/4 each; the first ACK of round 8 ends it.
        (4..8).for_each(|number| round(&mut law, number, 113));
        near(law.now.cwnd, 47.25, 1e-12);
        assert_eq!(law.now.ssthresh, f64::INFINITY);
        law.on_ack(&slow_ack(800, 8, 47.0, 113));
        near(law.now.ssthresh, 47.5, 1e-12);
    }

    #[test]
    fn hystart_resumes_where_the_delay_falls_again() {
        let mut law = Sender::new(Params { hystart: true, ..Params::default() }, Packets::new(16.0));
        for (number, rtt) in [(1, 100), (2, 113), (3, 101)] {
            (0..8).for_each(|_| law.on_ack(&slow_ack(number * 100, number, 16.0, rtt)));
        }
        // 8, then 7 + ¼, then 7·¼ and a whole one once eight samples of round 3 are below 113 ms.
        near(law.now.cwnd, 16.0 + 8.0 + 7.25 + 2.75, 1e-12);
    }
}
