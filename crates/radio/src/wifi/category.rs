//! Access categories, their parameters, and the mapping from DSCPs.

use windward_units::Duration;

/// Access category, from the lowest priority to the highest (IEEE 802.11-2020, §10.2.3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Background, AC_BK.
    Background,
    /// Best effort, AC_BE.
    #[default]
    BestEffort,
    /// Video, AC_VI.
    Video,
    /// Voice, AC_VO.
    Voice,
}

/// Number of access categories.
pub const CATEGORIES: usize = 4;

/// Traffic identifiers of a station: the user priorities 0 to 7.
pub(super) const TIDS: usize = 8;

impl Category {
    /// All categories, from the lowest priority to the highest.
    pub const ALL: [Self; CATEGORIES] = [Self::Background, Self::BestEffort, Self::Video, Self::Voice];

    /// Name in tables and scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Background => "background",
            Self::BestEffort => "best-effort",
            Self::Video => "video",
            Self::Voice => "voice",
        }
    }

    /// The user priority of its packets: the lower one of its two, of best effort the default one.
    pub const fn priority(self) -> u8 {
        match self {
            Self::Background => 1,
            Self::BestEffort => 0,
            Self::Video => 4,
            Self::Voice => 6,
        }
    }

    /// Category of a traffic identifier or user priority, 0 to 7 (table 10-1).
    pub const fn of(tid: u8) -> Self {
        match tid {
            1 | 2 => Self::Background,
            4 | 5 => Self::Video,
            6 | 7 => Self::Voice,
            _ => Self::BestEffort,
        }
    }

    /// Category of a DSCP as Linux maps it (`cfg80211_classify8021d` of Linux 6.12, after RFC 8325).
    pub const fn of_dscp(dscp: u8) -> Self {
        let priority = match dscp {
            // AF11 to AF13 and CS2.
            10 | 12 | 14 | 16 => 0,
            // AF21 to AF23.
            18 | 20 | 22 => 3,
            // CS3, AF31 to AF33.
            24 | 26 | 28 | 30 => 4,
            // VOICE-ADMIT and EF.
            44 | 46 => 6,
            // CS6.
            48 => 7,
            other => other >> 3,
        };
        Self::of(priority)
    }
}

/// Parameters of an EDCA function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contention {
    /// AIFSN: slots of the interframe space after SIFS; positive.
    pub aifsn: u32,
    /// CWmin.
    pub cw_min: u32,
    /// CWmax.
    pub cw_max: u32,
    /// TXOP limit; zero: one PPDU.
    pub txop: Duration,
}

const fn contention(aifsn: u32, cw_min: u32, cw_max: u32, txop: u64) -> Contention {
    Contention { aifsn, cw_min, cw_max, txop: Duration::from_micros(txop) }
}

impl Contention {
    /// Parameters that Linux's stations assume with OFDM (`ieee80211_set_wmm_default` of Linux 6.12), by category.
    pub const STATION: [Self; CATEGORIES] =
        [contention(7, 15, 1023, 0), contention(3, 15, 1023, 0), contention(2, 7, 15, 3008), contention(2, 3, 7, 1504)];
    /// An access point's own, as access points are shipped (manual of Allied Telesis AT-WA7400), by category.
    pub const ACCESS_POINT: [Self; CATEGORIES] =
        [contention(7, 15, 1023, 0), contention(3, 15, 63, 0), contention(1, 7, 15, 3000), contention(1, 3, 7, 1500)];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linux_maps_code_points() {
        use Category::{Background, BestEffort, Video, Voice};
        let known = [
            (0, BestEffort),
            (1, BestEffort),
            (8, Background),
            (10, BestEffort),
            (16, BestEffort),
            (18, BestEffort),
            (24, Video),
            (26, Video),
            (32, Video),
            (34, Video),
            (40, Video),
            (44, Voice),
            (46, Voice),
            (48, Voice),
            (56, Voice),
        ];
        for (dscp, category) in known {
            assert_eq!(Category::of_dscp(dscp), category, "{dscp}");
        }
    }
}
