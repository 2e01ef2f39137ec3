//! One episode.

use super::beginning::Beginning;
use super::features::{FIGURES, History, Interval, over};
use super::shares::{Delivery, Piece, Sums, log_share, piece_at};
use std::sync::Arc;
use windward_laws::{AnyLaw, Heard, Reins};
use windward_sim::{FlowState, LawChoice, MakeLaw, Makers, Network, Output, Pause, Stepped};
use windward_units::{Control, Duration, PacketRate, Packets, Time};

/// Figures of an interval that are those of the whole network, in this order.
pub const OF_NETWORK: [&str; 7] =
    ["time_s", "interval_s", "certified_s", "regret", "slack", "episode_regret", "episode_slack"];

/// Meaning of an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// The window is multiplied by this number to the power of the action; over a law beneath, its window.
    Window(f64),
    /// The pacing rate is multiplied by 1 + this number · action, or divided by 1 - this number · action if that is
    /// below zero: Aurora's form. The window does not limit.
    Rate(f64),
    /// The pacing rate is the window of the law beneath a smoothed round trip, times this number to the power of the
    /// action.
    Pacing(f64),
    /// The window is what the path holds without a queue, and this number to the power of the action.
    Target(f64),
}

/// Length of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Every {
    /// A multiple of the greatest smoothed round-trip time of the agents, at least 10 ms.
    RoundTrips(f64),
    /// A time.
    Span(Duration),
    /// A number of ACKs of the first agent.
    Acks(u64),
}

/// Settings of an environment.
#[derive(Clone, Debug)]
pub struct EpisodeSettings {
    /// Number of agents.
    pub agents: usize,
    /// Meaning of an action.
    pub action: Action,
    /// True if an agent modulates the law that its flow has in the scenario.
    pub is_over_law: bool,
    /// Length of an interval.
    pub every: Every,
    /// Intervals that are observed together.
    pub history: usize,
    /// Indices of the observed features.
    pub features: Vec<usize>,
    /// Events of a step after which an episode is cut off.
    pub most_events: u64,
}

/// End of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ending {
    /// None: the episode goes on.
    Open = 0,
    /// All sized flows of the agents are complete.
    Complete = 1,
    /// The time of the scenario is over.
    OutOfTime = 2,
    /// The step had more events than allowed.
    TooManyEvents = 3,
    /// The step was cancelled: the episode is of no use.
    Cancelled = 4,
}

/// An episode.
pub struct Episode {
    stepped: Stepped,
    settings: Arc<EpisodeSettings>,
    agents: Vec<Agent>,
    /// All flows, as they were at the last stop.
    flows: Vec<FlowState>,
    deliveries: Vec<Delivery>,
    pieces: Vec<Piece>,
    /// Piece of the last stretch that was added.
    piece: Option<usize>,
    sums: Sums,
    figures: [f64; OF_NETWORK.len()],
    ending: Ending,
}

struct Agent {
    flow: usize,
    before: FlowState,
    heard: Heard,
    history: History,
    action: f64,
    rate: Option<f64>,
    greatest_rate: f64,
    /// ∫ log(x/x*) dt of the interval, and the seconds for which there is an x*.
    utility: [f64; 2],
    best: f64,
    figures: [f64; FIGURES.len()],
}

impl Episode {
    /// An episode of `scenario` in which agents control the flows with the indices `flows`, advanced to the first
    /// round-trip sample of one of them. `rate` is the pacing rate in packets per second with which agents begin who
    /// set one; by default the initial window in the first round trip.
    pub fn new(beginning: &Beginning<'_>, settings: &Arc<EpisodeSettings>, control: &Control) -> Self {
        let Beginning { scenario, flows, seed, rate, pieces } = beginning;
        let mut network = scenario.compile(*seed).network;
        let laws = flows.iter().map(|&flow| hold(&mut network, flow, settings, *rate)).collect();
        let stepped = Stepped::new(&network, &Makers { laws, ..Makers::default() }, *seed);
        let agent = |&flow: &usize| Agent {
            flow,
            before: FlowState::default(),
            heard: Heard::default(),
            history: History::new(settings.history, &settings.features),
            action: 0.0,
            rate: *rate,
            greatest_rate: 0.0,
            utility: [0.0; 2],
            best: 0.0,
            figures: [0.0; FIGURES.len()],
        };
        let mut episode = Self {
            agents: flows.iter().map(agent).collect(),
            flows: (0..network.flows.len()).map(|flow| stepped.flow(flow)).collect(),
            deliveries: Vec::new(),
            pieces: pieces.clone(),
            piece: None,
            sums: Sums::default(),
            figures: [0.0; OF_NETWORK.len()],
            ending: Ending::Open,
            settings: Arc::clone(settings),
            stepped,
        };
        episode.advance(control);
        while episode.ending == Ending::Open && episode.agents.iter().all(|agent| agent.before.srtt == Duration::ZERO) {
            episode.advance(control);
        }
        episode
    }

