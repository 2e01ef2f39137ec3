//! A host and one bottleneck, just large enough to run laws against: packets of one size, a FIFO queue with a limit in
//! packets, a fixed propagation delay, losses found by three later ACKs, everything repeatable.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use windward_laws::{Ack, AnyLaw, Congestion, CongestionKind, LawSpec, Repair, Sample, Start};
use windward_units::{Duration, Packets, Time};

/// The queue that all flows share.
#[derive(Clone, Copy)]
pub struct Bottleneck {
    /// Packets a second.
    pub rate: f64,
    /// Packets that may be queued, the one in transmission included.
    pub buffer: f64,
}

/// One sender.
#[derive(Clone, Copy)]
pub struct Flow {
    pub law: LawSpec,
    /// Round-trip propagation delay.
    pub base_rtt: Duration,
    /// A round-trip delay that the law is not told of when its base RTT is known: the queues of others.
    pub standing: Duration,
    /// Tell the law the round-trip time of an empty path instead of the least sample.
    pub is_base_known: bool,
    pub start: Time,
    /// Lose every n-th packet on the wire.
    pub lose_every: Option<u64>,
}

impl Flow {
    pub fn new(law: LawSpec, base_rtt: Duration) -> Self {
        Self { law, base_rtt, standing: Duration::ZERO, is_base_known: false, start: Time::ZERO, lose_every: None }
    }
}

/// Record of a flow.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The window at the beginning of each round trip, in packets.
    pub cwnd: Vec<f64>,
    /// Packets delivered after the warm-up, per second.
    pub rate: f64,
    /// Mean number of this flow's packets that waited in the queue after the warm-up.
    pub backlog: f64,
    /// Loss events and timeouts.
    pub losses: u64,
    pub timeouts: u64,
}

/// Runs `flows` until `end`; rates and backlogs count from `warmup`.
pub fn run(bottleneck: Bottleneck, flows: &[Flow], warmup: Time, end: Time) -> Vec<Trace> {
    let senders = flows.iter().map(|flow| Sender::new(flow, bottleneck.rate)).collect();
    let mut world = World { bottleneck, free: 0.0, warmup, order: 0, events: BinaryHeap::new(), senders };
    for (index, flow) in flows.iter().enumerate() {
        world.schedule(flow.start, index, Event::Timer);
    }
    while let Some(Reverse((now, _, index, event))) = world.events.pop() {
        if now > end {
            break;
        }
        match event {
            Event::Ack(packet) => world.on_ack(now, index, packet),
            Event::Timer => world.on_timer(now, index),
            Event::Pace => world.send(now, index),
        }
    }
    let span = end.since(warmup).as_secs();
    // Little: the mean number waiting is the sum of all waits over the span.
    let finish = |sender: Sender| Trace { rate: sender.delivered / span, backlog: sender.waits / span, ..sender.trace };
    world.senders.into_iter().map(finish).collect()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Ack(Packet),
    Timer,
    Pace,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    number: u64,
    sent: Time,
    flight: u64,
    wait: Duration,
    delivered: u64,
    lost: u64,
    delivered_at: Time,
    first_sent: Time,
}

struct World {
    bottleneck: Bottleneck,
    /// Time at which the transmitter is free, in seconds.
    free: f64,
    warmup: Time,
    order: u64,
    events: BinaryHeap<Reverse<(Time, u64, usize, Event)>>,
    senders: Vec<Sender>,
}

struct Sender {
    law: AnyLaw,
    flow: Flow,
    empty_rtt: Duration,
    next: u64,
    flight: u64,
    /// Numbers of packets that will never be acknowledged.
    dropped: VecDeque<u64>,
    recovery_end: u64,
    round: u64,
    round_end: u64,
    srtt: Duration,
    min_rtt: Duration,
    deadline: Time,
    /// The books of delivery rates (draft-ietf-ccwg-bbr), and of pacing.
    acked: u64,
    lost: u64,
    acked_at: Time,
    first_sent: Time,
    next_send: Time,
    pace_at: Time,
    repair: Repair,
    delivered: f64,
    waits: f64,
    trace: Trace,
}

impl World {
    fn schedule(&mut self, at: Time, index: usize, event: Event) {
        self.order += 1;
        self.events.push(Reverse((at, self.order, index, event)));
    }

    fn on_ack(&mut self, now: Time, index: usize, packet: Packet) {
        let sender = &mut self.senders[index];
        if now >= self.warmup {
            sender.delivered += 1.0;
            sender.waits += packet.wait.as_secs();
        }
        sender.on_ack(now, packet);
        self.send(now, index);
    }

    /// The retransmission timer; it re-arms itself.
    fn on_timer(&mut self, now: Time, index: usize) {
        let sender = &mut self.senders[index];
        if sender.next == 0 {
            sender.law.on_start(&Start { now, rtt: Some(sender.empty_rtt), seed: 1 });
        }
        if now >= sender.deadline {
            sender.on_timeout(now);
            self.send(now, index);
        }
        let deadline = self.senders[index].deadline;
        self.schedule(deadline, index, Event::Timer);
    }

