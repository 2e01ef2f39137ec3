//! The system calls: bpf(2) with the attributes that the loader needs, each command a function. Layouts are those of
//! `union bpf_attr` in include/uapi/linux/bpf.h; a shorter attribute than the kernel's own is filled up with zeros
//! there.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A kernel object's identity, the same for every process.
pub(crate) type Id = u32;

/// Kinds of kernel objects that can be found by id.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Map,
    Link,
}

/// Calls of `bpf` before an EAGAIN counts.
const ATTEMPTS: u32 = 5;

fn bpf<T>(command: libc::c_int, attributes: &mut T) -> io::Result<libc::c_long> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        // SAFETY: `attributes` is a live `repr(C)` value of exactly the size told; the pointers inside it point to live
        // buffers of the sizes told beside them.
        let answer = unsafe { libc::syscall(libc::SYS_bpf, command, std::ptr::from_mut(attributes), size_of::<T>()) };
        if answer >= 0 {
            return Ok(answer);
        }
        let error = io::Error::last_os_error();
        // The verifier gives up when its thread has work of the kernel pending; libbpf asks five times, too.
        if error.kind() != io::ErrorKind::WouldBlock || attempts == ATTEMPTS {
            return Err(error);
        }
    }
}

fn descriptor(answer: libc::c_long) -> OwnedFd {
    // SAFETY: the kernel has just made this descriptor for us, and nobody else knows it.
    unsafe { OwnedFd::from_raw_fd(answer as RawFd) }
}

fn address<T>(values: &[T]) -> u64 {
    values.as_ptr() as u64
}

/// The first 15 bytes of `text`, then zeros.
fn name(text: &str) -> [u8; 16] {
    let mut name = [0; 16];
    name.iter_mut().take(15).zip(text.bytes()).for_each(|(to, byte)| *to = byte);
    name
}

/// Attributes of a map at its creation.
#[derive(Default)]
pub(crate) struct MapSpec<'a> {
    pub kind: u32,
    pub key_size: u32,
    pub value_size: u32,
    pub max_entries: u32,
    pub flags: u32,
    pub name: &'a str,
    /// For struct_ops: any loaded BTF, and the kernel's type of the value.
    pub btf: RawFd,
    pub vmlinux_value_type: u32,
}

pub(crate) const MAP_ARRAY: u32 = 2;
pub(crate) const MAP_LRU_HASH: u32 = 9;
pub(crate) const MAP_STRUCT_OPS: u32 = 26;
/// BPF_F_LINK: the map is registered by a link, and lives no longer.
pub(crate) const FLAG_LINK: u32 = 1 << 13;

pub(crate) fn map_create(spec: &MapSpec<'_>) -> io::Result<OwnedFd> {
    #[repr(C)]
    struct Attributes {
        kind: u32,
        key_size: u32,
        value_size: u32,
        max_entries: u32,
        flags: u32,
        inner: u32,
        numa_node: u32,
        name: [u8; 16],
        interface: u32,
        btf: u32,
        btf_key_type: u32,
        btf_value_type: u32,
        vmlinux_value_type: u32,
    }
    bpf(
        0,
        &mut Attributes {
            kind: spec.kind,
            key_size: spec.key_size,
            value_size: spec.value_size,
            max_entries: spec.max_entries,
            flags: spec.flags,
            inner: 0,
            numa_node: 0,
            name: name(spec.name),
            interface: 0,
            btf: spec.btf as u32,
            btf_key_type: 0,
            btf_value_type: 0,
            vmlinux_value_type: spec.vmlinux_value_type,
        },
    )
    .map(descriptor)
}

#[repr(C)]
struct Element {
    map: u32,
    padding: u32,
    key: u64,
    value: u64,
    flags: u64,
}

fn element(map: &OwnedFd, key: &[u8], value: u64) -> Element {
    Element { map: map.as_raw_fd() as u32, padding: 0, key: address(key), value, flags: 0 }
}

/// The value of `key`, `size` bytes as the map was made with; `None` where there is none.
pub(crate) fn map_lookup(map: &OwnedFd, key: &[u8], size: usize) -> io::Result<Option<Vec<u8>>> {
    let mut value = vec![0; size];
    match bpf(1, &mut element(map, key, value.as_mut_ptr() as u64)) {
        Ok(_) => Ok(Some(value)),
        Err(e) if e.raw_os_error() == Some(libc::ENOENT) => Ok(None),
        Err(e) => Err(e),
    }
}

