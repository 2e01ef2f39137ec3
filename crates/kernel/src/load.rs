//! Loading a law.

use crate::btf::{self, Btf};
use crate::laws::{self, KernelLaw};
use crate::program::{Program, Programs};
use crate::registry::{self, LAW_MAP, Settings};
use crate::{Error, Flow, stay, sys};
use std::fs;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// Options of loading a law.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name to register it under; default the law's own with `_` for `-`, which the kernel does not take.
    pub name: Option<String>,
    /// Parameters that are not to have their default values.
    pub parameters: Vec<(String, f64)>,
    /// Keep it loaded when [`Loaded`] is dropped, until [`unload`](crate::unload).
    pub stay: bool,
}

/// A law in the kernel. Dropping it unloads the law, unless it was asked to stay; open connections keep it until they
/// close.
#[derive(Debug)]
pub struct Loaded {
    name: String,
    link: OwnedFd,
}

impl Loaded {
    /// The name it is registered under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits until another process has unloaded the law, but no longer than `limit`; whether it was. Kernels before
    /// 6.11 never tell.
    ///
    /// # Errors
    /// A signal interrupted the wait.
    pub fn wait(&self, limit: Duration) -> Result<bool, Error> {
        let milliseconds = i32::try_from(limit.as_millis()).unwrap_or(i32::MAX);
        sys::wait_hang_up(&self.link, milliseconds).map_err(Error::system("waiting"))
    }
}

impl AsFd for Loaded {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.link.as_fd()
    }
}

/// Checks that this machine can load laws.
///
/// # Errors
/// They cannot, and why.
pub fn support() -> Result<(), Error> {
    if !sys::is_root() {
        return Err(Error::NotRoot);
    }
    for law in laws::LAWS {
        object(law)?;
    }
    Kernel::read(KERNEL_BTF).map(drop)
}

/// Loads a law into the kernel.
///
/// # Errors
/// Not root; a kernel that is too old or does not describe its types; a build without clang; an unknown law or
/// parameter; a name that is taken; a refusal of the kernel.
pub fn load(law: &str, options: &Options) -> Result<Loaded, Error> {
    let law = KernelLaw::named(law)?;
    let values = law.change(&law.defaults(), &options.parameters)?;
    // The kernel takes no hyphen in the name of a BPF object.
    let name = options.name.clone().unwrap_or_else(|| law.name.replace('-', "_"));
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
    if !(1..=15).contains(&name.len()) || !name.chars().all(is_name) {
        return Err(Error::Name(name));
    }
    let object = object(law)?;
    if !sys::is_root() {
        return Err(Error::NotRoot);
    }
    let kernel = Kernel::read(KERNEL_BTF)?;
    registry::refuse_taken(&name)?;

    let parameters = map(&sys::MapSpec {
        kind: sys::MAP_ARRAY,
        key_size: 4,
        value_size: Settings::SIZE as u32,
        max_entries: 1,
        name: "ww_params",
        ..Default::default()
    })?;
    let flows = map(&sys::MapSpec {
        kind: sys::MAP_LRU_HASH,
        key_size: 8,
        value_size: Flow::SIZE as u32,
        max_entries: FLOWS,
        name: "ww_flows",
        ..Default::default()
    })?;
    let settings = Settings { law, values, flows: id(&flows)?, name };
    settings.write(&parameters).map_err(Error::system("writing the parameters"))?;
    let mut programs = Programs::parse(object)?;
    programs.relocate(&kernel.btf, |name| match name {
        "law_params" => Some(parameters.as_raw_fd()),
        "law_flows" => Some(flows.as_raw_fd()),
        _ => None,
    })?;
    let link = kernel.register(&settings, id(&parameters)?, &programs.programs)?;
    if options.stay {
        stay::keep(&link, &settings.name)?;
    }
    Ok(Loaded { name: settings.name, link })
}

fn object(law: &KernelLaw) -> Result<&'static [u8], Error> {
    let found = PROGRAMS.iter().find(|(name, _)| *name == law.name);
    let (name, object) = found.ok_or_else(|| Error::Object(format!("{} was not built", law.name)))?;
    object.map_err(|why| Error::LeftOut { law: name, why })
}

fn map(spec: &sys::MapSpec<'_>) -> Result<OwnedFd, Error> {
    sys::map_create(spec).map_err(Error::system(format!("making the map {}", spec.name)))
}

fn id(map: &OwnedFd) -> Result<sys::Id, Error> {
    sys::map_info(map).map(|info| info.id).map_err(Error::system("reading a map's id"))
}

/// Type information of the running kernel.
struct Kernel {
    btf: Btf,
    /// struct tcp_congestion_ops, and the value of a map of them.
    operations: u32,
    value: u32,
    attach_type: u32,
}

impl Kernel {
    fn read(path: &str) -> Result<Self, Error> {
        let bytes = fs::read(path).map_err(|_| Error::NoBtf(path.to_owned()))?;
        let btf = Btf::parse(&bytes)?;
        let too_old = |what: &str| Error::TooOld(format!("it has no {what}"));
        let composite = |name: &str| btf.composite(name).ok_or_else(|| too_old(name));
        let operations = composite("tcp_congestion_ops")?;
        let value = composite("bpf_struct_ops_tcp_congestion_ops")?;
        let attach_type = btf.enumerator("BPF_STRUCT_OPS").ok_or_else(|| too_old("BPF_STRUCT_OPS"))?;
        btf.enumerator("BPF_F_LINK").ok_or_else(|| too_old("BPF_F_LINK"))?;
        Ok(Self { btf, operations, value, attach_type })
    }

