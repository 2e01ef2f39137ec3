//! SCReAM v2: self-clocked rate adaptation for multimedia, draft-ietf-ccwg-rfc8298bis-screamv2 as of August 2026.
//!
//! A reference window limits the bytes in flight, and the target bit rate follows from it:
//! target = 8·ref_wnd/s_rtt·(1 − min(0.2, max(0, MSS/ref_wnd − 0.1)))·MSS/(MSS + 20)/(1.2 + adjustments).
//!
//! * A loss multiplies the window by 0.7, a classic mark by 0.8. Marks of L4S take α/2 of it, with α the average share
//!   of marked packets. An average queueing delay above half the target does as if α were its place between half the
//!   target and the target. Reductions are min(25 ms, s_rtt) apart; α/2 counts divided by max(1, s_rtt/25 ms).
//! * Acknowledged bytes without a mark increase it by MSS a round trip, more slowly near the window of the last
//!   congestion, and by up to 2 % of itself more the longer the last congestion is away.
//!
//! **Where we differ**
//! * The optional parts are left out: jitter reduction, thresholds for losses of the link, policers, the undershoot of
//!   the window and the queueing delay's target beside loss-based flows.
//! * Bytes lost above the highest packet that arrived never count as acknowledged, also when a later one arrives.
//! * The base delay is the least of the whole run: clocks do not drift.
//! * While the target is that of the maximum, only the inhibited increase bounds the window; the reference
//!   implementation also follows the bytes in flight.

use super::control::{Control, Feedback};
use windward_units::{Duration, Time};

/// Data unit, in bytes.
const MSS: f64 = 1000.0;
const MIN_REF_WND: f64 = 3000.0;
const BYTES_IN_FLIGHT_HEAD_ROOM: f64 = 1.5;
const BETA_LOSS: f64 = 0.7;
const BETA_ECN: f64 = 0.8;
const POST_CONGESTION_DELAY_RTTS: f64 = 100.0;
const MUL_INCREASE_FACTOR: f64 = 0.02;
/// In seconds.
const VIRTUAL_RTT: f64 = 0.025;
/// In seconds.
const QDELAY_TARGET_LO: f64 = 0.06;
const QDELAY_AVG_G: f64 = 0.25;
const L4S_AVG_G_UP: f64 = 1.0 / 8.0;
const L4S_AVG_G_DOWN: f64 = 1.0 / 128.0;
/// In bits per second.
const RATE_PACE_MIN: f64 = 50e3;
const PACKET_PACING_HEADROOM: f64 = 1.5;
const MAX_RELAXED_PACING_FACTOR: f64 = 4.0;
const RELAXED_PACING_LIMIT_LOW: f64 = 0.8;
const REF_WND_OVERHEAD_MAX: f64 = 3.0;
const RATE_ADJUST_GAIN: f64 = 1.0 / 16.0;
const FRAME_SIZE_DEV_ALPHA: f64 = 1.0 / 64.0;
/// In bytes.
const PACKET_OVERHEAD: f64 = 20.0;

/// The state of a stream. Times are in seconds.
#[derive(Clone, Debug)]
pub struct Scream {
    least: f64,
    most: f64,
    is_l4s: bool,
    frame: f64,
    ref_wnd: f64,
    ref_wnd_i: f64,
    may_update_i: bool,
    target: f64,
    srtt: f64,
    base: f64,
    qdelay: f64,
    qdelay_avg: f64,
    averaged_at: f64,
    alpha: f64,
    alpha_at: f64,
    delivered: u32,
    marked: u32,
    max_in_flight: f64,
    max_in_flight_prev: f64,
    round_at: f64,
    congested_at: f64,
    reacted_at: f64,
    has_loss: bool,
    has_mark: bool,
    rate_adjust: f64,
    frame_deviation: f64,
}

impl Scream {
    /// A stream with bounds of its target, marks of L4S if `is_l4s`, and the time between two frames.
    pub fn new([least, most]: [f64; 2], is_l4s: bool, frame: Duration) -> Self {
        Self {
            least,
            most,
            is_l4s,
            frame: frame.as_secs(),
            ref_wnd: MIN_REF_WND,
            ref_wnd_i: 1.0,
            may_update_i: true,
            target: least,
            srtt: 0.0,
            base: f64::INFINITY,
            qdelay: 0.0,
            qdelay_avg: 0.0,
            averaged_at: 0.0,
            alpha: 0.0,
            alpha_at: 0.0,
            delivered: 0,
            marked: 0,
            max_in_flight: 0.0,
            max_in_flight_prev: 0.0,
            round_at: 0.0,
            congested_at: 0.0,
            reacted_at: 0.0,
            has_loss: false,
            has_mark: false,
            rate_adjust: 0.0,
            frame_deviation: 0.0,
        }
    }

