//! BlockAck session of a link and a category: the originator's window and the recipient's reorder buffer (IEEE
//! 802.11-2020, §10.25.6 and §10.25.7; Linux 6.12, `net/mac80211/rx.c`).
//!
//! Both ends share one list of MPDUs: each is kept until the originator knows its fate and the recipient has passed it
//! up or skipped it. Sequence numbers do not wrap here; on the air they are taken modulo 4096, which is the same as
//! long as a window is at most half of that.

use super::mpdu::{Attempt, AttemptLimits, Mpdu, State, each_packet};
use super::packets::{Followers, Waiting};
use std::collections::VecDeque;
use windward_elements::packet::Packet;
use windward_units::{Duration, Time};

/// Fate of a packet that ends now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Passed up, in order.
    Delivered,
    /// Lost: received after the recipient had skipped it.
    Lost {
        /// True if its first transmission counts.
        is_counted: bool,
    },
}

/// The session.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    /// Numbered MPDUs, the first of which is `base`.
    mpdus: VecDeque<Mpdu>,
    base: u32,
    /// Further packets of those that are A-MSDUs.
    followers: Followers,
    /// Start of the originator's window: all before are acknowledged or given up.
    start: u32,
    /// Next number that the recipient expects: all before are passed up or skipped.
    head: u32,
    /// MPDUs that the recipient holds behind a missing one.
    held: u32,
    /// Bound on the transmissions and internal collisions of any MPDU in the originator's window.
    most_tried: u32,
    /// Bound on the RTS failures of any MPDU in the originator's window.
    most_rts_failures: u32,
    /// True while the recipient must be told of MPDUs given up.
    pub wants_request: bool,
    /// Requests without an answer since the last one.
    pub request_attempts: u32,
    /// Time of the first of them; [`Time::NEVER`] without one.
    pub asked_since: Time,
    /// True if the sender has stopped asking while the recipient waits for MPDUs given up.
    pub is_pending: bool,
    /// Time at which the oldest held MPDU is passed up in any case; [`Time::NEVER`] without a scheduled event.
    pub releases_at: Time,
    /// True while the session is among those that its sender serves.
    pub is_listed: bool,
    /// Rates of the PPDU in progress, until it is answered or has had all its attempts.
    pub attempt: Option<Attempt>,
}

impl Session {
    /// A session without MPDUs.
    #[inline]
    pub fn new() -> Self {
        Self { releases_at: Time::NEVER, asked_since: Time::NEVER, ..Self::default() }
    }

    /// Number of the next new MPDU.
    #[inline]
    pub fn next(&self) -> u32 {
        self.base + self.mpdus.len() as u32
    }

    /// Start of the originator's window.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// True if a new MPDU would lie within the window.
    pub fn has_room(&self, window: u32) -> bool {
        self.next() < self.start + window
    }

    /// True if an MPDU is neither acknowledged nor given up.
    #[inline]
    pub fn is_outstanding(&self) -> bool {
        self.start < self.next()
    }

    /// MPDU of a number that is still known.
    #[inline]
    pub fn mpdu(&self, number: u32) -> &Mpdu {
        &self.mpdus[(number - self.base) as usize]
    }

    fn mpdu_mut(&mut self, number: u32) -> &mut Mpdu {
        &mut self.mpdus[(number - self.base) as usize]
    }

    /// The bitmap of a BlockAck from the start of the originator's window: a bit for each MPDU that the recipient has.
    pub fn bitmap(&self, bytes: usize) -> Vec<u8> {
        let mut bitmap = vec![0; bytes];
        let skipped = (self.start - self.base) as usize;
        for (at, mpdu) in self.mpdus.iter().skip(skipped).take(8 * bytes).enumerate() {
            bitmap[at / 8] |= u8::from(mpdu.is_received) << (at % 8);
        }
        bitmap
    }

