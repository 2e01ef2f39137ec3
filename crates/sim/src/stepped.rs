//! A run that its caller advances from one instant to the next.

use crate::makers::Makers;
use crate::network::Network;
use crate::output::Output;
use crate::world::World;
use windward_laws::Reins;
use windward_units::{Control, Duration, Time};

/// Events between two checks of the control.
const EVENTS_PER_LOOK: u64 = 16_384;

/// A run in progress. Advanced to its end in any number of steps, it has the output of [`run`](crate::run()).
pub struct Stepped {
    world: World,
    now: Time,
    end: Time,
}

/// Reason for which [`Stepped::advance`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// All events up to the time are handled.
    Due,
    /// The condition of the caller holds.
    Met,
    /// The number of events is reached, and some are left.
    Events,
    /// The control was cancelled.
    Cancelled,
}

/// State of a flow between two steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowState {
    /// Payload that has reached the receiver, in bytes; each segment counts once.
    pub arrived: u64,
    /// Payload of a full segment, in bytes.
    pub segment: u32,
    /// Segments sent, retransmissions included.
    pub sent: u64,
    /// Segments sent and not cumulatively acknowledged: at least those in flight.
    pub outstanding: u32,
    /// Packets in flight, as far as the sender knows.
    pub flight: u32,
    /// Congestion window in packets.
    pub cwnd: f64,
    /// Smoothed round-trip time; zero before the first sample.
    pub srtt: Duration,
    /// True if the handshake is complete and the flow is not done.
    pub is_open: bool,
    /// True if all data of a sized flow is acknowledged.
    pub is_complete: bool,
}

impl Stepped {
    /// A run of `network` with the random streams of `seed`, before its first event.
    pub fn new(network: &Network, makers: &Makers, seed: u64) -> Self {
        let world = World::new(network, makers, seed, None);
        Self { world, now: Time::ZERO, end: network.timing.duration }
    }

    /// Handles the events up to `until` or the end of the run, whichever is earlier, but at most `most`, and until
    /// `is_met` holds after one of them.
    pub fn advance(
        &mut self,
        until: Time,
        most: u64,
        control: &Control,
        mut is_met: impl FnMut(&mut Self) -> bool,
    ) -> Pause {
        let until = until.min(self.end);
        let last = self.world.events + most;
        let mut next_look = self.world.events + EVENTS_PER_LOOK;
        loop {
            if self.world.next_time().is_none_or(|time| time > until) {
                self.now = until.max(self.now);
                return Pause::Due;
            }
            if self.world.events >= last {
                return Pause::Events;
            }
            let Some(event) = self.world.next(until) else { return Pause::Due };
            self.now = event.time();
            self.world.handle(event);
            if is_met(self) {
                return Pause::Met;
            }
            if self.world.events >= next_look {
                next_look = self.world.events + EVENTS_PER_LOOK;
                control.set_simulated(self.now);
                if control.is_cancelled() {
                    return Pause::Cancelled;
                }
                self.world.tidy();
            }
        }
    }

    /// Simulated time reached.
    pub fn now(&self) -> Time {
        self.now
    }

    /// End of the run.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Number of events handled.
    pub fn events(&self) -> u64 {
        self.world.events
    }

    /// The law of flow `index` if it is set from outside.
    pub fn reins(&mut self, index: usize) -> Option<&mut Reins> {
        self.world.reins(index)
    }

    /// Lets flow `index` send what its law allows now.
    pub fn poke(&mut self, index: usize) {
        self.world.poke(index, self.now);
    }

    /// State of flow `index`.
    pub fn flow(&self, index: usize) -> FlowState {
        let flow = self.world.flow(index);
        FlowState {
            arrived: flow.payload_arrived(),
            segment: flow.segment(),
            sent: flow.counts().sent,
            outstanding: flow.tcp().map_or(flow.flight(), |tcp| tcp.sender.unacknowledged()),
            flight: flow.flight(),
            cwnd: flow.cwnd(),
            srtt: flow.rtts().0,
            is_open: flow.is_open(),
            is_complete: flow.completion().is_some(),
        }
    }

    /// Ends the run where it is, and returns its output.
    pub fn finish(self) -> Output {
        self.world.finish(self.now)
    }
}
