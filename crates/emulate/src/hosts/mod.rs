//! A scenario between real kernels: hosts, flows, laws, and the record of what they did.

mod app;
mod arrivals;
mod coded;
mod flow;
mod flows;
mod limit;
#[cfg(not(feature = "quic"))]
mod no_quic;
mod options;
mod pace;
mod plan;
#[cfg(feature = "quic")]
mod quic;
mod record;
mod settings;
mod start;
mod traffic;
mod transfer;

use crate::error::Error;
use crate::quality::{Lateness, Quality};
use crate::sys::{Awake, Namespace, read_dropped, read_overflowed};
use crate::wire::{Orders, Outcome, Wire};
use app::App;
use flows::Flow;
use plan::{Hosts, Plan};
use record::Record;
use settings::Settings;
use start::Start;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use traffic::Traffic;
use transfer::Transfer;
use windward_scenario::Compiled;
use windward_sim::{Control, Destination, Fabric, Output, add_requests};

/// Options of an emulation beside the scenario.
#[derive(Default)]
pub struct Options {
    /// Seed of the random streams of links, cells and sources.
    pub seed: u64,
    /// Files for the flows' packets as pcapng, as their sources send and receive them.
    pub capture: Option<Destination>,
    /// Folder for the events of connections over QUIC, a qlog file for each.
    pub qlog: Option<PathBuf>,
    /// Runs even where the machine is measured to be too slow; the result will say how late it was.
    pub is_forced: bool,
    /// Settings of the hosts' kernels, as sysctl(8) names them: `net.ipv4.tcp_early_retrans` and its value.
    pub settings: Vec<(String, String)>,
    /// Flows, applications or groups that a congestion control of the kernel's own runs in place of their law: (`up`,
    /// `bbr`).
    pub congestion: Vec<(String, String)>,
}

/// Result of an emulation.
#[derive(Clone, Debug)]
pub struct Emulation {
    /// Tables as of a simulation. Values that the kernel does not report are missing: see each field's note in
    /// docs/guides/emulation.md.
    pub output: Output,
    /// Timing quality.
    pub quality: Quality,
    /// Differences of the kernel from the scenario.
    pub notes: Vec<String>,
}

/// Emulates a compiled scenario in real time.
///
/// # Errors
/// No right to make namespaces, devices or laws; something that real kernels cannot do; more packets than the machine
/// holds; [`Error::Interrupted`] after [`Control::cancel`].
pub fn emulate(compiled: &Compiled, options: Options, control: &Control) -> Result<Emulation, Error> {
    let network = &compiled.network;
    let plan = Plan::new(compiled, Settings::new(options.settings)?, &options.congestion)?;
    let _awake = Awake::begin();
    if !options.is_forced {
        limit::check(network, control)?;
    }
    let Hosts { namespaces, devices } = plan.build()?;
    let prepare = |flow| Flow::prepare(flow, &namespaces, network.timing, (options.seed, options.qlog.as_deref()));
    let flows: Vec<Flow<'_>> = plan.flows.iter().map(prepare).collect::<Result<_, _>>()?;
    let apps: Vec<App<'_>> = plan.apps.iter().map(|app| App::prepare(app, &namespaces)).collect::<Result<_, _>>()?;
    let routes = network.flows.iter().map(|flow| [&flow.forward, &flow.backward]);
    let routes = routes.chain(network.apps.iter().map(|app| [&app.forward, &app.backward]));
    let fabric = Fabric::new(network.topology.clone(), network.sources.clone(), routes, network.timing, options.seed);
    let stop = AtomicBool::new(false);
    let sort = Traffic::new(&plan, network, options.seed, options.capture, |flow| {
        let flow = &flows[flow];
        Box::new(move || flow.sight())
    });
    // The emulator has the probes, transfers their rate.
    let (orders, desk) = match network.transfers.iter().any(|transfer| transfer.probes.is_some()) {
        true => {
            Orders::new().map(|(orders, desk)| (Some(orders), Some(desk))).map_err(Error::system("making a bell"))?
        }
        false => (None, None),
    };
    let transfer = |config| Transfer::new(config, &flows, desk.clone());
    let transfers: Vec<Transfer<'_>> = network.transfers.iter().map(transfer).collect();
    let wire = Wire { fabric, orders, ports: devices, frame: coded::frame_size(plan.mtu), sort };
    let mut record = Record::new(network, &plan);
    // This thread, the emulator, and those of the traffic. Flows over TCP have two.
    let over_tcp = flows.iter().filter(|flow| matches!(flow, Flow::Tcp(_))).count();
    let start = Start::of(2 + flows.len() + over_tcp + transfers.len() + apps.len());
    let ran = thread::scope(|scope| {
        let emulator = scope.spawn(|| wire.run(|| start.wait(), &stop, network.timing.duration));
        let (mut quic, mut paced) = (Vec::new(), Vec::new());
        for flow in &flows {
            match flow {
                Flow::Tcp(flow) => {
                    paced.push(scope.spawn(|| flow.receive(&start, &stop, network.timing)));
                    paced.push(scope.spawn(|| flow.send(&start, &stop)));
                }
                Flow::Quic(flow) => quic.push(scope.spawn(|| flow.run(&start, &stop, network.timing))),
            }
        }
        for transfer in &transfers {
            scope.spawn(|| transfer.run(start.wait(), &stop));
        }
        let run = |app: &App<'_>| app.run(&start, &stop, network.timing, options.seed);
        let apps: Vec<_> = apps.iter().map(|app| scope.spawn(move || run(app))).collect();
        let clock = start.wait();
        while let Some(due) = record.next_due() {
            while clock.now() < due && !control.is_cancelled() && !emulator.is_finished() {
                thread::sleep(std::time::Duration::from_nanos(due.since(clock.now()).as_nanos().min(10_000_000)));
            }
            if control.is_cancelled() || (emulator.is_finished() && due < network.timing.duration) {
                break;
            }
            record.take(due, &flows, &transfers);
            control.set_simulated(due);
        }
        stop.store(true, Ordering::Relaxed);
        let apps: Result<Vec<_>, Error> = apps.into_iter().map(join).collect();
        let quic: Result<Vec<_>, Error> = quic.into_iter().map(join).collect();
        let mut lateness = quic?;
        lateness.extend(paced.into_iter().filter_map(join));
        Ok::<_, Error>((join(emulator)?, apps?, lateness))
    });
    if control.is_cancelled() {
        return Err(Error::Interrupted);
    }
    let (Outcome { fabric, sort, mut quality }, apps, paced) = ran?;
    let mut lateness = Lateness::new()?;
    apps.iter().map(|(_, own)| own).chain(&paced).for_each(|own| lateness.add(own));
    quality.add_applications(&lateness);
    let missed = |host: &Namespace| host.inside(|| Ok(read_dropped()? + read_overflowed()?)).unwrap_or(0);
    quality.missed = namespaces.iter().map(missed).sum();
    let mut counts = sort.finish().map_err(Error::system("writing the packet capture"))?;
    flows.iter().zip(&mut counts).for_each(|(flow, counts)| flow.add_to(counts));
    if let Some(problem) = flows.iter().find_map(|flow| flow.state().problem) {
        return Err(Error::Impossible(problem));
    }
    let output = Output { seed: options.seed, ..fabric.finish(network.timing.duration) };
    let mut output = record.finish(output, &flows, &counts);
    add_requests(&mut output, apps.into_iter().flat_map(|(clients, _)| clients).collect(), network.timing.duration);
    Ok(Emulation { output, quality, notes: plan.notes })
}

fn join<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
