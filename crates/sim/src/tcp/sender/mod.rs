//! The sending end: transmission, loss detection, and the books that the law decides by.
//!
//! [`tcb`] is the state that every connection has, [`law`] what its law hears of it. A [`loss::Recovery`] finds losses,
//! repairs them and runs the retransmission timer (RFC 6298), in one of two ways:
//!
//! * [`loss::DupAck`] counts duplicates: RFC 5681 with RFC 6582 (NewReno) or RFC 6675 and 6937 (SACK, PRR), RFC 3042
//!   (limited transmit: a duplicate shrinks the pipe, which releases a new segment).
//! * [`loss::RackTlp`] goes by time and needs SACK: Linux's RACK-TLP (RFC 8985) with F-RTO and undo.

mod cwnd_validation;
mod delivery_rate;
mod ecn;
mod info;
mod law;
mod loss;
mod pacing;
mod phase;
mod prr;
mod rtt;
mod scoreboard;
mod tcb;
#[cfg(test)]
mod tests;
mod transmit;
mod turn;

pub use info::{Info, State};
pub use tcb::Counts;
pub use turn::Turn;

use crate::network::{IdleRestart, TcpOptions};
use crate::tcp::timer::Timer;
use loss::Recovery;
use rtt::Estimator;
use tcb::Tcb;
use windward_elements::packet::Packet;
use windward_laws::{AnyLaw, Reins};
use windward_units::{Duration, Packets, Time, splitmix64};

/// The sending end of a flow.
pub struct Sender {
    tcb: Tcb,
    recovery: Recovery,
}

impl Sender {
    /// A sender of `end` segments with the window of `law`, which draws random numbers from `seed`.
    pub fn new(law: AnyLaw, tcp: &TcpOptions, end: u32, seed: u64) -> Self {
        Self { tcb: Tcb::new(law, tcp, end, seed), recovery: Recovery::new(tcp) }
    }

    /// The congestion control law.
    pub fn law(&self) -> &AnyLaw {
        &self.tcb.law
    }

    /// The law if it is set from outside.
    pub fn reins(&mut self) -> Option<&mut Reins> {
        match &mut self.tcb.law {
            AnyLaw::Reins(law) => Some(law),
            _ => None,
        }
    }

    /// Takes the window of the law.
    pub fn take_window(&mut self) {
        self.tcb.take_window();
    }

    /// The round-trip time estimator.
    pub fn rtt(&self) -> &Estimator {
        &self.tcb.rtt.estimator
    }

    /// Latest RTT sample; zero before the first.
    pub fn last_rtt(&self) -> Duration {
        self.tcb.rtt.last()
    }

    /// Round-trip time that the receiver of the data would measure by timestamps: a lower sample counts at once, a
    /// higher one by an eighth (Linux: `tcp_rcv_rtt_update`). `None` before data is acknowledged.
    #[inline]
    pub fn rtt_of_receiver(&self) -> Option<Duration> {
        (self.una() > 0).then(|| self.rtt().srtt().min(self.last_rtt()))
    }

    /// Counters.
    pub fn counts(&self) -> Counts {
        self.tcb.counts
    }

    /// The window in force, in segments.
    pub fn window(&self) -> u32 {
        self.tcb.window_now()
    }

    /// Segments in flight.
    pub fn pipe(&self) -> u32 {
        self.tcb.board.pipe()
    }

    /// Gives back the memory of a window that is no longer used.
    pub fn tidy(&mut self) {
        self.tcb.board.tidy();
    }

    /// Segments sent and not cumulatively acknowledged.
    pub fn unacknowledged(&self) -> u32 {
        self.tcb.board.outstanding()
    }

    /// Rate in segments a second at which Linux would pace the connection, paced or not (`tcp_update_pacing_rate`);
    /// infinite before the first round-trip sample.
    pub fn linux_pacing_rate(&self) -> f64 {
        self.tcb.linux_pacing_rate()
    }

    /// Largest reordering distance in segments; at least DupThresh.
    pub fn reordering(&self) -> u32 {
        self.recovery.reordering()
    }

    /// First unacknowledged segment.
    #[inline]
    pub fn una(&self) -> u32 {
        self.tcb.board.una()
    }

    /// Next new segment.
    pub fn next(&self) -> u32 {
        self.tcb.board.next()
    }

    /// End of the new segments: the size of the flow, or the number sent when it stopped.
    pub fn end(&self) -> u32 {
        self.tcb.end
    }

    /// Sets the end of the new segments.
    pub fn set_end(&mut self, end: u32) {
        self.tcb.end = end;
    }

    /// Sets the receive window to `segments`, counted from the first unacknowledged one.
    pub fn set_receive_window(&mut self, segments: u32) {
        self.tcb.receive_window = segments;
    }

