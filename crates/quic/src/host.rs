//! State of a connection that a law asks of its host, from what a QUIC stack reports.

use std::collections::VecDeque;
use windward_laws::{Ack, AnyLaw, Congestion, CongestionKind, Repair, Sample, Start};
use windward_units::{Duration, Packets, Time};

/// Least window, in packets (RFC 9002 §7.2).
const FLOOR: f64 = 2.0;

/// Datagrams handed to the socket at once.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    sent_at: u64,
    /// Bytes not acknowledged.
    left: u64,
    /// State when it was sent, as draft-ietf-ccwg-bbr's "Delivery Rate Samples" asks: packets and nanoseconds.
    delivered: f64,
    delivered_at: u64,
    first_sent_at: u64,
    lost: f64,
    flight: f64,
    is_app_limited: bool,
}

/// Host of a law. Times are nanoseconds since the connection began, sizes bytes.
pub struct Host {
    law: AnyLaw,
    seed: u64,
    mtu: f64,
    batches: VecDeque<Batch>,
    flight: u64,
    delivered: f64,
    delivered_at: u64,
    first_sent_at: u64,
    lost: f64,
    is_started: bool,
    is_app_limited: bool,
    srtt: Duration,
    base_rtt: Duration,
    round: u64,
    round_ends: f64,
    last_sent: u64,
    /// Time of the last reduction, and its kind: what was sent until then belongs to it.
    reduced: Option<(u64, Repair)>,
    /// Window before it.
    before: Packets,
    /// Bytes of the acknowledgement that is being read.
    acked: u64,
    newest: Option<Batch>,
    lost_now: f64,
    last_rtt: Duration,
    reductions: [u64; 2],
    /// RTT samples that were not taken yet; none if the host does not keep them.
    rtts: Option<Vec<Duration>>,
}

impl Host {
    /// Host of `law` over a path of `mtu` bytes a datagram.
    pub fn new(law: AnyLaw, seed: u64, mtu: u16) -> Self {
        Self {
            law,
            seed,
            mtu: f64::from(mtu),
            batches: VecDeque::with_capacity(64),
            flight: 0,
            delivered: 0.0,
            delivered_at: 0,
            first_sent_at: 0,
            lost: 0.0,
            is_started: false,
            is_app_limited: false,
            srtt: Duration::ZERO,
            base_rtt: Duration::ZERO,
            round: 0,
            round_ends: 0.0,
            last_sent: 0,
            reduced: None,
            before: Packets::ZERO,
            acked: 0,
            newest: None,
            lost_now: 0.0,
            last_rtt: Duration::ZERO,
            reductions: [0; 2],
            rtts: None,
        }
    }

    /// Window in bytes. The stack sends while flight and datagram together are *below* it.
    pub fn window(&self) -> u64 {
        // The conversion saturates: a law may say "no limit".
        let bytes = (self.law.cwnd().count().max(FLOOR) * self.mtu) as u64;
        bytes.saturating_add(1)
    }

    /// Window in packets.
    pub fn cwnd(&self) -> Packets {
        Packets::new(self.law.cwnd().count().max(FLOOR))
    }

    /// Packets in flight, rounded.
    pub fn flight(&self) -> u32 {
        self.packets(self.flight).round() as u32
    }

    /// Smoothed and latest RTT; zero before the first sample.
    pub fn rtts(&self) -> (Duration, Duration) {
        (self.srtt, self.last_rtt)
    }

    /// Reductions by losses, and by persistent congestion.
    pub fn reductions(&self) -> [u64; 2] {
        self.reductions
    }

    /// Takes the RTT samples since the last call; the first call begins to keep them.
    pub fn take_rtts(&mut self, sink: &mut dyn FnMut(Duration)) {
        self.rtts.get_or_insert_default().drain(..).for_each(sink);
    }

