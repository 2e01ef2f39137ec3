//! Why something cannot be emulated.

use crate::remedy::{self, Step};
use std::io;

/// Why something cannot be emulated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Namespaces and devices cannot be made.
    #[error("{what}: {source}\nhint: {hint}")]
    Refused {
        /// Attempted operation.
        what: &'static str,
        /// The kernel's answer.
        source: io::Error,
        /// Hint for the user.
        hint: String,
    },
    /// The kernel refused something that usually works.
    #[error("{what}: {source}")]
    System {
        /// Attempted operation.
        what: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A command cannot be started.
    #[error("{command}: {source}")]
    Command {
        /// Its name.
        command: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The scenario holds something that real kernels cannot do.
    #[error("{0}")]
    Impossible(String),
    /// More packets than this machine moves in time.
    #[error(
        "the scenario may send {expected:.0} packets/s, but this machine can emulate only {limit:.0} packets/s in real \
         time\nhint: lower the rates, in Wi-Fi by `width` or `streams`, or use `simulate`"
    )]
    TooFast {
        /// Packets a second that the flows may cause.
        expected: f64,
        /// Measured limit of this machine, less a reserve.
        limit: f64,
    },
    /// A law is not in the kernel.
    #[error("{0}")]
    Law(#[from] windward_kernel::Error),
    /// The run was told to end.
    #[error("the run was interrupted")]
    Interrupted,
}

impl Error {
    /// The kernel refused `what`, a step for which machines can be set up.
    pub(crate) fn refused(what: &'static str, step: Step) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Refused { what, hint: remedy::of(step, &source), source }
    }

    /// The kernel refused `what`.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::System { what, source }
    }
}
