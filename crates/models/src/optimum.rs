//! The scenario as a problem of network utility maximisation: the best possible rates.
//!
//! A flow's rate counts packets of the reference size, the largest full segment on the wire of any flow; a link carries
//! its bit rate in such packets. Every flow counts as active and unbounded; its start, stop and size are ignored.
//! Background sources and applications take their mean rate from the links they cross, and ACKs are not counted. A
//! packet lost on the wire has used its transmission time, so loss does not reduce a capacity; it reduces the goodput.

use crate::capacity::{CapacityError, Sharing, constraints, fixed_routes};
use crate::load::{AppOptimum, Load, Loads, MixedLoops, Servers};
use windward_laws::{self as laws, FluidLaw, FluidPath, LawSpec};
use windward_num::{Error, Network as Constraints, Options, Problem, Solution, Stop, Utility, solve_until};
use windward_scenario::{Compiled, Scenario};
use windward_sim::{FlowConfig, Ideal, LawChoice, Network, Route, Topology, Writing};
use windward_units::{Duration, Time};

/// Objective of the flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// Σ ln x: proportional fairness.
    Proportional,
    /// The lexicographically largest rates.
    MaxMin,
    /// α-fairness of this α ≥ 0.
    Alpha(f64),
    /// The utility that each flow's own law maximises on its path without a queue; ln x for laws without a utility, or
    /// with one that the solver does not support. Refused for a formula, which may have one that is not known.
    Law,
}

/// The best rates of a scenario, in bits a second.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// Names of the flows, their laws, and their utilities.
    pub flows: Vec<FlowOptimum>,
    /// Links, one for each one-way link.
    pub links: Vec<LinkOptimum>,
    /// Applications.
    pub apps: Vec<AppOptimum>,
    /// Largest multiple of the open loops' loads that fits beside the background, without the flows; `None` without
    /// open loops.
    pub load_multiple: Option<f64>,
    /// The solver's own answer; rates in packets of `packet_bytes` a second.
    pub solution: Solution,
    /// Size of the packet that rates and prices count.
    pub packet_bytes: u64,
}

/// The best rate of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowOptimum {
    /// Name of the flow.
    pub name: String,
    /// Law of the flow.
    pub law: String,
    /// The maximised utility.
    pub utility: Utility,
    /// Rate on the wire at the source, in bits a second.
    pub rate_bps: f64,
    /// Payload that arrives, in bits a second.
    pub goodput_bps: f64,
    /// Sum of the prices along the flow's route, with that of the pace of its applications.
    pub path_price: f64,
}

/// A link at the optimum.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkOptimum {
    /// Name of the link.
    pub name: String,
    /// Capacity left for the flows after background and applications, in bits a second; for a station or a link in a
    /// region, its rate under the best sharing.
    pub capacity_bps: f64,
    /// Rate of the flows over the link, in bits a second.
    pub load_bps: f64,
    /// Price: utility per rate; with weights in packets, a queueing delay in seconds.
    pub price: f64,
}

/// The network at an instant.
pub(crate) fn compiled_at(scenario: &Scenario, now: Time) -> Result<Compiled, Error> {
    let mut compiled = scenario.compile_at_rest();
    let topology = &compiled.network.topology;
    if let Some(at) = (0..compiled.links.len()).find(|at| !topology.is_up(*at as u32, now)) {
        return Err(Error::Invalid {
            at: format!("link `{}`", compiled.links[at].name),
            reason: format!("it is down at {}, and nothing crosses it", now.since(Time::ZERO)),
        });
    }
    compiled.network.topology = topology.at(now);
    Ok(compiled)
}

