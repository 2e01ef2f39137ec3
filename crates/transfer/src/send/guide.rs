//! The number of connections of an upload, and the measurements behind it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use windward_laws::emultcp::{Controller, Params, Sample};

use super::Event;
use super::late::Late;
use super::worker::Task;
use super::workers::Workers;
use crate::common::{TcpInfo, tcp_info};
use crate::get::memory;
use crate::http::ping::Pings;

/// Interval between samples.
const SAMPLES: Duration = Duration::from_millis(250);

/// Measures an upload and drives the controller.
pub struct Guide<'a> {
    task: &'a Task,
    settle: f64,
    /// Fixed number of connections, which overrides the controller.
    fixed: Option<u32>,
    controller: Controller,
    host: String,
    begun: Instant,
    /// Bytes missing at the beginning; `left` is those missing now.
    total: u64,
    counted: usize,
    left: u64,
    rtt_min: f64,
    late: Late,
    pings: Option<Arc<Pings>>,
    /// Bytes acknowledged at the last measurement, by slot and opening time of its connection.
    acked: BTreeMap<(u32, Instant), u64>,
    looked: Instant,
    sampled: Instant,
    since_sample: u64,
    most: u32,
}

impl<'a> Guide<'a> {
    /// A guide for an upload of `pieces` that began at `begun`; `pings` measure requests that are answered at once.
    pub fn new(
        task: &'a Task,
        params: Params,
        fixed: Option<u32>,
        begun: Instant,
        pieces: impl Iterator<Item = u64>,
        pings: Option<Arc<Pings>>,
    ) -> Self {
        let host = task.memory();
        let total = pieces.map(|piece| task.tree.piece_length(piece)).sum();
        let now = Instant::now();
        Self {
            task,
            settle: params.settle,
            fixed,
            controller: Controller::new(params, memory::recall(&host)),
            host,
            begun,
            total,
            counted: 0,
            left: total,
            rtt_min: f64::INFINITY,
            late: Late::new(),
            pings,
            acked: BTreeMap::new(),
            looked: now,
            sampled: now,
            since_sample: 0,
            most: 0,
        }
    }

    /// Seconds until the next measurement.
    pub fn period(&self) -> f64 {
        self.controller.period()
    }

    /// Maximum number of connections so far.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// Caches the number of connections for the next upload to this host.
    pub fn remember(&self) {
        memory::remember(&self.host, self.controller.connections());
    }

    /// Measures, and sets the number of wanted connections.
    pub fn look(&mut self, workers: &Workers) -> Event {
        let now = Instant::now();
        let mut state = workers.lock();
        for piece in &state.answered[self.counted..] {
            self.left -= self.task.tree.piece_length(*piece);
        }
        self.counted = state.answered.len();
        let (mut sum, mut count, mut arrived) = (0.0, 0.0, 0);
        let mut acked = BTreeMap::new();
        for (slot, opened, socket) in
            state.slots.iter().filter_map(|(slot, open)| open.as_ref().map(|o| (*slot, o.0, &o.1)))
        {
            let Some(TcpInfo { srtt: Some(srtt), min_rtt: Some(min_rtt), acked: bytes, .. }) = tcp_info(socket) else {
                continue;
            };
            self.rtt_min = self.rtt_min.min(min_rtt.as_secs_f64());
            let before = self.acked.get(&(slot, opened)).copied().unwrap_or(0);
            acked.insert((slot, opened), bytes);
            let fresh = bytes.saturating_sub(before);
            arrived += fresh;
            if fresh > 0 && now.duration_since(opened).as_secs_f64() >= self.settle {
                sum += srtt.as_secs_f64();
                count += 1.0;
            }
        }
        self.acked = acked;
        let span = now.duration_since(self.looked).as_secs_f64().max(1e-3);
        self.looked = now;
        let answers = self.pings.as_ref().and_then(|pings| {
            let above = pings.rtt()?.saturating_sub(pings.rtt_min()?);
            Some(above.as_secs_f64())
        });
        let rtt = (count > 0.0).then(|| self.rtt_min + self.late.queue(sum / count - self.rtt_min, answers, span));
        let connections = state.slots.len() as u32;
        self.most = self.most.max(connections);
        let wanted = self.controller.update(Sample {
            now: now.duration_since(self.begun).as_secs_f64(),
            rtt,
            rtt_min: self.rtt_min,
            rate: arrived as f64 * 8.0 / span,
            connections,
            remaining: Some(self.left as f64),
        });
        state.wanted = self.fixed.unwrap_or(wanted);
        self.since_sample += arrived;
        let span = now.duration_since(self.sampled);
        if span < SAMPLES {
            return Event::Tick;
        }
        let rate_bps = self.since_sample as f64 * 8.0 / span.as_secs_f64();
        (self.sampled, self.since_sample) = (now, 0);
        let length_bytes = self.task.tree.length();
        Event::Sample {
            time_s: now.duration_since(self.begun).as_secs_f64(),
            there_bytes: length_bytes - self.left.min(self.total),
            length_bytes,
            rate_bps,
            connections,
            wanted: self.controller.connections(),
            rtt_s: rtt,
            rtt_min_s: Some(self.rtt_min).filter(|rtt| rtt.is_finite()),
            queue_s: self.controller.queue(),
        }
    }
}
