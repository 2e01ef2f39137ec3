//! Airtime deficits: traces by hand, shares, debts.

use super::{at, best_effort, fill, packet, queues, take, with_stations};
use crate::wifi::txq::{Category, Discipline, FlowsConfig, TxqConfig, Txqs};

const BE: Category = Category::BestEffort;

/// Serves the next TXQ with one packet, which takes `micros`, at a time in microseconds.
fn serve(queues: &mut Txqs, now: u64, micros: impl Fn(u32) -> u32) -> Option<u32> {
    queues.begin(BE);
    let txq = queues.next(BE)?;
    // Packets of saturated stations wait for long: CoDel may drop some.
    if let Some(taken) = queues.dequeue(at(now), txq, &mut |_, _| ()) {
        queues.airtime(at(now), txq.station, BE, micros(txq.station));
        queues.completed(at(now), txq, taken.estimate, &mut |_, _| ());
    }
    queues.give_back(at(now), txq, false);
    Some(txq.station)
}

#[test]
fn deficits_by_hand() {
    let mut queues = queues(2, |_| ());
    fill(&mut queues, at(0), 0, (0..9).map(|_| packet(1, 1500)));
    fill(&mut queues, at(0), 1, (0..9).map(|_| packet(2, 1500)));
    let deficits = |queues: &Txqs| [queues.deficit(0, BE), queues.deficit(1, BE)];
    assert_eq!(deficits(&queues), [256, 256]);
    let micros = |station| [300, 1000][station as usize];
    // The last to come is at the head: 256 − 1000.
    assert_eq!(serve(&mut queues, 0, micros), Some(1));
    assert_eq!(deficits(&queues), [256, -744]);
    // It owes: 256 more, to the end. Station 0: 256 − 300.
    assert_eq!(serve(&mut queues, 0, micros), Some(0));
    assert_eq!(deficits(&queues), [-44, -488]);
    // 0 is at the head: 212, to the end; 1: −232, to the end; 0 is served: −88.
    assert_eq!(serve(&mut queues, 0, micros), Some(0));
    assert_eq!(deficits(&queues), [-88, -232]);
    // 0: 168; 1: 24; 0: −132.
    assert_eq!(serve(&mut queues, 0, micros), Some(0));
    assert_eq!(deficits(&queues), [-132, 24]);
    // 0: 124, to the end; 1: −976.
    assert_eq!(serve(&mut queues, 0, micros), Some(1));
    assert_eq!(deficits(&queues), [124, -976]);
}

/// Airtime in microseconds of saturated stations whose PPDUs take `micros`, over ten seconds.
fn shares(queues: &mut Txqs, micros: &[u32]) -> Vec<f64> {
    let mut used = vec![0.0; micros.len()];
    let mut now = 0;
    for station in 0..micros.len() as u32 {
        fill(queues, at(0), station, (0..4).map(|_| packet(station, 100)));
    }
    while now < 10_000_000 {
        let station = serve(queues, now, |station| micros[station as usize]).expect("all have packets") as usize;
        used[station] += f64::from(micros[station]);
        now += u64::from(micros[station]);
        while queues.packets(best_effort(station as u32)) < 4 {
            fill(queues, at(now), station as u32, [packet(station as u32, 100)]);
        }
    }
    used
}

fn jain(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    sum * sum / (values.len() as f64 * values.iter().map(|value| value * value).sum::<f64>())
}

#[test]
fn airtime_is_shared_equally() {
    for micros in [&[4000, 300][..], &[300, 300, 4000], &[4000, 300, 1500, 5484, 100]] {
        let mut queues = queues(micros.len() as u32, |_| ());
        let used = shares(&mut queues, micros);
        assert!(jain(&used) > 0.9999, "{used:?}");
    }
}

#[test]
fn airtime_is_shared_by_weight() {
    let config = TxqConfig { aql: None, ..TxqConfig::default() };
    let mut queues = Txqs::new(&config, 1, 1);
    for weight in [256, 512, 1024] {
        queues.add_station(weight);
    }
    let used = shares(&mut queues, &[4000, 300, 2000]);
    let all: f64 = used.iter().sum();
    for (used, share) in used.iter().zip([1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0]) {
        assert!((used / all / share - 1.0).abs() < 0.01, "{used} of {all}");
    }
}

