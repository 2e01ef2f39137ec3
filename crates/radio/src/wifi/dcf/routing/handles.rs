//! Routing messages queued or on the air: a packet carries the number of its message.

/// Values stored by number until they are released.
#[derive(Debug)]
pub struct Handles<T> {
    kept: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), free: Vec::new() }
    }
}

impl<T> Handles<T> {
    pub fn keep(&mut self, message: T) -> u32 {
        if let Some(handle) = self.free.pop() {
            self.kept[handle as usize] = Some(message);
            return handle;
        }
        self.kept.push(Some(message));
        self.kept.len() as u32 - 1
    }

    pub fn get(&self, handle: u32) -> Option<&T> {
        self.kept[handle as usize].as_ref()
    }

    pub fn release(&mut self, handle: u32) -> Option<T> {
        let message = self.kept[handle as usize].take();
        if message.is_some() {
            self.free.push(handle);
        }
        message
    }
}
