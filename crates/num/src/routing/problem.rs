//! Problem description with free routing.

use super::paths::{self, Demand, Path};
use crate::error::Error;
use crate::network::{Network, Problem};
use crate::utility::Utility;
use serde::{Deserialize, Serialize};

/// A network without routes, and flows with free routing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoutingProblem {
    /// Links and regions; `routes` is empty.
    pub network: Network,
    /// Nodes that each link joins: from, to.
    pub ends: Vec<(u32, u32)>,
    /// Demands.
    pub demands: Vec<Demand>,
    /// One per demand.
    pub utilities: Vec<Utility>,
}

impl RoutingProblem {
    /// Checks indices and values. Returns the demands with the links that lead from source to sink.
    pub(super) fn check(&self) -> Result<Vec<Demand>, Error> {
        let able = self.network.able()?;
        if !self.network.routes.is_empty() {
            return Err(Error::invalid("network.routes", "routes are what is looked for: leave them out"));
        }
        if self.ends.len() != self.network.links.len() {
            let (given, wanted) = (self.ends.len(), self.network.links.len());
            return Err(Error::invalid("ends", format!("{given} pairs of nodes for {wanted} links")));
        }
        if self.utilities.len() != self.demands.len() {
            let (given, wanted) = (self.utilities.len(), self.demands.len());
            return Err(Error::invalid("utilities", format!("{given} utilities for {wanted} demands")));
        }
        for (s, utility) in self.utilities.iter().enumerate() {
            utility.check().map_err(|(field, why)| Error::invalid(format!("utilities[{s}].{field}"), why))?;
        }
        let checked = self.demands.iter().enumerate().map(|(s, demand)| {
            let at = || format!("demands[{s}]");
            let mut sorted = demand.links.clone();
            sorted.sort_unstable();
            if let Some(l) = sorted.last().filter(|l| **l as usize >= able.len()) {
                return Err(Error::invalid(at(), format!("link {l} does not exist; there are {}", able.len())));
            }
            if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(Error::invalid(at(), format!("link {} is named twice", twice[0])));
            }
            if demand.source == demand.sink {
                return Err(Error::Unbounded { flow: s });
            }
            let links = paths::useful(demand, &self.ends, &able);
            match links.is_empty() {
                true => Err(Error::NoPath { flow: s }),
                false => Ok(Demand { links, ..demand.clone() }),
            }
        });
        checked.collect()
    }

    /// Problem whose routes are all links that a flow uses.
    pub(super) fn with_routes(&self, paths: &[Vec<Path>]) -> Problem {
        let used = |paths: &Vec<Path>| {
            let mut links: Vec<u32> = paths.iter().flat_map(|path| path.links.iter().copied()).collect();
            links.sort_unstable();
            links.dedup();
            links
        };
        let network = Network { routes: paths.iter().map(used).collect(), ..self.network.clone() };
        Problem { network, utilities: self.utilities.clone() }
    }
}
