//! Measurements for the controller and for the user: rate, RTT, queue, connections.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::Instant;

use windward_laws::emultcp::{Controller, Sample};

use super::base::Base;
use super::plan::Owner;
use super::probes::Probes;
use super::workers::Workers;
use super::{Series, Snapshot};
use crate::common::{tcp_info, weight};
use crate::http::ping::{self, Pings};

/// Time constant of the rate that the user sees, in seconds.
const SMOOTHING: f64 = 2.0;

/// Payload of a data packet in bytes, with timestamps.
const SEGMENT: f64 = 1448.0;

/// Probes of a download.
enum Prober {
    /// No probes.
    None,
    /// They begin with the first connection.
    Wanted,
    Running(Probes),
}

/// Measures a download.
pub(super) struct Meter {
    begun: Instant,
    /// Time of the last reading, and the bytes received until then, in total and per connection.
    last: (Instant, u64),
    heard: Vec<(Owner, u64)>,
    base: Base,
    rtt: Option<f64>,
    rate: f64,
    pings: Option<Arc<Pings>>,
    prober: Prober,
    /// True if the route has changed since the controller was told.
    pub is_new_route: bool,
    /// Text for the user.
    pub notice: Option<String>,
    /// True if the connections end at a proxy, so that their RTTs cover only the path to it.
    is_proxied: bool,
    pub series: Series,
}

impl Meter {
    pub fn new(now: Instant, is_proxied: bool, has_probes: bool) -> Self {
        Self {
            begun: now,
            last: (now, 0),
            heard: Vec::new(),
            base: Base::new(),
            rtt: None,
            rate: 0.0,
            pings: None,
            // Datagrams would take another path than data through a proxy.
            prober: if has_probes && !is_proxied { Prober::Wanted } else { Prober::None },
            is_new_route: false,
            notice: (has_probes && is_proxied).then(|| "probes do not cross the proxy; pinging instead".to_owned()),
            is_proxied,
            series: Series::default(),
        }
    }

    /// Returns the changes since the last reading. `settle`: seconds after which a connection's RTT counts.
    pub fn read(&mut self, workers: &Arc<Workers>, now: Instant, settle: f64) -> Sample {
        let (sockets, received, left, connections) = {
            let state = workers.lock();
            let mut sockets = Vec::new();
            for (owner, slot) in &state.slots {
                let Some((opened, socket)) = &slot.open else { continue };
                let before = self.heard.iter().find(|(other, _)| other == owner).map_or(0, |(_, bytes)| *bytes);
                let is_settled = now.saturating_duration_since(*opened).as_secs_f64() >= settle;
                sockets.push((*owner, slot.received, socket.try_clone(), is_settled && slot.received > before));
            }
            (sockets, state.received, state.plan.left(), state.slots.len())
        };
        self.heard = sockets.iter().map(|(owner, received, ..)| (*owner, *received)).collect();
        let heard = sockets.iter().filter_map(|(_, _, socket, counts)| Some((socket.as_ref().ok()?, *counts)));
        let age = now.saturating_duration_since(self.begun).as_secs_f64();
        let probed = self.probed(sockets.iter().find_map(|(_, _, socket, _)| socket.as_ref().ok()), now);
        let rtt = match probed {
            Some(rtt) => rtt,
            None if self.is_proxied => self.pinged(workers),
            None => self.told(workers, heard, age),
        };
        let elapsed = now.saturating_duration_since(self.last.0).as_secs_f64().max(1e-3);
        let rate = (received - self.last.1) as f64 * 8.0 / elapsed;
        self.last = (now, received);
        self.rate += (rate - self.rate) * weight(elapsed, age, SMOOTHING);
        self.rtt = rtt.or(self.rtt);
        let queue = rtt.map(|rtt| (rtt - self.base.least()).max(0.0));
        self.series.add(elapsed, connections, queue);
        Sample {
            now: age,
            rtt: rtt.map(|rtt| self.base.judge(rtt, age)),
            rtt_min: self.base.least(),
            rate,
            connections: u32::try_from(connections).unwrap_or(u32::MAX),
            remaining: workers.length.map(|_| left as f64),
        }
    }

