//! Capacity regions: names of links resolved, values checked, in bits a second.

use super::common::{Names, place};
use super::link::Links;
use crate::format::region::{ChannelState, Csma, Each, Ellipsoid, HalfSpaces, Norm};
use crate::format::{Name, Positive, Region};
use crate::path::Segment;
use crate::problems::Problems;
use crate::suggest;
use std::collections::{BTreeMap, BTreeSet};
use windward_num as num;
use windward_units::BitRate;

/// A capacity region and its links.
#[derive(Clone, Debug)]
pub struct RegionPlan {
    /// Name of the region.
    pub name: String,
    /// Indices of the links, in the order of the region's coordinates.
    pub links: Vec<u32>,
    /// Rates in bits a second.
    pub region: num::Region,
}

/// Tolerance of the sum of probabilities, for values rounded to three digits.
const ROUNDING: f64 = 1e-3;

/// All regions; reports their problems, and links without a rate that no region names.
pub(crate) fn plan(regions: &[Region], links: &Links, problems: &mut Problems) -> Vec<RegionPlan> {
    let by_name = links.names.iter().map(|link| link.name.as_str()).zip(0..).collect();
    let mut owners = BTreeMap::new();
    let mut names = Names::new("region");
    let mut plans = Vec::new();
    for (at, region) in regions.iter().enumerate() {
        let common = region.common();
        names.take(&common.name.0, at, problems);
        let mut checker = Checker { links, by_name: &by_name, at, members: Vec::new(), problems };
        if checker.resolve(&common.name.0, common.links, &mut owners).is_some()
            && let Some(region) = checker.region(region)
        {
            plans.push(RegionPlan { name: common.name.0.clone(), links: checker.members, region });
        }
    }
    let mut told = BTreeSet::new();
    for &(link, at) in &links.shared {
        // A region with errors may be the one that should name it.
        if plans.len() == regions.len() && !owners.contains_key(&link) && told.insert(at) {
            let hint = "only links in the `links` of a [[region]] may omit `rate`".to_owned();
            let name = &links.names[link as usize].name;
            let message = if regions.is_empty() {
                "`rate` is missing".to_owned()
            } else {
                format!("`rate` is missing: no region lists the link `{name}`")
            };
            problems.add(place("link", at, []), message, Some(hint));
        }
    }
    plans
}

struct Checker<'a> {
    links: &'a Links,
    by_name: &'a BTreeMap<&'a str, u32>,
    /// Index of the region.
    at: usize,
    /// Its links.
    members: Vec<u32>,
    problems: &'a mut Problems,
}