    fn ref_wnd_ratio(&self) -> f64 {
        (MSS / self.ref_wnd).min(1.0)
    }

    /// Averages of marks and of the queueing delay.
    fn average(&mut self, now: f64) {
        if now - self.alpha_at >= self.srtt.min(0.01) && self.delivered > 0 {
            let fraction = f64::from(self.marked) / f64::from(self.delivered);
            self.alpha = if fraction >= self.alpha {
                L4S_AVG_G_UP * fraction + (1.0 - L4S_AVG_G_UP) * self.alpha
            } else {
                (1.0 - L4S_AVG_G_DOWN) * self.alpha
            };
            self.alpha_at = now;
            (self.delivered, self.marked) = (0, 0);
        }
        if now - self.averaged_at >= self.srtt.min(VIRTUAL_RTT) {
            self.qdelay_avg = if self.qdelay < self.qdelay_avg {
                self.qdelay
            } else {
                QDELAY_AVG_G * self.qdelay + (1.0 - QDELAY_AVG_G) * self.qdelay_avg
            };
            self.averaged_at = now;
        }
    }

    /// Scale near the window of the last congestion.
    fn scale(&self) -> f64 {
        let off = 8.0 * (self.ref_wnd - self.ref_wnd_i) / self.ref_wnd_i;
        (off * off).clamp(0.1, 1.0)
    }

    /// Reference window reduction.
    fn reduce(&mut self, now: f64, scale: f64) {
        if self.has_loss || self.has_mark {
            self.congested_at = now;
        }
        let since = now - self.reacted_at;
        if since < self.srtt.min(VIRTUAL_RTT) {
            return;
        }
        let half = QDELAY_TARGET_LO / 2.0;
        let is_slow = self.qdelay_avg > half;
        if !(self.has_loss || self.has_mark || is_slow) {
            return;
        }
        if self.may_update_i {
            self.ref_wnd_i = self.ref_wnd;
            self.may_update_i = false;
        }
        // Reductions come every min(VIRTUAL_RTT, s_rtt).
        let often = (self.srtt / VIRTUAL_RTT).max(1.0);
        let kept = if self.has_loss {
            BETA_LOSS
        } else if self.has_mark && !self.is_l4s {
            BETA_ECN
        } else if self.has_mark {
            let mut backoff = self.alpha / 2.0 / often;
            if self.qdelay < QDELAY_TARGET_LO / 4.0 {
                backoff *= scale.max(0.25);
            }
            if since > 100.0 * self.srtt.max(VIRTUAL_RTT) {
                // The window may have grown far beyond what was sent.
                self.ref_wnd = self.ref_wnd.min(self.max_in_flight_prev);
            }
            1.0 - backoff
        } else {
            let alpha = ((self.qdelay_avg - half) / half).clamp(0.0, 1.0);
            1.0 - alpha / 2.0 / often
        };
        self.ref_wnd = (self.ref_wnd * kept).max(MIN_REF_WND);
        self.reacted_at = now;
        (self.has_loss, self.has_mark) = (false, false);
    }

    /// Reference window increase by `acked` bytes without a mark.
    fn increase(&mut self, now: f64, acked: f64, scale: f64) {
        let rtts = POST_CONGESTION_DELAY_RTTS * self.srtt.max(VIRTUAL_RTT);
        let calm = ((now - self.congested_at) / rtts).clamp(0.0, 1.0);
        let growth = 1.0 + MUL_INCREASE_FACTOR * self.ref_wnd / MSS * calm * scale;
        let increment = acked * self.ref_wnd_ratio() * (self.srtt / VIRTUAL_RTT).min(1.0) * scale.max(0.25) * growth;
        let allowed = MSS + self.max_in_flight.max(self.max_in_flight_prev) * BYTES_IN_FLIGHT_HEAD_ROOM;
        let next = self.ref_wnd + increment;
        if next <= allowed && self.target < self.most && increment > 0.0 {
            self.ref_wnd = next;
            self.may_update_i = true;
        }
    }

