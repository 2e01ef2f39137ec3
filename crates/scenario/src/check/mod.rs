//! From the fields of a file to a network: resolves names, expands groups and finds routes; reports invalid values.

mod app;
mod cell;
mod cell_parts;
mod change;
mod common;
mod draft;
mod files;
mod flow;
mod flow_entry;
mod flow_plan;
mod flow_routes;
mod ground;
mod har;
mod key;
mod law;
mod leo;
mod link;
mod listed;
mod natural;
mod nodes;
mod notes;
mod places;
mod quic;
mod ran;
mod recording;
mod region;
mod route;
mod source;
mod steps;
mod tcp;
mod wifi;
mod wifi_plan;

pub(crate) use files::ReadFile;
pub(crate) use flow_plan::{FlowEntry, FlowPlan, UNSPREAD};
pub(crate) use key::uniform;
pub use region::RegionPlan;
pub use wifi_plan::WifiPlan;

use crate::format::{AnyCell, App, Dscp, File, Flow, Lists, Positive};
use crate::names::{FlowName, LinkName, SourceName};
use crate::path::Segment;
use crate::problems::Problems;
use crate::python::PythonClass;
use draft::{Built, Draft, Tables, Traffic};
use nodes::Request;
use route::{Direction, Graph};
use std::ops::Range;
use std::sync::Arc;
use windward_sim as sim;
use windward_sim::wifi::edca::Category;
use windward_units::Duration;

/// Default number of samples in a run.
const SAMPLES: u64 = 600;
/// Number of rows of the series above which the default sample interval grows.
const COMFORTABLE_ROWS: u64 = 10_000_000;
/// Maximum number of rows of the series that a file may request: some 60 GB.
const MAX_ROWS: u64 = 1_000_000_000;

/// A network without the parts that depend on the seed.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub nodes: Vec<String>,
    pub topology: sim::Topology,
    /// Names of the ports.
    pub link_names: Vec<LinkName>,
    pub regions: Vec<RegionPlan>,
    /// Plans, one for each wireless network.
    pub wireless: Vec<WifiPlan>,
    /// Properties common to the flows of each table.
    pub flow_entries: Vec<FlowEntry>,
    pub flows: Vec<FlowPlan>,
    pub flow_names: Vec<FlowName>,
    /// Flows of each transfer, by their indices.
    pub transfers: Vec<Range<usize>>,
    /// Source of the probes of each transfer.
    pub probes: Vec<Option<u32>>,
    pub apps: Vec<sim::AppConfig>,
    /// For each application, true if the file gives the route there, and back.
    pub app_is_fixed: Vec<[bool; 2]>,
    pub app_names: Vec<FlowName>,
    /// Names of the objects of all pages.
    pub object_names: Vec<String>,
    pub sources: Vec<sim::SourceConfig>,
    pub source_names: Vec<SourceName>,
    pub sample_interval: Duration,
    /// Laws written in Python, in the order of their indices in the network.
    pub python_laws: Vec<PythonClass>,
    pub python_schedulers: Vec<PythonClass>,
    pub python_rules: Vec<PythonClass>,
}

/// A network between its first two nodes, whose flows are the access categories.
#[derive(Clone, Debug)]
pub(crate) struct LinksPlan {
    pub topology: sim::Topology,
    /// Ports from the first node to the second, and back.
    pub routes: [Vec<u32>; 2],
    pub sources: Vec<sim::SourceConfig>,
}

/// Checks a network without flows, and finds the routes between its first two nodes. No end bounds changes and sources.
pub(crate) fn plan_links(mut lists: Lists, read: ReadFile<'_>, problems: &mut Problems) -> Option<LinksPlan> {
    let Lists { node, link, cell, wifi, change, background } = &mut lists;
    recording::inline_links(link, change, read, problems);
    let draft = Draft::new(Tables { node, link, cell, wifi, change }, Duration::MAX, problems)?;
    let Draft { nodes, links, .. } = &draft;
    let network = draft.network(problems.is_empty());
    let sources = source::expand(background, network, Duration::MAX, problems)?;
    let [from, to, ..] = &nodes.names[..] else {
        problems.add(["node".into()], "a link needs two nodes", None);
        return None;
    };
    let graph = Graph::new(nodes, links, Direction::Forth);
    let routes = graph.shortest(&[Request { from: 0, to: 1 }, Request { from: 1, to: 0 }]);
    let [Some(forth), Some(back)] = &routes[..] else {
        problems.add(["node".into()], format!("no route from `{from}` to `{to}` and back"), None);
        return None;
    };
    let routes = [forth.clone(), back.clone()];
    for medium in &links.topology.media {
        if matches!(medium, sim::MediumConfig::Ran(cell) if !cell.bearers.is_empty()) {
            let hint = Some("leave `bearer` out, or run flows with `dscp` by `emulate`".to_owned());
            problems.add(["cell".into()], "an emulated link has one bearer", hint);
        }
    }
    let flows = Category::ALL.map(|category| [category; 2]).to_vec();
    let traffic = Traffic { points: sim::Points::default(), flows, sources: sources.categories() };
    // It has no bearers.
    let links = draft.build(&[], traffic, problems).links;
    problems.is_empty().then_some(LinksPlan { topology: links.topology, routes, sources: sources.configs })
}