    fn send(&mut self, now: Time, index: usize) {
        let Bottleneck { rate, buffer } = self.bottleneck;
        loop {
            let sender = &mut self.senders[index];
            if (sender.flight + 1) as f64 > sender.law.cwnd().count().max(1.0) {
                return;
            }
            if let Some(pace) = sender.law.pacing_rate() {
                if now < sender.next_send {
                    let next = sender.next_send;
                    if sender.pace_at != next {
                        sender.pace_at = next;
                        self.schedule(next, index, Event::Pace);
                    }
                    return;
                }
                sender.next_send = now + Duration::from_secs(1.0 / pace.as_per_sec());
            }
            if sender.flight == 0 {
                (sender.acked_at, sender.first_sent) = (now, now);
            }
            let number = sender.next;
            sender.next += 1;
            sender.flight += 1;
            let wait = (self.free - now.as_secs()).max(0.0);
            let is_on_wire = wait * rate <= buffer - 1.0;
            if is_on_wire {
                self.free = now.as_secs() + wait + 1.0 / rate;
            }
            if !is_on_wire || sender.flow.lose_every.is_some_and(|every| (number + 1).is_multiple_of(every)) {
                sender.dropped.push_back(number);
                continue;
            }
            let packet = Packet {
                number,
                sent: now,
                flight: sender.flight,
                wait: Duration::from_secs(wait),
                delivered: sender.acked,
                lost: sender.lost,
                delivered_at: sender.acked_at,
                first_sent: sender.first_sent,
            };
            let back = now + Duration::from_secs(wait) + sender.empty_rtt;
            self.schedule(back, index, Event::Ack(packet));
        }
    }
}

impl Sender {
    fn new(flow: &Flow, rate: f64) -> Self {
        Self {
            law: flow.law.build(Packets::new(10.0)),
            flow: *flow,
            empty_rtt: flow.base_rtt + flow.standing + Duration::from_secs(1.0 / rate),
            next: 0,
            flight: 0,
            dropped: VecDeque::new(),
            recovery_end: 0,
            round: 0,
            round_end: 0,
            srtt: Duration::ZERO,
            min_rtt: Duration::MAX,
            deadline: flow.start,
            acked: 0,
            lost: 0,
            acked_at: flow.start,
            first_sent: flow.start,
            next_send: Time::ZERO,
            pace_at: Time::ZERO,
            repair: Repair::Nothing,
            delivered: 0.0,
            waits: 0.0,
            trace: Trace::default(),
        }
    }

    fn on_ack(&mut self, now: Time, packet: Packet) {
        let prior_flight = Packets::new(self.flight as f64);
        self.flight = self.flight.saturating_sub(1);
        (self.acked, self.acked_at, self.first_sent) = (self.acked + 1, now, packet.sent);
        let rtt = now.since(packet.sent);
        self.min_rtt = self.min_rtt.min(rtt);
        self.srtt = if self.srtt == Duration::ZERO { rtt } else { self.srtt.scale(0.875) + rtt.scale(0.125) };
        self.deadline = now + self.srtt * 2 + Duration::from_millis(200);
        if packet.number >= self.round_end {
            self.round += 1;
            self.round_end = self.next;
            self.trace.cwnd.push(self.law.cwnd().count());
        }
        if packet.number >= self.recovery_end {
            self.repair = Repair::Nothing;
        }
        let lost = self.find_losses(now, packet.number);
        let whole = |count: u64| Packets::new(count as f64);
        self.law.on_ack(&Ack {
            now,
            acked: Packets::ONE,
            counts_acks: false,
            marked: Packets::ZERO,
            lost: Packets::new(lost as f64),
            rtt: Some(rtt),
            srtt: self.srtt,
            base_rtt: self.base_rtt(),
            flight: Packets::new(self.flight as f64),
            sent_at: packet.sent,
            flight_at_send: Packets::new(packet.flight as f64),
            delivery_rate: None,
            app_limited: false,
            recovering: packet.number < self.recovery_end,
            round: self.round,
            sample: Sample {
                delivered: whole(self.acked),
                delivered_at_send: whole(packet.delivered),
                lost: whole(self.lost),
                lost_at_send: whole(packet.lost),
                interval: packet.sent.since(packet.first_sent).max(now.since(packet.delivered_at)),
                prior_flight,
                next_send: self.next_send,
                repair: self.repair,
            },
        });
    }

    /// A packet is lost once one sent three later is acknowledged.
    fn find_losses(&mut self, now: Time, acked: u64) -> u64 {
        let flight = self.flight;
        let mut lost = 0;
        while let Some(&number) = self.dropped.front()
            && number + 3 <= acked
        {
            self.dropped.pop_front();
            self.flight = self.flight.saturating_sub(1);
            lost += 1;
            self.lost += 1;
            if number >= self.recovery_end {
                self.recovery_end = self.next;
                self.trace.losses += 1;
                self.repair = Repair::Losses;
                self.congestion(now, CongestionKind::Loss, flight);
            }
        }
        lost
    }

    fn on_timeout(&mut self, now: Time) {
        self.deadline = now + Duration::from_millis(1000);
        if self.next > 0 {
            self.trace.timeouts += 1;
            self.congestion(now, CongestionKind::Timeout, self.flight);
            self.recovery_end = self.next;
            self.repair = Repair::Timeout;
            self.lost += self.flight;
            self.dropped.clear();
            self.flight = 0;
        }
    }

    fn congestion(&mut self, now: Time, kind: CongestionKind, flight: u64) {
        let (flight, base_rtt) = (Packets::new(flight as f64), self.base_rtt());
        self.law.on_congestion(&Congestion { now, kind, flight, lost: Packets::ONE, srtt: self.srtt, base_rtt });
    }

    fn base_rtt(&self) -> Duration {
        if self.flow.is_base_known { self.empty_rtt - self.flow.standing } else { self.min_rtt }
    }
}
