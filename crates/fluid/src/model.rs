//! Right-hand side: from the state of all flows to its time derivative.

use crate::airtime::{self, Airtime, Division};
use crate::alike::Classes;
use crate::early::{Early, Ecn, Fate};
use windward_laws::{FluidLaw, FluidPath, LawSpec, TimeUnit};
use windward_num::{Error, FluidMap, Network, Stop};
use windward_units::{Duration, Packets};

/// A flow of the model.
pub struct FluidFlow {
    /// Law.
    pub law: Box<dyn FluidLaw + Send + Sync>,
    /// Time unit of the derivative: [`FluidLaw::time_unit`], unless set otherwise.
    pub unit: TimeUnit,
    /// Round-trip propagation delay d, seconds; positive.
    pub base_rtt: f64,
    /// Error of the law's base RTT, seconds: part of its path's queueing delay that it takes for propagation. Negative:
    /// propagation that it takes for queueing, such as jitter or a route that has become longer.
    pub base_error: f64,
    /// Probability of packet loss along the path without congestion.
    pub loss: f64,
    /// ECN capability.
    pub ecn: Ecn,
    /// Most packets in flight, for which the hosts have room; may be infinite.
    pub most: f64,
    /// True if the law responds to the number of marks; for others a mark is a loss (RFC 3168 §5).
    counts_marks: bool,
}

/// State of a flow's path beside its propagation delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    /// Queueing delay in seconds.
    pub queue_delay: f64,
    /// Loss probability of a packet.
    pub loss: f64,
    /// Mark probability of an arriving packet.
    pub marks: f64,
}

impl FluidFlow {
    /// Flow of a law on a path; `None` if the law has no fluid form.
    pub fn new(spec: &LawSpec, base_rtt: f64, loss: f64) -> Option<Self> {
        let law = spec.fluid()?;
        Some(Self {
            unit: law.time_unit(),
            law,
            base_rtt,
            base_error: 0.0,
            loss,
            ecn: Ecn::Off,
            most: f64::INFINITY,
            counts_marks: spec.needs().counts_marks,
        })
    }
}

/// Flows over a network, and the rates and delays of their windows.
pub struct Model {
    flows: Vec<FluidFlow>,
    /// Offset of each flow's state.
    offsets: Vec<usize>,
    map: FluidMap,
    routes: Vec<Vec<u32>>,
    /// Buffer of each link in packets; may be infinite.
    buffers: Vec<f64>,
    /// AQM of each link.
    early: Vec<Option<Early>>,
    /// Channels whose airtime is divided among links.
    divisions: Vec<Division>,
    /// Per link in the last evaluation: q_l in seconds, the share of packets dropped by its full buffer, the base
    /// share of its AQM, and the packets in the queue.
    queues: Vec<f64>,
    drops: Vec<f64>,
    shares: Vec<f64>,
    waiting: Vec<f64>,
    /// Window of each flow, of its class in total, and of all flows over each link.
    windows: Vec<f64>,
    totals: Vec<f64>,
    crossing: Vec<f64>,
    /// x_s of each flow.
    rates: Vec<f64>,
    /// Numbers of flows and links in each class.
    flow_counts: Vec<f64>,
    link_counts: Vec<f64>,
    losses: Losses,
    /// Evaluations, and their work in entries of flows and links.
    evaluations: u64,
    work: u64,
    most_work: u64,
    /// Cancellation from another thread.
    stop: Stop,
}

/// Losses in the equations of laws whose papers have none there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Losses {
    /// The reaction of the packet laws.
    #[default]
    Law,
    /// None, as in the papers.
    Paper,
}

impl Model {
    /// Flows over the routes of `network`, with capacities in packets per second; `buffers` holds one number of packets
    /// for each link.
    ///
    /// # Errors
    /// As [`FluidMap::new`].
    pub fn new(network: Network, flows: Vec<FluidFlow>, buffers: Vec<f64>) -> Result<Self, Error> {
        let base_rtts: Vec<f64> = flows.iter().map(|flow| flow.base_rtt).collect();
        let routes = network.routes.clone();
        let links = network.links.len();
        let map = FluidMap::new(network, &base_rtts)?;
        let mut offsets = vec![0];
        for flow in &flows {
            offsets.push(offsets[offsets.len() - 1] + flow.law.dimension());
        }
        let (of_flows, of_links) = (vec![0.0; flows.len()], vec![0.0; links]);
        Ok(Self {
            offsets,
            map,
            routes,
            buffers,
            early: vec![None; links],
            divisions: Vec::new(),
            queues: of_links.clone(),
            drops: of_links.clone(),
            shares: of_links.clone(),
            waiting: of_links.clone(),
            windows: of_flows.clone(),
            totals: of_flows.clone(),
            crossing: of_links,
            rates: of_flows,
            flow_counts: vec![1.0; flows.len()],
            link_counts: vec![1.0; links],
            losses: Losses::default(),
            evaluations: 0,
            work: 0,
            most_work: MOST_WORK,
            stop: Stop::default(),
            flows,
        })
    }

