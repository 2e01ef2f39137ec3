//! A valid scenario, and the networks that it makes.

use crate::check::{self, Plan, ReadFile, RegionPlan, WifiPlan};
use crate::error::{Error, Position};
use crate::format::{File, Seeds};
use crate::names::{FlowName, LinkName, SourceName};
use crate::problems::Problems;
use crate::python::PythonClass;
use crate::read::{self, Tree};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use toml::de::DeTable;
use windward_sim::{
    AppConfig, FlowConfig, LawChoice, LawOf, Network, Route, SourceConfig, Step, TcpOptions, Timing, TransferConfig,
};
use windward_units::{Duration, Time};

/// A scenario, parsed and validated: every name is known, every value is possible, and every flow has its routes.
#[derive(Clone, Debug)]
pub struct Scenario {
    file: File,
    /// Shared by copies, among them those of a job: of a large network it is most of the memory.
    plan: Arc<Plan>,
    notes: Vec<String>,
}

/// Scenarios are equal if their files with all defaults are.
impl PartialEq for Scenario {
    fn eq(&self, other: &Self) -> bool {
        self.file == other.file
    }
}

/// A network for the simulator, and the names of its parts, in the same order.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Network that [`windward_sim`] runs.
    pub network: Network,
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// Names of the flows.
    pub flows: Vec<FlowName>,
    /// Names of the ports: one-way links, the stations of cells among them.
    pub links: Vec<LinkName>,
    /// Names of the applications.
    pub apps: Vec<FlowName>,
    /// Names of the objects of all pages, those of each application together.
    pub objects: Vec<String>,
    /// Names of the background sources.
    pub sources: Vec<SourceName>,
    /// Names of the windows.
    pub windows: Vec<String>,
}

impl Compiled {
    /// Names of the groups of flows, in the order of their first flows.
    pub fn groups(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (flow, group) in self.flows.iter().zip(self.group_of_flows()) {
            if group as usize == names.len() {
                names.push(&flow.label);
            }
        }
        names
    }

    /// Group of each flow, as an index of [`Self::groups`].
    pub fn group_of_flows(&self) -> Vec<u32> {
        let mut known = BTreeMap::new();
        let group = |flow: &'_ FlowName| {
            let next = known.len() as u32;
            *known.entry(flow.label.clone()).or_insert(next)
        };
        self.flows.iter().map(group).collect()
    }
}

/// Error: the packets of a scenario cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the capacity region `{region}` has no packets and cannot be simulated\nhint: use `optimum` or `fluid`, or replace \
     the region by a [[cell]]"
)]
pub struct NoPackets {
    /// Name of a capacity region.
    pub region: String,
}

/// Source of the base RTT of a flow's law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBase {
    /// Least sample so far.
    Found,
    /// Path of the flow at the beginning.
    Path,
    /// A number in the file.
    Given(Duration),
}

impl Scenario {
    /// Reads a TOML file; `origin` is its name in messages. Recordings in files are refused.
    ///
    /// # Errors
    /// All problems of the file, each with line and column.
    pub fn from_toml(text: &str, origin: &str) -> Result<Self, Error> {
        Self::from_toml_with(text, origin, &no_files)
    }

    /// Reads a TOML file and its recordings; `read` returns a recording by its name in the file.
    ///
    /// # Errors
    /// All problems of the file, each with line and column.
    pub fn from_toml_with(text: &str, origin: &str, read: &dyn Fn(&str) -> io::Result<String>) -> Result<Self, Error> {
        check_size(text, origin)?;
        let text = read::without_mark(text);
        let document = DeTable::parse(text).map_err(|error| {
            let position = error.span().map(|span| Position::of_span(text, span));
            Error::single(origin, position, error.message().to_owned(), None)
        })?;
        let mut problems = Problems::default();
        let tree = Tree::from_toml(&document, &mut problems);
        Self::from_tree(&tree, problems, origin, Some(text), read)
    }

    /// Reads JSON with the same fields; `origin` is its name in messages. A `null` counts as absent.
    ///
    /// # Errors
    /// All problems of the text, each with its path, such as `flow[2].to`.
    pub fn from_json(text: &str, origin: &str) -> Result<Self, Error> {
        Self::from_json_with(text, origin, &no_files)
    }

