//! Problem description: links, the regions that couple them, routes, utilities.

use crate::error::Error;
use crate::region::Region;
use crate::utility::Utility;
use serde::{Deserialize, Serialize};

/// Links, the regions that couple some of them, and the routes of the flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// The links; a route names them by index.
    pub links: Vec<Link>,
    /// Capacity regions; every [`Link::Wireless`] belongs to exactly one.
    #[serde(default)]
    pub couplings: Vec<Coupling>,
    /// Links that each flow crosses, each at most once; may be empty.
    pub routes: Vec<Vec<u32>>,
}

/// One link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// A constant capacity in packets per second (any one unit of rate may be used throughout).
    Wired(f64),
    /// A rate from a [`Coupling`]'s region.
    Wireless,
}

/// Links with rates in a common region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coupling {
    /// Indices of the links, in the order of the region's coordinates.
    pub links: Vec<u32>,
    /// Rates that they can have simultaneously.
    pub region: Region,
}

/// maximise Σ U_s(x_s) + Σ entropies  subject to  Σ_{s∈S(l)} x_s ≤ c_l or r_l, r ∈ R, x ≥ 0
/// (huang2020 (1), wang2013 (2)).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// Constraints.
    pub network: Network,
    /// One per route.
    pub utilities: Vec<Utility>,
}

impl Problem {
    /// Only wired links: link l carries `capacity[l]`.
    pub fn wired(capacity: &[f64], routes: Vec<Vec<u32>>, utilities: Vec<Utility>) -> Self {
        Self { network: Network::wired(capacity, routes), utilities }
    }

    /// Checks indices and values.
    ///
    /// # Errors
    /// [`Error::Invalid`] at the first impossible value; [`Error::Unbounded`] and [`Error::Infeasible`] where no best
    /// rates exist.
    pub fn check(&self) -> Result<(), Error> {
        self.network.check()?;
        if self.utilities.len() != self.network.routes.len() {
            let (given, wanted) = (self.utilities.len(), self.network.routes.len());
            return Err(Error::invalid("utilities", format!("{given} utilities for {wanted} routes")));
        }
        for (s, utility) in self.utilities.iter().enumerate() {
            utility.check().map_err(|(field, why)| Error::invalid(format!("utilities[{s}].{field}"), why))?;
        }
        let free = |s: &usize| self.network.routes[*s].is_empty();
        match (0..self.utilities.len()).filter(free).find(|&s| !self.utilities[s].free_rate().is_finite()) {
            Some(flow) => Err(Error::Unbounded { flow }),
            None => Ok(()),
        }
    }
}

impl Network {
    /// Only wired links: link l carries `capacity[l]`.
    pub fn wired(capacity: &[f64], routes: Vec<Vec<u32>>) -> Self {
        Self { links: capacity.iter().map(|&c| Link::Wired(c)).collect(), couplings: Vec::new(), routes }
    }

    /// Checks indices and values.
    ///
    /// # Errors
    /// As [`Problem::check`].
    pub fn check(&self) -> Result<(), Error> {
        let able = self.able()?;
        self.check_routes(&able)
    }

    /// Marks links that can carry traffic; checks links and couplings.
    pub(crate) fn able(&self) -> Result<Vec<bool>, Error> {
        let mut able = vec![false; self.links.len()];
        let mut owner = vec![None; self.links.len()];
        for (l, link) in self.links.iter().enumerate() {
            if let Link::Wired(c) = *link {
                if !(c >= 0.0 && c.is_finite()) {
                    return Err(Error::invalid(
                        format!("links[{l}].wired"),
                        format!("capacity {c} is not a number from 0"),
                    ));
                }
                able[l] = c > 0.0;
            }
        }
        for (k, coupling) in self.couplings.iter().enumerate() {
            let at = format!("couplings[{k}]");
            for &l in &coupling.links {
                let l = l as usize;
                match self.links.get(l) {
                    None => {
                        return Err(Error::invalid(
                            at,
                            format!("link {l} does not exist; there are {}", self.links.len()),
                        ));
                    }
                    Some(Link::Wired(_)) => return Err(Error::invalid(at, format!("link {l} is wired"))),
                    Some(Link::Wireless) => {}
                }
                if let Some(other) = owner[l].replace(k) {
                    return Err(Error::invalid(at, format!("link {l} already belongs to couplings[{other}]")));
                }
            }
            for (i, can) in coupling.region.check(&at, coupling.links.len())?.into_iter().enumerate() {
                able[coupling.links[i] as usize] = can;
            }
        }
        for (l, link) in self.links.iter().enumerate() {
            if *link == Link::Wireless && owner[l].is_none() {
                return Err(Error::invalid(format!("links[{l}]"), "a wireless link that no coupling names"));
            }
        }
        Ok(able)
    }

    fn check_routes(&self, able: &[bool]) -> Result<(), Error> {
        let mut last = vec![usize::MAX; self.links.len()];
        for (s, route) in self.routes.iter().enumerate() {
            for &l in route {
                let l = l as usize;
                let at = || format!("routes[{s}]");
                if l >= self.links.len() {
                    return Err(Error::invalid(
                        at(),
                        format!("link {l} does not exist; there are {}", self.links.len()),
                    ));
                }
                if last[l] == s {
                    return Err(Error::invalid(at(), format!("link {l} is crossed twice")));
                }
                last[l] = s;
                if !able[l] {
                    return Err(Error::Infeasible { flow: s, link: l });
                }
            }
        }
        Ok(())
    }

    /// Σ_{s∈S(l)} x_s for every link.
    pub fn loads(&self, rates: &[f64]) -> Vec<f64> {
        let mut loads = vec![0.0; self.links.len()];
        for (route, x) in self.routes.iter().zip(rates) {
            for &l in route {
                loads[l as usize] += x;
            }
        }
        loads
    }

    /// Σ_{l∈L(s)} λ_l for every flow.
    pub fn path_prices(&self, prices: &[f64]) -> Vec<f64> {
        self.routes.iter().map(|route| route.iter().map(|&l| prices[l as usize]).sum()).collect()
    }
}
