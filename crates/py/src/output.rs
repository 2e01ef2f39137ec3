//! Results of a run as columns, and the schema of all tables.

use crate::table::{Packed, data_to_python};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use windward_sim::{Output, Series};
#[cfg(target_os = "linux")]
use windward_tables::Row;
use windward_tables::{Data, Frame, Kind, Presence, Role, Table, WIDTH};

/// Tables of one run by name. The names that indices of `internals` refer to are in `internal_names`.
pub(crate) fn to_python<'py>(py: Python<'py>, output: Output) -> PyResult<Bound<'py, PyDict>> {
    let tables = PyDict::new(py);
    tables.set_item("seed", output.seed)?;
    tables.set_item("events", output.events)?;
    tables.set_item("packet_hops", output.packet_hops)?;
    let (frames, internal_names) = output.into_tables();
    tables.set_item("internal_names", internal_names)?;
    for frame in frames {
        tables.set_item(frame.table.name, columns(py, frame)?)?;
    }
    Ok(tables)
}

/// Samples so far of a running seed.
pub(crate) fn shown<'py>(py: Python<'py>, seed: u64, series: Series) -> PyResult<Bound<'py, PyDict>> {
    let Series { flows, links } = series;
    let tables = PyDict::new(py);
    tables.set_item("seed", seed)?;
    for frame in [Frame::of_series(flows), Frame::of_series(links)] {
        tables.set_item(frame.table.name, columns(py, frame)?)?;
    }
    Ok(tables)
}

/// Columns by name; each is freed after its conversion.
fn columns(py: Python<'_>, frame: Frame) -> PyResult<Bound<'_, PyDict>> {
    let table = PyDict::new(py);
    for (about, data) in frame.table.columns.iter().zip(frame.columns) {
        let values = match data {
            Data::Blocks(blocks) => Packed { blocks }.into_pyobject(py)?.into_any(),
            data => data_to_python(py, &data)?,
        };
        table.set_item(about.name, values)?;
    }
    Ok(table)
}

/// A single row as a dictionary of plain values.
#[cfg(target_os = "linux")]
pub(crate) fn row<'py, R: Row>(py: Python<'py>, row: R) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    for (about, data) in R::TABLE.columns.iter().zip(R::columns(&[row])) {
        fields.set_item(about.name, data_to_python(py, &data)?.get_item(0)?)?;
    }
    Ok(fields)
}

/// Adds the row of a link, if the table of links has it, to a dictionary of plain values.
#[cfg(target_os = "linux")]
pub(crate) fn add_row(py: Python<'_>, frame: &Frame, link: u32, fields: &Bound<'_, PyDict>) -> PyResult<()> {
    let [about, ..] = frame.table.columns else { return Ok(()) };
    let (Some(Data::Unsigned32(links)), "link") = (frame.columns.first(), about.name) else { return Ok(()) };
    let Some(at) = links.iter().position(|&one| one == link) else { return Ok(()) };
    for (about, data) in frame.table.columns.iter().zip(&frame.columns).skip(1) {
        fields.set_item(about.name, data_to_python(py, data)?.get_item(at)?)?;
    }
    Ok(())
}

/// Schema of all tables, a list for each kind of result: "packets", "timing" (of emulations), "optimum", "fluid" and
/// "sweep".
#[pyfunction]
pub(crate) fn tables(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("packets", list(py, &windward_sim::tables())?)?;
    #[cfg(target_os = "linux")]
    all.set_item("timing", list(py, &[windward_emulate::Quality::TABLE])?)?;
    all.set_item("optimum", list(py, windward_models::tables::OPTIMUM)?)?;
    all.set_item("fluid", list(py, windward_models::tables::FLUID)?)?;
    all.set_item("sweep", list(py, windward_models::tables::SWEEP)?)?;
    Ok(all)
}

fn list<'py>(py: Python<'py>, tables: &[&Table]) -> PyResult<Bound<'py, PyList>> {
    let rows = PyList::empty(py);
    for table in tables {
        let row = PyDict::new(py);
        row.set_item("name", table.name)?;
        row.set_item("doc", text(table.doc))?;
        row.set_item("shape", table.shape.name())?;
        row.set_item("entity", table.entity)?;
        row.set_item("is_always", table.presence == Presence::Always)?;
        let columns = PyList::empty(py);
        for column in table.all() {
            let field = PyDict::new(py);
            field.set_item("name", column.name)?;
            field.set_item("kind", if column.names.is_some() { Kind::Text } else { column.kind }.name())?;
            field.set_item("unit", column.unit)?;
            field.set_item("doc", text(column.doc))?;
            field.set_item("names", column.names)?;
            field.set_item("is_about", table.about.contains(column))?;
            field.set_item("is_fixed", column.role == Role::Fixed)?;
            field.set_item("relative_width", (column.role == Role::Binned).then_some(WIDTH))?;
            columns.append(field)?;
        }
        row.set_item("columns", columns)?;
        rows.append(row)?;
    }
    Ok(rows)
}

/// Lines of a doc comment as one text.
fn text(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}
