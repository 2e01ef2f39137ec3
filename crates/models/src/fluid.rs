//! The scenario as differential equations: the trajectory and equilibrium of its windows.
//!
//! All flows send from the beginning and forever; background and applications take their mean rates. The assumptions of
//! [`super::optimum`] about capacities and loss hold here too. A link drops packets that exceed its buffer; its
//! discipline drops or marks earlier.

use crate::capacity::{Capacity, CapacityError, Sharing, constraints, fixed_routes};
use crate::early;
use crate::load::Loads;
use crate::optimum::{paced, path_loss, propagation};
use std::sync::Arc;
use thiserror::Error;
use windward_fluid::{
    Airtime, Classes, Early, FluidFlow, Losses, Method, Model, Trajectory, integrate_pieces, lyapunov,
};
use windward_laws::{LawSpec, Lyapunov};
use windward_num::{Link, Network as Constraints, Stop};
use windward_scenario::{Compiled, FlowName, KnownBase, Scenario};
use windward_sim::cell::SchedulerConfig;
use windward_sim::{AppConfig, Arrivals, Buffer, FlowConfig, Jitter, LawChoice, LinkConfig, Network, QueueConfig};
use windward_units::{Control, Duration, Time};

/// Reason why a scenario has no fluid form.
#[derive(Debug, Error)]
pub enum FluidError {
    /// A law was written in Python.
    #[error("flow `{0}`: a law in Python has no fluid model\nhint: choose one of Windward's laws")]
    PythonLaw(String),
    /// TFRC has no window.
    #[error(
        "flow `{0}`: TFRC is not supported by the fluid engine\nhint: it is made to rest where `law = \"reno\"` does"
    )]
    Tfrc(String),
    /// A transfer over a changing number of connections.
    #[error(
        "flow `{0}`: `connections` is not supported by the fluid engine\nhint: remove it, or use \
         windward.fluid.follow_emultcp in Python"
    )]
    Connections(String),
    /// Applications with a pace of their own.
    #[error(
        "flow `{0}`: `write` and `read` are not supported by the fluid engine\nhint: remove them, or use `simulate`"
    )]
    Paced(String),
    /// A key of a flow that its equations do not contain.
    #[error("flow `{0}`: `{1}` is not supported by the fluid engine\nhint: remove it, or use `simulate`")]
    FlowKey(String, &'static str),
    /// A key of a link that its equations do not contain.
    #[error("link `{0}`: `{1}` is not supported by the fluid engine\nhint: remove it, or use `simulate`")]
    LinkKey(String, &'static str),
    /// An application whose demand depends on the network.
    #[error("app `{0}`: its demand depends on the network, which the fluid engine does not know\nhint: use `simulate`")]
    Demand(String),
    /// A closed loop, whose load depends on the answer.
    #[error("app `{0}`: closed loops are not supported by the fluid engine\nhint: use `optimum` or `simulate`")]
    ClosedLoop(String),
    /// The load of an application over a shared medium.
    #[error(
        "link `{0}`: applications over a shared medium are not supported by the fluid engine\nhint: use `simulate`"
    )]
    LoadInMedium(String),
    /// No flow; true if there are applications, whose loads the optimum knows.
    #[error(
        "there is no flow, and so no window to follow\nhint: use {}`simulate`",
        if *.0 { "`optimum` for the applications' loads, or " } else { "" }
    )]
    NoFlows(bool),
    /// Windows of different packets cannot be added.
    #[error("the flows' packets differ in size, {0} and {1} B on the wire\nhint: give all flows the same `segment`")]
    PacketSizes(u64, u64),
    /// A flow has no propagation delay.
    #[error("flow `{0}` has no propagation delay: its whole window would be queued\nhint: give its links a `delay`")]
    NoDelay(String),
    /// The background fills a link.
    #[error("link `{0}`: background traffic takes all of its capacity")]
    Full(String),
    /// A saturated source.
    #[error("link `{0}`: {reason}", reason = crate::optimum::SATURATED)]
    Saturated(String),
    /// Background over a shared medium.
    #[error(
        "link `{0}`: background traffic over {1} is not supported by the fluid engine\nhint: use `simulate`, or end it \
         before {1}"
    )]
    BackgroundInMedium(String, &'static str),
    /// A slotted network whose links may be OFF.
    #[error("link `{0}`: {reason}", reason = crate::optimum::CHANNELS)]
    Channels(String),
    /// A link that is down.
    #[error(
        "link `{0}` is down at {1}: with nothing to be sent there is no window to follow\nhint: let its `rate` fall \
         instead, or use `simulate`"
    )]
    Down(String, Duration),
    /// A law that has no fluid form.
    #[error("flow `{0}`: no differential equation of `{1}` is known here\nhint: use `windward simulate`")]
    Rates(String, &'static str),
    /// Stations that move.
    #[error("link `{0}`: stations that move are not supported by the fluid engine")]
    Motion(String),
    /// Stations of a cell that have places.
    #[error(
        "link `{0}`: stations of cells that have places are not supported by the fluid engine\nhint: give them an `snr`"
    )]
    Places(String),
    /// A scheduler without a fluid form.
    #[error("the scheduler {0} is not supported by the fluid engine\nhint: use {1}")]
    Scheduler(String, &'static str),
    /// A policer, whose drops depend on bursts.
    #[error("link `{0}`: policers are not supported by the fluid engine\nhint: use `simulate`")]
    Policer(String),
    /// A link that delivers nothing.
    #[error("link `{0}`: {reason}", reason = crate::optimum::DEAD)]
    Dead(String),
    /// A channel whose division is not known.
    #[error(
        "link `{0}`: {1}\nhint: use `simulate`; one sender to several stations with queues of their own is supported"
    )]
    Airtime(String, &'static str),
    /// Bursts that a wire ahead of Wi-Fi drops: the wire and its buffer, the flow and its window at rest, in packets.
    #[error(
        "link `{wire}`: bursts that overflow a buffer are not supported by the fluid engine: ACKs that waited for the \
         air release up to the window of flow `{flow}` at once, {window:.0} packets, and the buffer holds {buffer:.0}\n\
         hint: use `simulate`, or `buffer = \"{window:.0} packets\"`"
    )]
    Bursts {
        /// The wire.
        wire: String,
        /// Its buffer.
        buffer: f64,
        /// The flow.
        flow: String,
        /// Its window.
        window: f64,
    },
    /// The map from windows to rates failed.
    #[error(transparent)]
    Num(#[from] windward_num::Error),
}

