//! Interruption of a scenario's Python code by Ctrl-C while it runs in a worker.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// Threads that run Python code of a scenario, with Python's identifiers for them.
static INSIDE: Mutex<Vec<(ThreadId, u64)>> = Mutex::new(Vec::new());

/// Time between two checks of the workers.
const STEP: Duration = Duration::from_millis(10);

/// Checks before a stopped worker is interrupted.
const GRACE: u32 = 20;

/// Checks before a worker is abandoned that ignores exceptions too (it sleeps, or catches everything).
const PATIENCE: u32 = 150;

fn inside() -> MutexGuard<'static, Vec<(ThreadId, u64)>> {
    INSIDE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Python's identifier for this thread.
pub(crate) fn this_thread(py: Python<'_>) -> PyResult<u64> {
    py.import("threading")?.call_method0("get_ident")?.extract()
}

/// Marks this thread as running a scenario's Python code until it is dropped.
pub(crate) struct Inside;

impl Inside {
    /// Marks a thread; `thread` is the result of `this_thread` here.
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

/// Waits for workers that have been stopped, and raises KeyboardInterrupt in those that run Python code. False if some
/// do not return.
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

/// Raises KeyboardInterrupt in those of the threads that run Python code; returns their number.
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
