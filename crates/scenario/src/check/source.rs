//! Background sources, expanded and routed.

use super::common::{Names, Times, check_least, member_name, place};
use super::flow_plan::Flows;
use super::ground::Network;
use super::key::key;
use super::link::Links;
use super::nodes::{Request, Senders, ends, label};
use super::route::{Asker, Direction, Graph, Via};
use crate::format::{Background, Dscp, Flow, Pattern};
use crate::names::SourceName;
use crate::path::Segment;
use crate::problems::Problems;
use std::collections::BTreeMap;
use std::ops::Range;
use windward_sim as sim;
use windward_sim::wifi::edca::Category;
use windward_sim::{Buffer, LEAST_SPACING, MOST_PERIODS, MediumConfig, PortKind, SourceConfig};
use windward_units::{Bytes, Duration, Time};

/// Largest IPv4 packet.
const MAX_PACKET: u64 = 65_535;

#[derive(Default)]
pub(crate) struct Sources {
    pub configs: Vec<SourceConfig>,
    pub names: Vec<SourceName>,
    /// Code point of each source.
    pub dscps: Vec<Dscp>,
}

impl Sources {
    /// Code point of each source, as a number.
    pub fn code_points(&self) -> Vec<u8> {
        self.dscps.iter().map(|dscp| dscp.0).collect()
    }

    /// Access category of each source.
    pub fn categories(&self) -> Vec<Category> {
        self.dscps.iter().map(|dscp| dscp.category()).collect()
    }

    /// Adds the sources of messages behind that of the data, the hop nearest to it first.
    fn add_messages(
        &mut self,
        messages: Messages,
        of: &str,
        dscp: Dscp,
        (start, stop): (Time, Option<Duration>),
        nodes: &[String],
    ) {
        let last = messages.hops.len();
        for (at, Hop { request: Request { from, to }, way, port }) in (1..).zip(messages.hops) {
            let name = format!("{of}-messages-{at}");
            let pattern = sim::Pattern::Lengths { port, every: (at == last).then_some(messages.slot) };
            let config = SourceConfig::new(key("background", &name), (from, to), way, pattern, messages.size);
            let stop = stop.map(|stop| Time::from_nanos(stop.as_nanos()));
            self.configs.push(SourceConfig { start, stop, ..config });
            self.dscps.push(dscp);
            let [from, to] = [from, to].map(|node| nodes[node as usize].clone());
            self.names.push(SourceName { label: name.clone(), name, from, to });
        }
    }

    /// Adds the sources of others.
    pub fn append(&mut self, mut others: Self) {
        self.configs.append(&mut others.configs);
        self.names.append(&mut others.names);
        self.dscps.append(&mut others.dscps);
    }
}

