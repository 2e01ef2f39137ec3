//! Shared media: cells, 802.11, ideal CSMA and slotted networks, one folder each.
//!
//! A medium accepts packets from its members, decides when each is sent, and reports its fate. Like a link it takes the
//! time as an argument and schedules nothing itself: it requests wake-ups from its [`Out`].

#![forbid(unsafe_code)]

pub mod air;
pub mod cell;
mod choose;
pub mod csma;
mod forward;
mod hooks;
mod interface;
pub mod ran;
pub mod slotted;
pub mod wifi;
#[cfg(test)]
mod world;

pub use hooks::{Hooks, MakeRule, MakeScheduler};
pub use interface::{Medium, Out};
use windward_elements::backpressure::Queues;
use windward_elements::packet::{NodeId, Packet};
use windward_elements::queue::{Buffer, QueueConfig};
use windward_elements::status::{Counts, Sight};
use windward_tables::{Frames, Histogram, Row, Table};
use windward_units::{Duration, Time};

/// Generates the enums of all media, which dispatch statically.
macro_rules! media {
    ($($(#[$doc:meta])* $name:ident($medium:ty, $config:ty, [$($row:ty),*]),)*) => {
        /// Tables of all media.
        pub const TABLES: &[&Table] = &[$($(<$row as Row>::TABLE),*),*];

        /// Configuration of any medium.
        #[derive(Clone, Debug)]
        pub enum MediumConfig {
            $($(#[$doc])* $name($config),)*
        }

        impl MediumConfig {
            /// Nodes of the stations that have a table.
            pub fn observed_nodes(&self) -> Vec<NodeId> {
                match self { $(Self::$name(config) => config.observed_nodes(),)* }
            }
            /// Number of members.
            pub fn members(&self) -> usize {
                match self { $(Self::$name(config) => config.members(),)* }
            }
            /// Mean rate of a member without competition, in bits a second.
            pub fn mean_rate(&self, local: u32) -> f64 {
                match self { $(Self::$name(config) => config.mean_rate(local),)* }
            }
            /// Nominal rate of a member, in whole bits a second.
            pub fn nominal_rate(&self, local: u32) -> u64 {
                match self { $(Self::$name(config) => config.nominal_rate(local),)* }
            }
            /// Delay from the end of a packet's transmission to its arrival.
            pub fn delay(&self, local: u32) -> Duration {
                match self { $(Self::$name(config) => config.delay(local),)* }
            }
            /// Buffer of a member.
            pub fn buffer(&self, local: u32) -> Buffer {
                match self { $(Self::$name(config) => config.buffer(local),)* }
            }
            /// True if the medium draws from the seed.
            pub fn is_random(&self) -> bool {
                match self { $(Self::$name(config) => config.is_random(),)* }
            }
            /// Queue discipline of a member.
            pub fn discipline(&self, local: u32) -> QueueConfig {
                match self { $(Self::$name(config) => config.discipline(local),)* }
            }
            /// Share of a member's packets that are lost despite all retransmissions, as far as it is known beforehand.
            pub fn mean_loss(&self, local: u32) -> f64 {
                match self { $(Self::$name(config) => config.mean_loss(local),)* }
            }
        }

        /// Any medium at run time.
        #[derive(Debug)]
        pub enum AnyMedium {
            $($(#[$doc])* $name(Box<$medium>),)*
        }

        impl AnyMedium {
            /// Creates the medium of `config` in the run of `seed`.
            pub fn new(config: &MediumConfig, hooks: &Hooks, seed: u64) -> Self {
                match config { $(MediumConfig::$name(config) => Self::$name(Box::new(<$medium>::new(config, hooks, seed))),)* }
            }
        }

        impl Medium for AnyMedium {
            fn begin(&mut self, out: &mut impl Out) {
                match self { $(Self::$name(medium) => medium.begin(out),)* }
            }
            #[inline]
            fn offer(&mut self, now: Time, local: u32, packet: Packet, out: &mut impl Out) {
                match self { $(Self::$name(medium) => medium.offer(now, local, packet, out),)* }
            }
            fn carry(&mut self, now: Time, station: u32, packet: Packet, out: &mut impl Out) {
                match self { $(Self::$name(medium) => medium.carry(now, station, packet, out),)* }
            }
            fn held(&self) -> u64 {
                match self { $(Self::$name(medium) => medium.held(),)* }
            }
            #[inline]
            fn wake(&mut self, now: Time, timer: u32, out: &mut impl Out) {
                match self { $(Self::$name(medium) => medium.wake(now, timer, out),)* }
            }
            fn see(&mut self, now: Time, local: u32) -> Sight {
                match self { $(Self::$name(medium) => medium.see(now, local),)* }
            }
            fn counts(&self, now: Time, local: u32) -> Counts {
                match self { $(Self::$name(medium) => medium.counts(now, local),)* }
            }
            fn queues(&self) -> Option<(&Queues, Time)> {
                match self { $(Self::$name(medium) => medium.queues(),)* }
            }
            fn reset_counts(&mut self, now: Time) {
                match self { $(Self::$name(medium) => medium.reset_counts(now),)* }
            }
            fn all_waits(&mut self, now: Time, local: u32) -> Option<Histogram> {
                match self { $(Self::$name(medium) => medium.all_waits(now, local),)* }
            }
            fn report(&self, now: Time, members: &[u32], stations: &[NodeId], tables: &mut Frames) {
                match self { $(Self::$name(medium) => medium.report(now, members, stations, tables),)* }
            }
        }
    };
}

impl MediumConfig {
    /// True if its stations forward by backpressure.
    pub fn uses_backpressure(&self) -> bool {
        match self {
            Self::Wifi(network) => network.uses_backpressure(),
            Self::Csma(config) => config.weight.is_some(),
            Self::Slotted(_) => true,
            Self::Cell(_) | Self::Ran(_) | Self::Edca(_) => false,
        }
    }

    /// Mobility of its stations, if they move.
    pub fn motion(&self) -> Option<&wifi::Motion> {
        match self {
            Self::Wifi(network) => network.motion.as_ref(),
            Self::Edca(network) => network.motion.as_ref(),
            Self::Cell(_) | Self::Ran(_) | Self::Csma(_) | Self::Slotted(_) => None,
        }
    }

    /// Nodes of its stations that may forward by backpressure.
    pub fn forwarding_nodes(&self) -> Vec<NodeId> {
        let network = match self {
            Self::Wifi(network) => network,
            Self::Slotted(config) => &config.network,
            Self::Csma(config) if config.weight.is_some() => &config.network,
            Self::Cell(_) | Self::Ran(_) | Self::Edca(_) | Self::Csma(_) => return Vec::new(),
        };
        network.stations.iter().map(|station| station.node).collect()
    }

    /// True if a scheduler or a forwarding rule is user-defined.
    pub fn has_own_rule(&self) -> bool {
        match self {
            Self::Cell(cell) => matches!(cell.scheduler, cell::SchedulerConfig::Own(_)),
            Self::Ran(cell) => matches!(cell.scheduler, cell::SchedulerConfig::Own(_)),
            Self::Wifi(network) => network.has_own_rule(),
            Self::Edca(_) | Self::Csma(_) | Self::Slotted(_) => false,
        }
    }

    /// True if it reports the completion of packets.
    pub fn completes(&self) -> bool {
        match self {
            Self::Edca(_) | Self::Cell(_) => true,
            Self::Wifi(network) => network.routing.is_none(),
            Self::Csma(config) => config.weight.is_none(),
            Self::Ran(_) | Self::Slotted(_) => false,
        }
    }

    /// True if it delivers several packets at the same time: those of an A-MPDU, of a transport block or of a slot.
    pub const fn delivers_together(&self) -> bool {
        matches!(self, Self::Edca(_) | Self::Ran(_) | Self::Cell(_))
    }

    /// True if its stations' senders have TCP small queues.
    pub const fn has_small_queues(&self) -> bool {
        matches!(self, Self::Edca(_))
    }

    /// True if tables show the nominal rate of its members, that of data frames, and not the mean rate.
    pub fn shows_nominal_rate(&self) -> bool {
        match self {
            Self::Wifi(_) | Self::Edca(_) | Self::Csma(_) => true,
            Self::Cell(_) | Self::Ran(_) | Self::Slotted(_) => false,
        }
    }

    /// Times of its changes, in order.
    pub fn changes(&self) -> impl Iterator<Item = Time> {
        let changes = match self {
            Self::Cell(cell) => &cell.changes[..],
            Self::Ran(cell) => &cell.changes[..],
            Self::Wifi(_) | Self::Edca(_) | Self::Csma(_) | Self::Slotted(_) => &[],
        };
        changes.iter().map(|change| change.at)
    }

    /// Applies the changes until `now`, and drops the others.
    pub fn advance(&mut self, now: Time) {
        match self {
            Self::Cell(cell) => {
                for change in std::mem::take(&mut cell.changes).iter().take_while(|change| change.at <= now) {
                    cell.stations[change.station as usize].mean_snr = change.mean_snr;
                }
            }
            Self::Ran(cell) => {
                for change in std::mem::take(&mut cell.changes).iter().take_while(|change| change.at <= now) {
                    cell.stations[change.station as usize].move_to(change.mean_snr);
                }
            }
            Self::Wifi(_) | Self::Edca(_) | Self::Csma(_) | Self::Slotted(_) => {}
        }
    }
}

/// All media, by their modules.
pub mod all {
    pub use crate::{cell, csma, ran, slotted, wifi};
}

media! {
    /// Slotted cell with fading channels.
    Cell(cell::Cell, cell::CellConfig, [cell::CellStationStats]),
    /// LTE or NR cell.
    Ran(ran::Ran, ran::RanConfig, [
        ran::RanLinkStats,
        ran::RanMcsStats,
        ran::RanDelayStats,
        ran::RanBearerStats,
        ran::RanMobilityStats,
        ran::RanHandover
    ]),
    /// Wireless network of 802.11.
    Wifi(wifi::Wifi, wifi::WifiConfig, [wifi::WifiStationStats, wifi::WifiLinkStats]),
    /// Network of 802.11n, ac or ax.
    Edca(wifi::edca::Edca, wifi::edca::EdcaConfig, [
        wifi::edca::EdcaStationStats,
        wifi::edca::EdcaLinkStats,
        wifi::edca::WifiQueueStats,
        wifi::edca::WifiRateStats,
        wifi::edca::AmpduSizeStats
    ]),
    /// Links under ideal CSMA.
    Csma(csma::Csma, csma::CsmaConfig, [csma::CsmaLinkStats]),
    /// Slotted links under centralised MaxWeight.
    Slotted(slotted::Slotted, slotted::SlottedConfig, [slotted::SlottedLinkStats]),
}