    /// Sets the AQM of each link.
    #[must_use]
    pub fn with_early(mut self, early: Vec<Option<Early>>) -> Self {
        self.early = early;
        self
    }

    /// Divides the airtime of these channels; their links are wired and numbered as those of the network.
    #[must_use]
    pub fn with_airtime(mut self, channels: Vec<Airtime>) -> Self {
        self.divisions = channels.into_iter().map(Division::new).collect();
        self
    }

    /// Sets the losses of delay-based laws.
    #[must_use]
    pub fn with_losses(mut self, losses: Losses) -> Self {
        self.losses = losses;
        self
    }

    /// Sets the evaluations, each counted once per flow and link, after which a run ends with [`Error::Stiff`].
    #[must_use]
    pub fn with_most_work(mut self, most_work: u64) -> Self {
        self.most_work = most_work;
        self
    }

    /// Lets flows and links represent all of their class: those of `network` are [`Classes::network`]'s, all other
    /// values are one member's.
    #[must_use]
    pub fn with_classes(mut self, classes: &Classes) -> Self {
        let count = |&(_, count): &(usize, f64)| count;
        self.flow_counts = classes.flows.iter().map(count).collect();
        self.link_counts = classes.links.iter().map(count).collect();
        self
    }

    /// Fails every evaluation with [`Error::Interrupted`] once `stop` is set.
    pub fn stop_when(&mut self, stop: Stop) {
        self.map.stop_when(stop.clone());
        self.stop = stop;
    }

    /// Number of flows, or of their classes.
    pub fn flows(&self) -> usize {
        self.flows.len()
    }

    /// State with the given windows, in packets.
    pub fn start(&self, windows: &[f64]) -> Vec<f64> {
        let mut state = vec![0.0; self.offsets[self.flows.len()]];
        for (at, (flow, &window)) in self.flows.iter().zip(windows).enumerate() {
            flow.law.start(Packets::new(window), &mut state[self.offsets[at]..self.offsets[at + 1]]);
        }
        state
    }

