//! Models of a scenario that need no packets: its best rates and its windows as differential equations.
//!
//! [`Models`] adds the verbs to [`Scenario`]. [`Models::optimum`] states it as a problem of `num`, over the capacities
//! that links, cells and wireless networks have. [`Models::fluid`] builds the model of `fluid` from the same
//! capacities. [`tables`] declares the tables of the answers.

#![forbid(unsafe_code)]

mod capacity;
mod early;
mod fluid;
mod load;
mod optimum;
mod routing;
pub mod tables;

pub use fluid::{FluidError, FluidRun};
pub use load::AppOptimum;
pub use optimum::{FlowOptimum, LinkOptimum, Objective, Optimum};
pub use routing::{Activity, FlowLinkOptimum, PathOptimum, RoutedOptimum};

use std::sync::Arc;
use windward_fluid::{Losses, Method};
use windward_num::{Error, Stop};
use windward_scenario::Scenario;
use windward_sim::backpressure::Links;
use windward_units::{Control, Time};

/// The engines that need no packets, as verbs of a scenario.
pub trait Models {
    /// The best rates that any control of the flows could reach; if the network changes, those at its end.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the background leaves a link no capacity; otherwise the solver's errors.
    fn optimum(&self, objective: Objective) -> Result<Optimum, Error>;

    /// The best rates of the network at an instant.
    ///
    /// # Errors
    /// As [`Self::optimum`]; a link that is down then.
    fn optimum_at(&self, objective: Objective, now: Time) -> Result<Optimum, Error> {
        self.optimum_until(objective, now, &Stop::default())
    }

    /// The best rates at an instant; stops once `stop` is set.
    ///
    /// # Errors
    /// As [`Self::optimum_at`]; [`Error::Interrupted`].
    fn optimum_until(&self, objective: Objective, now: Time, stop: &Stop) -> Result<Optimum, Error>;

    /// The best rates that any routing and any control of its flows could reach, over the links that `rule` allows
    /// each.
    ///
    /// # Errors
    /// As [`Self::optimum`], and as [`windward_num::solve_routing`].
    fn optimum_with_free_routing(&self, objective: Objective, rule: Links) -> Result<RoutedOptimum, Error>;

    /// The best rates over all routings, of the network at an instant.
    ///
    /// # Errors
    /// As [`Self::optimum_at`], and as [`windward_num::solve_routing`].
    fn optimum_with_free_routing_at(
        &self,
        objective: Objective,
        rule: Links,
        now: Time,
    ) -> Result<RoutedOptimum, Error>;

    /// Follows the windows for the scenario's duration, from each flow's initial window.
    ///
    /// # Errors
    /// Scenarios without a fluid form: see [`FluidError`].
    fn fluid(&self, method: Method) -> Result<FluidRun, FluidError> {
        self.fluid_until(method, Losses::Law, &Arc::new(Control::new()))
    }

    /// Follows the windows as [`Self::fluid`] does, with `losses` of delay-based laws, reports progress to `control`,
    /// and ends with an error when it is cancelled.
    ///
    /// # Errors
    /// As [`Self::fluid`]; [`Error::Interrupted`].
    fn fluid_until(&self, method: Method, losses: Losses, control: &Arc<Control>) -> Result<FluidRun, FluidError>;
}

impl Models for Scenario {
    fn optimum(&self, objective: Objective) -> Result<Optimum, Error> {
        self.optimum_at(objective, end(self))
    }

    fn optimum_until(&self, objective: Objective, now: Time, stop: &Stop) -> Result<Optimum, Error> {
        optimum::optimum(self, objective, now, stop)
    }

    fn optimum_with_free_routing(&self, objective: Objective, rule: Links) -> Result<RoutedOptimum, Error> {
        self.optimum_with_free_routing_at(objective, rule, end(self))
    }

    fn optimum_with_free_routing_at(
        &self,
        objective: Objective,
        rule: Links,
        now: Time,
    ) -> Result<RoutedOptimum, Error> {
        routing::optimum(self, objective, rule, now)
    }

    fn fluid_until(&self, method: Method, losses: Losses, control: &Arc<Control>) -> Result<FluidRun, FluidError> {
        fluid::fluid(self, method, losses, control)
    }
}

/// End of the simulated time.
fn end(scenario: &Scenario) -> Time {
    Time::ZERO + scenario.duration()
}
