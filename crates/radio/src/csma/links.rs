//! Ideal CSMA at run time: links wait, become active, and block their neighbours.

use super::config::{Aggression, CsmaConfig, Holding};
use crate::Hooks;
use crate::forward::Forward;
use crate::interface::{Medium, Out};
use crate::wifi::Served;
use windward_elements::backpressure::Queues;
use windward_elements::engine::{Purpose, Stream};
use windward_elements::packet::{NodeId, Packet};
use windward_elements::queue::{Queue, Tail, Waiting};
use windward_elements::status::{Cause, Counts, Line, Sight};
use windward_tables::{Frames, Histogram, table};
use windward_units::{Duration, Time};

table! {
    /// Links under ideal CSMA: the columns that other links lack.
    pub struct CsmaLinkStats: "csma_links", Totals, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Times at which the link became active.
        activations: u64 [""],
        /// Mean duration of an activity.
        mean_holding_us: f64 ["µs"],
    }
}

#[derive(Debug)]
pub(super) struct Link {
    queue: Tail,
    /// Waiting-time statistics of the queue.
    line: Line,
    /// Packet in transmission, and its commodity where stations forward by backpressure.
    head: Option<(Waiting, Option<u32>)>,
    /// True if its transmission began before the counters did: its loss does not count.
    is_past: bool,
    /// Number of active neighbours.
    blocked: u32,
    /// Next activation or end of activity; [`Time::NEVER`] while the link is blocked or has no packet.
    acts_at: Time,
    served: Served,
    /// Rate of the link alone, in bits a second of 1500-byte packets.
    rate: f64,
    stream: Stream,
    counts: Counts,
    /// Number of activations.
    activations: u64,
}

impl Link {
    pub(super) fn is_active(&self) -> bool {
        self.head.is_some()
    }

    /// Packets in the queue and in transmission.
    fn backlog(&self) -> usize {
        self.queue.packets() + usize::from(self.is_active())
    }
}

/// Links under ideal CSMA.
#[derive(Debug)]
pub struct Csma {
    config: CsmaConfig,
    pub(super) links: Vec<Link>,
    /// Queues of stations that forward by backpressure.
    forward: Option<Box<Forward>>,
}

impl Csma {
    /// Creates the links of `config` in the run of `seed`.
    pub fn new(config: &CsmaConfig, _: &Hooks, seed: u64) -> Self {
        let link = |local: u32| {
            let way = &config.network.ways[local as usize];
            let [from, to] = [way.from, way.to].map(|station| config.network.stations[station as usize].key);
            Link {
                queue: Tail::new(config.buffer(local)),
                line: Line::default(),
                head: None,
                is_past: false,
                blocked: 0,
                acts_at: Time::NEVER,
                served: Served::new(1.0 / config.network.exchange(local, 1500).as_secs()),
                rate: config.mean_rate(local),
                stream: Stream::new(seed, from ^ to.rotate_left(1), Purpose::Backoff),
                counts: Counts::default(),
                activations: 0,
            }
        };
        Self {
            links: (0..config.members() as u32).map(link).collect(),
            forward: config.weight.map(|weight| Box::new(Forward::new(weight, &config.network, seed))),
            config: config.clone(),
        }
    }

    /// 1/b_l for the packet in transmission, or the next one.
    fn holding(&self, local: u32) -> Duration {
        let link = &self.links[local as usize];
        let size =
            link.head.as_ref().map(|(head, _)| head).or(link.queue.head()).map_or(1500, |waiting| waiting.packet.size);
        self.config.network.exchange(local, u64::from(size))
    }

    fn rho(&self, local: u32, alone: f64, demand: f64) -> f64 {
        let link = &self.links[local as usize];
        match self.config.aggression {
            Aggression::Fixed(rho) => rho,
            Aggression::QueueLength { scale, cap } => (scale * alone * demand).min(cap),
            Aggression::QueueingDelay { scale, cap } => (scale * alone * demand / link.served.rate()).min(cap),
        }
    }

