//! Errors of the crate.

use thiserror::Error;

/// Reason for the lack of an answer.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Error {
    /// The description is contradictory or contains an impossible value.
    #[error("{at}: {reason}")]
    Invalid {
        /// Location, such as `utilities[3].weight`.
        at: String,
        /// Given value and allowed values.
        reason: String,
    },
    /// The caller cancelled the computation.
    #[error("interrupted")]
    Interrupted,
    /// A trajectory takes too many evaluations of its map.
    #[error(
        "stopped after {evaluations} evaluations of the equations: they are stiff, windows settle much faster than the run lasts\nhint: a shorter duration, a larger tolerance, smaller buffers or lower rates; or `simulate`"
    )]
    Stiff {
        /// Evaluations done.
        evaluations: u64,
    },
    /// No rates satisfy the constraints with a finite utility.
    #[error(
        "infeasible: flow {flow} crosses link {link}, whose rate can only be 0\nhint: give the link a capacity, or take the flow away"
    )]
    Infeasible {
        /// Index of a flow that cannot send.
        flow: usize,
        /// Index of the link that cannot carry it.
        link: usize,
    },
    /// No path leads from a flow's source to its sink.
    #[error(
        "no path: flow {flow} has no way to its sink over the links that it may use\nhint: allow it more links, and give them a capacity"
    )]
    NoPath {
        /// Index of the flow.
        flow: usize,
    },
    /// The utility grows without bound: no best rates exist.
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
        /// The region.
        at: String,
        /// Links of the conflict graph.
        links: usize,
        /// Limit of enumeration ([`crate::region::MAX_INDEPENDENT_SETS`]).
        limit: usize,
    },
    /// The method does not support the problem.
    #[error("{method} does not take {what}")]
    Unsupported {
        /// The method.
        method: &'static str,
        /// Unsupported part of the problem.
        what: String,
    },
    /// The build is without Clarabel.
    #[error(
        "references and best routes need the conic solver, which is not compiled yet\nhint: make .venv/engine (the crate's feature `conic`)"
    )]
    NotCompiled,
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
        /// Required tolerance.
        tolerance: f64,
    },
}

impl Error {
    pub(crate) fn invalid(at: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Invalid { at: at.into(), reason: reason.into() }
    }
}
