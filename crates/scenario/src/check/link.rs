//! Links, expanded into one-way links between nodes.

use super::common::{MAX_LINKS, Names, discipline, is_within_limit, member_name, place};
use super::key::key;
use super::nodes::{End, Nodes};
use super::wifi_plan::WifiPlan;
use crate::format::{Delay, Drop, Jitter, Link, Loss, LossModel, Name, Rate, Recording, Reorder, Values};
use crate::names::LinkName;
use crate::path::Segment;
use crate::problems::Problems;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use windward_sim as sim;
use windward_sim::{
    DelayTrace, LinkChange, LinkConfig, NodeId, Opportunities, PortConfig, PortKind, QueueConfig, Topology, TraceError,
};
use windward_units::{BitRate, Duration};

/// All one-way links, the stations of cells among them.
pub(crate) struct Links {
    /// Links, then the stations of cells, as ports.
    pub topology: Topology,
    /// Names of the ports.
    pub names: Vec<LinkName>,
    /// Links without a rate, which share regions, and the index of the table that made each.
    pub shared: Vec<(u32, usize)>,
    /// The links of groups.
    pub groups: BTreeMap<String, Vec<u32>>,
    /// Properties of wireless networks beyond their media.
    pub wireless: Vec<WifiPlan>,
    /// Cells in which a node is a station: media, and indices of their stations.
    pub in_cells: BTreeMap<NodeId, Vec<(usize, u32)>>,
    /// The link between two nodes.
    pub between: BTreeMap<(NodeId, NodeId), u32>,
}

impl Links {
    /// Both ends of a link.
    pub fn ends(&self, link: u32) -> (NodeId, NodeId) {
        let port = &self.topology.ports[link as usize];
        (port.from, port.to)
    }

    /// True if a link is a station of a cell.
    pub fn is_station(&self, link: u32) -> bool {
        self.topology.link(link).is_none()
    }
}

/// All valid links; reports problems of the others.
pub(crate) fn expand(links: &[Link], nodes: &Nodes, problems: &mut Problems) -> Links {
    let empty = Links {
        topology: Topology::default(),
        names: Vec::new(),
        shared: Vec::new(),
        groups: BTreeMap::new(),
        wireless: Vec::new(),
        in_cells: BTreeMap::new(),
        between: BTreeMap::new(),
    };
    let mut builder = Builder { links: empty, names: Names::new("link"), nodes };
    for (at, link) in links.iter().enumerate() {
        if link.reverse.is_some() && !link.duplex {
            let message = "`reverse` requires a duplex link";
            problems.add(place("link", at, ["reverse".into()]), message, Some("remove `duplex = false`".to_owned()));
        }
        builder.add(link, at, problems);
    }
    builder.links
}

/// A direction of a table's links.
struct OneWay<'a> {
    link: &'a Link,
    rate: &'a sim::Rate,
    delay: &'a sim::Delay,
    queue: QueueConfig,
    /// Prefix of the members' names; if there is none, they are named after their ends.
    label: Option<String>,
    from: End,
    to: End,
    /// True if the table makes several links.
    is_group: bool,
    /// Index of the table.
    at: usize,
}

struct Builder<'a> {
    links: Links,
    names: Names,
    nodes: &'a Nodes,
}