    /// Loads `programs` and registers them as `settings` says.
    fn register(&self, settings: &Settings, parameters: sys::Id, programs: &[Program]) -> Result<OwnedFd, Error> {
        let missing = |what: &str| Error::TooOld(format!("its tcp_congestion_ops has no {what}"));
        let offset = |member: &str| {
            let found = self.btf.member(self.operations, member).ok_or_else(|| missing(member))?;
            Ok::<_, Error>(found.offset as usize / 8)
        };
        let data = self.btf.member(self.value, "data").ok_or_else(|| missing("data"))?.offset as usize / 8;
        let size = self.btf.size(self.value).ok_or_else(|| missing("size"))?;
        let mut value = vec![0; size as usize];
        let mut put = |at: usize, bytes: &[u8]| {
            let at = data + at;
            value[at..at + bytes.len()].copy_from_slice(bytes);
        };
        put(offset("name")?, settings.name.as_bytes());
        put(offset("flags")?, &NON_RESTRICTED.to_ne_bytes());
        let mut loaded = Vec::new();
        for program in programs {
            let member = self.btf.members(self.operations).position(|(member, _)| member == program.name);
            let member = member.ok_or_else(|| missing(&program.name))? as u32;
            let descriptor = sys::program_load(&program.name, &program.code, LICENSE, self.operations, member)
                .map_err(|(source, log)| Error::Refused {
                    law: settings.law.name,
                    function: program.name.clone(),
                    log: last_lines(&log),
                    source,
                })?;
            put(offset(&program.name)?, &u64::from(descriptor.as_raw_fd() as u32).to_ne_bytes());
            loaded.push(descriptor);
        }
        let btf = sys::btf_load(&btf::smallest()).map_err(Error::system("loading a type description"))?;
        let map = map(&sys::MapSpec {
            kind: sys::MAP_STRUCT_OPS,
            key_size: 4,
            value_size: size,
            max_entries: 1,
            flags: sys::FLAG_LINK,
            name: &format!("{LAW_MAP}{parameters:x}"),
            btf: btf.as_raw_fd(),
            vmlinux_value_type: self.value,
        })?;
        sys::map_update(&map, &[0; 4], &value).map_err(Error::system("preparing the law (dmesg may say more)"))?;
        sys::link_create(&map, self.attach_type).map_err(|source| match source.raw_os_error() {
            Some(libc::EEXIST) => registry::taken(&settings.name),
            _ => Error::System { what: "registering the law (dmesg may say more)".to_owned(), source },
        })
    }
}

/// The end of the verifier's log, where the reason stands.
fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

/// File in which a kernel describes its types.
const KERNEL_BTF: &str = "/sys/kernel/btf/vmlinux";

/// Connections whose state can be shown; beyond, those that have been quiet longest are forgotten, though the law still
/// drives them.
const FLOWS: u32 = 4096;

/// TCP_CONG_NON_RESTRICTED: every user may choose the law.
const NON_RESTRICTED: u32 = 1;

/// Kernel functions take programs of this licence only.
const LICENSE: &std::ffi::CStr = c"Dual MIT/GPL";

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The laws that were compiled: all, or none without clang.
    pub(crate) fn objects() -> Vec<&'static [u8]> {
        let found: Vec<_> = laws::LAWS.iter().map(object).filter_map(Result::ok).collect();
        assert!(found.len() == laws::LAWS.len() || found.is_empty());
        found
    }

    fn file(name: &str, bytes: &[u8]) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("windward-{name}-{}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_kernel_that_cannot_is_refused_with_the_reason() {
        let refusal = |path: &str| Kernel::read(path).map(drop).unwrap_err().to_string();
        assert!(refusal("/nowhere/vmlinux").starts_with("the kernel has no type information (BTF): /nowhere/vmlinux"));
        let path = file("old", &btf::smallest());
        assert!(refusal(path.to_str().unwrap()).starts_with("this kernel is too old: it has no tcp_congestion_ops"));
        let broken = file("broken", b"no types");
        assert!(refusal(broken.to_str().unwrap()).contains("cannot be read"));
        [path, broken].iter().for_each(|path| fs::remove_file(path).unwrap());
    }

    #[test]
    fn what_cannot_be_loaded_is_refused_before_the_kernel_is_asked() {
        let refusal = |law: &str, options: Options| load(law, &options).unwrap_err().to_string();
        let with = |name: &str, value| Options { parameters: vec![(name.to_owned(), value)], ..Options::default() };
        let named = |name: &str| Options { name: Some(name.to_owned()), ..Options::default() };
        assert!(refusal("quick-tcp", Options::default()).contains("one of quic-tcp, fast, vegas"));
        assert_eq!(refusal("quic-tcp", with("rho", 1.5)), "quic-tcp: rho: 1.5 is not between 0 and 1");
        assert_eq!(refusal("quic-tcp", with("rho", f64::NAN)), "quic-tcp: rho: NaN is not between 0 and 1");
        assert!(refusal("fast", with("kappa", 1.0)).ends_with("unknown parameter; parameters: gamma, alpha"));
        assert_eq!(refusal("vegas", with("alpha", 5.0)), "vegas: beta: 4 is below alpha, 5");
        for name in ["", "a-b", "sixteen_letters_", "übel", "a b"] {
            assert!(refusal("fast", named(name)).contains("is not a valid name of a law"), "{name}");
        }
    }
}
