//! Background sources: unacknowledged datagrams.

use super::share;
use crate::backpressure::Class;
use crate::ecn::Ecn;
use crate::engine::{Purpose, Stream, Wake};
use crate::link::Transmitter;
use crate::net::Net;
use crate::network::{Pattern, SourceConfig, Spread};
use crate::packet::{Kind, Packet};
use windward_units::{BitRate, Duration, Time};

/// Counters of a source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Datagrams sent.
    pub sent: u64,
    /// Datagrams that arrived.
    pub received: u64,
    /// Datagrams that arrived with a mark.
    pub marked: u64,
    /// Sum of the delays of arrived datagrams, in seconds.
    pub delay: f64,
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
    /// All backlog-controlled sources of its node, itself first: M, source, and start of the route. Empty for other
    /// sources.
    peers: Vec<Peer>,
    /// (M, U) of these sources.
    backlogs: Vec<(f64, f64)>,
    /// Datagrams that may be sent now, with a fractional part left over.
    credit: f64,
    /// Counters since the last reset.
    pub counts: Counts,
}

impl Source {
    /// Source `index` of `config`; its packets carry the source number `id`, and its route starts at `hop`.
    pub fn new(index: u32, id: u32, config: &SourceConfig, hop: u32, seed: u64) -> Self {
        Self {
            id,
            index,
            hop,
            size: config.packet.count() as u32,
            ecn: Ecn::new(config.ecn),
            pattern: config.pattern,
            clock: Transmitter::new(config.pattern.rate().as_bits_per_sec()),
            stop: config.stop.unwrap_or(Time::NEVER),
            on_until: Time::ZERO,
            stream: Stream::new(seed, config.key, Purpose::Pattern),
            peers: Vec::new(),
            backlogs: Vec::new(),
            credit: 0.0,
            counts: Counts::default(),
        }
    }

    /// Time of the first datagram.
    pub fn first(&mut self, start: Time) -> Time {
        match self.pattern {
            Pattern::Cbr { .. } | Pattern::Backlog { .. } => start,
            Pattern::Poisson { rate } => start + self.stream.exponential_span(spacing(self.size, rate)),
            Pattern::OnOff { .. } => self.next_period(start, Duration::ZERO),
        }
    }

    /// Sends a datagram and schedules the next.
    pub fn fire(&mut self, net: &mut Net) {
        let now = net.now;
        if now >= self.stop {
            return;
        }
        if let Pattern::Backlog { slot, limit, .. } = self.pattern {
            return self.fill(net, slot, limit);
        }
        self.counts.sent += 1;
        net.send(self.datagram(now), false);
        let next = match self.pattern {
            Pattern::Cbr { .. } => now + self.clock.transmit(self.size),
            Pattern::Poisson { rate } => now + self.stream.exponential_span(spacing(self.size, rate)),
            Pattern::Backlog { .. } => return,
            Pattern::OnOff { .. } => {
                let next = now + self.clock.transmit(self.size);
                if next < self.on_until { next } else { self.next_period(self.on_until, next.since(self.on_until)) }
            }
        };
        net.schedule(next, Wake::Source, self.index);
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

    /// Handles the arrival of a datagram.
    pub fn receive(&mut self, now: Time, packet: &Packet) {
        self.counts.received += 1;
        self.counts.marked += u64::from(packet.ecn.is_marked());
        self.counts.delay += Duration::from_nanos(now.as_nanos() - packet.stamp).as_secs();
    }

    /// Size of a datagram in bytes.
    pub fn size(&self) -> u32 {
        self.size
    }
}

/// Interval between packets of `size` bytes at `rate`.
fn spacing(size: u32, rate: BitRate) -> Duration {
    Duration::from_secs(f64::from(size) * 8.0 / rate.as_bits_per_sec() as f64)
}
