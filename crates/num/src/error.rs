//! What can go wrong: one enum for the crate.

use thiserror::Error;

/// Why a problem has no answer, or why none was found.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Error {
    /// The description contradicts itself or holds an impossible value.
    #[error("{at}: {reason}")]
    Invalid {
        /// Where, such as `utilities[3].weight`.
        at: String,
        /// What was given and what is allowed.
        reason: String,
    },
    /// Who asked does not want the answer any more.
    #[error("interrupted")]
    Interrupted,
    /// No rates satisfy the constraints with a finite utility.
    #[error(
        "infeasible: flow {flow} crosses link {link}, whose rate can only be 0\nhint: give the link a capacity, or take the flow away"
    )]
    Infeasible {
        /// Index of a flow that cannot send.
        flow: usize,
        /// Index of the link that stops it.
        link: usize,
    },
    /// No way leads from a flow's source to its sink.
    #[error(
        "no path: flow {flow} has no way to its sink over the links that it may use\nhint: allow it more links, and give them a capacity"
    )]
    NoPath {
        /// Index of the flow.
        flow: usize,
    },
    /// The utility grows for ever: no best rates exist.
    #[error(
        "unbounded: flow {flow} crosses no link and its utility always grows with its rate\nhint: give it a link, or a utility with a largest value"
    )]
    Unbounded {
        /// Index of the flow.
        flow: usize,
    },
    /// The conflict graph has more independent sets than may be enumerated.
    #[error(
        "{at}: more than {limit} independent sets among {links} links\nhint: enumeration is exponential; leave out links that no flow uses, or split the graph where no conflict joins its parts"
    )]
    TooManySets {
        /// Which region.
        at: String,
        /// Links of the conflict graph.
        links: usize,
        /// Most sets that are enumerated ([`crate::region::MAX_INDEPENDENT_SETS`]).
        limit: usize,
    },
    /// A method was asked for a problem outside its class.
    #[error("{method} does not take {what}")]
    Unsupported {
        /// The method.
        method: &'static str,
        /// What it does not take.
        what: String,
    },
    /// The method stopped before its tolerance.
    #[error(
        "{method} stopped after {iterations} iterations with residual {residual:.1e}, above {tolerance:.1e}\nhint: scales that differ by many powers of ten, or a utility with a very large alpha, make a problem ill-conditioned; max-min is the limit of large alpha"
    )]
    NotConverged {
        /// The method.
        method: &'static str,
        /// Iterations done.
        iterations: usize,
        /// Largest relative residual reached.
        residual: f64,
        /// What was asked for.
        tolerance: f64,
    },
}

impl Error {
    pub(crate) fn invalid(at: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Invalid { at: at.into(), reason: reason.into() }
    }
}
