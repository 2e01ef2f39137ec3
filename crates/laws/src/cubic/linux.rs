//! CUBIC of old Linux kernels, in their integer arithmetic.
//!
//! Linux 2.6.22 `net/ipv4/tcp_cubic.c` (v2.1), which ns-2.35 runs as `tcp/linux/src/tcp_cubic.c`, and Linux 2.6.31
//! (v2.3). W, W_max in packets, t in s/1024 from the first ACK of the epoch, β in 1/1024, d_min the least round trip:
//!
//! * per ACK: the window grows by one after `cnt` + 1 ACKs; `cnt` is recomputed if W has changed or 31 ms have passed
//! * K = ∛((W_max − W)·2⁴⁰/410), target = W_max ∓ 410·|t + d_min − K|³/2⁴⁰, which is C = 410/1024 = 0.4004 packets/s³;
//!   cnt = W/(target − W), or 100·W where the target is not above W
//! * 2.6.22 only, beyond W_max: cnt ≥ W·0.1 s/(16·d_min), S_max = 16 packets per 100 ms; before the first loss cnt = 50
//! * Reno's window W_tcp, one packet more for each W·(1+β)/(3(1−β)) ACKs: cnt ≤ W/(W_tcp − W)
//! * cnt ← 16·cnt/r with r, sixteen times the packets per ACK, from 32 on: r ← r + acked − ⌊r/16⌋
//! * on loss: W_max ← W, or W·(1024+β)/2048 where W < W_max; ssthresh ← max(β·W, 2), W ← ssthresh
//! * on timeout: the same ssthresh, W ← 1, and everything else as in a new connection: no W_max, and for 2.6.22 cnt =
//!   50 until the next loss
//!
//! With an ACK for every packet r settles at 31, not at 16: ⌊31/16⌋ = 1. The kernels therefore grow 31/16 times as fast
//! as the formulas state.
//!
//! **Where we differ**
//! * The cube root is exact; the kernel's is 0.2 % off on average.
//! * A spurious event is undone completely; the kernel restores the window alone.
//! * Time in milliseconds, the clock of ns-2 and of kernels with HZ = 1000.

use super::linux_hystart::HyStart;
use super::params::{Params, Version};
use crate::shared::LOSS_FLOOR;
use crate::{Ack, Congestion, CongestionKind, Law};
use windward_units::Packets;

/// Constants that differ between the two kernels.
#[derive(Clone, Copy, Debug)]
struct Kernel {
    /// β in 1/1024.
    beta: u64,
    /// S_max in packets per 100 ms, and `cnt` before the first loss.
    caution: Option<(u64, u64)>,
}

impl Kernel {
    fn of(version: Version) -> Self {
        match version {
            Version::Linux2631 => Self { beta: 717, caution: None },
            Version::Rfc9438 | Version::Linux | Version::Linux2622 => Self { beta: 819, caution: Some((16, 50)) },
        }
    }

    /// ACKs per packet of growth of W_tcp: W·(1+β)/(3(1−β)), in eighths as in the kernel.
    fn friendly(self, cwnd: u64) -> u64 {
        (cwnd * (8 * (1024 + self.beta) / 3 / (1024 - self.beta))) >> 3
    }
}

/// 2⁴⁰ over C in 1/1024 of a packet per (100 ms·s²): K³ per packet of distance.
const CUBE: f64 = (1u64 << 40) as f64 / 410.0;

/// Time after which `cnt` is recomputed for an unchanged window, in ms: HZ/32 at HZ = 1000.
const RENEWED_MS: u64 = 31;

/// Time into an epoch from which its round trips count, in ms.
const SETTLED_MS: u64 = 1000;

/// The law and its state.
#[derive(Clone, Debug)]
pub struct Sender {
    kernel: Kernel,
    fast_convergence: bool,
    /// True if the sender has round-trip samples: in 2.6.22 by timestamps only.
    has_samples: bool,
    now: State,
    /// State before the last congestion event.
    before: State,
}

/// State that a congestion event changes and an undo restores.
#[derive(Clone, Copy, Debug)]
struct State {
    cwnd: u64,
    /// ACKs since the window last grew.
    cwnd_cnt: u64,
    ssthresh: u64,
    cubic: Cubic,
}

/// State that a timeout resets.
#[derive(Clone, Copy, Debug)]
struct Cubic {
    cnt: u64,
    w_max: u64,
    has_lost: bool,
    /// Window and time in ms of the last computation of `cnt`.
    last: Option<(u64, u64)>,
    /// Beginning of the epoch, in ms.
    epoch: Option<u64>,
    origin: u64,
    k: u64,
    /// Least round trip in ms; zero: none yet.
    min_rtt: u64,
    /// r: sixteen times the packets per ACK.
    ack_ratio: u64,
    acks: u64,
    w_tcp: u64,
    hystart: Option<HyStart>,
}