    /// The windows of a state, packets.
    pub fn windows<'a>(&'a self, state: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.offsets.iter().zip(&self.flows).map(|(&at, flow)| state[at].min(flow.most))
    }

    /// Computes rates and delays of a state; read them with [`Model::rates`] and [`Model::path_delay`].
    ///
    /// # Errors
    /// As [`FluidMap::solve`]; [`Error::Interrupted`] after [`Model::stop_when`].
    pub fn observe(&mut self, state: &[f64]) -> Result<(), Error> {
        self.stop.check()?;
        self.count()?;
        self.crossing.fill(0.0);
        for at in 0..self.flows.len() {
            // A law may reach zero or pass it within a trial step; the map needs a window.
            self.windows[at] = state[self.offsets[at]].min(self.flows[at].most).max(LEAST_WINDOW);
            let total = self.windows[at] * self.flow_counts[at];
            self.totals[at] = total;
            self.routes[at].iter().for_each(|&link| self.crossing[link as usize] += total);
        }
        let (routes, links) = (&self.routes, self.buffers.len());
        airtime::solve(&mut self.map, &mut self.divisions, &self.totals, |map| {
            let mut loads = vec![0.0; links];
            for (route, rate) in routes.iter().zip(map.rates()) {
                route.iter().for_each(|&link| loads[link as usize] += rate);
            }
            loads
        })?;
        let rates = self.map.rates().iter().zip(&self.flow_counts);
        self.rates.iter_mut().zip(rates).for_each(|(rate, (total, count))| *rate = total / count);
        self.queues = self.map.link_delays();
        let rates = self.map.link_rates();
        self.drops.fill(0.0);
        for (at, &buffer) in self.buffers.iter().enumerate() {
            let (rate, crossing) = (rates[at] / self.link_counts[at], self.crossing[at] / self.link_counts[at]);
            let mut waiting = self.queues[at] * rate;
            if waiting > buffer {
                // What the buffer does not hold is lost once a round trip: its share of the windows that cross the
                // link.
                self.drops[at] = (waiting - buffer) / crossing;
                self.queues[at] = buffer / rate;
                waiting = buffer;
            }
            self.waiting[at] = waiting;
            self.shares[at] = self.early[at].map_or(0.0, |early| early.share(waiting, rate, crossing));
        }
        Ok(())
    }

    /// Counts an evaluation.
    fn count(&mut self) -> Result<(), Error> {
        self.evaluations += 1;
        self.work += (self.flows.len() + self.buffers.len()) as u64;
        match self.work > self.most_work {
            true => Err(Error::Stiff { evaluations: self.evaluations }),
            false => Ok(()),
        }
    }

    /// x_s of the last evaluation, packets per second.
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// q^s of the last evaluation, seconds, with full buffers at their capacity.
    pub fn path_delay(&self, flow: usize) -> f64 {
        self.routes[flow].iter().map(|&link| self.queues[link as usize]).sum()
    }

    /// State of the flow's path in the last evaluation.
    pub(crate) fn seen(&self, flow: usize) -> Seen {
        let FluidFlow { loss, ecn, .. } = self.flows[flow];
        let (mut arrives, mut plain) = (1.0 - loss, 1.0);
        for link in self.routes[flow].iter().map(|&link| link as usize) {
            let early = self.early[link].map(|early| early.fate(ecn, self.shares[link], self.waiting[link]));
            let Fate { dropped, marked } = early.unwrap_or_default();
            arrives *= (1.0 - self.drops[link]) * (1.0 - dropped);
            plain *= 1.0 - marked;
        }
        Seen { queue_delay: self.path_delay(flow), loss: 1.0 - arrives, marks: 1.0 - plain }
    }

    /// Writes the time derivative of `state`, per second, to `out`.
    ///
    /// # Errors
    /// As [`FluidMap::solve`].
    pub fn derivative(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), Error> {
        self.evaluate(state, out, per_second)
    }

    /// Writes the change of `state` in one update every `period` seconds to `out`: a step, or `period` times the
    /// derivative.
    ///
    /// # Errors
    /// As [`FluidMap::solve`].
    pub fn update(&mut self, state: &[f64], period: f64, out: &mut [f64]) -> Result<(), Error> {
        self.evaluate(state, out, |unit, _| if unit == TimeUnit::Steps { 1.0 } else { period })
    }

    fn evaluate(&mut self, state: &[f64], out: &mut [f64], scale: impl Fn(TimeUnit, f64) -> f64) -> Result<(), Error> {
        self.observe(state)?;
        self.slopes(state, |at| self.seen(at), out, scale);
        Ok(())
    }

    /// Derivative of flow s with the path state `seen(s)`.
    pub(crate) fn slopes(
        &self,
        state: &[f64],
        seen: impl Fn(usize) -> Seen,
        out: &mut [f64],
        scale: impl Fn(TimeUnit, f64) -> f64,
    ) {
        for (at, flow) in self.flows.iter().enumerate() {
            let Seen { queue_delay, loss, marks } = seen(at);
            let (loss, marks) =
                if flow.counts_marks { (loss, marks) } else { (1.0 - (1.0 - loss) * (1.0 - marks), 0.0) };
            let is_ignored = self.losses == Losses::Paper && flow.law.adds_losses();
            let loss = if is_ignored { 0.0 } else { loss };
            // The law tells its round trip apart by its own base, which is at most all of it.
            let path = FluidPath {
                base_rtt: Duration::from_secs((flow.base_rtt + flow.base_error).min(flow.base_rtt + queue_delay)),
                queue_delay: Duration::from_secs((queue_delay - flow.base_error).max(0.0)),
                loss,
                marks,
            };
            let range = self.offsets[at]..self.offsets[at + 1];
            flow.law.derivative(&state[range.clone()], &path, &mut out[range.clone()]);
            // A window that does not limit the flow does not grow, and the law's memory waits (RFC 9438 §5.8).
            let is_held = state[range.start] >= flow.most && out[range.start] > 0.0;
            let factor = if is_held { 0.0 } else { scale(flow.unit, path.rtt()) };
            out[range].iter_mut().for_each(|value| *value *= factor);
        }
    }

    /// Least round-trip propagation delay, seconds.
    pub(crate) fn least_base_rtt(&self) -> f64 {
        self.flows.iter().map(|flow| flow.base_rtt).fold(f64::INFINITY, f64::min)
    }

    /// Round-trip time of a flow in the last evaluation, seconds.
    pub(crate) fn rtt(&self, flow: usize) -> f64 {
        self.flows[flow].base_rtt + self.path_delay(flow)
    }
}

/// Converts a derivative in a law's own time unit to one per second.
pub(crate) fn per_second(unit: TimeUnit, rtt: f64) -> f64 {
    if unit == TimeUnit::Steps { 1.0 / rtt } else { 1.0 }
}

/// Limit of the work of a run: some minutes over wires. `scenarios/many-flows.toml` takes 1 % of it.
const MOST_WORK: u64 = 4_000_000_000;

/// Lower limit of windows, packets; smaller ones are replaced by it.
const LEAST_WINDOW: f64 = 1e-9;

/// Y(w) = ½ Σ (v_s / w_s^ρ)² with v = w − x d − p: the Lyapunov function of QUIC-TCP (huang2020 App. B).
pub fn lyapunov(windows: &[f64], rates: &[f64], base_rtts: &[f64], backlogs: &[f64], rho: f64) -> f64 {
    let terms = windows.iter().zip(rates).zip(base_rtts.iter().zip(backlogs)).map(|((&w, &x), (&d, &p))| {
        let v = (w - x * d - p) / libm::pow(w, rho);
        v * v / 2.0
    });
    terms.sum()
}
