//! Python classes of the user, as a scenario names them.

use serde_json::{Map, Value};

/// A law, a scheduler or a forwarding rule that a user wrote in Python. The networks of a scenario have its index in
/// [`Scenario::python_laws`](crate::Scenario::python_laws),
/// [`Scenario::python_schedulers`](crate::Scenario::python_schedulers) or
/// [`Scenario::python_rules`](crate::Scenario::python_rules). The caller that runs a network makes the objects.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonClass {
    /// FILE:CLASS, the file relative to the scenario's folder, or MODULE:CLASS.
    pub class: String,
    /// Arguments of its constructor.
    pub params: Map<String, Value>,
}

impl PythonClass {
    /// Name of the class without its file or module.
    pub fn name(&self) -> &str {
        self.class.rsplit_once(':').map_or(self.class.as_str(), |(_, name)| name)
    }
}

/// True if `text` has the form FILE:CLASS or MODULE:CLASS.
pub(crate) fn is_class(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(place, class)| !place.is_empty() && !class.is_empty())
}
