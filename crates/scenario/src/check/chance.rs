//! Detection of scenarios without randomness.

use windward_sim::cell::channel::Fading;
use windward_sim::{
    Jitter, LinkChange, LinkConfig, MediumConfig, Pattern, PortConfig, PortKind, QueueConfig, SourceConfig, Spread,
    Topology,
};

/// True if any part of the network draws from the seed, apart from the starts of flows.
pub(crate) fn is_random(topology: &Topology, sources: &[SourceConfig]) -> bool {
    let ports = 0..topology.ports.len() as u32;
    let draws = |link: &LinkConfig| link.jitter != Jitter::None || link.loss.mean() > 0.0 || link.reorder.is_some();
    let has_luck = |port: u32| topology.link(port).is_some_and(draws);
    let changes_to_luck = |port: u32| {
        let changes = topology.steps(port).iter().map(|step| &step.change);
        let is_random = |change: &LinkChange| {
            change.jitter.is_some_and(|jitter| jitter != Jitter::None)
                || change.loss.is_some_and(|loss| loss.mean() > 0.0)
                || change.reorder.is_some_and(|reorder| reorder.is_some())
        };
        changes.into_iter().any(is_random)
    };
    ports.into_iter().any(|port| has_luck(port) || changes_to_luck(port))
        || topology.ports.iter().any(has_random_queue)
        || topology.media.iter().any(is_random_medium)
        || sources.iter().any(is_random_source)
}

/// True for RED and PIE, which draw their drops.
fn has_random_queue(port: &PortConfig) -> bool {
    let (PortKind::Queued(_, queue) | PortKind::Changing(_, queue, _)) = &port.kind else { return false };
    matches!(queue, QueueConfig::Red(_) | QueueConfig::Pie(_))
}

fn is_random_medium(medium: &MediumConfig) -> bool {
    match medium {
        MediumConfig::Cell(cell) => {
            let fades = |fading: &Fading| !matches!(fading, Fading::Constant | Fading::Trace { .. });
            cell.repair.is_some() || cell.stations.iter().any(|station| fades(&station.fading))
        }
        // Stations draw their backoffs.
        _ => true,
    }
}

fn is_random_source(source: &SourceConfig) -> bool {
    match source.pattern {
        Pattern::Cbr { .. } | Pattern::Backlog { .. } => false,
        Pattern::Poisson { .. } => true,
        Pattern::OnOff { on_spread, off_spread, .. } => {
            [on_spread, off_spread].iter().any(|spread| *spread != Spread::Fixed)
        }
    }
}
