//! Linux's queues: traces by hand, limits, fairness, conservation.

mod conservation;
mod estimates;
mod flows;
mod linux;
mod schedule;

use super::{Discipline, FlowsConfig, StationId, Taken, Txq, TxqConfig, Txqs};
use windward_elements::ecn::{Codepoint, Ecn};
use windward_elements::packet::{Kind, Packet};
use windward_units::Time;

/// Microseconds.
fn at(micros: u64) -> Time {
    Time::from_nanos(micros * 1000)
}

/// A packet of a flow.
fn packet(flow: u32, size: u32) -> Packet {
    Packet::new(Kind::Data, Time::ZERO, flow, 0, size)
}

/// A packet that can be marked.
fn capable(flow: u32, size: u32) -> Packet {
    Packet { ecn: Ecn::new(Codepoint::Capable), ..packet(flow, size) }
}

/// Best-effort queue of a station.
const fn best_effort(station: StationId) -> Txq {
    Txq { station, tid: 0 }
}

/// Queues in every TXQ, with a change of their parameters, for a number of stations; no AQL.
fn queues(stations: u32, change: impl FnOnce(&mut FlowsConfig)) -> Txqs {
    let mut flows = FlowsConfig::mac80211(true);
    change(&mut flows);
    let config = TxqConfig { discipline: Discipline::PerStation(flows), aql: None, ..TxqConfig::default() };
    with_stations(&config, stations)
}

fn with_stations(config: &TxqConfig, stations: u32) -> Txqs {
    let mut queues = Txqs::new(config, 1, 1);
    for _ in 0..stations {
        queues.add_station(Txqs::WEIGHT);
    }
    queues
}

/// Queues packets of which none is dropped.
fn fill(queues: &mut Txqs, now: Time, station: StationId, packets: impl IntoIterator<Item = Packet>) {
    for packet in packets {
        queues.enqueue(now, best_effort(station), packet, &mut |txq, _| panic!("{txq:?} drops"));
    }
}

/// Takes a packet; none is dropped.
fn take(queues: &mut Txqs, now: Time, station: StationId) -> Option<Taken> {
    queues.dequeue(now, best_effort(station), &mut |txq, _| panic!("{txq:?} drops"))
}