#[test]
fn without_fairness_stations_take_turns() {
    let config = TxqConfig { aql: None, airtime_fairness: false, ..TxqConfig::default() };
    let mut queues = with_stations(&config, 3);
    for station in 0..3 {
        fill(&mut queues, at(0), station, (0..3).map(|_| packet(station, 1500)));
    }
    let order: Vec<_> = (0..9).filter_map(|_| serve(&mut queues, 0, |_| 4000)).collect();
    assert_eq!(order, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
    let used = shares(&mut queues, &[4000, 300, 300]);
    assert!((used[0] / used[1] - 4000.0 / 300.0).abs() < 0.1, "{used:?}");
}

#[test]
fn each_queue_is_served_once_a_round() {
    let mut queues = queues(2, |_| ());
    fill(&mut queues, at(0), 0, (0..9).map(|_| packet(1, 1500)));
    fill(&mut queues, at(0), 1, (0..9).map(|_| packet(2, 1500)));
    queues.begin(BE);
    for expected in [Some(1), Some(0), None] {
        let next = queues.next(BE);
        assert_eq!(next.map(|txq| txq.station), expected);
        let Some(txq) = next else { continue };
        take(&mut queues, at(0), txq.station);
        // It owes nothing, and waits at the head of the list.
        queues.give_back(at(0), txq, false);
        if expected == Some(1) {
            queues.airtime(at(0), 1, BE, 1000);
        }
    }
}

#[test]
fn debts_outlive_an_empty_queue() {
    let mut queues = queues(2, |_| ());
    fill(&mut queues, at(0), 1, (0..40).map(|_| packet(2, 1500)));
    fill(&mut queues, at(0), 0, [packet(1, 1500)]);
    // Station 0 sends its only packet, for 4 ms, and stays listed behind station 1.
    assert_eq!(serve(&mut queues, 0, |_| 4000), Some(0));
    assert_eq!(queues.deficit(0, BE), 256 - 4000);
    // Its next packet comes at once: there is no new quantum, and it waits until its debt is paid.
    fill(&mut queues, at(10), 0, [packet(1, 1500)]);
    assert_eq!(queues.deficit(0, BE), 256 - 4000);
    let order: Vec<_> = (0..20).filter_map(|_| serve(&mut queues, 20, |_| 256)).collect();
    let turns = order.iter().position(|&station| station == 0).expect("its turn comes");
    // Station 1 is served twice before it owes. Then each of its packets gives station 0 a turn: 15 of 256 µs pay 3744.
    assert_eq!(turns, 17);
}

#[test]
fn an_empty_queue_leaves_the_list_when_its_debt_is_paid() {
    let mut queues = queues(1, |_| ());
    fill(&mut queues, at(0), 0, [packet(1, 1500)]);
    assert_eq!(serve(&mut queues, 0, |_| 4000), Some(0));
    // Alone, it gets its 15 turns at once, is found empty, and is not listed again.
    assert_eq!(serve(&mut queues, 10, |_| 4000), Some(0));
    assert_eq!(queues.deficit(0, BE), 256 - 4000 + 15 * 256);
    assert_eq!(serve(&mut queues, 20, |_| 4000), None);
    // A later packet is served at once.
    fill(&mut queues, at(30), 0, [packet(1, 1500)]);
    assert_eq!(serve(&mut queues, 30, |_| 4000), Some(0));
}

#[test]
fn debts_of_idle_stations_are_not_counted() {
    let mut queues = queues(1, |_| ());
    fill(&mut queues, at(0), 0, [packet(1, 1500)]);
    // Within 100 ms, and after.
    queues.airtime(at(100_000), 0, BE, 1000);
    assert_eq!(queues.deficit(0, BE), 256 - 1000);
    queues.airtime(at(101_000), 0, BE, 1000);
    assert_eq!(queues.deficit(0, BE), 256 - 1000);
    // Nor does an empty queue stay listed then.
    queues.begin(BE);
    let txq = queues.next(BE).expect("it has a packet");
    assert!(take(&mut queues, at(200_000), 0).is_some());
    queues.airtime(at(200_000), 0, BE, 1000);
    queues.give_back(at(200_000), txq, false);
    queues.begin(BE);
    assert_eq!(queues.next(BE), None);
}

#[test]
fn retries_keep_a_queue_listed() {
    let mut queues = queues(1, |_| ());
    fill(&mut queues, at(0), 0, [packet(1, 1500)]);
    queues.begin(BE);
    let txq = queues.next(BE).expect("it has a packet");
    assert!(take(&mut queues, at(0), 0).is_some());
    queues.give_back(at(0), txq, true);
    queues.begin(BE);
    assert_eq!(queues.next(BE), Some(txq));
}

#[test]
fn a_shared_queue_can_be_served_fairly_too() {
    let discipline = Discipline::Shared { above: FlowsConfig::fq_codel(), below: 123 };
    let config = TxqConfig { discipline, aql: None, ..TxqConfig::default() };
    let used = shares(&mut with_stations(&config, 2), &[4000, 300]);
    assert!(jain(&used) > 0.9999, "{used:?}");
}