/// Result of a fluid run.
#[derive(Clone, Debug)]
pub struct FluidRun {
    /// Names of the flows and their laws.
    pub flows: Vec<(String, String)>,
    /// For each piece of the run, by flow: payload share of a packet times its probability of arrival, which converts
    /// rate to goodput.
    pub efficiency: Vec<Vec<f64>>,
    /// Bits of a packet on the wire.
    pub packet_bits: f64,
    /// The samples, by class of flows; windows in packets, rates in packets a second, delays in seconds.
    pub trajectory: Trajectory,
    /// Class of each flow: identical flows are followed once for all.
    pub class: Vec<u32>,
    /// Y(w) of every sample, which never increases (huang2020 App. B). Present only if the laws of all flows have a
    /// term in one Lyapunov function, as QUIC-TCP with one ρ.
    pub lyapunov: Option<Vec<f64>>,
}

/// Follows the windows for the scenario's duration; reports progress to `control`, and ends with an error when it is
/// cancelled.
pub(crate) fn fluid(
    scenario: &Scenario,
    method: Method,
    losses: Losses,
    control: &Arc<Control>,
) -> Result<FluidRun, FluidError> {
    let compiled = scenario.compile_at_rest();
    let network = &compiled.network;
    let is_loop =
        |app: &AppConfig| app.kind.demand().is_none_or(|demand| matches!(demand.arrivals, Arrivals::Closed { .. }));
    if let Some(at) = network.apps.iter().position(is_loop) {
        let (app, name) = (&network.apps[at], compiled.apps[at].name.clone());
        // The optimum has closed loops, but no videos and pages.
        let has_optimum = network.apps.iter().all(|app| app.kind.demand().is_some());
        return Err(match (app.kind.demand(), has_optimum) {
            (Some(_), true) => FluidError::ClosedLoop(name),
            _ => FluidError::Demand(name),
        });
    }
    let spec = |(flow, name): (&FlowConfig, &FlowName)| match flow.law {
        LawChoice::Known(spec) | LawChoice::Quic(spec, _) => Ok(spec),
        LawChoice::Tfrc(_) => Err(FluidError::Tfrc(name.name.clone())),
        LawChoice::Own(_) => Err(FluidError::PythonLaw(name.name.clone())),
    };
    let specs: Vec<LawSpec> = network.flows.iter().zip(&compiled.flows).map(spec).collect::<Result<_, _>>()?;
    if let Some(transfer) = network.transfers.first() {
        return Err(FluidError::Connections(compiled.flows[transfer.flows.start].label.clone()));
    }
    if let Some(label) = paced(&compiled) {
        return Err(FluidError::Paced(label.to_owned()));
    }
    if let Some((at, key)) = network.flows.iter().enumerate().find_map(|(at, flow)| Some((at, unknown_key(flow)?))) {
        return Err(FluidError::FlowKey(compiled.flows[at].name.clone(), key));
    }
    let crossed = network.flows.iter().flat_map(|flow| flow.forward.ports().chain(flow.backward.ports()));
    let of_link = |port: u32| Some((port, unknown_key_of(network.topology.link(port)?)?));
    if let Some((port, key)) = crossed.into_iter().find_map(of_link) {
        return Err(FluidError::LinkKey(compiled.links[port as usize].name.clone(), key));
    }
    let bytes = network.flows.first().map_or(1, |flow| flow.tcp.wire_bytes());
    if let Some(other) = network.flows.iter().map(|flow| flow.tcp.wire_bytes()).find(|&other| other != bytes) {
        return Err(FluidError::PacketSizes(bytes, other));
    }
    let packet_bits = bytes as f64 * 8.0;
    let span = network.timing.duration;
    let changes = network.topology.changes().into_iter().filter(|at| *at > Time::ZERO && *at < span);
    let begins: Vec<Time> = [Time::ZERO].into_iter().chain(changes).collect();
    let pieces: Vec<Piece> =
        begins.iter().map(|&begin| Piece::new(scenario, &compiled, packet_bits, begin)).collect::<Result<_, _>>()?;
    let is_policer = |port: u32| matches!(network.topology.discipline(port), QueueConfig::Policer(_));
    if let Some(port) = (0..network.topology.ports.len() as u32).find(|&port| is_policer(port)) {
        return Err(FluidError::Policer(compiled.links[port as usize].name.clone()));
    }
    if network.flows.is_empty() {
        return Err(FluidError::NoFlows(!network.apps.is_empty()));
    }
    let errors: Vec<Vec<f64>> = pieces.iter().map(|piece| base_errors(scenario, &pieces[0], piece)).collect();
    let classes = classes(network, &specs, &pieces, &errors);
    let stop = Stop::when({
        let control = Arc::clone(control);
        move || control.is_cancelled()
    });
    let model = |(piece, errors): (&Piece, &Vec<f64>)| -> Result<Model, FluidError> {
        Ok(piece.model(&compiled, &specs, errors, &classes, &stop)?.with_losses(losses))
    };
    let mut models: Vec<Model> = pieces.iter().zip(&errors).map(model).collect::<Result<_, _>>()?;
    let windows: Vec<f64> = classes.of_flows(&network.flows).map(|flow| f64::from(flow.tcp.initial_window)).collect();
    let interval = network.timing.sample_interval.as_secs();
    let mut models: Vec<_> = begins.iter().map(|begin| begin.as_secs()).zip(&mut models).collect();
    let tell = |now: f64| control.set_simulated(Time::ZERO + Duration::from_secs(now));
    let trajectory = integrate_pieces(&mut models, &windows, span.as_secs(), interval, method, &tell)?;
    let of_flows = |row: &[f64]| classes.flow.iter().map(|&class| row[class as usize]).collect::<Vec<f64>>();
    if let (Some(piece), Some(windows), Some(rates)) =
        (pieces.last(), trajectory.windows.last(), trajectory.rates.last())
        && let Some((port, at)) = piece.overflowed(network, &of_flows(windows), &of_flows(rates))
    {
        return Err(FluidError::Bursts {
            wire: compiled.links[port as usize].name.clone(),
            buffer: piece.buffers[port as usize],
            flow: compiled.flows[at].name.clone(),
            window: of_flows(windows)[at].ceil(),
        });
    }
    Ok(FluidRun {
        flows: compiled.flows.iter().map(|name| (name.name.clone(), name.law.clone())).collect(),
        packet_bits,
        lyapunov: lyapunov_of(&specs, &errors).map(|(rho, backlogs)| {
            let samples = trajectory.time.iter().zip(&trajectory.windows).zip(&trajectory.rates);
            samples
                .map(|((&time, windows), rates)| {
                    let base_rtts = &pieces[trajectory.piece_at(time)].base_rtts;
                    lyapunov(&of_flows(windows), &of_flows(rates), base_rtts, &backlogs, rho)
                })
                .collect()
        }),
        trajectory,
        efficiency: pieces.into_iter().map(|piece| piece.efficiency).collect(),
        class: classes.flow,
    })
}