pub(crate) fn expand(
    backgrounds: &[Background],
    network: Network<'_>,
    span: Duration,
    problems: &mut Problems,
) -> Option<Sources> {
    let Network { nodes, links, is_whole } = network;
    let before = problems.len();
    let graph = Graph::new(nodes, links, Direction::Forth);
    let mut all = Sources::default();
    let (mut names, mut rooms) = (Names::new("background"), Rooms::default());
    for (at, background) in backgrounds.iter().enumerate() {
        let Background { from, to, .. } = background;
        check_packet(background.packet.0, ("background", at), problems);
        let pattern = pattern(&background.pattern, at, problems);
        let pattern = pattern.filter(|pattern| is_slow_enough(pattern, background.packet.0, at, problems));
        let (count, starts, before) = (background.count, &background.start, all.configs.len());
        let made = ends(&Senders { list: "background", at, from, to, count, starts, before }, nodes, problems);
        let times = Times {
            starts,
            step: background.start_step.0,
            spread: Duration::ZERO,
            stop: background.stop.map(|stop| stop.0),
        };
        times.check(made.as_ref().map_or(1, |(pairs, _)| pairs.count), "background", at, span, problems);
        let (Some(pattern), Some((pairs, requests))) = (pattern, made) else { continue };
        let label = label(background.name.as_ref(), from, to);
        // Missing routes would only repeat the problem that made the network incomplete.
        if !is_whole {
            continue;
        }
        let asker = Asker { list: "background", at };
        let given = background.via.as_ref();
        let Some(via) = Via::of_field(given, "via", asker, requests.len() as u32, nodes, problems) else { continue };
        let Some(paths) = graph.routes(via.as_ref(), &requests, asker, network, problems) else { continue };
        if !ends_before_regions(paths.iter(), ["background traffic", "it"], asker, links, problems) {
            continue;
        }
        // A station that forwards by backlog chooses each hop itself: no path could be followed.
        if matches!(pattern, sim::Pattern::Backlog { .. })
            && (given.is_some()
                || paths.iter().any(|path| path.first().is_none_or(|&link| !goes_by_backlog(link, links))))
        {
            let message = "its source is no station that forwards by backlog";
            let hint = "routing = \"backpressure\" in the [[wifi]] of `from`, and no `via`".to_owned();
            problems.add(place("background", at, ["pattern".into()]), message, Some(hint));
            continue;
        }
        if matches!(pattern, sim::Pattern::MessagePassing { .. })
            && paths.iter().flatten().any(|&link| chooses(link, links))
        {
            let message =
                "its route crosses stations that find routes themselves, so that no node knows the next queue";
            let hint = "routing = \"shortest\" in the [[wifi]]; `kind = \"backlog\"` goes with backpressure".to_owned();
            problems.add(place("background", at, ["pattern".into()]), message, Some(hint));
            continue;
        }
        let completes = |path: &Vec<u32>| path.first().is_some_and(|&first| links.topology.completes(first));
        if matches!(pattern, sim::Pattern::Saturated { .. }) && !paths.iter().all(completes) {
            let message = "its first hop does not report which datagrams it is done with";
            let hint = "a saturated source starts at a link, or a station of Wi-Fi, ideal CSMA or a slotted cell that \
                        finds no routes itself; elsewhere use \"cbr\" with a rate above the capacity";
            problems.add(place("background", at, ["pattern".into()]), message, Some(hint.to_owned()));
            continue;
        }
        for ((member, Request { from, to }), path) in (0..).zip(requests).zip(paths) {
            let name = member_name(&label, pairs.is_group, member);
            // One report for a table: the names of its other members would clash as well.
            if !names.take(&name, at, problems) {
                break;
            }
            all.dscps.push(background.dscp.unwrap_or_default());
            let messages = match (&background.pattern, pattern) {
                (Pattern::MessagePassing(rule), sim::Pattern::MessagePassing { slot, .. }) => {
                    let back = |pair: &[u32]| {
                        let [near, far] = [pair[0], pair[1]].map(|link| links.ends(link).0);
                        Request { from: far, to: near }
                    };
                    let requests: Vec<_> = path.windows(2).map(back).collect();
                    let Some(ways) = graph.routes(None, &requests, asker, network, problems) else { break };
                    let hop = |((request, way), &port): ((Request, Vec<u32>), &u32)| Hop { request, way, port };
                    let hops = requests.into_iter().zip(ways).zip(&path[1..]).map(hop).collect();
                    Some(Messages { size: rule.message.0, slot, hops })
                }
                _ => None,
            };
            if let (sim::Pattern::Saturated { backlog }, Some(&first)) = (pattern, path.first()) {
                let size = background.packet.0.count();
                rooms.fill(first, [u64::from(backlog), size], at, &links.topology, problems);
            }
            all.configs.push(SourceConfig {
                key: key("background", &name),
                source: from,
                sink: to,
                path: path.into(),
                pattern,
                packet: background.packet.0,
                start: Time::from_nanos(times.start_of(member).as_nanos()),
                stop: times.stop.map(|stop| Time::from_nanos(stop.as_nanos())),
                ecn: background.ecn.into(),
                reply: None,
                call: None,
            });
            let span = (all.configs[all.configs.len() - 1].start, times.stop);
            let [from, to] = [from, to].map(|node| nodes.names[node as usize].clone());
            all.names.push(SourceName { name: name.clone(), label: label.clone(), from, to });
            if let Some(messages) = messages {
                let dscp = background.dscp.unwrap_or_default();
                all.add_messages(messages, &name, dscp, span, &nodes.names);
            }
        }
    }
    (is_whole && problems.len() == before).then_some(all)
}

/// True if a link begins at a station that finds routes itself.
fn chooses(link: u32, links: &Links) -> bool {
    links.wireless.iter().any(|plan| plan.finds_routes && plan.links.contains(&link))
}

/// Messages of queue lengths along a route.
struct Messages {
    size: Bytes,
    slot: Duration,
    hops: Vec<Hop>,
}

/// Messages from one node of a route to the node before it.
struct Hop {
    request: Request,
    way: Vec<u32>,
    /// Port of the route at the sending node.
    port: u32,
}

