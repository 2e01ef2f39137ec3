//! An RTP stream on the network: both ends, their timers, and the packets between them.

use crate::net::Net;
use std::collections::VecDeque;
use windward_elements::ecn::Ecn;
use windward_elements::engine::{RtpTimer, Stream, Wake};
use windward_elements::packet::{Kind, Packet};
use windward_traffic::rtp::{
    AnyControl, Control, Encoder, Feedback, PacketLog, Picture, Report, ReportRule, RtpConfig, report_bytes,
};
use windward_units::{Duration, Time};

/// A packet that waits at the sender.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    frame: u32,
    bytes: u32,
    is_last: bool,
    since: Time,
}

/// Place of a stream in the network.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Index of its source, and the number of its packets.
    pub index: u32,
    pub id: u32,
    /// Starts of the routes of its packets and of the reports.
    pub hop: u32,
    pub report_hop: u32,
    /// ECN field of its packets.
    pub ecn: Ecn,
    /// Time from which nothing is sent.
    pub stop: Time,
}

/// A stream, and the counters of both ends.
#[derive(Debug)]
pub struct RtpStream {
    place: Place,
    config: RtpConfig,
    rule: ReportRule,
    control: AnyControl,
    encoder: Encoder,
    log: PacketLog,
    /// Frames at the viewer.
    pub picture: Picture,
    waiting: VecDeque<Waiting>,
    /// Bytes that wait.
    queued: u64,
    /// Earliest time of the next packet.
    next: Time,
    is_sending: bool,
    is_reporting: bool,
    reported: Option<Time>,
    /// Bit rate of the last frame; NaN before the first.
    pub target: f64,
    /// Sum of these rates since the last reset, in bits per second, and their number.
    targets: (f64, u64),
    /// Bytes that had arrived at the last sample.
    pub sampled: u64,
}

impl RtpStream {
    /// A stream before its first frame.
    pub fn new(config: &RtpConfig, place: Place) -> Self {
        Self {
            place,
            config: *config,
            rule: config.report_rule(),
            control: AnyControl::new(config),
            encoder: Encoder::new(config.frame, config.spread),
            log: PacketLog::default(),
            picture: Picture::new(config.frame),
            waiting: VecDeque::new(),
            queued: 0,
            next: Time::ZERO,
            is_sending: false,
            is_reporting: false,
            reported: None,
            target: f64::NAN,
            targets: (0.0, 0),
            sampled: 0,
        }
    }

    /// Starts the counters.
    pub fn reset(&mut self) {
        self.picture.reset();
        self.targets = (0.0, 0);
        self.sampled = 0;
    }

    /// Mean of the encoder's bit rate since the counters began; NaN without frames.
    pub fn mean_target(&self) -> f64 {
        self.targets.0 / self.targets.1 as f64
    }

    /// Encodes a frame, with the sizes drawn from `sizes`, and returns the number of packets sent. Schedules the next.
    pub fn encode(&mut self, net: &mut Net, sizes: &mut Stream) -> u64 {
        let now = net.now;
        let lost = self.log.give_up(now);
        if !lost.is_empty() {
            self.control.on_feedback(&Feedback { now, fates: lost, rtt: None });
        }
        self.target = self.control.target(self.queued);
        self.targets = (self.targets.0 + self.target, self.targets.1 + 1);
        let u = if self.config.spread > 0.0 { sizes.uniform() } else { 0.5 };
        let bytes = self.encoder.next(self.target, u).max(RtpConfig::LEAST_PACKET);
        let waited = self.waiting.front().map_or(Duration::ZERO, |oldest| now.since(oldest.since));
        self.control.on_frame(f64::from(bytes), waited);
        let packets = bytes.div_ceil(self.config.packet);
        let frame = self.picture.encode(now, packets);
        let (part, more) = (bytes / packets, bytes % packets);
        for at in 0..packets {
            let bytes = part + u32::from(at < more);
            self.waiting.push_back(Waiting { frame, bytes, is_last: at + 1 == packets, since: now });
        }
        self.queued += u64::from(bytes);
        net.schedule(now + self.config.frame, Wake::Source, self.place.index);
        self.send(net)
    }

    /// Sends what pace and window allow; returns the number of packets.
    fn send(&mut self, net: &mut Net) -> u64 {
        let now = net.now;
        let mut sent = 0;
        while let Some(&Waiting { frame, bytes, is_last, .. }) = self.waiting.front()
            && self.next <= now
            && now < self.place.stop
        {
            let in_flight = self.log.in_flight() + u64::from(bytes);
            if in_flight as f64 > self.control.window() && in_flight > u64::from(bytes) {
                return sent;
            }
            self.waiting.pop_front();
            let gap = Duration::from_secs(f64::from(bytes) * 8.0 / self.control.pacing(self.queued));
            self.queued -= u64::from(bytes);
            self.next = now + gap;
            let Place { id, hop, ecn, .. } = self.place;
            let number = self.log.send(now, bytes);
            let packet = Packet::new(Kind::Datagram, now, id, hop, bytes);
            net.send(Packet { number, sack: [(frame, 0), (0, 0), (0, 0)], is_last, ecn, ..packet }, false);
            self.control.on_sent(now, in_flight);
            sent += 1;
        }
        if !self.waiting.is_empty() && self.next > now && !self.is_sending {
            self.is_sending = true;
            net.schedule(self.next, Wake::Rtp(RtpTimer::Send), self.place.index);
        }
        sent
    }

    /// Handles the arrival of a packet at the receiver.
    pub fn arrive(&mut self, net: &mut Net, packet: &Packet) {
        let now = net.now;
        let arrivals = self.log.arrive(now, packet.number, packet.ecn.is_marked());
        self.picture.arrive(now, packet.sack[0].0);
        let ReportRule { every, packets } = self.rule;
        if packets.is_some_and(|most| packet.is_last || arrivals >= most) {
            return self.report(net);
        }
        if !self.is_reporting {
            self.is_reporting = true;
            let due = match packets {
                Some(_) => now + every,
                None => self.reported.map_or(now, |before| now.max(before + every)),
            };
            net.schedule(due, Wake::Rtp(RtpTimer::Report), self.place.index);
        }
    }

    /// Reports the arrivals since the last report, if there are some.
    fn report(&mut self, net: &mut Net) {
        let now = net.now;
        let Some(Report { begin, end, .. }) = self.log.report(now) else { return };
        self.reported = Some(now);
        let Place { id, report_hop, .. } = self.place;
        let packet = Packet::new(Kind::Report, now, id, report_hop, report_bytes(end - begin));
        net.send(Packet { number: end, sack: [(begin, 0), (0, 0), (0, 0)], ..packet }, false);
    }

    /// Handles the arrival of a report; returns the number of packets that it allows.
    pub fn hear(&mut self, net: &mut Net, packet: &Packet) -> u64 {
        let report = Report { begin: packet.sack[0].0, end: packet.number, at: Time::from_nanos(packet.stamp) };
        let (fates, rtt) = self.log.read(net.now, report);
        if !fates.is_empty() {
            self.control.on_feedback(&Feedback { now: net.now, fates, rtt });
        }
        self.send(net)
    }

    /// Handles a timer; returns the number of packets sent.
    pub fn wake(&mut self, net: &mut Net, which: RtpTimer) -> u64 {
        match which {
            RtpTimer::Send => {
                self.is_sending = false;
                self.send(net)
            }
            RtpTimer::Report => {
                self.is_reporting = false;
                self.report(net);
                0
            }
        }
    }
}
