//! Solver options.

use serde::{Deserialize, Serialize};

/// Tolerance and step limit of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Largest relative residual at which to stop. Default 1e-10.
    pub tolerance: f64,
    /// Most Newton steps of a method. Default 10 000: ordinary problems take 10 to 80.
    pub max_iterations: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 10_000 }
    }
}