    /// True if all data has been acknowledged.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.tcb.board.una() >= self.tcb.end
    }

    /// The retransmission timer.
    #[inline]
    pub fn timer(&mut self) -> &mut Timer {
        &mut self.tcb.timer
    }

    /// The timer of the pacing gap.
    #[inline]
    pub fn pacing_timer(&mut self) -> &mut Timer {
        &mut self.tcb.pacing.timer
    }

    /// Earlier deadline of the two timers.
    pub fn deadline(&self) -> Time {
        self.tcb.timer.deadline().min(self.tcb.pacing.timer.deadline())
    }

    /// Ends the handshake, whose SYN or SYN-ACK this end has sent `sent` times, the answered one a `rtt` ago.
    pub fn establish(&mut self, now: Time, sent: u32, rtt: Option<Duration>) {
        let tcb = &mut self.tcb;
        let is_linux = tcb.rtt.estimator.is_linux();
        // Karn's rule: without timestamps the answer may be one to an earlier packet. Linux takes the sample of the
        // timestamp; RFC 6298 §5.7 starts from 3 s.
        let sample = rtt.filter(|_| sent == 1 || (is_linux && tcb.has_stamps));
        match sample {
            Some(rtt) => {
                tcb.rtt.establish(rtt);
                tcb.rtt.estimator.sample(rtt, tcb.board.una(), tcb.board.next());
                self.recovery.establish(rtt);
            }
            None => tcb.rtt.estimator.note_lost_syn(),
        }
        // RFC 5681 §3.1; Linux after two losses (`tcp_init_transfer`).
        if sent > if is_linux { 2 } else { 1 } {
            tcb.law.on_idle(Packets::new(1.0));
        }
        tcb.start(now, sample);
    }

    /// Records that the application writes while less than a segment waits to be sent: segments are app-limited until
    /// those in flight are delivered (Linux: `tcp_rate_check_app_limited`).
    pub fn note_short_write(&mut self) {
        let tcb = &mut self.tcb;
        let pipe = tcb.board.pipe();
        if pipe < tcb.window_now() && tcb.board.next_lost().is_none() {
            tcb.rate.app_limited_until = tcb.rate.delivered + pipe + 1;
        }
    }

    /// Sets whether the application waits for room in the send buffer.
    #[inline]
    pub fn set_blocked(&mut self, is_blocked: bool) {
        self.tcb.is_blocked = is_blocked;
    }

    /// Number of deliveries at which segments are app-limited no more.
    #[cfg(test)]
    pub fn app_limited_until(&self) -> u32 {
        self.tcb.rate.app_limited_until
    }

    /// Tells the law that data leaves with nothing in flight (Linux's `CA_EVENT_TX_START`). BBR's pacing may have
    /// emptied the flight: its laws hear of it only where the application did (`bbr_cwnd_event`).
    pub fn restart(&mut self, now: Time) {
        let tcb = &mut self.tcb;
        if !tcb.drives_recovery || tcb.rate.delivered < tcb.rate.app_limited_until {
            tcb.law.on_restart(now);
            tcb.take_pacing();
        }
    }

    /// Reduces the window by `rule` when data comes with nothing outstanding, `idle` after the last transmission;
    /// `initial` is the initial window.
    pub fn resume(&mut self, idle: Duration, rule: IdleRestart, initial: u32) {
        let tcb = &mut self.tcb;
        let rto = tcb.rtt.estimator.rto();
        if rule == IdleRestart::Off || idle <= rto {
            return;
        }
        let cwnd = tcb.window;
        let mut restart = cwnd.min(initial);
        if rule == IdleRestart::Linux {
            let halvings = (idle.as_nanos() - 1) / rto.as_nanos();
            restart = restart.max(cwnd.checked_shr(u32::try_from(halvings).unwrap_or(u32::MAX)).unwrap_or(0));
        }
        tcb.law.on_idle(Packets::new(f64::from(restart)));
        tcb.take_window();
    }

    /// True if the window limited the sender in the last round trip (Linux: `tcp_is_cwnd_limited`).
    pub fn is_window_limited(&self) -> bool {
        self.tcb.is_window_limited()
    }

    /// Starts a new connection over the same path with `law`. Its segment numbers continue those of the old one, which
    /// are all acknowledged. The RTT estimate persists, as in Linux's table of path metrics.
    pub fn renew(&mut self, law: AnyLaw, tcp: &TcpOptions) {
        debug_assert!(self.tcb.board.outstanding() == 0, "the old connection has no data on its way");
        let old = &self.tcb;
        let mut fresh = Tcb::new(law, tcp, old.end, splitmix64(old.seed));
        fresh.board = fresh.board.starting_at(old.board.next());
        fresh.receive_window = old.receive_window;
        fresh.rtt = old.rtt.renewed(tcp);
        fresh.counts = old.counts;
        // The events that watch the timers are still pending.
        (fresh.timer, fresh.pacing.timer) = (old.timer.clone(), old.pacing.timer.clone());
        fresh.timer.cancel();
        fresh.pacing.timer.cancel();
        *self = Self { tcb: fresh, recovery: Recovery::new(tcp) };
    }

    /// Starts over as a sender of new numbers and another path, in the storage of this one. The options are those with
    /// which it was made.
    pub fn recycle(&mut self, law: AnyLaw, tcp: &TcpOptions, seed: u64) {
        let board = self.tcb.board.take_storage();
        self.tcb = Tcb::with_board(law, tcp, 0, seed, board);
        self.recovery.recycle(tcp);
    }

    /// Handles the arrival of an ACK. Returns its RTT sample, if any.
    #[inline]
    pub fn on_ack(&mut self, now: Time, packet: &Packet) -> Option<Duration> {
        self.recovery.on_ack(&mut self.tcb, now, packet)
    }

    /// Handles the arrival of an ACK of a part of a segment, whose whole segments `packet` covers. Returns the RTT
    /// sample of these, if any.
    #[cold]
    pub fn on_part(&mut self, now: Time, packet: &Packet) -> Option<Duration> {
        if packet.number > self.una() {
            return self.on_ack(now, packet);
        }
        self.recovery.on_part(&mut self.tcb, now);
        None
    }

    /// Handles the expiry of the retransmission timer with data outstanding.
    #[cold]
    pub fn on_timer(&mut self, now: Time) {
        self.recovery.on_timer(&mut self.tcb, now);
    }
}