    /// Numbers a new MPDU.
    #[inline]
    pub fn push(&mut self, Waiting { since, packet, estimate }: Waiting) -> u32 {
        let number = self.next();
        self.mpdus.push_back(Mpdu {
            packet,
            since,
            estimate,
            extra: 0,
            followers: 0,
            first_follower: 0,
            attempts: 0,
            rts_failures: 0,
            collisions: 0,
            is_received: false,
            starts_counted: true,
            ends_counted: true,
            state: State::Free,
            received_at: Time::ZERO,
        });
        number
    }

    /// Adds a packet to the last MPDU, which grows by `bytes`. It has not been sent, and holds fewer packets than
    /// [`MOST_PACKETS`](super::mpdu::MOST_PACKETS).
    pub fn join(&mut self, waiting: Waiting, bytes: u64) {
        let place = self.followers.push(waiting);
        let Some(mpdu) = self.mpdus.back_mut() else { return };
        if mpdu.followers == 0 {
            mpdu.first_follower = place;
        }
        mpdu.followers += 1;
        mpdu.extra += bytes as u16;
    }

    /// Packets of an MPDU behind its first.
    pub fn followers(&self, mpdu: &Mpdu) -> impl Iterator<Item = &Packet> {
        let places = mpdu.first_follower..mpdu.first_follower.wrapping_add(u32::from(mpdu.followers));
        let count = usize::from(mpdu.followers);
        (count > 0).then(|| self.followers.of(places)).into_iter().flatten().map(|waiting| &waiting.packet)
    }

    /// Numbers for the next PPDU, in order.
    #[inline]
    pub fn unacknowledged(&self) -> impl Iterator<Item = (u32, &Mpdu)> {
        let skipped = (self.start - self.base) as usize;
        let all = (self.start..).zip(self.mpdus.iter().skip(skipped));
        all.filter(|(_, mpdu)| mpdu.state == State::Free)
    }

    /// Counts an MPDU among those that the hardware holds.
    pub fn hold(&mut self, number: u32) {
        self.mpdu_mut(number).state = State::Held;
    }

    /// True if the hardware holds an MPDU that is neither acknowledged nor given up.
    pub fn is_held(&self, number: u32) -> bool {
        number >= self.start && self.mpdu(number).state == State::Held
    }

    /// Takes an MPDU back from the hardware, for another PPDU.
    pub fn let_go(&mut self, number: u32) {
        if self.is_held(number) {
            self.mpdu_mut(number).state = State::Free;
        }
    }

    /// Starts the counters anew: transmissions so far count no more.
    pub fn reset_counts(&mut self) {
        self.mpdus.iter_mut().for_each(|mpdu| (mpdu.starts_counted, mpdu.ends_counted) = (false, false));
    }

    /// Counts a transmission of an MPDU.
    pub fn count_attempt(&mut self, number: u32) {
        let mpdu = self.mpdu_mut(number);
        mpdu.attempts += 1;
        mpdu.ends_counted = true;
        self.most_tried = mpdu.failures().max(self.most_tried);
    }

    /// Counts internal collisions of an MPDU up to its limit. Returns the number of the others.
    pub fn count_collisions(&mut self, number: u32, collisions: u32, limits: &AttemptLimits) -> u32 {
        let mpdu = self.mpdu_mut(number);
        let left = limits.transmissions.map_or(u32::MAX, |most| most.saturating_sub(mpdu.failures()));
        let counted = collisions.min(left);
        mpdu.collisions += counted;
        self.most_tried = mpdu.failures().max(self.most_tried);
        collisions - counted
    }

    /// Counts an RTS without an answer before an MPDU.
    pub fn count_rts_failure(&mut self, number: u32) {
        let mpdu = self.mpdu_mut(number);
        mpdu.rts_failures += 1;
        self.most_rts_failures = mpdu.rts_failures.max(self.most_rts_failures);
    }

    /// True if an MPDU in the originator's window may have had all its attempts.
    pub fn may_have_ended(&self, limits: &AttemptLimits) -> bool {
        limits.are_reached(self.most_tried, self.most_rts_failures)
    }

