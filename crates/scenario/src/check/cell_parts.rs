//! Parts that slotted cells and those of LTE and NR have in common: fading and scheduler.

use super::common::place;
use crate::format::Recording;
use crate::format::cell::{Fading, Scheduler};
use crate::problems::Problems;
use crate::python::{PythonClass, is_class};
use windward_sim::cell::SchedulerConfig;
use windward_sim::cell::channel::Fading as Model;

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
