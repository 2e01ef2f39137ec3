//! From a network to hosts, addresses and kernel laws.
//!
//! Every flow has two addresses of its own, so that a packet's destination alone says whose it is and which way it
//! goes, and the kernel's routes carry what differs between flows.

use super::options::{set_receiver, set_sender};
use super::settings::Settings;
use crate::error::Error;
use crate::sys::{Namespace, Netlink, Route, TcpSocket, Tun, write_setting};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use windward_kernel::{KernelLaw, Loaded};
use windward_laws::LawSpec;
use windward_laws::emultcp::Kind;
use windward_scenario::{Compiled, FlowName};
use windward_sim::{
    AppConfig, FlowConfig, IdleRestart, LawChoice, MediumConfig, NodeId, ReceiveBuffer, SendBuffer, TcpOptions,
};
use windward_units::{Bytes, Duration, Time};

/// CUBIC's parameter that Linux's always has on.
const HYSTART: &str = "hystart";
/// CUBIC's parameter that says whose it is, and that the kernel's is Linux's.
const VERSION: &str = "version";
const KERNELS: &str = "linux";

/// The first flow's addresses: 10.0.0.16 sends, 10.0.0.17 receives.
const FIRST: u32 = 0x0a00_0010;

/// Least, first and largest receive buffer of a sink whose data are coded: they come a block at once, in which Linux
/// sees no reason to enlarge its buffer.
const CODED_RECEIVE_BUFFER: &str = "4096 4194304 268435456";

/// Receive and send buffers of Linux 6.18, and those for windows as large as any link needs.
const LINUX_BUFFERS: [&str; 2] = ["4096 131072 33554432", "4096 16384 4194304"];
const LARGE_BUFFERS: [&str; 2] = ["4096 131072 268435456", "4096 131072 268435456"];

/// Least send buffer of Linux (`SOCK_MIN_SNDBUF`): twice 2048 B and a descriptor.
const LEAST_SEND_BUFFER: Bytes = Bytes::new(2 * (2048 + 256));

/// Longest initial delay of an ACK in Linux (TCP_DELACK_MIN); it cannot be changed.
const DELAYED_ACK: Duration = Duration::from_millis(40);

/// Most names that a message lists.
const MOST_NAMES: usize = 20;

/// Hosts, devices and flows to build.
pub(super) struct Plan {
    pub flows: Vec<FlowPlan>,
    pub apps: Vec<AppPlan>,
    /// The largest packet.
    pub mtu: u32,
    /// Nodes that are hosts, in the order of their devices.
    pub nodes: Vec<NodeId>,
    settings: Settings,
    /// Differences of the kernel from the scenario.
    pub notes: Vec<String>,
    #[expect(dead_code, reason = "the laws stay in the kernel until this is dropped")]
    laws: Vec<Loaded>,
}

/// A flow to be.
pub(super) struct FlowPlan {
    pub name: String,
    /// Indices of its hosts in [`Plan::nodes`].
    pub source: usize,
    pub sink: usize,
    pub from: Ipv4Addr,
    pub to: Ipv4Addr,
    /// The law's name in the kernel, and whether it is one of ours.
    pub law: String,
    pub is_ours: bool,
    pub config: FlowConfig,
    /// Start and end of the transfer that opens and closes its connections, if it belongs to one.
    pub transfer: Option<(Time, Option<Time>)>,
}

/// An application to be.
pub(super) struct AppPlan {
    pub name: String,
    /// Indices of its hosts in [`Plan::nodes`].
    pub client: usize,
    pub server: usize,
    pub from: Ipv4Addr,
    pub to: Ipv4Addr,
    /// The law's name in the kernel.
    pub law: String,
    pub config: AppConfig,
}

/// Hosts that stand.
pub(super) struct Hosts {
    pub namespaces: Vec<Namespace>,
    pub devices: Vec<File>,
}

impl AppPlan {
    /// A socket of this thread's namespace with the segments and the window of the application.
    pub(super) fn socket(&self, address: SocketAddrV4) -> io::Result<TcpSocket> {
        let socket = TcpSocket::bound(address)?;
        set_receiver(&socket, &self.config.tcp)?;
        Ok(socket)
    }

    /// Sets what an end needs to send.
    pub(super) fn set_sender(&self, socket: &TcpSocket) -> io::Result<()> {
        socket.set_tcp(libc::TCP_NODELAY, u32::from(!self.config.tcp.nagle))?;
        set_sender(socket, &self.config.tcp, &self.law)
    }
}

