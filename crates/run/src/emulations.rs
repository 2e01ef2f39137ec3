//! Seeds in real time, between Linux kernels.

use crate::capture::Capture;
use crate::{Error, Seed, Task};
use windward_emulate::{self as emulate, Emulation, Options};
use windward_scenario::Scenario;

/// Emulates a scenario. Real time has room for one seed at once: a job of these has one thread.
#[derive(Clone, Debug)]
pub struct Emulations {
    /// What is emulated.
    pub scenario: Scenario,
    /// Also where this machine is too slow for it.
    pub is_forced: bool,
    /// Settings of the hosts' kernels.
    pub settings: Vec<(String, String)>,
    /// Flows that a congestion control of the kernel's own runs.
    pub congestion: Vec<(String, String)>,
}

impl Task for Emulations {
    type Output = Emulation;
    type Failure = emulate::Error;

    fn run(&self, seed: &Seed<'_>) -> Result<Option<Emulation>, Error<emulate::Error>> {
        let compiled = self.scenario.compile(seed.number);
        let capture = seed.captures.map(|folder| Capture::of(folder, seed.number).create()).transpose()?;
        let (settings, congestion) = (self.settings.clone(), self.congestion.clone());
        let options = Options { seed: seed.number, capture, is_forced: self.is_forced, settings, congestion };
        match emulate::emulate(&compiled, options, seed.control) {
            Ok(emulation) => Ok(Some(emulation)),
            Err(emulate::Error::Interrupted) => Ok(None),
            Err(error) => Err(Error::Failed(error)),
        }
    }
}
