//! Laws and schedulers that are not ours: a network has their indices, and who runs it makes them.

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

/// Makes a fresh rule of forwarding.
pub type MakeRule = Arc<dyn Fn() -> Box<dyn Rank + Send> + Send + Sync>;

/// Which law drives a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LawChoice {
    /// One of ours.
    Known(LawSpec),
    /// No law of TCP, but TFRC.
    Tfrc(TfrcOptions),
    /// A user's own, by its index among the [`Makers`] of who runs the network, which have it.
    Own(u32),
}

/// What makes the laws and schedulers that a network has by index; none, where all of them are ours.
#[derive(Clone, Default)]
pub struct Makers {
    /// Of [`LawChoice::Own`].
    pub laws: Vec<MakeLaw>,
    /// Of [`SchedulerConfig::Own`](crate::cell::SchedulerConfig::Own).
    pub schedulers: Vec<MakeScheduler>,
    /// Of [`BackpressureConfig::rule`](crate::wifi::BackpressureConfig::rule).
    pub rules: Vec<MakeRule>,
}

impl Makers {
    /// What makes the laws of `choice`.
    pub(crate) fn law(&self, choice: LawChoice) -> Maker {
        match choice {
            LawChoice::Known(spec) => Maker::Known(spec),
            LawChoice::Own(index) => Maker::Own(Arc::clone(&self.laws[index as usize])),
            LawChoice::Tfrc(_) => Maker::None,
        }
    }

    /// A fresh rule of this index.
    pub(crate) fn rule(&self, index: u32) -> Box<dyn Rank + Send> {
        self.rules[index as usize]()
    }

    /// A fresh scheduler of this index.
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
    /// For a transport that has none.
    None,
}

impl Maker {
    /// A fresh law whose window begins at `initial`.
    pub fn build(&self, initial: Packets) -> AnyLaw {
        match self {
            Self::Known(spec) => spec.build(initial),
            Self::Own(make) => AnyLaw::External(make(initial)),
            Self::None => unreachable!("TFRC asks for no law"),
        }
    }
}
