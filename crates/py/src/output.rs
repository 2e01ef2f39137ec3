//! Results of a run as columns: a dict per table.

use crate::table::column;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use windward_sim::{
    AirLog, BacklogSeries, BacklogStats, BlockStats, CodingStats, Column, Figures, FlowSeries, FlowStats, Internals,
    LinkSeries, LinkStats, Of, Output, Queued, Series, ShareStats, SourceStats,
};

/// One column per field of a slice of structures.
macro_rules! columns {
    ($py:expr, $rows:expr, $row:ident { $($field:ident),* $(,)? }) => {{
        let rows: &[$row] = $rows;
        let table = PyDict::new($py);
        $(table.set_item(stringify!($field), column($py, &rows.iter().map(|row| row.$field).collect::<Vec<_>>())?)?;)*
        table
    }};
}

/// One column per field of a structure of vectors, each freed after its conversion.
macro_rules! hand_over {
    ($py:expr, $series:expr, $kind:ident { $($field:ident),* $(,)? }) => {{
        let $kind { $($field),* } = $series;
        let table = PyDict::new($py);
        $(table.set_item(stringify!($field), column($py, &$field)?)?; drop($field);)*
        table
    }};
}

/// Tables of one run by name.
pub(crate) fn to_python<'py>(py: Python<'py>, output: Output) -> PyResult<Bound<'py, PyDict>> {
    let tables = PyDict::new(py);
    tables.set_item("seed", output.seed)?;
    tables.set_item("events", output.events)?;
    tables.set_item("packet_hops", output.packet_hops)?;
    tables.set_item(
        "flows",
        columns!(
            py,
            &output.flows,
            FlowStats {
                goodput_bps,
                goodput_pps,
                delivered_bytes,
                segments_sent,
                retransmits,
                segments_lost,
                recoveries,
                timeouts,
                marked,
                mean_cwnd,
                mean_window_rate_pps,
                mean_rtt_s,
                min_rtt_s,
                max_rtt_s,
                completion_s,
                unfinished,
            }
        ),
    )?;
    tables.set_item(
        "links",
        columns!(
            py,
            &output.links,
            LinkStats {
                packets,
                bytes,
                dropped,
                marked,
                lost,
                utilization,
                mean_backlog,
                max_backlog,
                mean_queue_delay_s,
            }
        ),
    )?;
    tables.set_item("figures", figures(py, output.figures)?)?;
    tables.set_item("air", air(py, output.air)?)?;
    tables.set_item(
        "background",
        columns!(py, &output.sources, SourceStats { sent, lost, received, marked, received_bps, mean_delay_s }),
    )?;
    tables.set_item("flow_series", flow_series(py, output.flow_series)?)?;
    tables.set_item("link_series", link_series(py, output.link_series)?)?;
    tables.set_item("backlogs", backlogs(py, &output.backlogs)?)?;
    tables.set_item("shares", shares(py, &output.shares)?)?;
    tables.set_item(
        "backlog_series",
        hand_over!(py, output.backlog_series, BacklogSeries { time_s, node, class, flow, backlog, idle_s, threshold }),
    )?;
    tables.set_item(
        "coding",
        columns!(
            py,
            &output.coding,
            CodingStats { flow, combinations, repairs, unmasked, received, innovative, requests, requested }
        ),
    )?;
    tables.set_item(
        "blocks",
        columns!(py, &output.blocks, BlockStats { flow, block, size, opened_s, began_s, decoded_s, requests }),
    )?;
    tables.set_item("internals", internals(py, output.internals)?)?;
    Ok(tables)
}

/// Samples so far of a running seed.
pub(crate) fn shown<'py>(py: Python<'py>, seed: u64, series: Series) -> PyResult<Bound<'py, PyDict>> {
    let tables = PyDict::new(py);
    tables.set_item("seed", seed)?;
    tables.set_item("flow_series", flow_series(py, series.flows)?)?;
    tables.set_item("link_series", link_series(py, series.links)?)?;
    Ok(tables)
}

fn flow_series(py: Python<'_>, series: FlowSeries) -> PyResult<Bound<'_, PyDict>> {
    let table =
        hand_over!(py, series, FlowSeries { time_s, flow, cwnd, flight, srtt_ms, rtt_ms, goodput_bps, retransmits });
    Ok(table)
}

fn link_series(py: Python<'_>, series: LinkSeries) -> PyResult<Bound<'_, PyDict>> {
    Ok(hand_over!(py, series, LinkSeries { time_s, link, backlog, queue_delay_ms, rate_bps, dropped }))
}

/// Counters of media, one table each.
fn figures(py: Python<'_>, all: Vec<Figures>) -> PyResult<Bound<'_, PyDict>> {
    let tables = PyDict::new(py);
    for Figures { name, of, rows, columns } in all {
        let table = PyDict::new(py);
        let entity = match of {
            Of::Ports => "port",
            Of::Nodes => "node",
        };
        table.set_item(entity, column(py, &rows)?)?;
        for (name, figures) in columns {
            match figures {
                Column::Counts(counts) => table.set_item(name, column(py, &counts)?)?,
                Column::Values(values) => table.set_item(name, column(py, &values)?)?,
            }
        }
        tables.set_item(name, table)?;
    }
    Ok(tables)
}

/// Queues of nodes that forward by backlog.
fn backlogs<'py>(py: Python<'py>, rows: &[BacklogStats]) -> PyResult<Bound<'py, PyDict>> {
    let table = columns!(
        py,
        rows,
        BacklogStats { node, arrived, dropped, mean_backlog, mean_trapped, max_backlog, last_backlog }
    );
    add_owners(py, &table, rows.iter().map(|row| row.of))?;
    Ok(table)
}

/// Packets of each flow by link.
fn shares<'py>(py: Python<'py>, rows: &[ShareStats]) -> PyResult<Bound<'py, PyDict>> {
    let table = columns!(py, rows, ShareStats { port, packets });
    add_owners(py, &table, rows.iter().map(|row| row.of))?;
    Ok(table)
}

fn add_owners(py: Python<'_>, table: &Bound<'_, PyDict>, of: impl Iterator<Item = Queued> + Clone) -> PyResult<()> {
    table.set_item("class", column(py, &of.clone().map(|of| of.class).collect::<Vec<_>>())?)?;
    table.set_item("flow", column(py, &of.map(|of| of.flow).collect::<Vec<_>>())?)
}

/// The frames of wireless networks.
fn air(py: Python<'_>, log: AirLog) -> PyResult<Bound<'_, PyDict>> {
    let AirLog { began_s, ended_s, from, to, kind, bytes, received } = log;
    let table = PyDict::new(py);
    table.set_item("began_s", column(py, &began_s)?)?;
    table.set_item("ended_s", column(py, &ended_s)?)?;
    for (name, values) in [("from", from), ("to", to), ("kind", kind), ("bytes", bytes), ("received", received)] {
        table.set_item(name, column(py, &values)?)?;
    }
    Ok(table)
}

/// Samples of the laws' internal state.
fn internals(py: Python<'_>, samples: Internals) -> PyResult<Bound<'_, PyDict>> {
    let Internals { names, time_s, flow, name, value } = samples;
    let table = PyDict::new(py);
    table.set_item("names", names)?;
    table.set_item("time_s", column(py, &time_s)?)?;
    table.set_item("flow", column(py, &flow)?)?;
    table.set_item("name", column(py, &name)?)?;
    table.set_item("value", column(py, &value)?)?;
    Ok(table)
}
