//! Network coding for Python: packets, coefficients and payloads are bytes or buffers of bytes.

use pyo3::Borrowed;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use windward_coding::{Block, Error, Kernel};

/// Packets of a block, ready to be combined; see `windward.coding`.
#[pyclass(frozen, module = "windward.coding")]
pub(crate) struct Encoder(windward_coding::Encoder);

#[pymethods]
impl Encoder {
    #[new]
    fn new(packets: Vec<Bytes>) -> PyResult<Self> {
        windward_coding::Encoder::new(&packets).map(Self).map_err(refused)
    }

    fn encode<'py>(&self, py: Python<'py>, coefficients: Bytes) -> PyResult<Bound<'py, PyBytes>> {
        let payload = self.0.encode(&coefficients.0).map_err(refused)?;
        Ok(PyBytes::new(py, &payload))
    }

    fn encode_all<'py>(&self, py: Python<'py>, rows: Vec<Bytes>) -> PyResult<Bound<'py, PyList>> {
        let coded = py.detach(|| self.0.encode_all(&rows)).map_err(refused)?;
        list(py, &coded)
    }

    fn __len__(&self) -> usize {
        self.0.block().len()
    }

    #[getter]
    fn size(&self) -> usize {
        self.0.block().size()
    }
}

/// Received combinations of a block until it is complete; see `windward.coding`.
#[pyclass(module = "windward.coding")]
pub(crate) struct Decoder {
    inner: windward_coding::Decoder,
    packets: usize,
}

#[pymethods]
impl Decoder {
    #[new]
    fn new(packets: usize, size: usize) -> PyResult<Self> {
        let inner = windward_coding::Decoder::new(packets, size).map_err(refused)?;
        Ok(Self { inner, packets })
    }

    fn add(&mut self, coefficients: Bytes, payload: Bytes) -> PyResult<bool> {
        self.inner.add(&coefficients.0, &payload.0).map_err(refused)
    }

    #[getter]
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    #[getter]
    fn is_complete(&self) -> bool {
        self.inner.is_complete()
    }

    fn packet<'py>(&self, py: Python<'py>, at: usize) -> Option<Bound<'py, PyBytes>> {
        self.inner.packet(at).map(|packet| PyBytes::new(py, &packet))
    }

    fn decode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let missing = || {
            let rank = self.inner.rank();
            PyValueError::new_err(format!("{rank} of {} independent combinations received", self.packets))
        };
        list(py, &py.detach(|| self.inner.decode()).ok_or_else(missing)?)
    }
}

/// Combinations at an intermediate node; see `windward.coding`.
#[pyclass(module = "windward.coding")]
pub(crate) struct Recoder(windward_coding::Recoder);

#[pymethods]
impl Recoder {
    #[new]
    fn new(packets: usize, size: usize) -> PyResult<Self> {
        windward_coding::Recoder::new(packets, size).map(Self).map_err(refused)
    }

    fn add(&mut self, coefficients: Bytes, payload: Bytes) -> PyResult<()> {
        self.0.add(&coefficients.0, &payload.0).map_err(refused)
    }

    fn recode<'py>(&self, py: Python<'py>, factors: Bytes) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let coded = self.0.recode(&factors.0).map_err(refused)?;
        Ok((PyBytes::new(py, &coded.coefficients), PyBytes::new(py, &coded.payload)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// The product of two elements of the field.
#[pyfunction]
pub(crate) fn coding_multiply(a: u8, b: u8) -> u8 {
    windward_coding::field::multiply(a, b)
}

/// CPU instructions that combine packets on this machine.
#[pyfunction]
pub(crate) fn coding_kernel() -> &'static str {
    Kernel::best().name()
}

/// Bytes, or any buffer of them.
struct Bytes(Vec<u8>);

impl<'py> FromPyObject<'_, 'py> for Bytes {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        PyBuffer::get(&given)?.to_vec(given.py()).map(Self)
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn list<'py>(py: Python<'py>, block: &Block) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, block.packets().map(|packet| PyBytes::new(py, packet)))
}

fn refused(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
