//! Packets in memory, as the kernels take them.

/// Packets of one size, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Packets<B> {
    /// All of them.
    pub bytes: B,
    /// Number of packets.
    pub count: usize,
    /// Bytes of each, a multiple of [`ALIGNMENT`].
    pub size: usize,
}

impl<B> std::fmt::Debug for Packets<B> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} of {} bytes", self.count, self.size)
    }
}

/// Packets begin and end at multiples of this many bytes from the first one: the widest register.
pub(crate) const ALIGNMENT: usize = 64;