    /// Records the reception of an MPDU. An MPDU beyond the window moves the window. Calls `end` with each packet whose
    /// fate is decided, and the time of its arrival at the sender.
    pub fn receive(&mut self, now: Time, number: u32, window: u32, end: &mut impl FnMut(&Packet, Time, Fate)) {
        let head = self.head;
        let Self { mpdus, followers, base, .. } = self;
        let mpdu = &mut mpdus[(number - *base) as usize];
        if mpdu.is_received {
            return;
        }
        mpdu.is_received = true;
        mpdu.received_at = now;
        if number < head {
            // Skipped before.
            let fate = Fate::Lost { is_counted: mpdu.is_counted_whole() };
            return each_packet(followers, mpdu, |packet, since, _| end(packet, since, fate));
        }
        self.held += 1;
        if number >= head + window {
            self.skip_to(number + 1 - window, end);
        }
        self.pass_up(end);
    }

    /// Passes up what is received below `head`, skips the rest, and goes on in order.
    pub fn skip_to(&mut self, head: u32, end: &mut impl FnMut(&Packet, Time, Fate)) {
        while self.head < head {
            let mpdu = &self.mpdus[(self.head - self.base) as usize];
            self.head += 1;
            if mpdu.is_received {
                self.held -= 1;
                each_packet(&self.followers, mpdu, |packet, since, _| end(packet, since, Fate::Delivered));
            }
        }
        self.pass_up(end);
    }

    fn pass_up(&mut self, end: &mut impl FnMut(&Packet, Time, Fate)) {
        while let Some(mpdu) = self.mpdus.get((self.head - self.base) as usize) {
            if !mpdu.is_received {
                break;
            }
            self.head += 1;
            self.held -= 1;
            each_packet(&self.followers, mpdu, |packet, since, _| end(packet, since, Fate::Delivered));
        }
    }

    /// Time at which the recipient passes up the oldest MPDU that it holds, if it holds one.
    pub fn release_time(&self, timeout: Duration) -> Option<Time> {
        if self.held == 0 {
            return None;
        }
        let held = self.mpdus.iter().skip((self.head - self.base) as usize).filter(|mpdu| mpdu.is_received);
        held.map(|mpdu| mpdu.received_at + timeout).min()
    }

    /// Passes up MPDUs held for `timeout`, and what was received before them.
    pub fn release(&mut self, now: Time, timeout: Duration, end: &mut impl FnMut(&Packet, Time, Fate)) {
        let due = |mpdu: &Mpdu| mpdu.is_received && mpdu.received_at + timeout <= now;
        let numbers = (self.head..self.next()).rev();
        let last = numbers.into_iter().find(|&number| due(self.mpdu(number)));
        if let Some(last) = last {
            self.skip_to(last + 1, end);
        }
        self.trim();
    }

    /// Processes a BlockAck: the originator learns all that the recipient has. Calls `done` with each packet that it
    /// had not known of, its MPDU, and AQL's estimate of it.
    pub fn learn(&mut self, done: &mut impl FnMut(&Packet, &Mpdu, u16)) {
        let Self { mpdus, followers, .. } = self;
        for mpdu in mpdus.iter_mut().skip((self.start - self.base) as usize) {
            if mpdu.is_received && mpdu.is_outstanding() {
                mpdu.state = State::Acknowledged;
                let mpdu: &Mpdu = mpdu;
                each_packet(followers, mpdu, |packet, _, estimate| done(packet, mpdu, estimate));
            }
        }
        self.advance();
    }

    /// Gives up an MPDU after all its attempts. Calls `done` with each of its packets, the MPDU, and AQL's estimate of
    /// the packet.
    pub fn give_up(&mut self, number: u32, done: &mut impl FnMut(&Packet, &Mpdu, u16)) {
        let mpdu = self.mpdu_mut(number);
        mpdu.state = State::GivenUp;
        let mpdu = self.mpdu(number);
        each_packet(&self.followers, mpdu, |packet, _, estimate| done(packet, mpdu, estimate));
    }

