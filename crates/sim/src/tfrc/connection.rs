//! A TFRC flow: both ends, their timers and the packets between them.

use super::receiver::{Feedback, Receiver};
use super::sender::Sender;
use crate::net::Net;
use crate::network::FlowConfig;
use crate::network::TfrcOptions;
use crate::tcp::{Averages, Counts, Headers, Ring, Timer};
use windward_elements::engine::{FlowTimer, Wake};
use windward_elements::packet::{Kind, Packet, Range};
use windward_units::{Duration, Packets, Time};

/// Timeout of the packet that opens the connection.
const OPEN_TIMEOUT: Duration = Duration::from_millis(1000);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Opening,
    Open,
    Done,
}

/// A TFRC flow.
pub struct Connection {
    index: u32,
    state: State,
    options: TfrcOptions,
    headers: Headers,
    segment: u32,
    forward: u32,
    backward: u32,
    /// Number of opening packets, and the time of the last one.
    tries: u32,
    /// Number of the next packet, and of the first one not covered by a report.
    next: u32,
    acknowledged: u32,
    arrived: u32,
    sender: Sender,
    receiver: Receiver,
    sent_at: Time,
    /// No-feedback timer.
    silence: Timer,
    /// Timer of the next packet.
    pace: Timer,
    /// Timer of the next report.
    report: Timer,
    /// Counters.
    counts: Counts,
    /// Time averages.
    pub averages: Averages,
    /// Least round-trip sample since this was last taken.
    pub recent_rtt: Option<Duration>,
}

impl Connection {
    /// Flow `index` of `config`, with the starts of its forward and backward routes in the table of routes.
    pub fn new(index: u32, config: &FlowConfig, options: TfrcOptions, [forward, backward]: [u32; 2]) -> Self {
        let segment = config.tcp.segment.count() as u32;
        Self {
            index,
            state: State::Closed,
            options,
            headers: Headers::new(&config.tcp),
            segment,
            forward,
            backward,
            tries: 0,
            next: 0,
            acknowledged: 0,
            arrived: 0,
            sender: Sender::new(f64::from(segment), options),
            receiver: Receiver::new(f64::from(segment), 0, options),
            sent_at: Time::ZERO,
            silence: Timer::off(),
            pace: Timer::off(),
            report: Timer::off(),
            counts: Counts::default(),
            averages: Averages::new(),
            recent_rtt: None,
        }
    }

    /// Payload that has reached the receiver, in bytes.
    pub fn payload_arrived(&self) -> u64 {
        u64::from(self.arrived) * u64::from(self.segment)
    }

    /// True if the flow sends, or could send.
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// Payload of a packet, in bytes.
    pub fn segment(&self) -> u32 {
        self.segment
    }

    /// Sends at the rate of `connections` from the next report on.
    pub fn emulate(&mut self, connections: f64) {
        self.sender.emulate(connections);
    }

    /// The sending end.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Packets not yet covered by a report.
    pub fn flight(&self) -> u32 {
        self.next - self.acknowledged
    }

    /// Counters; loss events count as recoveries.
    pub fn counts(&self) -> Counts {
        Counts { recoveries: self.receiver.events, ..self.counts }
    }