/// Key of a flow that the equations do not contain: its sender or its packets follow other rules.
fn unknown_key(flow: &FlowConfig) -> Option<&'static str> {
    let tcp = &flow.tcp;
    [
        ("receive_buffer", tcp.receive_buffer.is_some()),
        ("send_buffer", tcp.send_buffer.is_some()),
        ("coding", flow.coding.is_some()),
        ("ack_counting", tcp.ack_counting),
        ("ack_division", tcp.ack_division > 1),
        ("optimistic_acks", tcp.optimistic_acks.is_some()),
        ("device_queue", tcp.device_queue.is_some()),
    ]
    .into_iter()
    .find_map(|(key, is_given)| is_given.then_some(key))
}

/// Key of a link that the equations do not contain: its delays are not those of propagation and queue.
fn unknown_key_of(link: &LinkConfig) -> Option<&'static str> {
    [("jitter", link.jitter != Jitter::None), ("reorder", link.reorder.is_some()), ("hold", link.hold.is_some())]
        .into_iter()
        .find_map(|(key, is_given)| is_given.then_some(key))
}

/// Error of each flow's base RTT in a piece: a known base is that of the `first` piece's path, or as given.
fn base_errors(scenario: &Scenario, first: &Piece, piece: &Piece) -> Vec<f64> {
    let error = |(known, (at_first, now)): (KnownBase, (&f64, &f64))| match known {
        KnownBase::Found => 0.0,
        KnownBase::Path => at_first - now,
        KnownBase::Given(known) => known.as_secs() - now,
    };
    scenario.known_base_rtts().zip(first.base_rtts.iter().zip(&piece.base_rtts)).map(error).collect()
}

