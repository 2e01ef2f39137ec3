//! Factories for the laws, schedulers and rules of a scenario that are written in Python.

use crate::error;
use crate::json::to_python;
use crate::law;
use crate::rule;
use crate::scheduler;
use pyo3::prelude::*;
use serde_json::Value;
use std::sync::Arc;
use windward_run::{Error, Fuse, MissingStack, Seed, Simulations, Task};
use windward_scenario::{PythonClass, Scenario};
use windward_sim::{Hooks, Makers, Output};

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

/// Simulations of a scenario, whose worker keeps Python's state of its thread for a whole run.
///
/// A thread that Python did not start gets a new state for each call into Python otherwise. A state costs several
/// system calls, as much as a short law.
pub(crate) struct Runs {
    inner: Simulations<PyErr>,
    is_ours: bool,
}

impl Task for Runs {
    type Output = Output;
    type Failure = PyErr;

    fn run(&self, seed: &Seed<'_>) -> Result<Option<Output>, Error<PyErr>> {
        if self.is_ours {
            return self.inner.run(seed);
        }
        Python::attach(|py| py.detach(|| self.inner.run(seed)))
    }
}

/// Simulations of a scenario without Python code, created without the interpreter.
///
/// # Errors
/// A flow or application needs a stack that this engine lacks.
pub(crate) fn ours(scenario: &Scenario) -> Result<Runs, MissingStack> {
    Ok(Runs { inner: Simulations::new(scenario.clone(), |_| Makers::default())?, is_ours: true })
}

impl Resolvers {
    /// Simulations of a scenario, with factories for its Python classes.
    pub(crate) fn simulations(&self, py: Python<'_>, scenario: &Scenario) -> PyResult<Runs> {
        let laws = factories(scenario.python_laws(), self.law.bind(py))?;
        let schedulers = factories(scenario.python_schedulers(), self.scheduler.bind(py))?;
        let rules = factories(scenario.python_rules(), self.rule.bind(py))?;
        let makers = move |fuse: &Arc<Fuse<PyErr>>| Makers {
            quic: None,
            laws: laws.iter().map(|Factory { class, make }| law::maker(class, Arc::clone(make), fuse)).collect(),
            hooks: Hooks {
                schedulers: schedulers
                    .iter()
                    .map(|Factory { class, make }| scheduler::maker(class, Arc::clone(make), fuse))
                    .collect(),
                rules: rules.iter().map(|Factory { class, make }| rule::maker(class, Arc::clone(make), fuse)).collect(),
            },
        };
        let inner = Simulations::new(scenario.clone(), makers).map_err(|missing| error::missing(&missing))?;
        Ok(Runs { inner, is_ours: is_ours(scenario) })
    }
}
