//! Estimate of the memory that a run takes, before it starts.
//!
//! The estimate counts what grows with the scenario: samples, requests, connections, flows, links, and the datagrams
//! that sources above a link's rate leave in its queue. Sizes are measured.

use crate::scenario::Compiled;
use windward_sim::{AppConfig, Arrivals, Buffer, ConnectionUse, Demand, Ideal, MediumConfig, Network, PortKind};
use windward_units::Time;

/// Bytes of a row of the series, compressed: 20 of a busy flow, 5 of an idle link.
const ROW: f64 = 20.0;
/// Bytes of a flow, with a window of some ten segments.
const FLOW: f64 = 6e3;
/// Bytes of a one-way link.
const LINK: f64 = 4e3;
/// Bytes of a link of a wireless network of 802.11.
const WIFI_LINK: f64 = 8e3;
/// Bytes of a link of a cell.
const CELL_LINK: f64 = 40e3;
/// Bytes of a request in the results, and while it waits for a connection.
const REQUEST: f64 = 300.0;
/// Bytes of a packet that waits, in rings that double.
const WAITING: f64 = 130.0;
/// Bytes of an open connection of an application.
const CONNECTION: f64 = 4e3;
/// Connections that a client can have open at once.
const PORTS: f64 = 28_232.0;
/// Rate in bit/s of a path of unknown rate, for the requests that it leaves waiting.
const UNKNOWN_RATE: f64 = 1e9;

/// Memory that a part of a scenario takes in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// The part, with its number.
    pub what: String,
    /// Estimate in bytes.
    pub bytes: f64,
    /// Change of the scenario that lowers it.
    pub lower: &'static str,
}

impl Compiled {
    /// Estimate of the memory that a run takes, by part; the largest first.
    pub fn memory(&self) -> Vec<Need> {
        let Network { topology, flows, apps, timing, .. } = &self.network;
        let (mut wired, mut wifi, mut cells) = (0, 0, 0);
        for port in topology.ports.iter() {
            match port.kind {
                PortKind::Link(_) => wired += 1,
                PortKind::Shared { medium, .. } => match topology.media[medium as usize] {
                    MediumConfig::Ran(_) => cells += 1,
                    _ => wifi += 1,
                },
            }
        }
        let samples = timing.duration.as_secs() / timing.sample_interval.as_secs();
        let rows = samples * (flows.len() + topology.ports.len()) as f64;
        let links = f64::from(wired) * LINK + f64::from(wifi) * WIFI_LINK + f64::from(cells) * CELL_LINK;
        let (mut requests, mut open) = (0.0, 0.0);
        for app in apps {
            let (of_app, open_of_app) = demand(app, timing.duration);
            requests += of_app;
            open += open_of_app;
        }
        let waiting = waiting(&self.network);
        let need =
            |number: f64, what: &str, bytes: f64, lower| Need { what: format!("{number:.0} {what}"), bytes, lower };
        let mut needs = vec![
            need(rows, "rows of series", rows * ROW, "`sample_interval` of `[output]`"),
            need(flows.len() as f64, "flows", flows.len() as f64 * FLOW, "the number of flows"),
            need(topology.ports.len() as f64, "one-way links", links, "the number of stations or links"),
            need(requests, "requests", requests * REQUEST, "`rate` or `load` of the arrivals"),
            need(waiting, "datagrams that wait", waiting * WAITING, "the rate of the sources, or `buffer`"),
            need(open, "connections of requests at once", open * CONNECTION, "`connections`, or the load"),
        ];
        needs.retain(|need| need.bytes > 0.0);
        needs.sort_by(|a, b| b.bytes.total_cmp(&a.bytes));
        needs
    }
}

/// Datagrams that wait at the end of a run, as far as sources of known rates exceed the links of their routes.
fn waiting(network: &Network) -> f64 {
    let Network { topology, sources, timing, .. } = network;
    let ports: Vec<(f64, Buffer)> = topology
        .ports
        .iter()
        .map(|port| match &port.kind {
            PortKind::Link(link) => (link.rate.mean().as_bits_per_sec() as f64, link.buffer),
            PortKind::Shared { medium, local } => {
                let medium = &topology.media[*medium as usize];
                (medium.mean_rate(*local), medium.buffer(*local))
            }
        })
        .collect();
    // Bits and datagrams that come to each port.
    let mut offered = vec![(0.0, 0.0); ports.len()];
    for source in sources {
        let span = source.stop.unwrap_or(timing.duration).min(timing.duration).since(source.start).as_secs();
        let routes = [Some(&source.path), source.reply.as_ref()];
        for (route, rate) in routes.into_iter().zip(source.mean_rates()) {
            let mut bits = rate * span;
            for port in route.into_iter().flat_map(|route| route.ports()) {
                let (of_port, packets) = &mut offered[port as usize];
                *of_port += bits;
                *packets += bits / (8.0 * source.packet.count().max(1) as f64);
                bits = bits.min(ports[port as usize].0 * span);
            }
        }
    }
    ports.iter().zip(offered).map(|(&(rate, buffer), came)| left(rate, buffer, came, timing.duration.as_secs())).sum()
}

