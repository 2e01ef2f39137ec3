//! An event is a number: its time, its class and the entity it concerns.

use windward_units::Time;

/// What happens. At one instant, lower classes go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// The first packet in flight on a link arrives at its far end; entity: link.
    Deliver = 0,
    /// A slot of a cell begins; entity: cell.
    Slot = 1,
    /// A delayed ACK is due; entity: flow.
    DelayedAck = 2,
    /// The retransmission timer may have expired; entity: flow.
    Retransmit = 3,
    /// The pacing gap has passed; entity: flow.
    Pace = 4,
    /// A source sends; entity: source.
    Source = 5,
    /// A flow opens; entity: flow.
    Start = 6,
    /// A flow sends no new data any more; entity: flow.
    Stop = 7,
    /// The warm-up ends; entity: 0.
    Warm = 8,
    /// The series are sampled; entity: 0.
    Sample = 9,
    /// The controller of a transfer looks and decides; entity: transfer.
    Control = 10,
}

/// A (time, class, entity) in one integer that sorts like the triple.
///
/// Each (class, entity) has at most one event pending, so that the order is total and no payload is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event(u128);

impl Event {
    /// The event of `class` for `entity` at `time`.
    #[inline]
    pub const fn new(time: Time, class: Class, entity: u32) -> Self {
        Self((time.as_nanos() as u128) << 64 | (class as u128) << 32 | entity as u128)
    }

    /// When.
    #[inline]
    pub const fn time(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    /// What.
    #[inline]
    pub const fn class(self) -> Class {
        match (self.0 >> 32) as u8 {
            0 => Class::Deliver,
            1 => Class::Slot,
            2 => Class::DelayedAck,
            3 => Class::Retransmit,
            4 => Class::Pace,
            5 => Class::Source,
            6 => Class::Start,
            7 => Class::Stop,
            8 => Class::Warm,
            9 => Class::Sample,
            _ => Class::Control,
        }
    }

    /// To whom.
    #[inline]
    pub const fn entity(self) -> u32 {
        self.0 as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_keeps_its_parts_and_sorts_by_time_class_entity() {
        let at = |nanos, class, entity| Event::new(Time::from_nanos(nanos), class, entity);
        let event = at(7, Class::Pace, 9);
        assert_eq!((event.time().as_nanos(), event.class(), event.entity()), (7, Class::Pace, 9));
        let mut events = [at(8, Class::Deliver, 0), at(7, Class::Sample, 0), at(7, Class::Deliver, u32::MAX), event];
        events.sort();
        assert_eq!(events, [at(7, Class::Deliver, u32::MAX), event, at(7, Class::Sample, 0), at(8, Class::Deliver, 0)]);
    }
}