/// A part of the run in which the network does not change: data of each link, and of each flow.
struct Piece {
    constraints: Constraints,
    channels: Vec<Airtime>,
    buffers: Vec<f64>,
    early: Vec<Option<Early>>,
    base_rtts: Vec<f64>,
    losses: Vec<f64>,
    efficiency: Vec<f64>,
}

impl Piece {
    /// The network from `begin` on.
    fn new(scenario: &Scenario, compiled: &Compiled, packet_bits: f64, begin: Time) -> Result<Self, FluidError> {
        if let Some(at) = (0..compiled.links.len()).find(|at| !compiled.network.topology.is_up(*at as u32, begin)) {
            return Err(FluidError::Down(compiled.links[at].name.clone(), begin.since(Time::ZERO)));
        }
        let network = &Network { topology: compiled.network.topology.at(begin), ..compiled.network.clone() };
        let Capacity { network: constraints, channels } = constraints(
            network,
            fixed_routes(network),
            (scenario.regions(), scenario.wireless()),
            packet_bits,
            (Sharing::Scheduler, &Loads::new(network).open()),
        )
        .map_err(|error| match error {
            CapacityError::Full(at) => FluidError::Full(compiled.links[at].name.clone()),
            CapacityError::Saturated(at) => FluidError::Saturated(compiled.links[at].name.clone()),
            CapacityError::BackgroundInMedium(at, medium) => {
                FluidError::BackgroundInMedium(compiled.links[at].name.clone(), medium)
            }
            CapacityError::LoadInMedium(at) => FluidError::LoadInMedium(compiled.links[at].name.clone()),
            CapacityError::Channels(at) => FluidError::Channels(compiled.links[at].name.clone()),
            CapacityError::Motion(at) => FluidError::Motion(compiled.links[at].name.clone()),
            CapacityError::Dead(at) => FluidError::Dead(compiled.links[at].name.clone()),
            CapacityError::Airtime(at, why) => FluidError::Airtime(compiled.links[at].name.clone(), why),
            CapacityError::Places(at) => FluidError::Places(compiled.links[at].name.clone()),
            CapacityError::Scheduler(scheduler, others) => {
                let name = match scheduler {
                    SchedulerConfig::Own(index) => scenario.python_schedulers()[index as usize].class.clone(),
                    known => format!("{known:?}"),
                };
                FluidError::Scheduler(name, others)
            }
        })?;
        let base_rtts: Vec<f64> = network.flows.iter().map(|flow| base_rtt(network, flow)).collect();
        if let Some(at) = base_rtts.iter().position(|&base_rtt| base_rtt <= 0.0) {
            return Err(FluidError::NoDelay(compiled.flows[at].name.clone()));
        }
        let buffers = (0..).zip(network.topology.ports.iter()).map(|(port, _)| network.topology.buffer(port));
        let buffers = buffers.zip(&constraints.links).map(|(buffer, link)| match (buffer, link) {
            (Buffer::Packets(packets), _) => packets as f64,
            (Buffer::Bytes(bytes), _) => bytes.count() as f64 * 8.0 / packet_bits,
            (Buffer::Time(time), Link::Wired(capacity)) => time.as_secs() * capacity,
            (Buffer::Unlimited | Buffer::Time(_), _) => f64::INFINITY,
        });
        let buffers = buffers.collect();
        let losses: Vec<f64> = network.flows.iter().map(|flow| path_loss(&network.topology, &flow.forward)).collect();
        let efficiency = network.flows.iter().zip(&losses).map(|(flow, loss)| {
            let payload = flow.tcp.segment.count() as f64 * 8.0 / packet_bits;
            payload * (1.0 - loss)
        });
        let efficiency = efficiency.collect();
        Ok(Self { constraints, channels, buffers, early: early::early(network), base_rtts, losses, efficiency })
    }