/// Datagrams left of those that came to a port, within its buffer.
fn left(rate: f64, buffer: Buffer, (bits, packets): (f64, f64), duration: f64) -> f64 {
    let size = bits / packets;
    // A rate of nothing is not known: nothing is said about its queue.
    if !(rate > 0.0 && bits > rate * duration) {
        return 0.0;
    }
    let room = match buffer {
        Buffer::Unlimited => f64::INFINITY,
        Buffer::Packets(most) => most as f64,
        Buffer::Bytes(most) => most.count() as f64 * 8.0 / size,
        Buffer::Time(most) => most.as_secs() * rate / size,
    };
    ((bits - rate * duration) / size).min(room)
}

/// Requests that an application is expected to make, and connections that it then has at once.
fn demand(app: &AppConfig, end: Time) -> (f64, f64) {
    let Some((arrivals, connections)) = app.kind.arrivals() else { return (0.0, 0.0) };
    let most = match connections {
        ConnectionUse::New => PORTS,
        ConnectionUse::Kept { most } => PORTS.min(f64::from(most)),
    };
    let span = app.stop.unwrap_or(end).min(end).since(app.start).as_secs();
    let requests = match arrivals {
        Arrivals::Periodic { every } => span / every.as_secs(),
        Arrivals::Poisson { mean } => span / mean.as_secs(),
        Arrivals::Times(times) => times.len() as f64,
        Arrivals::Closed { users, think, .. } => {
            let least = think.as_secs() + app.ideal.rtt.as_secs();
            return (f64::from(*users) * span / least, most.min(f64::from(*users)));
        }
    };
    let waiting = match app.kind.demand() {
        Some(Demand { response, .. }) => {
            let known = app.ideal.rate.as_bits_per_sec() as f64;
            let rate = if known > 0.0 { known } else { UNKNOWN_RATE };
            let served = rate * span / (8.0 * Ideal::mean_wire_bytes(response, &app.tcp));
            (requests - served).max(0.0)
        }
        // Transfers that a time ends.
        None => requests,
    };
    (requests, most.min(waiting))
}

#[cfg(test)]
mod tests {
    use crate::Scenario;

    fn needs(parts: &str) -> Vec<(String, f64)> {
        let text = format!(
            "name = \"m\"\nduration = \"2 s\"\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
             link = [{{ from = \"a\", to = \"b\", rate = \"100 Mbit/s\", delay = \"10 ms\" }}]\n{parts}"
        );
        let scenario = Scenario::from_toml(&text, "m.toml").expect("it is valid");
        scenario.compile(1).memory().into_iter().map(|need| (need.what, need.bytes)).collect()
    }

    /// 200 000 requests of 10 kB a second are 16 Gbit/s on a link of 100 Mbit/s: nearly all of 400 000 wait, and all
    /// ports of the client are in use. At 100 requests a second, 8 Mbit/s, none waits.
    #[test]
    fn requests_that_wait_take_a_client_s_ports() {
        let of_rate = |rate: &str| {
            needs(&format!(
                "app = [{{ kind = \"requests\", from = \"a\", to = \"b\", law = \"cubic\", response = \"10 kB\", \
                 arrivals = {{ kind = \"poisson\", rate = {rate} }} }}]"
            ))
        };
        let many = of_rate("2e5");
        let [(requests, bytes), (connections, of_connections), ..] = many.as_slice() else { panic!("{many:?}") };
        assert_eq!((requests.as_str(), bytes.round()), ("400000 requests", 400_000.0 * 300.0));
        assert_eq!(connections, "28232 connections of requests at once");
        assert_eq!(of_connections.round(), 28_232.0 * 4e3);
        let few = of_rate("100.0");
        assert!(few.iter().all(|(what, _)| !what.contains("at once")), "{few:?}");
    }

    /// 100 Mbit/s for 2 s over a link of 100 Mbit/s leave nothing, 1 Gbit/s 1.8 Gbit: 1.8 million datagrams of 125
    /// bytes in a queue without a limit, and as many as the buffer holds otherwise.
    #[test]
    fn datagrams_above_the_rate_wait() {
        let of = |buffer: &str, rate: &str| {
            let link = format!("rate = \"100 Mbit/s\", buffer = \"{buffer}\"");
            let text = format!(
                "name = \"m\"\nduration = \"2 s\"\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
                 link = [{{ from = \"a\", to = \"b\", {link}, delay = \"10 ms\" }}]\n\
                 background = [{{ from = \"a\", to = \"b\", packet = \"125 B\", \
                 pattern = {{ kind = \"cbr\", rate = \"{rate}\" }} }}]"
            );
            let scenario = Scenario::from_toml(&text, "m.toml").expect("it is valid");
            let needs = scenario.compile(1).memory();
            needs.into_iter().find(|need| need.what.contains("wait")).map(|need| need.bytes.round())
        };
        assert_eq!(of("unlimited", "100 Mbit/s"), None);
        assert_eq!(of("unlimited", "1 Gbit/s"), Some(1.8e6 * 130.0));
        assert_eq!(of("500 packets", "1 Gbit/s"), Some(500.0 * 130.0));
        assert_eq!(of("10 ms", "1 Gbit/s"), Some(1000.0 * 130.0));
    }

    /// 10 flows and 2 one-way links, sampled every 2 us for 2 s: 12 million rows, more than all else.
    #[test]
    fn samples_are_counted() {
        let found = needs(
            "output = { sample_interval = \"2 us\" }\n[[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"cubic\"\ncount = 10\n",
        );
        assert_eq!(found[0], ("12000000 rows of series".to_owned(), 12e6 * 20.0));
    }
}
