//! Congestion control laws.
//!
//! A [`Law`] only decides the number of packets in flight. Its **host** (the simulated TCP, the fluid runner, a socket
//! adapter) keeps the state of the connection and reports events. Each law is one file: citation, equations with units,
//! parameters, state, the packet law, its fluid form, tests. [`LawSpec`] lists them all.

#![forbid(unsafe_code)]

/// The laws: name in scenarios, type, module, and kind. A `memoryless` law is a [`Response`], a `stateful` one has a
/// [`FluidLaw`], one of `rates` has no fluid form; a `formula` decides that itself. Each needs its `pub mod` below,
/// too.
macro_rules! each_law {
    ($make:ident) => {
        $make! {
            /// RFC 5681's additive increase, multiplicative decrease.
            "reno" Reno reno memoryless,
            /// RFC 9438's cubic function of the time since the last loss; what most servers run.
            "cubic" Cubic cubic stateful,
            /// Brakmo and Peterson's law: between `alpha` and `beta` packets in the queue.
            "vegas" Vegas vegas stateful,
            /// Wei, Jin, Low and Hegde's law: `alpha` packets in the queue.
            "fast" Fast fast stateful,
            /// Huang, Sun and Wang's law: `backlog` packets in the queue, proven to converge.
            "quic-tcp" QuicTcp quic_tcp stateful,
            /// Tan, Song, Zhang and Sridharan's law: Reno's window plus a delay-driven one.
            "compound" Compound compound stateful,
            /// Grieco and Mascolo's law: Reno that falls back to the rate that it has measured.
            "westwood" Westwood westwood stateful,
            /// Wang, Wen, Zhang, Xiong and Han's law: as many Renos as leave the queue short.
            "tcp-fit" TcpFit tcp_fit stateful,
            /// Fu and Liew's law: Reno that takes a loss for a random one while the queue is short.
            "veno" Veno veno stateful,
            /// Caini and Firrincieli's law: Reno that grows as if its round trip took 25 ms.
            "hybla" Hybla hybla stateful,
            /// Leith and Shorten's law: growth by the time since the last loss.
            "htcp" Htcp htcp stateful,
            /// RFC 3649's law: Reno whose growth rises and whose decrease falls with the window.
            "highspeed" HighSpeed highspeed stateful,
            /// Kelly's law: growth by a share of the window.
            "scalable" Scalable scalable memoryless,
            /// Xu, Harfoush and Rhee's law: binary search for the window at which the last loss came.
            "bic" Bic bic stateful,
            /// Liu, Başar and Srikant's law: Reno that grows less, and falls more, the longer the queue.
            "illinois" Illinois illinois rates,
            /// Baiocchi, Castellani and Vacirca's law: Scalable over a short queue, Reno over a long one.
            "yeah" Yeah yeah rates,
            /// RFC 6817's law for background transfers: `target` seconds of queueing delay.
            "ledbat" Ledbat ledbat stateful,
            /// Kuzmanovic and Knightly's law for background transfers: gives way at the first delay.
            "lp" Lp lp rates,
            /// Crowcroft and Oechslin's law: one connection with the share of `connections` Renos.
            "multcp" Multcp multcp memoryless,
            /// Cardwell and others' law, version 1 as in Linux: paces at the rate that the path delivers.
            "bbr" Bbr bbr rates,
            /// BBR, version 3 by its draft: keeps losses to `loss_threshold` and leaves `headroom` to others.
            "bbr3" Bbr3 bbr3 rates,
            /// Arun and Balakrishnan's law: `1/delta` packets in the queue, more beside flows that fill it.
            "copa" Copa copa stateful,
            /// Exponential map from queueing delay to rate: an error of the delay costs the same ratio on any link.
            "exp-delay" ExpDelay exp_delay stateful,
            /// RFC 8257's law: Reno that falls by as much as a share of its packets was marked.
            "dctcp" Dctcp dctcp stateful,
            /// De Schepper, Tilmans, Briscoe and Goel's law: little and often, for queues that mark early.
            "prague" Prague prague stateful,
            /// A law of your own as formulas: what an ACK adds to the window, and what a loss or a mark leaves.
            "formula" Formula formula formula,
        }
    };
}

#[macro_use]
mod params;

mod backlog;
mod classic;
mod external;
mod fluid;
mod interface;
mod registry;
mod reins;
mod shared;
mod utility;
mod window;

#[cfg(test)]
mod testing;

pub mod bbr;
pub mod bbr3;
pub mod bic;
pub mod compound;
pub mod copa;
pub mod cubic;
pub mod dctcp;
pub mod emultcp;
pub mod exp_delay;
pub mod fast;
pub mod formula;
pub mod highspeed;
pub mod htcp;
pub mod hybla;
pub mod illinois;
pub mod ledbat;
pub mod lp;
pub mod multcp;
pub mod prague;
pub mod quic_tcp;
pub mod reno;
pub mod scalable;
pub mod tcp_fit;
pub mod vegas;
pub mod veno;
pub mod westwood;
pub mod yeah;

pub use backlog::Mode;
pub use classic::{Avoidance, Classic};
pub use external::External;
pub use fluid::{FluidLaw, FluidPath, Lyapunov, MeanWindow, Response, TimeUnit};
pub use interface::{Ack, Congestion, CongestionKind, Law, Needs, Repair, Sample, Start};
pub use registry::{AnyLaw, LawSpec, SpecError};
pub use reins::{Heard, Reins};
pub use utility::{Price, Utility};
pub use window::Window;
