//! Scripts count bytes from 1, the simulator segments from 0.

/// Boundaries of segments in the byte stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The first byte of each segment, and one past the last.
    bounds: Vec<u32>,
}

impl Bytes {
    /// None yet.
    pub fn new() -> Self {
        Self { bounds: vec![1] }
    }

    /// The segments that a script's other end sends, `(from, to)` each; `None` where some overlap others in part.
    pub fn of(segments: &[(u32, u32)]) -> Option<Self> {
        let mut bounds: Vec<u32> = segments.iter().flat_map(|&(from, to)| [from, to]).chain([1]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let bytes = Self { bounds };
        segments.iter().all(|&(from, to)| bytes.number(to) == bytes.number(from).map(|n| n + 1)).then_some(bytes)
    }

    /// The application writes `count` bytes; a short last segment that is not among the first `sent` is filled first.
    /// Returns the number of segments.
    pub fn write(&mut self, count: u32, mss: u32, sent: u32) -> u32 {
        let before = self.bounds.len();
        let mut end = self.end() + count;
        std::mem::swap(&mut end, self.bounds.last_mut().expect("there is a first byte"));
        let total = self.end();
        let is_filled = self.bounds.len() > 1 && self.bounds.len() as u32 - 1 > sent;
        self.bounds.pop();
        let mut next = match self.bounds.last() {
            Some(&first) if is_filled && end - first < mss => first + mss,
            _ => {
                self.bounds.push(end);
                end + mss
            }
        };
        while next < total {
            self.bounds.push(next);
            next += mss;
        }
        self.bounds.push(total);
        (self.bounds.len() - before) as u32
    }

    /// One past the last byte.
    pub fn end(&self) -> u32 {
        *self.bounds.last().expect("there is a first byte")
    }

    /// The first byte of a segment, or one past the last.
    pub fn byte(&self, number: u32) -> u32 {
        self.bounds.get(number as usize).copied().unwrap_or_else(|| self.end())
    }

    /// The segment that begins at `byte`, or one past the last.
    pub fn number(&self, byte: u32) -> Option<u32> {
        self.bounds.binary_search(&byte).ok().map(|number| number as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_make_segments() {
        let mut bytes = Bytes::new();
        assert_eq!(bytes.write(2500, 1000, 0), 3);
        assert_eq!((bytes.byte(2), bytes.end()), (2001, 2501));
        // The short one is sent: the next bytes begin another.
        assert_eq!((bytes.write(1000, 1000, 3), bytes.byte(4)), (1, 3501));
        assert_eq!((bytes.write(300, 1000, 4), bytes.write(1000, 1000, 4), bytes.end()), (1, 1, 4801));
        assert_eq!((bytes.number(4501), bytes.number(4502)), (Some(5), None));
    }

    #[test]
    fn segments_of_the_other_end_may_come_again_but_not_overlap() {
        let bytes = Bytes::of(&[(1, 1001), (2001, 3001), (1, 1001)]).expect("they are apart");
        assert_eq!((bytes.number(2001), bytes.byte(3), bytes.number(1500)), (Some(2), 3001, None));
        assert_eq!(Bytes::of(&[(1, 1001), (501, 1501)]), None);
    }
}
