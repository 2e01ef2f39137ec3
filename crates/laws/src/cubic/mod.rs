//! CUBIC: the window as a cubic function of the time since the last loss.
//!
//! RFC 9438. Window W in packets, time t in seconds since congestion avoidance began, K in seconds:
//!
//! * W_cubic(t) = C·(t − K)³ + W_max, K = ∛((W_max − W_epoch)/C) (Eq. 1, 2); C in packets/s³
//! * target = W_cubic(t + srtt), held between W and 1.5·W (§4.2)
//! * W_est ← W_est + α·acked/W with α = 3(1−β)/(1+β), and α = 1 once W_est ≥ the window before the loss (§4.3, Eq. 4)
//! * per ACK: where W_cubic(t) < W_est, W ← W_est; else W ← W + acked·(target − W)/W (§4.3–4.5)
//! * on loss: W_max ← W, or W·(1+β)/2 if W < W_max (fast convergence, §4.7); ssthresh ← max(β·flight, 2), W ← ssthresh
//!   (§4.6)
//! * on timeout: the same ssthresh, W ← 1, and the next epoch has K = 0, W_max = W_epoch (§4.8)
//! * a spurious event takes everything back (§4.9)
//! * slow start as RFC 5681 with byte counting (RFC 3465, without its limit L), or HyStart++ (RFC 9406)
//!
//! Fluid (Vardoyan, Hollot and Towsley, "Towards stability analysis of data transport mechanisms", INFOCOM 2018): with λ
//! losses per second, dW_max/dt = −(W_max − W)·λ and ds/dt = 1 − s·λ for the age s since the last loss,
//! W = C·(s − K)³ + W_max, K = ∛(W_max·(1−β)/C); here λ = p·W/rtt. It rests at s = K = 1/λ:
//! W = (C/(1−β))^¼ · (rtt/p)^¾, which it approaches as 1/√t, because the curve is flat there. The price is p;
//! U(x) = −3·(C/((1−β)·rtt))^⅓ · x^(−⅓).
//!
//! [`Version`] chooses between this and two Linux kernels, whose forms ([`linux`]) the papers' packet runs used.
//!
//! **Where we differ**
//! * Where W_est lies below W, the Reno-friendly region leaves W alone; RFC 9438 would lower it.
//! * HyStart++ is off unless asked for: RFC 9438 §4.10 recommends it, the papers' simulators have none.
//! * The fluid form is that of the cubic region; it has no slow start and no Reno-friendly region. For a kernel it has that
//!   kernel's C and β.

mod fluid;
mod hystart;
mod linux;
mod linux_hystart;
mod rfc9438;

use crate::shared::{Refusal, STEP, between};
use crate::{Ack, Congestion, Law};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::{Packets, Time};

/// Whose CUBIC runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Version {
    /// RFC 9438.
    #[default]
    #[serde(rename = "rfc9438")]
    Rfc9438,
    /// CUBIC 2.1 of Linux 2.6.22, which ns-2.35 runs.
    #[serde(rename = "linux-2.6.22")]
    Linux2622,
    /// CUBIC 2.3 of Linux 2.6.31.
    #[serde(rename = "linux-2.6.31")]
    Linux2631,
}

/// Parameters of [`Cubic`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Whose CUBIC: "rfc9438", "linux-2.6.22" (v2.1, as in ns-2.35) or "linux-2.6.31" (v2.3). Default "rfc9438".
    pub version: Version,
    /// Steepness C in packets/s³ (RFC 9438 §5.1), 1e-6 to 1e6; the kernels have their own. Default 0.4.
    #[schemars(range(min = *STEP.start(), max = *STEP.end()))]
    pub c: f64,
    /// Share of the window that a loss leaves, β (RFC 9438 §4.6), 0.1 to 0.99; the kernels have their own. Default 0.7.
    #[schemars(range(min = 0.1, max = 0.99))]
    pub beta: f64,
    /// Give way to new flows after two losses at falling windows (RFC 9438 §4.7). Default on.
    pub fast_convergence: bool,
    /// Leave slow start before it loses: the first one, by HyStart++ (RFC 9406); in "linux-2.6.31" by HyStart, which that
    /// kernel has on. Default off.
    pub hystart: bool,
    /// "linux-2.6.22" only: packets carry timestamps, without which that kernel takes no round trips and has no limit S_max
    /// to its growth. Default on; ns-2's senders have none.
    pub timestamps: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { version: Version::Rfc9438, c: 0.4, beta: 0.7, fast_convergence: true, hystart: false, timestamps: true }
    }
}