impl Builder<'_> {
    /// Adds the links of one table, up to the first problem.
    fn add(&mut self, link: &Link, at: usize, problems: &mut Problems) -> Option<()> {
        let from = self.nodes.find(&link.from, place("link", at, ["from".into()]), problems);
        let to = self.nodes.find(&link.to, place("link", at, ["to".into()]), problems);
        let (from, to) = (from?, to?);
        let path = place("link", at, ["to".into()]);
        let pairs = self.nodes.pairs((&link.from, from), (&link.to, to), path, problems)?;
        let total = self.links.names.len() as u64 + u64::from(pairs.count) * if link.duplex { 2 } else { 1 };
        if !is_within_limit("link", total, MAX_LINKS, at, problems) {
            return None;
        }
        let reverse = link.reverse.clone().unwrap_or_default();
        let own = |Name(name): &Name| name.clone();
        let back_name =
            reverse.name.as_ref().map(own).or_else(|| link.name.as_ref().map(|n| format!("{}-reverse", n.0)));
        let back = link.back(&reverse);
        // A problem is reported at the key that was written: a value of both directions stands outside `reverse`.
        let is_own = link.reverse.as_ref().is_some_and(|reverse| reverse.rate.is_some());
        let inside: &[&str] = if is_own { &["reverse"] } else { &[] };
        let (rate, back_rate) = (rate(link, at, &[], problems)?, rate(&back, at, inside, problems)?);
        let is_own = link.reverse.as_ref().is_some_and(|reverse| reverse.delay.is_some());
        let inside: &[&str] = if is_own { &["reverse"] } else { &[] };
        let delay = delay_of(&link.delay, &of_link(at, &[], "delay"), problems)?;
        let back_delay = delay_of(&back.delay, &of_link(at, inside, "delay"), problems)?;
        for (link, inside) in [(link, &[][..]), (&back, &["reverse"])].into_iter().take(1 + usize::from(link.duplex)) {
            check_buffer(link, at, inside, problems);
        }
        check_single(link.rate.is_none(), link.hold.is_some(), link.lose.as_ref(), (at, &[]), problems);
        check_single(back.rate.is_none(), reverse.hold.is_some(), reverse.lose.as_ref(), (at, &["reverse"]), problems);
        let queue = queue_of(link, at, &[], problems);
        let is_own = link.reverse.as_ref().is_some_and(|reverse| reverse.queue.is_some());
        let back_queue = if is_own { queue_of(&back, at, &["reverse"], problems) } else { queue };
        let first = self.links.names.len() as u32;
        let is_group = pairs.is_group;
        let forth = OneWay {
            link,
            rate: &rate,
            delay: &delay,
            queue,
            label: link.name.as_ref().map(own),
            from,
            to,
            is_group,
            at,
        };
        let label = back_name.clone();
        let (from, to) = (to, from);
        let back = OneWay {
            link: &back,
            rate: &back_rate,
            delay: &back_delay,
            queue: back_queue,
            label,
            from,
            to,
            is_group,
            at,
        };
        let ways = [forth, back];
        let ways = &ways[..1 + usize::from(link.duplex)];
        let whole =
            (0..pairs.count).try_for_each(|member| ways.iter().try_for_each(|way| self.add_one(way, member, problems)));
        // The members of a duplex group alternate: there, back, there, back.
        if pairs.is_group {
            let all = first..self.links.names.len() as u32;
            let (a, b) = (&link.from.0, &link.to.0);
            let forth = link.name.as_ref().map_or_else(|| format!("{a}->{b}"), own);
            if link.duplex {
                let back = back_name.unwrap_or_else(|| format!("{b}->{a}"));
                self.links.groups.insert(back, all.clone().skip(1).step_by(2).collect());
            }
            self.links.groups.insert(forth, all.step_by(1 + usize::from(link.duplex)).collect());
        }
        whole
    }

    /// Adds one member of a direction.
    fn add_one(&mut self, way: &OneWay, member: u32, problems: &mut Problems) -> Option<()> {
        let &OneWay { link, rate, delay, queue, ref label, from, to, is_group, at } = way;
        let (from, to) = (from.member(member), to.member(member));
        let [from_name, to_name] = [from, to].map(|node| self.nodes.names[node as usize].clone());
        if from == to {
            problems.add(place("link", at, ["to".into()]), format!("the link connects `{from_name}` to itself"), None);
            return None;
        }
        let index = self.links.names.len() as u32;
        if self.links.between.insert((from, to), index).is_some() {
            let message = format!("there is already a link from `{from_name}` to `{to_name}`");
            let hint = "links are duplex unless `duplex = false`; for parallel paths, insert a node into one of them"
                .to_owned();
            problems.add(place("link", at, []), message, Some(hint));
            return None;
        }
        let name = label
            .as_ref()
            .map_or_else(|| format!("{from_name}->{to_name}"), |label| member_name(label, is_group, member));
        if !self.names.take(&name, at, problems) {
            return None;
        }
        let config = LinkConfig {
            buffer: link.buffer.0,
            loss: loss(&link.loss),
            jitter: link.jitter.as_ref().map_or(sim::Jitter::None, jitter),
            reorder: link.reorder.and_then(reorder),
            hold: link.hold.map(|hold| sim::Hold { length: hold.length.0, thins: hold.thin }),
            lose: lost(link.lose.as_ref()),
            queue,
            ..LinkConfig::new(key("link", &name), rate.clone(), delay.clone())
        };
        Arc::make_mut(&mut self.links.topology.ports).push(PortConfig { from, to, kind: PortKind::Link(config) });
        if link.rate.is_none() {
            self.links.shared.push((index, at));
        }
        self.links.names.push(LinkName { name, from: from_name, to: to_name });
        Some(())
    }
}