    /// Applies an action from -1 to 1 of each agent, and simulates an interval.
    pub fn step(&mut self, actions: &[f64], control: &Control) {
        if self.ending != Ending::Open {
            return;
        }
        for (at, action) in actions.iter().enumerate() {
            self.act(at, action.clamp(-1.0, 1.0));
        }
        self.advance(control);
    }

    fn act(&mut self, at: usize, action: f64) {
        let agent = &mut self.agents[at];
        let (srtt, cwnd) = (agent.before.srtt.as_secs(), agent.before.cwnd);
        let base = agent.heard.base_rtt.as_secs();
        let rtt = over(agent.figures[RTT], 1.0, 0.0);
        agent.action = action;
        let Some(reins) = self.stepped.reins(agent.flow) else { return };
        match self.settings.action {
            Action::Window(step) if self.settings.is_over_law => reins.set(libm::pow(step, action)),
            // Nothing to do leaves the events of the run as they are.
            Action::Window(_) if action == 0.0 => return,
            Action::Window(step) => reins.set((reins.setting() * libm::pow(step, action)).clamp(1.0, MOST_PACKETS)),
            Action::Rate(step) => {
                let first = || over(f64::from(agent.before.outstanding).max(1.0), srtt, LEAST_RATE);
                let before = agent.rate.unwrap_or_else(first);
                let change = 1.0 + step * action.abs();
                let rate = if action >= 0.0 { before * change } else { before / change };
                let rate = rate.clamp(LEAST_RATE, MOST_RATE);
                agent.rate = Some(rate);
                reins.set(MOST_PACKETS);
                reins.set_rate(Some(PacketRate::per_sec(rate)));
            }
            Action::Pacing(step) => {
                let rate = over(cwnd, srtt, LEAST_RATE) * libm::pow(step, action);
                reins.set_rate(Some(PacketRate::per_sec(rate.clamp(LEAST_RATE, MOST_RATE))));
            }
            Action::Target(step) => {
                let share = over(base, rtt, 1.0).min(1.0);
                reins.set((cwnd * share + libm::pow(step, action)).clamp(1.0, MOST_PACKETS));
            }
        }
        if !self.settings.is_over_law || action != 0.0 || self.stepped.flow(agent.flow).cwnd != cwnd {
            self.stepped.poke(agent.flow);
        }
    }

    /// Simulates an interval.
    fn advance(&mut self, control: &Control) {
        let begin = self.stepped.now();
        let last = self.stepped.events() + self.settings.most_events;
        let target = match self.settings.every {
            Every::Acks(_) => self.stepped.end(),
            Every::Span(span) => begin + span,
            Every::RoundTrips(count) => begin + self.round_trip().scale(count).max(LEAST_INTERVAL),
        };
        let (first, acks) = match self.settings.every {
            Every::Acks(acks) => (self.agents[0].flow, acks),
            _ => (0, u64::MAX),
        };
        for agent in &mut self.agents {
            agent.utility = [0.0; 2];
        }
        let sums = self.sums;
        let pause = loop {
            // The best rates change between two pieces: each is accounted for by itself.
            let next = self.pieces.iter().map(|piece| piece.from).find(|from| *from > self.stepped.now());
            let until = next.map_or(target, |next| next.min(target));
            let most = last.saturating_sub(self.stepped.events());
            let is_met = |stepped: &mut Stepped| {
                acks != u64::MAX && stepped.reins(first).is_some_and(|reins| reins.heard().acks >= acks)
            };
            let from = self.stepped.now();
            let pause = self.stepped.advance(until, most, control, is_met);
            self.account(from);
            if pause != Pause::Due || until == target {
                break pause;
            }
        };
        let (now, length_s) = (self.stepped.now(), self.stepped.now().since(begin).as_secs());
        for agent in &mut self.agents {
            if let Some(reins) = self.stepped.reins(agent.flow) {
                reins.take_heard(&mut agent.heard);
            }
            agent.look(&self.flows[agent.flow], length_s, now);
        }
        let regret = |now: f64, before: f64, span: f64| over(now - before, span, f64::NAN);
        let certified_s = self.sums.certified_s - sums.certified_s;
        self.figures = [
            now.as_secs(),
            length_s,
            certified_s,
            -regret(self.sums.utility_s, sums.utility_s, certified_s),
            regret(self.sums.slack_s, sums.slack_s, certified_s),
            -regret(self.sums.utility_s, 0.0, self.sums.certified_s),
            regret(self.sums.slack_s, 0.0, self.sums.certified_s),
        ];
        self.ending = match pause {
            Pause::Cancelled => Ending::Cancelled,
            Pause::Events => Ending::TooManyEvents,
            _ if self.agents.iter().all(|agent| agent.before.is_complete) => Ending::Complete,
            _ if now >= self.stepped.end() => Ending::OutOfTime,
            _ => Ending::Open,
        };
    }

