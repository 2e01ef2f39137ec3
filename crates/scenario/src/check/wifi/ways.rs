//! Links between stations, and their losses.

use super::check::Check;
use crate::check::common::{MAX_LINKS, is_within_limit, place};
use crate::check::links::Links;
use crate::format::wifi::LossOf;
use crate::path::Segment;
use windward_sim::wifi::{Way, WifiConfig};
use windward_units::Time;

impl Check<'_> {
    /// Links between all stations that can receive each other.
    pub fn ways(&mut self, config: &WifiConfig, links: &Links) -> Option<Vec<Way>> {
        let (nodes, count) = (self.nodes, config.stations.len() as u32);
        let name = |station: u32| nodes.names[config.stations[station as usize].node as usize].as_str();
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
        let total = links.names.len() as u64 + ways.len() as u64;
        if !is_within_limit("link", total, MAX_LINKS, self.at, self.problems) {
            return None;
        }
        let before = self.problems.len();
        let mut is_heard = vec![false; count as usize];
        ways.iter().for_each(|way| is_heard[way.from as usize] = true);
        if let Some(alone) = is_heard.iter().position(|heard| !heard) {
            let message = format!("`{}` is out of reach of all other stations", name(alone as u32));
            let hint = "move it, or enlarge `reach.receive`";
            self.refuse(["station".into()], message, Some(hint));
        }
        if let Some(taken) = ways.iter().find(|way| links.between.contains_key(&config.ends(way))) {
            let message = format!("there is already a link from `{}` to `{}`", name(taken.from), name(taken.to));
            self.refuse(["station".into()], message, None);
        }
        let is_tried_forever = config.mac.short_retries.is_none() || config.mac.long_retries.is_none();
        for (index, loss) in self.wifi.loss.iter().enumerate() {
            let inside = |key: &'static str| place("wifi", self.at, ["loss".into(), Segment::Index(index), key.into()]);
            let from = nodes.find(&loss.from, inside("from"), self.problems).map(|end| end.member(0));
            let to = nodes.find(&loss.to, inside("to"), self.problems).map(|end| end.member(0));
            if is_tried_forever && loss.of == LossOf::Packets {
                let message = "packets are tried for ever: losing all attempts of one stops its sender for good";
                let hint = "of = \"attempts\", or \"deliveries\"";
                self.problems.add(inside("of"), message, Some(hint.into()));
            }
            let (Some(from), Some(to)) = (from, to) else { continue };
            match ways.iter_mut().find(|way| config.ends(way) == (from, to)) {
                Some(way) => (way.loss, way.loss_of) = (loss.probability.0, loss.of.of_sim()),
                None => {
                    let message = format!("`{}` cannot receive frames of `{}`", loss.to.0, loss.from.0);
                    self.problems.add(inside("to"), message, None);
                }
            }
        }
        (self.problems.len() == before).then_some(ways)
    }
}