    /// Mean round trip of the probes since the last reading; `None` if there are no probes, or none returns.
    fn probed(&mut self, socket: Option<&TcpStream>, now: Instant) -> Option<Option<f64>> {
        if let (Prober::Wanted, Some(server)) = (&self.prober, socket.and_then(|socket| socket.peer_addr().ok())) {
            let started = Probes::start(server);
            self.prober = started.map_or(Prober::None, Prober::Running);
        }
        let Prober::Running(probes) = &self.prober else { return None };
        probes.set_pace(self.rate / (8.0 * SEGMENT));
        let probed = probes.take(now);
        if probed.is_silent {
            self.prober = Prober::None;
            self.base = Base::new();
            let text = "the server returns no probes; measuring the round trip by the connections";
            self.notice = Some(format!("{text}\nhint: `windward serve --probes`, and a firewall that lets UDP pass"));
            return None;
        }
        if probed.is_new_route {
            (self.base, self.is_new_route) = (Base::new(), true);
        }
        if probed.least.is_finite() {
            self.base.set(probed.least);
        }
        Some(probed.mean)
    }

    /// Mean of the kernel's RTTs over the connections that count, or the RTT of pings if the server lacks timestamps.
    fn told<'a>(
        &mut self,
        workers: &Arc<Workers>,
        sockets: impl Iterator<Item = (&'a TcpStream, bool)>,
        age: f64,
    ) -> Option<f64> {
        let (mut sum, mut count, mut is_dumb) = (0.0, 0.0, false);
        for (socket, counts) in sockets {
            let info = tcp_info(socket);
            is_dumb |= info.is_none_or(|info| !info.has_timestamps);
            let Some(info) = info else { continue };
            if let Some(least) = info.min_rtt {
                self.base.learn(least.as_secs_f64(), age);
            }
            if let Some(rtt) = info.receive_rtt.filter(|_| counts && info.has_timestamps) {
                sum += rtt.as_secs_f64();
                count += 1.0;
            }
        }
        if is_dumb {
            return self.pinged(workers);
        }
        let rtt = (count > 0.0).then(|| sum / count);
        if let Some(rtt) = rtt {
            self.base.learn_from_data(rtt, age);
        }
        rtt
    }

    fn pinged(&mut self, workers: &Arc<Workers>) -> Option<f64> {
        let pings = self.pings.get_or_insert_with(|| begin(workers));
        if let Some(least) = pings.rtt_min() {
            self.base.set(least.as_secs_f64());
        }
        pings.rtt().map(|rtt| rtt.as_secs_f64())
    }

    /// Snapshot for the user.
    pub fn snapshot(&self, workers: &Workers, there: u64, controller: &Controller) -> Snapshot {
        let state = workers.lock();
        let received = there + state.received;
        let left = workers.length.map(|length| length - received.min(length));
        Snapshot {
            time_s: self.last.0.saturating_duration_since(self.begun).as_secs_f64(),
            received_bytes: received,
            length_bytes: workers.length,
            rate_bps: self.rate,
            remaining_s: left.filter(|_| self.rate > 0.0).map(|left| left as f64 * 8.0 / self.rate),
            connections: state.slots.len(),
            wanted: controller.connections(),
            rtt_s: self.rtt,
            rtt_min_s: Some(self.base.least()).filter(|rtt| rtt.is_finite()),
            queue_s: self.rtt.map(|rtt| (rtt - self.base.least()).max(0.0)),
        }
    }
}

/// Pings the server until the download ends.
fn begin(workers: &Arc<Workers>) -> Arc<Pings> {
    ping::start(
        workers,
        |workers| workers.lock().is_over,
        |workers| {
            let url = workers.lock().url.clone();
            Ok((workers.requests.dialer.dial(url.url(), None)?, workers.requests.ping(&url)))
        },
    )
}