    /// A wire ahead of Wi-Fi whose buffer does not hold the window of a flow, and that flow. A wire that has a queue at
    /// rest drops in the equations too.
    fn overflowed(&self, network: &Network, windows: &[f64], rates: &[f64]) -> Option<(u32, usize)> {
        let is_on_air =
            |port: &u32| self.channels.iter().any(|channel| channel.links.iter().any(|(link, ..)| link == port));
        let paths: Vec<Vec<u32>> = network.flows.iter().map(|flow| flow.forward.ports().collect()).collect();
        let load = |port: &u32| -> f64 {
            paths.iter().zip(rates).filter(|(path, _)| path.contains(port)).map(|(_, rate)| rate).sum()
        };
        let is_short = |port: &u32, window: f64| {
            let is_idle = match self.constraints.links[*port as usize] {
                Link::Wired(capacity) => load(port) < MOST_IDLE * capacity,
                Link::Wireless => false,
            };
            is_idle && self.buffers[*port as usize] < window
        };
        paths.iter().zip(windows).enumerate().find_map(|(at, (path, &window))| {
            let air = path.iter().position(is_on_air)?;
            path[..air].iter().find(|port| is_short(port, window)).map(|&port| (port, at))
        })
    }

    /// The differential equations of a flow of each class.
    fn model(
        &self,
        compiled: &Compiled,
        specs: &[LawSpec],
        errors: &[f64],
        classes: &Classes,
        stop: &Stop,
    ) -> Result<Model, FluidError> {
        let flow = |&(at, _): &(usize, f64)| {
            let flow = FluidFlow::new(&specs[at], self.base_rtts[at], self.losses[at]);
            let mut flow = flow.ok_or_else(|| FluidError::Rates(compiled.flows[at].name.clone(), specs[at].name()))?;
            flow.base_error = errors[at];
            flow.ecn = early::ecn(compiled.network.flows[at].tcp.ecn);
            flow.most = f64::from(compiled.network.flows[at].tcp.window());
            Ok(flow)
        };
        let flows = classes.flows.iter().map(flow).collect::<Result<Vec<FluidFlow>, FluidError>>()?;
        let buffers = classes.of_links(&self.buffers).copied().collect();
        let model = Model::new(classes.network(&self.constraints), flows, buffers)?;
        let model = model.with_early(classes.of_links(&self.early).copied().collect()).with_classes(classes);
        let of_class = |channel: &Airtime| Airtime {
            links: channel
                .links
                .iter()
                .map(|&(link, time, weight)| (classes.link[link as usize], time, weight))
                .collect(),
        };
        let mut model = model.with_airtime(self.channels.iter().map(of_class).collect());
        model.stop_when(stop.clone());
        Ok(model)
    }
}

