//! Episodes: an agent that does nothing changes no byte of a run, no control beats the certificate, and threads do not
//! matter.

use std::sync::Arc;
use windward_laws::{AnyLaw, Reins};
use windward_run::{Action, Beginning, Ending, Episode, EpisodeSettings, Episodes, Every, FEATURES, OF_NETWORK, Piece};
use windward_scenario::Scenario;
use windward_sim::{LawChoice, Makers, Output, run};
use windward_units::{Control, Duration, Time};

/// Two flows over a link, of which the second loses packets and marks.
fn scenario(law: &str, more: &str) -> Scenario {
    let text = format!(
        r#"
        name = "episodes"
        duration = "8 s"
        warmup = "1 s"
        node = [{{ name = "a" }}, {{ name = "b" }}]
        link = [{{ name = "core", from = "a", to = "b", rate = "12 Mbit/s", delay = "20 ms", buffer = "60 packets" {more} }}]
        flow = [
            {{ name = "own", from = "a", to = "b", law = {law} }},
            {{ name = "other", from = "a", to = "b", law = "cubic", start = "1 s" }},
        ]
        "#
    );
    Scenario::from_toml(&text, "test.toml").unwrap()
}

fn settings(every: Every) -> EpisodeSettings {
    EpisodeSettings {
        agents: 1,
        action: Action::Window(1.25),
        is_over_law: false,
        every,
        history: 2,
        features: (0..FEATURES.len()).collect(),
        most_events: 1_000_000,
    }
}

fn beginning(scenario: &Scenario, seed: u64) -> Beginning<'_> {
    Beginning { scenario, flows: vec![0], seed, rate: None, pieces: Vec::new() }
}

/// All of an output, with what is no number.
fn whole(output: &Output) -> String {
    format!("{output:?}")
}

/// Output of an episode in which nothing is done.
fn idle(scenario: &Scenario, settings: EpisodeSettings) -> String {
    let control = Control::new();
    let mut episode = Episode::new(&beginning(scenario, 3), &Arc::new(settings), &control);
    while episode.ending() == Ending::Open {
        episode.step(&[0.0], &control);
    }
    assert_eq!(episode.ending(), Ending::OutOfTime);
    whole(&episode.finish())
}

#[test]
fn a_constant_action_is_a_run_of_a_law_with_a_constant_window() {
    for more in ["", ", loss = \"1 %\", jitter = { model = \"uniform\", max = \"2 ms\" }"] {
        let scenario = scenario("\"reno\"", more);
        let mut network = scenario.compile(3).network;
        network.flows[0].law = LawChoice::Own(0);
        let laws = vec![Arc::new(|initial| AnyLaw::external(Constant(Reins::new(initial)))) as _];
        let expected = run(&network, &Makers { laws, ..Makers::default() }, 3, &Control::new(), None).unwrap();
        for every in [Every::RoundTrips(1.0), Every::Span(Duration::from_millis(37)), Every::Acks(3)] {
            assert!(idle(&scenario, settings(every)) == whole(&expected), "{every:?}");
        }
    }
}

/// A law with a constant window behind a pointer, as a user's own law is.
struct Constant(Reins);

impl windward_laws::Law for Constant {
    fn on_ack(&mut self, _ack: &windward_laws::Ack) {}
    fn on_congestion(&mut self, _event: &windward_laws::Congestion) {}
    fn cwnd(&self) -> windward_units::Packets {
        windward_laws::Law::cwnd(&self.0)
    }
    fn on_undo(&mut self, _before: windward_units::Packets) {}
}

#[test]
fn a_law_beneath_an_idle_agent_is_that_law() {
    for law in ["quic-tcp", "cubic", "bbr3"] {
        let scenario = scenario(&format!("\"{law}\""), ", loss = \"0.3 %\"");
        let network = scenario.compile(3).network;
        let expected = run(&network, &Makers::default(), 3, &Control::new(), None).unwrap();
        for every in [Every::RoundTrips(0.5), Every::Acks(1)] {
            let found = idle(&scenario, EpisodeSettings { is_over_law: true, ..settings(every) });
            assert!(found == whole(&expected), "{law}, {every:?}");
        }
    }
}