impl Cubic {
    fn new(hystart: bool) -> Self {
        Self {
            cnt: 0,
            w_max: 0,
            has_lost: false,
            last: None,
            epoch: None,
            origin: 0,
            k: 0,
            min_rtt: 0,
            ack_ratio: 32,
            acks: 0,
            w_tcp: 0,
            hystart: hystart.then(HyStart::new),
        }
    }

    fn renew(&mut self, kernel: Kernel, cwnd: u64, now: u64) {
        self.acks += 1;
        if self.last.is_some_and(|(window, at)| window == cwnd && now - at <= RENEWED_MS) {
            return;
        }
        self.last = Some((cwnd, now));
        let began = *self.epoch.get_or_insert_with(|| {
            self.acks = 1;
            self.w_tcp = cwnd;
            self.origin = self.w_max.max(cwnd);
            self.k = libm::cbrt(CUBE * (self.origin - cwnd) as f64) as u64;
            now
        });
        let t = ((now + self.min_rtt - began) << 10) / 1000;
        let off = t.abs_diff(self.k) as f64;
        let delta = (off * off * off / CUBE) as u64;
        let target = if t < self.k { self.origin.saturating_sub(delta) } else { self.origin.saturating_add(delta) };
        self.cnt = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        if let Some((s_max, first)) = kernel.caution {
            if self.min_rtt > 0 && t >= self.k {
                self.cnt = self.cnt.max(cwnd * 100 / (s_max * self.min_rtt));
            }
            if !self.has_lost {
                self.cnt = first;
            }
        }
        let delta = kernel.friendly(cwnd).max(1);
        if self.acks > delta {
            let grown = (self.acks - 1) / delta;
            self.acks -= grown * delta;
            self.w_tcp += grown;
        }
        if self.w_tcp > cwnd {
            self.cnt = self.cnt.min(cwnd / (self.w_tcp - cwnd));
        }
        self.cnt = (16 * self.cnt / self.ack_ratio).max(1);
    }
}

impl Sender {
    pub(crate) fn new(params: Params, initial: Packets) -> Self {
        let cwnd = (initial.count() as u64).clamp(1, u64::from(u32::MAX));
        let now = State { cwnd, cwnd_cnt: 0, ssthresh: u64::MAX, cubic: Cubic::new(params.hystart) };
        Self {
            kernel: Kernel::of(params.version),
            fast_convergence: params.fast_convergence,
            has_samples: params.version == Version::Linux2631 || params.timestamps,
            now,
            before: now,
        }
    }

    /// Updates the least round trip, except in the first second after a loss.
    fn learn(&mut self, ack: &Ack, now: u64) {
        let State { cwnd, ssthresh, cubic, .. } = &mut self.now;
        let Some(rtt) = ack.rtt.filter(|_| self.has_samples) else { return };
        if cubic.epoch.is_some_and(|began| now - began < SETTLED_MS) {
            return;
        }
        let rtt = (rtt.as_nanos() / 1_000_000).max(1);
        cubic.min_rtt = if cubic.min_rtt == 0 { rtt } else { cubic.min_rtt.min(rtt) };
        if let Some(hystart) = &mut cubic.hystart
            && *cwnd <= *ssthresh
            && hystart.ends_slow_start(ack.round, now, *cwnd, rtt, cubic.min_rtt)
        {
            *ssthresh = *cwnd;
        }
    }
}

