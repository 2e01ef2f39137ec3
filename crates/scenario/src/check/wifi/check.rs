//! What the checks of a wireless network share.

use crate::check::changes::Jumps;
use crate::check::common::place;
use crate::check::nodes::Nodes;
use crate::format::wifi::Wifi;
use crate::path::Segment;
use crate::problems::Problems;
use crate::python::PythonClass;
use windward_units::Duration;

/// One table.
pub(super) struct Check<'a> {
    pub wifi: &'a Wifi,
    pub at: usize,
    pub nodes: &'a Nodes,
    /// How long the run lasts.
    pub span: Duration,
    /// Where stations jump to.
    pub jumps: &'a Jumps,
    pub problems: &'a mut Problems,
    /// Rules in Python, of all networks so far.
    pub classes: &'a mut Vec<PythonClass>,
}

impl Check<'_> {
    /// Reports what is wrong in the table.
    pub fn refuse<const N: usize>(&mut self, rest: [Segment; N], message: impl Into<String>, hint: Option<&str>) {
        self.problems.add(place("wifi", self.at, rest), message, hint.map(str::to_owned));
    }
}