/// Path of a key of a link, in the tables `inside` it.
fn of_link(at: usize, inside: &[&str], key: &str) -> Vec<Segment> {
    let keys = inside.iter().copied().chain([key]).map(Segment::from);
    place("link", at, []).into_iter().chain(keys).collect()
}

/// Checks a buffer in time, which needs a rate.
fn check_buffer(link: &Link, at: usize, inside: &[&str], problems: &mut Problems) {
    if link.rate.is_none() && matches!(link.buffer.0, sim::Buffer::Time(_)) {
        let message = "the buffer of a link without a rate is given in packets or bytes";
        problems.add(of_link(at, inside, "buffer"), message, None);
    }
    if link.rate.is_none() && link.reorder.is_some() {
        problems.add(of_link(at, inside, "reorder"), NOTHING_TO_REORDER, None);
    }
}

/// Ranges of the numbers of lost packets.
fn lost(lose: Option<&Vec<u64>>) -> Arc<[RangeInclusive<u64>]> {
    let numbers = lose.map_or(&[][..], Vec::as_slice);
    numbers.chunk_by(|one, next| one + 1 == *next).map(|run| run[0]..=run[run.len() - 1]).collect()
}

/// Checks what a link does to single packets: `hold` and `lose`, found at a table and `inside` it.
fn check_single(
    is_shared: bool,
    has_hold: bool,
    lose: Option<&Vec<u64>>,
    (at, inside): (usize, &[&str]),
    problems: &mut Problems,
) {
    for (key, is_given) in [("hold", has_hold), ("lose", lose.is_some())] {
        if is_shared && is_given {
            let message = "a link without a rate belongs to a region, which sends no single packets";
            problems.add(of_link(at, inside, key), message, None);
        }
    }
    let mut last = 0;
    for (index, &number) in lose.into_iter().flatten().enumerate() {
        if number <= last {
            let message = format!("packet {number} does not follow packet {last}");
            let hint = Some("numbers count from 1, in rising order".to_owned());
            problems.add(of_link(at, inside, "lose").into_iter().chain([Segment::Index(index)]), message, hint);
            break;
        }
        last = number;
    }
}

/// Discipline of a link's queue, drop-tail if its values are invalid; `inside` is its path in the link.
fn queue_of(link: &Link, at: usize, inside: &[&str], problems: &mut Problems) -> QueueConfig {
    let path = of_link(at, inside, "queue");
    let config = discipline(&link.queue, &path, problems);
    if link.rate.is_none() && config != QueueConfig::DropTail {
        let message = "the queue of a link without a rate is drop-tail: its region decides when it sends";
        problems.add(path, message, None);
        return QueueConfig::DropTail;
    }
    config
}

/// Transmission rate of a link; `inside` is its path in the link. `None` if its file could not be read.
fn rate(link: &Link, at: usize, inside: &[&str], problems: &mut Problems) -> Option<sim::Rate> {
    // The region determines the rate of a link without one.
    let Some(rate) = &link.rate else { return Some(BitRate::bits_per_sec(0).into()) };
    rate_of(rate, &of_link(at, inside, "rate"), problems)
}

