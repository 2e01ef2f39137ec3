//! Memory of bursts.

use std::collections::VecDeque;

/// Capacity that is not worth giving back.
const SMALL: usize = 8;

/// Gives back most of a ring's memory if it is nearly empty. A ring that stays in use keeps twice what it holds.
pub(super) fn tidy<T>(ring: &mut VecDeque<T>) {
    if ring.capacity() > SMALL && 4 * ring.len() <= ring.capacity() {
        ring.shrink_to(2 * ring.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_nearly_empty_ring_gives_memory_back() {
        let mut ring: VecDeque<u32> = (0..64).collect();
        tidy(&mut ring);
        assert!(ring.capacity() >= 64);
        ring.drain(..60);
        tidy(&mut ring);
        assert!(ring.capacity() < 16 && ring.iter().copied().eq(60..64));
        ring.clear();
        tidy(&mut ring);
        assert!(ring.capacity() <= SMALL);
    }
}
