//! Fluid model of a download over several connections: the actual controller with mean windows.
//!
//! The law is [`windward_laws::emultcp::Controller`], shared with simulation and transfers. The path is a link of
//! capacity C, buffer B and base round trip T, which loses a share p of its output. The server has Reno's window.
//!
//! * Random losses give a window bounded by c a mean of w(c) = c/(1 + p·c²/8) where c is below its peak √(8/(3p)), and
//!   √(3/(2p)) beyond. A sawtooth takes c/2 round trips from c/2 to c, in which it sends 3c²/8 of the 1/p segments
//!   between two losses, and stays at c for the rest.
//! * n connections approach F = n·w(c) in flight with a time constant of [`ROUNDS`] round trips, our guess of the
//!   length of a slow start; c is W/n where the controller bounds their windows.
//! * The queue is q = F/C − T, between 0 and B/C, and the rate min(F/T, C)·(1 − p). Overflow is lost, but halves no
//!   window.
//!
//! At equilibrium q = Q, and n follows from a use of 0.95 of W: W = C·(1 − p)·(T + Q)/0.95, p·c²/8 = (1 − p)/0.95 − 1
//! and n = W/c. Where c would be less than four segments, n = W/4 and less of W is used.

use windward_laws::emultcp::{Controller, Kind, Params, Sample};
use windward_num::Error;

/// Time constant of the data in flight, in round trips.
const ROUNDS: f64 = 4.0;
/// Bits of a packet.
const PACKET: f64 = 1500.0 * 8.0;

/// A path and its effect on a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Download {
    /// C in packets of 1500 bytes per second.
    pub capacity: f64,
    /// T in seconds.
    pub rtt: f64,
    /// p.
    pub loss: f64,
    /// B in packets.
    pub buffer: f64,
}

/// Samples of a download, one for each of the controller's updates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DownloadTrajectory {
    /// Seconds.
    pub time: Vec<f64>,
    /// n.
    pub connections: Vec<f64>,
    /// W in packets; infinite without a bound.
    pub windows: Vec<f64>,
    /// Rate of arrivals, in packets per second.
    pub rates: Vec<f64>,
    /// q in seconds.
    pub queues: Vec<f64>,
}

impl Download {
    /// The mean window of a connection whose window is at most `most`.
    pub fn window(&self, most: f64) -> f64 {
        let peak = (8.0 / (3.0 * self.loss)).sqrt();
        let most = most.min(peak);
        if most.is_finite() { most / (1.0 + self.loss * most * most / 8.0) } else { f64::INFINITY }
    }

    /// Follows a download of the fast law for `duration` seconds.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a value out of range, or another law.
    pub fn follow(&self, params: Params, duration: f64) -> Result<DownloadTrajectory, Error> {
        self.check(params)?;
        let mut controller = Controller::new(params, None);
        let mut run = DownloadTrajectory::default();
        let (mut flight, period) = (0.0, controller.period());
        let looks = (duration / period).round() as u64;
        for look in 0..=looks {
            let now = look as f64 * period;
            let queue = (flight / self.capacity - self.rtt).clamp(0.0, self.buffer / self.capacity);
            let rate = (flight / self.rtt).min(self.capacity) * (1.0 - self.loss);
            controller.update(Sample {
                now,
                rtt: (now >= params.settle).then_some(self.rtt + queue),
                rtt_min: self.rtt,
                rate: rate * PACKET,
                connections: controller.wanted(),
                remaining: None,
            });
            let n = controller.connections();
            let window = controller.window().map_or(f64::INFINITY, |bytes| bytes * 8.0 / PACKET);
            run.time.push(now);
            run.connections.push(n);
            run.windows.push(window);
            run.rates.push(rate);
            run.queues.push(queue);
            let room = self.capacity * self.rtt + self.buffer;
            let wanted = (n * self.window(window / n)).min(room);
            flight += (wanted - flight) * (1.0 - libm::exp(-period / (ROUNDS * (self.rtt + queue))));
        }
        Ok(run)
    }

    fn check(&self, params: Params) -> Result<(), Error> {
        let refuse = |at: &str, reason: &str| Err(Error::Invalid { at: at.into(), reason: reason.into() });
        let is_above_zero = |value: f64| value > 0.0 && value.is_finite();
        if !is_above_zero(self.capacity) {
            return refuse("capacity", "it must be above 0");
        }
        if !is_above_zero(self.rtt) {
            return refuse("rtt", "it must be above 0");
        }
        if !(0.0..1.0).contains(&self.loss) {
            return refuse("loss", "it must be from 0 to below 1");
        }
        if !(self.buffer >= 0.0 && self.buffer.is_finite()) {
            return refuse("buffer", "it must be from 0");
        }
        if params.law != Kind::Fast {
            return refuse("law", "it must be emultcp-fast; Emultcp has the equations of emultcp");
        }
        params.check().or_else(|(field, why)| refuse(field, &why))
    }
}
