//! Averages of running measurements.

/// Weight of the last `elapsed` seconds in an average, `age` seconds after its start. Until the time constant `scale`
/// has passed the average is the arithmetic mean from the start, then an exponential one. After a pause of the host
/// longer than both, the last `elapsed` seconds are all that counts.
pub(crate) fn weight(elapsed: f64, age: f64, scale: f64) -> f64 {
    elapsed / age.min(scale).max(elapsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_was_asleep_knows_the_rate_since() {
        let weight = |elapsed, age| weight(elapsed, age, 2.0);
        assert_eq!([weight(0.1, 0.1), weight(0.1, 0.4), weight(0.1, 60.0)], [1.0, 0.25, 0.05]);
        assert_eq!([weight(2.9, 60.0), weight(3600.0, 3601.0)], [1.0; 2]);
    }
}
