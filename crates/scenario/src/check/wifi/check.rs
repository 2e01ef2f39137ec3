//! State common to the checks of a wireless network.

use crate::check::change::Jumps;
use crate::check::common::place;
use crate::check::nodes::Nodes;
use crate::format::wifi::Wifi;
use crate::path::Segment;
use crate::problems::Problems;
use crate::python::PythonClass;
use std::collections::BTreeMap;
use windward_sim::NodeId;
use windward_units::Duration;

/// The table under examination.
pub(super) struct Check<'a> {
    pub wifi: &'a Wifi,
    pub at: usize,
    pub nodes: &'a Nodes,
    /// Index of the `station` table of each station's node.
    pub tables: BTreeMap<NodeId, usize>,
    /// Duration of the run.
    pub span: Duration,
    /// Jumps of stations.
    pub jumps: &'a Jumps,
    pub problems: &'a mut Problems,
    /// Rules in Python of all networks so far.
    pub classes: &'a mut Vec<PythonClass>,
}

/// Index of the first `station` table of each node of a network.
pub(super) fn tables(wifi: &Wifi, nodes: &Nodes) -> BTreeMap<NodeId, usize> {
    let mut tables = BTreeMap::new();
    for (index, station) in wifi.station.iter().enumerate() {
        let Some(end) = nodes.known(&station.node) else { continue };
        for member in 0..end.group().unwrap_or(1) {
            tables.entry(end.member(member)).or_insert(index);
        }
    }
    tables
}

impl Check<'_> {
    /// Reports a problem of the table.
    pub fn refuse<const N: usize>(&mut self, rest: [Segment; N], message: impl Into<String>, hint: Option<&str>) {
        self.problems.add(place("wifi", self.at, rest), message, hint.map(str::to_owned));
    }
}
