//! From the fields of a file to a network: names resolved, groups expanded, routes found; whatever cannot be is
//! reported.

mod cells;
mod flow_routes;
mod flows;
mod key;
mod laws;
mod links;
mod nodes;
mod recordings;
mod regions;
mod route;
mod sources;

pub(crate) use cells::{CellPlan, SchedulerPlan};
pub(crate) use flows::{FlowEntry, FlowPlan};
pub(crate) use key::uniform;
pub(crate) use laws::LawPlan;
pub(crate) use recordings::ReadFile;
pub(crate) use regions::RegionPlan;

use crate::error::{Problems, Segment};
use crate::format::{File, MAX_COUNT, Positive};
use crate::scenario::{FlowName, LinkName, SourceName};
use std::collections::BTreeSet;
use windward_sim as sim;
use windward_units::Duration;

/// Default number of samples in a run.
const SAMPLES: u64 = 600;
/// The default sample interval grows where the series would have more rows than this.
const COMFORTABLE_ROWS: u64 = 10_000_000;
/// Most rows of the series that a file may ask for: some 60 GB.
const MAX_ROWS: u64 = 1_000_000_000;

/// A network, without what depends on the seed.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub nodes: Vec<String>,
    pub links: Vec<sim::LinkConfig>,
    /// Of links, then of the stations of cells.
    pub link_names: Vec<LinkName>,
    pub cells: Vec<CellPlan>,
    pub regions: Vec<RegionPlan>,
    /// What the flows of one table share.
    pub flow_entries: Vec<FlowEntry>,
    pub flows: Vec<FlowPlan>,
    pub flow_names: Vec<FlowName>,
    pub sources: Vec<sim::SourceConfig>,
    pub source_names: Vec<SourceName>,
    pub sample_interval: Duration,
}

/// Nodes and links, as flows and sources see them.
#[derive(Clone, Copy)]
struct Network<'a> {
    nodes: &'a nodes::Nodes,
    links: &'a links::Links,
    /// Nothing is wrong with them.
    is_whole: bool,
}

/// Checks a file and plans its network. The file comes back with its defaults resolved.
pub(crate) fn plan(mut file: File, read: ReadFile<'_>, problems: &mut Problems) -> Option<(File, Plan)> {
    let span = file.duration.0;
    if file.warmup.0 >= span {
        let message = format!("the warm-up of {} leaves nothing of the duration, {span}", file.warmup.0);
        problems.add(["warmup".into()], message, None);
    }
    if file.flow.is_empty() && file.background.is_empty() {
        let hint = "add a [[flow]] or a [[background]]".to_owned();
        problems.add([], "nothing is sent: the scenario has no flow and no background", Some(hint));
    }
    let before = problems.len();
    recordings::inline(&mut file, read, problems);
    let nodes = nodes::expand(&file.node, problems)?;
    let mut links = links::expand(&file.link, &nodes, problems);
    let cells = cells::expand(&file.cell, &nodes, &mut links, problems);
    let regions = regions::plan(&file.region, &links, problems);
    // In half a network many a route would be missing for no fault of its own.
    let network = Network { nodes: &nodes, links: &links, is_whole: problems.len() == before };
    let laws: Vec<_> = file.flow.iter().enumerate().map(|(at, flow)| laws::resolve(&flow.law, at, problems)).collect();
    let flows = flows::expand(&file.flow, laws, network, span, problems);
    let sources = sources::expand(&file.background, network, span, problems);
    let (flows, sources) = (flows?, sources?);

    let per_sample = (flows.plans.len() + links.names.len()) as u64;
    let given = file.output.sample_interval.map(|interval| interval.0);
    let sample_interval = given.unwrap_or_else(|| default_interval(span, per_sample));
    check_interval(sample_interval, span, per_sample, problems);
    file.output.sample_interval = Some(Positive(sample_interval));
    for (flow, entry) in file.flow.iter_mut().zip(&flows.entries) {
        flow.law = entry.law.written();
    }
    let plan = Plan {
        nodes: nodes.names,
        links: links.configs,
        link_names: links.names,
        cells,
        regions,
        flow_entries: flows.entries,
        flows: flows.plans,
        flow_names: flows.names,
        sources: sources.configs,
        source_names: sources.names,
        sample_interval,
    };
    problems.is_empty().then_some((file, plan))
}