    /// Moves the originator's window over all that is acknowledged or given up. True if MPDUs given up are passed that
    /// the recipient still waits for.
    #[inline]
    pub fn advance(&mut self) -> bool {
        while self.start < self.next() {
            let mpdu = self.mpdu(self.start);
            if mpdu.is_outstanding() {
                break;
            }
            self.start += 1;
        }
        if !self.is_outstanding() {
            (self.most_tried, self.most_rts_failures) = (0, 0);
        }
        let is_behind = self.is_behind();
        self.trim();
        is_behind
    }

    /// True if the recipient waits for MPDUs that the originator's window has passed.
    #[inline]
    pub fn is_behind(&self) -> bool {
        self.head < self.start
    }

    /// Ends a series of requests: an answer has come, or the sender stops asking.
    pub fn end_requests(&mut self) {
        self.wants_request = false;
        self.request_attempts = 0;
        self.asked_since = Time::NEVER;
    }

    /// Packets of MPDUs that are neither acknowledged nor given up.
    #[cfg(test)]
    pub fn outstanding_packets(&self) -> u64 {
        let outstanding = self.mpdus.iter().filter(|mpdu| mpdu.is_outstanding());
        outstanding.map(|mpdu| 1 + u64::from(mpdu.followers)).sum()
    }

    /// Checks both windows and what they hold.
    #[cfg(test)]
    pub fn check(&self, window: u32) {
        assert!(self.base <= self.start.min(self.head) && self.start.max(self.head) <= self.next());
        assert!(self.next() - self.start <= window, "{} numbers in a window of {window}", self.next() - self.start);
        let (before, within) = self.mpdus.as_slices();
        let all = || (self.base..).zip(before.iter().chain(within));
        assert!(
            all().all(|(number, mpdu)| number >= self.start || !mpdu.is_outstanding()),
            "the window starts too late"
        );
        assert!(self.start == self.next() || self.mpdu(self.start).is_outstanding(), "the window starts too early");
        let held = all().filter(|&(number, mpdu)| number >= self.head && mpdu.is_received);
        assert_eq!(held.count(), self.held as usize);
        assert!(self.head == self.next() || !self.mpdu(self.head).is_received, "in order, but not passed up");
        let packets: usize = self.mpdus.iter().map(|mpdu| usize::from(mpdu.followers)).sum();
        assert_eq!(packets, self.followers.len());
        assert!(self.held == 0 || self.releases_at != Time::NEVER, "held for ever");
    }