    /// Target bit rate of the window.
    fn rate(&self) -> f64 {
        let small = 1.0 - (self.ref_wnd_ratio() - 0.1).clamp(0.0, 0.2);
        let headers = MSS / (MSS + PACKET_OVERHEAD);
        let margin = 1.2 + self.rate_adjust + self.frame_deviation;
        small * headers / margin * 8.0 * self.ref_wnd / self.srtt
    }
}

impl Control for Scream {
    fn on_sent(&mut self, now: Time, in_flight: u64) {
        if now.as_secs() - self.round_at >= self.srtt {
            self.round_at = now.as_secs();
            self.max_in_flight_prev = std::mem::take(&mut self.max_in_flight);
        }
        self.max_in_flight = self.max_in_flight.max(in_flight as f64);
    }

    fn on_frame(&mut self, bytes: f64, waited: Duration) {
        let error = (waited.as_secs() - self.frame / 4.0) / self.frame;
        self.rate_adjust = (self.rate_adjust + error * RATE_ADJUST_GAIN).clamp(0.0, 0.5);
        let nominal = self.target * self.frame / 8.0;
        let deviation = ((bytes - nominal) / nominal).max(0.0);
        let average = (1.0 - FRAME_SIZE_DEV_ALPHA) * self.frame_deviation + FRAME_SIZE_DEV_ALPHA * deviation;
        self.frame_deviation = average.min(0.2);
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let now = feedback.now.as_secs();
        // bytes_newly_acked advances with the highest packet that arrived: lost ones below it count, those above do
        // not.
        let (mut acked, mut unmarked) = (0.0, 0.0);
        for fate in feedback.fates {
            if !fate.is_marked {
                unmarked += f64::from(fate.bytes);
            }
            match fate.arrived {
                Some(arrived) => {
                    acked = unmarked;
                    let delay = arrived.since(fate.sent).as_secs();
                    self.base = self.base.min(delay);
                    self.qdelay = delay - self.base;
                    self.delivered += 1;
                    self.marked += u32::from(fate.is_marked);
                    self.has_mark |= fate.is_marked;
                }
                None => self.has_loss = true,
            }
        }
        if let Some(rtt) = feedback.rtt {
            let rtt = rtt.as_secs();
            self.srtt = if self.srtt > 0.0 { self.srtt + (rtt - self.srtt) / 8.0 } else { rtt };
        }
        if self.srtt <= 0.0 {
            return;
        }
        self.average(now);
        let scale = self.scale();
        self.reduce(now, scale);
        self.increase(now, acked, scale);
        self.target = self.rate().clamp(self.least, self.most);
    }

    fn target(&self, _queued: u64) -> f64 {
        self.target
    }

    fn pacing(&self, _queued: u64) -> f64 {
        let nominal = self.target / self.most;
        let relaxed = (nominal - RELAXED_PACING_LIMIT_LOW) / (1.0 - RELAXED_PACING_LIMIT_LOW);
        let scale = (1.0 - relaxed).clamp(1.0 / MAX_RELAXED_PACING_FACTOR, 1.0);
        self.target.max(RATE_PACE_MIN) * PACKET_PACING_HEADROOM / scale
    }