/// The best rates at an instant; stops once `stop` is set.
pub(crate) fn optimum(scenario: &Scenario, objective: Objective, now: Time, stop: &Stop) -> Result<Optimum, Error> {
    let compiled = compiled_at(scenario, now)?;
    let network = &compiled.network;
    let ask = |loads: &[Load]| -> Result<(Question<'_>, Solution), Error> {
        let question = Question::new(scenario, &compiled, objective, fixed_routes(network), loads)?;
        let solution = solve_until(&question.problem, &Options::default(), stop)?;
        Ok((question, solution))
    };
    if let Some(at) = network.apps.iter().position(|app| app.kind.demand().is_none()) {
        return Err(Error::Invalid {
            at: format!("app `{}`", compiled.apps[at].name),
            reason: "its demand depends on the network; the optimum has applications of requests alone".to_owned(),
        });
    }
    let mut loads = Loads::new(network);
    // Without flows the loads may exceed the capacities.
    let is_shared = !network.flows.is_empty();
    let open = if is_shared { loads.open() } else { Vec::new() };
    let (mut question, mut solution) = ask(&open)?;
    let mut apps = Vec::new();
    let mut load_multiple = None;
    if !loads.is_empty() {
        let bits = question.packet_bits();
        let alone = Question::new(scenario, &compiled, objective, fixed_routes(network), &[])?.problem.network;
        if loads.has_loops() {
            let servers = Servers::new(&alone, &solution, &loads.open(), bits);
            loads.close(&servers).map_err(|MixedLoops { apps: [one, other] }| Error::Invalid {
                at: format!("app `{}`", compiled.apps[other].name),
                reason: format!(
                    "it shares its bottleneck with the closed loop of `{}`, which has other sizes or pauses; the \
                     optimum has one kind of users a link",
                    compiled.apps[one].name
                ),
            })?;
            if is_shared {
                (question, solution) = ask(&loads.all())?;
            }
        }
        apps = loads.answer(&compiled, &Servers::new(&alone, &solution, &loads.open(), bits));
        load_multiple = self::load_multiple(scenario, &compiled, &loads.open(), bits, stop)?;
    }
    let used = question.problem.network.loads(&solution.rates);
    let arrives = |at: usize| 1.0 - path_loss(&network.topology, &network.flows[at].forward);
    Ok(Optimum { apps, load_multiple, ..question.answer(solution, &used, arrives) })
}

/// Largest θ for which θ times `loads` fits: the first level of max-min fairness with the loads as weights. `None`
/// without loads.
fn load_multiple(
    scenario: &Scenario,
    compiled: &Compiled,
    loads: &[Load],
    packet_bits: f64,
    stop: &Stop,
) -> Result<Option<f64>, Error> {
    let loads: Vec<&Load> = loads.iter().filter(|load| load.route.ports().next().is_some()).collect();
    if loads.is_empty() {
        return Ok(None);
    }
    let routes = loads.iter().map(|load| load.route.ports().collect()).collect();
    let network = region(scenario, compiled, routes, &[], packet_bits)?;
    let utilities = loads.iter().map(|load| Utility::MaxMin { weight: load.bps / packet_bits }).collect();
    let solution = solve_until(&Problem { network, utilities }, &Options::default(), stop)?;
    let multiple = |(rate, load): (&f64, &&Load)| rate * packet_bits / load.bps;
    Ok(solution.rates.iter().zip(&loads).map(multiple).reduce(f64::min))
}

/// The first flow whose applications write or read at their own pace.
pub(crate) fn paced(compiled: &Compiled) -> Option<&str> {
    let is_paced = |flow: &FlowConfig| flow.tcp.writing.is_some() || flow.tcp.reading.is_some();
    let at = compiled.network.flows.iter().position(is_paced)?;
    Some(&compiled.flows[at].label)
}

/// Rate of payload, in bits a second, at which the applications of a flow write and read; `None` without such.
fn pace(flow: &FlowConfig) -> Option<f64> {
    let written = flow.tcp.writing.map(Writing::rate);
    let read = flow.tcp.reading.as_ref().and_then(|reading| reading.rate).map(|rate| rate.as_bits_per_sec() as f64);
    written.into_iter().chain(read).reduce(f64::min)
}

/// Rate at which a flow with the pace of its applications sends, in bits a second on the wire.
fn cap(flow: &FlowConfig, network: &Network) -> Option<f64> {
    let tcp = &flow.tcp;
    let write = tcp.writing.map_or(tcp.segment.count(), |writing| (writing.rate() * writing.span() / 8.0) as u64);
    let write = write.max(1);
    let headers = Ideal::wire_bytes(write, tcp) as f64 / write as f64;
    let arrives = 1.0 - path_loss(&network.topology, &flow.forward);
    Some(pace(flow)? * headers / arrives)
}

/// A scenario as a problem.
pub(crate) struct Question<'a> {
    pub compiled: &'a Compiled,
    pub problem: Problem,
    pub packet_bytes: u64,
}