/// Checks a file and plans its network. Returns the file with its defaults resolved.
pub(crate) fn plan(mut file: File, read: ReadFile<'_>, problems: &mut Problems) -> Option<(File, Plan)> {
    let span = file.duration.0;
    if file.warmup.0 >= span {
        let message = format!("the warm-up of {} must be shorter than the duration of {span}", file.warmup.0);
        problems.add(["warmup".into()], message, None);
    }
    if file.flow.is_empty() && file.background.is_empty() && file.app.is_empty() {
        let hint = "add a [[flow]] or a [[background]]".to_owned();
        problems.add([], "the scenario has no flows and no background traffic", Some(hint));
    }
    if let Some(air) = file.output.air {
        if air.from.0 >= span {
            let message = format!("`from` ({}) must be before the end of the run ({span})", air.from.0);
            problems.add(["output".into(), "air".into(), "from".into()], message, None);
        }
        if file.wifi.is_empty() && !file.cell.iter().any(|cell| matches!(cell, AnyCell::Ran(_))) {
            let hint = Some("remove it, or add a [[wifi]], or a [[cell]] of LTE or NR".to_owned());
            problems.add(["output".into(), "air".into()], "the scenario has no wireless network", hint);
        }
    }
    check_windows(&file, problems);
    // Problems up to here leave the network whole: routes are looked for all the same.
    let before = problems.len();
    // Recordings become steps first, so that all later checks see one form.
    recording::inline(&mut file, read, problems);
    let File { node, link, cell, wifi, change, .. } = &mut file;
    let draft = Draft::new(Tables { node, link, cell, wifi, change }, span, problems)?;
    let Draft { nodes, links, .. } = &draft;
    let regions = region::plan(&file.region, links, problems);
    let network = draft.network(problems.len() == before);
    let mut python_laws = Vec::new();
    let default = file.stack;
    // Flows before applications: a Python law's index in the network is its place in this order.
    let law_of_flow = |(at, flow): (usize, &mut Flow)| {
        let stack = flow.stack.unwrap_or(default);
        law::resolve(&mut flow.law, stack, ("flow", at), &mut python_laws, problems)
    };
    let laws = file.flow.iter_mut().enumerate().map(law_of_flow).collect();
    let entries = file.app.iter_mut().enumerate();
    let law_of_app = |(at, app): (usize, &mut App)| {
        let stack = app.tcp().and_then(|(_, tcp)| tcp.stack).unwrap_or(default);
        app.law_mut().and_then(|law| law::resolve(law, stack, ("app", at), &mut python_laws, problems))
    };
    let app_laws = entries.map(law_of_app).collect();
    let flows = flow::expand(&file.flow, laws, nodes, (span, file.stack), problems).filter(|_| network.is_whole);
    let flows = flows.and_then(|flows| flow_routes::find(&file.flow, flows, network, problems));
    let sources = source::expand(&file.background, network, span, problems);
    let taken = sources.as_ref().map_or(&[][..], |sources| &sources.names);
    let apps = app::expand(&file.app, app_laws, taken, (network, span, file.stack), problems);
    // Only now, so that the problems of all three are reported at once.
    let (mut flows, mut apps, mut sources) = (flows?, apps?, sources?);
    sources.append(std::mem::take(&mut apps.sources));
    let probes = source::of_transfers(&file.flow, &flows, &nodes.names, &mut sources);
    let is_spread = flows.entries.iter().any(|entry| entry.start_spread.is_some_and(|spread| spread > Duration::ZERO));
    // Without another draw from the seed, the runs of all seeds would be the same.
    if !is_spread && !is_random(&links.topology, &sources.configs, &apps.configs) {
        flow_routes::spread_starts(&mut flows, span, links);
    }

    let of_apps = (&file.app[..], &apps.configs[..], &apps.names[..]);
    if regions.is_empty() {
        let of_sources = (&sources.configs[..], &sources.names[..]);
        notes::add((&file.flow, &flows), of_apps, of_sources, links, problems);
    }
    let of_flow = |plan: &FlowPlan| {
        let flow = &file.flow[plan.entry];
        [flow.dscp, flow.ack_dscp].map(Option::unwrap_or_default)
    };
    let of_flows: Vec<[Dscp; 2]> = flows.plans.iter().map(of_flow).collect();
    let points = of_flows.iter().map(|both| both.map(|point| point.0)).collect();
    // After the applications' sources have joined: their datagrams choose bearers and categories too.
    let traffic = Traffic {
        points: sim::Points { flows: points, sources: sources.code_points() },
        flows: of_flows.iter().map(|both| both.map(Dscp::category)).collect(),
        sources: sources.categories(),
    };
    let Built { nodes, mut links, schedulers, rules } = draft.build(&file.cell, traffic, problems);
    let per_sample = (flows.plans.len() + links.names.len()) as u64;
    let given = file.output.sample_interval.map(|interval| interval.0);
    let sample_interval = given.unwrap_or_else(|| default_interval(span, per_sample));
    check_interval(sample_interval, span, per_sample, problems);
    file.output.sample_interval = Some(Positive(sample_interval));
    Arc::make_mut(&mut links.topology.ports).shrink_to_fit();
    let plan = Plan {
        nodes,
        topology: links.topology,
        link_names: links.names,
        regions,
        wireless: links.wireless,
        flow_entries: flows.entries,
        flows: flows.plans,
        flow_names: flows.names,
        transfers: flows.transfers,
        probes,
        apps: apps.configs,
        app_is_fixed: apps.is_fixed,
        app_names: apps.names,
        object_names: apps.objects,
        sources: sources.configs,
        source_names: sources.names,
        sample_interval,
        python_laws,
        python_schedulers: schedulers,
        python_rules: rules,
    };
    problems.is_empty().then_some((file, plan))
}

