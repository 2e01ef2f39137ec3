//! Carriers: duplex mode, slots, resource blocks, and the presets.

use super::mcs::Technology;
use std::fmt;
use windward_units::Duration;

/// Longest pattern of slots.
pub const LONGEST_PATTERN: usize = 40;
/// Symbols of a slot with normal cyclic prefix.
const SYMBOLS: u32 = 14;

/// Use of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// Downlink.
    Downlink,
    /// Downlink, a gap, and control of the uplink.
    Special,
    /// Uplink.
    Uplink,
    /// Both, on carriers of their own: FDD.
    Both,
}

impl SlotKind {
    /// True if the slot carries data of the downlink.
    pub const fn has_downlink(self) -> bool {
        !matches!(self, Self::Uplink)
    }

    /// True if the slot carries data of the uplink.
    pub const fn has_uplink(self) -> bool {
        matches!(self, Self::Uplink | Self::Both)
    }
}

/// Symbols of a special slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Special {
    /// Symbols of the downlink.
    pub downlink: u32,
    /// Symbols of the gap.
    pub gap: u32,
    /// Symbols of the uplink: control only.
    pub uplink: u32,
}

/// Invalid pattern of slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// A letter other than D, S and U.
    Letter(char),
    /// Number of slots.
    Length(usize),
    /// No slot of the downlink, or none of the uplink.
    OneWay,
    /// A special slot that does not come between downlink and uplink.
    Place,
    /// Symbols of the special slot that are not 14 in total, or fewer than 4 of the downlink.
    Special(String),
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Letter(letter) => write!(f, "`{letter}` is not a kind of slot; allowed: D, S and U"),
            Self::Length(slots) => write!(f, "a pattern of {slots} slots; allowed: 2 to {LONGEST_PATTERN}"),
            Self::OneWay => f.write_str("a pattern needs a slot D and a slot U"),
            Self::Place => f.write_str("S belongs between D and U"),
            Self::Special(given) => write!(
                f,
                "`{given}` is not a special slot: DOWNLINK:GAP:UPLINK symbols, 14 in total, at least 4 of the downlink \
                 and 1 of the gap; example: \"10:2:2\""
            ),
        }
    }
}

impl std::error::Error for PatternError {}

impl Special {
    /// Reads `DOWNLINK:GAP:UPLINK`.
    ///
    /// # Errors
    /// See [`PatternError::Special`].
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let parts: Vec<u32> = text.split(':').filter_map(|part| part.trim().parse().ok()).collect();
        match parts[..] {
            [downlink, gap, uplink]
                if downlink >= 4
                    && gap >= 1
                    && text.split(':').count() == 3
                    && downlink.checked_add(gap).and_then(|sum| sum.checked_add(uplink)) == Some(SYMBOLS) =>
            {
                Ok(Self { downlink, gap, uplink })
            }
            _ => Err(PatternError::Special(text.to_owned())),
        }
    }
}

/// Slots that repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<SlotKind>);

impl Pattern {
    /// Every slot carries both directions.
    pub fn fdd() -> Self {
        Self(vec![SlotKind::Both])
    }

    /// Reads letters D, S and U, one a slot.
    ///
    /// # Errors
    /// See [`PatternError`].
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let kind = |letter| match letter {
            'D' => Ok(SlotKind::Downlink),
            'S' => Ok(SlotKind::Special),
            'U' => Ok(SlotKind::Uplink),
            other => Err(PatternError::Letter(other)),
        };
        let slots = text.chars().map(kind).collect::<Result<Vec<_>, _>>()?;
        if !(2..=LONGEST_PATTERN).contains(&slots.len()) {
            return Err(PatternError::Length(slots.len()));
        }
        if !slots.contains(&SlotKind::Uplink) || !slots.contains(&SlotKind::Downlink) {
            return Err(PatternError::OneWay);
        }
        let at = |place: usize| slots[place % slots.len()];
        let is_misplaced = |place: usize| {
            at(place) == SlotKind::Special
                && (at(place + slots.len() - 1) != SlotKind::Downlink || at(place + 1) != SlotKind::Uplink)
        };
        if (0..slots.len()).any(is_misplaced) {
            return Err(PatternError::Place);
        }
        Ok(Self(slots))
    }

    /// Kind of slot `number`.
    #[inline]
    pub fn kind(&self, number: u64) -> SlotKind {
        match self.0[..] {
            [only] => only,
            _ => self.0[(number % self.0.len() as u64) as usize],
        }
    }

    /// Number of slots of a period.
    pub fn period(&self) -> u64 {
        self.0.len() as u64
    }

    /// Slots of a period.
    pub fn slots(&self) -> &[SlotKind] {
        &self.0
    }

    /// True if both directions have a carrier of their own.
    pub fn is_fdd(&self) -> bool {
        self.0 == [SlotKind::Both]
    }

    /// First slot at or after `from` that carries data of the downlink.
    #[inline]
    pub fn next_downlink(&self, from: u64) -> u64 {
        (from..).find(|&slot| self.kind(slot).has_downlink()).unwrap_or(from)
    }

    /// First slot at or after `from` that carries data of the uplink.
    #[inline]
    pub fn next_uplink(&self, from: u64) -> u64 {
        (from..).find(|&slot| self.kind(slot).has_uplink()).unwrap_or(from)
    }
}

