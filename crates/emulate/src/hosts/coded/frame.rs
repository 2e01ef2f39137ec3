//! Frames of the coding layer: combinations with their bytes, and the sink's feedback.
//!
//! An IPv4 packet begins with a 4; these begin with other numbers.

use windward_sim::coding::{Combination, Feedback, Request};
use windward_units::Duration;

const COMBINATION: u8 = 1;
const FEEDBACK: u8 = 2;
/// In place of the segment that a combination stands for.
const NO_SEGMENT: u32 = u32::MAX;
/// Bytes before the coefficients.
const HEAD: usize = 25;

/// Contents of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content<'a> {
    /// Header, coefficients, payload.
    Combination(Combination, &'a [u8], &'a [u8]),
    Feedback(Feedback),
    /// A packet that is not coded.
    Plain,
}

/// Most bytes of a combination of `segments` of `payload` bytes each.
pub(super) const fn room(segments: u32, payload: usize) -> usize {
    HEAD + segments as usize + payload
}

/// Writes a combination to the beginning of `room`; how long it is.
pub(super) fn write_combination(
    room: &mut [u8],
    combination: &Combination,
    coefficients: &[u8],
    payload: &[u8],
) -> usize {
    let Combination { block, id, size, columns, segment, rtt } = *combination;
    let micros = (rtt.as_nanos() / 1000).min(u64::from(u32::MAX)) as u32;
    let words = [block, id, size, columns, segment.unwrap_or(NO_SEGMENT), micros];
    let begin = write_words(room, COMBINATION, &words);
    let (middle, end) = (begin + coefficients.len(), begin + coefficients.len() + payload.len());
    room[begin..middle].copy_from_slice(coefficients);
    room[middle..end].copy_from_slice(payload);
    end
}

/// Writes the sink's feedback.
pub(super) fn write_feedback(room: &mut [u8], feedback: &Feedback) -> usize {
    let Feedback { block, rank, below, request } = *feedback;
    let (asked, missing) = request.map_or((0, 0), |request| (request.block, request.missing));
    write_words(room, FEEDBACK, &[block, rank, below, asked, missing])
}

/// Reads a frame that this has written, or a packet.
pub(super) fn read(frame: &[u8]) -> Content<'_> {
    match frame.split_first() {
        Some((&COMBINATION, rest)) => {
            let ([block, id, size, columns, segment, micros], rest) = read_words(rest);
            let (coefficients, payload) = rest.split_at(size as usize);
            let segment = (segment != NO_SEGMENT).then_some(segment);
            let rtt = Duration::from_micros(u64::from(micros));
            Content::Combination(Combination { block, id, size, columns, segment, rtt }, coefficients, payload)
        }
        Some((&FEEDBACK, rest)) => {
            let ([block, rank, below, asked, missing], _) = read_words(rest);
            let request = (missing > 0).then_some(Request { block: asked, missing });
            Content::Feedback(Feedback { block, rank, below, request })
        }
        _ => Content::Plain,
    }
}

fn write_words(room: &mut [u8], kind: u8, words: &[u32]) -> usize {
    room[0] = kind;
    for (place, word) in room[1..].chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    1 + 4 * words.len()
}

fn read_words<const N: usize>(bytes: &[u8]) -> ([u32; N], &[u8]) {
    let (head, rest) = bytes.split_at(4 * N);
    let mut words = head.chunks_exact(4).map(|word| word.iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte)));
    (std::array::from_fn(|_| words.next().unwrap_or_default()), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut bytes = [0xff; 60];
        let rtt = Duration::from_micros(1234);
        for segment in [Some(70_000), None] {
            let combination = Combination { block: 5, id: 1 << 20, size: 3, columns: 2, segment, rtt };
            let length = write_combination(&mut bytes, &combination, &[7, 8, 0], b"payload");
            assert_eq!(length, room(3, 7));
            assert_eq!(read(&bytes[..length]), Content::Combination(combination, &[7, 8, 0], b"payload"));
        }
        for request in [Some(Request { block: 4, missing: 9 }), None] {
            let feedback = Feedback { block: 5, rank: u32::MAX, below: 4, request };
            let length = write_feedback(&mut bytes, &feedback);
            assert_eq!(read(&bytes[..length]), Content::Feedback(feedback));
        }
        assert_eq!(read(&[0x45, 0, 0, 40]), Content::Plain);
    }
}
