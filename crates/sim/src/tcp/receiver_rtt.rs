//! The round-trip time as the receiver of data knows it, by timestamps: from an ACK's departure to the arrival of the first
//! segment that echoes it (RFC 7323 §4.1). It is what `tcpi_rcv_rtt` of Linux tells, and what a download has to go by.
//!
//! An ACK that waits for a second segment has left late, so that the wait is no part of it. The estimate follows Linux 6.16
//! and later (`tcp_rcv_rtt_update`): a sample below it replaces it, one above moves it by an eighth. Linux's clock has
//! milliseconds, and this one nanoseconds.

use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// ACKs, and segments that echo one, on their way: beyond so many the next are not measured, as those on their way would never be
/// in a window of several times as many.
const MOST: usize = 64;
/// A sample above the estimate moves it by one over this.
const SLOWNESS: u64 = 8;

/// The two ends' timestamps, kept beside the packets.
#[derive(Debug)]
pub struct ReceiverRtt {
    /// ACKs on their way: the segment that each asks for, and when it left.
    acks: VecDeque<(u32, Time)>,
    /// The departure that the next segment echoes, the first to do so.
    echo: Option<Time>,
    /// Segments on their way, and what they echo.
    echoes: VecDeque<(u32, Time)>,
    estimate: Option<Duration>,
    /// Whether a segment has arrived since somebody asked.
    has_heard: bool,
}

impl Default for ReceiverRtt {
    fn default() -> Self {
        let empty = || VecDeque::with_capacity(MOST);
        Self { acks: empty(), echo: None, echoes: empty(), estimate: None, has_heard: false }
    }
}

impl ReceiverRtt {
    /// An ACK that asks for `number` leaves the receiver.
    pub fn acknowledge(&mut self, now: Time, number: u32) {
        push(&mut self.acks, (number, now));
    }

    /// It arrives at the sender. Those that it has overtaken were lost.
    pub fn on_ack(&mut self, number: u32) {
        while let Some(&(asked, at)) = self.acks.front()
            && asked <= number
        {
            self.acks.pop_front();
            if asked == number {
                self.echo = Some(at);
                break;
            }
        }
    }

    /// A segment leaves the sender.
    pub fn send(&mut self, number: u32) {
        if let Some(at) = self.echo.take() {
            push(&mut self.echoes, (number, at));
        }
    }

    /// It arrives at the receiver.
    pub fn receive(&mut self, now: Time, number: u32) {
        self.has_heard = true;
        if let Some(place) = self.echoes.iter().position(|(segment, _)| *segment == number) {
            let sample = now.since(self.echoes[place].1);
            // Segments keep their order: those before it were lost.
            self.echoes.drain(..=place);
            self.estimate = Some(match self.estimate {
                Some(old) if sample > old => old + Duration::from_nanos((sample - old).as_nanos() / SLOWNESS),
                _ => sample,
            });
        }
    }

    /// The estimate, if anything has arrived since the last call.
    pub fn take(&mut self) -> Option<Duration> {
        self.estimate.filter(|_| std::mem::take(&mut self.has_heard))
    }
}

fn push(line: &mut VecDeque<(u32, Time)>, entry: (u32, Time)) {
    if line.len() < MOST {
        line.push_back(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// The ACK of 2 leaves at 10 ms and the one of 4 at 20; segments 8 and 9 echo the first, 10 the second. 8 comes at 110 ms: 100.
    /// 10 comes at 130 ms: 110, of which an eighth is 101.25. 12 echoes an ACK of 50 ms at 130: 80, at once.
    #[test]
    fn what_is_less_counts_at_once() {
        let mut rtt = ReceiverRtt::default();
        rtt.acknowledge(at(10), 2);
        rtt.acknowledge(at(20), 4);
        rtt.on_ack(2);
        rtt.send(8);
        rtt.send(9);
        rtt.on_ack(4);
        rtt.send(10);
        assert_eq!(rtt.take(), None);
        rtt.receive(at(110), 8);
        assert_eq!(rtt.take(), Some(Duration::from_millis(100)));
        assert_eq!(rtt.take(), None);
        rtt.receive(at(111), 9);
        assert_eq!(rtt.take(), Some(Duration::from_millis(100)));
        rtt.receive(at(130), 10);
        assert_eq!(rtt.take(), Some(Duration::from_micros(101_250)));
        rtt.acknowledge(at(50), 6);
        rtt.on_ack(6);
        rtt.send(12);
        rtt.receive(at(130), 12);
        assert_eq!(rtt.take(), Some(Duration::from_millis(80)));
    }

    /// The first ACK is lost, and the segment that would echo the second.
    #[test]
    fn what_is_lost_is_no_sample() {
        let mut rtt = ReceiverRtt::default();
        for (ms, number) in [(10, 2), (20, 4), (30, 6)] {
            rtt.acknowledge(at(ms), number);
        }
        rtt.on_ack(4);
        rtt.send(8);
        rtt.on_ack(6);
        rtt.send(10);
        rtt.receive(at(150), 10);
        assert_eq!(rtt.take(), Some(Duration::from_millis(120)));
        rtt.receive(at(160), 8);
        assert_eq!(rtt.take(), Some(Duration::from_millis(120)));
    }

    /// A thousand ACKs are on their way at once, and then a thousand segments: the first ones are measured, with the room that there is.
    #[test]
    fn a_large_window_is_measured_too() {
        let mut rtt = ReceiverRtt::default();
        (0..1000).for_each(|number| rtt.acknowledge(at(u64::from(number)), number));
        for number in 0..1000 {
            rtt.on_ack(number);
            rtt.send(number);
        }
        assert_eq!([rtt.acks.capacity(), rtt.echoes.capacity()], [MOST; 2]);
        rtt.receive(at(2000), 0);
        assert_eq!(rtt.take(), Some(Duration::from_millis(2000)));
        rtt.receive(at(2010), 60);
        assert_eq!(rtt.take(), Some(Duration::from_millis(1950)));
        rtt.receive(at(3000), 900);
        assert!(rtt.acks.is_empty());
    }
}
