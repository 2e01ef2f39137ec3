//! Parts that slotted cells and those of LTE and NR have in common: access point, queues, fading and scheduler.

use super::common::{discipline_on_air, given_of, place};
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
use windward_units::{Bytes, Duration};

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

/// Least buffer that a time becomes, and the largest: the RLC queue of a base station (srsRAN, 4096 packets of 1507
/// bytes).
const LEAST: f64 = 150_000.0;
const MOST: f64 = 6_172_672.0;

/// A buffer in time, in bytes: at the mean rate of a station that shares its cell equally with all others.
pub(super) fn in_bytes(buffer: sim::Buffer, rate: f64, stations: usize) -> sim::Buffer {
    match buffer {
        sim::Buffer::Time(time) => {
            let share = time.as_secs() * rate / (8.0 * stations as f64);
            sim::Buffer::Bytes(Bytes::new(share.clamp(LEAST, MOST) as u64))
        }
        other => other,
    }
}

/// Checks the discipline of all stations of a cell; reports problems.
pub(super) fn check_queue(queue: Option<&Named<Queue>>, at: usize, problems: &mut Problems) {
    if let Some(queue) = queue {
        discipline_on_air(queue, &place("cell", at, ["queue".into()]), problems);
    }
}

/// Buffer and discipline of a station at `inside`: its own, or those of the cell.
pub(super) fn queue_of_station(
    (own_buffer, buffer): (Option<Buffer>, Buffer),
    (own_queue, queue): (Option<&Named<Queue>>, Option<&Named<Queue>>),
    inside: impl Fn(&'static str) -> Vec<Segment>,
    problems: &mut Problems,
) -> (sim::Buffer, QueueConfig) {
    let buffer = own_buffer.unwrap_or(buffer).0;
    let queue = match (own_queue, queue) {
        (Some(own), _) => discipline_on_air(own, &inside("queue"), problems),
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

/// Refuses the deadline and the violation of a station, each if it is `given`, where the scheduler does not use them.
pub(super) fn refuse_urgency(rule: &Scheduler, given: [bool; 2], (at, index): (usize, usize), problems: &mut Problems) {
    if matches!(rule, Scheduler::MLwdf(_) | Scheduler::ExpRule(_) | Scheduler::PythonScheduler(_)) {
        return;
    }
    for key in given_of(["deadline", "violation"].into_iter().zip(given)) {
        let path = place("cell", at, ["station".into(), Segment::Index(index), key.into()]);
        let hint = Some("scheduler = \"m-lwdf\" or \"exp-rule\", or leave it out".to_owned());
        problems.add(path, format!("the scheduler does not use `{key}`"), hint);
    }
}

/// Refuses a table of averages that is `given` where the scheduler has none.
pub(super) fn refuse_average(rule: &Scheduler, given: bool, at: usize, problems: &mut Problems) {
    if given && matches!(rule, Scheduler::QueueLength(_) | Scheduler::MaxSnr(_) | Scheduler::RoundRobin(_)) {
        let hint = Some("scheduler = \"proportional-fair\" or \"queueing-delay\", or leave it out".to_owned());
        problems.add(place("cell", at, ["average".into()]), "the scheduler does not use `average`", hint);
    }
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
