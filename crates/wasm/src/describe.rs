//! A scenario in names and numbers, as the page shows it.

use crate::answer::Answer;
use serde_json::{Value, json};
use windward_scenario::{Compiled, FlowName, Scenario};
use windward_sim::wifi::edca::Category;
use windward_sim::{AirFormat, FrameKind, LawChoice, MediumConfig};
use windward_units::{
    BitRate, Bytes, Decibels, Distance, Duration, Frequency, PacketRate, Packets, PowerLevel, Quantity, Speed,
    SymbolRate, Time,
};

/// The scenario as resolved, its names, and what its engines assume; `written` is what its author wrote.
pub(crate) fn scenario(scenario: &Scenario, written: Value) -> Answer {
    let compiled = scenario.compile(scenario.seeds()[0]);
    let timing = &compiled.network.timing;
    let mut answer = Answer::of("toml", scenario.to_toml());
    answer.set("json", scenario.to_json());
    answer.set("written", written);
    answer.set("name", scenario.name());
    answer.set("title", scenario.title());
    answer.set("seeds", scenario.seeds().len());
    answer.set("duration_s", timing.duration.as_secs());
    answer.set("warmup_s", timing.warmup.as_secs());
    answer.set("has_region", scenario.check_packets().is_err());
    answer.set("python_classes", python_classes(scenario));
    answer.set("notes", scenario.notes().to_vec());
    let changes: Vec<f64> = compiled.network.topology.changes().into_iter().map(Time::as_secs).collect();
    answer.set("changes_s", changes);
    let flows = &compiled.network.flows;
    let spans = json!({
        "start_s": column(flows, |flow| flow.start.as_secs()),
        // None of a flow without an end.
        "stop_s": column(flows, |flow| flow.stop.map(Time::as_secs)),
        "size_bytes": column(flows, |flow| flow.size.map_or(0, Bytes::count)),
    });
    answer.set("spans", spans);
    answer.set("entities", entities(scenario, &compiled));
    answer
}

/// Names of flows, applications, links and sources, by table.
fn entities(scenario: &Scenario, compiled: &Compiled) -> Value {
    let Compiled { network, nodes, flows, links, apps, objects, sources, windows } = compiled;
    let named = |names: &[FlowName], key: &str, laws: Vec<String>| {
        json!({
            key: column(names, |name| name.name.clone()),
            "group": column(names, |name| name.label.clone()),
            "law": laws,
            "from": column(names, |name| name.from.clone()),
            "to": column(names, |name| name.to.clone()),
        })
    };
    let law_of_app = |(app, name): (&windward_sim::AppConfig, &FlowName)| law_name(scenario, app.law, name);
    let ports = 0..links.len() as u32;
    let sites = network.topology.media.iter().filter_map(|medium| match medium {
        MediumConfig::Ran(cell) => cell.geometry.as_ref(),
        _ => None,
    });
    let sites: Vec<&str> = sites.flat_map(|geometry| &geometry.sites).map(|site| site.name.as_str()).collect();
    json!({
        "flows": named(flows, "flow", laws_of(scenario, compiled)),
        "groups": { "group": compiled.groups() },
        "apps": named(apps, "app", network.apps.iter().zip(apps).map(law_of_app).collect()),
        "objects": { "object": objects },
        "links": {
            "link": column(links, |link| link.name.clone()),
            "from": column(links, |link| link.from.clone()),
            "to": column(links, |link| link.to.clone()),
            "rate_bps": ports.clone().map(|port| network.topology.shown_rate(port)).collect::<Vec<f64>>(),
            "delay_s": ports.map(|port| network.topology.delay(port).as_secs()).collect::<Vec<f64>>(),
        },
        "background": {
            "source": column(sources, |source| source.name.clone()),
            "group": column(sources, |source| source.label.clone()),
            "from": column(sources, |source| source.from.clone()),
            "to": column(sources, |source| source.to.clone()),
        },
        "nodes": { "node": nodes },
        "windows": { "window": windows },
        "sites": { "site": sites },
        "frames": { "kind": FrameKind::ALL.map(FrameKind::name) },
        "formats": { "format": AirFormat::ALL.map(AirFormat::name) },
        "categories": { "category": Category::ALL.map(Category::name) },
    })
}

fn column<T, V>(rows: &[T], value: impl Fn(&T) -> V) -> Vec<V> {
    rows.iter().map(value).collect()
}

/// Law of each flow.
pub(crate) fn laws(scenario: &Scenario) -> Vec<String> {
    laws_of(scenario, &scenario.compile(scenario.seeds()[0]))
}

fn laws_of(scenario: &Scenario, compiled: &Compiled) -> Vec<String> {
    let flows = compiled.network.flows.iter().zip(&compiled.flows);
    flows.map(|(flow, name)| law_name(scenario, flow.law, name)).collect()
}

fn law_name(scenario: &Scenario, law: LawChoice, name: &FlowName) -> String {
    match law {
        LawChoice::Known(_) | LawChoice::Tfrc(_) | LawChoice::Quic(_, _) => name.law.clone(),
        LawChoice::Own(index) => scenario.python_laws()[index as usize].name().to_owned(),
    }
}

/// Laws, schedulers and rules written in Python.
pub(crate) fn python_classes(scenario: &Scenario) -> Vec<String> {
    let laws = scenario.python_laws().iter();
    let all = laws.chain(scenario.python_schedulers()).chain(scenario.python_rules());
    all.map(|python| python.class.clone()).collect()
}

/// A quantity in the notation of scenarios: its value in a base unit, and that unit; null for other texts.
pub(crate) fn quantity(text: &str) -> Answer {
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
    Answer::of("quantity", kinds.iter().find_map(|read| read(text)).map(|(value, unit)| json!([value, unit])))
}
