//! Parts that slotted cells and those of LTE and NR have in common: access point, queues, fading and scheduler.

use super::common::{discipline, place, station_buffer};
use super::nodes::End;
use crate::format::cell::{Fading, Scheduler};
use crate::format::{Buffer, Name, Named, Positive, Probability, Queue, Recording};
use crate::path::Segment;
use crate::problems::Problems;
use crate::python::{PythonClass, is_class};
use windward_sim as sim;
use windward_sim::cell::SchedulerConfig;
use windward_sim::cell::channel::Fading as Model;
use windward_sim::{NodeId, QueueConfig};
use windward_units::Duration;

/// Node of the access point; a group is refused.
pub(super) fn access_point(end: End, Name(name): &Name, at: usize, problems: &mut Problems) -> Option<NodeId> {
    if end.group().is_some() {
        let message = format!("`{name}` is a group; an access point is a single node");
        problems.add(place("cell", at, ["access_point".into()]), message, None);
        return None;
    }
    Some(end.member(0))
}

/// Reports a cell without stations.
pub(super) fn check_not_empty(count: usize, at: usize, problems: &mut Problems) {
    if count == 0 {
        let hint = Some("add a [[cell.station]]".to_owned());
        problems.add(place("cell", at, ["station".into()]), "the cell has no stations", hint);
    }
}

/// Checks the buffer and the discipline of all stations of a cell; reports problems.
pub(super) fn check_queue(buffer: Buffer, queue: Option<&Named<Queue>>, at: usize, problems: &mut Problems) {
    station_buffer(buffer, place("cell", at, ["buffer".into()]), problems);
    if let Some(queue) = queue {
        discipline(queue, &place("cell", at, ["queue".into()]), problems);
    }
}

/// Buffer and discipline of a station at `inside`: its own, or those of the cell, which [`check_queue`] checks.
pub(super) fn queue_of_station(
    (own_buffer, buffer): (Option<Buffer>, Buffer),
    (own_queue, queue): (Option<&Named<Queue>>, Option<&Named<Queue>>),
    inside: impl Fn(&'static str) -> Vec<Segment>,
    problems: &mut Problems,
) -> (sim::Buffer, QueueConfig) {
    let buffer = own_buffer.map_or(buffer.0, |own| station_buffer(own, inside("buffer"), problems));
    let queue = match (own_queue, queue) {
        (Some(own), _) => discipline(own, &inside("queue"), problems),
        (None, Some(of_all)) => of_all.0.config().unwrap_or(QueueConfig::DropTail),
        (None, None) => QueueConfig::DropTail,
    };
    (buffer, queue)
}

/// −log δ/T of M-LWDF and the EXP rule; reports a δ that is out of range.
pub(super) fn urgency(
    Probability(violation): Probability,
    Positive(deadline): Positive<Duration>,
    path: Vec<Segment>,
    problems: &mut Problems,
) -> f64 {
    if violation <= 0.0 || violation >= 1.0 {
        problems.add(path, format!("{violation} is out of range; allowed: above 0 and below 1"), None);
    }
    -libm::log(violation) / deadline.as_secs()
}

/// Fading model; `None` if a file could not be read, or the interval of samples is unknown.
pub(super) fn fading_model(fading: &Fading) -> Option<Model> {
    Some(match fading {
        Fading::IndependentFading(_) => Model::Independent,
        Fading::Jakes(model) => {
            Model::Jakes { doppler: model.doppler.0.as_hertz(), sinusoids: model.sinusoids.0 as usize }
        }
        Fading::Autoregressive(model) => {
            Model::Autoregressive { doppler: model.doppler.0.as_hertz(), order: model.order.0 as usize }
        }
        Fading::Markov(model) => Model::Markov { doppler: model.doppler.0.as_hertz() },
        Fading::ConstantFading(_) => Model::Constant,
        Fading::Trace(model) => {
            let Recording::Values(samples) = &model.samples else { return None };
            Model::Trace { samples: samples.iter().map(|sample| sample.0).collect(), interval: model.interval?.0 }
        }
    })
}

/// Scheduler; one in Python is added to `classes`.
pub(super) fn scheduler(
    scheduler: &Scheduler,
    at: usize,
    classes: &mut Vec<PythonClass>,
    problems: &mut Problems,
) -> Option<SchedulerConfig> {
    Some(match scheduler {
        Scheduler::QueueingDelay(_) => SchedulerConfig::QueueingDelay,
        Scheduler::QueueLength(_) => SchedulerConfig::QueueLength,
        Scheduler::MaxSnr(rule) => SchedulerConfig::MaxSnr { is_oblivious: rule.oblivious },
        Scheduler::RoundRobin(rule) => SchedulerConfig::RoundRobin { is_oblivious: rule.oblivious },
        Scheduler::ProportionalFair(_) => SchedulerConfig::ProportionalFair,
        Scheduler::MLwdf(_) => SchedulerConfig::MLwdf,
        Scheduler::ExpRule(_) => SchedulerConfig::ExpRule,
        Scheduler::PythonScheduler(rule) => {
            if !is_class(&rule.class) {
                let message =
                    format!("`{}` is not FILE:CLASS or MODULE:CLASS; example: \"my_rule.py:MyRule\"", rule.class);
                problems.add(place("cell", at, ["scheduler".into(), "class".into()]), message, None);
                return None;
            }
            classes.push(PythonClass { class: rule.class.clone(), params: rule.arguments.clone() });
            SchedulerConfig::Own(classes.len() as u32 - 1)
        }
    })
}