    /// Adds what has arrived since `from` to the sums, and looks at all flows anew.
    fn account(&mut self, from: Time) {
        let length = self.stepped.now().since(from).as_secs();
        let piece = piece_at(&self.pieces, from);
        let best = piece.map_or(&[][..], |piece| &self.pieces[piece].rates);
        self.deliveries.clear();
        for (index, before) in self.flows.iter_mut().enumerate() {
            let after = self.stepped.flow(index);
            let packet = 8.0 * f64::from(after.segment);
            self.deliveries.push(Delivery {
                bits: 8.0 * (after.arrived - before.arrived) as f64,
                waiting: packet * f64::from(before.outstanding),
                packet,
                is_over: after.is_complete,
            });
            *before = after;
        }
        self.sums.add(length, best, &self.deliveries, piece != self.piece);
        self.piece = piece;
        for agent in &mut self.agents {
            agent.best = best.get(agent.flow).copied().unwrap_or(0.0);
            if agent.best > 0.0 && length > 0.0 {
                agent.utility[0] += length * log_share(&self.deliveries[agent.flow], length, agent.best);
                agent.utility[1] += length;
            }
        }
    }

    /// Greatest smoothed round-trip time of the agents.
    fn round_trip(&self) -> Duration {
        let open = self.agents.iter().filter(|agent| agent.before.is_open);
        open.map(|agent| agent.before.srtt).max().unwrap_or(Duration::ZERO)
    }

    /// End of the episode.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Writes the features of the last intervals of each agent, the oldest first.
    pub fn observe(&self, out: &mut [f32]) {
        let features = self.agents.iter().flat_map(|agent| agent.history.values());
        out.iter_mut().zip(features).for_each(|(out, feature)| *out = *feature);
    }

    /// Writes the figures of the last interval of each agent.
    pub fn figures(&self, out: &mut [f64]) {
        let figures = self.agents.iter().flat_map(|agent| &agent.figures);
        out.iter_mut().zip(figures).for_each(|(out, figure)| *out = *figure);
    }

    /// Figures of the last interval of the network.
    pub fn of_network(&self) -> &[f64; OF_NETWORK.len()] {
        &self.figures
    }

    /// Ends the run, and returns its output.
    pub fn finish(self) -> Output {
        self.stepped.finish()
    }
}

impl Agent {
    /// Sums up an interval of `length_s` seconds that ended at `now` with the flow in the state `after`.
    fn look(&mut self, after: &FlowState, length_s: f64, now: Time) {
        self.greatest_rate = self.greatest_rate.max(self.heard.rate);
        let interval = Interval {
            heard: &self.heard,
            before: &self.before,
            after,
            length_s,
            now,
            action: self.action,
            greatest_rate: self.greatest_rate,
        };
        let clipped = self.history.push(&interval.features());
        self.figures = [
            over(interval.bits(), length_s, 0.0),
            over(interval.sent(), length_s, 0.0),
            over(self.heard.acked, length_s, 0.0),
            interval.rtt(),
            self.heard.base_rtt.as_secs(),
            interval.loss(),
            interval.marks(),
            after.cwnd,
            over(self.utility[0], self.utility[1], f64::NAN),
            self.best,
            f64::from(u8::from(after.is_open)),
            f64::from(clipped),
        ];
        self.before = *after;
    }
}

/// Index of the round-trip time among [`FIGURES`].
const RTT: usize = 3;

/// Gives flow `flow` of `network` to an agent, as the next of the run's own laws. Returns the law's maker.
fn hold(network: &mut Network, flow: usize, settings: &EpisodeSettings, rate: Option<f64>) -> MakeLaw {
    let held = network.flows.iter().filter(|other| matches!(other.law, LawChoice::Own(_))).count();
    let own = std::mem::replace(&mut network.flows[flow].law, LawChoice::Own(held as u32));
    let base = match own {
        LawChoice::Known(spec) if settings.is_over_law => Some(spec),
        _ => None,
    };
    let action = settings.action;
    Arc::new(move |initial: Packets| {
        let mut reins = base.map_or_else(|| Reins::new(initial), |base| Reins::over(base.boxed(initial)));
        if let (Action::Rate(_), Some(rate)) = (action, rate) {
            reins.set(MOST_PACKETS);
            reins.set_rate(Some(PacketRate::per_sec(rate)));
        }
        AnyLaw::Reins(reins)
    })
}

/// Largest window, in packets.
const MOST_PACKETS: f64 = 1_048_576.0;

/// Least and largest pacing rate, in packets per second.
const LEAST_RATE: f64 = 1.0;
const MOST_RATE: f64 = 1e7;

/// Shortest interval of round trips.
const LEAST_INTERVAL: Duration = Duration::from_millis(10);