impl Checker<'_> {
    fn refuse(&mut self, path: impl IntoIterator<Item = Segment>, message: String, hint: Option<String>) {
        self.problems.add(place("region", self.at, []).into_iter().chain(path), message, hint);
    }

    /// The links of a name, or of a group; reports unknown names.
    fn find(&mut self, Name(name): &Name, path: &[Segment]) -> Option<Vec<u32>> {
        if let Some(link) = self.by_name.get(name.as_str()) {
            return Some(vec![*link]);
        }
        if let Some(group) = self.links.groups.get(name) {
            return Some(group.clone());
        }
        let shared = self.links.shared.iter().map(|(link, _)| self.links.names[*link as usize].name.as_str());
        let known: Vec<&str> = shared.collect();
        let nearest = suggest::nearest(name, known.iter().copied().chain(self.links.groups.keys().map(String::as_str)));
        let nearest = nearest.map(suggest::did_you_mean);
        const SHOWN: usize = 12;
        let list = known.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
        let list = match known.len() {
            0 => "there are no links without a `rate`".to_owned(),
            1..=SHOWN => format!("links without a `rate`: {list}"),
            more => format!("links without a `rate`: {list} and {} more", more - SHOWN),
        };
        self.refuse(path.iter().cloned(), format!("unknown link `{name}`; {list}"), nearest);
        None
    }

    /// Finds the links of the region, which may have neither a rate of their own nor another region.
    fn resolve(&mut self, own: &str, names: &[Name], owners: &mut BTreeMap<u32, String>) -> Option<()> {
        if names.is_empty() {
            self.refuse(["links".into()], "the region lists no links".to_owned(), None);
            return None;
        }
        let shared: BTreeSet<u32> = self.links.shared.iter().map(|(link, _)| *link).collect();
        let mut is_right = true;
        for (index, name) in names.iter().enumerate() {
            let path = ["links".into(), Segment::Index(index)];
            let Some(found) = self.find(name, &path) else {
                is_right = false;
                continue;
            };
            for link in found {
                let label = &self.links.names[link as usize].name;
                let (message, hint) = if self.links.is_station(link) {
                    (format!("`{label}` belongs to a cell, which is a region of its own"), None)
                } else if !shared.contains(&link) {
                    let hint = "remove its `rate`: the region replaces it".to_owned();
                    (format!("the link `{label}` already has a `rate`"), Some(hint))
                } else if let Some(other) = owners.insert(link, own.to_owned()) {
                    (format!("the link `{label}` is already in the region `{other}`"), None)
                } else {
                    self.members.push(link);
                    continue;
                };
                self.refuse(path, message, hint);
                is_right = false;
                break;
            }
        }
        is_right.then_some(())
    }

    fn region(&mut self, region: &Region) -> Option<num::Region> {
        match region {
            Region::Separate(region) => Some(num::Region::Box { capacity: self.capacity(&region.capacity)? }),
            Region::Norm(region) => self.norm(region),
            Region::Ellipsoid(region) => self.ellipsoid(region),
            Region::HalfSpaces(region) => self.half_spaces(region),
            Region::Ergodic(region) => self.fading(&region.state),
            Region::Csma(region) => self.csma(region),
        }
    }

    /// True if a list has an entry for each link; otherwise reports it.
    fn is_complete(&mut self, given: usize, path: impl IntoIterator<Item = Segment>) -> bool {
        let wanted = self.members.len();
        if given != wanted {
            self.refuse(
                path,
                format!("{given} entries for {wanted} links; give one per link, in the same order"),
                None,
            );
        }
        given == wanted
    }

    fn capacity(&mut self, capacity: &Each<Positive<BitRate>>) -> Option<Vec<f64>> {
        match capacity {
            Each::All(rate) => Some(vec![bits(rate.0); self.members.len()]),
            Each::List(rates) => self
                .is_complete(rates.len(), ["capacity".into()])
                .then(|| rates.iter().map(|rate| bits(rate.0)).collect()),
        }
    }

    fn norm(&mut self, region: &Norm) -> Option<num::Region> {
        let capacity = self.capacity(&region.capacity)?;
        let exponent = region.exponent.0;
        if exponent < 1.0 {
            let hint = "1 is time sharing; with a smaller exponent the region would not be convex".to_owned();
            self.refuse(["exponent".into()], format!("the exponent {exponent} is below 1"), Some(hint));
            return None;
        }
        Some(num::Region::Norm { capacity, exponent })
    }

    fn ellipsoid(&mut self, region: &Ellipsoid) -> Option<num::Region> {
        let capacity = self.capacity(&region.capacity)?;
        if !self.is_complete(region.matrix.len(), ["matrix".into()]) {
            return None;
        }
        for (i, row) in region.matrix.iter().enumerate() {
            let path = ["matrix".into(), Segment::Index(i)];
            if !self.is_complete(row.len(), path.clone()) {
                return None;
            }
            if row[i].0 != 1.0 {
                let hint = "`capacity` says what each link carries alone".to_owned();
                self.refuse(path, format!("diagonal entries must be 1, not {}", row[i].0), Some(hint));
                return None;
            }
            if let Some(j) = (0..i).find(|&j| row[j] != region.matrix[j][i]) {
                let message = format!(
                    "the matrix is not symmetric: row {} has {}, row {} has {}",
                    i + 1,
                    row[j].0,
                    j + 1,
                    region.matrix[j][i].0
                );
                self.refuse(path, message, None);
                return None;
            }
        }
        let plain: Vec<Vec<f64>> = region.matrix.iter().map(|row| row.iter().map(|value| value.0).collect()).collect();
        if self.check(num::Region::Ellipsoid { matrix: plain.clone() }).is_err() {
            let hint = "off-diagonal entries must lie in (-1, 1)".to_owned();
            self.refuse(["matrix".into()], "the matrix is not positive definite".to_owned(), Some(hint));
            return None;
        }
        let scaled = |(row, a): (&Vec<f64>, &f64)| row.iter().zip(&capacity).map(|(m, b)| m / (a * b)).collect();
        Some(num::Region::Ellipsoid { matrix: plain.iter().zip(&capacity).map(scaled).collect() })
    }

    fn half_spaces(&mut self, region: &HalfSpaces) -> Option<num::Region> {
        let mut normals = Vec::with_capacity(region.limit.len());
        for (index, limit) in region.limit.iter().enumerate() {
            let path = ["limit".into(), Segment::Index(index), "weights".into()];
            if !self.is_complete(limit.weights.len(), path.clone()) {
                return None;
            }
            let weights: Vec<f64> = limit.weights.iter().map(|weight| weight.0).collect();
            if let Some(negative) = weights.iter().find(|weight| **weight < 0.0) {
                let hint = "if a rate is possible, so is any lower one".to_owned();
                self.refuse(path, format!("weights must not be negative, but one is {negative}"), Some(hint));
                return None;
            }
            normals.push(weights);
        }
        if let Some(free) = (0..self.members.len()).find(|&l| normals.iter().all(|weights| weights[l] == 0.0)) {
            let message = format!("the link `{}` is unbounded: it has a positive weight in no limit", self.label(free));
            self.refuse(["limit".into()], message, None);
            return None;
        }
        let offsets = region.limit.iter().map(|limit| bits(limit.most.0)).collect();
        Some(num::Region::HalfSpaces { normals, offsets })
    }

    fn fading(&mut self, states: &[ChannelState]) -> Option<num::Region> {
        let mut rates = Vec::with_capacity(states.len());
        for (index, state) in states.iter().enumerate() {
            if !self.is_complete(state.rates.len(), ["state".into(), Segment::Index(index), "rates".into()]) {
                return None;
            }
            rates.push(state.rates.iter().map(|rate| bits(rate.0)).collect::<Vec<f64>>());
        }
        let probabilities: Vec<f64> = states.iter().filter_map(|state| Some(state.probability?.0)).collect();
        let sum: f64 = probabilities.iter().sum();
        if !probabilities.is_empty() && probabilities.len() != states.len() {
            let without = states.iter().position(|state| state.probability.is_none()).unwrap_or(0);
            let message = "`probability` is missing: give it for all states or for none".to_owned();
            self.refuse(["state".into(), Segment::Index(without)], message, None);
            return None;
        }
        if !probabilities.is_empty() && (sum - 1.0).abs() > ROUNDING {
            self.refuse(["state".into()], format!("the probabilities of all states sum to {sum:.4}, not to 1"), None);
            return None;
        }
        let is_silent = |l: usize| (0..rates.len()).all(|h| rates[h][l] == 0.0 || probabilities.get(h) == Some(&0.0));
        if let Some(silent) = (0..self.members.len()).find(|&l| is_silent(l)) {
            self.refuse(["state".into()], format!("the link `{}` has rate 0 in every state", self.label(silent)), None);
            return None;
        }
        Some(num::Region::Fading { rates, probabilities: Some(probabilities).filter(|p| !p.is_empty()) })
    }

    fn csma(&mut self, region: &Csma) -> Option<num::Region> {
        let rates = self.capacity(&region.capacity)?;
        if region.entropy.0 < 0.0 {
            self.refuse(
                ["entropy".into()],
                format!("the weight must not be negative, but is {}", region.entropy.0),
                None,
            );
            return None;
        }
        let mut conflicts = BTreeSet::new();
        for (index, pair) in region.conflicts.iter().enumerate() {
            let path = ["conflicts".into(), Segment::Index(index)];
            let [a, b] = pair.as_slice() else {
                self.refuse(path, format!("a conflict names 2 links, not {}", pair.len()), None);
                return None;
            };
            let (first, second) = (self.positions(a, &path)?, self.positions(b, &path)?);
            if first == second && first.len() == 1 {
                self.refuse(path, format!("the link `{}` conflicts with itself", a.0), None);
                return None;
            }
            let pairs = first.iter().flat_map(|&a| second.iter().map(move |&b| (a.min(b), a.max(b))));
            conflicts.extend(pairs.filter(|(a, b)| a != b));
        }
        let conflicts: Vec<(u32, u32)> = conflicts.into_iter().collect();
        let region = num::Region::Csma { rates, conflicts, entropy: region.entropy.0 };
        if let Err(error) = self.check(region.clone()) {
            let text = error.to_string();
            let (message, hint) = text.split_once("\nhint: ").map_or((text.as_str(), None), |(m, h)| (m, Some(h)));
            let message = message.rsplit_once(": ").map_or(message, |(_, reason)| reason);
            self.refuse(["links".into()], message.to_owned(), hint.map(str::to_owned));
            return None;
        }
        Some(region)
    }

    /// Places of the links of a name in the region; reports other links.
    fn positions(&mut self, name: &Name, path: &[Segment]) -> Option<Vec<u32>> {
        let links = self.find(name, path)?;
        let position = |link: &u32| self.members.iter().position(|member| member == link);
        let positions: Option<Vec<u32>> = links.iter().map(|link| position(link).map(|at| at as u32)).collect();
        if positions.is_none() {
            self.refuse(path.iter().cloned(), format!("`{}` is not among the `links` of this region", name.0), None);
        }
        positions
    }

    fn label(&self, position: usize) -> &str {
        &self.links.names[self.members[position] as usize].name
    }

    /// Result of the solver's check of a region.
    fn check(&self, region: num::Region) -> Result<(), num::Error> {
        let links = (0..self.members.len() as u32).collect();
        let network = num::Network {
            links: vec![num::Link::Wireless; self.members.len()],
            couplings: vec![num::Coupling { links, region }],
            routes: Vec::new(),
        };
        network.check()
    }
}

fn bits(rate: BitRate) -> f64 {
    rate.as_bits_per_sec() as f64
}