/// Address of the source or sink of the flow `index`; applications follow the flows, each with its client as source.
fn address(index: usize, is_sink: bool) -> Ipv4Addr {
    Ipv4Addr::from(FIRST + 2 * index as u32 + u32::from(is_sink))
}

/// The flow or application that an address belongs to, and whether it is its sink's or server's.
pub(super) fn flow_of(address: u32) -> Option<(u32, bool)> {
    let place = address.checked_sub(FIRST)?;
    Some((place / 2, place % 2 == 1))
}

impl Plan {
    /// Finds out what is to be built, and loads the laws.
    pub(super) fn new(compiled: &Compiled, settings: Settings, congestion: &[(String, String)]) -> Result<Self, Error> {
        let network = &compiled.network;
        if network.flows.is_empty() && network.apps.is_empty() {
            return Err(Error::Impossible("the scenario has no flows to emulate".to_owned()));
        }
        if network.transfers.iter().any(|transfer| transfer.controller.law == Kind::Fast) {
            let message = "`emultcp-fast` decides at the receiver, which is no part of the emulator's hosts\nhint: run \
                           `windward get` behind `windward link`, or use `connections = \"emultcp\"`";
            return Err(Error::Impossible(message.to_owned()));
        }
        connections(compiled).try_for_each(|(whose, tcp, is_quic)| check_tcp(&whose, tcp, is_quic))?;
        if network.flows.iter().any(|flow| flow.coding.is_some_and(|coding| coding.ideal)) {
            let message = "real packets need a real field: `coding = \"ideal\"` is for `simulate`\nhint: use `coding = \"random\"`";
            return Err(Error::Impossible(message.to_owned()));
        }
        if network.topology.media.iter().any(MediumConfig::has_own_rule) {
            let message =
                "a scheduler or rule in Python is too slow for real time; choose one of Windward's, or `simulate`";
            return Err(Error::Impossible(message.to_owned()));
        }
        check_names(compiled, congestion)?;
        let ends = network.flows.iter().flat_map(|flow| [flow.source, flow.sink]);
        let mut nodes: Vec<NodeId> = ends.chain(network.apps.iter().flat_map(|app| [app.client, app.server])).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let place = |node| nodes.binary_search(&node).unwrap_or_default();
        let transfer_of = |index: usize| {
            let own = network.transfers.iter().find(|transfer| transfer.flows.contains(&index))?;
            Some((own.start, own.stop))
        };
        let mut laws = Laws::default();
        let mut flows = Vec::new();
        for (index, (config, name)) in network.flows.iter().zip(&compiled.flows).enumerate() {
            let (law, is_ours) = match config.law {
                LawChoice::Quic(..) => (over_quic(name, congestion)?, false),
                law => laws.choose("flow", name, &law, congestion)?,
            };
            flows.push(FlowPlan {
                name: name.name.clone(),
                source: place(config.source),
                sink: place(config.sink),
                from: address(index, false),
                to: address(index, true),
                law,
                is_ours,
                config: config.clone(),
                transfer: transfer_of(index),
            });
        }
        let mut apps = Vec::new();
        for (index, (config, name)) in (flows.len()..).zip(network.apps.iter().zip(&compiled.apps)) {
            if let LawChoice::Quic(..) = config.law {
                let name = &name.name;
                let message = format!(
                    "app `{name}`: applications over QUIC are simulated only\nhint: choose `transport = \"tcp\"`, \
                     `\"h2\"` for pages, or `simulate`"
                );
                return Err(Error::Impossible(message));
            }
            if config.tcp.reading.is_some() {
                let name = &name.name;
                let message = format!(
                    "app `{name}`: `read` of applications is not supported by the emulator\nhint: remove it, or use \
                     `simulate`"
                );
                return Err(Error::Impossible(message));
            }
            apps.push(AppPlan {
                name: name.name.clone(),
                client: place(config.client),
                server: place(config.server),
                from: address(index, false),
                to: address(index, true),
                law: laws.choose("app", name, &config.law, congestion)?.0,
                config: config.clone(),
            });
        }
        let largest = |(_, tcp, is_quic): (String, &TcpOptions, bool)| match is_quic {
            true => tcp.wire_bytes(),
            false => tcp.segment.count() + tcp.real_header_bytes(),
        };
        // Less than 576 bytes no IPv4 link may have; ACKs with SACK blocks need 80.
        let mtu = connections(compiled).map(largest).max().unwrap_or(0).max(576);
        if mtu > 65_535 {
            let segment = Bytes::new(mtu);
            return Err(Error::Impossible(format!("packets of {segment} exceed the IPv4 limit of 65535 B")));
        }
        let mut notes = laws.notes;
        let over_tcp = connections(compiled).filter(|(_, _, is_quic)| !is_quic);
        notes.extend(over_tcp.flat_map(|(whose, tcp, _)| differences(&whose, tcp)));
        notes.extend(settings.note());
        let mut plan = Self { flows, apps, mtu: mtu as u32, nodes, settings, notes, laws: laws.loaded };
        let note = |name: &str| format!("`{name}`: its host's kernel restarts after idle by Linux's own rule");
        let hosts = (0..plan.nodes.len()).filter(|&host| !plan.keeps_window(host));
        let differing =
            hosts.flat_map(|host| plan.pausing(host)).filter(|(_, tcp)| tcp.idle_restart != IdleRestart::Linux);
        let notes: BTreeSet<String> = differing.map(|(name, _)| note(name)).collect();
        plan.notes.extend(notes);
        Ok(plan)
    }

