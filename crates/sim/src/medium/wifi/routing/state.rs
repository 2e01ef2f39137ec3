//! Routing protocols at run time.

use super::aodv::AodvRouting;
use super::backpressure::Backpressure;
use super::dsdv::DsdvRouting;
use super::protocol::RoutingConfig;
use crate::backpressure::Queues;
use crate::medium::Hooks;
use crate::medium::wifi::config::WifiConfig;
use windward_units::Time;

/// Routing protocol of all stations at run time.
#[derive(Debug)]
pub(in crate::medium::wifi) enum Routing {
    Dsdv(Box<DsdvRouting>),
    Aodv(Box<AodvRouting>),
    Backpressure(Box<Backpressure>),
}

impl Routing {
    pub fn new(config: &WifiConfig, hooks: &Hooks, seed: u64) -> Option<Self> {
        Some(match config.routing.as_ref()? {
            RoutingConfig::Dsdv(protocol) => Self::Dsdv(Box::new(DsdvRouting::new(*protocol, config))),
            RoutingConfig::Aodv(protocol) => Self::Aodv(Box::new(AodvRouting::new(*protocol, config))),
            RoutingConfig::Backpressure(rule) => {
                Self::Backpressure(Box::new(Backpressure::new(*rule, config, hooks, seed)))
            }
        })
    }

    /// True if its stations overhear data frames for others.
    pub fn overhears(&self) -> bool {
        matches!(self, Self::Backpressure(_))
    }

    /// Queues of stations that forward by backpressure.
    pub fn queues(&self) -> Option<&Queues> {
        match self {
            Self::Dsdv(_) | Self::Aodv(_) => None,
            Self::Backpressure(rule) => Some(rule.queues()),
        }
    }

    /// Restarts the counters.
    pub fn reset_counts(&mut self, now: Time) {
        match self {
            Self::Dsdv(_) | Self::Aodv(_) => {}
            Self::Backpressure(rule) => rule.reset_counts(now),
        }
    }

    /// Packets in the protocol that no link counts in its backlog.
    pub fn held(&self) -> u64 {
        match self {
            Self::Dsdv(routing) => routing.held(),
            Self::Aodv(routing) => routing.held(),
            Self::Backpressure(rule) => rule.queues().waiting(),
        }
    }
}