    /// Reports the internal state of the law.
    pub fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        self.law.observe(sink);
    }

    /// Rate at which the law paces, in bit/s, if it does.
    pub fn pacing_rate(&self) -> Option<u64> {
        self.law.pacing_rate().map(|rate| (rate.as_per_sec() * self.mtu * 8.0) as u64)
    }

    /// Slow-start threshold in bytes, if the law has one.
    pub fn ssthresh(&self) -> Option<u64> {
        let mut found = None;
        self.law.observe(&mut |name, value| {
            if name == "ssthresh" && value.is_finite() {
                found = Some((value * self.mtu) as u64);
            }
        });
        found
    }

    /// Handles datagrams of `bytes` in all that leave now.
    pub fn sent(&mut self, now: u64, bytes: u64) {
        if self.flight == 0 {
            self.delivered_at = now;
            self.first_sent_at = now;
            if self.is_started && Duration::from_nanos(now - self.last_sent) > self.srtt {
                self.law.on_restart(Time::from_nanos(now));
            }
        }
        self.flight += bytes;
        self.last_sent = now;
        self.batches.push_back(Batch {
            sent_at: now,
            left: bytes,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            lost: self.lost,
            flight: self.packets(self.flight),
            is_app_limited: self.is_app_limited,
        });
    }

    /// Takes note of `bytes` that are acknowledged, sent at `sent`. The stack reports packets in the order in which
    /// they were sent.
    pub fn acked(&mut self, sent: u64, bytes: u64) {
        self.acked += bytes;
        let mut at = self.batches.partition_point(|batch| batch.sent_at < sent);
        // Several batches leave at one instant: the oldest is acknowledged first.
        while self.batches.get(at).is_some_and(|batch| batch.left == 0 && batch.sent_at == sent) {
            at += 1;
        }
        if let Some(batch) = self.batches.get_mut(at).filter(|batch| batch.sent_at == sent) {
            batch.left = batch.left.saturating_sub(bytes);
            self.newest = Some(*batch);
        }
    }

    /// Reports what was acknowledged together to the law. `flight` bytes are left in flight.
    pub fn end_acks(&mut self, now: u64, flight: u64, is_app_limited: bool) {
        let prior_flight = self.packets(self.flight);
        self.flight = flight;
        self.is_app_limited = is_app_limited;
        let acked = self.packets(self.acked);
        self.acked = 0;
        let Some(newest) = self.newest.take() else { return };
        let rtt = Duration::from_nanos(now - newest.sent_at);
        self.smooth(rtt);
        self.last_rtt = rtt;
        if let Some(rtts) = &mut self.rtts {
            rtts.push(rtt);
        }
        if !self.is_started {
            self.is_started = true;
            self.law.on_start(&Start { now: Time::from_nanos(now), rtt: Some(rtt), seed: self.seed });
        }
        self.delivered += acked;
        let sending = newest.sent_at - newest.first_sent_at;
        let acknowledging = now - newest.delivered_at;
        let interval = Duration::from_nanos(sending.max(acknowledging));
        self.first_sent_at = newest.sent_at;
        self.delivered_at = now;
        if newest.delivered >= self.round_ends {
            self.round += 1;
            self.round_ends = self.delivered;
        }
        let repair =
            self.reduced.filter(|&(until, _)| newest.sent_at <= until).map_or(Repair::Nothing, |(_, repair)| repair);
        let needs = self.law.needs();
        self.law.on_ack(&Ack {
            now: Time::from_nanos(now),
            acked: Packets::new(acked),
            counts_acks: false,
            marked: Packets::ZERO,
            lost: Packets::new(self.lost_now),
            rtt: Some(rtt),
            srtt: self.srtt,
            base_rtt: self.base_rtt,
            flight: Packets::new(self.packets(flight)),
            sent_at: Time::from_nanos(newest.sent_at),
            flight_at_send: Packets::new(newest.flight),
            delivery_rate: (interval > Duration::ZERO)
                .then(|| Packets::new(self.delivered - newest.delivered) / interval),
            app_limited: if needs.reads_samples { newest.is_app_limited } else { is_app_limited },
            recovering: repair != Repair::Nothing,
            round: self.round,
            sample: Sample {
                delivered: Packets::new(self.delivered),
                delivered_at_send: Packets::new(newest.delivered),
                lost: Packets::new(self.lost),
                lost_at_send: Packets::new(newest.lost),
                interval,
                prior_flight: Packets::new(prior_flight),
                next_send: Time::from_nanos(now),
                repair,
            },
        });
        self.lost_now = 0.0;
        self.forget(newest.sent_at);
    }

    /// Handles the loss of `bytes`, the last of which were sent at `sent`. The stack finds losses after it has reported
    /// the acknowledgement that shows them.
    pub fn lost(&mut self, now: u64, sent: u64, is_persistent: bool, bytes: u64) {
        let lost = self.packets(bytes);
        self.lost += lost;
        self.lost_now += lost;
        if is_persistent {
            // RFC 9002 §7.6: the path carried nothing for several timeouts.
            self.reduce(now, CongestionKind::Timeout, lost);
        } else if self.is_of_new_event(sent) {
            self.reduce(now, CongestionKind::Loss, lost);
        }
        self.flight = self.flight.saturating_sub(bytes);
    }

    /// Handles an echo of marks on packets, the last of which was sent at `sent`.
    pub fn marked(&mut self, now: u64, sent: u64) {
        if self.is_of_new_event(sent) {
            self.reduce(now, CongestionKind::Mark, 0.0);
        }
    }

    /// Takes back the last reduction: all packets that it was for have arrived.
    #[cfg_attr(not(feature = "noq"), expect(dead_code, reason = "quinn does not report it"))]
    pub fn undo(&mut self) {
        if self.reduced.take().is_some() {
            self.law.on_undo(self.before);
        }
    }

    /// Takes the size of datagrams that the path carries. The window in packets stays.
    pub fn set_mtu(&mut self, mtu: u16) {
        self.mtu = f64::from(mtu);
    }

    /// RFC 9002 §7.3.2: one reduction for all that was sent before it.
    fn is_of_new_event(&self, sent: u64) -> bool {
        self.reduced.is_none_or(|(until, _)| sent > until)
    }

    fn reduce(&mut self, now: u64, kind: CongestionKind, lost: f64) {
        let repair = if kind == CongestionKind::Timeout { Repair::Timeout } else { Repair::Losses };
        self.reduced = Some((now, repair));
        self.before = self.law.cwnd();
        match kind {
            CongestionKind::Loss => self.reductions[0] += 1,
            CongestionKind::Timeout => self.reductions[1] += 1,
            CongestionKind::Mark => {}
        }
        self.law.on_congestion(&Congestion {
            now: Time::from_nanos(now),
            kind,
            flight: Packets::new(self.packets(self.flight)),
            lost: Packets::new(lost),
            srtt: self.srtt,
            base_rtt: self.base_rtt,
        });
    }

    /// RFC 6298 §2.
    fn smooth(&mut self, rtt: Duration) {
        if self.srtt == Duration::ZERO {
            (self.srtt, self.base_rtt) = (rtt, rtt);
            return;
        }
        self.srtt = Duration::from_nanos((7 * self.srtt.as_nanos() + rtt.as_nanos()) / 8);
        self.base_rtt = self.base_rtt.min(rtt);
    }

    /// Forgets what is acknowledged, and what is so old that it is lost or was never to be acknowledged: packets of
    /// nothing but acknowledgements are reported as sent, too.
    fn forget(&mut self, newest: u64) {
        let old = newest.saturating_sub(4 * self.srtt.as_nanos());
        while self.batches.front().is_some_and(|batch| batch.left == 0 || batch.sent_at < old) {
            self.batches.pop_front();
        }
    }

    fn packets(&self, bytes: u64) -> f64 {
        bytes as f64 / self.mtu
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_laws::LawSpec;

    const MTU: u16 = 1200;
    const MS: u64 = 1_000_000;

    fn reno(initial: f64) -> Host {
        let spec = LawSpec::from_json("reno", serde_json::json!({})).unwrap();
        Host::new(spec.build(Packets::new(initial)), 1, MTU)
    }

    /// Sends `count` full datagrams at `now`, in batches of `batch`.
    fn send(host: &mut Host, now: u64, count: u64, batch: u64) {
        (0..count / batch).for_each(|_| host.sent(now, batch * u64::from(MTU)));
    }

    /// Acknowledges `count` full datagrams sent at `sent`, all at once.
    fn acknowledge(host: &mut Host, now: u64, sent: u64, count: u64) {
        (0..count).for_each(|_| host.acked(sent, MTU.into()));
        let left = host.flight - count * u64::from(MTU);
        host.end_acks(now, left, false);
    }

    #[test]
    fn slow_start_doubles_and_one_loss_halves_once_a_round_trip() {
        let mut host = reno(10.0);
        send(&mut host, 0, 10, 1);
        acknowledge(&mut host, 100 * MS, 0, 10);
        assert_eq!(host.window(), 20 * 1200 + 1);
        send(&mut host, 100 * MS, 20, 1);
        acknowledge(&mut host, 200 * MS, 100 * MS, 2);
        assert_eq!(host.flight, 18 * 1200);
        // RFC 5681 eq. 4: half of FlightSize. A second batch of the same flight says nothing new.
        host.lost(200 * MS, 100 * MS, false, 1200);
        assert_eq!(host.window(), 9 * 1200 + 1);
        host.lost(201 * MS, 100 * MS, false, 2400);
        assert_eq!(host.window(), 9 * 1200 + 1);
        host.marked(202 * MS, 150 * MS);
        assert_eq!(host.window(), 9 * 1200 + 1, "sent before the reduction");
        host.marked(350 * MS, 201 * MS);
        assert!(host.window() < 9 * 1200, "sent after it");
    }

    #[test]
    fn a_late_report_of_an_old_loss_is_part_of_its_event() {
        let mut host = reno(20.0);
        send(&mut host, 0, 20, 1);
        acknowledge(&mut host, 100 * MS, 0, 1);
        host.lost(100 * MS, 0, false, 1200);
        let reduced = host.window();
        send(&mut host, 110 * MS, 2, 1);
        acknowledge(&mut host, 210 * MS, 110 * MS, 2);
        host.lost(211 * MS, 0, false, 1200);
        assert!(host.window() >= reduced, "found by time, after packets sent later were acknowledged");
    }

    #[test]
    fn a_batch_of_ten_is_ten_packets() {
        let windows = [1, 10].map(|batch| {
            let mut host = reno(10.0);
            send(&mut host, 0, 10, batch);
            acknowledge(&mut host, 100 * MS, 0, 4);
            acknowledge(&mut host, 101 * MS, 0, 6);
            (host.window(), host.batches.len(), host.delivered)
        });
        assert_eq!(windows[0], windows[1]);
        assert_eq!(windows[0], (20 * 1200 + 1, 0, 10.0));
    }

    #[test]
    fn a_larger_mtu_keeps_the_window_in_packets() {
        let mut host = reno(10.0);
        host.set_mtu(1452);
        assert_eq!(host.window(), 10 * 1452 + 1);
    }

    #[test]
    fn two_datagrams_are_the_least_window() {
        let mut host = reno(2.0);
        send(&mut host, 0, 2, 1);
        acknowledge(&mut host, 100 * MS, 0, 1);
        host.lost(100 * MS, 0, true, 1200);
        assert_eq!(host.window(), 2 * 1200 + 1);
    }

    #[test]
    fn acknowledgements_alone_are_forgotten() {
        let mut host = reno(10.0);
        for round in 0..1000 {
            let now = round * 100 * MS;
            host.sent(now, 40);
            send(&mut host, now + 1, 1, 1);
            host.acked(now + 1, MTU.into());
            host.end_acks(now + 100 * MS, 0, false);
        }
        assert!(host.batches.len() < 10, "{}", host.batches.len());
    }

    /// A Reno that is app-limited does not grow (RFC 9002 §7.8).
    #[test]
    fn an_unused_window_does_not_grow() {
        let mut host = reno(10.0);
        send(&mut host, 0, 2, 1);
        host.acked(0, 2400);
        host.end_acks(100 * MS, 0, true);
        assert_eq!(host.window(), 10 * 1200 + 1);
    }

    #[test]
    fn rates_are_in_bits_per_second() {
        let spec = LawSpec::from_json("bbr", serde_json::json!({})).unwrap();
        let mut host = Host::new(spec.build(Packets::new(10.0)), 1, 1250);
        host.sent(0, 12_500);
        host.acked(0, 12_500);
        host.end_acks(10 * MS, 0, false);
        let rate = host.pacing_rate().unwrap();
        // 12.5 kB in 10 ms are 10 Mbit/s, times the gain of its startup, 2.885, less a hundredth.
        assert!((26_000_000..=29_000_000).contains(&rate), "{rate}");
    }
}