pub(crate) fn map_update(map: &OwnedFd, key: &[u8], value: &[u8]) -> io::Result<()> {
    bpf(2, &mut element(map, key, address(value))).map(drop)
}

/// All keys of a map whose keys have `N` bytes.
pub(crate) fn map_keys<const N: usize>(map: &OwnedFd) -> io::Result<Vec<[u8; N]>> {
    let mut keys: Vec<[u8; N]> = Vec::new();
    loop {
        let mut next = [0; N];
        let mut attributes = element(map, &[], next.as_mut_ptr() as u64);
        attributes.key = keys.last().map_or(0, |key| address(key));
        match bpf(4, &mut attributes) {
            Ok(_) => keys.push(next),
            Err(e) if e.raw_os_error() == Some(libc::ENOENT) => return Ok(keys),
            Err(e) => return Err(e),
        }
    }
}

/// A program of type struct_ops: member `member` of the kernel's struct `type_id`. On refusal, the verifier's log.
pub(crate) fn program_load(
    program_name: &str,
    code: &[u64],
    license: &CStr,
    type_id: u32,
    member: u32,
) -> Result<OwnedFd, (io::Error, String)> {
    #[repr(C)]
    struct Attributes {
        kind: u32,
        instructions: u32,
        code: u64,
        license: u64,
        log_level: u32,
        log_size: u32,
        log: u64,
        kernel_version: u32,
        flags: u32,
        name: [u8; 16],
        interface: u32,
        member: u32,
        btf: u32,
        function_size: u32,
        functions: u64,
        function_count: u32,
        line_size: u32,
        lines: u64,
        line_count: u32,
        type_id: u32,
    }
    let attributes = |log: &mut [u8]| Attributes {
        kind: 27,
        instructions: code.len() as u32,
        code: address(code),
        license: license.as_ptr() as u64,
        log_level: u32::from(!log.is_empty()),
        log_size: log.len() as u32,
        log: if log.is_empty() { 0 } else { log.as_mut_ptr() as u64 },
        kernel_version: 0,
        flags: 0,
        name: name(program_name),
        interface: 0,
        member,
        btf: 0,
        function_size: 0,
        functions: 0,
        function_count: 0,
        line_size: 0,
        lines: 0,
        line_count: 0,
        type_id,
    };
    let error = match bpf(5, &mut attributes(&mut [])) {
        Ok(answer) => return Ok(descriptor(answer)),
        Err(error) => error,
    };
    let mut log = vec![0; 1 << 20];
    match bpf(5, &mut attributes(&mut log)) {
        Ok(answer) => Ok(descriptor(answer)),
        Err(_) => {
            let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
            Err((error, String::from_utf8_lossy(&log[..end]).into_owned()))
        }
    }
}

/// Loads a description of types.
pub(crate) fn btf_load(btf: &[u8]) -> io::Result<OwnedFd> {
    #[repr(C)]
    struct Attributes {
        btf: u64,
        log: u64,
        size: u32,
        log_size: u32,
        log_level: u32,
    }
    let mut attributes = Attributes { btf: address(btf), log: 0, size: btf.len() as u32, log_size: 0, log_level: 0 };
    bpf(18, &mut attributes).map(descriptor)
}

/// Registers a struct_ops map; the registration ends with the last descriptor and pin of the link.
pub(crate) fn link_create(map: &OwnedFd, attach_type: u32) -> io::Result<OwnedFd> {
    bpf(28, &mut [map.as_raw_fd() as u32, 0, attach_type, 0]).map(descriptor)
}

/// Ends the registration whoever holds the link.
pub(crate) fn link_detach(link: &OwnedFd) -> io::Result<()> {
    bpf(34, &mut [link.as_raw_fd() as u32]).map(drop)
}

/// The ids of all objects of `kind`, ascending.
pub(crate) fn ids(kind: Kind) -> io::Result<Vec<Id>> {
    let command = match kind {
        Kind::Map => 12,
        Kind::Link => 31,
    };
    let mut ids = Vec::new();
    loop {
        let mut attributes = [ids.last().copied().unwrap_or(0), 0, 0];
        match bpf(command, &mut attributes) {
            Ok(_) => ids.push(attributes[1]),
            Err(e) if e.raw_os_error() == Some(libc::ENOENT) => return Ok(ids),
            Err(e) => return Err(e),
        }
    }
}