impl<'a> Question<'a> {
    /// Makes the problem; `routes` are the ports that each flow crosses, or may cross.
    pub fn new(
        scenario: &Scenario,
        compiled: &'a Compiled,
        objective: Objective,
        routes: Vec<Vec<u32>>,
        loads: &[Load],
    ) -> Result<Self, Error> {
        let network = &compiled.network;
        let apps = network.apps.iter().map(|app| app.tcp.wire_bytes());
        let largest = network.flows.iter().map(|flow| flow.tcp.wire_bytes()).max().or(apps.max());
        let packet_bytes = largest.unwrap_or(1);
        let packet_bits = packet_bytes as f64 * 8.0;
        if let Some(transfer) = network.transfers.first() {
            return Err(Error::Invalid {
                at: format!("flow `{}`", compiled.flows[transfer.flows.start].label),
                reason: "`connections` is not supported by the optimum: it has no utility function".to_owned(),
            });
        }
        let pauses = |flow: &FlowConfig| flow.tcp.reading.as_ref().is_some_and(|reading| !reading.pauses.is_empty());
        if let Some(at) = network.flows.iter().position(pauses) {
            let reason = "pauses of `read` are not supported by the optimum: its rates are constant";
            return Err(Error::Invalid {
                at: format!("flow `{}`", compiled.flows[at].label),
                reason: reason.to_owned(),
            });
        }
        let is_formula = |flow: &FlowConfig| {
            matches!(flow.law, LawChoice::Known(LawSpec::Formula(_)) | LawChoice::Quic(LawSpec::Formula(_), _))
        };
        if objective == Objective::Law
            && let Some(at) = network.flows.iter().position(is_formula)
        {
            let reason = "the utility of a formula is not known\nhint: choose another objective, such as proportional";
            return Err(Error::Invalid {
                at: format!("flow `{}`", compiled.flows[at].label),
                reason: reason.to_owned(),
            });
        }
        let mut constraints = region(scenario, compiled, routes, loads, packet_bits)?;
        // The pace of an application is the capacity of a link of its own.
        for (at, flow) in network.flows.iter().enumerate() {
            if let Some(cap) = cap(flow, network) {
                constraints.routes[at].push(constraints.links.len() as u32);
                constraints.links.push(windward_num::Link::Wired(cap / packet_bits));
            }
        }
        let utilities = network.flows.iter().map(|flow| utility(objective, flow, network, packet_bits)).collect();
        Ok(Self { compiled, problem: Problem { network: constraints, utilities }, packet_bytes })
    }

    /// Number of bits of a packet.
    pub fn packet_bits(&self) -> f64 {
        self.packet_bytes as f64 * 8.0
    }

    /// Converts a solution to bits a second; `arrives` is the share of a flow's packets that arrives.
    pub fn answer(&self, solution: Solution, loads: &[f64], arrives: impl Fn(usize) -> f64) -> Optimum {
        let Compiled { network, flows, links, .. } = self.compiled;
        let packet_bits = self.packet_bits();
        let flows = network.flows.iter().zip(flows).enumerate().map(|(at, (flow, name))| {
            let rate_bps = solution.rates[at] * packet_bits;
            let payload = flow.tcp.segment.count() as f64 / flow.tcp.wire_bytes() as f64;
            // Writes below a segment have more headers where nothing makes them wait and fill up.
            let most = pace(flow).unwrap_or(f64::INFINITY);
            FlowOptimum {
                name: name.name.clone(),
                law: name.law.clone(),
                utility: self.problem.utilities[at],
                rate_bps,
                goodput_bps: (rate_bps * payload * arrives(at)).min(most),
                path_price: solution.path_prices[at],
            }
        });
        let links = links.iter().enumerate().map(|(at, name)| LinkOptimum {
            name: name.name.clone(),
            capacity_bps: solution.link_rates[at] * packet_bits,
            load_bps: loads[at] * packet_bits,
            price: solution.prices[at],
        });
        Optimum {
            flows: flows.collect(),
            links: links.collect(),
            apps: Vec::new(),
            load_multiple: None,
            solution,
            packet_bytes: self.packet_bytes,
        }
    }
}