impl Law for Sender {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let now = ack.now.as_nanos() / 1_000_000;
        if !ack.recovering {
            let ratio = &mut self.now.cubic.ack_ratio;
            *ratio = *ratio + ack.acked.count() as u64 - *ratio / 16;
            self.learn(ack, now);
        }
        if ack.app_limited || ack.recovering {
            return;
        }
        let State { cwnd, cwnd_cnt, ssthresh, cubic } = &mut self.now;
        if *cwnd <= *ssthresh {
            *cwnd += 1;
            return;
        }
        cubic.renew(self.kernel, *cwnd, now);
        if *cwnd_cnt >= cubic.cnt {
            *cwnd += 1;
            *cwnd_cnt = 0;
        } else {
            *cwnd_cnt += 1;
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.before = self.now;
        let beta = self.kernel.beta;
        let State { cwnd, cwnd_cnt, ssthresh, cubic } = &mut self.now;
        let gives_way = self.fast_convergence && *cwnd < cubic.w_max;
        let w_max = if gives_way { *cwnd * (1024 + beta) / 2048 } else { *cwnd };
        *ssthresh = (*cwnd * beta / 1024).max(LOSS_FLOOR as u64);
        *cwnd_cnt = 0;
        if event.kind == CongestionKind::Timeout {
            *cwnd = 1;
            *cubic = Cubic::new(cubic.hystart.is_some());
        } else {
            *cwnd = *ssthresh;
            *cubic = Cubic { w_max, has_lost: true, epoch: None, ..*cubic };
        }
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.now.cwnd as f64)
    }

    fn on_idle(&mut self, cwnd: Packets) {
        let now = &mut self.now;
        now.ssthresh = now.ssthresh.max(now.cwnd / 2 + now.cwnd / 4);
        now.cwnd = now.cwnd.min(cwnd.count() as u64).max(1);
    }

    fn remember(&mut self, ssthresh: Packets) -> bool {
        self.now.ssthresh = ssthresh.count().max(LOSS_FLOOR) as u64;
        true
    }

    fn on_undo(&mut self, before: Packets) {
        let cwnd = self.now.cwnd.max(before.count() as u64);
        self.now = self.before;
        self.now.cwnd = self.now.cwnd.max(cwnd);
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        let State { ssthresh, cubic, .. } = &self.now;
        sink("ssthresh", if *ssthresh == u64::MAX { f64::INFINITY } else { *ssthresh as f64 });
        sink("w_max", cubic.w_max as f64);
        sink("k", cubic.k as f64 / 1024.0);
        sink("w_tcp", cubic.w_tcp as f64);
        sink("cnt", cubic.cnt as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};

    /// A sender after a loss at 1000 packets and one ACK more, with an ACK for each packet: r = 31.
    fn after_loss(version: Version, timestamps: bool) -> Sender {
        let mut law = Sender::new(Params { version, timestamps, ..Params::default() }, Packets::new(1000.0));
        (0..8).for_each(|_| law.on_ack(&Ack { recovering: false, app_limited: true, ..ack(1000, 0, 1000.0) }));
        law.on_congestion(&congestion(CongestionKind::Loss, 1000.0));
        law.on_ack(&ack(9_000, 0, 799.0));
        law
    }

    #[test]
    fn steps_of_2_6_22_after_a_loss_at_1000_packets() {
        // ⌊1000·819/1024⌋ = 799, and one ACK of slow start: W ≤ ssthresh still.
        let mut law = after_loss(Version::Linux2622, false);
        assert_eq!((law.now.cwnd, law.now.cubic.w_max, law.now.cubic.ack_ratio), (800, 1000, 31));
        // K = ∛(200·2⁴⁰/410) = 8124 s/1024 = 7.934 s. t = 0: 8124³·410/2⁴⁰ = 199.9: target = 1000 − 199 = 801, cnt =
        // 800/1, ·16/31 = 412.
        law.on_ack(&ack(10_000, 0, 799.0));
        assert_eq!((law.now.cubic.k, law.now.cubic.cnt), (8124, 412));
        // t = 2 s = 2048: (8124 − 2048)³·410/2⁴⁰ = 83.6: target = 917, cnt = ⌊800/117⌋ = 6, ·16/31 = 3.
        law.on_ack(&ack(12_000, 0, 800.0));
        assert_eq!((law.now.cubic.cnt, law.now.cwnd_cnt), (3, 2));
        // W grows with every fourth ACK; the third finds two counted, the fourth three.
        law.on_ack(&ack(12_001, 0, 800.0));
        assert_eq!((law.now.cwnd, law.now.cwnd_cnt), (800, 3));
        law.on_ack(&ack(12_002, 0, 800.0));
        assert_eq!((law.now.cwnd, law.now.cwnd_cnt), (801, 0));
    }

    #[test]
    fn s_max_holds_growth_beyond_the_old_window() {
        // t = 30 s = 30 720: (30 720 − 8124)³·410/2⁴⁰ = 4302: cnt = ⌊800/4502⌋ = 0. With timestamps d_min = 100 ms =
        // 102/1024 s: cnt ≥ 800·100/(16·100) = 50, ·16/31 = 25; without them 0 becomes 1.
        for (timestamps, cnt) in [(true, 25), (false, 1)] {
            let mut law = after_loss(Version::Linux2622, timestamps);
            law.on_ack(&ack(10_000, 0, 800.0));
            law.on_ack(&ack(40_000, 0, 800.0));
            assert_eq!(law.now.cubic.cnt, cnt);
        }
    }

    #[test]
    fn a_timeout_of_2_6_22_forgets_the_old_window() {
        let mut law = after_loss(Version::Linux2622, false);
        law.on_congestion(&congestion(CongestionKind::Timeout, 800.0));
        // ⌊800·819/1024⌋ = 639.
        assert_eq!((law.now.cwnd, law.now.ssthresh, law.now.cubic.w_max), (1, 639, 0));
        assert!(!law.now.cubic.has_lost);
        law.now.cwnd = 640;
        // K = 0: at t = 0 target = W, which does not matter before a loss: cnt = 50, with r = 31 then 25.
        (0..2).for_each(|_| law.on_ack(&ack(20_000, 0, 640.0)));
        assert_eq!((law.now.cubic.k, law.now.cubic.ack_ratio, law.now.cubic.cnt), (0, 31, 25));
    }

    #[test]
    fn steps_of_2_6_31_after_a_loss_at_1000_packets() {
        // ⌊1000·717/1024⌋ = 700, and one ACK of slow start.
        let mut law = after_loss(Version::Linux2631, false);
        assert_eq!(law.now.cwnd, 701);
        // K = ∛(299·2⁴⁰/410) = 9290. d_min = 100 ms counts from the first second of the epoch on; here it was seen
        // before: t = 0.1 s = 102, target = 1000 − ⌊9188³·410/2⁴⁰⌋ = 1000 − 289 = 711, cnt = ⌊701/10⌋ = 70, ·16/31 =
        // 36.
        law.on_ack(&ack(10_000, 0, 701.0));
        assert_eq!((law.now.cubic.min_rtt, law.now.cubic.k, law.now.cubic.cnt), (100, 9290, 36));
        // t = 2.1 s = 2150: 7140³·410/2⁴⁰ = 135.7: target = 865, cnt = ⌊701/164⌋ = 4, ·16/31 = 2.
        law.on_ack(&ack(12_000, 0, 701.0));
        assert_eq!(law.now.cubic.cnt, 2);
        // t = 12.1 s, no S_max: 3100³·410/2⁴⁰ = 11.1: target = 1011, cnt = ⌊701/310⌋ = 2, ·16/31 = 1.
        law.on_ack(&ack(22_000, 0, 701.0));
        assert_eq!(law.now.cubic.cnt, 1);
    }

    #[test]
    fn renos_window_speeds_up_small_ones() {
        // β = 819: a packet for every ⌊W·⌊8·1843/3/205⌋/8⌋ = ⌊10·23/8⌋ = 28 ACKs. At t ≈ 0 the cubic's cnt is 100·W =
        // 1000.
        let mut law = Sender::new(Params { version: Version::Linux2622, ..Params::default() }, Packets::new(10.0));
        law.now.cubic.has_lost = true;
        law.now.ssthresh = 9;
        law.now.cubic.ack_ratio = 31;
        (0..29).for_each(|_| law.on_ack(&ack(5_000, 0, 10.0)));
        assert_eq!(law.now.cubic.w_tcp, 10);
        // cnt stands for 31 ms; then 11 > 10: cnt = ⌊10/1⌋ = 10, ·16/31 = 5.
        law.on_ack(&ack(5_040, 0, 10.0));
        assert_eq!((law.now.cubic.w_tcp, law.now.cubic.cnt), (11, 5));
    }

    #[test]
    fn a_second_loss_below_the_first_gives_way() {
        // 800 < 1000: W_max = ⌊800·1843/2048⌋ = 719.
        let mut law = after_loss(Version::Linux2622, true);
        law.on_congestion(&congestion(CongestionKind::Loss, 800.0));
        assert_eq!((law.now.cubic.w_max, law.now.cwnd), (719, 639));
    }

    #[test]
    fn hystart_ends_slow_start_by_either_sign() {
        let params = Params { version: Version::Linux2631, hystart: true, ..Params::default() };
        // ACKs 1 ms apart for half of 100 ms: the train's first at 100 ms, the one at 150 ms ends slow start.
        let mut law = Sender::new(params, Packets::new(20.0));
        (0..=49).for_each(|at| law.on_ack(&ack(100 + at, 1, 20.0)));
        assert_eq!(law.now.ssthresh, u64::MAX);
        law.on_ack(&ack(150, 1, 70.0));
        assert_eq!((law.now.ssthresh, law.now.cwnd), (70, 71));
        // ACKs 10 ms apart. Round 2 at 106 ms stays below 100 + 100/16 = 106.25; round 3 at 107 ms exceeds it, with the
        // ninth.
        let mut law = Sender::new(params, Packets::new(20.0));
        law.on_ack(&ack(100, 1, 20.0));
        (0..9).for_each(|at| law.on_ack(&slow_ack(200 + 10 * at, 2, 20.0, 106)));
        (0..8).for_each(|at| law.on_ack(&slow_ack(400 + 10 * at, 3, 20.0, 107)));
        assert_eq!(law.now.ssthresh, u64::MAX);
        law.on_ack(&slow_ack(480, 3, 20.0, 107));
        assert_eq!(law.now.ssthresh, 38);
        near(law.cwnd().count(), 39.0, 0.0);
    }
}
