//! Seeds in simulated time.

use crate::capture::{Capture, qlog};
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
    pub fn new(scenario: Scenario, makers: impl Fn(&Arc<Fuse<F>>) -> Makers + Send + Sync + 'static) -> Self {
        Self { scenario, makers: Box::new(makers) }
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
        let makers = with_quic((self.makers)(&fuse), &self.scenario, qlog(seed.captures, seed.number)?)?;
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

/// Adds the ends of flows over QUIC, if the scenario has such flows. They write their qlog files to a folder.
#[cfg_attr(not(feature = "quic"), expect(unused_variables, reason = "without QUIC nothing is written"))]
fn with_quic<F>(makers: Makers, scenario: &Scenario, qlog: Option<PathBuf>) -> Result<Makers, Error<F>> {
    match scenario.first_over_quic() {
        None => Ok(makers),
        #[cfg(feature = "quic")]
        Some(_)
            if !windward_quic::HAS_NOQ
                && let Some(flow) = scenario.first_over_noq() =>
        {
            Err(Error::NoNoq(flow.to_owned()))
        }
        #[cfg(feature = "quic")]
        Some(_) => Ok(Makers { quic: Some(windward_quic::ends(qlog)), ..makers }),
        #[cfg(not(feature = "quic"))]
        Some(flow) => Err(Error::NoQuic(flow.to_owned())),
    }
}