    /// The flows and applications of a host that may pause, with their options of TCP.
    fn pausing(&self, host: usize) -> impl Iterator<Item = (&str, &TcpOptions)> {
        let flows = self.flows.iter().filter(move |flow| flow.source == host && flow.config.tcp.writing.is_some());
        let apps = self.apps.iter().filter(move |app| [app.client, app.server].contains(&host));
        let flows = flows.map(|flow| (flow.name.as_str(), &flow.config.tcp));
        flows.chain(apps.map(|app| (app.name.as_str(), &app.config.tcp)))
    }

    /// True if all connections of a host that may pause keep their window, which is a setting of the host.
    fn keeps_window(&self, host: usize) -> bool {
        let mut pausing = self.pausing(host).peekable();
        pausing.peek().is_some() && pausing.all(|(_, tcp)| tcp.idle_restart == IdleRestart::Off)
    }

    /// Makes the hosts.
    pub(super) fn build(&self) -> Result<Hosts, Error> {
        let mut hosts = Hosts { namespaces: Vec::new(), devices: Vec::new() };
        let refused = |what| {
            move |source| Error::Refused { what, source, hint: "emulation needs root and /dev/net/tun".to_owned() }
        };
        for index in 0..self.nodes.len() {
            let namespace = Namespace::new().map_err(refused("creating a network namespace"))?;
            let tun = namespace.inside(|| self.furnish(index)).map_err(refused("creating a host"))?;
            namespace.inside(|| self.settings.write()).map_err(|source| Error::Refused {
                what: "changing a kernel setting",
                source,
                hint: "`ls /proc/sys/net/ipv4` shows most of those that a network namespace has".to_owned(),
            })?;
            hosts.namespaces.push(namespace);
            hosts.devices.push(tun.file);
        }
        Ok(hosts)
    }

    /// Makes the device of the host that this thread is in, with its addresses and routes.
    fn furnish(&self, host: usize) -> std::io::Result<Tun> {
        let _ = write_setting("ipv6/conf/all/disable_ipv6", "1");
        // What one flow learned is nothing to the next.
        write_setting("ipv4/tcp_no_metrics_save", "1")?;
        let is_coded = self.flows.iter().any(|flow| flow.sink == host && flow.config.coding.is_some());
        let flows = self.flows.iter().filter(|flow| [flow.source, flow.sink].contains(&host));
        let apps = self.apps.iter().filter(|app| [app.client, app.server].contains(&host));
        let mut options = flows.map(|flow| &flow.config.tcp).chain(apps.map(|app| &app.config.tcp));
        let [receive, send] =
            if options.all(|tcp| tcp.most_in_flight.is_some()) { LINUX_BUFFERS } else { LARGE_BUFFERS };
        write_setting("ipv4/tcp_rmem", if is_coded { CODED_RECEIVE_BUFFER } else { receive })?;
        write_setting("ipv4/tcp_wmem", send)?;
        if self.keeps_window(host) {
            write_setting("ipv4/tcp_slow_start_after_idle", "0")?;
        }
        let sends = self.flows.iter().filter(|flow| flow.source == host);
        let receives = self.flows.iter().filter(|flow| flow.sink == host);
        // Both ends of an application send.
        let client = |app: &AppPlan| (app.client == host).then_some((app.from, app.to));
        let server = |app: &AppPlan| (app.server == host).then_some((app.to, app.from));
        let talks = || self.apps.iter().flat_map(|app| client(app).into_iter().chain(server(app)).zip([app; 2]));
        let own = sends.clone().map(|flow| flow.from).chain(receives.clone().map(|flow| flow.to));
        let own = own.chain(talks().map(|((own, _), _)| own));
        let addresses: Vec<_> = own.map(|address| (address, 32)).collect();
        let tun = Tun::new(self.mtu, &addresses)?;
        let netlink = Netlink::open()?;
        let sending = |tcp: &TcpOptions, to| Route {
            initial_window: Some(tcp.initial_window),
            min_rto_ms: Some(tcp.min_rto.as_millis().max(1.0) as u32),
            ..Route::new((to, 32), tun.device)
        };
        for flow in sends {
            netlink.add_route(&sending(&flow.config.tcp, flow.to))?;
        }
        for ((_, other), app) in talks() {
            let tcp = &app.config.tcp;
            netlink.add_route(&Route { is_quick: tcp.delayed_ack.is_none(), ..sending(tcp, other) })?;
        }
        for flow in receives {
            let is_quick = flow.config.tcp.delayed_ack.is_none();
            netlink.add_route(&Route { is_quick, ..Route::new((flow.from, 32), tun.device) })?;
        }
        Ok(tun)
    }
}

