//! Frames at the viewer of a stream: their delays, missed ones, and freezes.

use std::collections::VecDeque;
use windward_tables::Histogram;
use windward_units::{Duration, Time};

/// Excess over the time between two frames from which a gap is a freeze, as in WebRTC's statistics.
const FREEZE: Duration = Duration::from_millis(150);

/// A frame on its way.
#[derive(Clone, Copy, Debug)]
struct Frame {
    made: Time,
    /// Packets that have not arrived.
    missing: u32,
}

/// The frames of a stream. A frame is shown when its last packet arrives, unless a newer one has been shown.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Time between two frames.
    frame: Duration,
    /// Number of the first frame that may be shown.
    first: u32,
    frames: VecDeque<Frame>,
    /// Number after the newest frame of which a packet has arrived.
    begun: u32,
    /// Time of the last frame that was shown; before it, of the first that was encoded.
    last: Option<Time>,
    /// Delay of the last frame that was shown, from its encoding.
    pub last_delay: Option<Duration>,
    /// First frame that counts, and number of those shown.
    from: u32,
    shown: u32,
    freezes: u64,
    frozen: Duration,
    /// Delays of the frames that were shown.
    pub delays: Histogram,
}

impl Picture {
    /// A picture of one frame every `frame`.
    pub fn new(frame: Duration) -> Self {
        Self {
            frame,
            first: 0,
            frames: VecDeque::new(),
            begun: 0,
            last: None,
            last_delay: None,
            from: 0,
            shown: 0,
            freezes: 0,
            frozen: Duration::ZERO,
            delays: Histogram::default(),
        }
    }

    /// Starts the counters.
    pub fn reset(&mut self) {
        (self.from, self.shown, self.freezes, self.frozen) = (self.first, 0, 0, Duration::ZERO);
        self.delays.clear();
    }

    /// Frames that were not shown although a packet of a newer one has arrived, and those that were shown.
    pub fn missed_and_shown(&self) -> (u64, u64) {
        // The newest one may still be completed.
        let passed = self.begun.saturating_sub(1).max(self.first) - self.from;
        (u64::from(passed - self.shown), u64::from(self.shown))
    }

    /// Freezes and their sum at the end of the run: gaps between two shown frames of more than three of their times,
    /// and of more than 150 ms beyond one. The last may still last; one without any frame begins with the first
    /// encoding.
    pub fn freezes(&self, end: Time) -> (u64, Duration) {
        match self.last.and_then(|last| self.freeze(last, end)) {
            Some(gap) => (self.freezes + 1, self.frozen + gap),
            None => (self.freezes, self.frozen),
        }
    }

    /// Length of a freeze between two times.
    fn freeze(&self, from: Time, to: Time) -> Option<Duration> {
        Some(to.since(from)).filter(|&gap| gap > (self.frame * 3).max(self.frame + FREEZE))
    }

    /// Records a frame of `packets` packets, and returns its number.
    pub fn encode(&mut self, now: Time, packets: u32) -> u32 {
        self.last.get_or_insert(now);
        self.frames.push_back(Frame { made: now, missing: packets });
        self.first + self.frames.len() as u32 - 1
    }

    /// Handles the arrival of a packet of a frame.
    pub fn arrive(&mut self, now: Time, number: u32) {
        let Some(at) = number.checked_sub(self.first) else { return };
        let Some(frame) = self.frames.get_mut(at as usize) else { return };
        self.begun = self.begun.max(number + 1);
        frame.missing -= 1;
        if frame.missing > 0 {
            return;
        }
        let delay = now.since(frame.made);
        self.shown += 1;
        self.delays.record(delay.as_nanos());
        if self.last_delay.replace(delay).is_some()
            && let Some(gap) = self.last.and_then(|last| self.freeze(last, now))
        {
            self.freezes += 1;
            self.frozen += gap;
        }
        self.last = Some(now);
        self.frames.drain(..=at as usize);
        self.first = number + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of two packets every 50 ms, 30 ms on their way. The third lacks one until the fourth is there; then
    /// nothing is shown for 250 ms, more than 50 + 150 ms.
    #[test]
    fn late_frames_are_missed_and_gaps_are_freezes() {
        let ms = |millis: u64| Time::from_nanos(millis * 1_000_000);
        let mut picture = Picture::new(Duration::from_millis(50));
        for at in 0..4 {
            assert_eq!(picture.encode(ms(50 * at), 2), at as u32);
            picture.arrive(ms(50 * at + 30), at as u32);
            if at != 2 {
                picture.arrive(ms(50 * at + 31), at as u32);
            }
        }
        picture.arrive(ms(190), 2);
        assert_eq!((picture.missed_and_shown(), picture.freezes(ms(200))), ((1, 3), (0, Duration::ZERO)));
        assert_eq!(picture.last_delay, Some(Duration::from_millis(31)));
        assert_eq!(picture.encode(ms(400), 1), 4);
        picture.arrive(ms(431), 4);
        assert_eq!((picture.missed_and_shown(), picture.freezes(ms(440))), ((1, 4), (1, Duration::from_millis(250))));
        // Another one lasts until the end.
        assert_eq!(picture.freezes(ms(931)), (2, Duration::from_millis(750)));
    }

    /// A stream of which no frame is ever complete: all but the newest are missed, and it is frozen from its first
    /// frame on.
    #[test]
    fn a_stream_that_shows_nothing_is_frozen() {
        let ms = |millis: u64| Time::from_nanos(millis * 1_000_000);
        let mut picture = Picture::new(Duration::from_millis(50));
        for at in 0..20 {
            picture.encode(ms(50 * at), 2);
            picture.arrive(ms(50 * at + 30), at as u32);
        }
        assert_eq!(picture.missed_and_shown(), (19, 0));
        assert_eq!(picture.freezes(ms(1000)), (1, Duration::from_millis(1000)));
    }
}
