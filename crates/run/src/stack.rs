//! Stacks of QUIC, which a build may lack.

use windward_scenario::Scenario;

/// A flow or application needs a stack that this build lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{user}` {}, which this build lacks: build it with the feature `{}`", .stack.need(), .stack.feature())]
pub struct MissingStack {
    /// Name of the flow or application.
    pub user: String,
    /// Its endpoints.
    pub stack: Stack,
}

/// Endpoints of QUIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// Those of quinn-proto, for all laws but noq's.
    Quinn,
    /// Those of noq-proto.
    Noq,
}

impl Stack {
    /// Words for a flow that needs them.
    pub fn need(self) -> &'static str {
        match self {
            Self::Quinn => "is over QUIC",
            Self::Noq => "runs between endpoints of noq",
        }
    }

    /// Feature of a build that has them.
    pub fn feature(self) -> &'static str {
        match self {
            Self::Quinn => "quic",
            Self::Noq => "noq",
        }
    }

    fn is_here(self) -> bool {
        match self {
            Self::Quinn => cfg!(feature = "quic"),
            Self::Noq => cfg!(feature = "noq"),
        }
    }
}

/// Finds out whether this build has the stacks that `scenario` needs.
///
/// # Errors
/// The first flow or application that needs one which this build lacks.
pub fn check_stacks(scenario: &Scenario) -> Result<(), MissingStack> {
    let needs = [(Stack::Quinn, scenario.first_over_quic()), (Stack::Noq, scenario.first_over_noq())];
    let missing = needs.into_iter().find(|(stack, user)| !stack.is_here() && user.is_some());
    missing.map_or(Ok(()), |(stack, user)| Err(MissingStack { user: user.unwrap_or_default().to_owned(), stack }))
}
