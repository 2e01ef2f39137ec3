//! Estimate of the memory that a run takes, before it starts.
//!
//! The estimate counts what grows with the scenario: samples, requests, connections, flows and links. It leaves out the
//! packets that wait in queues without a limit. Sizes are measured.

use crate::scenario::Compiled;
use windward_sim::{AppConfig, AppKind, Arrivals, ConnectionUse, Demand, Ideal, MediumConfig, Network, PortKind};
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
        let need =
            |number: f64, what: &str, bytes: f64, lower| Need { what: format!("{number:.0} {what}"), bytes, lower };
        let mut needs = vec![
            need(rows, "rows of series", rows * ROW, "`sample_interval` of `[output]`"),
            need(flows.len() as f64, "flows", flows.len() as f64 * FLOW, "the number of flows"),
            need(topology.ports.len() as f64, "one-way links", links, "the number of stations or links"),
            need(requests, "requests", requests * REQUEST, "`rate` or `load` of the arrivals"),
            need(open, "connections of requests at once", open * CONNECTION, "`connections`, or the load"),
        ];
        needs.retain(|need| need.bytes > 0.0);
        needs.sort_by(|a, b| b.bytes.total_cmp(&a.bytes));
        needs
    }
}

/// Requests that an application is expected to make, and connections that it then has at once.
fn demand(app: &AppConfig, end: Time) -> (f64, f64) {
    let (arrivals, connections) = match &app.kind {
        AppKind::Requests(requests) => (&requests.arrivals, requests.connections),
        AppKind::Session(session) => (&session.arrivals, ConnectionUse::New),
        AppKind::Video(_) | AppKind::Page(_) => return (0.0, 0.0),
    };
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

    /// 10 flows and 2 one-way links, sampled every 2 us for 2 s: 12 million rows, more than all else.
    #[test]
    fn samples_are_counted() {
        let found = needs(
            "output = { sample_interval = \"2 us\" }\n[[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"cubic\"\ncount = 10\n",
        );
        assert_eq!(found[0], ("12000000 rows of series".to_owned(), 12e6 * 20.0));
    }
}