    /// Backlog of a link in packets, or its equivalent under backpressure.
    fn demand(&mut self, local: u32) -> f64 {
        let link = &self.links[local as usize];
        match &mut self.forward {
            None => link.queue.packets() as f64,
            Some(forward) => {
                let loss = self.config.network.ways[local as usize].loss;
                forward.pick(local).map_or(0.0, |pick| pick.difference * (1.0 - loss))
            }
        }
    }

    /// Draws the next activation of a link: exponential with mean 1/a_l if it is unblocked and has a packet, otherwise
    /// never.
    fn draw(&mut self, now: Time, local: u32, out: &mut impl Out) {
        let link = &self.links[local as usize];
        let is_free = !link.is_active() && link.blocked == 0;
        let demand = if is_free { self.demand(local) } else { 0.0 };
        let may = demand > 0.0;
        let acts_at = if may {
            let holding = self.holding(local);
            let rho = self.rho(local, 1.0 / holding.as_secs(), demand);
            // A clock of varying rate: the rest is redrawn at each change, as exponential times are memoryless.
            let wait = self.links[local as usize].stream.exponential() * libm::exp(-rho);
            now + holding.scale(wait)
        } else {
            Time::NEVER
        };
        self.links[local as usize].acts_at = acts_at;
        if may {
            out.wake_at(acts_at, local);
        }
    }

    /// Redraws the activations of all links around the sender of `local`: its queues, and so their weights, have
    /// changed.
    fn draw_around(&mut self, now: Time, local: u32, out: &mut impl Out) {
        let Some(forward) = &self.forward else { return };
        for link in forward.around(forward.sender(local)) {
            if link != local && !self.links[link as usize].is_active() {
                self.draw(now, link, out);
            }
        }
    }

    fn activate(&mut self, now: Time, local: u32, out: &mut impl Out) {
        let head = self.take(now, local);
        let size = head.as_ref().map_or(1500, |(head, _)| head.packet.size);
        let mut holding = self.config.network.exchange(local, u64::from(size));
        let link = &mut self.links[local as usize];
        if self.config.holding == Holding::Exponential {
            holding = link.stream.exponential_span(holding);
        }
        let Some((head, commodity)) = head else { return };
        link.counts.packets += 1;
        link.counts.bytes += u64::from(head.packet.size);
        link.line.leave(head.since, now);
        link.counts.busy += holding.as_nanos();
        link.activations += 1;
        link.head = Some((head, commodity));
        link.is_past = false;
        link.acts_at = now + holding;
        out.wake_at(link.acts_at, local);
        for at in 0..self.config.conflicts[local as usize].len() {
            let other = self.config.conflicts[local as usize][at];
            let link = &mut self.links[other as usize];
            debug_assert!(!link.is_active(), "links in conflict are not active together");
            link.blocked += 1;
            link.acts_at = Time::NEVER;
        }
    }

    /// Takes the next packet of a link.
    fn take(&mut self, now: Time, local: u32) -> Option<(Waiting, Option<u32>)> {
        let link = &mut self.links[local as usize];
        let Some(forward) = &mut self.forward else {
            return link.queue.leave().map(|head| (head, None));
        };
        let pick = forward.pick(local)?;
        let packet = forward.queues.take(forward.sender(local), pick.commodity)?;
        link.line.join(now);
        Some((Waiting { since: now, packet }, Some(pick.commodity)))
    }

    fn release(&mut self, now: Time, local: u32, out: &mut impl Out) {
        let alone = 1.0 / self.holding(local).as_secs();
        let loss = self.config.network.ways[local as usize].loss;
        let Self { links, forward, .. } = self;
        let link = &mut links[local as usize];
        if let Some((head, commodity)) = link.head.take() {
            let is_lost = loss > 0.0 && link.stream.chance(loss);
            link.served.serve(now, alone);
            out.complete(now, &head.packet);
            match (forward, commodity) {
                (Some(forward), Some(commodity)) if is_lost => {
                    forward.queues.put_back(forward.sender(local), commodity, head.packet);
                }
                _ if is_lost => {
                    link.counts.lost += u64::from(!link.is_past);
                    out.lose(head.packet, Cause::Sent);
                }
                (forward, commodity) => {
                    if let (Some(forward), Some(commodity)) = (forward, commodity) {
                        forward.queues.leave(now, local, commodity);
                    }
                    out.arrive_at(now, local, head.packet);
                }
            }
        }
        self.draw(now, local, out);
        self.draw_around(now, local, out);
        for at in 0..self.config.conflicts[local as usize].len() {
            let other = self.config.conflicts[local as usize][at];
            self.links[other as usize].blocked -= 1;
            self.draw(now, other, out);
        }
    }
}