/// Adds the probes of transfers; returns the source of each.
pub(super) fn of_transfers(table: &[Flow], flows: &Flows, nodes: &[String], sources: &mut Sources) -> Vec<Option<u32>> {
    let prober = |range: &Range<usize>| {
        let flow = &flows.plans[range.start];
        let entry = &table[flow.entry];
        entry.connections.as_ref().filter(|connections| connections.0.has_probes())?;
        let index = sources.configs.len() as u32;
        let first = &flows.names[range.start].name;
        let name = format!("{}-probes", first.strip_suffix(".1").unwrap_or(first));
        let packet = Bytes::new(PROBE);
        let ends = (flow.source, flow.sink);
        let path = flow.forward.clone();
        let config = SourceConfig::new(key("probes", &name), ends, path, sim::Pattern::Probes, packet);
        sources.configs.push(SourceConfig { reply: Some(flow.backward.clone().into()), ..config });
        let [from, to] = [flow.source, flow.sink].map(|node| nodes[node as usize].clone());
        sources.names.push(SourceName { label: name.clone(), name, from, to });
        sources.dscps.push(entry.dscp.unwrap_or_default());
        Some(index)
    };
    flows.transfers.iter().map(prober).collect()
}

/// Bytes of a probe of a transfer (chen2007 §IV-A).
const PROBE: u64 = 32;

/// Backlogs of saturated sources: packets and bytes in each queue.
#[derive(Default)]
struct Rooms(BTreeMap<(u32, u32), [u64; 2]>);

impl Rooms {
    /// Adds `count` datagrams of `size` bytes to the queue of a source's first port; reports a buffer that they exceed,
    /// once.
    fn fill(
        &mut self,
        port: u32,
        [count, size]: [u64; 2],
        at: usize,
        topology: &sim::Topology,
        problems: &mut Problems,
    ) {
        let config = &topology.ports[port as usize];
        let of_port = (u32::MAX, port);
        let queue = match config.kind {
            PortKind::Link(_) => of_port,
            // The links of a station share its queue.
            PortKind::Shared { medium, local } => match &topology.media[medium as usize] {
                MediumConfig::Edca(edca) if edca.has_transmit_queues(local) => return,
                MediumConfig::Edca(_) | MediumConfig::Wifi(_) => (medium, config.from),
                _ => of_port,
            },
        };
        let held = self.0.entry(queue).or_default();
        let before = *held;
        *held = [before[0] + count, before[1] + count * size];
        let exceeds = |[packets, bytes]: [u64; 2]| match topology.buffer(port) {
            Buffer::Packets(most) => packets > most,
            Buffer::Bytes(most) => bytes > most.count(),
            Buffer::Unlimited | Buffer::Time(_) => false,
        };
        if exceeds(*held) && !exceeds(before) {
            let message = format!(
                "the saturated sources keep {} datagrams ({} B) waiting at its first hop, more than its buffer",
                held[0], held[1]
            );
            let hint = "lower `backlog`, or raise the `buffer` of the first hop".to_owned();
            problems.add(place("background", at, ["pattern".into()]), message, Some(hint));
        }
    }
}

/// True if a link begins at a station that forwards by backlog.
pub(super) fn goes_by_backlog(link: u32, links: &Links) -> bool {
    let topology = &links.topology;
    match topology.ports[link as usize].kind {
        PortKind::Shared { medium, .. } => {
            topology.media.get(medium as usize).is_some_and(MediumConfig::uses_backpressure)
        }
        PortKind::Link(_) => false,
    }
}

/// False, and a report, if `what` crosses a link of a region, which carries TCP flows alone; `it` is its pronoun.
pub(super) fn ends_before_regions<'a>(
    routes: impl Iterator<Item = &'a Vec<u32>> + Clone,
    [what, it]: [&str; 2],
    Asker { list, at }: Asker,
    links: &Links,
    problems: &mut Problems,
) -> bool {
    let crossed = links.shared.iter().find(|(link, _)| routes.clone().any(|route| route.contains(link)));
    if let Some((shared, _)) = crossed {
        let name = &links.names[*shared as usize].name;
        let message = format!("{what} cannot cross the link `{name}`, which belongs to a region");
        problems.add(place(list, at, ["to".into()]), message, Some(format!("end {it} before the region")));
    }
    crossed.is_none()
}

/// Shortest slot of a source that is controlled by backlog.
const LEAST_SLOT: Duration = Duration::from_micros(100);

/// Reports a datagram of an impossible size.
pub(super) fn check_packet(packet: Bytes, (list, at): (&str, usize), problems: &mut Problems) {
    check_size(packet, sim::Pattern::HEADERS, place(list, at, ["packet".into()]), problems);
}

/// Reports a datagram of less than `least` bytes or more than IPv4 allows.
pub(super) fn check_size(packet: Bytes, least: u64, path: Vec<Segment>, problems: &mut Problems) {
    if !(least..=MAX_PACKET).contains(&packet.count()) {
        let message =
            format!("a datagram of {packet} is out of range; allowed: {least} B to {MAX_PACKET} B, headers included");
        problems.add(path, message, None);
    }
}

