//! Computations on a thread of their own, while Python's waits and handles Ctrl-C at once, however long their steps
//! are.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use windward_num::Stop;
use windward_run::panic_text;
use windward_units::Control;

/// Hint at the end of the message of a panic.
pub(crate) const BUG: &str = "hint: this is a bug in Windward, please report it";

/// Time between two checks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);
/// Checks per progress report.
const TELL: u32 = 2;

/// Runs `work` without the interpreter's lock and returns its result. Meanwhile `tell` is called regularly. If a signal
/// handler or `tell` raises, cancels `control` and returns the exception; the work then ends by itself, without being
/// waited for.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    control: &Arc<Control>,
    work: impl FnOnce() -> T + Send + 'static,
    tell: impl Fn() -> PyResult<()>,
) -> PyResult<T> {
    let (done, mut answers) = channel();
    // It ends by sending, or by dropping the sender where it panics.
    let worker = thread::spawn(move || drop(done.send(work())));
    let mut looks = 0;
    loop {
        let heard;
        // A receiver is not shared: it goes along and comes back.
        (answers, heard) = py.detach(move || {
            let heard = answers.recv_timeout(LOOK);
            (answers, heard)
        });
        match heard {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let text = worker.join().err().map_or_else(String::new, |payload| panic_text(&*payload).to_owned());
                return Err(PyRuntimeError::new_err(format!("the engine failed: {text}\n{BUG}")));
            }
        }
        looks += 1;
        let is_due = looks % TELL == 0;
        let heard = py.check_signals().and_then(|()| if is_due { tell() } else { Ok(()) });
        heard.inspect_err(|_| control.cancel())?;
    }
}

/// Stop signal of a search, set once `control` is cancelled.
pub(crate) fn stop(control: &Arc<Control>) -> Stop {
    let control = Arc::clone(control);
    Stop::when(move || control.is_cancelled())
}
