//! The bytes of packets on their way: frames of one size, taken and given back by number.

/// Frames that are in use at most: 2^19 of 1500 bytes are 786 MB.
const MOST: usize = 1 << 19;

/// Length of the packet in a frame that is free.
const FREE: u32 = u32::MAX;

/// All frames.
pub(crate) struct Frames {
    size: usize,
    frames: Vec<Box<[u8]>>,
    lengths: Vec<u32>,
    free: Vec<u32>,
}

impl Frames {
    /// Frames of `size` bytes, `ready` of them made already.
    pub(crate) fn new(size: usize, ready: usize) -> Self {
        let mut frames = Self { size, frames: Vec::new(), lengths: Vec::new(), free: Vec::new() };
        let taken: Vec<u32> = (0..ready).filter_map(|_| frames.take()).collect();
        taken.into_iter().for_each(|number| frames.give_back(number));
        frames
    }

    /// A frame to write into; `None` where too many are in use.
    pub(crate) fn take(&mut self) -> Option<u32> {
        if let Some(number) = self.free.pop() {
            self.lengths[number as usize] = 0;
            return Some(number);
        }
        let number = u32::try_from(self.frames.len()).ok().filter(|_| self.frames.len() < MOST)?;
        // Written to, so that its memory is there when a packet comes.
        self.frames.push(vec![0xff; self.size].into_boxed_slice());
        self.lengths.push(0);
        Some(number)
    }

    /// The whole frame, to write a packet into.
    pub(crate) fn room(&mut self, number: u32) -> &mut [u8] {
        &mut self.frames[number as usize]
    }

    /// Says how long its packet is.
    pub(crate) fn set_length(&mut self, number: u32, length: usize) {
        self.lengths[number as usize] = length as u32;
    }

    /// The packet in it.
    pub(crate) fn packet(&self, number: u32) -> &[u8] {
        &self.frames[number as usize][..self.lengths[number as usize] as usize]
    }

    /// The packet in it, to write in its headers.
    pub(crate) fn packet_mut(&mut self, number: u32) -> &mut [u8] {
        &mut self.frames[number as usize][..self.lengths[number as usize] as usize]
    }

    /// It is free again.
    pub(crate) fn give_back(&mut self, number: u32) {
        // A frame that is free twice would be written by two packets.
        let length = std::mem::replace(&mut self.lengths[number as usize], FREE);
        debug_assert!(length != FREE, "frame {number} is given back twice");
        self.free.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_used_again() {
        let mut frames = Frames::new(8, 2);
        let first = frames.take().expect("two are ready");
        frames.room(first)[..3].copy_from_slice(b"abc");
        frames.set_length(first, 3);
        assert_eq!(frames.packet(first), b"abc");
        frames.give_back(first);
        assert_eq!(frames.take(), Some(first));
        assert_eq!((0..4).filter_map(|_| frames.take()).count(), 4);
    }

    #[test]
    #[should_panic(expected = "frame 1 is given back twice")]
    fn a_frame_is_given_back_once() {
        let mut frames = Frames::new(8, 2);
        frames.give_back(1);
    }
}
