//! CUBIC of current Linux, in its integer arithmetic.
//!
//! Linux 6 `net/ipv4/tcp_cubic.c` (v2.3), the arithmetic of RFC 8312. W, W_max in packets, clock in jiffies of 4 ms
//! (HZ = 250), t in s/1024, β = 717/1024, d_min the least round trip:
//!
//! * `cnt` is recomputed if W has changed or more than HZ/32 = 7 jiffies have passed, its cubic part at most once per
//!   jiffy
//! * an epoch begins with the first ACK after a loss: K = ∛((W_max − W)·2⁴⁰/410), origin W_max; K = 0, origin W where
//!   W_max ≤ W
//! * t since then and d_min, in whole jiffies: target = origin ∓ ⌊410·|t − K|³/2⁴⁰⌋, so C = 410/1024 packets/s³
//! * cnt = ⌊W/(target − W)⌋, or 100·W where the target is not above W; at most 20 without a W_max
//! * Reno's window W_tcp grows by one for each ⌊15·W/8⌋ acknowledged packets; where it is above W, cnt ≤ ⌊W/(W_tcp −
//!   W)⌋
//! * cnt ≥ 2; W grows by one for each `cnt` acknowledged packets; the remainder counts towards the next
//! * slow start: W ← min(W + acked, ssthresh); the rest of the ACK counts as above
//! * on loss or mark: W_max ← W, or ⌊W·(1024+717)/2048⌋ where W < W_max; ssthresh ← max(⌊β·W⌋, 2), W ← ssthresh; the
//!   count of packets towards the next increase is reset
//! * on timeout: the same ssthresh, W ← 1, and all other state as in a new connection: no W_max, no d_min, HyStart
//!   restarts
//! * a spurious event restores W and ssthresh, but not W_max and the epoch
//! * after an idle time the epoch is shifted by the time since the last packet was sent
//!
//! **Where we differ**
//! * The cube root is exact, rounded down; the kernel's, from a table and one Newton step, is 0.2 % off on average.
//! * After a timeout the kernel's window is one above its estimate of the flight, which is rarely more than zero.
//! * The host decides if the window limited the sender, without which it does not grow (`tcp_is_cwnd_limited`).
//! * t saturates after 346 s without a loss; the kernel's overflows.

use super::linux6_hystart::HyStart;
use super::params::Params;
use crate::shared::LOSS_FLOOR;
use crate::{Ack, Congestion, CongestionKind, Law};
use windward_units::{Duration, Packets, Time};

/// Jiffies per second: CONFIG_HZ, 250 in most distributions.
const HZ: u64 = 250;
/// Jiffies after which `cnt` is recomputed for an unchanged window.
const RENEWED: u64 = HZ / 32;
/// β in 1/1024.
const BETA: u64 = 717;
/// ⌊8·(1+β)/(3·(1−β))⌋: eighths of the window acknowledged per packet of growth of W_tcp.
const FRIENDLY: u64 = 8 * (1024 + BETA) / 3 / (1024 - BETA);
/// C in 1/1024 of a packet per (100 ms·s²).
const C: u64 = 410;
/// K³ per packet of distance.
const CUBE: u64 = (1 << 40) / C;
/// Maximum `cnt` without a W_max: 5 % per round trip.
const FIRST_CNT: u64 = 20;

/// The law and its state.
#[derive(Clone, Debug)]
pub struct Sender {
    fast_convergence: bool,
    has_hystart: bool,
    cwnd: u64,
    /// Packets acknowledged since the window last grew.
    cwnd_cnt: u64,
    ssthresh: u64,
    /// Window and ssthresh before the last congestion event.
    before: (u64, u64),
    /// Send time of the newest packet delivered so far.
    sent_at: Time,
    cubic: Cubic,
}

/// State that a timeout resets.
#[derive(Clone, Copy, Debug, Default)]
struct Cubic {
    cnt: u64,
    /// Zero: unknown.
    w_max: u64,
    /// Window and jiffy of the last computation.
    last_cwnd: u64,
    last_time: u64,
    /// First jiffy of the epoch.
    epoch: Option<u64>,
    origin: u64,
    k: u64,
    /// Least round trip in µs; zero: none yet.
    min_rtt: u64,
    acked: u64,
    w_tcp: u64,
    hystart: HyStart,
}

