//! Reports on ports, media and queues of nodes.

use super::{ACROSS, ARRIVED, Net, Shared, see};
use crate::output::{BacklogSeries, BacklogStats, Balance, ShareStats};
use crate::port::Port;
use windward_elements::backpressure::{Class, Name, Queues};
use windward_elements::node::Node;
use windward_elements::packet::NodeId;
use windward_elements::status::{Counts, Sight};
use windward_radio::{AnyMedium, Medium};
use windward_tables::{Frames, Histogram};
use windward_units::Time;

impl Net {
    /// Number of ports.
    pub fn port_count(&self) -> usize {
        self.ports.len()
    }

    /// Counters of a port since the last reset.
    pub fn counts(&mut self, port: u32) -> Counts {
        let at = &mut self.ports[port as usize];
        match at.counts(self.now) {
            Some(counts) => counts,
            None => self.of_share(port, |medium, local| medium.counts(self.now, local)).unwrap_or_default(),
        }
    }

    /// Queries the medium that a port shares.
    fn of_share<T>(&self, port: u32, ask: impl FnOnce(&AnyMedium, u32) -> T) -> Option<T> {
        match &self.ports[port as usize] {
            Port::Shared(share) => Some(ask(&self.media[share.medium as usize].medium, share.local)),
            _ => None,
        }
    }

    /// Starts the counters of ports and media from now; segments and datagrams count if they are sent from now on.
    pub fn reset_counts(&mut self) {
        self.losses.segments.fill(0);
        self.losses.datagrams.fill(0);
        self.losses.since = Some(self.now);
        self.ports.iter_mut().for_each(|port| port.reset_counts(self.now));
        self.media.iter_mut().for_each(|shared| shared.medium.reset_counts(self.now));
    }

    /// Packets waiting for the first link of the route that starts at `hop`; zero if a node chooses that link.
    pub fn waiting_at_source(&mut self, hop: u32) -> usize {
        let word = self.routes[hop as usize];
        if word & ACROSS == 0 { self.see(word).backlog } else { 0 }
    }

    /// Backlog, delay and rate of a port.
    pub fn see(&mut self, port: u32) -> Sight {
        see(self.now, &mut self.ports, &mut self.media, port)
    }

    /// Waits of a port's packets since the last reset; `None` if its medium does not know them.
    pub fn all_waits(&mut self, port: u32) -> Option<Histogram> {
        let Self { ports, media, now, .. } = self;
        match &mut ports[port as usize] {
            Port::Shared(share) => media[share.medium as usize].medium.all_waits(*now, share.local),
            own => own.all_waits(*now),
        }
    }

    /// Tables of media.
    pub fn media_tables(&self) -> Frames {
        let mut tables = Frames::default();
        for shared in &self.media {
            shared.medium.report(self.now, &shared.members, &shared.stations, &mut tables);
        }
        tables
    }

    /// Media with stations that forward by backpressure: queues, start of counting, nodes of the stations, ports of the
    /// members.
    fn backpressure(&self) -> impl Iterator<Item = (&Queues, Time, &[NodeId], &[u32])> {
        self.media.iter().filter_map(|shared| {
            let (queues, from) = shared.medium.queues()?;
            Some((queues, from, &shared.forwarding[..], &shared.members[..]))
        })
    }

    /// Statistics of such queues until now, and the traffic on each link.
    pub fn backlog_stats(&self) -> (Vec<BacklogStats>, Vec<ShareStats>) {
        let (mut queues, mut shares) = (Vec::new(), Vec::new());
        for (held, from, nodes, ports) in self.backpressure() {
            queues.extend(held.queues(from, self.now).map(|(station, name, books)| BacklogStats {
                node: nodes[station as usize],
                flow: name.flow,
                class: name.class as u32,
                arrived: books.arrived,
                dropped: books.dropped,
                mean_backlog: books.mean,
                mean_trapped: books.trapped,
                max_backlog: u64::from(books.longest),
                last_backlog: u64::from(books.last),
            }));
            let share = |(link, Name { class, flow, .. }, packets)| ShareStats {
                link: ports[link as usize],
                flow,
                class: class as u32,
                packets,
            };
            shares.extend(held.shares().map(share));
        }
        (queues, shares)
    }

    /// Packets of a source or flow that wait where its route starts at `hop`; 0 if the node does not forward by
    /// backpressure.
    pub fn queued(&self, hop: u32, class: Class, flow: u32) -> u32 {
        let (first, to) = (self.routes[hop as usize], self.routes.get(hop as usize + 1).copied().unwrap_or(ARRIVED));
        let node = (first & !ACROSS) as usize;
        let (Some(Some(Node::Medium { medium, station })), true) =
            (self.nodes.get(node), first != ARRIVED && first & ACROSS != 0)
        else {
            return 0;
        };
        let shared = &self.media[*medium as usize];
        let to = shared.forwarding.iter().position(|&station| station == to);
        let held = shared.medium.queues().zip(to);
        held.map_or(0, |((queues, _), to)| queues.backlog_of(*station, Name { class, flow, to: to as u32 }))
    }

    /// Adds the lengths of such queues to `series`.
    pub fn sample_backlogs(&self, series: &mut BacklogSeries) {
        for (held, _, nodes, _) in self.backpressure() {
            for (station, name, length, idle) in held.lengths(self.now) {
                series.time_s.push(self.now.as_secs());
                series.node.push(nodes[station as usize]);
                series.class.push(name.class as u32);
                series.flow.push(name.flow);
                series.backlog.push(length);
                series.idle_s.push(idle.as_secs());
                series.threshold.push(held.threshold(station));
            }
        }
    }

    /// Accounting of all packets until now.
    pub fn balance(&mut self) -> Balance {
        let waiting = |shared: &mut Shared| {
            let members = 0..shared.members.len() as u32;
            let backlogs = members.map(|local| shared.medium.see(self.now, local).backlog as u64);
            backlogs.sum::<u64>() + shared.medium.held()
        };
        let under_way = self.ports.iter().map(|port| port.held() as u64).sum::<u64>();
        Balance { under_way: under_way + self.media.iter_mut().map(waiting).sum::<u64>(), ..self.balance }
    }
}
