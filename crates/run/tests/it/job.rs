//! Jobs run every seed once, on any number of threads, and end at the first failure or when cancelled.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use windward_laws::{Ack, AnyLaw, Congestion, Law};
use windward_run::{AlreadyStarted, Captures, Error, Job, MissingStack, PacketFiles, Seed, Simulations, Stack, Task};
use windward_scenario::Scenario;
use windward_sim::{MakeLaw, Makers};
use windward_units::Packets;

/// A task that calls a closure for each seed.
struct Told<F>(F);

impl<F: Fn(&Seed<'_>) -> Result<Option<u64>, &'static str> + Send + Sync + 'static> Task for Told<F> {
    type Output = u64;
    type Failure = &'static str;
    fn run(&self, seed: &Seed<'_>) -> Result<Option<u64>, Error<&'static str>> {
        (self.0)(seed).map_err(Error::Failed)
    }
}

/// All results of a job, and the error that ended it.
fn all<T: Task>(job: &Job<T>) -> (Vec<T::Output>, Option<Error<T::Failure>>) {
    let (mut finished, mut ended) = (Vec::new(), None);
    while !job.is_done() {
        match job.wait(Duration::from_secs(60)) {
            Ok(outputs) => finished.extend(outputs),
            Err(error) => ended = Some(error),
        }
    }
    (finished, ended)
}

#[test]
fn every_seed_is_run_once() {
    for threads in [0, 1, 3, 100] {
        let job = Job::new(Told(|seed: &Seed<'_>| Ok(Some(seed.number))), 1..=20, threads);
        job.start(None).unwrap();
        assert_eq!(job.start(None), Err(AlreadyStarted));
        let (mut seeds, error) = all(&job);
        seeds.sort_unstable();
        assert!(seeds.into_iter().eq(1..=20) && error.is_none());
    }
}

#[test]
fn a_job_without_seeds_is_done_at_once() {
    let job = Job::new(Told(|_: &Seed<'_>| Ok(Some(0))), [], 2);
    job.start(None).unwrap();
    assert!(all(&job).0.is_empty());
}

#[test]
fn the_first_failure_ends_it_after_what_had_finished() {
    let job =
        Job::new(Told(|seed: &Seed<'_>| if seed.number < 3 { Ok(Some(seed.number)) } else { Err("no") }), 1..=9, 1);
    job.start(None).unwrap();
    let (seeds, error) = all(&job);
    assert_eq!(seeds, [1, 2]);
    assert!(matches!(error, Some(Error::Failed("no"))));
}

#[test]
fn a_panic_is_an_error() {
    let job = Job::new(Told(|_: &Seed<'_>| panic!("a test says so")), 1..=9, 2);
    job.start(None).unwrap();
    let error = all(&job).1.expect("an error");
    assert!(matches!(&error, Error::Panicked { seed: 1 | 2, text } if text == "a test says so"), "{error}");
}

#[test]
fn who_cancels_keeps_what_had_finished() {
    let begun = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&begun);
    let until_cancelled = move |seed: &Seed<'_>| {
        count.fetch_add(1, Ordering::Relaxed);
        if seed.number == 1 {
            return Ok(Some(1));
        }
        while !seed.control.is_cancelled() {
            std::thread::yield_now();
        }
        Ok(None)
    };
    let job = Job::new(Told(until_cancelled), 1..=9, 1);
    job.start(None).unwrap();
    while begun.load(Ordering::Relaxed) < 2 {
        std::thread::yield_now();
    }
    job.cancel();
    assert_eq!(begun.load(Ordering::Relaxed), 2);
    assert_eq!(all(&job).0, [1]);
}

#[test]
fn workers_pause_until_outputs_are_fetched() {
    let begun = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&begun);
    let counted = move |seed: &Seed<'_>| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(Some(seed.number))
    };
    let job = Job::new(Told(counted), 1..=100, 2);
    job.start(None).unwrap();
    // Room for two outputs per worker; the fourth pauses its worker, the fifth the other.
    while begun.load(Ordering::Relaxed) < 5 {
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(begun.load(Ordering::Relaxed), 5);
    let (mut seeds, error) = all(&job);
    seeds.sort_unstable();
    assert!(seeds.into_iter().eq(1..=100) && error.is_none());
}

#[test]
fn cancelling_wakes_workers_that_pause() {
    let job = Job::new(Told(|seed: &Seed<'_>| Ok(Some(seed.number))), 1..=100, 2);
    job.start(None).unwrap();
    job.cancel();
    assert!(job.running().is_empty());
    assert!(all(&job).0.len() <= 5);
}

const SCENARIO: &str = "name = \"n\"\nduration = \"1 s\"\nnode = [{ name = \"a\" }, { name = \"b\" }]\n\
                        link = [{ from = \"a\", to = \"b\", rate = \"1 Mbit/s\", delay = \"10 ms\" }]\n\
                        flow = [{ from = \"a\", to = \"b\", law = LAW }]\n";

fn scenario(law: &str) -> Scenario {
    Scenario::from_toml(&SCENARIO.replace("LAW", law), "test").unwrap_or_else(|error| panic!("{error}"))
}

fn simulations() -> Simulations<()> {
    Simulations::new(scenario("\"reno\""), |_| Makers::default()).expect("it needs no QUIC")
}

#[test]
fn threads_do_not_change_what_a_seed_returns() {
    let run = |threads| {
        let job = Job::new(simulations(), [3, 1, 2], threads);
        job.start(None).unwrap();
        let (mut outputs, _) = all(&job);
        outputs.sort_by_key(|output| output.seed);
        assert!(job.progress().iter().all(|time| time.as_secs() == 1.0));
        format!("{outputs:?}")
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn a_law_that_fails_ends_the_job() {
    /// Keeps ten packets in flight until the first acknowledgement, at which it fails.
    struct Fragile(Box<dyn Fn() + Send>);
    impl Law for Fragile {
        fn on_ack(&mut self, _: &Ack) {
            (self.0)();
        }
        fn on_congestion(&mut self, _: &Congestion) {}
        fn on_undo(&mut self, _: Packets) {}
        fn cwnd(&self) -> Packets {
            Packets::new(10.0)
        }
    }
    let own = "{ name = \"python\", class = \"fragile:Fragile\" }";
    let simulations = Simulations::new(scenario(own), |fuse| {
        let fuse = Arc::clone(fuse);
        let make: MakeLaw = Arc::new(move |_| {
            let fuse = Arc::clone(&fuse);
            AnyLaw::external(Fragile(Box::new(move || fuse.blow("it broke"))))
        });
        Makers { laws: vec![make], ..Makers::default() }
    });
    let job = Job::new(simulations.expect("it needs no QUIC"), [1, 2], 1);
    job.start(None).unwrap();
    let (outputs, error) = all(&job);
    assert!(outputs.is_empty());
    assert!(matches!(error, Some(Error::Failed("it broke"))), "{error:?}");
}

#[test]
fn a_capture_that_cannot_be_written_names_its_file() {
    for (packets, place) in
        [(PacketFiles::Together, "/nowhere/seed-7.pcapng"), (PacketFiles::Apart, "/nowhere/captures-7")]
    {
        let job = Job::new(simulations(), [7], 1);
        job.start(Some(Captures { folder: "/nowhere".into(), packets: Some(packets), has_qlog: false })).unwrap();
        let (_, error) = all(&job);
        let Some(Error::Capture { path, .. }) = error else { panic!("{error:?}") };
        assert_eq!(path, Path::new(place));
    }
}

#[test]
fn what_a_run_shows_on_its_way_is_the_beginning_of_what_it_returns() {
    let job = Job::new(simulations(), [7], 1);
    assert!(job.peek().is_empty());
    job.start(None).unwrap();
    let mut shown = Vec::new();
    let mut outputs = Vec::new();
    while !job.is_done() {
        shown.extend(job.peek());
        outputs.extend(job.wait(Duration::from_micros(50)).unwrap());
    }
    for (seed, series) in shown {
        let so_far = series.flows.time_s.len();
        assert_eq!((seed, &series.flows.cwnd[..]), (7, &outputs[0].flow_series.unpack().cwnd[..so_far]));
        assert_eq!(series.links.backlog, outputs[0].link_series.unpack().backlog[..series.links.backlog.len()]);
    }
}

/// A build has all stacks that its features name. Others are refused before a seed begins.
#[test]
fn a_stack_that_a_build_lacks_is_refused() {
    for (stack, is_here, law) in [
        (Stack::Quinn, cfg!(feature = "quic"), "\"cubic\", transport = \"quic\""),
        (Stack::Noq, cfg!(feature = "noq"), "\"cubic\", transport = \"quic\", law_of = \"noq\""),
    ] {
        let refused = Simulations::<()>::new(scenario(law), |_| Makers::default()).err();
        // noq has quinn beside it: the first that is missing is named.
        let stack = if cfg!(feature = "quic") { stack } else { Stack::Quinn };
        assert_eq!(refused, (!is_here).then(|| MissingStack { user: "a->b".to_owned(), stack }));
    }
}
