//! User-defined laws, schedulers and forwarding rules: a network refers to them by index, and the caller of a run makes
//! them.

use crate::backlog::Rank;
use crate::cell::Choose;
use crate::tfrc::TfrcOptions;
use std::fmt;
use std::sync::Arc;
use windward_laws::{AnyLaw, Law, LawSpec};
use windward_units::Packets;

/// Makes a fresh law whose window begins at the given number of packets.
pub type MakeLaw = Arc<dyn Fn(Packets) -> Box<dyn Law + Send> + Send + Sync>;

/// Makes a fresh scheduler.
pub type MakeScheduler = Arc<dyn Fn() -> Box<dyn Choose + Send> + Send + Sync>;

/// Makes a fresh forwarding rule.
pub type MakeRule = Arc<dyn Fn() -> Box<dyn Rank + Send> + Send + Sync>;

/// Congestion control of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LawChoice {
    /// A built-in law.
    Known(LawSpec),
    /// TFRC in place of TCP.
    Tfrc(TfrcOptions),
    /// A user-defined law, by its index in the [`Makers`] of the run, which must contain it.
    Own(u32),
}

/// Makers of the laws, schedulers and rules that a network refers to by index; empty if all of them are built in.
#[derive(Clone, Default)]
pub struct Makers {
    /// Makers for [`LawChoice::Own`].
    pub laws: Vec<MakeLaw>,
    /// Makers for [`SchedulerConfig::Own`](crate::cell::SchedulerConfig::Own).
    pub schedulers: Vec<MakeScheduler>,
    /// Makers for [`BackpressureConfig::rule`](crate::wifi::BackpressureConfig::rule).
    pub rules: Vec<MakeRule>,
}

impl Makers {
    /// Returns the maker of the laws of `choice`.
    pub(crate) fn law(&self, choice: LawChoice) -> Maker {
        match choice {
            LawChoice::Known(spec) => Maker::Known(spec),
            LawChoice::Own(index) => Maker::Own(Arc::clone(&self.laws[index as usize])),
            LawChoice::Tfrc(_) => Maker::None,
        }
    }

    /// Makes a fresh rule of this index.
    pub(crate) fn rule(&self, index: u32) -> Box<dyn Rank + Send> {
        self.rules[index as usize]()
    }

    /// Makes a fresh scheduler of this index.
    pub(crate) fn scheduler(&self, index: u32) -> Box<dyn Choose + Send> {
        self.schedulers[index as usize]()
    }
}

impl fmt::Debug for Makers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Makers of {} laws, {} schedulers and {} rules",
            self.laws.len(),
            self.schedulers.len(),
            self.rules.len()
        )
    }
}

/// Makes the laws of one choice.
pub(crate) enum Maker {
    Known(LawSpec),
    Own(MakeLaw),
    /// The transport has no law.
    None,
}

impl Maker {
    /// Makes a fresh law whose window starts at `initial`.
    pub fn build(&self, initial: Packets) -> AnyLaw {
        match self {
            Self::Known(spec) => spec.build(initial),
            Self::Own(make) => AnyLaw::External(make(initial)),
            Self::None => unreachable!("TFRC asks for no law"),
        }
    }
}
