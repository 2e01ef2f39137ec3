//! Round-trip time measured by the receiver of data, using timestamps: from the departure of an ACK to the arrival of
//! the first segment that echoes it (RFC 7323 §4.1). It corresponds to `tcpi_rcv_rtt` of Linux, which receiver-driven
//! downloads use.
//!
//! An ACK that waits for a second segment leaves later, so the wait is not part of the sample. The estimate follows
//! Linux 6.16 and later (`tcp_rcv_rtt_update`): a lower sample replaces it, a higher one moves it by an eighth. Linux's
//! clock has a resolution of a millisecond, this one of a nanosecond.

use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// Maximum number of ACKs, and of segments that echo one, tracked in flight. Further ones are not measured; discarding
/// the tracked ones instead would never yield a sample in a window several times as large.
const MOST: usize = 64;
/// Inverse weight of a sample above the estimate.
const SLOWNESS: u64 = 8;

/// Timestamps of both ends, stored apart from the packets.
#[derive(Debug)]
pub struct ReceiverRtt {
    /// ACKs in flight: the segment that each asks for, and its departure time.
    acks: VecDeque<(u32, Time)>,
    /// Departure time of the ACK that the next segment echoes as the first.
    echo: Option<Time>,
    /// Segments in flight, and the departure time that each echoes.
    echoes: VecDeque<(u32, Time)>,
    estimate: Option<Duration>,
    /// True if a segment has arrived since the last call of `take`.
    has_heard: bool,
}

impl Default for ReceiverRtt {
    fn default() -> Self {
        let empty = || VecDeque::with_capacity(MOST);
        Self { acks: empty(), echo: None, echoes: empty(), estimate: None, has_heard: false }
    }
}

impl ReceiverRtt {
    /// Records that an ACK for `number` leaves the receiver.
    pub fn acknowledge(&mut self, now: Time, number: u32) {
        push(&mut self.acks, (number, now));
    }

    /// Records its arrival at the sender. ACKs that it has overtaken were lost.
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

    /// Records that a segment leaves the sender.
    pub fn send(&mut self, number: u32) {
        if let Some(at) = self.echo.take() {
            push(&mut self.echoes, (number, at));
        }
    }

    /// Records that a pure ACK leaves the sender: its echo is no sample, and later segments with the same one are none
    /// (Linux: `rcv_rtt_last_tsecr`).
    pub fn skip(&mut self) {
        self.echo = None;
    }

    /// Records its arrival at the receiver.
    pub fn receive(&mut self, now: Time, number: u32) {
        self.has_heard = true;
        if let Some(place) = self.echoes.iter().position(|(segment, _)| *segment == number) {
            let sample = now.since(self.echoes[place].1);
            // Segments are not reordered: those before it were lost.
            self.echoes.drain(..=place);
            self.estimate = Some(match self.estimate {
                Some(old) if sample > old => old + Duration::from_nanos((sample - old).as_nanos() / SLOWNESS),
                _ => sample,
            });
        }
    }

    /// The estimate.
    pub fn estimate(&self) -> Option<Duration> {
        self.estimate
    }

    /// Returns the estimate, if a segment has arrived since the last call.
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

    /// The ACK for 2 leaves at 10 ms and that for 4 at 20 ms. Segments 8 and 9 echo the first, 10 the second. 8 arrives
    /// at 110 ms: 100 ms. 10 arrives at 130 ms: 110 ms, an eighth of the way is 101.25 ms. 12 echoes an ACK of 50 ms at
    /// 130 ms: 80 ms, at once.
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

    /// The first ACK is lost, and the segment that would have echoed the second.
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

    /// First a thousand ACKs and then a thousand segments are in flight: the first ones are measured, as far as there
    /// is room.
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