/// Laws on their way into the kernel: each with its parameters once.
#[derive(Default)]
struct Laws {
    known: BTreeMap<String, (String, bool)>,
    loaded: Vec<Loaded>,
    notes: Vec<String>,
}

impl Laws {
    /// The kernel's name for the law of a flow or an application, and whether it is ours.
    fn choose(
        &mut self,
        kind: &str,
        name: &FlowName,
        law: &LawChoice,
        congestion: &[(String, String)],
    ) -> Result<(String, bool), Error> {
        let Some(kernels) = named(congestion, &name.name).or_else(|| named(congestion, &name.label)) else {
            return self.find(law);
        };
        self.notes.push(format!("{kind} `{}`: run by the kernel's `{kernels}`", name.name));
        Ok((available(kernels)?, false))
    }

    /// The kernel's name for a law, loaded if it is ours.
    fn find(&mut self, law: &LawChoice) -> Result<(String, bool), Error> {
        if let LawChoice::Tfrc(_) = law {
            let message = "TFRC is not in the kernel; choose a law of TCP, or `simulate`";
            return Err(Error::Impossible(message.to_owned()));
        }
        let LawChoice::Known(spec) = law else {
            let message = "Python laws cannot run in the kernel; `windward kernel laws` lists those that can";
            return Err(Error::Impossible(message.to_owned()));
        };
        let written = serde_json::to_value(spec).unwrap_or_default();
        let key = written.to_string();
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let found = match KernelLaw::named(spec.name()) {
            Ok(law) => (self.load(law, spec, &written)?, true),
            Err(_) => (self.find_in_kernel(spec)?, false),
        };
        self.known.insert(key, found.clone());
        Ok(found)
    }

    fn load(&mut self, law: &KernelLaw, spec: &LawSpec, written: &serde_json::Value) -> Result<String, Error> {
        let is_known = |name: &str| law.parameters().iter().any(|parameter| parameter.name == name);
        let fields = written.as_object().into_iter().flatten();
        let parameters =
            fields.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).filter(|(name, _)| is_known(name));
        self.note_what_differs(spec, written, is_known);
        let name = Some(format!("ww{}_{}", std::process::id() % 100_000_000, self.loaded.len()));
        let options = windward_kernel::Options { name, parameters: parameters.collect(), stay: false };
        let loaded = windward_kernel::load(law.name, &options)?;
        let name = loaded.name().to_owned();
        self.loaded.push(loaded);
        Ok(name)
    }

    /// A law that Linux brings.
    fn find_in_kernel(&mut self, spec: &LawSpec) -> Result<String, Error> {
        if let Some(why) = spec.not_in_linux() {
            return Err(Error::Impossible(format!("law `{}` cannot run between kernels: {why}", spec.name())));
        }
        let name = available(spec.name())?;
        let written = serde_json::to_value(spec).unwrap_or_default();
        if name == "bbr" {
            self.notes.push("bbr: run by the kernel's own `bbr`".to_owned());
        }
        let is_kernels = written.get(VERSION).is_some_and(|version| version == KERNELS);
        self.note_what_differs(spec, &written, |name| name == HYSTART || name == VERSION && is_kernels);
        if written.get(HYSTART) == Some(&serde_json::Value::Bool(false)) {
            self.notes.push(format!("{}: Linux always uses HyStart; set `{HYSTART} = true` to match", spec.name()));
        }
        Ok(name)
    }

    /// Notes parameters that the kernel's law has not, where they are not what it does anyway.
    fn note_what_differs(&mut self, spec: &LawSpec, written: &serde_json::Value, is_known: impl Fn(&str) -> bool) {
        let defaults = LawSpec::from_json(spec.name(), serde_json::json!({})).map(serde_json::to_value);
        let Ok(Ok(defaults)) = defaults else { return };
        for (name, value) in written.as_object().into_iter().flatten() {
            if name != "name" && !is_known(name) && defaults.get(name) != Some(value) {
                self.notes.push(format!("{}: the kernel's law has no `{name}`; ignoring {value}", spec.name()));
            }
        }
    }
}

