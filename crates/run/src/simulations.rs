//! Seeds in simulated time.

use crate::capture::{Capture, qlog};
use crate::stack::{MissingStack, check_stacks};
use crate::{Error, Fuse, Seed, Task};
use std::path::PathBuf;
use std::sync::Arc;
use windward_scenario::Scenario;
use windward_sim::{Makers, Output, RunError, run_shown};

/// Simulates a scenario.
pub struct Simulations<F> {
    scenario: Scenario,
    makers: Box<MakersOfSeed<F>>,
}

/// Makes the user-defined laws and schedulers of one run. A failing one blows the fuse.
type MakersOfSeed<F> = dyn Fn(&Arc<Fuse<F>>) -> Makers + Send + Sync;

impl<F> Simulations<F> {
    /// Simulations of `scenario`. `makers` is called once per seed and makes the scenario's Python laws and schedulers.
    /// A failing law blows the fuse.
    ///
    /// # Errors
    /// A flow or application needs a stack that this build lacks.
    pub fn new(
        scenario: Scenario,
        makers: impl Fn(&Arc<Fuse<F>>) -> Makers + Send + Sync + 'static,
    ) -> Result<Self, MissingStack> {
        check_stacks(&scenario)?;
        Ok(Self { scenario, makers: Box::new(makers) })
    }
}

impl<F: Send + 'static> Task for Simulations<F> {
    type Output = Output;
    type Failure = F;

    fn run(&self, seed: &Seed<'_>) -> Result<Option<Output>, Error<F>> {
        let (network, groups) = {
            // The names, which a large network has many of, are dropped here.
            let compiled = self.scenario.compile(seed.number);
            let groups = compiled.group_of_flows();
            (compiled.network, groups)
        };
        let fuse = Arc::new(Fuse::new(Arc::clone(seed.control)));
        let makers = with_quic((self.makers)(&fuse), qlog(seed.captures, seed.number)?);
        let capture = seed.captures.and_then(|captures| Capture::of(captures, seed.number));
        let out = capture.as_ref().map(Capture::create).transpose()?;
        let outcome = run_shown(&network, &makers, seed.number, seed.control, seed.shown, out);
        match (fuse.take_failure(), outcome, capture) {
            (Some(failure), ..) => Err(Error::Failed(failure)),
            (None, Ok(mut output), _) => {
                output.group(&groups);
                Ok(Some(output))
            }
            (None, Err(RunError::Capture(source)), Some(capture)) => Err(capture.refused(source)),
            (None, Err(_), _) => Ok(None),
        }
    }
}

/// Adds the ends of flows over QUIC, if the build has them. They write their qlog files to a folder.
#[cfg(feature = "quic")]
fn with_quic(makers: Makers, qlog: Option<PathBuf>) -> Makers {
    Makers { quic: Some(windward_quic::ends(qlog)), ..makers }
}

#[cfg(not(feature = "quic"))]
fn with_quic(makers: Makers, _qlog: Option<PathBuf>) -> Makers {
    makers
}
