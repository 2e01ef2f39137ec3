//! Beginning of an episode.

use super::shares::Piece;
use windward_scenario::Scenario;

/// Beginning of an episode.
#[derive(Clone)]
pub struct Beginning<'a> {
    /// The scenario, without parts written in Python.
    pub scenario: &'a Scenario,
    /// Indices of the flows that agents control.
    pub flows: Vec<usize>,
    /// Seed of the random streams.
    pub seed: u64,
    /// Pacing rate in packets per second with which agents begin who set one.
    pub rate: Option<f64>,
    /// Best rates; empty without a certificate.
    pub pieces: Vec<Piece>,
}
