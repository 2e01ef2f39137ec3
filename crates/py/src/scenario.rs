//! Scenarios, the schema and the laws, for Python.

use crate::error;
use crate::json::to_python;
use crate::table::column as numbers;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;
use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use windward_laws::{LawSpec, Price};
use windward_scenario::{self as scenario, Compiled, FlowName};
use windward_sim::wifi::edca::Category;
use windward_sim::{AirFormat, AppConfig, FlowConfig, FrameKind, LawChoice, MediumConfig, Network};
use windward_units::{
    BitRate, Bytes, Decibels, Distance, Duration, Frequency, PacketRate, Packets, PowerLevel, Quantity, Speed,
    SymbolRate, Time,
};

/// A validated scenario.
#[pyclass(frozen, module = "windward._engine")]
pub(crate) struct Scenario {
    pub(crate) inner: scenario::Scenario,
    /// Network of its first seed, for properties that do not depend on the seed.
    compiled: Compiled,
    recordings: Vec<String>,
}

/// Files that a scenario names, and those of them that have been read.
pub(crate) struct Recordings<'a> {
    folder: &'a Path,
    names: RefCell<Vec<String>>,
}

impl<'a> Recordings<'a> {
    pub(crate) fn of(folder: &'a Path) -> Self {
        Self { folder, names: RefCell::default() }
    }

    pub(crate) fn read(&self, name: &str) -> io::Result<String> {
        let mut names = self.names.borrow_mut();
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        scenario::read_text(&self.folder.join(name), scenario::MAX_RECORDING)
    }

    fn names(self) -> Vec<String> {
        self.names.into_inner()
    }
}

#[pymethods]
impl Scenario {
    /// Reads TOML; `origin` names the text in messages. Recordings are looked up in `folder`. Raises ScenarioError.
    #[staticmethod]
    fn from_toml(text: &str, origin: &str, folder: PathBuf) -> PyResult<Self> {
        let recordings = Recordings::of(&folder);
        let inner = scenario::Scenario::from_toml_with(text, origin, &|name| recordings.read(name));
        inner.map(|inner| Self::new(inner, recordings.names())).map_err(|e| error::scenario(&e))
    }

    /// Reads JSON of the same fields. Raises ScenarioError.
    #[staticmethod]
    fn from_json(text: &str, origin: &str, folder: PathBuf) -> PyResult<Self> {
        Self::read_json(text, origin, &folder).map_err(|e| error::scenario(&e))
    }

    /// The scenario as TOML, defaults written out.
    fn to_toml(&self) -> String {
        self.inner.to_toml()
    }

    /// The scenario as JSON, defaults written out.
    fn to_json(&self) -> String {
        self.inner.to_json()
    }

