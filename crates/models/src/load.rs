//! Applications as loads of the network: their mean rates, the largest multiple of them that fits, and mean completion
//! times by processor sharing.
//!
//! Requests of an open loop load their routes with a rate that does not depend on the network. Loads ρ_l < 1 on all
//! links, or inside the capacity region, are stable under α-fair sharing (Bonald, Massoulié, SIGMETRICS 2001). A link
//! of capacity C, shared by requests of load ρ and K greedy flows, has as mean completion time of x bits
//!
//!   E\[T|x\] = (K + 1) x/(C (1 − ρ))
//!
//! for every distribution of the sizes (Kleinrock, J. ACM 14(2), 1967; the greedy flows are permanent customers). A
//! closed loop of N users on it follows mean value analysis (Reiser, Lavenberg, J. ACM 27(2), 1980):
//!
//!   R(n) = D (1 + K + Q(n − 1)), X(n) = n/(Z + R(n)), Q(n) = X(n) R(n), D = E\[x\]/(C (1 − ρ))
//!
//! with the time Z between a response and the next request at the link: thinking, round trip and service.
//!
//! Slow start, handshakes, timers and losses are left out, and only the bottleneck of the responses has a queue.
//! Flows are greedy and always active, as everywhere in the optimum.

use std::collections::BTreeMap;
use windward_num::{Link, Network as Constraints, Solution};
use windward_scenario::{Compiled, FlowName};
use windward_sim::{AppConfig, Arrivals, Demand, Ideal, Network, Route};
use windward_units::Bytes;

/// Mean rate of data on a route, in bits a second on the wire.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub route: Route,
    pub bps: f64,
}

/// An application of the optimum.
#[derive(Clone, Debug, PartialEq)]
pub struct AppOptimum {
    /// Name of the application.
    pub name: String,
    /// Requests per second.
    pub requests_per_s: f64,
    /// Mean rate of its requests on the wire, in bits a second.
    pub request_bps: f64,
    /// Mean rate of its responses on the wire, in bits a second.
    pub response_bps: f64,
    /// Bottleneck of its responses; empty if the route has shared media.
    pub bottleneck: String,
    /// Load of all applications on the bottleneck, as a share of the capacity that they and its greedy flows have.
    pub load: f64,
    /// Mean completion time of a response of mean size, in seconds; infinite if the load is unstable, NaN over shared
    /// media.
    pub completion_s: f64,
    /// Completion time divided by that on the empty path.
    pub slowdown: f64,
}

/// Rates of an application.
struct Client<'a> {
    app: &'a AppConfig,
    demand: Demand<'a>,
    /// Bits of a request and of a mean response on the wire.
    bits: [f64; 2],
    /// Requests per second of an open loop.
    open: Option<f64>,
}

impl<'a> Client<'a> {
    /// Rates of `app`; `None` if its demand depends on the network.
    fn of(app: &'a AppConfig, network: &Network) -> Option<Self> {
        let demand = app.kind.demand()?;
        let tcp = &app.tcp;
        let response = Ideal::mean_wire_bytes(demand.response, tcp);
        let request = Ideal::wire_bytes(app.request.count(), tcp) as f64 * 8.0;
        let mean = match demand.arrivals {
            Arrivals::Times(times) => {
                let bytes =
                    |given: &Option<Bytes>| given.map_or(response, |of| Ideal::wire_bytes(of.count(), tcp) as f64);
                times.iter().map(|(_, given)| bytes(given)).sum::<f64>() / times.len().max(1) as f64
            }
            _ => response,
        };
        let open = match demand.arrivals {
            Arrivals::Periodic { every } => Some(1.0 / every.as_secs()),
            Arrivals::Poisson { mean } => Some(1.0 / mean.as_secs()),
            Arrivals::Closed { .. } => None,
            Arrivals::Times(times) => {
                let end = app.stop.unwrap_or(network.timing.duration);
                Some(times.len() as f64 / end.since(app.start).as_secs())
            }
        };
        Some(Self { app, demand, bits: [request, 8.0 * mean], open })
    }

    fn routes(&self) -> [&'a Route; 2] {
        [&self.app.forward, &self.app.backward]
    }

    /// Seconds between a response of a closed loop and its next at the bottleneck.
    fn pause(&self, servers: &Servers) -> f64 {
        let think = if let Arrivals::Closed { think, .. } = self.demand.arrivals { think.as_secs() } else { 0.0 };
        let sending = servers.slowest(&self.app.forward).map_or(0.0, |server| server.time(self.bits[0]));
        think + self.app.ideal.rtt.as_secs() + self.demand.service.as_secs() + sending
    }