/// Capacity region of the network with `routes`, beside background and `loads`.
fn region(
    scenario: &Scenario,
    compiled: &Compiled,
    routes: Vec<Vec<u32>>,
    loads: &[Load],
    packet_bits: f64,
) -> Result<Constraints, Error> {
    let refused = |at: usize, reason: &str| Error::Invalid {
        at: format!("link `{}`", compiled.links[at].name),
        reason: reason.to_owned(),
    };
    let plans = (scenario.regions(), scenario.wireless());
    let best = (Sharing::Best, loads);
    let found = constraints(&compiled.network, routes, plans, packet_bits, best).map_err(|error| match error {
        CapacityError::Full(at) if loads.is_empty() => refused(at, "background traffic takes all of its capacity"),
        CapacityError::Full(at) => refused(at, "background traffic and applications take all of its capacity"),
        CapacityError::BackgroundInMedium(at, medium) => {
            refused(at, &format!("background traffic over {medium} is not supported by the optimum; use `simulate`"))
        }
        CapacityError::Saturated(at) => refused(at, SATURATED),
        CapacityError::LoadInMedium(at) => refused(
            at,
            "applications beside flows over a shared medium are not supported by the optimum; remove the flows for the \
             largest multiple of the load, or use `simulate`",
        ),
        CapacityError::Channels(at) => refused(at, CHANNELS),
        CapacityError::Motion(at) => refused(at, "the stations move, and with them what the optimum would be"),
        CapacityError::Places(at) => refused(
            at,
            "the stations of its cell have places, so that their channels depend on handovers, loads and the seed; the \
             optimum is known for stations with an `snr`",
        ),
        CapacityError::Dead(at) => refused(at, DEAD),
        CapacityError::Scheduler(..) | CapacityError::Airtime(..) => {
            unreachable!("the best sharing asks for no scheduler")
        }
    })?;
    Ok(found.network)
}

/// Reason why a link with a saturated source has no capacity for flows.
pub(crate) const SATURATED: &str =
    "a saturated background source has no rate of its own; give it the pattern \"cbr\", or use `simulate`";

/// Reason why a link that delivers nothing has no rates.
pub(crate) const DEAD: &str = "nothing arrives over it: its signal or its `loss` leaves no packet at any rate";

/// Reason why a slotted network has no region here.
pub(crate) const CHANNELS: &str = "with access by max-weight, links that may be OFF have a region here only where every two of them \
                                   conflict, and up to 12 of them";

/// Propagation delay along `route`, seconds.
pub(crate) fn propagation(topology: &Topology, route: &Route) -> f64 {
    route.ports().map(|port| topology.delay(port).as_secs()).sum()
}

/// Probability that a packet is lost on the wire somewhere along `route`.
pub(crate) fn path_loss(topology: &Topology, route: &Route) -> f64 {
    1.0 - route.ports().map(|port| 1.0 - topology.mean_loss(port)).product::<f64>()
}

fn utility(objective: Objective, flow: &FlowConfig, network: &Network, packet_bits: f64) -> Utility {
    match objective {
        Objective::Proportional => Utility::ProportionalFair { weight: 1.0 },
        Objective::MaxMin => Utility::MaxMin { weight: 1.0 },
        Objective::Alpha(alpha) => Utility::AlphaFair { weight: 1.0, alpha },
        Objective::Law => law_utility(flow, network, packet_bits),
    }
}

/// The utility of a flow's own law, in packets of `packet_bits`.
fn law_utility(flow: &FlowConfig, network: &Network, packet_bits: f64) -> Utility {
    let packets = flow.tcp.wire_bytes() as f64 * 8.0 / packet_bits;
    let (LawChoice::Known(spec) | LawChoice::Quic(spec, _)) = &flow.law else {
        return Utility::ProportionalFair { weight: 1.0 };
    };
    let loss = path_loss(&network.topology, &flow.forward);
    // Without propagation there is no square-root law; a microsecond stands for none.
    let rtt =
        (propagation(&network.topology, &flow.forward) + propagation(&network.topology, &flow.backward)).max(1e-6);
    let path = FluidPath { base_rtt: Duration::from_secs(rtt), queue_delay: Duration::ZERO, loss, marks: 0.0 };
    // With losses a delay-based law maximises no known utility; that of its paper stands for it.
    let known = |law: &dyn FluidLaw| law.maximises(&path).or_else(|| law.backlog().map(laws::Utility::Backlog));
    match spec.fluid().and_then(|law| known(&*law)) {
        Some(laws::Utility::Backlog(backlog)) => Utility::ProportionalFair { weight: backlog.count() * packets },
        // The solver has the form for rare losses, −2S²/(T²x) − εx, with x in packets of the reference size.
        Some(laws::Utility::SquareRoot { k }) => Utility::Reno { segment: packets * (k / 2.0).sqrt(), rtt, loss },
        // Without loss on the wire (k/T)·ln x, up to a constant where losses are rare.
        Some(laws::Utility::Logarithm { k }) if loss == 0.0 => Utility::ProportionalFair { weight: packets * k / rtt },
        // The solver's has no place for the path's own loss, which is part of this price, and no entropy.
        Some(laws::Utility::Logarithm { .. } | laws::Utility::Power { .. } | laws::Utility::Entropy { .. }) | None => {
            Utility::ProportionalFair { weight: 1.0 }
        }
    }
}