    /// Without jitter reduction the overhead is that of an uncongested link.
    fn window(&self) -> f64 {
        self.ref_wnd * REF_WND_OVERHEAD_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::Fate;
    use super::*;

    fn stream(is_l4s: bool) -> Scream {
        Scream::new([150e3, 10e6], is_l4s, Duration::from_millis(20))
    }

    /// 25 000 bytes in 50 ms are 4 Mbit/s; with 1000/1020 and 1.2 the target is 3.2680 Mbit/s. Of 4000 bytes, 1000/4000
    /// − 0.1 = 0.15 less: 640 kbit/s·0.85·1000/1020/1.2 = 444.4 kbit/s.
    #[test]
    fn the_target_follows_the_window() {
        let mut stream = stream(false);
        stream.srtt = 0.05;
        stream.ref_wnd = 25_000.0;
        assert!((stream.rate() / 3.267_974e6 - 1.0).abs() < 1e-6, "{}", stream.rate());
        stream.ref_wnd = 4000.0;
        assert!((stream.rate() / 444.444e3 - 1.0).abs() < 1e-5, "{}", stream.rate());
        // Media that waits for a frame: (1 − 1/4)/16 more in the divisor.
        stream.on_frame(stream.target * 0.0025, Duration::from_millis(20));
        assert!((stream.rate_adjust - 0.75 / 16.0).abs() < 1e-12);
    }

    /// Reductions from 20 000 bytes: loss 14 000, classic mark 16 000; a delay of 45 ms, the middle between half the
    /// target and the target, takes a quarter, and half of that where a round trip is 50 ms.
    #[test]
    fn congestion_reduces_the_window() {
        let reduced = |srtt: f64, change: &dyn Fn(&mut Scream)| {
            let mut stream = stream(false);
            (stream.srtt, stream.ref_wnd) = (srtt, 20_000.0);
            change(&mut stream);
            stream.reduce(1.0, 1.0);
            stream.ref_wnd
        };
        assert_eq!(reduced(0.05, &|stream| stream.has_loss = true), 14_000.0);
        assert_eq!(reduced(0.05, &|stream| stream.has_mark = true), 16_000.0);
        assert!((reduced(0.02, &|stream| stream.qdelay_avg = 0.045) - 15_000.0).abs() < 1e-9);
        assert!((reduced(0.05, &|stream| stream.qdelay_avg = 0.045) - 17_500.0).abs() < 1e-9);
        assert_eq!(reduced(0.05, &|stream| stream.qdelay_avg = 0.030), 20_000.0);
    }

    /// Lost bytes count as acknowledged below the highest packet that arrived only: ten of ten lost take 0.3 of the
    /// window and add nothing. If the tenth arrives, the ten add 10 000·1000/14 000 to the 14 000 bytes that are left,
    /// as soon after the congestion as this.
    #[test]
    fn losses_above_the_highest_arrival_do_not_increase_the_window() {
        for (arrives, window) in [(false, 14_000.0), (true, 14_000.0 + 10_000.0 / 14.0)] {
            let mut stream = stream(false);
            (stream.srtt, stream.ref_wnd, stream.target, stream.max_in_flight) = (0.05, 20_000.0, 1e6, 20_000.0);
            let [sent, arrived, now] = [1000, 1025, 1050].map(|ms| Time::from_nanos(ms * 1_000_000));
            let fate = |at: u32| Fate {
                sent,
                arrived: (arrives && at == 9).then_some(arrived),
                bytes: 1000,
                is_marked: false,
            };
            let fates: Vec<Fate> = (0..10).map(fate).collect();
            stream.on_feedback(&Feedback { now, fates: &fates, rtt: None });
            assert!((stream.ref_wnd - window).abs() < 1e-9, "{} of {window}", stream.ref_wnd);
        }
    }

    /// Two marks a round trip: in a window of W bytes α = 2·MSS/W, which takes MSS of it, as much as a round trip adds.
    #[test]
    fn two_marks_a_round_trip_balance_l4s() {
        let mut stream = stream(true);
        (stream.srtt, stream.ref_wnd, stream.target) = (0.025, 20_000.0, 1e6);
        (stream.ref_wnd_i, stream.congested_at, stream.max_in_flight) = (1.0, 1.0, 20_000.0);
        (stream.alpha, stream.qdelay, stream.has_mark) = (0.1, 0.02, true);
        stream.reduce(1.0, 1.0);
        assert!((stream.ref_wnd - 19_000.0).abs() < 1e-9, "{}", stream.ref_wnd);
        // 18 of 20 packets without a mark, just after the congestion: 18/19 of MSS.
        stream.increase(1.0, 18_000.0, 1.0);
        assert!((stream.ref_wnd - 19_000.0 - 18_000.0 / 19.0).abs() < 1e-9, "{}", stream.ref_wnd);
    }

    /// 40 packets at once a round trip, twenty of them marked every time: α grows by an eighth of what is missing, and
    /// falls by 1/128.
    #[test]
    fn marks_are_averaged_fast_up_and_slowly_down() {
        let mut stream = stream(true);
        let mut feed = |ms: u64, marked: usize| {
            let now = Time::from_nanos(ms * 1_000_000);
            let fate = |at: usize| Fate {
                sent: Time::from_nanos((ms - 50) * 1_000_000),
                arrived: Some(Time::from_nanos((ms - 25) * 1_000_000)),
                bytes: 1000,
                is_marked: at < marked,
            };
            let fates: Vec<Fate> = (0..40).map(fate).collect();
            stream.on_feedback(&Feedback { now, fates: &fates, rtt: Some(Duration::from_millis(50)) });
            stream.alpha
        };
        assert!((feed(100, 20) - 0.0625).abs() < 1e-12);
        assert!((feed(150, 20) - (0.0625 * 7.0 / 8.0 + 0.0625)).abs() < 1e-12);
        let before = 0.117_187_5;
        assert!((feed(200, 0) - before * 127.0 / 128.0).abs() < 1e-12);
    }
}