/// `span`/600, or so much more that the series stay comfortable, rounded up to 1, 2 or 5 times a power of ten.
fn default_interval(span: Duration, rows_per_sample: u64) -> Duration {
    let samples = (COMFORTABLE_ROWS / rows_per_sample.max(1)).clamp(1, SAMPLES);
    let exact = span.as_nanos().div_ceil(samples);
    let powers = (0..18).map(|power| 10_u64.pow(power));
    let round = powers.flat_map(|power| [power, 2 * power, 5 * power]).find(|&nanos| nanos >= exact);
    Duration::from_nanos(round.unwrap_or(exact).min(span.as_nanos()))
}

fn check_interval(interval: Duration, span: Duration, rows_per_sample: u64, problems: &mut Problems) {
    let path: [Segment; 2] = ["output".into(), "sample_interval".into()];
    let rows = (span.as_nanos() / interval.as_nanos()).saturating_mul(rows_per_sample);
    if interval > span {
        problems.add(path, format!("a sample every {interval} is none in a duration of {span}"), None);
    } else if rows > MAX_ROWS {
        let message = format!("a sample every {interval} makes {rows} rows; at most {MAX_ROWS} can be kept");
        problems.add(path, message, None);
    }
}

/// The path to an entry of a list, or to something in it.
fn place<const N: usize>(list: &str, at: usize, rest: [Segment; N]) -> Vec<Segment> {
    [list.into(), Segment::Index(at)].into_iter().chain(rest).collect()
}

/// Names of the things that a table makes: NAME, or NAME-1, NAME-2, … if it makes several.
fn member_name(label: &str, is_group: bool, at: u32) -> String {
    if is_group { format!("{label}-{}", at + 1) } else { label.to_owned() }
}

/// Reports names that stand twice in one list.
struct Names {
    list: &'static str,
    taken: BTreeSet<String>,
}

impl Names {
    fn new(list: &'static str) -> Self {
        Self { list, taken: BTreeSet::new() }
    }

    /// Takes `name` for the table `at`; false, and a report, if it is taken.
    fn take(&mut self, name: &str, at: usize, problems: &mut Problems) -> bool {
        if self.taken.insert(name.to_owned()) {
            return true;
        }
        let message = format!("the name `{name}` is taken by another {}", self.list);
        problems.add(place(self.list, at, ["name".into()]), message, Some("give it a `name` of its own".to_owned()));
        false
    }
}

/// Reports more things than a scenario can have; `total` is with those of the table `at`.
fn is_within_limit(list: &'static str, total: u64, limit: u64, at: usize, problems: &mut Problems) -> bool {
    if total > limit {
        let message = format!("with this the scenario has {total} of kind `{list}`; it can have {limit}");
        problems.add(place(list, at, []), message, None);
    }
    total <= limit
}

/// Most nodes, flows and sources.
const MAX_ENTITIES: u64 = MAX_COUNT as u64;
/// Most one-way links.
const MAX_LINKS: u64 = 4 * MAX_ENTITIES;

/// When the things of a table start and stop.
struct Times {
    start: Duration,
    step: Duration,
    spread: Duration,
    stop: Option<Duration>,
}

impl Times {
    /// When the `member`-th starts, without its spread.
    fn start_of(&self, member: u32) -> Duration {
        let step = self.step.as_nanos().saturating_mul(u64::from(member));
        Duration::from_nanos(self.start.as_nanos().saturating_add(step))
    }

    /// Reports a start of one of `count` things at or after the end of the run, and a stop not after it.
    fn check(&self, count: u32, list: &'static str, at: usize, span: Duration, problems: &mut Problems) {
        let last = self.start_of(count.saturating_sub(1)).as_nanos();
        let latest = Duration::from_nanos(last.saturating_add(self.spread.as_nanos()));
        let text = if self.start == latest { format!("{latest}") } else { format!("{} to {latest}", self.start) };
        if latest >= span {
            let message = format!("a start at {text} is not before the end of the run, {span}");
            problems.add(place(list, at, ["start".into()]), message, None);
        }
        if let Some(stop) = self.stop.filter(|stop| *stop <= latest) {
            let message = format!("a stop at {stop} is not after the start, at {text}");
            problems.add(place(list, at, ["stop".into()]), message, None);
        }
    }
}
