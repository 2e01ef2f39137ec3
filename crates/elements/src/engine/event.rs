//! Events as integers: time, owner, and the owner's timer.

use windward_units::Time;

/// Owner of an event, and its timer that expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// A port of the network.
    Port(PortTimer),
    /// A medium that ports share; [`Event::timer`] identifies its timer.
    Medium,
    /// A TCP flow.
    Flow(FlowTimer),
    /// The next transmission of a background source.
    Source,
    /// The next decision of a transfer's controller.
    Transfer,
    /// The run as a whole.
    Run(RunTimer),
    /// An application over two-way connections; [`Event::timer`] is the user of an arrival.
    App(AppTimer),
    /// An RTP stream.
    Rtp(RtpTimer),
}

/// Event of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortTimer {
    /// The first packet in flight arrives at the far end.
    Arrive,
    /// The transmitter starts with the next packet of its queue; on a changing link it also ends the previous
    /// transmission.
    Transmit,
    /// The link changes its parameters.
    Change,
    /// The first of the packets that others overtake arrives at the far end.
    ArriveLate,
}

/// Event of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowTimer {
    /// A delayed ACK may be due.
    DelayedAck,
    /// The retransmission timer may have expired.
    Retransmit,
    /// The pacing gap may have passed.
    Pace,
    /// The sink of coded data may have to request missing combinations.
    Request,
    /// The first link has completed segments of a sender that waits for it.
    Complete,
    /// The connection opens.
    Open,
    /// Transmission of new data stops.
    Close,
    /// The application of an end reads again.
    Read,
    /// The application of a flow writes.
    Write,
}

/// Event of an application over two-way connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AppTimer {
    /// A request arrives. The index is that of the application.
    Arrival,
    /// The bytes for which an end of a connection waits have arrived, or its handshake is complete. The index is that
    /// of the end.
    Heard,
    /// The server has worked. The index is that of its end.
    Serve,
}

/// Event of an RTP stream. The index is that of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtpTimer {
    /// The next packet may leave.
    Send,
    /// The receiver reports.
    Report,
}

/// Event of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunTimer {
    /// The warm-up ends. Before all other events of its time: what is sent or ends at that time counts.
    Warm,
    /// The series are sampled.
    Sample,
    /// A window of time begins or ends, before all other events of its time. The index is twice that of the window,
    /// plus one at its end.
    Window,
    /// A window ends with the run, after all other events of that time, as the totals of the run do.
    LastWindow,
}

/// Order of simultaneous events: a bijection between ranks and wakes. A wake without a rank does not compile; a rank
/// without a wake is no event.
macro_rules! ranks {
    ($($rank:literal => $who:ident $(($timer:path))?,)*) => {
        impl Wake {
            #[inline]
            const fn rank(self) -> u8 {
                match self {
                    $(Self::$who $(($timer))? => $rank,)*
                }
            }

            #[inline]
            const fn of_rank(rank: u8) -> Self {
                match rank {
                    $($rank => Self::$who $(($timer))?,)*
                    _ => panic!("an event has a rank that nothing has"),
                }
            }
        }
    };
}

ranks! {
    0 => Run(RunTimer::Warm),
    1 => Run(RunTimer::Window),
    2 => Port(PortTimer::Arrive),
    3 => Medium,
    4 => Flow(FlowTimer::DelayedAck),
    5 => Flow(FlowTimer::Retransmit),
    6 => Flow(FlowTimer::Pace),
    7 => Source,
    8 => Flow(FlowTimer::Open),
    9 => Flow(FlowTimer::Close),
    10 => Run(RunTimer::Sample),
    11 => Transfer,
    12 => Port(PortTimer::Transmit),
    13 => Flow(FlowTimer::Request),
    14 => Port(PortTimer::Change),
    15 => Port(PortTimer::ArriveLate),
    16 => Flow(FlowTimer::Complete),
    17 => App(AppTimer::Heard),
    18 => App(AppTimer::Serve),
    19 => App(AppTimer::Arrival),
    20 => Flow(FlowTimer::Read),
    21 => Flow(FlowTimer::Write),
    22 => Rtp(RtpTimer::Send),
    23 => Rtp(RtpTimer::Report),
    24 => Run(RunTimer::LastWindow),
}

/// Bits of a medium's timer.
const TIMER_BITS: u32 = 24;

/// (time, rank, index, timer) in one integer that sorts like the tuple.
///
/// Two events that are equal in all four may be pending after a timer was moved back and forth. They are
/// interchangeable, and the second one has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event(u128);

impl Event {
    /// An event after all possible ones.
    pub const NEVER: Self = Self(u128::MAX);

    /// An event at `time` of the `index`th owner of the kind that `wake` names.
    #[inline]
    pub const fn new(time: Time, wake: Wake, index: u32) -> Self {
        Self::with_timer(time, wake, index, 0)
    }

    /// An event with a medium's own timer or an application's user, below 2^24.
    #[inline]
    pub const fn with_timer(time: Time, wake: Wake, index: u32, timer: u32) -> Self {
        debug_assert!(timer < 1 << TIMER_BITS, "a medium has at most 2^24 timers");
        let low = (wake.rank() as u64) << 56 | (index as u64) << TIMER_BITS | timer as u64;
        Self((time.as_nanos() as u128) << 64 | low as u128)
    }

    /// Time of the event.
    #[inline]
    pub const fn time(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    /// Kind of owner and timer.
    #[inline]
    pub const fn wake(self) -> Wake {
        Wake::of_rank((self.0 >> 56) as u8)
    }

    /// Index of the owner.
    #[inline]
    pub const fn index(self) -> u32 {
        (self.0 as u64 >> TIMER_BITS) as u32
    }

    /// Index of a medium's timer, or of the user of an application; 0 for all other owners.
    #[inline]
    pub const fn timer(self) -> u32 {
        self.0 as u32 & ((1 << TIMER_BITS) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: u8 = Wake::Run(RunTimer::LastWindow).rank();

    #[test]
    fn an_event_keeps_its_parts_and_sorts_by_time_rank_index_timer() {
        let at = |nanos, wake, index, timer| Event::with_timer(Time::from_nanos(nanos), wake, index, timer);
        let event = at(7, Wake::Medium, u32::MAX, (1 << TIMER_BITS) - 1);
        assert_eq!((event.time().as_nanos(), event.wake(), event.index()), (7, Wake::Medium, u32::MAX));
        assert_eq!(event.timer(), (1 << TIMER_BITS) - 1);
        let sorted = [
            at(7, Wake::Port(PortTimer::Arrive), u32::MAX, 0),
            at(7, Wake::Medium, 3, 9),
            at(7, Wake::Medium, 4, 1),
            at(7, Wake::Medium, 4, 2),
            event,
            at(7, Wake::Run(RunTimer::Sample), 0, 0),
            at(8, Wake::Port(PortTimer::Arrive), 0, 0),
        ];
        let mut events = sorted;
        events.reverse();
        events.sort();
        assert_eq!(events, sorted);
    }

    #[test]
    fn every_rank_is_one_wake_and_no_other() {
        for rank in 0..=LAST {
            assert_eq!(Wake::of_rank(rank).rank(), rank);
        }
        assert!(std::panic::catch_unwind(|| Wake::of_rank(LAST + 1)).is_err());
    }
}
