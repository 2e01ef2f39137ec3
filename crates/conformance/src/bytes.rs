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

    /// Adds a segment of `count` bytes after all others.
    pub fn push(&mut self, count: u32) {
        self.bounds.push(self.end() + count);
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
    fn segments_follow_one_another() {
        let mut bytes = Bytes::new();
        for count in [1000, 500, 1] {
            bytes.push(count);
        }
        assert_eq!((bytes.byte(1), bytes.byte(2), bytes.end()), (1001, 1501, 1502));
        assert_eq!((bytes.number(1501), bytes.number(1502), bytes.number(7)), (Some(2), Some(3), None));
    }

    #[test]
    fn segments_of_the_other_end_may_come_again_but_not_overlap() {
        let bytes = Bytes::of(&[(1, 1001), (2001, 3001), (1, 1001)]).expect("they are apart");
        assert_eq!((bytes.number(2001), bytes.byte(3), bytes.number(1500)), (Some(2), 3001, None));
        assert_eq!(Bytes::of(&[(1, 1001), (501, 1501)]), None);
    }
}
