//! Parameters of CAKE.

use windward_units::{BitRate, Bytes, Duration};

/// Parameters of CAKE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CakeConfig {
    /// Rate of the shaper; `None`: no shaper.
    pub bandwidth: Option<BitRate>,
    /// Units among which the bandwidth is shared equally.
    pub isolation: Isolation,
    /// Priority tins, to which packets are assigned by their code points.
    pub tins: Tins,
    /// Bytes that a packet occupies on the line.
    pub framing: Framing,
    /// Acceptable standing delay.
    pub target: Duration,
    /// Time for which the delay must be above `target` before packets are dropped or marked: a round trip.
    pub interval: Duration,
    /// Limit on the memory of queued packets; `None`: four bandwidth-delay products of the interval, at least 4 MiB.
    pub memory: Option<Bytes>,
    /// True if ECN-capable packets are marked instead of dropped.
    pub marks: bool,
    /// True if dropped packets are charged to the shaper, as behind a bottleneck (`ingress`).
    pub is_ingress: bool,
}

impl Default for CakeConfig {
    /// Linux's defaults (`cake_init`).
    fn default() -> Self {
        Self {
            bandwidth: None,
            isolation: Isolation::Triple,
            tins: Tins::Three,
            framing: Framing::default(),
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            memory: None,
            marks: true,
            is_ingress: false,
        }
    }
}

impl CakeConfig {
    /// Rate of the shaper for packets of `bytes`, in their bits a second; `None` without a shaper.
    pub fn rate_for(&self, bytes: u64) -> Option<f64> {
        let on_line = f64::from(self.framing.line_bytes(bytes as u32)).max(1.0);
        self.bandwidth.map(|rate| rate.as_bits_per_sec() as f64 * bytes as f64 / on_line)
    }
}

/// Units among which CAKE shares the bandwidth equally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// One queue (`flowblind`).
    None,
    /// Sending hosts.
    Sources,
    /// Receiving hosts.
    Sinks,
    /// Pairs of hosts.
    Hosts,
    /// Flows.
    Flows,
    /// Sending hosts, then the flows of each (`dual-srchost`).
    DualSources,
    /// Receiving hosts, then the flows of each (`dual-dsthost`).
    DualSinks,
    /// Both sending and receiving hosts, then flows (`triple-isolate`).
    Triple,
}

impl Isolation {
    /// True if each flow has its own queue.
    pub(super) const fn has_flows(self) -> bool {
        matches!(self, Self::Flows | Self::DualSources | Self::DualSinks | Self::Triple)
    }

    /// True if a flow's quantum is divided by the number of flows of its sender.
    pub(super) const fn by_source(self) -> bool {
        matches!(self, Self::DualSources | Self::Triple)
    }

    /// True if a flow's quantum is divided by the number of flows of its receiver.
    pub(super) const fn by_sink(self) -> bool {
        matches!(self, Self::DualSinks | Self::Triple)
    }
}

/// Priority tins of CAKE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tins {
    /// One tin.
    One,
    /// Best effort, bulk and voice (`diffserv3`).
    Three,
    /// Best effort, bulk, video and voice (`diffserv4`).
    Four,
}

impl Tins {
    /// Weight of each tin and the binary logarithm of its divisor of the bandwidth (`cake_config_diffserv3`, `…4`).
    pub(super) const fn shares(self) -> &'static [(i64, u32)] {
        match self {
            Self::One => &[(65535, 0)],
            Self::Three => &[(1024, 0), (64, 4), (256, 2)],
            Self::Four => &[(1024, 0), (64, 4), (512, 1), (256, 2)],
        }
    }

    /// Tin of a code point.
    pub(super) const fn of(self, dscp: u8) -> usize {
        match (self, dscp) {
            (Self::One, _) => 0,
            // LE and CS1.
            (_, 1 | 8) => 1,
            // TOS4, VOICE-ADMIT, EF, CS6 and CS7.
            (Self::Three, 4 | 44 | 46 | 48 | 56) => 2,
            // TOS4, CS2, AF2x, CS3, AF3x and AF4x.
            (Self::Four, 4 | 16 | 18 | 20 | 22 | 24 | 26 | 28 | 30 | 34 | 36 | 38) => 2,
            // CS4, CS5, VOICE-ADMIT, EF, CS6 and CS7.
            (Self::Four, 32 | 40 | 44 | 46 | 48 | 56) => 3,
            _ => 0,
        }
    }
}

/// Bytes of packets on the line (`cake_calc_overhead`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// Bytes that the line adds to each packet; may be negative.
    pub overhead: i32,
    /// Least size of a packet with its overhead.
    pub least: u32,
    /// Cells into which packets are divided.
    pub cells: Cells,
}

/// Cells of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cells {
    /// None.
    #[default]
    None,
    /// ATM: 48 bytes in each cell of 53 bytes, the last one padded.
    Atm,
    /// PTM: one more byte for every 64 bytes or part of them.
    Ptm,
}

impl Framing {
    /// Bytes of a packet of `size` bytes on the line.
    #[inline]
    pub fn line_bytes(self, size: u32) -> u32 {
        let bytes = (i64::from(size) + i64::from(self.overhead)).max(i64::from(self.least)).max(0) as u32;
        match self.cells {
            Cells::None => bytes,
            Cells::Atm => bytes.div_ceil(48) * 53,
            Cells::Ptm => bytes + bytes.div_ceil(64),
        }
    }
}