/// Rate at `path`. `None` if its file could not be read.
pub(crate) fn rate_of(rate: &Rate, path: &[Segment], problems: &mut Problems) -> Option<sim::Rate> {
    let millis = match rate {
        Rate::Constant(rate) => return Some(rate.0.into()),
        Rate::Recorded(recorded) => match &recorded.trace {
            Recording::File(_) => return None,
            Recording::Values(millis) => millis,
        },
    };
    match Opportunities::from_millis(millis) {
        Ok(trace) => Some(sim::Rate::Recorded(Arc::new(trace))),
        Err(error) => refuse_trace(&error, millis.len(), path, problems),
    }
}

/// Delay at `path`. `None` if its file could not be read or its recording is wrong.
pub(crate) fn delay_of(delay: &Delay, path: &[Segment], problems: &mut Problems) -> Option<sim::Delay> {
    let (interval, millis) = match delay {
        Delay::Constant(delay) => return Some(delay.0.into()),
        Delay::Recorded(recorded) => match &recorded.trace {
            Recording::File(_) => return None,
            Recording::Values(millis) => (recorded.interval.0, millis),
        },
    };
    let millis: Vec<f64> = millis.iter().map(|number| number.0).collect();
    match DelayTrace::from_millis(interval, &millis) {
        Ok(trace) => Some(sim::Delay::Recorded(Arc::new(trace))),
        Err(error) => refuse_trace(&error, millis.len(), path, problems),
    }
}

/// Reports an entry of a trace of `count` entries in the table at `path`.
fn refuse_trace<T>(error: &TraceError, count: usize, path: &[Segment], problems: &mut Problems) -> Option<T> {
    let item = (count > 0).then(|| Segment::Index(error.line - 1));
    let path = path.iter().cloned().chain(["trace".into()]).chain(item);
    problems.add(path, error.problem.to_string(), None);
    None
}

/// Change of a link by a step, apart from its rate and delay, whose recordings may be wrong.
pub(crate) fn changed(values: Values<'_>) -> LinkChange {
    LinkChange {
        rate: None,
        delay: None,
        buffer: values.buffer.map(|buffer| buffer.0),
        loss: values.loss.map(loss),
        jitter: values.jitter.map(jitter),
        reorder: values.reorder.copied().map(reorder),
        is_up: values.up,
        drops: values.drop.map_or_else(Default::default, Drop::of_sim),
    }
}

fn loss(loss: &Loss) -> sim::Loss {
    match loss {
        Loss::Plain(probability) if probability.0 == 0.0 => sim::Loss::None,
        Loss::Plain(probability) => sim::Loss::Bernoulli(probability.0),
        Loss::Model(LossModel::Bernoulli(model)) => sim::Loss::Bernoulli(model.probability.0),
        Loss::Model(LossModel::GilbertElliott(model)) => sim::Loss::GilbertElliott {
            good_to_bad: model.good_to_bad.0,
            bad_to_good: model.bad_to_good.0,
            loss_good: model.loss_good.0,
            loss_bad: model.loss_bad.0,
        },
    }
}

/// Reason why such links do not reorder.
pub(crate) const NOTHING_TO_REORDER: &str =
    "a link without a rate belongs to a region, which has no packets to reorder";

/// Reordering; `None` for a share of 0.
fn reorder(reorder: Reorder) -> Option<sim::Reorder> {
    let Reorder { share, delay } = reorder;
    (share.0 > 0.0).then_some(sim::Reorder { share: share.0, delay: delay.0 })
}

fn jitter(jitter: &Jitter) -> sim::Jitter {
    match jitter {
        Jitter::Uniform(model) if model.max.0 > Duration::ZERO => sim::Jitter::Uniform(model.max.0),
        Jitter::Normal(model) if model.deviation.0 > Duration::ZERO => sim::Jitter::Normal(model.deviation.0),
        Jitter::ClippedNormal(model) if model.deviation.0 > Duration::ZERO => {
            sim::Jitter::ClippedNormal(model.deviation.0)
        }
        Jitter::Exponential(model) if model.mean.0 > Duration::ZERO => sim::Jitter::Exponential(model.mean.0),
        _ => sim::Jitter::None,
    }
}
