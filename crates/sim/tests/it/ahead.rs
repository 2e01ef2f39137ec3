//! Links that hand packets on ahead of time, validated against runs in which each arrival is an event.

use crate::common::{flow, law, link, network, simulate};
use proptest::prelude::*;
use windward_sim::*;
use windward_units::{BitRate, Duration, Time};

fn millis(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

prop_compose! {
    fn links()(
        rate in prop::sample::select(vec![2_000_000, 8_000_000, 1_000_000_000]),
        delay in 0u64..30,
        buffer in 2u64..40,
        kind in 0..10,
    ) -> LinkConfig {
        let mut link = link(0, rate, Duration::from_millis(delay), Buffer::Packets(buffer));
        let change = |change: LinkChange| [LinkStep { at: millis(1500), change }].into();
        match kind {
            0 => link.loss = Loss::Bernoulli(0.02),
            1 => link.jitter = Jitter::Uniform(Duration::from_millis(9)),
            2 => link.reorder = Some(Reorder { share: 0.05, delay: Duration::from_millis(8) }),
            3 => link.hold = Some(Hold { length: Duration::from_millis(5), thins: true }),
            4 => link.queue = QueueConfig::CoDel(CoDelConfig::default()),
            5 => link.steps = change(LinkChange { loss: Some(Loss::Bernoulli(0.05)), ..LinkChange::default() }),
            6 => {
                let rate = Some(BitRate::bits_per_sec(5_000_000).into());
                link.steps = change(LinkChange { rate, delay: Some(Duration::ZERO.into()), ..LinkChange::default() });
            }
            7 => {
                let change = LinkChange { is_up: Some(false), drops: Drops::All, ..LinkChange::default() };
                let up = LinkChange { is_up: Some(true), ..LinkChange::default() };
                link.steps = [(millis(1500), change), (millis(1700), up)].map(|(at, change)| LinkStep { at, change }).into();
            }
            _ => {}
        }
        link
    }
}

prop_compose! {
    /// Two flows over three links that they share or not, and three back.
    fn networks()(
        mut links in prop::collection::vec(links(), 12),
        shared in prop::collection::vec(any::<bool>(), 6),
        interval in 3u64..400,
        warmup in 0u64..900,
        window in (1000u64..2000, 2000u64..3500),
        datagrams in any::<bool>(),
    ) -> Network {
        (0..).zip(&mut links).for_each(|(key, link)| link.key = key);
        let path = |of: u32, from: u32| -> Vec<u32> {
            (from..from + 3).map(|at| if shared[at as usize] { at } else { at + 6 * of }).collect()
        };
        let cubic = || law("cubic", serde_json::json!({}));
        let flows: Vec<_> = (0..2)
            .map(|of| flow(u64::from(of), cubic(), path(of, 0), path(of, 3), TcpOptions::default()))
            .collect();
        let mut network = network(links, flows, 0, 3);
        network.timing.warmup = millis(warmup);
        network.timing.sample_interval = Duration::from_millis(interval);
        network.windows = vec![millis(window.0)..millis(window.1)];
        if datagrams {
            let rate = BitRate::bits_per_sec(300_000);
            let bytes = windward_units::Bytes::new(500);
            network.sources.push(SourceConfig::new(9, (0, 1), vec![1, 2], Pattern::Poisson { rate }, bytes));
        }
        network
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    /// A run that its caller may look at anytime hands nothing on.
    #[test]
    fn packets_handed_on_change_nothing(network in networks(), seed in 0u64..1000) {
        let mut stepped = Stepped::new(&network, &Makers::default(), seed);
        stepped.advance(Time::NEVER, u64::MAX / 2, &Control::new(), |_| false);
        // Not `==`: series hold NaN before the first sample.
        prop_assert_eq!(format!("{:?}", stepped.finish()), format!("{:?}", simulate(&network, seed)));
    }
}
