//! Background sources: unacknowledged datagrams.

use super::rtp::{Place, RtpStream};
use super::share;
use crate::net::Net;
use crate::network::{LEAST_SPACING, Pattern, SourceConfig, Spread};
use windward_elements::backpressure::Class;
use windward_elements::ecn::Ecn;
use windward_elements::engine::{Purpose, RtpTimer, Stream, Wake};
use windward_elements::link::Transmitter;
use windward_elements::packet::{Kind, Packet};
use windward_elements::status::Cause;
use windward_tables::Histogram;
use windward_traffic::emodel::CallConfig;
use windward_units::{BitRate, Duration, Time};

/// Delays above which arrived datagrams are counted apart.
pub const LATE: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(100)];

/// Number of a message that carries the sum of queue lengths, in the place of SACK blocks.
const LENGTHS: u32 = 3;

/// Number of a datagram that replies.
const REPLY: u32 = 1;

/// Number of a datagram of a game's server that carries the delay of a client's datagram, in the place of SACK blocks.
const CARRIES: u32 = 2;

/// Counters of a source.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Datagrams sent.
    pub sent: u64,
    /// Datagrams among them that arrived; of a source with replies, the replies. All other counters but the bytes and
    /// the gaps are of these.
    pub received: u64,
    /// Bytes on the wire of all arrivals, also of datagrams sent before the counters began.
    pub received_bytes: u64,
    /// Datagrams that arrived with a mark.
    pub marked: u64,
    /// Sum of the delays of arrived datagrams, in seconds.
    pub delay: f64,
    /// These delays.
    pub delays: Histogram,
    /// The least of them; `None` without arrivals.
    pub least_delay: Option<Duration>,
    /// Datagrams that were delayed for longer than each time of [`LATE`].
    pub late: [u64; 2],
    /// Time of the last arrival.
    last: Option<Time>,
    /// Longest time between two arrivals.
    pub longest_gap: Duration,
    /// Round trips of a game, counted by its server's source: the delay of a client's datagram and that of the
    /// server's next one.
    pub round_trips: Histogram,
    /// Sum of these round trips, in seconds.
    pub round_trip: f64,
}

impl Counts {
    /// Counters at the start of the statistics; the first arrival ends no gap.
    pub fn reset(&mut self) {
        self.delays.clear();
        self.round_trips.clear();
        let [delays, round_trips] = [&mut self.delays, &mut self.round_trips].map(std::mem::take);
        *self = Self { delays, round_trips, ..Self::default() };
    }
}

/// Round trips of probes since they were last taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct Probed {
    /// Sum in seconds.
    sum: f64,
    count: u32,
    /// Hops across deciding nodes there and back of the last probe that returned.
    hops: Option<u32>,
    /// True if a probe took another number of hops than the one before it.
    is_new_path: bool,
}

impl Probed {
    /// Adds the round trip of a probe. One over a new path begins anew.
    fn add(&mut self, trip: Duration, hops: u32) {
        if self.hops.replace(hops).is_some_and(|before| before != hops) {
            (self.sum, self.count, self.is_new_path) = (0.0, 0, true);
        }
        self.sum += trip.as_secs();
        self.count += 1;
    }

    /// Mean round trip in seconds, if any probe returned.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }

    /// True if the number of hops has changed.
    pub fn is_new_path(&self) -> bool {
        self.is_new_path
    }
}

/// A backlog-controlled source.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    m: f64,
    id: u32,
    hop: u32,
}

/// Makes the backlog-controlled sources of each node known to each other.
pub fn introduce(sources: &mut [Source], configs: &[SourceConfig]) {
    let peer = |source: &Source| match source.pattern {
        Pattern::Backlog { m, .. } => Some(Peer { m, id: source.id, hop: source.hop }),
        _ => None,
    };
    let known: Vec<_> = sources.iter().zip(configs).map(|(source, config)| (config.source, peer(source))).collect();
    for (at, source) in sources.iter_mut().enumerate() {
        let (node, Some(own)) = known[at] else { continue };
        let others = known.iter().enumerate().filter(|(other, (place, _))| *other != at && *place == node);
        source.peers = std::iter::once(own).chain(others.filter_map(|(_, (_, peer))| *peer)).collect();
        source.backlogs.reserve(source.peers.len());
    }
}