    /// Reports the internal state of both ends.
    pub fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        sink("rate_bps", self.sender.rate() * 8.0);
        sink("loss_event_rate", self.sender.loss());
        sink("rtt_s", self.sender.rtt().as_secs());
    }

    /// Opens the connection.
    pub fn start(&mut self, net: &mut Net) {
        self.state = State::Opening;
        self.open(net);
    }

    fn open(&mut self, net: &mut Net) {
        self.tries += 1;
        let packet = Packet::new(Kind::Syn, net.now, self.index, self.forward, self.headers.data().max(1));
        net.send(packet, false);
        self.silence.set(net.now + OPEN_TIMEOUT * (1 << (self.tries - 1).min(6)));
        self.watch(net, FlowTimer::Retransmit);
    }

    /// Stops sending.
    pub fn stop(&mut self, net: &mut Net) {
        self.state = State::Done;
        self.silence.cancel();
        self.pace.cancel();
        self.averages.end(net.now);
    }

    /// Sends again after [`Self::stop`], over a new connection that continues the packet numbers.
    pub fn reopen(&mut self, net: &mut Net) {
        let connections = self.sender.connections();
        self.sender = Sender::new(f64::from(self.segment), self.options);
        self.sender.emulate(connections);
        self.receiver.renew(self.next, self.options);
        self.report.cancel();
        (self.tries, self.acknowledged) = (0, self.next);
        self.start(net);
    }

    /// Handles a packet at the end of its route.
    // Most flows are TCP flows: this function and the timers must not slow them down.
    #[inline(never)]
    pub fn on_packet(&mut self, net: &mut Net, packet: &Packet) {
        match packet.kind {
            Kind::Data => self.on_data(net, packet),
            Kind::Ack => self.on_feedback(net, packet),
            Kind::Syn => {
                let size = self.headers.data().max(1);
                let answer = Packet::new(Kind::SynAck, net.now, self.index, self.backward, size);
                net.send(Packet { stamp: packet.stamp, ..answer }, false);
            }
            Kind::SynAck => self.establish(net, packet),
            _ => debug_assert!(false, "no packet of a TFRC flow"),
        }
    }

    fn establish(&mut self, net: &mut Net, packet: &Packet) {
        if self.state != State::Opening {
            return;
        }
        self.state = State::Open;
        // The timestamp tells which of the opening packets is answered.
        let sample = Duration::from_nanos((net.now.as_nanos() - packet.stamp).max(1));
        self.sender.establish(net.now, sample);
        self.averages.begin(net.now, Packets::new(self.sender.window()));
        self.averages.sample(sample);
        self.wait_for_feedback(net);
        self.send(net);
    }

    fn send(&mut self, net: &mut Net) {
        let rtt = (self.sender.told_rtt().as_nanos() / 1000).min(u64::from(u32::MAX)) as u32;
        let packet = Packet {
            number: self.next,
            sack: [(rtt, 0), (0, 0), (0, 0)],
            ..Packet::new(Kind::Data, net.now, self.index, self.forward, self.headers.data() + self.segment)
        };
        net.send(packet, false);
        self.next += 1;
        self.counts.sent += 1;
        self.sent_at = net.now;
        self.wait_for_pace(net);
    }

    /// §4.6: the next packet leaves s/X_inst after the last, with the current X_inst.
    fn wait_for_pace(&mut self, net: &mut Net) {
        self.pace.set((self.sent_at + self.sender.gap()).max(net.now));
        self.watch(net, FlowTimer::Pace);
    }

    fn wait_for_feedback(&mut self, net: &mut Net) {
        self.silence.set(net.now + self.sender.timeout());
        self.watch(net, FlowTimer::Retransmit);
    }

    fn on_data(&mut self, net: &mut Net, packet: &Packet) {
        self.arrived += 1;
        let rtt = Duration::from_micros(u64::from(packet.sack[0].0));
        let is_urgent = self.receiver.receive(net.now, packet.number, packet.stamp, rtt);
        if is_urgent || !self.report.is_set() {
            self.feed_back(net);
        }
    }

    fn feed_back(&mut self, net: &mut Net) {
        let Some((feedback, next)) = self.receiver.report(net.now) else { return };
        net.send(
            write(&feedback, Packet::new(Kind::Ack, net.now, self.index, self.backward, self.headers.data().max(1))),
            false,
        );
        self.report.set(next);
        self.watch(net, FlowTimer::DelayedAck);
    }

    fn on_feedback(&mut self, net: &mut Net, packet: &Packet) {
        let feedback = read(packet);
        if self.state != State::Open || feedback.end <= self.acknowledged {
            // A late packet, or one of the previous connection.
            return;
        }
        self.acknowledged = feedback.end;
        let rtt = self.sender.on_feedback(net.now, &feedback);
        self.averages.sample(rtt);
        self.recent_rtt = Some(self.recent_rtt.map_or(rtt, |least| least.min(rtt)));
        self.averages.advance(net.now, Packets::new(self.sender.window()));
        self.wait_for_feedback(net);
        self.wait_for_pace(net);
    }

    fn watch(&mut self, net: &mut Net, which: FlowTimer) {
        let timer = match which {
            FlowTimer::DelayedAck => &mut self.report,
            FlowTimer::Pace => &mut self.pace,
            _ => &mut self.silence,
        };
        if let Some(time) = timer.unwatched() {
            net.schedule(time, Wake::Flow(which), self.index);
        }
    }

    /// Handles the expiry of a timer of the flow.
    #[inline(never)]
    pub fn wake(&mut self, net: &mut Net, which: FlowTimer) {
        let timer = match which {
            FlowTimer::DelayedAck => &mut self.report,
            FlowTimer::Retransmit => &mut self.silence,
            FlowTimer::Pace => &mut self.pace,
            FlowTimer::Open => return self.start(net),
            FlowTimer::Close => return self.stop(net),
            FlowTimer::Request | FlowTimer::Complete | FlowTimer::Read | FlowTimer::Write => return,
        };
        match timer.ring(net.now) {
            Ring::Nothing => {}
            Ring::Later(time) => net.schedule(time, Wake::Flow(which), self.index),
            Ring::Expired => match (which, self.state) {
                (FlowTimer::DelayedAck, _) => self.feed_back(net),
                (FlowTimer::Retransmit, State::Opening) => self.open(net),
                (FlowTimer::Retransmit, State::Open) => {
                    self.sender.on_timeout(net.now);
                    self.counts.timeouts += 1;
                    self.averages.advance(net.now, Packets::new(self.sender.window()));
                    self.wait_for_feedback(net);
                    self.wait_for_pace(net);
                }
                (FlowTimer::Pace, State::Open) => self.send(net),
                _ => {}
            },
        }
    }
}

/// Writes this feedback into a packet.
fn write(feedback: &Feedback, packet: Packet) -> Packet {
    let halves = |value: f64| -> Range { ((value.to_bits() >> 32) as u32, value.to_bits() as u32) };
    let delay = (feedback.delay.as_nanos() / 1000).min(u64::from(u32::MAX)) as u32;
    let sack = [(delay, 0), halves(feedback.rate), halves(feedback.loss)];
    Packet { stamp: feedback.stamp, number: feedback.end, sack, ..packet }
}

fn read(packet: &Packet) -> Feedback {
    let whole = |(high, low): Range| f64::from_bits(u64::from(high) << 32 | u64::from(low));
    let [(delay, _), rate, loss] = packet.sack;
    let delay = Duration::from_micros(u64::from(delay));
    Feedback { stamp: packet.stamp, delay, end: packet.number, rate: whole(rate), loss: whole(loss) }
}
