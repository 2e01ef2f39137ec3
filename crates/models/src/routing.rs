//! The best rates of a scenario over all routings. Packets of a flow may use any link that the rule allows, wires
//! included, and split over them. A flow with `via` in the file keeps that route.

use crate::optimum::{Objective, Optimum, Question, compiled_at, paced};
use std::collections::BTreeMap;
use windward_num::region::independent_sets;
use windward_num::{Demand, Error, Mixture, Path, Region, RoutingProblem, solve_routing};
use windward_scenario::{Compiled, Scenario};
use windward_sim::backpressure::{Graph, Links};
use windward_units::Time;

/// The best rates, their routes and their schedule.
#[derive(Clone, Debug)]
pub struct RoutedOptimum {
    /// Rates, goodput and prices; a flow's price is that of its cheapest path.
    pub optimum: Optimum,
    /// Rate of each flow on each of its paths, the largest first.
    pub paths: Vec<PathOptimum>,
    /// Rate of each flow over each link.
    pub flow_links: Vec<FlowLinkOptimum>,
    /// Activity of the links over time.
    pub schedule: Vec<Activity>,
}

/// A path of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct PathOptimum {
    /// Name of the flow.
    pub flow: String,
    /// Names of the nodes, from source to sink.
    pub nodes: Vec<String>,
    /// Rate in bits a second.
    pub rate_bps: f64,
    /// Share of the flow's rate.
    pub share: f64,
    /// Sum of the prices of the path's links.
    pub price: f64,
}

/// A link that a flow uses.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowLinkOptimum {
    /// Name of the flow.
    pub flow: String,
    /// Name of the link.
    pub link: String,
    /// Rate in bits a second.
    pub rate_bps: f64,
    /// Share of the flow's rate.
    pub share: f64,
}

/// Links of a conflict graph that are active together.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// Names of the links; none if all are idle.
    pub links: Vec<String>,
    /// Share of the time.
    pub share: f64,
}

/// The best rates over all routings, of the network at an instant.
pub(crate) fn optimum(
    scenario: &Scenario,
    objective: Objective,
    rule: Links,
    now: Time,
) -> Result<RoutedOptimum, Error> {
    if let Some(app) = scenario.first_app() {
        return Err(Error::Invalid {
            at: format!("app `{app}`"),
            reason: "applications have routes; free routing is for flows".to_owned(),
        });
    }
    let compiled = compiled_at(scenario, now)?;
    if let Some(flow) = paced(&compiled) {
        return Err(Error::Invalid {
            at: format!("flow `{flow}`"),
            reason: "`write` and `read` are not supported by free routing: its flows always send".to_owned(),
        });
    }
    let ends: Vec<(u32, u32)> = compiled.network.topology.ports.iter().map(|port| (port.from, port.to)).collect();
    let allowed = allowed(scenario, &compiled, &ends, rule);
    let mut question = Question::new(scenario, &compiled, objective, allowed, &[])?;
    let routes = std::mem::take(&mut question.problem.network.routes);
    let demand =
        |(flow, links): (&windward_sim::FlowConfig, Vec<u32>)| Demand { source: flow.source, sink: flow.sink, links };
    let problem = RoutingProblem {
        network: question.problem.network.clone(),
        ends,
        demands: compiled.network.flows.iter().zip(routes).map(demand).collect(),
        utilities: question.problem.utilities.clone(),
    };
    let found = solve_routing(&problem).map_err(|error| match error {
        Error::NoPath { flow } => Error::Invalid {
            at: format!("flow `{}`", compiled.flows[flow].name),
            reason: "no link that it may use leads on to its destination\nhint: allow more with --links".to_owned(),
        },
        Error::TooManySets { links, limit, .. } => Error::Invalid {
            at: "links that flows may use".to_owned(),
            reason: format!(
                "{links} share a conflict graph, with more than 64 links or {limit} independent sets\nhint: allow fewer with \
                 --links downstream, or give flows `via`"
            ),
        },
        other => other,
    })?;
    let each = found.loads();
    let total: Vec<f64> = (0..problem.ends.len()).map(|l| each.iter().map(|loads| loads[l]).sum()).collect();
    let topology = &compiled.network.topology;
    let arrives = |path: &Path| path.links.iter().map(|&l| 1.0 - topology.mean_loss(l)).product::<f64>();
    let rates = &found.solution.rates;
    let arrives = |at: usize| {
        let arrived: f64 = found.paths[at].iter().map(|path| path.rate * arrives(path)).sum();
        if rates[at] > 0.0 { arrived / rates[at] } else { 0.0 }
    };
    let optimum = question.answer(found.solution.clone(), &total, arrives);
    let packet_bits = question.packet_bits();
    let mut paths = Vec::new();
    let mut flow_links = Vec::new();
    for (at, name) in compiled.flows.iter().enumerate() {
        let share = |rate: f64| rate / rates[at];
        let shown = found.paths[at].iter().filter(|path| share(path.rate) > SHOWN);
        paths.extend(shown.map(|path| PathOptimum {
            flow: name.name.clone(),
            nodes: nodes(path, &compiled),
            rate_bps: path.rate * packet_bits,
            share: share(path.rate),
            price: path.links.iter().map(|&l| found.solution.prices[l as usize]).sum(),
        }));
        let used = each[at].iter().zip(&compiled.links).filter(|(rate, _)| share(**rate) > SHOWN);
        flow_links.extend(used.map(|(rate, link)| FlowLinkOptimum {
            flow: name.name.clone(),
            link: link.name.clone(),
            rate_bps: rate * packet_bits,
            share: share(*rate),
        }));
    }
    let schedule = schedule(&problem, &found.solution.mixtures, &total, &compiled);
    Ok(RoutedOptimum { optimum, paths, flow_links, schedule })
}

