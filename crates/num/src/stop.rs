//! Cancellation of a computation from another thread.

use crate::error::Error;
use std::fmt;
use std::sync::Arc;

/// Cancellation signal, polled between the steps of a computation. The default never cancels.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    /// Cancels a computation with [`Error::Interrupted`] once `is_over` returns true.
    pub fn when(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(is_over)))
    }

    /// True if the computation is to end.
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|is_over| is_over())
    }

    /// Returns an error once the signal is set.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn check(&self) -> Result<(), Error> {
        if self.is_set() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stop({})", self.is_set())
    }
}
