//! Random processing time of a sending host, which prevents phase effects.
//!
//! Hosts without delay, links with equal times for equal packets and drop-tail queues lock senders in phase: at each
//! overflow the same sender loses (S. Floyd and V. Jacobson, "On traffic phase effects in packet-switched gateways",
//! 1992). Their remedy is used here: a random time in the host.

use windward_elements::engine::{Purpose, Stream};
use windward_units::{Duration, Time};

/// A host that takes a random time from an ACK to the data that the ACK releases.
#[derive(Debug)]
pub struct HostJitter {
    longest: Duration,
    stream: Stream,
    ready_at: Time,
}

impl HostJitter {
    /// HostJitter of the flow `key` in the run of `seed`, with a processing time of at most `longest`; `None` if that
    /// is zero.
    pub fn new(longest: Duration, key: u64, seed: u64) -> Option<Box<Self>> {
        let host = || Box::new(Self { longest, stream: Stream::new(seed, key, Purpose::Host), ready_at: Time::ZERO });
        (longest > Duration::ZERO).then(host)
    }

    /// Handles the arrival of an ACK. A busy host processes it together with the earlier one.
    pub fn on_ack(&mut self, now: Time) {
        if now >= self.ready_at {
            self.ready_at = now + self.longest.scale(self.stream.uniform());
        }
    }

    /// Time at which the host is ready to send; `None` if it is ready now.
    #[inline]
    pub fn busy_until(&self, now: Time) -> Option<Time> {
        (now < self.ready_at).then_some(self.ready_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_micros(100);

    /// The times are uniform up to the longest: mean one half, variance one twelfth of its square.
    #[test]
    fn times_are_uniform_and_of_their_own_stream() {
        let mut host = HostJitter::new(LONGEST, 1, 1).expect("it takes time");
        let times: Vec<f64> = (1..=10_000)
            .map(|second| {
                let now = Time::ZERO + Duration::from_millis(second * 1000);
                host.on_ack(now);
                host.busy_until(now).map_or(0.0, |until| until.since(now).ratio(LONGEST))
            })
            .collect();
        let mean = times.iter().sum::<f64>() / 1e4;
        let variance = times.iter().map(|time| (time - mean) * (time - mean)).sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.01 && (variance - 1.0 / 12.0).abs() < 0.003, "{mean} {variance}");
        assert!(times.iter().all(|time| *time < 1.0));
        let first = |key, seed| {
            let mut host = HostJitter::new(LONGEST, key, seed).expect("it takes time");
            host.on_ack(Time::ZERO);
            host.ready_at
        };
        assert_eq!(first(1, 1), first(1, 1));
        assert!(first(1, 1) != first(2, 1) && first(1, 1) != first(1, 2));
        assert!(HostJitter::new(Duration::ZERO, 1, 1).is_none());
    }

    /// ACKs that arrive while the host is busy do not extend its time.
    #[test]
    fn a_busy_host_is_not_put_off() {
        let mut host = HostJitter::new(LONGEST, 1, 1).expect("it takes time");
        host.on_ack(Time::ZERO);
        let until = host.busy_until(Time::ZERO).expect("it is busy");
        for micros in 0..100 {
            let now = Time::ZERO + Duration::from_micros(micros);
            if now < until {
                host.on_ack(now);
            }
        }
        assert_eq!(host.ready_at, until);
        assert_eq!(host.busy_until(until), None);
    }
}
