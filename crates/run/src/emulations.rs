//! Seeds emulated in real time, between Linux kernels.

use crate::capture::{Capture, qlog};
use crate::{Error, Seed, Task};
use windward_emulate::{self as emulate, Emulation, Options};
use windward_scenario::Scenario;

/// Emulates a scenario in real time. The machine can run one seed at a time, so the job must have one thread.
#[derive(Clone, Debug)]
pub struct Emulations {
    /// The emulated scenario.
    pub scenario: Scenario,
    /// Runs even if this machine is too slow for the scenario.
    pub is_forced: bool,
    /// Settings of the hosts' kernels.
    pub settings: Vec<(String, String)>,
    /// Flows that use a congestion control of the kernel.
    pub congestion: Vec<(String, String)>,
}

impl Task for Emulations {
    type Output = Emulation;
    type Failure = emulate::Error;

    fn run(&self, seed: &Seed<'_>) -> Result<Option<Emulation>, Error<emulate::Error>> {
        let compiled = self.scenario.compile(seed.number);
        let capture = seed.captures.and_then(|captures| Capture::of(captures, seed.number));
        let capture = capture.map(|capture| capture.create()).transpose()?;
        let qlog = qlog(seed.captures, seed.number)?;
        let (settings, congestion) = (self.settings.clone(), self.congestion.clone());
        let options = Options { seed: seed.number, capture, is_forced: self.is_forced, qlog, settings, congestion };
        match emulate::emulate(&compiled, options, seed.control) {
            Ok(mut emulation) => {
                emulation.output.group(&compiled.group_of_flows());
                Ok(Some(emulation))
            }
            Err(emulate::Error::Interrupted) => Ok(None),
            Err(error) => Err(Error::Failed(error)),
        }
    }
}