    /// Loads of this many requests a second.
    fn loads(&self, per_s: f64) -> impl Iterator<Item = Load> {
        self.routes()
            .into_iter()
            .zip(self.bits)
            .map(move |(route, bits)| Load { route: route.clone(), bps: bits * per_s })
    }
}

/// Loads of the applications, and their answer.
pub(crate) struct Loads<'a> {
    clients: Vec<Client<'a>>,
    /// Requests a second of each application.
    per_s: Vec<f64>,
    /// Mean number of requests of closed loops at each bottleneck.
    queues: BTreeMap<u32, f64>,
}

/// Reason why closed loops have no answer.
pub(crate) struct MixedLoops {
    /// Applications that differ.
    pub apps: [usize; 2],
}

/// A link as a server of requests beside greedy flows.
struct Server {
    port: u32,
    /// Capacity of requests and of the flows that the link limits, in bits a second.
    capacity: f64,
    /// Load of open loops.
    open: f64,
    /// Number of flows that the link limits.
    flows: f64,
}

/// The links as servers, by port; `None` for shares of media.
pub(crate) struct Servers(Vec<Option<Server>>);

impl Servers {
    /// Servers with the capacities of `constraints`, which leave applications out, beside the flows of `solution` and
    /// `open` loops. A flow is limited by the link of the highest price on its route.
    pub fn new(constraints: &Constraints, solution: &Solution, open: &[Load], packet_bits: f64) -> Self {
        let mut servers: Vec<Option<Server>> = Vec::with_capacity(constraints.links.len());
        for (port, link) in (0..).zip(&constraints.links) {
            let capacity = if let Link::Wired(capacity) = link { Some(capacity * packet_bits) } else { None };
            servers.push(capacity.map(|capacity| Server { port, capacity, open: 0.0, flows: 0.0 }));
        }
        for (route, rate) in constraints.routes.iter().zip(&solution.rates) {
            let price = |port: &u32| solution.prices[*port as usize];
            let limit = route.iter().filter(|port| price(port) > 0.0).max_by(|a, b| price(a).total_cmp(&price(b)));
            for port in route {
                let Some(server) = &mut servers[*port as usize] else { continue };
                if limit == Some(port) {
                    server.flows += 1.0;
                } else {
                    server.capacity -= rate * packet_bits;
                }
            }
        }
        for load in open {
            for port in load.route.ports() {
                if let Some(server) = &mut servers[port as usize] {
                    server.open += load.bps;
                }
            }
        }
        servers.iter_mut().flatten().for_each(|server| server.open /= server.capacity);
        Self(servers)
    }

    /// Slowest link of a route for one more request; `None` over shared media.
    fn slowest(&self, route: &Route) -> Option<&Server> {
        let mut slowest: Option<&Server> = None;
        for port in route.ports() {
            let server = self.0[port as usize].as_ref()?;
            if slowest.is_none_or(|other| server.time(1.0) > other.time(1.0)) {
                slowest = Some(server);
            }
        }
        slowest
    }
}

impl<'a> Loads<'a> {
    /// Loads of the open loops; closed loops follow from [`Self::close`].
    pub fn new(network: &'a Network) -> Self {
        let clients: Vec<Client> = network.apps.iter().filter_map(|app| Client::of(app, network)).collect();
        let per_s = clients.iter().map(|client| client.open.unwrap_or(0.0)).collect();
        Self { clients, per_s, queues: BTreeMap::new() }
    }

    /// True without applications.
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    /// True if an application has a closed loop.
    pub fn has_loops(&self) -> bool {
        self.clients.iter().any(|client| client.open.is_none())
    }

    /// Mean rates on the routes.
    pub fn all(&self) -> Vec<Load> {
        self.clients.iter().zip(&self.per_s).flat_map(|(client, per_s)| client.loads(*per_s)).collect()
    }

    /// Mean rates of the open loops on their routes.
    pub fn open(&self) -> Vec<Load> {
        let open = self.clients.iter().filter_map(|client| Some(client.loads(client.open?)));
        open.flatten().filter(|load| load.bps > 0.0).collect()
    }