impl Medium for Csma {
    fn begin(&mut self, _: &mut impl Out) {}

    fn offer(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out) {
        if let Some(forward) = &self.forward {
            // Stations choose the route: a packet offered to this link may leave by another.
            let station = forward.sender(local);
            return self.carry(now, station, packet, out);
        }
        let link = &mut self.links[local as usize];
        if !link.queue.offer(now, packet, Duration::ZERO, |_| ()) {
            link.counts.dropped += 1;
            out.complete(now, &packet);
            return out.lose(packet, Cause::Queue);
        }
        link.line.join(now);
        let backlog = link.backlog();
        let has_new_rate = backlog == 1 || !matches!(self.config.aggression, Aggression::Fixed(_));
        if has_new_rate && !link.is_active() {
            self.draw(now, local, out);
        }
    }

    fn carry(&mut self, now: Time, station: u32, packet: Packet, out: &mut impl Out) {
        let Some(forward) = &mut self.forward else { return out.lose(packet, Cause::NoRoute) };
        match forward.push(now, station, packet) {
            Ok(None) => {}
            Ok(Some(dropped)) => out.lose(dropped, Cause::Queue),
            Err(packet) => return out.lose(packet, Cause::NoRoute),
        }
        for link in forward.around(station) {
            if !self.links[link as usize].is_active() {
                self.draw(now, link, out);
            }
        }
    }

    fn held(&self) -> u64 {
        self.forward.as_ref().map_or(0, |forward| forward.queues.waiting())
    }

    fn queues(&self) -> Option<(&Queues, Time)> {
        self.forward.as_ref().map(|forward| (&forward.queues, forward.since))
    }

    fn wake(&mut self, now: Time, timer: u32, out: &mut impl Out) {
        let link = &self.links[timer as usize];
        // The clock was stopped or redrawn.
        if link.acts_at != now {
            return;
        }
        if link.is_active() { self.release(now, timer, out) } else { self.activate(now, timer, out) }
    }

    fn see(&mut self, _: Time, local: u32) -> Sight {
        let link = &self.links[local as usize];
        let backlog = link.backlog();
        let queue_delay = Duration::from_secs(backlog as f64 / link.served.rate());
        Sight { backlog, queue_delay, rate: link.rate }
    }

    fn counts(&self, now: Time, local: u32) -> Counts {
        let link = &self.links[local as usize];
        link.line.show(now, link.counts)
    }

    fn reset_counts(&mut self, now: Time) {
        self.links.iter_mut().for_each(|link| {
            link.counts = Counts::default();
            link.is_past = link.head.is_some();
            link.line.reset(now);
            link.activations = 0;
        });
        if let Some(forward) = &mut self.forward {
            forward.since = now;
            forward.queues.reset(now);
        }
    }

    fn all_waits(&mut self, _: Time, local: u32) -> Option<Histogram> {
        let link = &mut self.links[local as usize];
        Some(link.line.all_waits(link.counts.packets))
    }

    fn report(&self, _: Time, members: &[u32], _: &[NodeId], tables: &mut Frames) {
        let rows = members.iter().zip(&self.links).map(|(&port, link)| CsmaLinkStats {
            link: port,
            activations: link.activations,
            mean_holding_us: link.counts.busy as f64 / 1e3 / link.activations as f64,
        });
        tables.add(&rows.collect::<Vec<_>>());
    }
}