/// The name of a congestion control, if the kernel has it.
fn available(name: &str) -> Result<String, Error> {
    let path = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let available = fs::read_to_string(path).map_err(Error::system("reading the kernel's laws"))?;
    if available.split_whitespace().any(|each| each == name) {
        return Ok(name.to_owned());
    }
    let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let hint = if is_word { format!("try `modprobe tcp_{name}`") } else { "give one name for each flow".to_owned() };
    Err(Error::Impossible(format!(
        "the kernel has no congestion control `{name}`; available: {}\nhint: {hint}",
        available.trim().replace(' ', ", "),
    )))
}

/// The congestion control chosen for a flow or a group of this name.
fn named<'a>(congestion: &'a [(String, String)], name: &str) -> Option<&'a str> {
    congestion.iter().rfind(|(whose, _)| whose == name).map(|(_, chosen)| chosen.as_str())
}

/// Refuses names that no flow or group of flows has.
fn check_names(compiled: &Compiled, congestion: &[(String, String)]) -> Result<(), Error> {
    let names = || compiled.flows.iter().chain(&compiled.apps);
    let is_known = |whose: &str| names().any(|flow| flow.name == whose || flow.label == whose);
    match congestion.iter().find(|(whose, _)| !is_known(whose)) {
        None => Ok(()),
        Some((whose, name)) => {
            let flows: Vec<&str> = names().map(|flow| flow.name.as_str()).take(MOST_NAMES).collect();
            let more = if names().count() > MOST_NAMES { ", …" } else { "" };
            let flows = flows.join(", ");
            Err(Error::Impossible(format!(
                "congestion control `{name}` for `{whose}`: no such flow; flows: {flows}{more}"
            )))
        }
    }
}

/// The flows and applications, in words, with their options of TCP; true for those over QUIC.
fn connections(compiled: &Compiled) -> impl Iterator<Item = (String, &TcpOptions, bool)> {
    let network = &compiled.network;
    let is_quic = |law: &LawChoice| matches!(law, LawChoice::Quic(..));
    let flows = network.flows.iter().zip(&compiled.flows);
    let apps = network.apps.iter().zip(&compiled.apps);
    let flows = flows.map(move |(flow, name)| (format!("flow `{}`", name.name), &flow.tcp, is_quic(&flow.law)));
    flows.chain(apps.map(move |(app, name)| (format!("app `{}`", name.name), &app.tcp, is_quic(&app.law))))
}

/// The kernel's name for the law of a flow over QUIC: none, and none can be chosen.
fn over_quic(name: &FlowName, congestion: &[(String, String)]) -> Result<String, Error> {
    match named(congestion, &name.name).or_else(|| named(congestion, &name.label)) {
        None => Ok(String::new()),
        Some(kernels) => Err(Error::Impossible(format!(
            "flow `{}` is over QUIC, which the kernel's `{kernels}` cannot control\nhint: choose `transport = \"tcp\"`",
            name.name
        ))),
    }
}