impl Params {
    /// Refuses values outside their range, naming the field.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        between("c", self.c, STEP)?;
        between("beta", self.beta, 0.1..=0.99)?;
        let standard = Self::default();
        match self.version {
            Version::Rfc9438 => Ok(()),
            _ if self.c != standard.c => Err(("c", "the kernels have their own; it belongs to \"rfc9438\"".into())),
            _ if self.beta != standard.beta => {
                Err(("beta", "the kernels have their own; it belongs to \"rfc9438\"".into()))
            }
            Version::Linux2622 if self.hystart => Err(("hystart", "Linux has it since 2.6.29".into())),
            _ => Ok(()),
        }
    }

    /// C in packets/s³ and β.
    fn constants(&self) -> (f64, f64) {
        match self.version {
            Version::Rfc9438 => (self.c, self.beta),
            Version::Linux2622 => (410.0 / 1024.0, 819.0 / 1024.0),
            Version::Linux2631 => (410.0 / 1024.0, 717.0 / 1024.0),
        }
    }

    /// Time from a fall to `low` back to `w_max`, in seconds (RFC 9438, Eq. 2).
    fn k(&self, w_max: f64, low: f64) -> f64 {
        libm::cbrt((w_max - low) / self.constants().0)
    }
}

/// The law and its state.
#[derive(Clone, Debug)]
pub enum Cubic {
    /// RFC 9438.
    Standard(rfc9438::Sender),
    /// A Linux kernel's; behind a pointer, to leave the laws that most flows run small.
    Linux(Box<linux::Sender>),
}

impl Cubic {
    /// A sender whose window begins at `initial`.
    pub fn new(params: Params, initial: Packets) -> Self {
        match params.version {
            Version::Rfc9438 => Self::Standard(rfc9438::Sender::new(params, initial)),
            Version::Linux2622 | Version::Linux2631 => Self::Linux(Box::new(linux::Sender::new(params, initial))),
        }
    }
}

impl Law for Cubic {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        match self {
            Self::Standard(sender) => sender.on_ack(ack),
            Self::Linux(sender) => sender.on_ack(ack),
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        match self {
            Self::Standard(sender) => sender.on_congestion(event),
            Self::Linux(sender) => sender.on_congestion(event),
        }
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        match self {
            Self::Standard(sender) => sender.cwnd(),
            Self::Linux(sender) => sender.cwnd(),
        }
    }

    fn on_restart(&mut self, now: Time) {
        match self {
            Self::Standard(sender) => sender.on_restart(now),
            Self::Linux(sender) => sender.on_restart(now),
        }
    }

    fn on_undo(&mut self) {
        match self {
            Self::Standard(sender) => sender.on_undo(),
            Self::Linux(sender) => sender.on_undo(),
        }
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        match self {
            Self::Standard(sender) => sender.observe(sink),
            Self::Linux(sender) => sender.observe(sink),
        }
    }
}

/// Whom to cite.
pub const BIBTEX: &str = "@techreport{rfc9438,
  author = {Lisong Xu and Sangtae Ha and Injong Rhee and Vidhi Goel and Lars Eggert},
  title = {{CUBIC} for Fast and Long-Distance Networks},
  type = {RFC}, number = {9438}, institution = {IETF}, year = {2023},
  doi = {10.17487/RFC9438}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::near;
    use crate::{FluidLaw, FluidPath};
    use windward_units::Duration;

    #[test]
    fn the_kernels_have_constants_of_their_own() {
        let refused = |params: Params| params.check().map_err(|(field, _)| field);
        assert_eq!(refused(Params { version: Version::Linux2622, beta: 0.8, ..Params::default() }), Err("beta"));
        assert_eq!(refused(Params { version: Version::Linux2631, c: 1.0, ..Params::default() }), Err("c"));
        assert_eq!(refused(Params { version: Version::Linux2622, hystart: true, ..Params::default() }), Err("hystart"));
        assert_eq!(refused(Params { version: Version::Linux2631, hystart: true, ..Params::default() }), Ok(()));
        // (0.400 39/0.200 20)^¼ = 1.189 21; (0.1/0.001)^¾ = 31.6228.
        let path = FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss: 0.001 };
        let rest =
            Params { version: Version::Linux2622, ..Params::default() }.equilibrium(&path).expect("there is loss");
        near(rest.count(), 37.606, 1e-2);
    }
}
