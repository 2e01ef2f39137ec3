//! Links between stations, and their losses.

use super::check::Check;
use crate::check::common::{MAX_LINKS, is_within_limit, place};
use crate::check::link::Links;
use crate::format::wifi::{LinkLoss, LossOf};
use crate::path::Segment;
use std::collections::{BTreeMap, BTreeSet};
use windward_sim::NodeId;
use windward_sim::wifi::{Way, WifiConfig};
use windward_units::Time;

impl Check<'_> {
    /// Links between all stations that can receive each other.
    pub fn ways(&mut self, config: &WifiConfig, links: &Links) -> Option<Vec<Way>> {
        let count = config.stations.len() as u32;
        let (mut ways, end) = (Vec::new(), Time::ZERO + self.span);
        for from in 0..count {
            let way = |to| Way { from, to, ..Way::default() };
            match &config.motion {
                None => {
                    let reached = config.reach.of(from).iter().filter(|neighbour| neighbour.decodes);
                    ways.extend(reached.map(|neighbour| way(neighbour.station)));
                }
                // All stations that come into range at any time of the run.
                Some(motion) => {
                    let meets = |to: &u32| from != *to && motion.meet(from as usize, *to as usize, end);
                    ways.extend((0..count).filter(meets).map(way));
                }
            }
        }
        let ends: Vec<(NodeId, NodeId)> = ways.iter().map(|way| config.ends(way)).collect();
        let before = self.problems.len();
        if !self.admit(&ends, &config.observed_nodes(), links) {
            return None;
        }
        let is_tried_forever = config.mac.short_retries.is_none() || config.mac.long_retries.is_none();
        for (index, loss) in self.wifi.loss.iter().enumerate() {
            if is_tried_forever && loss.of == LossOf::Packets {
                let message = "packets are tried for ever: losing all attempts of one stops its sender for good";
                let hint = "of = \"attempts\", or \"deliveries\"";
                self.refuse(["loss".into(), Segment::Index(index), "of".into()], message, Some(hint));
            }
        }
        for (link, loss) in self.losses(&ends) {
            (ways[link].loss, ways[link].loss_of) = (loss.probability.0, loss.of.of_sim());
        }
        (self.problems.len() == before).then_some(ways)
    }

    /// True if there is room for links between these ends, every station has one, and no two nodes have two.
    pub fn admit(&mut self, ends: &[(NodeId, NodeId)], stations: &[NodeId], links: &Links) -> bool {
        let total = links.names.len() as u64 + ends.len() as u64;
        if !is_within_limit("link", total, MAX_LINKS, self.at, self.problems) {
            return false;
        }
        let name = |node: NodeId| self.nodes.names[node as usize].clone();
        let heard: BTreeSet<NodeId> = ends.iter().map(|(from, _)| *from).collect();
        let has_wrong_station = self.problems.has_within(&place("wifi", self.at, ["station".into()]));
        if !has_wrong_station && let Some(&alone) = stations.iter().find(|node| !heard.contains(node)) {
            let message = format!("`{}` is out of reach of all other stations", name(alone));
            let hint = "move it, or enlarge `reach.receive`";
            self.refuse(["station".into()], message, Some(hint));
        }
        if let Some(&(from, to)) = ends.iter().find(|ends| links.between.contains_key(ends)) {
            let message = format!("there is already a link from `{}` to `{}`", name(from), name(to));
            self.refuse(["station".into()], message, None);
        }
        true
    }

    /// Losses of single links, with the place of each link among `ends`.
    pub fn losses(&mut self, ends: &[(NodeId, NodeId)]) -> Vec<(usize, &LinkLoss)> {
        let mut found = Vec::new();
        let places: BTreeMap<(NodeId, NodeId), usize> = ends.iter().enumerate().map(|(at, &ends)| (ends, at)).collect();
        for (index, loss) in self.wifi.loss.iter().enumerate() {
            let inside = |key: &'static str| place("wifi", self.at, ["loss".into(), Segment::Index(index), key.into()]);
            let from = self.nodes.find(&loss.from, inside("from"), self.problems).map(|end| end.member(0));
            let to = self.nodes.find(&loss.to, inside("to"), self.problems).map(|end| end.member(0));
            let (Some(from), Some(to)) = (from, to) else { continue };
            match places.get(&(from, to)) {
                Some(&link) => found.push((link, loss)),
                None => {
                    let message = format!("`{}` cannot receive frames of `{}`", loss.to.0, loss.from.0);
                    self.problems.add(inside("to"), message, None);
                }
            }
        }
        found
    }
}