impl Cubic {
    /// Counts `acked` packets at `cwnd`, and recomputes `cnt` if due.
    fn renew(&mut self, cwnd: u64, acked: u64, now: u64) {
        self.acked += acked;
        if self.last_cwnd == cwnd && now - self.last_time <= RENEWED {
            return;
        }
        if self.epoch.is_none() || now != self.last_time {
            self.follow_the_curve(cwnd, acked, now);
        }
        let delta = (cwnd * FRIENDLY) >> 3;
        if self.acked > delta {
            let grown = (self.acked - 1) / delta;
            self.acked -= grown * delta;
            self.w_tcp += grown;
        }
        if self.w_tcp > cwnd {
            self.cnt = self.cnt.min(cwnd / (self.w_tcp - cwnd));
        }
        self.cnt = self.cnt.max(2);
    }

    fn follow_the_curve(&mut self, cwnd: u64, acked: u64, now: u64) {
        (self.last_cwnd, self.last_time) = (cwnd, now);
        let began = *self.epoch.get_or_insert_with(|| {
            self.acked = acked;
            self.w_tcp = cwnd;
            self.origin = self.w_max.max(cwnd);
            self.k = cube_root(CUBE * (self.origin - cwnd));
            now
        });
        let t = ((now - began + self.min_rtt.div_ceil(1_000_000 / HZ)) << 10) / HZ;
        let off = t.abs_diff(self.k);
        let step = off.saturating_mul(off).saturating_mul(off).saturating_mul(C) >> 40;
        let target = if t < self.k { self.origin.saturating_sub(step) } else { self.origin + step };
        self.cnt = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        if self.w_max == 0 {
            self.cnt = self.cnt.min(FIRST_CNT);
        }
    }
}

/// ⌊∛x⌋.
fn cube_root(x: u64) -> u64 {
    let root = libm::cbrt(x as f64) as u64;
    // The nearest real number to a cube may lie on either side of it.
    match () {
        () if root * root * root > x => root - 1,
        () if (root + 1) * (root + 1) * (root + 1) <= x => root + 1,
        () => root,
    }
}

fn jiffies(now: Time) -> u64 {
    now.as_nanos() / (1_000_000_000 / HZ)
}

impl Sender {
    pub(crate) fn new(params: Params, initial: Packets) -> Self {
        let cwnd = (initial.count() as u64).clamp(1, u64::from(u32::MAX));
        Self {
            fast_convergence: params.fast_convergence,
            has_hystart: params.hystart,
            cwnd,
            cwnd_cnt: 0,
            ssthresh: u64::MAX,
            before: (cwnd, u64::MAX),
            sent_at: Time::ZERO,
            cubic: Cubic::default(),
        }
    }

    /// Updates the least round trip, except in the first second of an epoch.
    fn learn(&mut self, ack: &Ack, rtt: Duration) {
        let Self { cubic, cwnd, ssthresh, .. } = self;
        let now = jiffies(ack.now);
        if cubic.epoch.is_some_and(|began| now - began < HZ) {
            return;
        }
        let rtt = (rtt.as_nanos() / 1000).max(1);
        cubic.min_rtt = if cubic.min_rtt == 0 { rtt } else { cubic.min_rtt.min(rtt) };
        if self.has_hystart && *cwnd < *ssthresh {
            let now_us = ack.now.as_nanos() / 1000;
            if cubic.hystart.ends_slow_start(ack.round, now_us, *cwnd, rtt, cubic.min_rtt) {
                *ssthresh = *cwnd;
            }
        }
    }

    fn grow(&mut self, mut acked: u64, now: u64) {
        if self.cwnd < self.ssthresh {
            let room = self.ssthresh - self.cwnd;
            self.cwnd += acked.min(room);
            acked = acked.saturating_sub(room);
            if acked == 0 {
                return;
            }
        }
        self.cubic.renew(self.cwnd, acked, now);
        let cnt = self.cubic.cnt;
        // A window that had to wait for fewer packets than are counted already grows by one alone.
        if self.cwnd_cnt >= cnt {
            self.cwnd_cnt = 0;
            self.cwnd += 1;
        }
        self.cwnd_cnt += acked;
        self.cwnd += self.cwnd_cnt / cnt;
        self.cwnd_cnt %= cnt;
    }
}