    /// Short name.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// Question in one line.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.inner.title()
    }

    /// Keys of the papers on which it is based.
    #[getter]
    fn cite(&self) -> Vec<String> {
        self.inner.cite().to_vec()
    }

    /// Default seeds.
    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.inner.seeds().to_vec()
    }

    /// True if some links belong to a capacity region, which has rates but no packets.
    #[getter]
    fn has_region(&self) -> bool {
        self.inner.check_packets().is_err()
    }

    /// Raises ValueError for a flow or an application that needs a stack of QUIC which this engine lacks.
    fn check_stacks(&self) -> PyResult<()> {
        windward_run::check_stacks(&self.inner).map_err(|missing| error::missing(&missing))
    }

    /// Laws, schedulers and forwarding rules written in Python, as FILE:CLASS or MODULE:CLASS: running the scenario
    /// runs their code.
    #[getter]
    fn python_classes(&self) -> Vec<String> {
        let laws = self.inner.python_laws().iter();
        laws.chain(self.inner.python_schedulers())
            .chain(self.inner.python_rules())
            .map(|python| python.class.clone())
            .collect()
    }

    /// Like `python_classes`, each preceded by the kind ("law", "scheduler" or "rule") and followed by the names of the
    /// constructor's arguments.
    #[getter]
    fn python_parts(&self) -> Vec<(&'static str, String, Vec<String>)> {
        let [laws, schedulers, rules] =
            [self.inner.python_laws(), self.inner.python_schedulers(), self.inner.python_rules()];
        [("law", laws), ("scheduler", schedulers), ("rule", rules)]
            .into_iter()
            .flat_map(|(kind, classes)| classes.iter().map(move |python| (kind, python)))
            .map(|(kind, python)| (kind, python.class.clone(), python.params.keys().cloned().collect()))
            .collect()
    }

    /// Recordings that have been read, by their names in the scenario.
    #[getter]
    fn recordings(&self) -> Vec<String> {
        self.recordings.clone()
    }

    /// Remarks on the recordings: their parts that are left out or changed.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.inner.notes().to_vec()
    }

    /// Estimate of the memory that a run takes: parts, bytes, and what lowers them; the largest first.
    fn memory(&self) -> Vec<(String, f64, &'static str)> {
        self.compiled.memory().into_iter().map(|need| (need.what, need.bytes, need.lower)).collect()
    }

    /// Simulated duration in seconds.
    #[getter]
    pub(crate) fn duration_s(&self) -> f64 {
        self.compiled.network.timing.duration.as_secs()
    }

    /// Start of the interval for totals and means, in seconds.
    #[getter]
    pub(crate) fn warmup_s(&self) -> f64 {
        self.compiled.network.timing.warmup.as_secs()
    }

    /// Names of flows, applications, links and background sources, as columns by table.
    pub(crate) fn entities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Compiled { network, nodes, flows, links, apps, objects, sources, windows } = &self.compiled;
        let tables = PyDict::new(py);
        let table = PyDict::new(py);
        table.set_item("flow", column(flows, |flow| flow.name.clone()))?;
        table.set_item("group", column(flows, |flow| flow.label.clone()))?;
        table.set_item("law", self.law_names())?;
        table.set_item("from", column(flows, |flow| flow.from.clone()))?;
        table.set_item("to", column(flows, |flow| flow.to.clone()))?;
        tables.set_item("flows", table)?;
        let table = PyDict::new(py);
        table.set_item("group", self.compiled.groups())?;
        tables.set_item("groups", table)?;
        let table = PyDict::new(py);
        table.set_item("app", column(apps, |app| app.name.clone()))?;
        table.set_item("group", column(apps, |app| app.label.clone()))?;
        table.set_item("law", self.law_names_of_apps())?;
        table.set_item("from", column(apps, |app| app.from.clone()))?;
        table.set_item("to", column(apps, |app| app.to.clone()))?;
        tables.set_item("apps", table)?;
        let table = PyDict::new(py);
        table.set_item("object", objects)?;
        tables.set_item("objects", table)?;
        let table = PyDict::new(py);
        table.set_item("link", column(links, |link| link.name.clone()))?;
        table.set_item("from", column(links, |link| link.from.clone()))?;
        table.set_item("to", column(links, |link| link.to.clone()))?;
        let ports = 0..links.len() as u32;
        let rates: Vec<f64> = ports.clone().map(|port| network.topology.shown_rate(port)).collect();
        table.set_item("rate_bps", numbers(py, &rates)?)?;
        let delays: Vec<f64> = ports.map(|port| network.topology.delay(port).as_secs()).collect();
        table.set_item("delay_s", numbers(py, &delays)?)?;
        tables.set_item("links", table)?;
        let table = PyDict::new(py);
        table.set_item("source", column(sources, |source| source.name.clone()))?;
        table.set_item("group", column(sources, |source| source.label.clone()))?;
        table.set_item("from", column(sources, |source| source.from.clone()))?;
        table.set_item("to", column(sources, |source| source.to.clone()))?;
        tables.set_item("background", table)?;
        let table = PyDict::new(py);
        table.set_item("node", nodes)?;
        tables.set_item("nodes", table)?;
        let table = PyDict::new(py);
        table.set_item("window", windows)?;
        tables.set_item("windows", table)?;
        let geometries = network.topology.media.iter().filter_map(|medium| match medium {
            MediumConfig::Ran(cell) => cell.geometry.as_ref(),
            _ => None,
        });
        let sites: Vec<&str> = geometries.flat_map(|geometry| &geometry.sites).map(|site| site.name.as_str()).collect();
        let table = PyDict::new(py);
        table.set_item("site", sites)?;
        tables.set_item("sites", table)?;
        let table = PyDict::new(py);
        table.set_item("kind", FrameKind::ALL.map(FrameKind::name))?;
        tables.set_item("frames", table)?;
        let table = PyDict::new(py);
        table.set_item("format", AirFormat::ALL.map(AirFormat::name))?;
        tables.set_item("formats", table)?;
        let table = PyDict::new(py);
        table.set_item("category", Category::ALL.map(Category::name))?;
        tables.set_item("categories", table)?;
        Ok(tables)
    }

    /// Times at which the network changes, in seconds, in order, without duplicates.
    fn changes_s(&self) -> Vec<f64> {
        self.compiled.network.topology.changes().into_iter().map(Time::as_secs).collect()
    }

    /// Sending times of the flows, as columns: `start_s`, `stop_s` (infinity without an end), and `size_bytes`, 0 for
    /// flows without end.
    fn spans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let flows = &self.compiled.network.flows;
        let table = PyDict::new(py);
        table.set_item("start_s", column(flows, |flow| flow.start.as_secs()))?;
        table.set_item("stop_s", column(flows, |flow| flow.stop.map_or(f64::INFINITY, Time::as_secs)))?;
        table.set_item("size_bytes", column(flows, |flow| flow.size.map_or(0, Bytes::count)))?;
        Ok(table)
    }

    /// Paths of moving stations, as columns: a row for each waypoint, `node`, `time_s`, `x_m`, `y_m`.
    fn ways<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Compiled { network, nodes, .. } = &self.compiled;
        let turns: Vec<_> = (network.topology.media.iter())
            .filter_map(|medium| Some((medium.observed_nodes(), medium.motion()?)))
            .flat_map(|(stations, motion)| stations.into_iter().zip(&motion.ways))
            .filter(|(_, way)| way.iter().any(|turn| turn.1 != way[0].1))
            .flat_map(|(node, way)| way.iter().map(move |turn| (node, turn)))
            .collect();
        let table = PyDict::new(py);
        table.set_item("node", column(&turns, |(node, _)| nodes[*node as usize].clone()))?;
        table.set_item("time_s", column(&turns, |(_, turn)| turn.0.as_secs()))?;
        table.set_item("x_m", column(&turns, |(_, turn)| turn.1.0))?;
        table.set_item("y_m", column(&turns, |(_, turn)| turn.1.1))?;
        Ok(table)
    }
}