/// Makes the source of each game's server, which follows that of its client, the one that answers.
pub fn pair_games(sources: &mut [Source], configs: &[SourceConfig]) {
    for (at, pair) in configs.windows(2).enumerate() {
        let [up, down] = pair else { continue };
        let is_pair = (up.pattern, down.pattern) == (Pattern::GAME_UP, Pattern::GAME_DOWN);
        if is_pair && (up.source, up.sink) == (down.sink, down.source) {
            sources[at].informs = Some(at as u32 + 1);
        }
    }
}

/// Makes the receiver of each message of queue lengths: the source before it in the list.
pub fn chain_messages(sources: &mut [Source]) {
    for (at, source) in sources.iter_mut().enumerate() {
        if matches!(source.pattern, Pattern::Lengths { .. }) {
            source.informs = (at as u32).checked_sub(1);
        }
    }
}

/// A source, and the counters of its far end.
#[derive(Debug)]
pub struct Source {
    id: u32,
    index: u32,
    hop: u32,
    size: u32,
    ecn: Ecn,
    pattern: Pattern,
    clock: Transmitter,
    stop: Time,
    /// End of the current on period.
    on_until: Time,
    stream: Stream,
    /// Sizes of the datagrams of a game, and of the frames of a video.
    sizes: Stream,
    /// Start of the current span of a periodic source.
    span: Time,
    /// Start of the route of the replies.
    reply_hop: Option<u32>,
    /// All backlog-controlled sources of its node, itself first: M, source, and start of the route. Empty for other
    /// sources.
    peers: Vec<Peer>,
    /// (M, U) of these sources.
    backlogs: Vec<(f64, f64)>,
    /// Datagrams that may be sent now, with a fractional part left over.
    credit: f64,
    /// Speech that the datagrams carry.
    pub call: Option<CallConfig>,
    /// Video that the datagrams carry.
    pub video: Option<Box<RtpStream>>,
    /// Source that learns of arrivals: that of the server for a game's client, and the receiver of messages.
    pub informs: Option<u32>,
    /// Sum of the queue lengths behind the node, as the last message had it.
    told: u32,
    /// Delay of the client's last datagram, for a game's server, if it has not been told yet.
    carried: Option<Duration>,
    /// Probes per second, for the probes of a transfer.
    pace: f64,
    /// True if the next wake of such a source only draws the gap again.
    is_look: bool,
    /// Round trips of these probes; `None` for other patterns.
    probed: Option<Probed>,
    /// Counters since the last reset, and its time.
    pub counts: Counts,
    since: Time,
}

impl Source {
    /// Source `index` of `config`; its packets carry the source number `id`, and its routes start at `hop` and
    /// `reply_hop`.
    pub fn new(index: u32, id: u32, config: &SourceConfig, (hop, reply_hop): (u32, Option<u32>), seed: u64) -> Self {
        let (ecn, stop) = (Ecn::new(config.ecn), config.stop.unwrap_or(Time::NEVER));
        let video = match &config.pattern {
            Pattern::Rtp(video) => {
                let place = Place { index, id, hop, report_hop: reply_hop.unwrap_or(hop), ecn, stop };
                Some(Box::new(RtpStream::new(video, place)))
            }
            _ => None,
        };
        Self {
            id,
            index,
            hop,
            size: config.packet.count() as u32,
            ecn,
            pattern: config.pattern,
            // Patterns without a rate do not use it.
            clock: Transmitter::new(config.pattern.rate().map_or(1, BitRate::as_bits_per_sec)),
            stop,
            on_until: Time::ZERO,
            stream: Stream::new(seed, config.key, Purpose::Pattern),
            sizes: Stream::new(seed, config.key, Purpose::Size),
            span: Time::ZERO,
            reply_hop: reply_hop.filter(|_| video.is_none()),
            peers: Vec::new(),
            backlogs: Vec::new(),
            credit: 0.0,
            call: config.call,
            video,
            informs: None,
            told: 0,
            carried: None,
            pace: 0.0,
            is_look: false,
            probed: (config.pattern == Pattern::Probes).then(Probed::default),
            counts: Counts::default(),
            since: Time::ZERO,
        }
    }

