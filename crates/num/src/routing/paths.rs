//! Paths through the network: useful links, the cheapest path, decomposition of flows.

use serde::{Deserialize, Serialize};

/// Source, sink and allowed links of a flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// Ingress node.
    pub source: u32,
    /// Egress node.
    pub sink: u32,
    /// Allowed links, none twice: L_s of seferoglu2014 §III.
    pub links: Vec<u32>,
}

/// A path of a flow, and its rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// From source to sink.
    pub links: Vec<u32>,
    /// Part of the flow's rate.
    pub rate: f64,
}

/// Links of a demand that can carry traffic and lie on a path from its source to its sink; none enters the source or
/// leaves the sink.
pub(super) fn useful(demand: &Demand, ends: &[(u32, u32)], able: &[bool]) -> Vec<u32> {
    let open: Vec<u32> = demand.links.iter().copied().filter(|&l| able[l as usize]).collect();
    let nodes = count(ends, demand);
    let reached = |start: u32, step: fn((u32, u32)) -> (u32, u32)| {
        let mut is_reached = vec![false; nodes];
        is_reached[start as usize] = true;
        let mut grows = true;
        while grows {
            grows = false;
            for &l in &open {
                let (from, to) = step(ends[l as usize]);
                if is_reached[from as usize] && !is_reached[to as usize] {
                    is_reached[to as usize] = true;
                    grows = true;
                }
            }
        }
        is_reached
    };
    let after = reached(demand.source, |(from, to)| (from, to));
    let before = reached(demand.sink, |(from, to)| (to, from));
    let is_useful = |&l: &u32| {
        let (from, to) = ends[l as usize];
        after[from as usize] && before[to as usize] && to != demand.source && from != demand.sink
    };
    open.iter().copied().filter(is_useful).collect()
}

/// Least price of a path from source to sink (Bellman and Ford); infinite if there is none.
pub(super) fn cheapest(demand: &Demand, ends: &[(u32, u32)], prices: &[f64]) -> f64 {
    let mut distance = vec![f64::INFINITY; count(ends, demand)];
    distance[demand.source as usize] = 0.0;
    let mut falls = true;
    while falls {
        falls = false;
        for &l in &demand.links {
            let (from, to) = ends[l as usize];
            let price = distance[from as usize] + prices[l as usize];
            if price < distance[to as usize] {
                distance[to as usize] = price;
                falls = true;
            }
        }
    }
    distance[demand.sink as usize]
}

/// Decomposes `flow`, one rate per link of the demand, into paths, the widest first. Circulations are left out.
pub(super) fn decompose(demand: &Demand, ends: &[(u32, u32)], flow: &[f64]) -> Vec<Path> {
    let mut left: Vec<f64> = flow.iter().map(|f| f.max(0.0)).collect();
    let sent: f64 =
        demand.links.iter().zip(&left).filter(|(l, _)| ends[**l as usize].0 == demand.source).map(|x| x.1).sum();
    let mut paths: Vec<Path> = Vec::new();
    // Every path empties a link.
    for _ in 0..demand.links.len() {
        let Some((places, rate)) = widest(demand, ends, &left).filter(|(_, rate)| *rate > DUST * sent) else { break };
        places.iter().for_each(|&place| left[place] -= rate);
        paths.push(Path { links: places.iter().map(|&place| demand.links[place]).collect(), rate });
    }
    paths.sort_by(|a, b| b.rate.total_cmp(&a.rate));
    paths
}

/// The path with the largest bottleneck, as positions in the demand's links, and its width.
fn widest(demand: &Demand, ends: &[(u32, u32)], flow: &[f64]) -> Option<(Vec<usize>, f64)> {
    let nodes = count(ends, demand);
    let mut width = vec![0.0_f64; nodes];
    let mut by = vec![usize::MAX; nodes];
    let mut is_done = vec![false; nodes];
    width[demand.source as usize] = f64::INFINITY;
    while let Some(node) =
        (0..nodes).filter(|&n| !is_done[n] && width[n] > 0.0).max_by(|&a, &b| width[a].total_cmp(&width[b]))
    {
        is_done[node] = true;
        for (place, &l) in demand.links.iter().enumerate() {
            let (from, to) = ends[l as usize];
            let through = width[node].min(flow[place]);
            if from as usize == node && !is_done[to as usize] && through > width[to as usize] {
                width[to as usize] = through;
                by[to as usize] = place;
            }
        }
    }
    let mut places = Vec::new();
    let mut node = demand.sink;
    while node != demand.source {
        let place = by[node as usize];
        let link = demand.links.get(place)?;
        places.push(place);
        node = ends[*link as usize].0;
    }
    places.reverse();
    Some((places, width[demand.sink as usize]))
}

/// Load of the paths on each of `links` links.
pub(super) fn loads(paths: &[Path], links: usize) -> Vec<f64> {
    let mut loads = vec![0.0; links];
    for path in paths {
        path.links.iter().for_each(|&l| loads[l as usize] += path.rate);
    }
    loads
}

/// Number of nodes, up to the last one that is named.
fn count(ends: &[(u32, u32)], demand: &Demand) -> usize {
    let named = ends.iter().flat_map(|&(from, to)| [from, to]).chain([demand.source, demand.sink]);
    named.max().map_or(0, |last| last as usize + 1)
}

/// Fraction of a flow below which paths are rounding.
const DUST: f64 = 1e-11;
