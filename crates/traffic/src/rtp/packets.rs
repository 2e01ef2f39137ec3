//! The packets of a stream, from their sending to the report that tells their fate.

use super::control::Fate;
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// Time beyond a round trip after which a packet without a report is lost.
const SILENCE: Duration = Duration::from_millis(2000);

/// A packet without an arrival.
const NEVER: u64 = u64::MAX;

/// A sent packet.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: u64,
    arrived: u64,
    /// Time at which a report first showed it missing; 0 before.
    missed: u64,
    /// Bytes sent up to and with it.
    total: u64,
    bytes: u32,
    is_marked: bool,
    /// True if its sender knows its fate, and if that is a loss.
    is_told: bool,
    is_lost: bool,
}

/// A report: the packets below `end` that had arrived at `at`. Those below `begin` are no longer reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// First packet.
    pub begin: u32,
    /// Number after the last packet.
    pub end: u32,
    /// Time of the report.
    pub at: Time,
}

/// All packets whose fate is not settled at both ends.
#[derive(Clone, Debug, Default)]
pub struct PacketLog {
    /// Number of the first.
    first: u32,
    sent: VecDeque<Sent>,
    total: u64,
    /// Bytes up to and with the newest packet that the sender knows to have arrived, or given up.
    known: u64,
    /// Time that reports wait for packets that others overtook, in nanoseconds.
    reordering: u64,
    rtt: u64,
    /// At the receiver: number after the newest arrival, arrivals since the last report, and begins of the last two.
    end: u32,
    arrivals: u32,
    begins: [u32; 2],
    fates: Vec<Fate>,
}

impl PacketLog {
    /// Bytes sent after the newest known arrival.
    pub fn in_flight(&self) -> u64 {
        self.total - self.known
    }

    /// Records a packet, and returns its number.
    pub fn send(&mut self, now: Time, bytes: u32) -> u32 {
        let number = self.first + self.sent.len() as u32;
        self.total += u64::from(bytes);
        self.sent.push_back(Sent {
            at: now.as_nanos(),
            arrived: NEVER,
            missed: 0,
            total: self.total,
            bytes,
            is_marked: false,
            is_told: false,
            is_lost: false,
        });
        number
    }

    /// Records an arrival, and returns the number of those since the last report.
    pub fn arrive(&mut self, now: Time, number: u32, is_marked: bool) -> u32 {
        if let Some(sent) = number.checked_sub(self.first).and_then(|at| self.sent.get_mut(at as usize)) {
            (sent.arrived, sent.is_marked) = (now.as_nanos(), is_marked);
        }
        self.end = self.end.max(number + 1);
        self.arrivals += 1;
        self.arrivals
    }

    /// Makes a report, which overlaps the one before so that the loss of one hides nothing; `None` without arrivals.
    pub fn report(&mut self, now: Time) -> Option<Report> {
        if std::mem::take(&mut self.arrivals) == 0 {
            return None;
        }
        let begin = self.begins[0];
        self.begins = [self.begins[1], self.end];
        Some(Report { begin, end: self.end, at: now })
    }

    /// Reads a report; returns the packets whose fate it tells, and a sample of the round-trip time.
    pub fn read(&mut self, now: Time, report: Report) -> (&[Fate], Option<Duration>) {
        let at = report.at.as_nanos();
        let count = (report.end.saturating_sub(self.first) as usize).min(self.sent.len());
        self.fates.clear();
        let mut newest = None;
        for (number, sent) in (self.first..).zip(self.sent.iter_mut().take(count)) {
            let has_arrived = sent.arrived <= at;
            if has_arrived && sent.is_told && sent.is_lost {
                self.reordering = self.reordering.max(now.as_nanos() - sent.missed);
                sent.is_lost = false;
            }
            if sent.is_told {
                continue;
            }
            if !has_arrived {
                if sent.missed == 0 {
                    sent.missed = now.as_nanos();
                }
                // Reports no longer tell of those before their begin.
                let is_over = now.as_nanos() - sent.missed >= self.reordering || number < report.begin;
                if !is_over {
                    continue;
                }
            }
            (sent.is_told, sent.is_lost) = (true, !has_arrived);
            if has_arrived {
                self.known = self.known.max(sent.total);
                newest = Some(*sent);
            }
            self.fates.push(fate(sent));
        }
        while self.sent.front().is_some_and(|sent| sent.is_told) && self.first < report.begin {
            self.sent.pop_front();
            self.first += 1;
        }
        let rtt = newest.map(|newest| Duration::from_nanos(now.as_nanos() - newest.at - (at - newest.arrived)));
        self.rtt = rtt.map_or(self.rtt, Duration::as_nanos);
        (&self.fates, rtt)
    }