    /// Time of the first datagram.
    pub fn first(&mut self, start: Time) -> Time {
        match self.pattern {
            Pattern::Cbr { .. }
            | Pattern::Backlog { .. }
            | Pattern::MessagePassing { .. }
            | Pattern::Lengths { every: Some(_), .. }
            | Pattern::Saturated { .. }
            | Pattern::Probes
            | Pattern::Rtp(_) => start,
            Pattern::Lengths { every: None, .. } => Time::NEVER,
            Pattern::Poisson { rate } => start + self.stream.exponential_span(spacing(self.size, rate)),
            Pattern::OnOff { .. } => self.next_period(start, Duration::ZERO),
            Pattern::Periodic { jitter, .. } => {
                self.span = start;
                start + jitter.scale(self.stream.uniform())
            }
            Pattern::Game { .. } => start + self.gap(),
        }
    }

    /// Time to the next datagram of a game.
    fn gap(&mut self) -> Duration {
        let Pattern::Game { gap, .. } = self.pattern else { return Duration::ZERO };
        Duration::from_secs(gap.quantile(self.stream.uniform()).max(0.0) / 1e3).max(Pattern::LEAST_GAP)
    }

    /// Sends a datagram and schedules the next.
    pub fn fire(&mut self, net: &mut Net) {
        let now = net.now;
        if now >= self.stop {
            return;
        }
        match self.pattern {
            Pattern::Backlog { slot, limit, .. } => return self.fill(net, slot, limit),
            Pattern::MessagePassing { weight, slot, limit } => return self.follow(net, weight, slot, limit),
            Pattern::Lengths { port, every } => {
                self.tell(net, port);
                return every.into_iter().for_each(|every| net.schedule(net.now + every, Wake::Source, self.index));
            }
            Pattern::Saturated { backlog } => return self.saturate(net, backlog),
            Pattern::Probes => return self.probe(net),
            _ => {}
        }
        if let Some(video) = &mut self.video {
            self.counts.sent += video.encode(net, &mut self.sizes);
            return;
        }
        if let Pattern::Game { payload, .. } = self.pattern {
            let payload = libm::round(payload.quantile(self.sizes.uniform())).max(0.0);
            self.size = (payload as u64 + Pattern::HEADERS) as u32;
        }
        self.counts.sent += 1;
        let mut datagram = self.datagram(now);
        if let Some(delay) = self.carried.take() {
            let nanos = delay.as_nanos();
            (datagram.number, datagram.sack[0]) = (CARRIES, ((nanos >> 32) as u32, nanos as u32));
        }
        net.send(datagram, false);
        let next = match self.pattern {
            Pattern::Cbr { .. } => now + self.clock.transmit(self.size),
            Pattern::Poisson { rate } => now + self.stream.exponential_span(spacing(self.size, rate)),
            Pattern::Backlog { .. }
            | Pattern::MessagePassing { .. }
            | Pattern::Lengths { .. }
            | Pattern::Saturated { .. }
            | Pattern::Probes
            | Pattern::Rtp(_) => return,
            Pattern::Periodic { every, jitter } => {
                self.span += every;
                self.span + jitter.scale(self.stream.uniform())
            }
            Pattern::Game { .. } => now + self.gap(),
            Pattern::OnOff { .. } => {
                let next = now + self.clock.transmit(self.size);
                if next < self.on_until { next } else { self.next_period(self.on_until, next.since(self.on_until)) }
            }
        };
        net.schedule(next, Wake::Source, self.index);
    }

    /// Handles a timer of the video.
    pub fn wake(&mut self, net: &mut Net, which: RtpTimer) {
        if let Some(video) = &mut self.video {
            self.counts.sent += video.wake(net, which);
        }
    }

    /// Handles a report on the video.
    pub fn hear(&mut self, net: &mut Net, packet: &Packet) {
        if let Some(video) = &mut self.video {
            self.counts.sent += video.hear(net, packet);
        }
    }

