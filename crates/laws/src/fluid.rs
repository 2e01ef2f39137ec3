//! The fluid side of a law: windows as ordinary differential equations.

use crate::{Utility, Window};
use windward_units::{Duration, Packets};

/// State of a path for a fluid law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FluidPath {
    /// Round-trip propagation delay d.
    pub base_rtt: Duration,
    /// Queueing delay q along the path.
    pub queue_delay: Duration,
    /// Packet loss probability along the path.
    pub loss: f64,
    /// Probability that an arriving packet is marked along the path. For a law that does not [count
    /// them](crate::Needs::counts_marks), a mark is a loss (RFC 3168 §5), and marks are in `loss`.
    pub marks: f64,
}

impl FluidPath {
    /// Total round-trip time d + q, in seconds.
    pub fn rtt(&self) -> f64 {
        self.base_rtt.as_secs() + self.queue_delay.as_secs()
    }

    /// Share of the round trip that is queueing, q/(d + q): times the window, the packets in queues.
    pub(crate) fn queued_share(&self) -> f64 {
        self.queue_delay.as_secs() / self.rtt()
    }
}

/// Time unit of a law's derivative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    #[default]
    Seconds,
    /// Steps of the law, of which its packet law makes one per round trip.
    Steps,
}

/// Y(w) = ½ Σ ((w − x·d − p)/w^ρ)², which never grows if all flows of a network have one ρ (huang2020 App. B).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lyapunov {
    /// ρ.
    pub rho: f64,
    /// p, packets.
    pub backlog: Packets,
}

/// A law as a differential equation of its state; the first entry of the state is the window.
///
/// It is also the only source of the law's theory: other crates, Python and the documentation read it here.
pub trait FluidLaw {
    /// Length of the state vector.
    fn dimension(&self) -> usize {
        1
    }

    /// Writes the state of a flow in congestion avoidance with the window `cwnd` to `out`.
    fn start(&self, cwnd: Packets, out: &mut [f64]) {
        out.fill(0.0);
        out[0] = cwnd.count();
    }

    /// Writes the time derivative of `state` (packets, then the law's own) on `path`, per [`FluidLaw::time_unit`], to
    /// `out`.
    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]);

    /// Equilibrium window on a path of constant queueing delay and loss; `None` without an equilibrium.
    fn equilibrium(&self, path: &FluidPath) -> Option<Packets>;

    /// Time unit of the derivative.
    fn time_unit(&self) -> TimeUnit {
        TimeUnit::Seconds
    }

    /// Packets that the flow keeps in queues at rest on any path without losses; `None` if the law has no such number.
    fn backlog(&self) -> Option<Packets> {
        None
    }

    /// Name of the parameter for [`FluidLaw::backlog`]; `None` if there is none.
    fn backlog_parameter(&self) -> Option<&'static str> {
        None
    }

    /// True if the paper's equation has no losses, and [`FluidLaw::derivative`] adds the reaction of the packet law.
    /// Without losses on the path it is the paper's.
    fn adds_losses(&self) -> bool {
        false
    }

    /// Utility whose sum over the network is greatest at rest; `None` if the law maximises no known utility on this
    /// path.
    fn maximises(&self, path: &FluidPath) -> Option<Utility> {
        let is_own = path.loss == 0.0 || !self.adds_losses();
        self.backlog().filter(|_| is_own).map(Utility::Backlog)
    }

    /// The law's part of a Lyapunov function; `None` if none is known.
    fn lyapunov(&self) -> Option<Lyapunov> {
        None
    }
}

/// A fluid law whose only state is the window. Every `MeanWindow` is a [`FluidLaw`].
pub trait MeanWindow {
    /// Slope dW/dt of a window of `cwnd` packets on `path`, in packets per second.
    fn slope(&self, cwnd: f64, path: &FluidPath) -> f64;

    /// Window at rest, as [`FluidLaw::equilibrium`]. Default: that at which growth turns to decrease.
    fn rest(&self, path: &FluidPath) -> Option<Packets> {
        turn(|cwnd| self.slope(cwnd, path) > 0.0)
    }

    /// Utility that the law maximises, as [`FluidLaw::maximises`].
    fn maximises(&self, _path: &FluidPath) -> Option<Utility> {
        None
    }
}

impl<M: MeanWindow> FluidLaw for M {
    fn derivative(&self, state: &[f64], path: &FluidPath, out: &mut [f64]) {
        out[0] = self.slope(state[0], path);
    }

    fn equilibrium(&self, path: &FluidPath) -> Option<Packets> {
        self.rest(path)
    }

    fn maximises(&self, path: &FluidPath) -> Option<Utility> {
        MeanWindow::maximises(self, path)
    }
}

