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
//! * a spurious event is undone completely (§4.9)
//! * slow start as RFC 5681 with byte counting (RFC 3465, without its limit L), or HyStart++ (RFC 9406)
//!
//! Fluid (Vardoyan, Hollot and Towsley, "Towards stability analysis of data transport mechanisms", INFOCOM 2018): with
//! λ losses per second, dW_max/dt = −(W_max − W)·λ and ds/dt = 1 − s·λ for the age s since the last loss, W_cubic =
//! C·(s − K)³ + W_max, K = ∛(W_max·(1−β)/C); here λ = p·W/rtt. The Reno-friendly region is ours: dn/dt = (1−p)/rtt −
//! n·λ for the round trips n since the last loss, W_est = β·W_max + α·n up to W_max and one more a round trip from
//! there, and W is the larger of W_cubic and W_est. It rests at W_max, at the larger of both responses:
//! * cubic, s = K = 1/λ: W = (C/(1−β))^¼ · (rtt/p)^¾, which it approaches as 1/√t, because the curve is flat there. The
//!   price is p; U(x) = −3·(C/((1−β)·rtt))^⅓ · x^(−⅓)
//! * Reno-friendly, n = (1−β)·W/α: W = √(k·(1−p)/p), k = α/(1−β) = 3/(1+β); U(x) = (√k/rtt)·arctan(x·rtt/√k)
//!
//! [`Version`] chooses between this, current Linux (`linux6`), and two old kernels (`linux`) of the papers' packet
//! runs.
//!
//! **Where we differ**
//! * Where W_est lies below W, the Reno-friendly region leaves W alone; RFC 9438 would lower it.
//! * HyStart++ is off by default: RFC 9438 §4.10 recommends it, the papers' simulators have none.
//! * The fluid form has no slow start and no fast convergence. For a kernel it has that kernel's C and β, and α beyond
//!   W_max too.

mod fluid;
mod hystart;
mod linux;
mod linux6;
mod linux6_hystart;
mod linux_hystart;
mod params;
mod rfc9438;

use crate::{Ack, Congestion, Law, Needs};
pub use params::{Params, Version};
use windward_units::{Packets, Time};

/// The law and its state.
#[derive(Clone, Debug)]
pub enum Cubic {
    /// RFC 9438.
    Standard(rfc9438::Sender),
    /// An old Linux kernel's; boxed, so that other laws stay small.
    OldLinux(Box<linux::Sender>),
    /// Current Linux's; boxed likewise.
    Linux(Box<linux6::Sender>),
}

impl Cubic {
    /// A sender whose window begins at `initial`.
    pub fn new(params: Params, initial: Packets) -> Self {
        match params.version {
            Version::Rfc9438 => Self::Standard(rfc9438::Sender::new(params, initial)),
            Version::Linux => Self::Linux(Box::new(linux6::Sender::new(params, initial))),
            Version::Linux2622 | Version::Linux2631 => Self::OldLinux(Box::new(linux::Sender::new(params, initial))),
        }
    }
}

impl Law for Cubic {
    const NEEDS: Needs = Needs { counts_acks: false, ..Needs::CLASSIC };

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        match self {
            Self::Standard(sender) => sender.on_ack(ack),
            Self::OldLinux(sender) => sender.on_ack(ack),
            Self::Linux(sender) => sender.on_ack(ack),
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        match self {
            Self::Standard(sender) => sender.on_congestion(event),
            Self::OldLinux(sender) => sender.on_congestion(event),
            Self::Linux(sender) => sender.on_congestion(event),
        }
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        match self {
            Self::Standard(sender) => sender.cwnd(),
            Self::OldLinux(sender) => sender.cwnd(),
            Self::Linux(sender) => sender.cwnd(),
        }
    }

    fn on_restart(&mut self, now: Time) {
        match self {
            Self::Standard(sender) => sender.on_restart(now),
            Self::OldLinux(sender) => sender.on_restart(now),
            Self::Linux(sender) => sender.on_restart(now),
        }
    }

    fn on_idle(&mut self, cwnd: Packets) {
        match self {
            Self::Standard(sender) => sender.on_idle(cwnd),
            Self::OldLinux(sender) => sender.on_idle(cwnd),
            Self::Linux(sender) => sender.on_idle(cwnd),
        }
    }

    fn remember(&mut self, ssthresh: Packets) -> bool {
        match self {
            Self::Standard(sender) => sender.remember(ssthresh),
            Self::OldLinux(sender) => sender.remember(ssthresh),
            Self::Linux(sender) => sender.remember(ssthresh),
        }
    }

    fn on_undo(&mut self, before: Packets) {
        match self {
            Self::Standard(sender) => sender.on_undo(before),
            Self::OldLinux(sender) => sender.on_undo(before),
            Self::Linux(sender) => sender.on_undo(before),
        }
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        match self {
            Self::Standard(sender) => sender.observe(sink),
            Self::OldLinux(sender) => sender.observe(sink),
            Self::Linux(sender) => sender.observe(sink),
        }
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@techreport{rfc9438,
  author = {Lisong Xu and Sangtae Ha and Injong Rhee and Vidhi Goel and Lars Eggert},
  title = {{CUBIC} for Fast and Long-Distance Networks},
  type = {RFC}, number = {9438}, institution = {IETF}, year = {2023},
  doi = {10.17487/RFC9438}
}";