    /// True if it is the server of a game.
    pub fn is_game_server(&self) -> bool {
        self.pattern == Pattern::GAME_DOWN
    }

    /// Starts the counters at the start of the statistics.
    pub fn reset(&mut self, now: Time) {
        self.counts.reset();
        self.since = now;
        if let Some(video) = &mut self.video {
            video.reset();
        }
    }

    fn datagram(&self, now: Time) -> Packet {
        Packet { ecn: self.ecn, ..Packet::new(Kind::Datagram, now, self.id, self.hop, self.size) }
    }

    /// Starts a slot: sends the datagrams that (5) allows.
    fn fill(&mut self, net: &mut Net, slot: Duration, limit: BitRate) {
        self.backlogs.clear();
        let backlog = |peer: &Peer| (peer.m, f64::from(net.queued(peer.hop, Class::Datagrams, peer.id)));
        self.backlogs.extend(self.peers.iter().map(backlog));
        let most = limit.as_bits_per_sec() as f64 * slot.as_secs() / (8.0 * f64::from(self.size));
        let Some(&own) = self.backlogs.first() else { return };
        self.credit += share::rate(own, &self.backlogs, most);
        while self.credit >= 1.0 {
            self.credit -= 1.0;
            self.counts.sent += 1;
            net.send(self.datagram(net.now), false);
        }
        net.schedule(net.now + slot, Wake::Source, self.index);
    }

    /// Starts a slot: sends the datagrams of `weight`/ΣQ.
    fn follow(&mut self, net: &mut Net, weight: f64, slot: Duration, limit: BitRate) {
        let queued = net.waiting_at_source(self.hop) as f64 + f64::from(self.told);
        let most = limit.as_bits_per_sec() as f64 / (8.0 * f64::from(self.size));
        // An empty route has no price: the limit decides.
        let rate = if queued > 0.0 { (weight / queued).min(most) } else { most };
        self.credit += rate * slot.as_secs();
        while self.credit >= 1.0 {
            self.credit -= 1.0;
            self.counts.sent += 1;
            net.send(self.datagram(net.now), false);
        }
        net.schedule(net.now + slot, Wake::Source, self.index);
    }

    /// Sends the sum of the queue lengths from this node on to the node before it.
    fn tell(&mut self, net: &mut Net, port: u32) {
        let sum = self.told.saturating_add(u32::try_from(net.see(port).backlog).unwrap_or(u32::MAX));
        let mut message = self.datagram(net.now);
        (message.number, message.sack[0]) = (LENGTHS, (sum, 0));
        self.counts.sent += 1;
        net.send(message, false);
    }

    /// Sends a probe if the transfer sends, and schedules the next.
    fn probe(&mut self, net: &mut Net) {
        let is_sending = self.pace > 0.0;
        if is_sending && !self.is_look {
            self.counts.sent += 1;
            net.send(self.datagram(net.now), false);
        }
        let gap = if is_sending {
            self.stream.exponential_span(Duration::from_secs(1.0 / self.pace)).max(LEAST_SPACING)
        } else {
            Pattern::IDLE
        };
        // Exponential gaps have no memory. Without this the gap of a transfer that stalls, whose rate falls towards 0,
        // would outlast the run.
        self.is_look = gap > Pattern::LOOK;
        net.schedule(net.now + gap.min(Pattern::LOOK), Wake::Source, self.index);
    }

    /// Sets the number of probes per second; returns the round trips since the last call.
    pub fn set_pace(&mut self, pace: f64) -> Probed {
        self.pace = pace;
        let probed = self.probed.unwrap_or_default();
        self.probed = self.probed.map(|last| Probed { hops: last.hops, ..Probed::default() });
        probed
    }

    /// Fills the backlog at the first hop up to the first datagram that finds no room, and waits for a completion.
    fn saturate(&mut self, net: &mut Net, backlog: u32) {
        let dropped = net.balance.lost[Cause::Queue as usize];
        // An idle link is done with the first at once.
        for _ in 0..=backlog {
            if net.backlogs.amount(self.index) == u64::from(backlog)
                || net.balance.lost[Cause::Queue as usize] != dropped
            {
                break;
            }
            self.counts.sent += 1;
            net.backlogs.send(self.index, self.size);
            net.send(self.datagram(net.now), false);
        }
        if net.backlogs.amount(self.index) == 0 {
            return net.schedule(net.now + Pattern::RETRY, Wake::Source, self.index);
        }
        net.backlogs.wait(self.index);
    }

