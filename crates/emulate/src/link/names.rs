//! Names behind a link: a resolver on the machine's own loopback is out of reach there, so the program gets a
//! resolv.conf of its own that names the server's host, whose port 53 leads to that resolver.

use crate::sys::check;
use std::ffi::CString;
use std::net::Ipv4Addr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::{fs, io, ptr};

const RESOLV_CONF: &str = "/etc/resolv.conf";

/// The machine's resolver, where it is on the loopback.
pub(super) fn resolver() -> Option<Ipv4Addr> {
    first_resolver(&fs::read_to_string(RESOLV_CONF).ok()?).filter(Ipv4Addr::is_loopback)
}

fn first_resolver(text: &str) -> Option<Ipv4Addr> {
    text.lines().find_map(|line| line.trim().strip_prefix("nameserver")?.trim().parse().ok())
}

/// The machine's resolv.conf, with the server in place of its resolvers.
fn replaced(text: &str, server: Ipv4Addr) -> String {
    let kept = text.lines().filter(|line| !line.trim_start().starts_with("nameserver"));
    kept.chain([format!("nameserver {server}").as_str()]).flat_map(|line| [line, "\n"]).collect()
}

/// A file that takes the place of resolv.conf in the mounts of one process; it goes when this is dropped, and stays
/// where it is mounted.
pub(super) struct ResolvConf {
    path: PathBuf,
    source: CString,
}

impl ResolvConf {
    pub(super) fn new(server: Ipv4Addr) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("windward-resolv-{}.conf", std::process::id()));
        fs::write(&path, replaced(&fs::read_to_string(RESOLV_CONF)?, server))?;
        let source = CString::new(path.as_os_str().as_bytes())?;
        Ok(Self { path, source })
    }

    /// Mounts it in the calling process, which has mounts of its own. Takes no memory: it may run between fork and
    /// exec.
    pub(super) fn mount(&self) -> io::Result<()> {
        let (from, to, none) = (self.source.as_ptr(), c"/etc/resolv.conf".as_ptr(), ptr::null());
        // SAFETY: all strings end with a zero and live through the call, which concerns this process alone.
        check(unsafe { libc::mount(from, to, none, libc::MS_BIND, none.cast()) }).map(drop)
    }
}

impl Drop for ResolvConf {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolvers_are_replaced_and_the_rest_is_kept() {
        let text = "# made by hand\nsearch example.org\nnameserver 127.0.0.53\nnameserver 192.0.2.1\noptions edns0\n";
        assert_eq!(first_resolver(text), Some(Ipv4Addr::new(127, 0, 0, 53)));
        assert_eq!(
            replaced(text, Ipv4Addr::new(100, 64, 0, 1)),
            "# made by hand\nsearch example.org\noptions edns0\nnameserver 100.64.0.1\n"
        );
        assert_eq!(first_resolver("nameserver ::1\nnameserver 192.0.2.1"), Some(Ipv4Addr::new(192, 0, 2, 1)));
        assert_eq!(first_resolver("search example.org"), None);
    }
}