/// Random numbers below 1.
fn draws(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = windward_units::splitmix64(state);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Figures of the networks and features after some steps of random actions in 20 environments.
fn played(threads: usize) -> (Vec<f32>, Vec<f64>, Vec<u8>) {
    let scenario = scenario("\"reno\"", ", loss = \"0.5 %\"");
    let mut episodes = Episodes::new(20, settings(Every::RoundTrips(1.0)), threads);
    let control = Control::new();
    let beginnings: Vec<_> = (0..20).map(|seed| Some(beginning(&scenario, seed))).collect();
    episodes.reset(&beginnings, &control, &|| ());
    let mut draw = draws(1);
    for _ in 0..60 {
        let actions: Vec<f64> = (0..20).map(|_| 2.0 * draw() - 1.0).collect();
        episodes.step(&actions, &[1; 20], &control, &|| ());
    }
    let results = episodes.results();
    (results.features, results.figures, results.endings)
}

#[test]
fn threads_do_not_matter() {
    let one = played(1);
    assert!(one.0.iter().all(|value| value.is_finite()));
    for threads in [2, 8] {
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let other = played(threads);
        assert_eq!((&other.0, bits(&other.1), &other.2), (&one.0, bits(&one.1), &one.2));
    }
}

#[test]
fn no_policy_beats_the_certificate() {
    // 12 Mbit/s of packets of 1500 bytes with 1448 of payload; the second flow begins after 1 s.
    let whole = 12e6 * 1448.0 / 1500.0;
    let at = |seconds, rates: [f64; 2]| Piece {
        from: Time::ZERO + Duration::from_secs(seconds),
        rates: rates.map(|share| share * whole).to_vec(),
    };
    let pieces = vec![at(0.0, [1.0, 0.0]), at(1.0, [0.5, 0.5])];
    let scenario = scenario("\"reno\"", "");
    let control = Control::new();
    let mut least = f64::INFINITY;
    for policy in 0..40 {
        let mut draw = draws(policy);
        let bias = 2.0 * draw() - 1.0;
        let begin = Beginning { pieces: pieces.clone(), ..beginning(&scenario, policy) };
        let mut episode = Episode::new(&begin, &Arc::new(settings(Every::RoundTrips(1.0))), &control);
        while episode.ending() == Ending::Open {
            episode.step(&[bias + draw() - 0.5], &control);
            let [_, _, certified, regret, slack, of_episode, slack_of_episode] = *episode.of_network();
            assert!(certified > 0.0);
            assert!(of_episode >= -slack_of_episode - 1e-9, "{policy}: {of_episode} {slack_of_episode}");
            assert!(slack.is_finite() && regret.is_finite());
        }
        let regret = episode.of_network()[OF_NETWORK.iter().position(|name| *name == "episode_regret").unwrap()];
        least = least.min(regret);
    }
    // A certificate far above every policy would show nothing.
    assert!(least < 0.5, "{least}");
}

#[test]
fn a_step_ends_after_so_many_events_and_when_it_is_cancelled() {
    let scenario = scenario("\"reno\"", "");
    let control = Control::new();
    let settings = Arc::new(EpisodeSettings { most_events: 500, ..settings(Every::Span(Duration::from_secs(7.0))) });
    let episode = Episode::new(&beginning(&scenario, 1), &settings, &control);
    assert_eq!(episode.ending(), Ending::TooManyEvents);
    let mut episodes = Episodes::new(1, EpisodeSettings::clone(&settings), 1);
    control.cancel();
    episodes.reset(&[Some(beginning(&scenario, 1))], &control, &|| ());
    assert!(episodes.finish(0).is_none());
}