/// False, and a report, if the clock cannot separate datagrams with this time between them.
pub(super) fn check_spacing(every: Duration, path: Vec<Segment>, problems: &mut Problems) -> bool {
    if every < LEAST_SPACING {
        problems.add(path, format!("{every} is out of range; allowed: from {LEAST_SPACING}"), None);
    }
    every >= LEAST_SPACING
}

/// True if the clock can separate the datagrams, and sending one takes at most [`MOST_PERIODS`] median on periods;
/// otherwise reports it.
fn is_slow_enough(pattern: &sim::Pattern, packet: Bytes, at: usize, problems: &mut Problems) -> bool {
    let Some(rate) = pattern.rate() else { return true };
    let spacing = packet.count() as f64 * 8e9 / rate.as_bits_per_sec() as f64;
    let path = |key: &'static str| place("background", at, ["pattern".into(), key.into()]);
    if spacing < LEAST_SPACING.as_nanos() as f64 {
        let message = format!(
            "at {rate} a datagram of {packet} leaves every {spacing:.2} ns; at least {LEAST_SPACING} must lie between two"
        );
        problems.add(path("rate"), message, Some("lower the `rate`, or send larger packets".to_owned()));
        return false;
    }
    if let sim::Pattern::OnOff { on, on_spread, .. } = *pattern {
        let usual = on.as_nanos() as f64 * on_spread.usual();
        if spacing > MOST_PERIODS * usual {
            let message = format!(
                "at {rate} a datagram of {packet} takes {} of sending, which are {:.0} usual on periods; at most {MOST_PERIODS} \
                 are allowed",
                Duration::from_secs(spacing / 1e9),
                spacing / usual
            );
            problems.add(path("rate"), message, Some("raise the `rate`, or make the on periods longer".to_owned()));
            return false;
        }
    }
    true
}

fn pattern(pattern: &Pattern, at: usize, problems: &mut Problems) -> Option<sim::Pattern> {
    Some(match pattern {
        Pattern::Cbr(cbr) => sim::Pattern::Cbr { rate: cbr.rate.0 },
        Pattern::Poisson(poisson) => sim::Pattern::Poisson { rate: poisson.rate.0 },
        Pattern::OnOff(on_off) => sim::Pattern::OnOff {
            rate: on_off.rate.0,
            on: on_off.on.0,
            off: on_off.off.0,
            on_spread: on_off.on_spread.into(),
            off_spread: on_off.off_spread.into(),
        },
        Pattern::BacklogPattern(rule) => {
            if rule.m.0 <= 0.0 {
                let message = format!("{} is out of range; allowed: above 0", rule.m.0);
                problems.add(place("background", at, ["pattern".into(), "m".into()]), message, None);
                return None;
            }
            let path = place("background", at, ["pattern".into(), "slot".into()]);
            check_least(rule.slot.0, LEAST_SLOT, path, problems);
            sim::Pattern::Backlog { m: rule.m.0, slot: rule.slot.0, limit: rule.limit.0 }
        }
        Pattern::MessagePassing(rule) => {
            let path = |key: &'static str| place("background", at, ["pattern".into(), key.into()]);
            check_size(rule.message.0, sim::Pattern::HEADERS, path("message"), problems);
            check_least(rule.slot.0, LEAST_SLOT, path("slot"), problems);
            if rule.weight.0 <= 0.0 {
                problems.add(path("weight"), format!("{} is out of range; allowed: above 0", rule.weight.0), None);
                return None;
            }
            sim::Pattern::MessagePassing { weight: rule.weight.0, slot: rule.slot.0, limit: rule.limit.0 }
        }
        Pattern::Saturated(saturated) => sim::Pattern::Saturated { backlog: saturated.backlog.0 },
        Pattern::Periodic(periodic) => {
            let (every, jitter) = (periodic.every.0, periodic.jitter.0);
            let path = |key: &'static str| place("background", at, ["pattern".into(), key.into()]);
            if !check_spacing(every, path("every"), problems) {
                return None;
            }
            if jitter > every {
                let why = format!("`jitter` ({jitter}) must not be longer than `every` ({every})");
                problems.add(path("jitter"), why, None);
                return None;
            }
            sim::Pattern::Periodic { every, jitter }
        }
        Pattern::Pulses(pulses) => {
            let (length, every) = (pulses.length.0, pulses.every.0);
            if every <= length {
                let message = format!("`every` ({every}) must be longer than the pulse (`length`, {length})");
                problems.add(place("background", at, ["pattern".into(), "every".into()]), message, None);
                return None;
            }
            sim::Pattern::OnOff {
                rate: pulses.rate.0,
                on: length,
                off: every.saturating_sub(length),
                on_spread: sim::Spread::Fixed,
                off_spread: sim::Spread::Exponential,
            }
        }
    })
}
