//! The network as seen by a medium.

use super::Tap;
use super::first_hop::{Backlogs, SmallQueues};
use super::losses::{Losses, count_loss};
use crate::output::Balance;
use crate::port::Port;
use std::ops::Range;
use windward_elements::engine::{Calendar, Event, FlowTimer, PortTimer, Wake};
use windward_elements::packet::{Kind, Packet};
use windward_elements::status::Cause;
use windward_radio::Out;
use windward_radio::air::{AirFrame, AirRecord, RanBlock};
use windward_units::Time;

/// The world around a medium.
pub(super) struct Surroundings<'a> {
    pub medium: u32,
    pub members: &'a [u32],
    pub ports: &'a mut [Port],
    pub calendar: &'a mut Calendar,
    pub hops: &'a mut u64,
    pub losses: &'a mut Losses,
    pub balance: &'a mut Balance,
    pub small_queues: &'a mut SmallQueues,
    pub backlogs: &'a mut Backlogs,
    pub tap: &'a mut Option<Box<dyn Tap + Send>>,
    pub air: &'a mut Option<(Range<Time>, AirRecord)>,
}

impl Out for Surroundings<'_> {
    #[inline]
    fn arrive_at(&mut self, time: Time, local: u32, packet: Packet) {
        *self.hops += 1;
        let port = self.members[local as usize];
        let Port::Shared(share) = &mut self.ports[port as usize] else {
            debug_assert!(false, "a medium's members are shares");
            return;
        };
        if share.flight.add(time, packet) {
            self.calendar.push(Event::new(time, Wake::Port(PortTimer::Arrive), port));
        }
    }

    #[inline]
    fn wake_at(&mut self, time: Time, timer: u32) {
        self.calendar.push(Event::with_timer(time, Wake::Medium, self.medium, timer));
    }

    #[inline]
    fn complete(&mut self, now: Time, packet: &Packet) {
        let wake = match packet.kind {
            Kind::Data if self.small_queues.complete(packet) => Wake::Flow(FlowTimer::Complete),
            Kind::Datagram if self.backlogs.complete(packet) => Wake::Source,
            _ => return,
        };
        self.calendar.push(Event::new(now, wake, packet.flow));
    }

    #[inline]
    fn records_frames(&self) -> bool {
        self.tap.is_some() || self.air.is_some()
    }

    #[inline]
    fn on_air(&mut self, frame: impl FnOnce() -> AirFrame) {
        if !self.records_frames() {
            return;
        }
        let frame = frame();
        if let Some(tap) = self.tap {
            tap.frame(&frame);
        }
        if let Some((span, record)) = self.air
            && span.contains(&frame.began)
        {
            record.push(&frame);
        }
    }

    #[inline]
    fn on_block(&mut self, block: impl FnOnce() -> RanBlock) {
        let Some((span, record)) = self.air else { return };
        let block = block();
        if span.contains(&block.began) {
            record.blocks.push(self.members[block.local as usize], &block);
        }
    }

    fn lose(&mut self, packet: Packet, cause: Cause) {
        *self.hops += u64::from(cause == Cause::Sent);
        count_loss(self.losses, self.balance, &packet, cause);
    }
}
