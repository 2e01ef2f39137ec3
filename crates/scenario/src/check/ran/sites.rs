//! Sites of a cell of LTE or NR, between which stations are handed over.

use super::keys::path;
use crate::check::common::{given_of, place};
use crate::check::key::key;
use crate::check::places::position;
use crate::format::ran::{HandoverTable, Propagation, RanCell, RanSite, station_power};
use crate::path::Segment;
use crate::problems::Problems;
use std::collections::BTreeSet;
use windward_sim::ran::geometry::{Geometry, Handover, Site};

/// Transmit power of the only site, in dBm.
const SITE_POWER: f64 = 46.0;

/// Sites and handover of a cell in which a station has a place; there are `before` sites of other cells. Reports
/// problems.
pub(super) fn geometry(cell: &RanCell, at: usize, before: usize, problems: &mut Problems) -> Option<Geometry> {
    if !cell.station.iter().any(|station| station.at.is_some() || station.layout.is_some()) {
        let given = [
            ("site", !cell.site.is_empty()),
            ("handover", cell.handover != HandoverTable::default()),
            ("propagation", cell.propagation != Propagation::default()),
            ("shadowing", !cell.shadowing),
            ("line_of_sight", cell.line_of_sight.is_some()),
            ("station_power", cell.station_power != station_power()),
        ];
        for key in given_of(given) {
            let hint = "at = [\"50 m\", \"200 m\"] of a station instead of its `snr`".to_owned();
            let message = format!("`{key}` is for stations that have a place, and none has");
            problems.add(path(at, [key]), message, Some(hint));
        }
        return None;
    }
    let table = &cell.handover;
    let filter = table.filter.0;
    if !(0.0..=19.0).contains(&filter) {
        problems.add(path(at, ["handover", "filter"]), format!("{filter} is out of range; allowed: 0 to 19"), None);
    }
    if table.hysteresis.0.count() < 0.0 {
        let message = format!("{} dB is out of range; allowed: 0 dB or more", table.hysteresis.0.count());
        problems.add(path(at, ["handover", "hysteresis"]), message, None);
    }
    let mut names = BTreeSet::new();
    for (index, site) in cell.site.iter().enumerate() {
        if !names.insert(&site.name.0) {
            let path = place("cell", at, ["site".into(), Segment::Index(index), "name".into()]);
            let message = format!("duplicate name `{}`: another site already has it", site.name.0);
            problems.add(path, message, Some("choose another `name`".to_owned()));
        }
    }
    let site = |(index, name, place, power): (usize, &str, _, f64)| Site {
        name: name.to_owned(),
        number: (before + index) as u32,
        key: key("site", &format!("{}/{name}", cell.name.0)),
        place,
        power,
    };
    let of_table = |(index, of): (usize, &RanSite)| site((index, &of.name.0, position(&of.at), of.power.0.as_dbm()));
    let sites = match cell.site.is_empty() {
        true => vec![site((0, &cell.name.0, (0.0, 0.0), SITE_POWER))],
        false => cell.site.iter().enumerate().map(of_table).collect(),
    };
    Some(Geometry {
        environment: cell.propagation.of_sim(),
        frequency: frequency(cell),
        has_shadowing: cell.shadowing,
        line_of_sight: cell.line_of_sight,
        station_power: cell.station_power.0.as_dbm(),
        sites,
        handover: Handover {
            offset: table.offset.0.count(),
            hysteresis: table.hysteresis.0.count(),
            time_to_trigger: table.time_to_trigger.0,
            sample: table.measurement_period.0,
            filter,
            preparation: table.preparation.0,
            interruption: table.interruption.0,
            forwarding: table.forwarding.then_some(table.forwarding_delay.0),
            reestablishment: table.reestablishment.0,
            ..Handover::standard()
        },
    })
}

/// Carrier frequency of a cell, in hertz.
pub(super) fn frequency(cell: &RanCell) -> f64 {
    cell.frequency.map_or_else(|| band(cell), |frequency| frequency.0.as_hertz())
}

/// Carrier frequency of a preset's band, in hertz.
fn band(cell: &RanCell) -> f64 {
    if cell.preset.name().starts_with("n78") { 3.5e9 } else { 2.1e9 }
}
