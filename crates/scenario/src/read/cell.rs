//! Cells, which a `technology` makes those of LTE or NR: keys of the other kind, and features that are not modelled,
//! are refused by name.

use super::missing::{Missing, refuse_missing};
use super::table::table;
use super::tree::{Kind, Tree};
use crate::format::AnyCell;
use crate::path::Segment;
use crate::problems::Problems;

/// Keys of slotted cells alone, and what takes their place in LTE and NR.
const SLOTTED: [(&str, &str); 7] = [
    ("slot", "the `preset` has its own slots"),
    ("symbol_rate", "the `preset` has its own carrier"),
    ("amc", "the `mcs_table` decides"),
    ("direction", "the cell has both directions"),
    ("service", "RLC divides packets among blocks"),
    ("shared_buffer", "each station and direction has its `buffer`"),
    ("repair", "`harq` and `rlc` repair"),
];

/// Keys of LTE and NR alone.
const RADIO: [&str; 18] = [
    "preset",
    "frequency",
    "tdd",
    "special",
    "layers",
    "mcs_table",
    "per_slot",
    "harq",
    "adaptation",
    "rlc",
    "drx",
    "delay_spread",
    "propagation",
    "shadowing",
    "line_of_sight",
    "station_power",
    "site",
    "handover",
];

/// Features of LTE and NR that are not modelled, and what to use instead.
const MISSING: [Missing; 9] = [
    ("carriers", "carrier aggregation", "use a preset with the bandwidth of all carriers, such as \"n78-100mhz\""),
    (
        "carrier_aggregation",
        "carrier aggregation",
        "use a preset with the bandwidth of all carriers, such as \"n78-100mhz\"",
    ),
    ("dual_connectivity", "dual connectivity", "use two cells and a flow over each"),
    ("code_block_groups", "feedback on code-block groups", "leave it out: a block is repeated as a whole"),
    ("mini_slots", "mini-slots", "use a preset with slots of 0.5 ms, such as \"n78-20mhz\""),
    ("configured_grants", "configured grants", "use `prescheduling` of `uplink`"),
    ("mu_mimo", "multi-user MIMO", "use `layers`: one station has each resource block"),
    ("interference", "interference of a given level", "lower the `snr` of stations by it, or add a [[cell.site]]"),
    ("sidelink", "sidelink", "use links between nodes"),
];

/// Bands of frequency range 2.
const MILLIMETRE_WAVES: [&str; 5] = ["n257", "n258", "n259", "n260", "n261"];

/// Reads the cells of a file; `None` if one is wrong.
pub(super) fn read(tree: &Tree, problems: &mut Problems) -> Option<Vec<AnyCell>> {
    let items = match tree.get("cell").map(|tree| &tree.kind) {
        None | Some(Kind::Null) => return Some(Vec::new()),
        Some(Kind::List(items)) => items,
        Some(_) => return None,
    };
    let read = |(at, item): (usize, &Tree)| cell(item.clone(), [Segment::from("cell"), Segment::Index(at)], problems);
    let read: Vec<Option<AnyCell>> = items.iter().enumerate().map(read).collect();
    read.into_iter().collect()
}

fn cell(mut item: Tree, place: [Segment; 2], problems: &mut Problems) -> Option<AnyCell> {
    let has = |item: &Tree, key: &str| item.get(key).is_some_and(|value| !matches!(value.kind, Kind::Null));
    let before = problems.len();
    let is_radio = has(&item, "technology");
    refuse_missing(&mut item, &place, &MISSING, problems);
    let mut refuse = |item: &mut Tree, key: &'static str, message: String, hint: String| {
        if has(item, key) {
            problems.add(place.iter().cloned().chain([key.into()]), message, Some(hint));
            item.remove(&[key.into()]);
        }
    };
    if let Some(Kind::Text(preset)) = item.get("preset").map(|preset| &preset.kind)
        && MILLIMETRE_WAVES.iter().any(|band| preset.starts_with(band))
    {
        let message = "not modelled: millimetre waves (FR2)".to_owned();
        refuse(&mut item, "preset", message, "use \"n78-100mhz\" with `layers`".to_owned());
        return None;
    }
    if is_radio {
        for (key, why) in SLOTTED {
            let message = format!("`{key}` is of slotted cells; with a `technology` {why}");
            refuse(&mut item, key, message, format!("remove `{key}`, or `technology`"));
        }
    } else {
        for key in RADIO {
            let message = format!("`{key}` is of LTE and NR cells");
            refuse(&mut item, key, message, "add technology = \"lte\" or \"nr\"".to_owned());
        }
        // It lacks what a slotted cell needs, which is not the fault.
        if problems.len() > before {
            return None;
        }
    }
    let read = match is_radio {
        true => table(item, &place, problems).map(|cell| AnyCell::Ran(Box::new(cell))),
        false => table(item, &place, problems).map(|cell| AnyCell::Slotted(Box::new(cell))),
    };
    read.filter(|_| problems.len() == before)
}
