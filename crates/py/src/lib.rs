//! Python bindings: conversions and exceptions, no logic.

mod answer;
mod array;
mod by_hand;
mod captures;
mod coding;
#[cfg(target_os = "linux")]
mod emulate;
mod episodes;
mod error;
mod fluid;
mod interrupt;
mod job;
mod json;
#[cfg(target_os = "linux")]
mod kernel;
mod law;
mod makers;
mod network;
mod num;
mod optimum;
mod output;
mod rule;
mod scenario;
mod scheduler;
#[cfg(all(unix, feature = "transfer"))]
mod send;
#[cfg(all(target_os = "linux", feature = "transfer"))]
mod serve;
mod sweep;
mod table;
#[cfg(all(unix, feature = "transfer"))]
mod transfer;
mod waiting;
mod wifi_mode;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The compiled engines behind the `windward` package.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    let scenario_error = py.get_type::<error::ScenarioError>();
    scenario_error.setattr(error::PROBLEMS, PyTuple::empty(py))?;
    module.add("ScenarioError", scenario_error)?;
    module.add_class::<error::Problem>()?;
    module.add("MAX_SCENARIO", windward_scenario::MAX_TEXT)?;
    module.add("MAX_RECORDING", windward_scenario::MAX_RECORDING)?;
    module.add("NoAnswerError", py.get_type::<error::NoAnswerError>())?;
    module.add("LawError", py.get_type::<error::LawError>())?;
    module.add("KernelError", py.get_type::<error::KernelError>())?;
    module.add("EmulationError", py.get_type::<error::EmulationError>())?;
    module.add("TransferError", py.get_type::<error::TransferError>())?;
    module.add("RunInterrupted", py.get_type::<error::RunInterrupted>())?;
    module.add_class::<scenario::Scenario>()?;
    module.add_class::<job::Job>()?;
    module.add_class::<sweep::Sweep>()?;
    module.add_class::<episodes::Episodes>()?;
    module.add_class::<fluid::Stop>()?;
    module.add_class::<table::Packed>()?;
    module.add_class::<law::Ack>()?;
    module.add_class::<law::Congestion>()?;
    module.add_class::<scheduler::Slot>()?;
    module.add_class::<scheduler::Candidate>()?;
    module.add_class::<rule::Pair>()?;
    module.add_class::<network::FluidMap>()?;
    module.add_class::<by_hand::Window>()?;
    module.add_class::<by_hand::Connections>()?;
    module.add_class::<wifi_mode::WifiMode>()?;
    module.add_class::<coding::Decoder>()?;
    module.add_class::<coding::Encoder>()?;
    module.add_class::<coding::Recoder>()?;
    module.add_function(wrap_pyfunction!(coding::coding_kernel, module)?)?;
    module.add_function(wrap_pyfunction!(coding::coding_multiply, module)?)?;
    module.add_function(wrap_pyfunction!(network::fluid_download, module)?)?;
    module.add_function(wrap_pyfunction!(network::fluid_emultcp, module)?)?;
    module.add_function(wrap_pyfunction!(network::fluid_follow, module)?)?;
    module.add_function(wrap_pyfunction!(network::num_independent_sets, module)?)?;
    module.add_function(wrap_pyfunction!(network::num_region_jacobian, module)?)?;
    module.add_function(wrap_pyfunction!(network::num_region_rates, module)?)?;
    module.add_function(wrap_pyfunction!(network::num_region_stationary, module)?)?;
    module.add_function(wrap_pyfunction!(num::num_solve, module)?)?;
    module.add_function(wrap_pyfunction!(num::num_solve_reference, module)?)?;
    module.add_function(wrap_pyfunction!(num::num_subgradient, module)?)?;
    module.add_function(wrap_pyfunction!(output::tables, module)?)?;
    module.add_function(wrap_pyfunction!(table::write_parquet, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::quantity, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::read_text, module)?)?;
    #[cfg(all(unix, feature = "transfer"))]
    {
        module.add_function(wrap_pyfunction!(transfer::transfer_get, module)?)?;
        module.add_function(wrap_pyfunction!(transfer::transfer_masked, module)?)?;
        module.add_function(wrap_pyfunction!(transfer::transfer_options, module)?)?;
        module.add_function(wrap_pyfunction!(send::transfer_send, module)?)?;
    }
    #[cfg(all(target_os = "linux", feature = "transfer"))]
    module.add_function(wrap_pyfunction!(serve::transfer_serve, module)?)?;
    #[cfg(target_os = "linux")]
    {
        module.add_class::<emulate::EmulationJob>()?;
        module.add_class::<emulate::Links>()?;
        module.add_function(wrap_pyfunction!(emulate::emulate_link, module)?)?;
        module.add_function(wrap_pyfunction!(emulate::serve_link, module)?)?;
        module.add_function(wrap_pyfunction!(emulate::enter_link, module)?)?;
        module.add_class::<kernel::LoadedLaw>()?;
        module.add_function(wrap_pyfunction!(kernel::kernel_laws, module)?)?;
        module.add_function(wrap_pyfunction!(kernel::kernel_support, module)?)?;
        module.add_function(wrap_pyfunction!(kernel::kernel_load, module)?)?;
        module.add_function(wrap_pyfunction!(kernel::kernel_list, module)?)?;
        module.add_function(wrap_pyfunction!(kernel::kernel_set, module)?)?;
        module.add_function(wrap_pyfunction!(kernel::kernel_show, module)?)?;
        module.add_function(wrap_pyfunction!(kernel::kernel_unload, module)?)?;
        module.add_function(wrap_pyfunction!(kernel::kernel_clean, module)?)?;
    }
    module.add_function(wrap_pyfunction!(scenario::schema, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::laws, module)?)
}