    /// Forgets MPDUs that both ends are done with.
    #[inline]
    fn trim(&mut self) {
        let done = self.start.min(self.head);
        while self.base < done {
            let gone = self.mpdus.pop_front();
            self.base += 1;
            if let Some(count) = gone.map(|mpdu| mpdu.followers).filter(|&count| count > 0) {
                self.followers.forget(u32::from(count));
            }
        }
        if self.mpdus.is_empty() {
            // An empty ring restarts at its first place, which is cached, unlike the next one.
            self.mpdus.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_elements::packet::Kind;

    fn packet(number: u32) -> Packet {
        Packet { number, ..Packet::new(Kind::Datagram, Time::ZERO, 0, 0, 1500) }
    }

    fn filled(count: u32) -> Session {
        let mut session = Session::new();
        let waiting = |number| Waiting { since: Time::ZERO, packet: packet(number), estimate: 0 };
        (0..count).for_each(|number| assert_eq!(session.push(waiting(number)), number));
        session
    }

    /// Receives the numbers and returns what is passed up meanwhile.
    fn passed(session: &mut Session, numbers: &[u32]) -> Vec<u32> {
        let mut up = Vec::new();
        for &number in numbers {
            session.receive(Time::from_nanos(u64::from(number)), number, 64, &mut |packet, _, fate| {
                assert_eq!(fate, Fate::Delivered);
                up.push(packet.number);
            });
        }
        up
    }

    fn learnt(session: &mut Session) -> u32 {
        let mut count = 0;
        session.learn(&mut |_, _, _| count += 1);
        count
    }

    #[test]
    fn a_hole_holds_back_what_follows() {
        let mut session = filled(5);
        assert_eq!(passed(&mut session, &[0, 2, 3]), [0]);
        assert_eq!(learnt(&mut session), 3);
        assert_eq!(
            (session.start(), session.unacknowledged().map(|(number, _)| number).collect::<Vec<_>>()),
            (1, vec![1, 4])
        );
        assert_eq!(passed(&mut session, &[1, 2]), [1, 2, 3]);
        assert_eq!(learnt(&mut session), 1);
        assert_eq!(session.start(), 4);
    }

    /// A number beyond the window moves it: 70 with 64 makes 7 the head. 0 to 6 are skipped, 7 is passed up.
    #[test]
    fn a_number_beyond_the_window_moves_it() {
        let mut session = filled(71);
        assert_eq!(passed(&mut session, &[3, 7, 70]), [3, 7]);
        let mut late = Vec::new();
        session.receive(Time::ZERO, 5, 64, &mut |packet, _, fate| late.push((packet.number, fate)));
        assert_eq!(late, [(5, Fate::Lost { is_counted: true })]);
    }

    #[test]
    fn what_waits_too_long_is_passed_up() {
        let timeout = Duration::from_nanos(100);
        let mut session = filled(6);
        assert_eq!(passed(&mut session, &[2, 4]), [0; 0]);
        assert_eq!(session.release_time(timeout), Some(Time::from_nanos(102)));
        let mut up = Vec::new();
        session.release(Time::from_nanos(102), timeout, &mut |packet, _, _| up.push(packet.number));
        assert_eq!(up, [2]);
        assert_eq!(session.release_time(timeout), Some(Time::from_nanos(104)));
    }

    #[test]
    fn giving_up_moves_the_window() {
        let mut session = filled(3);
        assert_eq!(passed(&mut session, &[1]), [0; 0]);
        learnt(&mut session);
        let mut gone = Vec::new();
        session.give_up(0, &mut |packet, mpdu, _| gone.push((packet.number, mpdu.is_received)));
        assert_eq!(gone, [(0, false)]);
        assert!(session.advance(), "the recipient still waits for it");
        assert_eq!(session.start(), 2);
        let mut up = Vec::new();
        session.skip_to(2, &mut |packet, _, _| up.push(packet.number));
        assert_eq!(up, [1]);
    }

    /// The packets of an A-MSDU share its fate. Packets 0, (1, 2, 3), 4, (5, 6): numbers 0 to 3.
    #[test]
    fn packets_of_an_amsdu_go_together() {
        let waiting =
            |number: u32| Waiting { since: Time::from_nanos(number.into()), packet: packet(number), estimate: 4 };
        let mut session = Session::new();
        for joined in [&[0][..], &[1, 2, 3], &[4], &[5, 6]] {
            session.push(waiting(joined[0]));
            joined[1..].iter().for_each(|&number| session.join(waiting(number), 1536));
        }
        assert_eq!([1, 2].map(|number| session.mpdu(number).bytes(38)), [4610, 1538]);
        assert_eq!(passed(&mut session, &[1, 3]), [0; 0]);
        let mut known = Vec::new();
        session.learn(&mut |packet, _, estimate| known.push((packet.number, estimate)));
        assert_eq!(known, [1, 2, 3, 5, 6].map(|number| (number, 4)));
        assert_eq!(passed(&mut session, &[0]), [0, 1, 2, 3]);
        assert_eq!(learnt(&mut session), 1);
        // Three MPDUs are forgotten with their packets: places go on.
        session.give_up(2, &mut |_, _, _| ());
        session.advance();
        let mut up = Vec::new();
        session.skip_to(3, &mut |packet, since, _| up.push((packet.number, since.as_nanos())));
        assert_eq!(up, [(5, 5), (6, 6)]);
        session.advance();
        session.push(waiting(7));
        session.join(waiting(8), 1536);
        assert_eq!(session.followers(session.mpdu(4)).map(|packet| packet.number).collect::<Vec<_>>(), [8]);
        assert_eq!(passed(&mut session, &[4]), [7, 8]);
    }
}