impl Scenario {
    fn new(inner: scenario::Scenario, recordings: Vec<String>) -> Self {
        let compiled = inner.compile(inner.seeds()[0]);
        Self { inner, compiled, recordings }
    }

    /// Reads JSON without the interpreter.
    pub(crate) fn read_json(text: &str, origin: &str, folder: &Path) -> Result<Self, scenario::Error> {
        let recordings = Recordings::of(folder);
        let inner = scenario::Scenario::from_json_with(text, origin, &|name| recordings.read(name))?;
        Ok(Self::new(inner, recordings.names()))
    }

    /// Network of the first seed.
    pub(crate) fn network(&self) -> &Network {
        &self.compiled.network
    }

    /// Law of each flow: its name, or the class of a law written in Python.
    pub(crate) fn law_names(&self) -> Vec<String> {
        let name = |(flow, name): (&FlowConfig, &FlowName)| self.law_name(flow.law, name);
        self.compiled.network.flows.iter().zip(&self.compiled.flows).map(name).collect()
    }

    /// Law of each application, in the same way.
    fn law_names_of_apps(&self) -> Vec<String> {
        let name = |(app, name): (&AppConfig, &FlowName)| self.law_name(app.law, name);
        self.compiled.network.apps.iter().zip(&self.compiled.apps).map(name).collect()
    }

    fn law_name(&self, law: LawChoice, name: &FlowName) -> String {
        match law {
            LawChoice::Known(_) | LawChoice::Tfrc(_) | LawChoice::Quic(_, _) => name.law.clone(),
            LawChoice::Own(index) => self.inner.python_laws()[index as usize].name().to_owned(),
        }
    }
}

fn column<T, V>(rows: &[T], value: impl Fn(&T) -> V) -> Vec<V> {
    rows.iter().map(value).collect()
}

/// A quantity in the notation of scenarios: its value in a base unit, and that unit; None for other texts.
#[pyfunction]
pub(crate) fn quantity(text: &str) -> Option<(f64, &'static str)> {
    fn read<T: Quantity>(text: &str) -> Option<(f64, &'static str)> {
        let (unit, worth) = T::UNITS[0];
        T::parse(text).ok().map(|quantity| (quantity.to_base() / worth, unit))
    }
    let kinds = [
        read::<Duration>,
        read::<BitRate>,
        read::<Bytes>,
        read::<Packets>,
        read::<PacketRate>,
        read::<Frequency>,
        read::<SymbolRate>,
        read::<Distance>,
        read::<Speed>,
        read::<Decibels>,
        read::<PowerLevel>,
    ];
    kinds.iter().find_map(|read| read(text))
}

/// Text of a regular file of at most `most` bytes, without its byte order mark. Raises OSError, or ValueError if it is
/// not a regular file, too large, or not UTF-8.
#[pyfunction]
pub(crate) fn read_text(py: Python<'_>, path: PathBuf, most: u64) -> PyResult<String> {
    py.detach(|| scenario::read_text(&path, most)).map_err(|refused| error::file(&path, &refused))
}

/// JSON Schema of the scenario format.
#[pyfunction]
pub(crate) fn schema(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &scenario::schema())
}

/// Every law: `name`, `summary`, `parameters` with their defaults, `bibtex`; the `price` of its utility ("loss" or
/// "queueing delay"), the `backlog` of packets that it keeps in queues by default, and `backlog_parameter`, the
/// parameter for their number; each of the three may be None. What it needs of its host: `drives_recovery` and
/// `counts_marks`.
#[pyfunction]
pub(crate) fn laws(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let rows = PyList::empty(py);
    for law in LawSpec::all() {
        let mut parameters = serde_json::to_value(law).unwrap_or_default();
        if let Value::Object(fields) = &mut parameters {
            fields.shift_remove("name");
        }
        let row = PyDict::new(py);
        row.set_item("name", law.name())?;
        row.set_item("parameters", to_python(py, &parameters)?)?;
        row.set_item("bibtex", law.bibtex())?;
        row.set_item("summary", law.summary())?;
        let price = |price| match price {
            Price::Loss => "loss",
            Price::QueueDelay => "queueing delay",
        };
        row.set_item("price", law.price().map(price))?;
        row.set_item("backlog", law.fluid().and_then(|law| law.backlog()).map(Packets::count))?;
        row.set_item("backlog_parameter", law.fluid().and_then(|law| law.backlog_parameter()))?;
        row.set_item("drives_recovery", law.needs().drives_recovery)?;
        row.set_item("counts_marks", law.needs().counts_marks)?;
        rows.append(row)?;
    }
    Ok(rows)
}
