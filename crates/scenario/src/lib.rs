//! The scenario format.