/// Classes of flows and links that are identical in every piece of the run.
fn classes(network: &Network, specs: &[LawSpec], pieces: &[Piece], errors: &[Vec<f64>]) -> Classes {
    let flow = |(at, (flow, spec)): (usize, (&FlowConfig, &LawSpec))| {
        let path: Vec<[u64; 3]> = pieces
            .iter()
            .zip(errors)
            .map(|(piece, errors)| [piece.base_rtts[at], piece.losses[at], errors[at]].map(f64::to_bits))
            .collect();
        // A law's parameters are numbers, written with all digits that distinguish them.
        let windows = [flow.tcp.initial_window, flow.tcp.window()];
        (format!("{spec:?}"), windows, early::ecn(flow.tcp.ecn) as u8, path)
    };
    let flows: Vec<_> = network.flows.iter().zip(specs).enumerate().map(flow).collect();
    let link = |at: usize| {
        let of_piece = |piece: &Piece| {
            let early = piece.early[at].map_or_else(String::new, |early| format!("{early:?}"));
            let is_shared = piece.channels.iter().flat_map(|channel| &channel.links).any(|link| link.0 as usize == at);
            match piece.constraints.links[at] {
                // Links of a channel differ, so that their airtimes are their own.
                Link::Wired(_) if is_shared => (0, piece.buffers[at].to_bits(), early, Some(at)),
                Link::Wired(capacity) => (capacity.to_bits(), piece.buffers[at].to_bits(), early, None),
                // The effect of a region on its links depends on their order.
                Link::Wireless => (0, 0, early, Some(at)),
            }
        };
        pieces.iter().map(of_piece).collect::<Vec<_>>()
    };
    let links: Vec<_> = (0..pieces[0].buffers.len()).map(link).collect();
    Classes::of(&pieces[0].constraints.routes, &flows, &links)
}

/// ρ and the backlogs p of the flows, if all have a term in one Lyapunov function, and no flow errs in its base RTT.
fn lyapunov_of(laws: &[LawSpec], errors: &[Vec<f64>]) -> Option<(f64, Vec<f64>)> {
    if errors.iter().flatten().any(|&error| error != 0.0) {
        return None;
    }
    let parts: Vec<Lyapunov> = laws.iter().map(|law| law.fluid()?.lyapunov()).collect::<Option<_>>()?;
    let rho = parts.first()?.rho;
    let is_one = parts.iter().all(|part| part.rho == rho);
    is_one.then(|| (rho, parts.iter().map(|part| part.backlog.count()).collect()))
}

/// Base RTT in seconds: propagation there and back, and the transmission of a packet on each link with a rate on the
/// forward path.
fn base_rtt(network: &Network, flow: &FlowConfig) -> f64 {
    let bits = flow.tcp.wire_bytes() as f64 * 8.0;
    let wires = flow.forward.ports().filter_map(|port| network.topology.link(port));
    let wires = wires.filter(|link| link.rate.mean().as_bits_per_sec() > 0);
    let transmission: f64 = wires.map(|link| bits / link.rate.mean().as_bits_per_sec() as f64).sum();
    transmission + propagation(&network.topology, &flow.forward) + propagation(&network.topology, &flow.backward)
}

/// Share of its capacity below which a wire has no queue at rest.
const MOST_IDLE: f64 = 0.95;