/// Refuses options of TCP that the kernel does not have.
fn check_tcp(whose: &str, tcp: &TcpOptions, is_quic: bool) -> Result<(), Error> {
    let refuse = |why: &str| Err(Error::Impossible(format!("{whose}: {why}")));
    // The kernel's buffers follow the application by themselves.
    let to_receive = ReceiveBuffer::Auto { start: ReceiveBuffer::START, most: ReceiveBuffer::MOST };
    if tcp.receive_buffer.is_some_and(|own| own != to_receive) {
        return refuse(
            "Linux's receive buffer has a size in memory, not in payload: the emulator supports only `receive_buffer = \
             \"auto\"`\nhint: remove `receive_buffer`, or use `simulate`",
        );
    }
    if tcp.reading.is_some() && tcp.receive_buffer.is_none() {
        return refuse(
            "the emulator supports `read` only with Linux's receive buffer\nhint: use `receive_buffer = \"auto\"`, or \
             `simulate`",
        );
    }
    match tcp.send_buffer {
        Some(SendBuffer::Auto { most }) if most != SendBuffer::MOST => {
            return refuse(
                "the limit of autotuned send buffers is a setting of the host\nhint: use `send_buffer = \"auto\"` and \
                 `--sysctl net.ipv4.tcp_wmem=...`, or `simulate`",
            );
        }
        Some(SendBuffer::Fixed(bytes)) if bytes < LEAST_SEND_BUFFER => {
            return refuse(&format!(
                "Linux's send buffers have at least {LEAST_SEND_BUFFER}, not {bytes}\nhint: use a larger `send_buffer`, \
                 or `simulate`"
            ));
        }
        _ => {}
    }
    if tcp.ecn.counts() && !is_quic {
        let message = format!(
            "{whose}: Linux has no accurate ECN feedback (RFC 9768) that this emulator could ask for\nhint: use `ecn = \
             \"classic\"`"
        );
        return Err(Error::Impossible(message));
    }
    Ok(())
}

/// Differences of the kernel's TCP from the options of a flow or an application.
fn differences(whose: &str, tcp: &TcpOptions) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(wait) = tcp.delayed_ack.filter(|wait| *wait != DELAYED_ACK) {
        notes.push(format!("{whose}: Linux delays ACKs by {DELAYED_ACK}, not {wait}"));
    }
    let default = TcpOptions::default();
    let unknown = [
        ("delayed_ack = false", tcp.delayed_ack.is_none()),
        ("quick_acks", ![default.quick_acks, TcpOptions::linux(true).quick_acks].contains(&tcp.quick_acks)),
        ("min_rto", tcp.min_rto != default.min_rto),
        ("ack_counting", tcp.ack_counting),
        ("host_jitter", tcp.host_jitter > Duration::ZERO),
        ("device_queue", tcp.device_queue.is_some()),
    ];
    for (key, _) in unknown.into_iter().filter(|(_, is_given)| *is_given) {
        notes.push(format!("{whose}: the kernel's TCP decides this itself; `{key}` is ignored"));
    }
    if tcp.ack_division > 1 || tcp.optimistic_acks.is_some() {
        notes
            .push(format!("{whose}: Linux's receivers do not cheat; `ack_division` and `optimistic_acks` are ignored"));
    }
    if tcp.initial_ssthresh.is_some() {
        notes.push(format!("{whose}: Linux forgets thresholds between runs; `initial_ssthresh` is ignored"));
    }
    if tcp.known_base_rtt.is_some() || tcp.handshake_excess.is_some() {
        notes.push(format!("{whose}: laws in the kernel measure the base RTT; `known_base_rtt` is ignored"));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_the_kernel_lacks_are_noted() {
        let tcp = TcpOptions {
            delayed_ack: None,
            quick_acks: 3,
            min_rto: Duration::from_secs(1.0),
            ack_counting: true,
            host_jitter: Duration::from_millis(1),
            device_queue: Some(5),
            ..TcpOptions::linux(true)
        };
        let notes = differences("flow `f`", &tcp);
        for key in ["delayed_ack = false", "quick_acks", "min_rto", "ack_counting", "host_jitter", "device_queue"] {
            let note = format!("flow `f`: the kernel's TCP decides this itself; `{key}` is ignored");
            assert!(notes.contains(&note), "{key}");
        }
        assert!(differences("flow `f`", &TcpOptions::linux(true)).is_empty());
        assert!(differences("flow `f`", &TcpOptions::default()).is_empty());
    }

    #[test]
    fn an_address_says_whose_it_is() {
        for (index, is_sink) in [(0, false), (0, true), (77, false), (70_000, true)] {
            let address = u32::from(address(index, is_sink));
            assert_eq!(flow_of(address), Some((index as u32, is_sink)));
        }
        assert_eq!(flow_of(0x0a00_0001), None);
    }
}
