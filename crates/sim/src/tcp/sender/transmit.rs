//! Transmission: the next segment to send, and its time.

use super::phase::Phase;
use super::{Sender, Turn};
use windward_elements::ecn::Ecn;
use windward_units::Time;

impl Sender {
    /// Next action of the sender.
    #[inline]
    pub fn turn(&mut self, now: Time) -> Turn {
        let turn = self.choose(now);
        match turn {
            Turn::New(_) | Turn::Again(_) => {}
            Turn::Idle => self.tcb.pause(),
            Turn::Wait(_) => self.tcb.pause_delayed(),
        }
        turn
    }

    #[inline]
    fn choose(&mut self, now: Time) -> Turn {
        let Self { tcb, recovery } = self;
        if let Some(turn) = recovery.urgent_turn(tcb) {
            return turn;
        }
        let pipe = tcb.board.pipe();
        if tcb.is_full(pipe) {
            return Turn::Idle;
        }
        if tcb.is_pacing && !tcb.pacing.allows(now) {
            return Turn::Wait(tcb.pacing.next_send);
        }
        if tcb.phase != Phase::Open
            && recovery.repeats(tcb)
            && let Some(number) = tcb.board.next_lost()
        {
            return Turn::Again(number);
        }
        if tcb.has_new() {
            return Turn::New(tcb.board.next());
        }
        if let Some(number) = recovery.last_resort(tcb) {
            return Turn::Again(number);
        }
        tcb.run_short(pipe);
        Turn::Idle
    }

    /// Responds to a full device queue, which refuses the next segment: it stays to be sent. Returns the time at which
    /// to try again if no ACK will come.
    #[cold]
    pub fn on_device_full(&mut self, now: Time) -> Option<Time> {
        if self.tcb.validation.counts_delayed {
            self.tcb.pause_delayed();
        }
        self.tcb.answer_device(now);
        (self.tcb.board.outstanding() == 0).then(|| now + self.tcb.rtt.estimator.rto())
    }

    /// Responds to small queues that hold back the next segment until the first link completes one: the window is not
    /// used.
    pub fn on_small_queue_full(&mut self) {
        self.tcb.pause();
    }

    /// Records the transmission of a segment. Returns its ECN fields.
    #[inline]
    pub fn on_send(&mut self, now: Time, turn: Turn) -> Ecn {
        let Self { tcb, recovery } = self;
        let was_empty = tcb.board.outstanding() == 0;
        if was_empty {
            tcb.rate.restart(now);
        }
        let segment = tcb.rate.segment(now, tcb.board.pipe() + 1);
        tcb.counts.sent += 1;
        recovery.on_send(tcb, now, turn, segment, was_empty);
        tcb.validation.has_sent |= matches!(turn, Turn::New(_));
        if let Some(prr) = tcb.phase.prr() {
            prr.on_send();
        }
        if tcb.is_pacing {
            tcb.pace(now);
        }
        tcb.marks.on_send(if let Turn::New(number) = turn { Some(number) } else { None })
    }
}
