//! Classes of identical flows: same law, paths of identical links and same start, so that one flow represents all of
//! its class.
//!
//! Two flows are alike if they and their links look the same, hop by hop. Two links are alike if they and the flows
//! that cross them look the same. The partition is refined until that holds (colour refinement). Flows over private
//! access links are then one class, and their access links another. Rates of given windows are unique, so that alike
//! flows with equal windows have equal rates; with equal states they stay equal.

use std::collections::BTreeMap;
use windward_num::{Coupling, Link, Network};

/// Classes of the flows and links of a network, numbered in order of appearance.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    /// The class of each flow.
    pub flow: Vec<u32>,
    /// The class of each link.
    pub link: Vec<u32>,
    /// First flow of each class, and the number of its flows.
    pub flows: Vec<(usize, f64)>,
    /// First link of each class, and the number of its links.
    pub links: Vec<(usize, f64)>,
}

impl Classes {
    /// Classes of flows and links with the descriptions `flows` and `links`, one for each.
    pub fn of<F: Ord, L: Ord>(routes: &[Vec<u32>], flows: &[F], links: &[L]) -> Self {
        let (mut flow, mut link) = (numbered(flows), numbered(links));
        let mut count = (highest(&flow), highest(&link));
        for _ in 0..MOST_ROUNDS {
            let hops = routes.iter().map(|route| route.iter().map(|&l| link[l as usize]).collect::<Vec<u32>>());
            flow = numbered(&flow.iter().copied().zip(hops).collect::<Vec<_>>());
            let mut crossing: Vec<Vec<(u32, u32)>> = vec![Vec::new(); links.len()];
            for (route, &class) in routes.iter().zip(&flow) {
                (0..).zip(route).for_each(|(hop, &l)| crossing[l as usize].push((class, hop)));
            }
            crossing.iter_mut().for_each(|flows| flows.sort_unstable());
            link = numbered(&link.iter().copied().zip(crossing).collect::<Vec<_>>());
            let next = (highest(&flow), highest(&link));
            if next == count {
                let found = Self { flows: members(&flow), links: members(&link), flow, link };
                // A class whose flows cross two links of one class would cross the merged link twice.
                let is_simple = found.routes(routes).iter().all(|route| {
                    let mut sorted = route.clone();
                    sorted.sort_unstable();
                    sorted.windows(2).all(|pair| pair[0] != pair[1])
                });
                return if is_simple { found } else { Self::each(flows.len(), links.len()) };
            }
            count = next;
        }
        Self::each(flows.len(), links.len())
    }

    /// Classes of one flow or one link each.
    pub fn each(flows: usize, links: usize) -> Self {
        let all = |count: usize| (0..count as u32).collect::<Vec<u32>>();
        let (flow, link) = (all(flows), all(links));
        Self { flows: members(&flow), links: members(&link), flow, link }
    }

    /// One route for each class.
    fn routes(&self, routes: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let route = |&(first, _): &(usize, f64)| routes[first].iter().map(|&l| self.link[l as usize]).collect();
        self.flows.iter().map(route).collect()
    }

    /// Network of the classes: a link carries the load of all links of its class.
    pub fn network(&self, network: &Network) -> Network {
        let link = |&(first, count): &(usize, f64)| match network.links[first] {
            Link::Wired(capacity) => Link::Wired(capacity * count),
            Link::Wireless => Link::Wireless,
        };
        let coupling = |coupling: &Coupling| Coupling {
            links: coupling.links.iter().map(|&l| self.link[l as usize]).collect(),
            region: coupling.region.clone(),
        };
        Network {
            links: self.links.iter().map(link).collect(),
            couplings: network.couplings.iter().map(coupling).collect(),
            routes: self.routes(&network.routes),
        }
    }

    /// One value for each class of flows, from those of all.
    pub fn of_flows<'a, T>(&'a self, all: &'a [T]) -> impl Iterator<Item = &'a T> + 'a {
        self.flows.iter().map(|&(first, _)| &all[first])
    }

    /// One value for each class of links, from those of all.
    pub fn of_links<'a, T>(&'a self, all: &'a [T]) -> impl Iterator<Item = &'a T> + 'a {
        self.links.iter().map(|&(first, _)| &all[first])
    }
}

/// Numbers values from 0 in order of appearance; equal values have equal numbers.
fn numbered<T: Ord>(values: &[T]) -> Vec<u32> {
    let mut known = BTreeMap::new();
    values
        .iter()
        .map(|value| {
            let next = known.len() as u32;
            *known.entry(value).or_insert(next)
        })
        .collect()
}

fn highest(numbers: &[u32]) -> u32 {
    numbers.iter().copied().max().unwrap_or(0)
}

fn members(class: &[u32]) -> Vec<(usize, f64)> {
    let mut members: Vec<(usize, f64)> = Vec::new();
    for (at, &class) in class.iter().enumerate() {
        match members.get_mut(class as usize) {
            Some((_, count)) => *count += 1.0,
            None => members.push((at, 1.0)),
        }
    }
    members
}

/// Limit of refinement rounds. Long chains that differ at one end take one per hop, and merging would gain nothing
/// there.
const MOST_ROUNDS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_links_do_not_tell_flows_apart() {
        // Three flows over links 0, 1, 2 of their own and link 3; the third access link is another one.
        let routes = vec![vec![0, 3], vec![1, 3], vec![2, 3]];
        let classes = Classes::of(&routes, &["reno"; 3], &[10, 10, 20, 15]);
        assert_eq!((classes.flow.as_slice(), classes.link.as_slice()), ([0, 0, 1].as_slice(), [0, 0, 1, 2].as_slice()));
        let network = classes.network(&Network::wired(&[10.0, 10.0, 20.0, 15.0], routes));
        assert_eq!(network, Network::wired(&[20.0, 20.0, 15.0], vec![vec![0, 2], vec![1, 2]]));
    }

    #[test]
    fn the_company_on_a_link_tells_flows_apart() {
        // Flows 0 and 1 look alike; the link of the second is shared with another law.
        let routes = vec![vec![0], vec![1], vec![1]];
        let classes = Classes::of(&routes, &["reno", "reno", "vegas"], &[10, 10]);
        assert_eq!(classes, Classes::each(3, 2));
        // Upstream and downstream of each other.
        let routes = vec![vec![0, 1], vec![1, 0]];
        let classes = Classes::of(&routes, &["reno"; 2], &[10, 10]);
        assert_eq!(classes, Classes::each(2, 2), "merged, a flow would cross one link twice");
    }
}
