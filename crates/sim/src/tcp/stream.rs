//! One direction of a two-way connection as a stream of bytes, cut into numbered segments.

use std::collections::VecDeque;

/// Bytes written by an application, and the segments that carry them.
///
/// A segment gets its size when it is first sent, and keeps it: a later write fills up a short tail only while the tail
/// waits. Most segments are full; the ring has the others until they are acknowledged.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Payload of a full segment.
    segment: u32,
    /// Bytes that the application has written.
    written: u64,
    /// Bytes of the segments sent so far.
    sent: u64,
    /// Short segments in flight: number, and bytes missing to a full one.
    short: VecDeque<(u32, u32)>,
    /// Bytes missing in the acknowledged short segments.
    missing: u64,
    fin: Fin,
}

/// End of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fin {
    /// The application may write more.
    Open,
    /// It has written its last byte.
    Due,
    /// FIN is on this segment.
    On(u32),
}

impl Stream {
    /// An empty stream of segments of `segment` bytes.
    pub fn new(segment: u32) -> Self {
        Self { segment, written: 0, sent: 0, short: VecDeque::new(), missing: 0, fin: Fin::Open }
    }

    /// Starts over, in the storage of this stream.
    pub fn recycle(&mut self) {
        let mut short = std::mem::take(&mut self.short);
        short.clear();
        *self = Self { short, ..Self::new(self.segment) };
    }

    /// Payload of a full segment.
    pub fn segment(&self) -> u32 {
        self.segment
    }

    /// Drops the bytes that wait to be sent.
    pub fn cut(&mut self) {
        self.written = self.sent;
    }

    /// Adds `bytes` of the application.
    pub fn write(&mut self, bytes: u64) {
        self.written += bytes;
    }

    /// Ends the stream: FIN follows the last byte.
    pub fn close(&mut self) {
        if self.fin == Fin::Open {
            self.fin = Fin::Due;
        }
    }

    /// True once the stream has ended.
    pub fn is_closing(&self) -> bool {
        self.fin != Fin::Open
    }

    /// True if the segment `number` carries FIN.
    pub fn is_last(&self, number: u32) -> bool {
        self.fin == Fin::On(number)
    }

    /// Bytes that the application has written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Segments that are ready to be sent: full ones, and a short tail if `with_tail`.
    pub fn ready(&self, with_tail: bool) -> u32 {
        let unsent = self.written - self.sent;
        let segment = u64::from(self.segment);
        let tail = with_tail && !unsent.is_multiple_of(segment);
        let count = unsent / segment + u64::from(tail || (unsent == 0 && self.fin == Fin::Due));
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Bytes that wait to be sent.
    pub fn unsent(&self) -> u64 {
        self.written - self.sent
    }

    /// Number of `ready` segments that fit below the byte `edge`: full ones, or everything.
    pub fn fitting(&self, ready: u32, edge: u64) -> u32 {
        let room = edge.saturating_sub(self.sent);
        if self.unsent() <= room {
            return ready;
        }
        ready.min(u32::try_from(room / u64::from(self.segment)).unwrap_or(u32::MAX))
    }

    /// Takes the payload of the new segment `number`. FIN rides on the last one, or has a segment of its own without
    /// payload.
    pub fn take(&mut self, number: u32) -> u32 {
        let payload = (self.written - self.sent).min(u64::from(self.segment)) as u32;
        self.sent += u64::from(payload);
        if payload < self.segment {
            self.short.push_back((number, self.segment - payload));
        }
        if self.fin == Fin::Due && self.written == self.sent {
            self.fin = Fin::On(number);
        }
        payload
    }

    /// Payload of the segment `number`, which has been sent and is not acknowledged.
    pub fn payload(&self, number: u32) -> u32 {
        let missing = self.short.iter().find(|(short, _)| *short == number).map_or(0, |(_, missing)| *missing);
        self.segment - missing
    }

    /// True if everything written has been sent, FIN too if the stream has ended.
    pub fn is_sent(&self) -> bool {
        self.sent == self.written && self.fin != Fin::Due
    }

    /// Records that the segments below `una` are acknowledged.
    #[inline]
    pub fn acknowledge(&mut self, una: u32) {
        while let Some(&(number, missing)) = self.short.front()
            && number < una
        {
            self.missing += u64::from(missing);
            self.short.pop_front();
        }
    }

    /// True if a short segment is in flight.
    pub fn has_short(&self) -> bool {
        !self.short.is_empty()
    }

    /// Bytes of the segments below `number`, at or above the first unacknowledged one.
    #[inline]
    pub fn below(&self, number: u32) -> u64 {
        let missing = self.short.iter().take_while(|(short, _)| *short < number);
        let missing: u64 = missing.map(|(_, missing)| u64::from(*missing)).sum();
        u64::from(number) * u64::from(self.segment) - self.missing - missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2500 bytes are two full segments of 1000 and one of 500; a write of 700 while the tail waits makes it full, and
    /// leaves a tail of 200.
    #[test]
    fn a_waiting_tail_is_filled_up() {
        let mut stream = Stream::new(1000);
        stream.write(2500);
        assert_eq!([stream.ready(false), stream.ready(true)], [2, 3]);
        assert_eq!([stream.take(0), stream.take(1)], [1000, 1000]);
        stream.write(700);
        assert_eq!([stream.take(2), stream.take(3)], [1000, 200]);
        assert!(stream.is_sent() && stream.has_short());
        assert_eq!([2, 3, 4].map(|number| stream.below(number)), [2000, 3000, 3200]);
        stream.write(1000);
        // 3200 bytes are sent.
        assert_eq!([3200, 4199, 4200, 9999].map(|edge| stream.fitting(stream.ready(true), edge)), [0, 0, 1, 1]);
        assert_eq!([stream.take(4), stream.payload(3), stream.payload(4)], [1000, 200, 1000]);
        stream.acknowledge(4);
        assert!(!stream.has_short());
        assert_eq!([4, 5].map(|number| stream.below(number)), [3200, 4200]);
    }

    /// FIN rides on bytes that wait, and otherwise goes alone.
    #[test]
    fn the_end_takes_a_segment_if_nothing_waits() {
        let mut stream = Stream::new(1000);
        stream.write(1500);
        stream.take(0);
        stream.close();
        assert_eq!((stream.ready(true), stream.take(1), stream.is_last(1)), (1, 500, true));
        assert_eq!((stream.ready(true), stream.is_sent()), (0, true));
        let mut stream = Stream::new(1000);
        stream.write(1000);
        stream.take(0);
        stream.close();
        assert!(!stream.is_sent());
        assert_eq!((stream.ready(false), stream.take(1), stream.is_last(1), stream.below(2)), (1, 0, true, 1000));
        assert!(stream.is_sent());
    }
}