    /// Starts a silence at `from`, with `wait` of sending time left until the next datagram is due; returns its time of
    /// transmission. The remainder of a period carries over to the next one, so that the mean rate is exact.
    /// [`Pattern::OnOff`] bounds the number of periods per datagram.
    fn next_period(&mut self, mut from: Time, mut wait: Duration) -> Time {
        let Pattern::OnOff { on, off, on_spread, off_spread, .. } = self.pattern else {
            return Time::NEVER;
        };
        loop {
            let begin = from + self.draw(off, off_spread);
            let length = self.draw(on, on_spread);
            self.on_until = begin + length;
            if wait < length || self.on_until == Time::NEVER {
                return begin + wait;
            }
            wait = wait - length;
            from = self.on_until;
        }
    }

    fn draw(&mut self, mean: Duration, spread: Spread) -> Duration {
        match spread {
            Spread::Fixed => mean,
            Spread::Exponential => self.stream.exponential_span(mean),
            Spread::Pareto(shape) => mean.scale(self.stream.pareto(shape)),
        }
    }

    /// Notes the delay of a client's datagram that has reached the server of the game, or the queue lengths that a
    /// message has brought. A node within the route then sends its own message.
    pub fn note(&mut self, net: &mut Net, packet: &Packet) {
        if packet.number != LENGTHS {
            self.carried = Some(since_sent(net.now, packet));
            return;
        }
        self.told = packet.sack[0].0;
        if let Pattern::Lengths { port, .. } = self.pattern
            && net.now < self.stop
        {
            self.tell(net, port);
        }
    }

    /// Handles the arrival of a datagram at the sink, or of a reply at the source.
    pub fn receive(&mut self, net: &mut Net, packet: &Packet) {
        if let Some(hop) = self.reply_hop.filter(|_| packet.number != REPLY) {
            let reply = Packet::new(Kind::Datagram, net.now, self.id, hop, packet.size);
            let (stamp, sack) = (packet.stamp, packet.sack);
            return net.send(Packet { stamp, sack, number: REPLY, ecn: self.ecn, ..reply }, false);
        }
        if let Some(video) = &mut self.video {
            video.arrive(net, packet);
        }
        let delay = since_sent(net.now, packet);
        if let Some(probed) = &mut self.probed {
            probed.add(delay, packet.hops());
        }
        let counts = &mut self.counts;
        counts.received_bytes += u64::from(packet.size);
        if let Some(last) = counts.last.replace(net.now) {
            counts.longest_gap = counts.longest_gap.max(net.now.since(last));
        }
        // A datagram counts at both ends or at neither.
        if packet.stamp < self.since.as_nanos() {
            return;
        }
        if packet.number == CARRIES {
            let (high, low) = packet.sack[0];
            let trip = Duration::from_nanos(u64::from(high) << 32 | u64::from(low)) + delay;
            counts.round_trips.record(trip.as_nanos());
            counts.round_trip += trip.as_secs();
        }
        counts.received += 1;
        counts.marked += u64::from(packet.ecn.is_marked());
        counts.delay += delay.as_secs();
        counts.delays.record(delay.as_nanos());
        counts.least_delay = Some(counts.least_delay.map_or(delay, |least| least.min(delay)));
        for (late, most) in counts.late.iter_mut().zip(LATE) {
            *late += u64::from(delay > most);
        }
    }
}

/// Time since a datagram was sent.
fn since_sent(now: Time, packet: &Packet) -> Duration {
    Duration::from_nanos(now.as_nanos() - packet.stamp)
}

/// Interval between packets of `size` bytes at `rate`.
fn spacing(size: u32, rate: BitRate) -> Duration {
    Duration::from_secs(f64::from(size) * 8.0 / rate.as_bits_per_sec() as f64)
}