    /// Gives up packets of which no report has told for too long; returns them.
    pub fn give_up(&mut self, now: Time) -> &[Fate] {
        self.fates.clear();
        let limit = SILENCE.as_nanos() + self.rtt;
        for sent in self.sent.iter_mut().take_while(|sent| now.as_nanos() > sent.at + limit) {
            if !sent.is_told {
                (sent.is_told, sent.is_lost, sent.missed) = (true, true, now.as_nanos());
                self.known = self.known.max(sent.total);
                self.fates.push(Fate { arrived: None, is_marked: false, ..fate(sent) });
            }
        }
        // No report will tell of them again.
        while let Some(sent) = self.sent.front()
            && sent.is_told
            && now.as_nanos() > sent.at + 2 * limit
        {
            self.sent.pop_front();
            self.first += 1;
        }
        &self.fates
    }
}

fn fate(sent: &Sent) -> Fate {
    let arrived = (!sent.is_lost).then(|| Time::from_nanos(sent.arrived));
    Fate { sent: Time::from_nanos(sent.at), arrived, bytes: sent.bytes, is_marked: sent.is_marked }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// Ten packets, one a millisecond, 20 ms each way; the fourth is lost. The report at 25 ms tells of 0 to 5, that at
    /// 35 ms of the others. The round trip is 40 ms without the time at the receiver.
    #[test]
    fn reports_tell_of_each_packet_once() {
        let mut log = PacketLog::default();
        (0..10).for_each(|at| assert_eq!(log.send(ms(at), 100), at as u32));
        for at in [0, 1, 2, 4, 5] {
            log.arrive(ms(20 + at), at as u32, at == 2);
        }
        let first = log.report(ms(25)).expect("arrivals");
        assert_eq!(first, Report { begin: 0, end: 6, at: ms(25) });
        assert_eq!(log.report(ms(25)), None);
        (6..10).for_each(|at| assert!(log.arrive(ms(20 + at), at as u32, false) > 0));
        let second = log.report(ms(35)).expect("arrivals");
        assert_eq!((second.begin, second.end), (0, 10));
        assert_eq!(log.in_flight(), 1000);
        let (fates, rtt) = log.read(ms(45), first);
        assert_eq!(
            fates.iter().map(|fate| fate.arrived.is_some()).collect::<Vec<_>>(),
            [true, true, true, false, true, true]
        );
        assert!(fates[2].is_marked && rtt == Some(Duration::from_millis(40)));
        assert_eq!(log.in_flight(), 400);
        let (fates, _) = log.read(ms(55), second);
        assert_eq!(fates.iter().map(|fate| fate.sent).collect::<Vec<_>>(), [ms(6), ms(7), ms(8), ms(9)]);
        assert_eq!(log.in_flight(), 0);
    }

    /// The first report is lost: the second one, which overlaps it, tells of all. Of two lost in a row the packets of
    /// the first count as lost.
    #[test]
    fn one_lost_report_hides_nothing() {
        for lost in [1, 2] {
            let mut log = PacketLog::default();
            let mut last = None;
            for round in 0..4_u64 {
                let number = log.send(ms(100 * round), 100);
                log.arrive(ms(100 * round + 20), number, false);
                let report = log.report(ms(100 * round + 20)).expect("an arrival");
                if round == 0 || round > lost {
                    let (fates, _) = log.read(ms(100 * round + 40), report);
                    last = Some(fates.to_vec());
                }
                if round == lost + 1 {
                    break;
                }
            }
            let fates = last.expect("a report");
            let arrived = fates.iter().filter(|fate| fate.arrived.is_some()).count();
            assert_eq!((fates.len(), arrived), if lost == 1 { (2, 2) } else { (3, 3) });
        }
    }

    /// A packet that arrives after the report which missed it: the next time a missing one waits for as long.
    #[test]
    fn reordering_teaches_patience() {
        let mut log = PacketLog::default();
        (0..2).for_each(|at| _ = log.send(ms(at), 100));
        log.arrive(ms(21), 1, false);
        let report = log.report(ms(21)).expect("an arrival");
        assert_eq!(log.read(ms(41), report).0.iter().filter(|fate| fate.arrived.is_none()).count(), 1);
        log.arrive(ms(25), 0, false);
        let report = log.report(ms(25)).expect("an arrival");
        assert!(log.read(ms(45), report).0.is_empty());
        assert_eq!(log.reordering, 4_000_000);
        (2..4).for_each(|at| _ = log.send(ms(100 + at), 100));
        log.arrive(ms(123), 3, false);
        let report = log.report(ms(123)).expect("an arrival");
        assert_eq!(log.read(ms(143), report).0.len(), 1);
        log.arrive(ms(124), 2, false);
        let report = log.report(ms(125)).expect("an arrival");
        let (fates, _) = log.read(ms(145), report);
        assert!(fates.len() == 1 && fates[0].arrived == Some(ms(124)));
    }

    /// Without any report packets are given up after two seconds.
    #[test]
    fn silence_is_loss() {
        let mut log = PacketLog::default();
        (0..3).for_each(|at| _ = log.send(ms(1000 * at), 100));
        assert!(log.give_up(ms(2000)).is_empty());
        assert_eq!(log.give_up(ms(3001)).len(), 2);
        assert_eq!((log.in_flight(), log.give_up(ms(3500)).len()), (100, 0));
        log.give_up(ms(10_000));
        assert!(log.sent.is_empty() && log.in_flight() == 0);
    }
}