/// A memoryless law. Every `Response` is a [`FluidLaw`] with dW/dt = W/rtt · [(1−p)·gain(1) − p·cut], and a packet law,
/// [`Classic`](crate::Classic).
pub trait Response {
    /// Packets added in congestion avoidance by an ACK of `acked` packets, at window `cwnd` and round-trip time `rtt`.
    fn gain(&self, acked: Packets, cwnd: Packets, rtt: Duration) -> Packets;

    /// Packets removed per loss or mark, from `cwnd` packets in flight.
    fn cut(&self, cwnd: Packets, rtt: Duration) -> Packets;

    /// Packets by which a timeout with `cwnd` packets in flight puts the slow-start threshold below them. Default:
    /// those of a loss.
    fn cut_by_timeout(&self, cwnd: Packets, rtt: Duration) -> Packets {
        self.cut(cwnd, rtt)
    }

    /// Window after an ACK of `acked` packets in slow start. Default: `acked` packets more, up to the threshold.
    fn slow_start(&self, window: &Window, acked: Packets) -> Packets {
        Packets::new(window.doubled(acked.count()))
    }

    /// Utility whose derivative is the loss probability gain/(gain + cut) at equilibrium, in its form on `path`; `None`
    /// if it has no closed form.
    fn maximises(&self, _path: &FluidPath) -> Option<Utility> {
        None
    }
}

impl<R: Response> MeanWindow for R {
    fn slope(&self, cwnd: f64, path: &FluidPath) -> f64 {
        cwnd / path.rtt() * balance(self, cwnd, path)
    }

    fn maximises(&self, path: &FluidPath) -> Option<Utility> {
        Response::maximises(self, path)
    }
}

/// Window at which a law turns from growth, where it `rises`, to decrease; `None` if it never does.
pub(crate) fn turn(rises: impl Fn(f64) -> bool) -> Option<Packets> {
    let (mut low, mut high) = WINDOWS;
    if !rises(low) || rises(high) {
        return None;
    }
    // Bisection of the logarithm: 64 halvings reach the last bit.
    for _ in 0..64 {
        let middle = (low * high).sqrt();
        *(if rises(middle) { &mut low } else { &mut high }) = middle;
    }
    Some(Packets::new((low * high).sqrt()))
}

/// Position of `value` across a `threshold` at which a law jumps: 0 below to 1 above, along a straight line within
/// [`SWITCH`] of it. An equilibrium at the threshold lies on the jump: an integrator would cross it back and forth
/// without end. On the line it finds the equilibrium in between (Filippov's solution, to the width of the line).
pub(crate) fn passed(value: f64, threshold: f64) -> f64 {
    let (from, to) = (threshold * (1.0 - SWITCH), threshold * (1.0 + SWITCH));
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

/// Half the width of that line, as a share of the threshold.
const SWITCH: f64 = 1e-3;

/// Mean change of the window per packet sent, (1−p)·gain − p·cut.
fn balance<R: Response>(law: &R, cwnd: f64, path: &FluidPath) -> f64 {
    let (cwnd, rtt) = (Packets::new(cwnd), path.base_rtt + path.queue_delay);
    (1.0 - path.loss) * law.gain(Packets::ONE, cwnd, rtt).count() - path.loss * law.cut(cwnd, rtt).count()
}

/// Search range of an equilibrium, in packets.
const WINDOWS: (f64, f64) = (1e-6, 1e15);

#[cfg(test)]
mod tests {
    use super::*;

    /// Scalable TCP: 0.01 packets per ACK, an eighth per event; the exact equilibrium is at p = gain/(gain + cut).
    struct Scalable;

    impl Response for Scalable {
        fn gain(&self, acked: Packets, _cwnd: Packets, _rtt: Duration) -> Packets {
            acked * 0.01
        }
        fn cut(&self, cwnd: Packets, _rtt: Duration) -> Packets {
            cwnd * 0.125
        }
    }

    fn path(loss: f64) -> FluidPath {
        FluidPath { base_rtt: Duration::from_millis(80), queue_delay: Duration::from_millis(20), loss, marks: 0.0 }
    }

    #[test]
    fn a_response_is_a_differential_equation() {
        // p = 0.001, W = 100, rtt = 0.1 s: 100/0.1 · (0.999·0.01 − 0.001·12.5) = 1000 · (−0.00251) = −2.51 packets/s.
        let mut out = [0.0];
        Scalable.derivative(&[100.0], &path(0.001), &mut out);
        assert!((out[0] + 2.51).abs() < 1e-12, "{}", out[0]);
    }

    #[test]
    fn it_rests_where_gain_and_cut_balance() {
        // 0.999·0.01 = 0.001·W/8 ⇒ W = 79.92.
        let rest = Scalable.equilibrium(&path(0.001)).unwrap().count();
        assert!((rest - 79.92).abs() < 1e-9, "{rest}");
        assert_eq!(Scalable.equilibrium(&path(0.0)), None);
    }
}
