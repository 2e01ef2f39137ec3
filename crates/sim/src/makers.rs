//! User-defined laws: a network refers to them by index, and the caller of a run makes them.

use crate::ends::MakeQuic;
use crate::network::{LawChoice, TcpOptions, TfrcOptions};
use std::fmt;
use std::sync::Arc;
use windward_laws::{AnyLaw, LawSpec};
use windward_radio::Hooks;
use windward_units::Packets;

/// Makes a fresh law whose window begins at the given number of packets.
pub type MakeLaw = Arc<dyn Fn(Packets) -> AnyLaw + Send + Sync>;

/// Makers of everything that a network refers to by index; empty if all laws, schedulers and rules are built in.
#[derive(Clone, Default)]
pub struct Makers {
    /// Makers for [`LawChoice::Own`].
    pub laws: Vec<MakeLaw>,
    /// Maker of the ends of connections over QUIC, for [`LawChoice::Quic`].
    pub quic: Option<MakeQuic>,
    /// Makers of the schedulers and rules of media.
    pub hooks: Hooks,
}

impl Makers {
    /// Maker of the ends of connections over QUIC, which a network with such connections needs.
    pub(crate) fn ends(&self) -> MakeQuic {
        self.quic.clone().expect("who runs a network with connections over QUIC has ends for them")
    }

    /// Returns the maker of the laws of `choice`.
    ///
    /// # Errors
    /// The options of TFRC, which has no law.
    pub(crate) fn law(&self, choice: LawChoice) -> Result<Maker, TfrcOptions> {
        match choice {
            LawChoice::Known(spec) | LawChoice::Quic(spec, _) => Ok(Maker::Known(spec)),
            LawChoice::Own(index) => Ok(Maker::Own(Arc::clone(&self.laws[index as usize]))),
            LawChoice::Tfrc(options) => Err(options),
        }
    }
}

impl fmt::Debug for Makers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Makers of {} laws, {:?}", self.laws.len(), self.hooks)
    }
}

/// Makes the laws of one choice.
pub(crate) enum Maker {
    Known(LawSpec),
    Own(MakeLaw),
}

impl Maker {
    /// Makes a fresh law with the initial window and threshold of `tcp`.
    pub fn build(&self, tcp: &TcpOptions) -> AnyLaw {
        let initial = tcp.initial_cwnd();
        let mut law = match self {
            Self::Known(spec) => spec.build(initial),
            Self::Own(make) => make(initial),
        };
        if let Some(ssthresh) = tcp.initial_ssthresh {
            law.remember(Packets::new(f64::from(ssthresh)));
        }
        law
    }
}
