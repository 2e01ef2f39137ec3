//! Payloads under way, each with a number that is used again after it has arrived.

/// Payloads under way.
pub struct Datagrams<T> {
    kept: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Datagrams<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), free: Vec::new() }
    }
}

impl<T> Datagrams<T> {
    /// Keeps a payload and returns its handle.
    pub fn keep(&mut self, payload: T) -> u32 {
        let handle = self.free.pop().unwrap_or_else(|| {
            self.kept.push(None);
            self.kept.len() as u32 - 1
        });
        self.kept[handle as usize] = Some(payload);
        handle
    }

    /// Takes out the payload of a handle; `None` if it was taken out before.
    pub fn take(&mut self, handle: u32) -> Option<T> {
        let payload = self.kept[handle as usize].take();
        if payload.is_some() {
            self.free.push(handle);
        }
        payload
    }
}
