//! Step control along the path of barrier parameters.

/// Step length along the path, and distance from it.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    /// Largest step in ln μ.
    pub longest: f64,
    /// Errors, in logarithms, that Newton's method surely corrects: a step need not lower them.
    pub near: f64,
    /// Most steps.
    pub steps: usize,
}

/// Settings from fast to slow. A path over forty powers of ten takes a hundred steps at the second pace and a thousand
/// at the last.
pub(super) const PACES: [Pace; 4] = [
    Pace { longest: 16.0, near: 0.5, steps: 200 },
    Pace { longest: 2.0, near: 0.25, steps: 2_000 },
    Pace { longest: 0.7, near: 0.1, steps: 2_000 },
    Pace { longest: 0.2, near: 0.03, steps: 2_000 },
];