impl Law for Sender {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.sent_at = self.sent_at.max(ack.sent_at);
        if let Some(rtt) = ack.rtt {
            self.learn(ack, rtt);
        }
        if !ack.app_limited && !ack.recovering {
            self.grow(ack.acked.count() as u64, jiffies(ack.now));
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.before = (self.cwnd, self.ssthresh);
        let Self { cwnd, cubic, .. } = self;
        let gives_way = self.fast_convergence && *cwnd < cubic.w_max;
        let w_max = if gives_way { *cwnd * (1024 + BETA) / 2048 } else { *cwnd };
        self.ssthresh = (*cwnd * BETA / 1024).max(LOSS_FLOOR as u64);
        self.cwnd_cnt = 0;
        if event.kind == CongestionKind::Timeout {
            *cwnd = 1;
            *cubic = Cubic::default();
        } else {
            *cwnd = self.ssthresh;
            cubic.w_max = w_max;
            cubic.epoch = None;
        }
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.cwnd as f64)
    }

    fn on_restart(&mut self, now: Time) {
        if let Some(began) = &mut self.cubic.epoch {
            *began = (*began + jiffies(now) - jiffies(self.sent_at.min(now))).min(jiffies(now));
        }
    }

    fn on_idle(&mut self, cwnd: Packets) {
        self.ssthresh = self.ssthresh.max(self.cwnd / 2 + self.cwnd / 4);
        self.cwnd = self.cwnd.min(cwnd.count() as u64).max(1);
    }

    fn remember(&mut self, ssthresh: Packets) -> bool {
        self.ssthresh = ssthresh.count().max(LOSS_FLOOR) as u64;
        true
    }

    fn on_undo(&mut self, before: Packets) {
        self.cwnd = self.cwnd.max(before.count() as u64);
        let (before, ssthresh) = self.before;
        self.ssthresh = self.ssthresh.max(ssthresh).max(before / 2 + before / 4);
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("ssthresh", if self.ssthresh == u64::MAX { f64::INFINITY } else { self.ssthresh as f64 });
        sink("w_max", self.cubic.w_max as f64);
        sink("k", self.cubic.k as f64 / 1024.0);
        sink("w_tcp", self.cubic.w_tcp as f64);
        sink("cnt", self.cubic.cnt as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubic::Version;
    use crate::testing::{ack, congestion, near, slow_ack};

    fn sender(hystart: bool, window: u64) -> Sender {
        let params = Params { version: Version::Linux, hystart, ..Params::default() };
        Sender::new(params, Packets::new(window as f64))
    }

    /// After a loss at `window` packets, with a round trip of 100 ms known.
    fn after_loss(window: u64) -> Sender {
        let mut law = sender(false, window);
        law.on_ack(&Ack { app_limited: true, ..ack(1_000, 0, 1.0) });
        law.on_congestion(&congestion(CongestionKind::Loss, window as f64));
        law
    }

    #[test]
    fn steps_after_a_loss_at_100_packets() {
        // ⌊100·717/1024⌋ = 70. K = ⌊∛(30·2 681 735 677)⌋ = 4316: 4316³ = 80 397 826 496 ≤ 80 452 070 310 < 4317³.
        let mut law = after_loss(100);
        assert_eq!((law.cwnd, law.ssthresh, law.cubic.w_max), (70, 70, 100));
        // t = 25 jiffies = ⌊25·1024/250⌋ = 102: ⌊4214³·410/2⁴⁰⌋ = ⌊27.9⌋ = 27: target 73, cnt = ⌊70/3⌋.
        law.on_ack(&ack(10_000, 0, 70.0));
        assert_eq!((law.cubic.k, law.cubic.cnt, law.cwnd_cnt), (4316, 23, 1));
        // t = 525 jiffies = 2150: ⌊2166³·410/2⁴⁰⌋ = ⌊3.8⌋: target 97, cnt = ⌊70/27⌋ = 2. Two are counted.
        law.on_ack(&ack(12_000, 0, 70.0));
        assert_eq!((law.cubic.cnt, law.cwnd, law.cwnd_cnt), (2, 71, 0));
        // The curve is looked at once a jiffy: 12.003 s is in the same.
        law.on_ack(&Ack { acked: Packets::new(5.0), ..ack(12_003, 0, 71.0) });
        assert_eq!((law.cubic.last_time, law.cwnd, law.cwnd_cnt), (3000, 73, 1));
    }

    #[test]
    fn what_is_counted_stands_for_seven_jiffies_and_is_forgotten_on_loss() {
        let mut law = after_loss(100);
        for (at, renewed) in [(10_000, 2500), (10_028, 2500), (10_032, 2508)] {
            law.on_ack(&ack(at, 0, 70.0));
            assert_eq!((law.cubic.last_time, law.cwnd), (renewed, 70));
        }
        assert_eq!(law.cwnd_cnt, 3);
        // 70 < 100: W_max = ⌊70·1741/2048⌋ = 59, W = ⌊70·717/1024⌋ = 49.
        law.on_congestion(&congestion(CongestionKind::Loss, 70.0));
        assert_eq!((law.cwnd, law.cubic.w_max, law.cwnd_cnt), (49, 59, 0));
    }

    #[test]
    fn beyond_the_old_window_it_grows_by_half_a_packet_for_each_at_most() {
        // t = 30 s = 30 720 + 102: (30 822 − 4316)³·410/2⁴⁰ = 6944: cnt = ⌊70/6974⌋ = 0, held at 2.
        let mut law = after_loss(100);
        law.on_ack(&ack(10_000, 0, 70.0));
        law.on_ack(&ack(40_000, 0, 70.0));
        assert_eq!(law.cubic.cnt, 2);
    }

    #[test]
    fn renos_window_speeds_up_the_plateau() {
        // W = W_max = 10: K = 0, target 10, cnt = 1000. W_tcp grows with every ⌊10·15/8⌋ = 18 packets.
        let mut law = sender(false, 10);
        (law.ssthresh, law.cubic.w_max) = (10, 10);
        (0..19).for_each(|_| law.on_ack(&ack(5_000, 0, 10.0)));
        assert_eq!((law.cubic.cnt, law.cubic.w_tcp, law.cwnd, law.cwnd_cnt), (1000, 10, 10, 19));
        // Eight jiffies on, 20 packets: W_tcp = 11, cnt = ⌊10/1⌋; 19 ≥ 10 are counted.
        law.on_ack(&ack(5_032, 0, 10.0));
        assert_eq!((law.cubic.cnt, law.cubic.w_tcp, law.cwnd, law.cwnd_cnt), (10, 11, 11, 1));
    }

    #[test]
    fn before_the_first_loss_it_grows_by_a_twentieth() {
        // Slow start takes one packet of three to 100; the others count there: K = 0, target 100, cnt = 20.
        let mut law = sender(false, 99);
        law.ssthresh = 100;
        law.on_ack(&Ack { acked: Packets::new(3.0), ..ack(5_000, 0, 99.0) });
        assert_eq!((law.cwnd, law.cubic.cnt, law.cwnd_cnt), (100, 20, 2));
    }

    #[test]
    fn a_timeout_forgets_the_curve() {
        let mut law = after_loss(100);
        law.on_ack(&ack(10_000, 0, 70.0));
        law.on_congestion(&congestion(CongestionKind::Timeout, 70.0));
        assert_eq!((law.cwnd, law.ssthresh, law.cubic.w_max, law.cubic.min_rtt), (1, 49, 0, 0));
    }

    #[test]
    fn an_undo_gives_the_window_back_but_not_the_curve() {
        let mut law = after_loss(100);
        law.on_ack(&ack(10_000, 0, 70.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 70.0));
        law.on_undo(Packets::new(70.0));
        assert_eq!((law.cwnd, law.ssthresh, law.cubic.w_max, law.cubic.epoch), (70, 70, 59, None));
        // Before the first loss ssthresh was out of sight, and is again.
        let mut law = after_loss(100);
        law.on_undo(Packets::new(100.0));
        assert_eq!((law.cwnd, law.ssthresh), (100, u64::MAX));
    }

    #[test]
    fn round_trips_count_from_a_second_after_the_loss() {
        let mut law = after_loss(100);
        for (at, known) in [(10_000, 90_000), (10_996, 90_000), (11_000, 80_000)] {
            law.on_ack(&slow_ack(at, 0, 70.0, if at == 10_000 { 90 } else { 80 }));
            assert_eq!(law.cubic.min_rtt, known, "at {at} ms");
        }
    }

    #[test]
    fn time_without_data_is_not_time_since_the_loss() {
        // The newest packet was sent at 9.9 s; 14 s − 9.9 s = 1025 jiffies, but not beyond now.
        let mut law = after_loss(100);
        law.on_ack(&ack(10_000, 0, 70.0));
        law.on_restart(Time::from_nanos(14_000_000_000));
        assert_eq!(law.cubic.epoch, Some(3500));
        law.on_ack(&ack(16_000, 0, 70.0));
        law.on_restart(Time::from_nanos(16_100_000_000));
        assert_eq!(law.cubic.epoch, Some(3550));
    }

    #[test]
    fn hystart_ends_slow_start_by_either_sign() {
        // ACKs 1 ms apart for more than (100 + 1)/2 ms: from the train's first at 100 ms, the one at 151 ms ends slow
        // start.
        let mut law = sender(true, 20);
        (0..=50).for_each(|at| law.on_ack(&ack(100 + at, 1, 20.0)));
        assert_eq!(law.ssthresh, u64::MAX);
        law.on_ack(&ack(151, 1, 71.0));
        assert_eq!((law.ssthresh, law.cwnd, law.cwnd_cnt), (71, 71, 1));
        // ACKs 10 ms apart. Round 2 at 112 ms stays below 100 + 100/8; round 3 at 113 ms exceeds it, with the ninth.
        let mut law = sender(true, 20);
        law.on_ack(&ack(100, 1, 20.0));
        (0..9).for_each(|at| law.on_ack(&slow_ack(200 + 10 * at, 2, 20.0, 112)));
        (0..8).for_each(|at| law.on_ack(&slow_ack(400 + 10 * at, 3, 20.0, 113)));
        assert_eq!(law.ssthresh, u64::MAX);
        law.on_ack(&slow_ack(480, 3, 20.0, 113));
        near(law.cwnd().count(), 38.0, 0.0);
        assert_eq!(law.ssthresh, 38);
    }

    #[test]
    fn hystart_bears_four_milliseconds_and_leaves_small_windows_alone() {
        // 20 ms: an eighth is 2.5 ms, and 4 ms are borne. ACKs 10 ms apart are no train.
        let mut law = sender(true, 20);
        law.on_ack(&slow_ack(100, 1, 20.0, 20));
        (0..9).for_each(|at| law.on_ack(&slow_ack(200 + 10 * at, 2, 20.0, 24)));
        assert_eq!(law.ssthresh, u64::MAX);
        (0..9).for_each(|at| law.on_ack(&slow_ack(400 + 10 * at, 3, 20.0, 25)));
        assert_eq!(law.ssthresh, 38);
        // Ten ACKs from a window of 5: the last finds 14, below the 16 from which on round trips are looked at.
        let mut law = sender(true, 5);
        law.on_ack(&ack(100, 1, 5.0));
        (0..9).for_each(|at| law.on_ack(&slow_ack(300 + 10 * at, 2, 5.0, 200)));
        assert_eq!((law.ssthresh, law.cwnd), (u64::MAX, 15));
    }

    #[test]
    fn cube_roots_are_cut() {
        for root in [1, 2, 54, 4316, 92_681, 2_000_000] {
            let cube = root * root * root;
            assert_eq!([cube - 1, cube, cube + 1].map(cube_root), [root - 1, root, root], "{root}");
        }
    }
}
