//! Events of a script, line by line.

/// A script.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Commands before the first event, a line each.
    pub setup: Vec<String>,
    /// Stamps count milliseconds; otherwise a stamp that is sent is a name for what is really sent.
    pub has_tick: bool,
    /// Tolerance of times in microseconds, if the script sets one.
    pub tolerance: Option<u64>,
    /// Events in order.
    pub events: Vec<Event>,
}

/// Something that happens.
#[derive(Clone, Debug)]
pub struct Event {
    /// The line it begins on, from 1.
    pub line: usize,
    /// Time.
    pub time: When,
    /// Action.
    pub action: Action,
}

/// Time of an event, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// This long after the beginning.
    At(u64),
    /// This long after what came before.
    After(u64),
    /// Between these two, after the beginning.
    AtBetween(u64, u64),
    /// Between these two, after what came before.
    AfterBetween(u64, u64),
    /// At any time.
    Any,
}

/// Action of an event.
#[derive(Clone, Debug)]
pub enum Action {
    /// A segment arrives.
    Inbound(Segment),
    /// A segment is sent.
    Outbound(Segment),
    /// The application calls the kernel.
    Call(Call),
    /// Assertions.
    Code(String),
    /// Commands, a line each.
    Commands(Vec<String>),
}

/// A segment of TCP.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segment {
    /// IP's codepoint, where the script says: `ect0`, `ect1`, `ce`, `noecn`.
    pub ip: Option<String>,
    /// The flags: letters of `SFRPEWA` and the dot, and accurate ECN's counter as a digit, which stands for `AWE`.
    pub flags: String,
    /// First byte.
    pub from: u32,
    /// One past the last.
    pub to: u32,
    /// Acknowledgement number.
    pub ack: Option<u32>,
    /// The window field, as it stands.
    pub window: Option<u32>,
    /// The options; `None`: any.
    pub options: Option<Vec<TcpOption>>,
}

impl Segment {
    /// One past the last number that it takes: FIN takes one.
    pub fn end(&self) -> u32 {
        self.to + u32::from(self.has('F'))
    }

    /// True if a flag is set.
    pub fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Accurate ECN's counter, in three bits (RFC 9768 §3.2.2).
    pub fn ace(&self) -> u32 {
        let letters = [('A', 4), ('W', 2), ('E', 1)].map(|(flag, value)| if self.has(flag) { value } else { 0 });
        self.flags.chars().find_map(|flag| flag.to_digit(8)).unwrap_or(letters.iter().sum())
    }

    /// The stamps of the timestamp option, its own and the echoed one.
    pub fn stamps(&self) -> Option<(u32, u32)> {
        self.find(|option| if let TcpOption::Stamps(own, echo) = option { Some((*own, *echo)) } else { None })
    }

    /// Its SACK blocks.
    pub fn sack(&self) -> Vec<(u32, u32)> {
        self.find(|option| if let TcpOption::Sack(blocks) = option { Some(blocks.clone()) } else { None })
            .unwrap_or_default()
    }

    /// Its first option of which `look` finds something.
    pub fn find<T>(&self, look: impl Fn(&TcpOption) -> Option<T>) -> Option<T> {
        self.options.iter().flatten().find_map(look)
    }
}

/// An option of TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TcpOption {
    /// Padding.
    Nop,
    /// Maximum segment size.
    Mss(u32),
    /// Window scale.
    Scale(u32),
    /// SACK permitted.
    SackOk,
    /// SACK blocks.
    Sack(Vec<(u32, u32)>),
    /// Timestamps.
    Stamps(u32, u32),
    /// Accurate ECN's counters of bytes (RFC 9768 §3.2.3), which the simulator does not have.
    Ecn,
}

/// A system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Its arguments, as they stand.
    pub arguments: Vec<String>,
    /// Return value.
    pub result: String,
}