/// The object of `kind` with this id; `None` if it has just gone.
pub(crate) fn by_id(kind: Kind, id: Id) -> io::Result<Option<OwnedFd>> {
    let command = match kind {
        Kind::Map => 14,
        Kind::Link => 30,
    };
    match bpf(command, &mut [id, 0, 0]) {
        Ok(answer) => Ok(Some(descriptor(answer))),
        Err(e) if e.raw_os_error() == Some(libc::ENOENT) => Ok(None),
        Err(e) => Err(e),
    }
}

fn info<T>(object: &OwnedFd, info: &mut T) -> io::Result<()> {
    #[repr(C)]
    struct Attributes {
        object: u32,
        size: u32,
        info: u64,
    }
    let mut attributes = Attributes {
        object: object.as_raw_fd() as u32,
        size: size_of::<T>() as u32,
        info: std::ptr::from_mut(info) as u64,
    };
    bpf(15, &mut attributes).map(drop)
}

/// The beginning of `struct bpf_map_info`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct MapInfo {
    pub kind: u32,
    pub id: Id,
    pub key_size: u32,
    pub value_size: u32,
    max_entries: u32,
    flags: u32,
    name: [u8; 16],
}

impl MapInfo {
    pub(crate) fn name(&self) -> &str {
        CStr::from_bytes_until_nul(&self.name).ok().and_then(|name| name.to_str().ok()).unwrap_or("")
    }
}

pub(crate) fn map_info(map: &OwnedFd) -> io::Result<MapInfo> {
    let mut found = MapInfo::default();
    info(map, &mut found).map(|()| found)
}

/// The map that a struct_ops link registers; `None` for links of other kinds.
pub(crate) fn link_map(link: &OwnedFd) -> io::Result<Option<Id>> {
    #[repr(C)]
    #[derive(Default)]
    struct Info {
        kind: u32,
        id: u32,
        program: u32,
        padding: u32,
        map: u32,
    }
    const STRUCT_OPS: u32 = 9;
    let mut found = Info::default();
    info(link, &mut found)?;
    Ok((found.kind == STRUCT_OPS).then_some(found.map))
}

fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)
}

/// Keeps `object` alive under a name in a bpf file system.
pub(crate) fn pin(object: &OwnedFd, path: &Path) -> io::Result<()> {
    #[repr(C)]
    struct Attributes {
        path: u64,
        object: u32,
        flags: u32,
    }
    let path = c_path(path)?;
    bpf(6, &mut Attributes { path: path.as_ptr() as u64, object: object.as_raw_fd() as u32, flags: 0 }).map(drop)
}

/// True if `path` lies in a bpf file system.
pub(crate) fn is_bpf_fs(path: &Path) -> io::Result<bool> {
    const MAGIC: i64 = 0xcafe_4a11;
    let path = c_path(path)?;
    // SAFETY: statfs is plain data, for which zeros are a value.
    let mut found: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: a C string and a live structure.
    match unsafe { libc::statfs(path.as_ptr(), &raw mut found) } {
        0 => Ok(found.f_type as i64 == MAGIC),
        _ => Err(io::Error::last_os_error()),
    }
}

pub(crate) fn mount_bpf_fs(path: &Path) -> io::Result<()> {
    let path = c_path(path)?;
    // SAFETY: four C strings or null.
    let answer = unsafe { libc::mount(c"windward".as_ptr(), path.as_ptr(), c"bpf".as_ptr(), 0, std::ptr::null()) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

pub(crate) fn unmount(path: &Path) -> io::Result<()> {
    let path = c_path(path)?;
    // SAFETY: a C string.
    if unsafe { libc::umount2(path.as_ptr(), 0) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// True if this process acts as root.
pub(crate) fn is_root() -> bool {
    // SAFETY: it cannot fail.
    unsafe { libc::geteuid() == 0 }
}

/// Waits until `link` is detached by another process, at most so many milliseconds; true if it was.
pub(crate) fn wait_hang_up(link: &OwnedFd, milliseconds: i32) -> io::Result<bool> {
    let mut waiting = libc::pollfd { fd: link.as_raw_fd(), events: 0, revents: 0 };
    // SAFETY: one live structure, as told.
    match unsafe { libc::poll(&raw mut waiting, 1, milliseconds) } {
        0 => Ok(false),
        1.. => Ok(waiting.revents & libc::POLLHUP != 0),
        _ => Err(io::Error::last_os_error()),
    }
}
