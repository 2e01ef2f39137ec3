//! Columns of numbers between the engine, Python and Parquet files, without numpy.

use crate::error;
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMemoryView, PyTuple};
use std::ffi::c_int;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use windward_tables::parquet::{Values, write};
use windward_tables::{Blocks, Data};

/// Element type of a column.
pub(crate) trait Number: Copy {
    /// Format character of Python's `struct`.
    const FORMAT: &'static str;
    /// Writes its bytes.
    fn put(self, bytes: &mut [u8]);
}

macro_rules! numbers {
    ($($number:ty = $format:literal),*) => {$(
        impl Number for $number {
            const FORMAT: &'static str = $format;
            fn put(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }
        }
    )*};
}

numbers!(f64 = "d", u64 = "Q", u32 = "I");

/// A column as a read-only memoryview: Python indexes it, and numpy takes it without copying.
pub(crate) fn column<'py, T: Number>(py: Python<'py>, values: &[T]) -> PyResult<Bound<'py, PyAny>> {
    let size = size_of::<T>();
    let bytes = PyBytes::new_with(py, size_of_val(values), |bytes| {
        bytes.chunks_exact_mut(size).zip(values).for_each(|(place, value)| value.put(place));
        Ok(())
    })?;
    PyMemoryView::from(&bytes)?.call_method1("cast", (T::FORMAT,))
}

/// A long column, compressed. numpy, Arrow and `memoryview` take it as a buffer of numbers, unpacked for them.
#[pyclass(frozen, module = "windward._engine")]
pub(crate) struct Packed {
    pub(crate) blocks: Blocks,
}

#[pymethods]
impl Packed {
    fn __len__(&self) -> usize {
        self.blocks.rows()
    }

    /// All values, as a read-only memoryview.
    fn unpack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data_to_python(py, &self.blocks.unpack())
    }

    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let values = slf.get().unpack(slf.py())?;
        // SAFETY: `view` is the caller's, to be filled. It then belongs to the memoryview, which it keeps alive and
        // which releases it.
        let failed = unsafe { ffi::PyObject_GetBuffer(values.as_ptr(), view, flags) } != 0;
        if failed { Err(PyErr::fetch(slf.py())) } else { Ok(()) }
    }
}

/// A column from Python, held while it is written.
enum Held {
    Double(PyBuffer<f64>),
    Unsigned(PyBuffer<u64>),
    Unsigned32(PyBuffer<u32>),
    Signed(PyBuffer<i64>),
    Text(Vec<String>),
    Named(Vec<String>, PyBuffer<u32>),
    Packed(Py<Packed>),
    NamedPacked(Vec<String>, Py<Packed>),
}

impl Held {
    /// A buffer of numbers, a list of texts, or a tuple of such a list and a buffer of indices into it.
    fn new(column: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(texts) = column.cast::<PyList>() {
            return texts.extract().map(Self::Text);
        }
        if let Ok(named) = column.cast::<PyTuple>() {
            let (names, indices): (Vec<String>, Bound<'_, PyAny>) = named.extract()?;
            if let Ok(packed) = indices.cast::<Packed>() {
                return Ok(Self::NamedPacked(names, packed.clone().unbind()));
            }
            return Ok(Self::Named(names, PyBuffer::get(&indices)?));
        }
        if let Ok(packed) = column.cast::<Packed>() {
            return Ok(Self::Packed(packed.clone().unbind()));
        }
        (PyBuffer::get(column).map(Self::Double))
            .or_else(|_| PyBuffer::get(column).map(Self::Unsigned))
            .or_else(|_| PyBuffer::get(column).map(Self::Unsigned32))
            .or_else(|_| PyBuffer::get(column).map(Self::Signed))
            .map_err(|_| PyTypeError::new_err("a column holds numbers, texts, or names and their indices"))
    }

    fn values<'a>(&'a self, py: Python<'a>) -> PyResult<Values<'a>> {
        Ok(match self {
            Self::Double(buffer) => Values::Double(slice(py, buffer)?),
            Self::Unsigned(buffer) => Values::Unsigned(slice(py, buffer)?),
            Self::Unsigned32(buffer) => Values::Unsigned32(slice(py, buffer)?),
            Self::Signed(buffer) => Values::Signed(slice(py, buffer)?),
            Self::Text(texts) => Values::Text(texts),
            Self::Named(names, buffer) => Values::Named { names, indices: slice(py, buffer)? },
            Self::Packed(packed) => Values::Blocks(&packed.get().blocks),
            Self::NamedPacked(names, packed) => Values::NamedBlocks { names, indices: &packed.get().blocks },
        })
    }
}

fn slice<'a, T: Element>(_py: Python<'a>, buffer: &'a PyBuffer<T>) -> PyResult<&'a [T]> {
    if buffer.item_count() == 0 {
        return Ok(&[]);
    }
    let values = buffer.as_slice_ptr().ok_or_else(|| PyValueError::new_err("a column is one run of memory"))?;
    // SAFETY: the buffer is held as long as the slice, and nobody writes to it meanwhile: that takes the interpreter's
    // lock, which `_py` holds.
    Ok(unsafe { values.as_ref() })
}

/// Writes a table as a Parquet file: columns of equal length, by name. `about` goes into its metadata, texts by key.
/// Raises OSError.
#[pyfunction]
#[pyo3(signature = (path, columns, about=Vec::new()))]
pub(crate) fn write_parquet(
    py: Python<'_>,
    path: PathBuf,
    columns: &Bound<'_, PyDict>,
    about: Vec<(String, String)>,
) -> PyResult<()> {
    let names: Vec<String> = columns.keys().extract()?;
    let held = columns.values().iter().map(|column| Held::new(&column)).collect::<PyResult<Vec<_>>>()?;
    let values = held.iter().map(|column| column.values(py)).collect::<PyResult<Vec<_>>>()?;
    if values.iter().any(|column| column.len() != values[0].len()) {
        return Err(PyValueError::new_err("columns of a table have one length"));
    }
    let table: Vec<_> = names.iter().map(String::as_str).zip(values).collect();
    let about: Vec<_> = about.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
    let written = File::create_new(&path).and_then(|file| write(BufWriter::new(file), &table, &about));
    written.map_err(|error| error::system(&path, &error))
}

/// A column as Python has it.
pub(crate) fn data_to_python<'py>(py: Python<'py>, data: &Data) -> PyResult<Bound<'py, PyAny>> {
    match data {
        Data::Double(values) => column(py, values),
        Data::Unsigned(values) => column(py, values),
        Data::Unsigned32(values) => column(py, values),
        Data::Truth(values) => Ok(values.into_pyobject(py)?.into_any()),
        Data::Blocks(blocks) => data_to_python(py, &blocks.unpack()),
    }
}
