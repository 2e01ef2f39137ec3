//! What a user wrote in Python: how a scenario names it, and who makes it.

use serde_json::{Map, Value};
use windward_sim::LawChoice;
use windward_sim::cell::SchedulerConfig;

/// Makes what a user wrote in Python. What is asked for is the same for every seed.
pub trait Python {
    /// The law; asked once for each `[[flow]]` that has one.
    fn law(&self, law: &PythonLaw) -> LawChoice;
    /// The scheduler; asked once for each `[[cell]]` that has one.
    fn scheduler(&self, scheduler: &PythonScheduler) -> SchedulerConfig;
}

/// A function makes laws. It has no schedulers: another stands in for them, which will do for who only looks at the network.
impl<F: Fn(&PythonLaw) -> LawChoice> Python for F {
    fn law(&self, law: &PythonLaw) -> LawChoice {
        self(law)
    }
    fn scheduler(&self, _: &PythonScheduler) -> SchedulerConfig {
        SchedulerConfig::QueueingDelay
    }
}

/// A scheduler that a user wrote in Python.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonScheduler {
    /// FILE:CLASS, the file relative to the scenario's folder, or MODULE:CLASS.
    pub class: String,
    /// Arguments of its constructor.
    pub params: Map<String, Value>,
}

/// A law that a user wrote in Python.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonLaw {
    /// FILE:CLASS, the file relative to the scenario's folder, or MODULE:CLASS.
    pub class: String,
    /// Arguments of its constructor.
    pub params: Map<String, Value>,
}

/// FILE:CLASS or MODULE:CLASS.
pub(crate) fn is_class(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(place, class)| !place.is_empty() && !class.is_empty())
}
