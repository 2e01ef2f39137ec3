//! Laws: names and parameters against the registry.

use super::common::place;
use crate::format::{Law, Stack};
use crate::path::Segment;
use crate::problems::Problems;
use crate::python::{PythonClass, is_class};
use crate::suggest;
use serde_json::{Map, Value};
use windward_laws::{LawSpec, SpecError, cubic};
use windward_sim::LawChoice;
use windward_sim::TfrcOptions;

/// All parameters of a law with their values.
fn parameters(spec: &LawSpec) -> Map<String, Value> {
    let Ok(Value::Object(mut params)) = serde_json::to_value(spec) else {
        unreachable!("a law is serialized as a table of its name and parameters")
    };
    params.shift_remove("name");
    params
}

/// Law whose defaults depend on the stack.
const CUBIC: &str = "cubic";

/// Parameters of a law on a host with this stack. Its own defaults do not depend on the version that they choose.
fn of_host(name: &str, given: &Map<String, Value>, stack: Stack) -> Map<String, Value> {
    let mut params = given.clone();
    if name == CUBIC && stack == Stack::Linux {
        cubic::Params::as_linux(&mut params);
    }
    params
}

/// True if a law has the parameters of a file that gives none.
pub(super) fn is_default(spec: &LawSpec) -> bool {
    let default = |stack| LawSpec::from_json(spec.name(), Value::Object(of_host(spec.name(), &Map::new(), stack)));
    [Stack::Rfc, Stack::Linux].into_iter().any(|stack| default(stack).is_ok_and(|default| default == *spec))
}

/// Parameters as the file keeps them, with all defaults but those of a stack, which then follow its change.
fn written(spec: &LawSpec, given: &Map<String, Value>) -> Map<String, Value> {
    let mut params = parameters(spec);
    if spec.name() == CUBIC {
        params.retain(|name, _| given.contains_key(name) || !cubic::Params::BY_HOST.contains(&name.as_str()));
    }
    params
}

/// The law of the table `at` of `list` on hosts with this stack. Its defaults are written into the file; one in Python
/// is added to `classes`. Reports problems.
pub(crate) fn resolve(
    Law { name, params }: &mut Law,
    stack: Stack,
    (list, at): (&str, usize),
    classes: &mut Vec<PythonClass>,
    problems: &mut Problems,
) -> Option<LawChoice> {
    let path = |key: &str| place(list, at, ["law".into(), key.into()]);
    if name == Law::PYTHON {
        let class = python(params, path("class"), problems)?;
        *params = class.params.clone();
        params.insert("class".to_owned(), class.class.clone().into());
        classes.push(class);
        return Some(LawChoice::Own(classes.len() as u32 - 1));
    }
    if name == Law::TFRC {
        return tfrc(params, (list, at), problems).map(LawChoice::Tfrc);
    }
    match LawSpec::from_json(name, Value::Object(of_host(name, params, stack))) {
        Ok(spec) => {
            *params = written(&spec, params);
            Some(LawChoice::Known(spec))
        }
        Err(SpecError::Name(_)) => {
            let names = LawSpec::NAMES.iter().copied().chain([Law::TFRC, Law::PYTHON]);
            let message = format!("unknown law `{name}`; laws: {}", names.clone().collect::<Vec<_>>().join(", "));
            problems.add(path("name"), message, suggest::nearest(name, names).map(suggest::did_you_mean));
            None
        }
        Err(SpecError::Parameter(key, why)) => {
            if !unknown_parameters(name, params, (list, at), problems) {
                let default = default_of(name, &key).map(|value| format!("the default is {value}"));
                problems.add(path(&key), format!("`{key}` of {name}: {why}"), default);
            }
            None
        }
    }
}

/// Switches of TFRC, written into the file.
fn tfrc(params: &mut Map<String, Value>, (list, at): (&str, usize), problems: &mut Problems) -> Option<TfrcOptions> {
    let before = problems.len();
    let mut options = TfrcOptions::default();
    let names = ["history_discounting", "oscillation_reduction"];
    for (key, value) in &*params {
        let switch = match key.as_str() {
            "history_discounting" => &mut options.history_discounting,
            "oscillation_reduction" => &mut options.oscillation_reduction,
            _ => {
                let message = format!("unknown parameter `{key}` of tfrc; parameters: {}", names.join(", "));
                let nearest = suggest::nearest(key, names).map(suggest::did_you_mean);
                problems.add(place(list, at, ["law".into(), Segment::OwnKey(key.clone())]), message, nearest);
                continue;
            }
        };
        match value {
            Value::Bool(is_on) => *switch = *is_on,
            other => {
                let message = format!("`{key}` of tfrc: expected true or false, found {other}");
                problems.add(place(list, at, ["law".into(), key.as_str().into()]), message, None);
            }
        }
    }
    for (name, is_on) in names.into_iter().zip([options.history_discounting, options.oscillation_reduction]) {
        params.insert(name.to_owned(), is_on.into());
    }
    (problems.len() == before).then_some(options)
}

/// Default of a law's parameter.
fn default_of(name: &str, key: &str) -> Option<Value> {
    let spec = LawSpec::all().into_iter().find(|spec| spec.name() == name)?;
    parameters(&spec).get(key).cloned()
}

/// Reports parameters that the law does not have; returns false if there are none.
fn unknown_parameters(
    name: &str,
    params: &Map<String, Value>,
    (list, at): (&str, usize),
    problems: &mut Problems,
) -> bool {
    let spec = LawSpec::all().into_iter().find(|spec| spec.name() == name);
    let known: Vec<String> = spec.iter().flat_map(parameters).map(|(key, _)| key).collect();
    let unknown: Vec<_> = params.keys().filter(|key| !known.contains(key)).collect();
    for key in &unknown {
        let message = match known.as_slice() {
            [] => format!("unknown parameter `{key}`: {name} has no parameters"),
            known => format!("unknown parameter `{key}` of {name}; parameters: {}", known.join(", ")),
        };
        let nearest = suggest::nearest(key, known.iter().map(String::as_str)).map(suggest::did_you_mean);
        problems.add(place(list, at, ["law".into(), Segment::OwnKey((*key).clone())]), message, nearest);
    }
    !unknown.is_empty()
}

/// A law written in Python: a class and its arguments.
fn python(params: &Map<String, Value>, path: Vec<Segment>, problems: &mut Problems) -> Option<PythonClass> {
    let mut params = params.clone();
    let example = "{ name = \"python\", class = \"my_law.py:MyLaw\" }";
    let problem = match params.shift_remove("class") {
        Some(Value::String(class)) if is_class(&class) => return Some(PythonClass { class, params }),
        Some(class) => format!("{class} is not FILE:CLASS or MODULE:CLASS; example: {example}"),
        None => format!("`class` is missing; example: {example}"),
    };
    let slip = params.keys().find(|key| suggest::nearest(key, ["class"]).is_some());
    problems.add(
        path,
        problem,
        slip.map(|key| format!("`{key}` is passed to the class as an argument; {}", suggest::did_you_mean("class"))),
    );
    None
}