    /// Finds the rates of the closed loops.
    ///
    /// # Errors
    /// Closed loops of different kinds over one bottleneck.
    pub fn close(&mut self, servers: &Servers) -> Result<(), MixedLoops> {
        let mut loops: BTreeMap<u32, (&Server, Vec<usize>)> = BTreeMap::new();
        for (at, client) in self.clients.iter().enumerate().filter(|(_, client)| client.open.is_none()) {
            match servers.slowest(&client.app.backward) {
                Some(server) => loops.entry(server.port).or_insert((server, Vec::new())).1.push(at),
                None => self.per_s[at] = f64::NAN,
            }
        }
        for (server, members) in loops.into_values() {
            let kind = |at: usize| (self.clients[at].bits[1], self.clients[at].pause(servers));
            let (bits, pause) = kind(members[0]);
            if let Some(&other) = members.iter().find(|&&at| kind(at) != (bits, pause)) {
                return Err(MixedLoops { apps: [members[0], other] });
            }
            let users = |at: usize| match self.clients[at].demand.arrivals {
                Arrivals::Closed { users, .. } => u64::from(*users),
                _ => 0,
            };
            let all: u64 = members.iter().map(|&at| users(at)).sum();
            let demand = bits / (server.capacity * (1.0 - server.open).max(0.0));
            let rate = mean_value_analysis(all, demand, pause, server.flows);
            self.queues.insert(server.port, all as f64 - rate * pause);
            for &at in &members {
                self.per_s[at] = rate * users(at) as f64 / all as f64;
            }
        }
        Ok(())
    }

    /// Answers for the applications of `compiled`.
    pub fn answer(&self, compiled: &Compiled, servers: &Servers) -> Vec<AppOptimum> {
        let one = |((client, per_s), name): ((&Client<'_>, &f64), &FlowName)| {
            let server = servers.slowest(&client.app.backward);
            let up = servers.slowest(&client.app.forward);
            let fixed = client.app.ideal.rtt.as_secs() + client.demand.service.as_secs();
            let sending = up.map_or(f64::NAN, |server| server.time(client.bits[0]));
            let serving = match (server, client.demand.arrivals) {
                // Little: N = X (Z + R).
                (Some(_), Arrivals::Closed { users, .. }) => f64::from(*users) / per_s - client.pause(servers),
                // An open loop sees the closed ones as permanent customers.
                (Some(server), _) => {
                    let queue = self.queues.get(&server.port).copied().unwrap_or(0.0);
                    Server { flows: server.flows + queue, ..*server }.time(client.bits[1])
                }
                (None, _) => f64::NAN,
            };
            let [request, response] = client.bits;
            let alone = client.app.ideal.rate.as_bits_per_sec() as f64;
            let completion_s = fixed + sending + serving;
            AppOptimum {
                name: name.name.clone(),
                requests_per_s: *per_s,
                request_bps: request * per_s,
                response_bps: response * per_s,
                bottleneck: server.map_or_else(String::new, |server| compiled.links[server.port as usize].name.clone()),
                load: server.map_or(f64::NAN, |server| {
                    server.open + if client.open.is_none() { response * per_s / server.capacity } else { 0.0 }
                }),
                completion_s,
                slowdown: completion_s / (fixed + response / alone),
            }
        };
        self.clients.iter().zip(&self.per_s).zip(&compiled.apps).map(one).collect()
    }
}

impl Server {
    /// Mean time of this many bits.
    fn time(&self, bits: f64) -> f64 {
        if self.open < 1.0 { (1.0 + self.flows) * bits / (self.capacity * (1.0 - self.open)) } else { f64::INFINITY }
    }
}

/// Requests a second of `users` with pauses of `pause` seconds and service demands of `demand` seconds beside `flows`
/// permanent customers.
fn mean_value_analysis(users: u64, demand: f64, pause: f64, flows: f64) -> f64 {
    let (mut queue, mut rate) = (0.0, 0.0);
    for n in 1..=users {
        let time = demand * (1.0 + flows + queue);
        rate = n as f64 / (pause + time);
        queue = rate * time;
    }
    rate
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D = 0.1 s, Z = 1 s, exact: 1 user 1/1.1 = 0.9091 a second; 2 users R = 0.1 (1 + 0.1/1.1) = 0.10909, X = 1.8033;
    /// 20 users 9.9813 (R = 1.0037 s).
    #[test]
    fn closed_loops_follow_mean_value_analysis() {
        let rate = |users| mean_value_analysis(users, 0.1, 1.0, 0.0);
        for (users, expected) in [(1, 0.909_09), (2, 1.803_28), (5, 4.3605), (10, 7.8542), (20, 9.9813)] {
            assert!((rate(users) - expected).abs() < 6e-5, "{users}: {}", rate(users));
        }
    }

    /// A permanent customer takes its share of a processor: one user alone beside one has twice the time.
    #[test]
    fn a_greedy_flow_is_a_permanent_customer() {
        assert!((mean_value_analysis(1, 0.1, 1.0, 1.0) - 1.0 / 1.2).abs() < 1e-12);
    }
}
