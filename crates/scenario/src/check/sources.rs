//! Background sources, expanded and routed.

use super::common::{Names, Times, member_name, place};
use super::ground::Network;
use super::key::key;
use super::links::Links;
use super::nodes::{Request, Senders, ends, label};
use super::route::{Asker, Direction, Graph, Via};
use crate::format::{Background, Dscp, Pattern, Spread};
use crate::names::SourceName;
use crate::problems::Problems;
use windward_sim as sim;
use windward_sim::wifi::edca::Category;
use windward_sim::{LEAST_SPACING, MOST_PERIODS, MediumConfig, PortKind, SourceConfig};
use windward_units::{Bytes, Duration, Time};

/// IPv4 and UDP headers (RFC 791, RFC 768).
const HEADERS: u64 = 28;
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
    /// Access category of each source.
    pub fn categories(&self) -> Vec<Category> {
        self.dscps.iter().map(|dscp| dscp.category()).collect()
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
    let mut names = Names::new("background");
    for (at, background) in backgrounds.iter().enumerate() {
        let Background { from, to, .. } = background;
        check_packet(background.packet.0, ("background", at), problems);
        let pattern = pattern(&background.pattern, at, problems);
        let pattern = pattern.filter(|pattern| is_slow_enough(pattern, background.packet.0, at, problems));
        let (count, before) = (background.count, all.configs.len());
        let made = ends(&Senders { list: "background", at, from, to, count, before }, nodes, problems);
        let times = Times {
            start: background.start.0,
            step: background.start_step.0,
            spread: Duration::ZERO,
            stop: background.stop.map(|stop| stop.0),
        };
        times.check(made.as_ref().map_or(1, |(pairs, _)| pairs.count), "background", at, span, problems);
        let (Some(pattern), Some((pairs, requests))) = (pattern, made) else { continue };
        let label = label(background.name.as_ref(), from, to);
        if !is_whole {
            continue;
        }
        let Some(paths) = routes(background, at, &requests, network, &graph, problems) else { continue };
        if let Some((shared, _)) = links.shared.iter().find(|(link, _)| paths.iter().any(|path| path.contains(link))) {
            let name = &links.names[*shared as usize].name;
            let message = format!("background traffic cannot cross the link `{name}`, which belongs to a region");
            let hint = "end it before the region".to_owned();
            problems.add(place("background", at, ["to".into()]), message, Some(hint));
            continue;
        }
        if matches!(pattern, sim::Pattern::Backlog { .. })
            && (background.via.is_some() || !paths.iter().all(|path| begins_with_backlogs(path, links)))
        {
            let message = "its source is no station that forwards by backlog";
            let hint = "routing = \"backpressure\" in the [[wifi]] of `from`, and no `via`".to_owned();
            problems.add(place("background", at, ["pattern".into()]), message, Some(hint));
            continue;
        }
        for ((member, Request { from, to }), path) in (0..).zip(requests).zip(paths) {
            let name = member_name(&label, pairs.is_group, member);
            if !names.take(&name, at, problems) {
                break;
            }
            all.dscps.push(background.dscp.unwrap_or_default());
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
            let [from, to] = [from, to].map(|node| nodes.names[node as usize].clone());
            all.names.push(SourceName { name, label: label.clone(), from, to });
        }
    }
    (is_whole && problems.len() == before).then_some(all)
}

/// True if the first node of a route forwards by backlog.
fn begins_with_backlogs(path: &[u32], links: &Links) -> bool {
    let medium = path.first().and_then(|&link| match links.topology.ports[link as usize].kind {
        PortKind::Shared { medium, .. } => links.topology.media.get(medium as usize),
        _ => None,
    });
    medium.is_some_and(MediumConfig::uses_backpressure)
}

/// The links of every source of a table; reports sources without a route.
fn routes(
    background: &Background,
    at: usize,
    requests: &[Request],
    network: Network<'_>,
    graph: &Graph<'_>,
    problems: &mut Problems,
) -> Option<Vec<Vec<u32>>> {
    if let Some(names) = &background.via {
        let asker = Asker { list: "background", at };
        let via = Via::resolve(names, "via", asker, requests.len() as u32, network.nodes, problems)?;
        let route = |(member, request): (u32, &Request)| via.route(request.clone(), member, asker, network, problems);
        return (0..).zip(requests).map(route).collect();
    }
    let paths = graph.shortest(requests);
    if let Some((Request { from, to }, _)) = requests.iter().zip(&paths).find(|(_, path)| path.is_none()) {
        let [from, to] = [from, to].map(|node| &network.nodes.names[*node as usize]);
        problems.add(place("background", at, ["to".into()]), format!("no route from `{from}` to `{to}`"), None);
    }
    paths.into_iter().collect()
}

pub(super) fn check_packet(packet: Bytes, (list, at): (&str, usize), problems: &mut Problems) {
    if !(HEADERS..=MAX_PACKET).contains(&packet.count()) {
        let message =
            format!("a datagram of {packet} is out of range; allowed: {HEADERS} B to {MAX_PACKET} B, headers included");
        problems.add(place(list, at, ["packet".into()]), message, None);
    }
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
            on_spread: spread(on_off.on_spread),
            off_spread: spread(on_off.off_spread),
        },
        Pattern::BacklogPattern(rule) => {
            if rule.m.0 <= 0.0 {
                let message = format!("{} is out of range; allowed: above 0", rule.m.0);
                problems.add(place("background", at, ["pattern".into(), "m".into()]), message, None);
                return None;
            }
            sim::Pattern::Backlog { m: rule.m.0, slot: rule.slot.0, limit: rule.limit.0 }
        }
        Pattern::Periodic(periodic) => {
            let (every, jitter) = (periodic.every.0, periodic.jitter.0);
            let mut refuse = |key: &'static str, why: String| {
                problems.add(place("background", at, ["pattern".into(), key.into()]), why, None);
                None
            };
            if every < LEAST_SPACING {
                return refuse("every", format!("{every} is out of range; allowed: from {LEAST_SPACING}"));
            }
            if jitter > every {
                return refuse("jitter", format!("`jitter` ({jitter}) must not be longer than `every` ({every})"));
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

fn spread(spread: Spread) -> sim::Spread {
    match spread {
        Spread::Fixed => sim::Spread::Fixed,
        Spread::Exponential => sim::Spread::Exponential,
        Spread::Pareto(shape) => sim::Spread::Pareto(shape.0),
    }
}