/// Checks the windows of the output: names differ, and each lies between the warm-up and the end of the run.
fn check_windows(file: &File, problems: &mut Problems) {
    let windows = &file.output.windows;
    let here = |at: usize, key: &str| ["output".into(), "windows".into(), Segment::Index(at), key.into()];
    for (at, window) in windows.iter().enumerate() {
        if windows[..at].iter().any(|other| other.name == window.name) {
            problems.add(here(at, "name"), format!("there is another window `{}`", window.name.0), None);
        }
        if window.from.0 < file.warmup.0 {
            let message = format!("`from` ({}) is before the end of the warm-up ({})", window.from.0, file.warmup.0);
            problems.add(here(at, "from"), message, Some("figures begin with the warm-up's end".to_owned()));
        }
        if window.to.0 <= window.from.0 {
            let message = format!("`to` ({}) must be after `from` ({})", window.to.0, window.from.0);
            problems.add(here(at, "to"), message, None);
        } else if window.to.0 > file.duration.0 {
            let message = format!("`to` ({}) is after the end of the run ({})", window.to.0, file.duration.0);
            problems.add(here(at, "to"), message, None);
        }
    }
}

/// True if any part of the network draws from the seed, apart from the starts of flows.
fn is_random(topology: &sim::Topology, sources: &[sim::SourceConfig], apps: &[sim::AppConfig]) -> bool {
    topology.links().any(sim::LinkConfig::is_random)
        || topology.media.iter().any(sim::MediumConfig::is_random)
        || sources.iter().any(|source| source.pattern.is_random())
        || apps.iter().any(|app| app.kind.is_random())
}

/// Default sample interval: `span`/600, or longer to bound the number of rows, rounded up to 1, 2 or 5 times a power of
/// ten.
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
        problems.add(path, format!("the sample interval of {interval} is longer than the duration of {span}"), None);
    } else if rows > MAX_ROWS {
        let message = format!("a sample interval of {interval} makes {rows} rows; at most {MAX_ROWS} are allowed");
        problems.add(path, message, None);
    }
}
