//! The fluid side of a law: windows as ordinary differential equations.

use windward_units::{Duration, Packets};

/// What a fluid law sees of its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FluidPath {
    /// Round-trip propagation delay d.
    pub base_rtt: Duration,
    /// Queueing delay q along the path.
    pub queue_delay: Duration,
    /// Packet loss probability along the path.
    pub loss: f64,
}

impl FluidPath {
    /// Total round-trip time d + q, in seconds.
    pub fn rtt(&self) -> f64 {
        self.base_rtt.as_secs() + self.queue_delay.as_secs()
    }
}

/// A law as a differential equation of its state; the first entry of the state is the window.
pub trait FluidLaw {
    /// Length of the state vector.
    fn dimension(&self) -> usize {
        1
    }

    /// Time derivative of `state` (packets, then the law's own) on `path`, per second, into `out`.
    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]);

    /// The window at which the law rests on a path whose queueing delay and loss stay as they are; `None` where it
    /// never rests.
    fn equilibrium(&self, path: &FluidPath) -> Option<Packets>;

    /// Utility U(x) whose maximum over the network is the equilibrium, at rate `x` packets a second; `None` where
    /// the law maximises nothing.
    fn utility(&self, x: f64, path: &FluidPath) -> Option<f64>;
}

/// A memoryless law: the library derives both the packet law and
/// dW/dt = W/rtt · [(1−p)·gain − p·cut].
pub trait Response {
    /// Packets added per acknowledged packet, at window `cwnd` and round-trip time `rtt`.
    fn gain(&self, cwnd: Packets, rtt: Duration) -> Packets;

    /// Packets taken per congestion event.
    fn cut(&self, cwnd: Packets, rtt: Duration) -> Packets;
}
