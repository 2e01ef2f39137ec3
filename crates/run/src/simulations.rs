//! Seeds in simulated time.

use crate::capture::Capture;
use crate::{Error, Fuse, Seed, Task};
use std::sync::Arc;
use windward_scenario::Scenario;
use windward_sim::{Makers, Output, RunError, run};

/// Simulates a scenario.
pub struct Simulations<F> {
    scenario: Scenario,
    makers: Box<MakersOfSeed<F>>,
}

/// What makes the laws and schedulers of one run that are not ours; where one of them fails it blows the fuse.
type MakersOfSeed<F> = dyn Fn(&Arc<Fuse<F>>) -> Makers + Send + Sync;

impl<F> Simulations<F> {
    /// Those of `scenario`. `makers` is called once for each seed and makes what of the scenario is written in Python; where
    /// such a law fails it blows the fuse.
    pub fn new(scenario: Scenario, makers: impl Fn(&Arc<Fuse<F>>) -> Makers + Send + Sync + 'static) -> Self {
        Self { scenario, makers: Box::new(makers) }
    }
}

impl<F: Send + 'static> Task for Simulations<F> {
    type Output = Output;
    type Failure = F;

    fn run(&self, seed: &Seed<'_>) -> Result<Option<Output>, Error<F>> {
        let compiled = self.scenario.compile(seed.number);
        let fuse = Arc::new(Fuse::new(Arc::clone(seed.control)));
        let makers = (self.makers)(&fuse);
        let capture = seed.captures.map(|folder| Capture::of(folder, seed.number));
        let out = capture.as_ref().map(Capture::create).transpose()?;
        let outcome = run(&compiled.network, &makers, seed.number, seed.control, out);
        match (fuse.take_failure(), outcome, capture) {
            (Some(failure), ..) => Err(Error::Failed(failure)),
            (None, Ok(output), _) => Ok(Some(output)),
            (None, Err(RunError::Capture(source)), Some(capture)) => Err(capture.refused(source)),
            (None, Err(_), _) => Ok(None),
        }
    }
}