/// Resource elements of a resource block that carry data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements {
    /// In a slot of the downlink.
    pub downlink: u32,
    /// In a special slot.
    pub special: u32,
    /// In a slot of the uplink.
    pub uplink: u32,
}

/// A carrier, or the two of FDD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Technology.
    pub technology: Technology,
    /// Resource blocks.
    pub prbs: u32,
    /// Resource blocks of a group; the last group may have fewer.
    pub group: u32,
    /// Length of a slot.
    pub slot: Duration,
    /// Use of the slots.
    pub pattern: Pattern,
    /// Resource elements for data.
    pub elements: Elements,
    /// HARQ processes of a station and direction.
    pub processes: u32,
}

/// Names of the presets, in the order of the reference.
pub const PRESETS: [&str; 7] =
    ["lte-10mhz", "lte-20mhz", "n78-20mhz", "n78-40mhz", "n78-100mhz", "nr-fdd-10mhz", "nr-fdd-20mhz"];

/// Pattern of the TDD presets.
pub const PATTERN: &str = "DDDSU";
/// Special slot of the TDD presets.
pub const SPECIAL: Special = Special { downlink: 10, gap: 2, uplink: 2 };

impl Carrier {
    /// Carrier of a preset; `None` if there is none of this name.
    pub fn preset(name: &str) -> Option<Self> {
        let (technology, prbs, is_tdd) = match name {
            "lte-10mhz" => (Technology::Lte, 50, false),
            "lte-20mhz" => (Technology::Lte, 100, false),
            "n78-20mhz" => (Technology::Nr, 51, true),
            "n78-40mhz" => (Technology::Nr, 106, true),
            "n78-100mhz" => (Technology::Nr, 273, true),
            "nr-fdd-10mhz" => (Technology::Nr, 52, false),
            "nr-fdd-20mhz" => (Technology::Nr, 106, false),
            _ => return None,
        };
        let elements = match technology {
            // 168 without the reference signals of two ports and one symbol of control; 168 less two of DMRS.
            Technology::Lte => Elements { downlink: 144, special: 0, uplink: 144 },
            // Two symbols of control and two of DMRS; one of DMRS in the uplink.
            Technology::Nr => Elements { downlink: 120, special: special_elements(SPECIAL), uplink: 156 },
        };
        let pattern = match is_tdd {
            true => Pattern::parse(PATTERN).unwrap_or_else(|_| Pattern::fdd()),
            false => Pattern::fdd(),
        };
        Some(Self {
            technology,
            prbs,
            group: group_size(technology, prbs),
            slot: if is_tdd { Duration::from_micros(500) } else { Duration::from_millis(1) },
            pattern,
            elements,
            processes: if technology == Technology::Lte { 8 } else { 16 },
        })
    }

    /// Most resource blocks of an uplink grant of at most `prbs`, at least one. The transform precoding of LTE takes
    /// 2^a·3^b·5^c of them: 36.211 §5.3.3.
    #[inline]
    pub fn granted(&self, prbs: u32) -> u32 {
        match self.technology {
            Technology::Nr => prbs,
            Technology::Lte => (1..=prbs).rev().find(|&count| is_smooth(count)).unwrap_or(1),
        }
    }

    /// Changes the pattern of a TDD carrier.
    pub fn repeat(&mut self, pattern: Pattern, special: Special) {
        self.pattern = pattern;
        self.elements.special = special_elements(special);
    }

    /// Resource blocks of each group.
    pub fn groups(&self) -> impl Iterator<Item = u32> {
        let (prbs, group) = (self.prbs, self.group);
        (0..prbs.div_ceil(group)).map(move |at| group.min(prbs - at * group))
    }

    /// Shares of the time in which data of the downlink and the uplink is sent: the mean resource elements of a block
    /// and slot.
    pub fn mean_elements(&self) -> (f64, f64) {
        let sum = |of: fn(SlotKind) -> bool, elements: &dyn Fn(SlotKind) -> u32| -> f64 {
            let used = self.pattern.slots().iter().filter(|&&kind| of(kind));
            used.map(|&kind| f64::from(elements(kind))).sum::<f64>() / self.pattern.period() as f64
        };
        let down = |kind| if kind == SlotKind::Special { self.elements.special } else { self.elements.downlink };
        (sum(SlotKind::has_downlink, &down), sum(SlotKind::has_uplink, &|_| self.elements.uplink))
    }
}

/// True for 2^a·3^b·5^c.
fn is_smooth(mut count: u32) -> bool {
    for factor in [2, 3, 5] {
        while count.is_multiple_of(factor) {
            count /= factor;
        }
    }
    count == 1
}

/// Resource elements of a special slot: two symbols of control and one of DMRS.
const fn special_elements(special: Special) -> u32 {
    12 * (special.downlink - 3)
}

/// Resource blocks of a group: resource allocation type 0 of LTE, configuration 1 of NR.
const fn group_size(technology: Technology, prbs: u32) -> u32 {
    match technology {
        Technology::Lte => match prbs {
            ..=10 => 1,
            11..=26 => 2,
            27..=63 => 3,
            _ => 4,
        },
        Technology::Nr => match prbs {
            ..=36 => 2,
            37..=72 => 4,
            73..=144 => 8,
            _ => 16,
        },
    }
}
