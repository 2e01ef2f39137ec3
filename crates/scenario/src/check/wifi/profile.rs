//! Defaults of a network of 802.11n, ac or ax by the implementation that it follows.

use super::check::Check;
use crate::format::wifi::{AfterLoss, Hardware, MinstrelHt, Profile, RateControl, TransmitQueue};
use windward_sim::wifi::edca::{BlockAckConfig, Contention};
use windward_sim::wifi::ppdu::{Format, Limits, Timing};
use windward_units::Duration;

/// Defaults where a file has no keys.
pub struct Defaults {
    pub ampdu: Limits,
    pub after_loss: AfterLoss,
    pub attempts: Option<u32>,
    pub queue: TransmitQueue,
    pub hardware: Hardware,
    /// False without airtime queue limits.
    pub aql: bool,
    pub rate_control: Option<RateControl>,
    pub timing: Timing,
    /// Contention parameters of stations and of the access point.
    pub contention: [[Contention; 4]; 2],
}

/// A-MPDUs of ath9k (Linux 6.18, `drivers/net/wireless/ath/ath9k/xmit.c`): half the window, 4096 µs.
const ATH9K: (u64, Duration) = (32, Duration::from_micros(4096));
/// Longest A-MPDU of ns-3 in best effort and video.
const NS3_BYTES: u64 = 65_535;
/// TXOP limits of video and voice in ns-3 (IEEE 802.11-2020, table 9-155).
const NS3_TXOPS: [Duration; 2] = [Duration::from_micros(4096), Duration::from_micros(2080)];

impl Defaults {
    /// Defaults of a profile.
    pub fn new(profile: Option<Profile>, format: Format) -> Self {
        let most = Limits::most(format);
        let linux = Self {
            ampdu: most,
            after_loss: AfterLoss::Data,
            attempts: BlockAckConfig::linux(1).attempts,
            queue: TransmitQueue::FqCodel,
            hardware: Hardware::Driver,
            aql: true,
            rate_control: None,
            timing: Timing::STANDARD,
            contention: [Contention::STATION, Contention::ACCESS_POINT],
        };
        match profile {
            None => linux,
            Some(Profile::LinuxAth9k) => Self {
                ampdu: Limits { frames: ATH9K.0, duration: ATH9K.1, ..most },
                hardware: Hardware::TwoAggregates,
                aql: false,
                rate_control: Some(RateControl::MinstrelHt(MinstrelHt {})),
                ..linux
            },
            Some(Profile::LinuxMt76) => Self { hardware: Hardware::Firmware, ..linux },
            Some(Profile::Ns3) => {
                let mut contention = Contention::STATION;
                contention.iter_mut().skip(2).zip(NS3_TXOPS).for_each(|(category, txop)| category.txop = txop);
                Self {
                    ampdu: Limits { bytes: most.bytes.min(NS3_BYTES), ..most },
                    after_loss: AfterLoss::Request,
                    attempts: None,
                    queue: TransmitQueue::Fifo,
                    timing: Timing::NS3,
                    contention: [contention; 2],
                    ..linux
                }
            }
        }
    }
}

impl Check<'_> {
    /// Defaults of the network.
    pub fn defaults(&mut self, format: Format) -> Defaults {
        let profile = self.wifi.profile;
        if profile == Some(Profile::LinuxAth9k) && format != Format::Ht {
            let hint = "standard = \"802.11n\", or profile = \"linux-mt76\"";
            self.refuse(["profile".into()], "ath9k is a driver of chips of 802.11n", Some(hint));
        }
        Defaults::new(profile, format)
    }
}