    /// Reads JSON and its recordings; `read` returns a recording by its name in the text.
    ///
    /// # Errors
    /// All problems of the text, each with its path.
    pub fn from_json_with(text: &str, origin: &str, read: &dyn Fn(&str) -> io::Result<String>) -> Result<Self, Error> {
        Self::from_tree(&json_tree(text, origin)?, Problems::default(), origin, None, read)
    }

    fn from_tree(
        tree: &Tree,
        mut problems: Problems,
        origin: &str,
        text: Option<&str>,
        read: ReadFile<'_>,
    ) -> Result<Self, Error> {
        let file = if problems.is_empty() { read::file(tree, &mut problems) } else { None };
        let planned = file.and_then(|file| check::plan(file, read, &mut problems));
        match planned {
            Some((file, plan)) => Ok(Self { file, plan: Arc::new(plan), notes: problems.notes }),
            None => Err(problems.into_error(origin, text, |path| tree.span_of(path))),
        }
    }

    /// The scenario as TOML, with all defaults; reading it gives an equal scenario. Names and routes that follow from
    /// other fields are omitted.
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.value()).expect("the fields of a scenario are all things that TOML can say")
    }

    /// The scenario as JSON, with all defaults.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&self.value()).expect("values of JSON are JSON")
    }

    /// The file as one kind of value, so that its many types are compiled for one serializer and not for TOML's dozen.
    fn value(&self) -> serde_json::Value {
        serde_json::to_value(&self.file).expect("the fields of a scenario are all things that JSON can say")
    }

    /// Short name of the scenario.
    pub fn name(&self) -> &str {
        &self.file.name.0
    }

    /// Title: the scenario's question in one line.
    pub fn title(&self) -> Option<&str> {
        self.file.title.as_deref()
    }

    /// Remarks: parts of recordings that are left out or changed, settings that contradict each other, shares that
    /// depend on phase.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Citation keys of the papers that the scenario comes from.
    pub fn cite(&self) -> &[String] {
        &self.file.cite
    }

    /// Simulated time.
    pub fn duration(&self) -> Duration {
        self.file.duration.0
    }

    /// The seeds to run; at least one, none twice.
    pub fn seeds(&self) -> &[u64] {
        self.file.seeds.as_slice()
    }

    /// The capacity regions.
    pub fn regions(&self) -> &[RegionPlan] {
        &self.plan.regions
    }

    /// Properties of the wireless networks beyond their media.
    pub fn wireless(&self) -> &[WifiPlan] {
        &self.plan.wireless
    }

    /// For each flow, the base RTT that its law is given.
    pub fn known_base_rtts(&self) -> impl Iterator<Item = KnownBase> {
        self.plan.flows.iter().map(|flow| match flow.known_base_rtt {
            Some(_) if self.plan.flow_entries[flow.entry].is_base_rtt_of_path => KnownBase::Path,
            Some(known) => KnownBase::Given(known),
            None => KnownBase::Found,
        })
    }

    /// For each flow, true if the file gives its route.
    pub fn has_own_routes(&self) -> impl Iterator<Item = bool> {
        self.plan.flows.iter().map(|flow| flow.is_fixed[0])
    }

    /// Returns an error if the scenario has no packets to simulate.
    ///
    /// # Errors
    /// A capacity region defines the possible rates but no packets.
    pub fn check_packets(&self) -> Result<(), NoPackets> {
        self.plan.regions.first().map_or(Ok(()), |region| Err(NoPackets { region: region.name.clone() }))
    }

    /// First flow or application over QUIC, if there is one: a run needs ends for it (`windward_sim::Makers::quic`).
    pub fn first_over_quic(&self) -> Option<&str> {
        self.first_with(|law| matches!(law, LawChoice::Quic(_, _)))
    }

    /// First flow or application between endpoints of noq, if there is one, which not all builds have.
    pub fn first_over_noq(&self) -> Option<&str> {
        self.first_with(|law| matches!(law, LawChoice::Quic(_, options) if options.law_of == LawOf::Noq))
    }

    /// Name of the first flow or application whose law is as `is` says.
    fn first_with(&self, is: impl Fn(&LawChoice) -> bool) -> Option<&str> {
        let plan = &self.plan;
        let flow = plan.flows.iter().position(|flow| is(&plan.flow_entries[flow.entry].law));
        let app = || plan.apps.iter().position(|app| is(&app.law)).map(|at| &plan.app_names[at]);
        flow.map(|at| &plan.flow_names[at]).or_else(app).map(|name| name.name.as_str())
    }

    /// Name of the first application, if there is one.
    pub fn first_app(&self) -> Option<&str> {
        self.plan.app_names.first().map(|app| app.name.as_str())
    }

    /// Returns the scenario with other seeds.
    ///
    /// # Errors
    /// No seed, a seed twice, or one of 2^63 or more.
    pub fn with_seeds(mut self, seeds: Vec<u64>) -> Result<Self, Error> {
        let refused = |refusal: crate::format::Refusal| Error::single("seeds", None, refusal.to_string(), None);
        self.file.seeds = Seeds::of_list(seeds).map_err(refused)?;
        Ok(self)
    }

    /// Laws written in Python, one for each `[[flow]]` that has one; the networks have their indices.
    pub fn python_laws(&self) -> &[PythonClass] {
        &self.plan.python_laws
    }

    /// Schedulers written in Python, one for each `[[cell]]` that has one; the networks have their indices.
    pub fn python_schedulers(&self) -> &[PythonClass] {
        &self.plan.python_schedulers
    }

    /// Forwarding rules written in Python, one for each `[[wifi]]` that has one; the networks have their indices.
    pub fn python_rules(&self) -> &[PythonClass] {
        &self.plan.python_rules
    }

    /// The network of one seed, which determines the random starts of flows. Links of capacity regions have rate 0 in
    /// it: see [`Self::check_packets`].
    pub fn compile(&self, seed: u64) -> Compiled {
        self.compile_with(seed, seed, |ports, is_fixed| self.route(ports, is_fixed))
    }

    /// The network with the routes of a network at rest, including those that stations would find themselves. Flows
    /// start as written.
    pub fn compile_at_rest(&self) -> Compiled {
        self.compile_with(self.seeds()[0], check::UNSPREAD, |ports, _| ports.to_vec().into())
    }

    /// Route by given ports or, where stations find it and the file does not fix it, by its ends.
    fn route(&self, ports: &[u32], is_fixed: bool) -> Route {
        let Plan { wireless, topology, .. } = &*self.plan;
        let finder = |port: u32| wireless.iter().position(|plan| plan.finds_routes && plan.links.contains(&port));
        if is_fixed || wireless.is_empty() {
            return ports.to_vec().into();
        }
        let across = |ports: &[u32]| match (finder(ports[0]), ports.first(), ports.last()) {
            (Some(_), Some(&first), Some(&last)) => {
                let [first, last] = [first, last].map(|port| &topology.ports[port as usize]);
                vec![Step::Across { from: first.from, to: last.to }]
            }
            _ => ports.iter().map(|&port| Step::Port(port)).collect(),
        };
        Route(ports.chunk_by(|&a, &b| finder(a) == finder(b)).flat_map(across).collect())
    }

    /// The network of `seed`. Where the file gives no spread, the flows' starts are spread as for the seed `like`.
    fn compile_with(&self, seed: u64, like: u64, route: impl Fn(&[u32], bool) -> Route) -> Compiled {
        let Self { file, plan, notes: _ } = self;
        let start = |flow: &check::FlowPlan| {
            let spread = flow.spread(&plan.flow_entries[flow.entry], like);
            let wait = spread.scale(check::uniform(seed, flow.key, "start"));
            Time::from_nanos(flow.start.as_nanos() + wait.as_nanos())
        };
        let transfer = |(flows, &probes): (&Range<usize>, &Option<u32>)| {
            let flow = &plan.flows[flows.start];
            let entry = &plan.flow_entries[flow.entry];
            let controller = entry.controller?;
            let is_combined = entry.is_combined;
            let (flows, start, stop) = (flows.clone(), start(flow), entry.stop);
            Some(TransferConfig { flows, controller, is_combined, probes, start, stop })
        };
        let bursts = |port: u32| plan.topology.delivers_together(port);
        let flow = |flow: &check::FlowPlan| {
            let entry = &plan.flow_entries[flow.entry];
            let start = match entry.controller {
                Some(_) => Time::NEVER,
                None => start(flow),
            };
            FlowConfig {
                key: flow.key,
                source: flow.source,
                sink: flow.sink,
                forward: route(&flow.forward, flow.is_fixed[0]),
                backward: route(&flow.backward, flow.is_fixed[1]),
                law: entry.law,
                start,
                stop: entry.stop.filter(|_| entry.controller.is_none()),
                size: entry.size,
                tcp: TcpOptions {
                    known_base_rtt: flow.known_base_rtt,
                    handshake_excess: flow.handshake_excess,
                    small_queues: flow.small_queues,
                    receive_offload: entry.tcp.receive_offload.filter(|_| flow.forward.iter().copied().any(bursts)),
                    ..entry.tcp.clone()
                },
                coding: entry.coding,
            }
        };
        let source = |source: &SourceConfig| {
            let ports: Vec<u32> = source.path.ports().collect();
            let reply = source.reply.as_ref().map(|reply| route(&reply.ports().collect::<Vec<u32>>(), false));
            SourceConfig { path: route(&ports, false), reply, ..source.clone() }
        };
        let app = |(app, is_fixed): (&AppConfig, &[bool; 2])| {
            let [forward, backward] = [(&app.forward, is_fixed[0]), (&app.backward, is_fixed[1])]
                .map(|(given, is_fixed)| route(&given.ports().collect::<Vec<u32>>(), is_fixed));
            let mut ports = app.forward.ports().chain(app.backward.ports());
            let receive_offload = app.tcp.receive_offload.filter(|_| ports.any(bursts));
            AppConfig { forward, backward, tcp: TcpOptions { receive_offload, ..app.tcp.clone() }, ..app.clone() }
        };
        let network = Network {
            topology: plan.topology.clone(),
            flows: plan.flows.iter().map(flow).collect(),
            transfers: plan.transfers.iter().zip(&plan.probes).filter_map(transfer).collect(),
            apps: plan.apps.iter().zip(&plan.app_is_fixed).map(app).collect(),
            sources: plan.sources.iter().map(source).collect(),
            timing: Timing {
                duration: Time::from_nanos(file.duration.0.as_nanos()),
                warmup: Time::from_nanos(file.warmup.0.as_nanos()),
                sample_interval: plan.sample_interval,
            },
            internals: file.output.internals,
            air: file.output.air.map(|air| {
                let from = Time::from_nanos(air.from.0.as_nanos());
                from..from + air.length.0
            }),
            windows: file.output.windows.iter().map(|own| Time::ZERO + own.from.0..Time::ZERO + own.to.0).collect(),
        };
        Compiled {
            network,
            nodes: plan.nodes.clone(),
            flows: plan.flow_names.clone(),
            links: plan.link_names.clone(),
            apps: plan.app_names.clone(),
            objects: plan.object_names.clone(),
            sources: plan.source_names.clone(),
            windows: file.output.windows.iter().map(|window| window.name.0.clone()).collect(),
        }
    }
}

/// Maximum size of a scenario in bytes.
pub const MAX_TEXT: usize = 16_000_000;

/// Tree of a text in JSON.
pub(crate) fn json_tree(text: &str, origin: &str) -> Result<Tree, Error> {
    check_size(text, origin)?;
    let text = read::without_mark(text);
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        Error::single(origin, Position::of_line(text, error.line(), error.column()), message.to_owned(), None)
    })
}

/// Refuses a text above the maximum size.
fn check_size(text: &str, origin: &str) -> Result<(), Error> {
    if text.len() <= MAX_TEXT {
        return Ok(());
    }
    let [given, most] = [text.len(), MAX_TEXT].map(|bytes| bytes as f64 / 1e6);
    let message = format!("the scenario has {given:.1} MB; at most {most} MB are read");
    Err(Error::single(origin, None, message, Some("`count` makes many nodes, links and flows of one table".to_owned())))
}

/// The JSON Schema of the format, the laws' parameters included.
pub fn schema() -> Value {
    schemars::schema_for!(File).to_value()
}

/// Reader of recordings for a scenario without a folder: always an error.
fn no_files(_: &str) -> io::Result<String> {
    Err(io::Error::other("the scenario was read without its folder"))
}
