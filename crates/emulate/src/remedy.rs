//! The line that lets a machine emulate, by the step that its kernel refused.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A step that kernels, containers and sandboxes refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A user namespace of one's own.
    User,
    /// A network or PID namespace.
    Namespace,
    /// A TUN device.
    Device,
}

/// Line of a container that may do all of this.
const CONTAINER: &str = "docker run --device /dev/net/tun --cap-add NET_ADMIN --cap-add SYS_ADMIN \
                         --security-opt apparmor=unconfined";

/// The remedy for a refusal on this machine.
pub(crate) fn of(step: Step, error: &io::Error) -> String {
    below(Path::new("/"), step, error)
}

fn below(root: &Path, step: Step, error: &io::Error) -> String {
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap_or_default();
    let setting = |name: &str| read(&format!("proc/sys/{name}")).trim().to_owned();
    let is_container = ["run/.containerenv", ".dockerenv"].iter().any(|name| root.join(name).exists());
    // The version that gVisor shows, whatever it runs on.
    if read("proc/version").starts_with("Linux version 4.4.0 ") {
        return "this looks like gVisor, which has neither; run the job with another runtime: docker run --runtime=runc"
            .to_owned();
    }
    if step == Step::Device && error.kind() == io::ErrorKind::NotFound {
        return if is_container { CONTAINER.to_owned() } else { "sudo modprobe tun".to_owned() };
    }
    // A device for all, as distributions have it.
    let is_for_all = || fs::metadata(root.join("dev/net/tun")).is_ok_and(|file| file.permissions().mode() & 0o6 == 0o6);
    if step == Step::Device && error.kind() == io::ErrorKind::PermissionDenied && !is_for_all() {
        return "sudo chmod 666 /dev/net/tun".to_owned();
    }
    for (name, forbids, line) in [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
        ("user/max_net_namespaces", "0", "user.max_net_namespaces=15000"),
    ] {
        if setting(name) == forbids {
            return format!("sudo sysctl -w {line}");
        }
    }
    if is_container {
        return CONTAINER.to_owned();
    }
    "run it as root, or where users may make namespaces and open /dev/net/tun".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with these files.
    fn machine(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
        let root = std::env::temp_dir().join(format!("windward-remedy-{}-{name}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(&root).unwrap();
        root
    }

    #[test]
    fn each_machine_has_its_line() {
        let (denied, missing) = (|| io::Error::from_raw_os_error(libc::EACCES), || io::Error::from_raw_os_error(2));
        let ubuntu = [("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n")];
        let debian = [("proc/sys/kernel/unprivileged_userns_clone", "0\n")];
        let hardened = [("proc/sys/user/max_user_namespaces", "0\n")];
        let gvisor = [("proc/version", "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n")];
        let docker = [(".dockerenv", "")];
        let apparmor = "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
        type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], Step, io::Error, &'a str);
        let cases: [Case<'_>; 8] = [
            ("ubuntu", &ubuntu, Step::User, denied(), apparmor),
            ("ubuntu-net", &ubuntu, Step::Namespace, io::Error::from_raw_os_error(libc::EPERM), apparmor),
            ("debian", &debian, Step::User, denied(), "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
            ("hardened", &hardened, Step::User, denied(), "sudo sysctl -w user.max_user_namespaces=15000"),
            ("gvisor", &gvisor, Step::Device, missing(), "--runtime=runc"),
            ("docker", &docker, Step::Namespace, denied(), "--cap-add SYS_ADMIN"),
            ("no-tun", &[], Step::Device, missing(), "sudo modprobe tun"),
            ("tun-0600", &[("dev/net/tun", "")], Step::Device, denied(), "sudo chmod 666 /dev/net/tun"),
        ];
        for (name, files, step, error, line) in cases {
            let root = machine(name, files);
            let said = below(&root, step, &error);
            fs::remove_dir_all(&root).unwrap();
            assert!(said.contains(line), "{name}: {said}");
        }
    }
}
