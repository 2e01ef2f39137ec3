//! Factories for the laws, schedulers and rules of a scenario that are written in Python.

use crate::json::to_python;
use crate::law;
use crate::rule;
use crate::scheduler;
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::Arc;
use windward_run::{Fuse, Simulations};
use windward_scenario::{PythonClass, Scenario};
use windward_sim::{Hooks, Makers};

/// Callables that take the name and the parameters of a class and return the factory of its instances.
pub(crate) struct Resolvers {
    pub(crate) law: Py<PyAny>,
    pub(crate) scheduler: Py<PyAny>,
    pub(crate) rule: Py<PyAny>,
}

/// A Python class by the scenario's name for it, and the factory of its instances.
struct Factory {
    class: String,
    make: Arc<Py<PyAny>>,
}

/// `maker(class, parameters)` for each class.
fn factories(classes: &[PythonClass], maker: &Bound<'_, PyAny>) -> PyResult<Vec<Factory>> {
    let factory = |PythonClass { class, params }: &PythonClass| {
        let params = to_python(maker.py(), &Value::Object(params.clone()))?;
        PyResult::Ok(Factory { class: class.clone(), make: Arc::new(maker.call1((class, params))?.unbind()) })
    };
    classes.iter().map(factory).collect()
}

/// True if nothing in the scenario is written in Python.
pub(crate) fn is_ours(scenario: &Scenario) -> bool {
    scenario.python_laws().is_empty() && scenario.python_schedulers().is_empty() && scenario.python_rules().is_empty()
}

/// Simulations of such a scenario, created without the interpreter.
pub(crate) fn ours(scenario: &Scenario) -> Simulations<PyErr> {
    Simulations::new(scenario.clone(), |_| Makers::default())
}

impl Resolvers {
    /// Simulations of a scenario, with factories for its Python classes.
    pub(crate) fn simulations(&self, py: Python<'_>, scenario: &Scenario) -> PyResult<Simulations<PyErr>> {
        let laws = factories(scenario.python_laws(), self.law.bind(py))?;
        let schedulers = factories(scenario.python_schedulers(), self.scheduler.bind(py))?;
        let rules = factories(scenario.python_rules(), self.rule.bind(py))?;
        let makers = move |fuse: &Arc<Fuse<PyErr>>| Makers {
            laws: laws.iter().map(|Factory { class, make }| law::maker(class, Arc::clone(make), fuse)).collect(),
            hooks: Hooks {
                schedulers: schedulers
                    .iter()
                    .map(|Factory { class, make }| scheduler::maker(class, Arc::clone(make), fuse))
                    .collect(),
                rules: rules.iter().map(|Factory { class, make }| rule::maker(class, Arc::clone(make), fuse)).collect(),
            },
        };
        Ok(Simulations::new(scenario.clone(), makers))
    }
}
