//! State common to the checks of a wireless network.

use crate::check::changes::Jumps;
use crate::check::common::place;
use crate::check::nodes::Nodes;
use crate::format::wifi::Wifi;
use crate::path::Segment;
use crate::problems::Problems;
use crate::python::PythonClass;
use windward_units::Duration;

/// The table under examination.
pub(super) struct Check<'a> {
    pub wifi: &'a Wifi,
    pub at: usize,
    pub nodes: &'a Nodes,
    /// Duration of the run.
    pub span: Duration,
    /// Jumps of stations.
    pub jumps: &'a Jumps,
    pub problems: &'a mut Problems,
    /// Rules in Python of all networks so far.
    pub classes: &'a mut Vec<PythonClass>,
}

impl Check<'_> {
    /// Reports a problem of the table.
    pub fn refuse<const N: usize>(&mut self, rest: [Segment; N], message: impl Into<String>, hint: Option<&str>) {
        self.problems.add(place("wifi", self.at, rest), message, hint.map(str::to_owned));
    }
}
