//! Maker of the ends of connections over QUIC in the simulator.

#[cfg(feature = "noq")]
use crate::noq;
use crate::quinn;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use windward_sim::{LawOf, MakeQuic, QuicConfig, QuicExchange, QuicFlow, QuicMaker};

/// True if this build has endpoints of noq: the feature `noq`.
pub const HAS_NOQ: bool = cfg!(feature = "noq");

/// Maker of the ends of connections over QUIC, for `Makers::quic` of a run. With the feature `qlog` and a folder, each
/// end writes its events to a file: connection-N-client.sqlog and connection-N-server.sqlog, N from 1 in the order in
/// which the connections are made.
///
/// # Panics
/// The maker panics if a connection has [`LawOf::Noq`] and the build not [`HAS_NOQ`].
pub fn ends(qlog: Option<PathBuf>) -> MakeQuic {
    Arc::new(Maker { qlog, made: AtomicU64::new(0) })
}

struct Maker {
    qlog: Option<PathBuf>,
    made: AtomicU64,
}

impl Maker {
    /// Beginning of the paths of the next connection's files.
    fn next(&self) -> Option<PathBuf> {
        let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        Some(self.qlog.as_ref()?.join(format!("connection-{number}")))
    }
}

impl QuicMaker for Maker {
    fn flow(&self, config: &QuicConfig) -> Box<dyn QuicFlow> {
        match config.options.law_of {
            LawOf::Windward | LawOf::Quinn => quinn::flow(config, self.next()),
            LawOf::Noq => noq::flow(config, self.next()),
        }
    }

    fn exchange(&self, config: &QuicConfig) -> Box<dyn QuicExchange> {
        match config.options.law_of {
            LawOf::Windward | LawOf::Quinn => quinn::exchange(config, self.next()),
            LawOf::Noq => noq::exchange(config, self.next()),
        }
    }
}

/// A build without noq.
#[cfg(not(feature = "noq"))]
mod noq {
    use std::path::PathBuf;
    use windward_sim::{QuicConfig, QuicExchange, QuicFlow};

    pub fn flow(_: &QuicConfig, _: Option<PathBuf>) -> Box<dyn QuicFlow> {
        unreachable!("endpoints of noq need the feature `noq`: ask HAS_NOQ first")
    }

    pub fn exchange(_: &QuicConfig, _: Option<PathBuf>) -> Box<dyn QuicExchange> {
        unreachable!("endpoints of noq need the feature `noq`: ask HAS_NOQ first")
    }
}
