//! Python code of a scenario's, which Ctrl-C must be able to end though it runs in a worker.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// Threads that run Python code of a scenario's, with Python's names for them.
static INSIDE: Mutex<Vec<(ThreadId, u64)>> = Mutex::new(Vec::new());

/// Between two looks at the workers.
const STEP: Duration = Duration::from_millis(10);

/// What was told to stop has so many steps to do it by itself.
const GRACE: u32 = 20;

/// What hears no exception either (it sleeps, or catches everything) is left to itself after so many.
const PATIENCE: u32 = 150;

fn inside() -> MutexGuard<'static, Vec<(ThreadId, u64)>> {
    INSIDE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Python's name for this thread.
pub(crate) fn this_thread(py: Python<'_>) -> PyResult<u64> {
    py.import("threading")?.call_method0("get_ident")?.extract()
}

/// Marks this thread as running a scenario's Python code until it is dropped.
pub(crate) struct Inside;

impl Inside {
    /// `thread` is what `this_thread` says here.
    pub(crate) fn new(thread: u64) -> Self {
        inside().push((thread::current().id(), thread));
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let this = thread::current().id();
        let mut inside = inside();
        if let Some(at) = inside.iter().rposition(|(thread, _)| *thread == this) {
            inside.swap_remove(at);
        }
    }
}

/// Waits for workers that were told to stop, and raises KeyboardInterrupt in those that run Python code. False where some do
/// not return.
pub(crate) fn wait_for(running: impl Fn() -> Vec<ThreadId>) -> bool {
    for step in 0_u32.. {
        let left = running();
        if left.is_empty() {
            return true;
        }
        if step > GRACE {
            let stuck = Python::attach(|py| raise_in(py, &left).unwrap_or(0));
            if stuck == left.len() && step > PATIENCE {
                return false;
            }
        }
        thread::sleep(STEP);
    }
    false
}

/// Raises KeyboardInterrupt in those of the threads that run Python code; returns how many do.
fn raise_in(py: Python<'_>, threads: &[ThreadId]) -> PyResult<usize> {
    // With the interpreter's lock held none enters or leaves.
    let found: Vec<_> = inside().iter().filter(|(thread, _)| threads.contains(thread)).map(|(_, name)| *name).collect();
    if found.is_empty() {
        return Ok(0);
    }
    let ctypes = py.import("ctypes")?;
    let raise = ctypes.getattr("pythonapi")?.getattr("PyThreadState_SetAsyncExc")?;
    let exception = ctypes.getattr("py_object")?.call1((py.get_type::<PyKeyboardInterrupt>(),))?;
    for name in &found {
        raise.call1((ctypes.getattr("c_ulong")?.call1((*name,))?, &exception))?;
    }
    Ok(found.len())
}