/// Ports that each flow may use.
fn allowed(scenario: &Scenario, compiled: &Compiled, ends: &[(u32, u32)], rule: Links) -> Vec<Vec<u32>> {
    let graph = Graph::new(compiled.nodes.len() as u32, ends.to_vec());
    let links = |(flow, is_fixed): (&windward_sim::FlowConfig, bool)| match is_fixed {
        true => flow.forward.ports().collect(),
        false => {
            let allowed = graph.allowed(flow.source, flow.sink, rule);
            (0..).zip(allowed).filter_map(|(link, is_allowed)| is_allowed.then_some(link)).collect()
        }
    };
    compiled.network.flows.iter().zip(scenario.has_own_routes()).map(links).collect()
}

/// Names of the nodes along a path.
fn nodes(path: &Path, compiled: &Compiled) -> Vec<String> {
    let links = || path.links.iter().map(|&l| &compiled.links[l as usize]);
    links().take(1).map(|link| link.from.clone()).chain(links().map(|link| link.to.clone())).collect()
}

/// Independent sets of all conflict graphs, without the links that carry nothing.
fn schedule(problem: &RoutingProblem, mixtures: &[Mixture], loads: &[f64], compiled: &Compiled) -> Vec<Activity> {
    let mut schedule = Vec::new();
    let largest = loads.iter().copied().fold(0.0, f64::max);
    for (coupling, mixture) in problem.network.couplings.iter().zip(mixtures) {
        let (Region::Csma { rates, conflicts, .. }, Mixture::Sets { probabilities }) = (&coupling.region, mixture)
        else {
            continue;
        };
        let sets = independent_sets(rates.len(), conflicts).unwrap_or_default();
        let used: u64 = (0..)
            .zip(&coupling.links)
            .filter(|(_, l)| loads[**l as usize] > SHOWN * largest)
            .map(|(i, _)| 1 << i)
            .sum();
        let mut shares: BTreeMap<u64, f64> = BTreeMap::new();
        for (set, share) in sets.iter().zip(probabilities) {
            *shares.entry(set & used).or_default() += share;
        }
        let name = |i: usize| compiled.links[coupling.links[i] as usize].name.clone();
        let mut active: Vec<Activity> = shares
            .into_iter()
            .filter(|(_, share)| *share > SHOWN)
            .map(|(set, share)| Activity {
                links: (0..rates.len()).filter(|i| set >> i & 1 == 1).map(name).collect(),
                share,
            })
            .collect();
        active.sort_by(|a, b| b.share.total_cmp(&a.share));
        schedule.extend(active);
    }
    schedule
}

/// Shares below this are rounding errors.
const SHOWN: f64 = 1e-6;
