//! Laws that are loaded, whoever loaded them: found by the names of our maps.

use crate::laws::{self, KernelLaw};
use crate::sys::{self, Id, Kind};
use crate::{Error, Flow, stay};
use std::ffi::CStr;
use std::os::fd::OwnedFd;
use std::{fs, io};

/// A law in the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name it is registered under.
    pub name: String,
    /// Which law it is.
    pub law: &'static str,
    /// Its parameters as they stand.
    pub parameters: Vec<(&'static str, f64)>,
    /// Connections that it drives, as far as they can be shown.
    pub connections: usize,
    /// True if the law stays until it is unloaded; otherwise it ends with the process that loaded it.
    pub stays: bool,
}

/// The laws of ours that are in the kernel, by name.
///
/// # Errors
/// Not root; a refusal of the kernel.
pub fn list() -> Result<Vec<Entry>, Error> {
    let describe = |registered: &Registered| {
        let Settings { law, values, name, .. } = &registered.settings;
        Ok(Entry {
            name: name.clone(),
            law: law.name,
            parameters: law.label(values),
            connections: registered.keys()?.len(),
            stays: stay::is_kept(name),
        })
    };
    registered()?.iter().map(describe).collect()
}

/// Changes parameters of the law loaded as `name`, while it runs; its connections take them up in their next round
/// trip.
///
/// # Errors
/// Not root; no such law loaded; an unknown parameter or a value out of range.
pub fn set(name: &str, changes: &[(String, f64)]) -> Result<(), Error> {
    let Registered { mut settings, parameters, .. } = find(name)?;
    settings.values = settings.law.change(&settings.values, changes)?;
    settings.write(&parameters).map_err(Error::system(format!("changing the parameters of {name}")))
}

/// The connections that the law loaded as `name` drives.
///
/// # Errors
/// Not root; no such law loaded.
pub fn show(name: &str) -> Result<(&'static KernelLaw, Vec<Flow>), Error> {
    let registered = find(name)?;
    let mut flows = Vec::new();
    for key in registered.keys()? {
        let value =
            sys::map_lookup(&registered.flows, &key, Flow::SIZE).map_err(Error::system("reading a connection"))?;
        // It may have closed since.
        if let Some(value) = value.as_deref().and_then(|value| value.first_chunk()) {
            flows.push(Flow::read(value));
        }
    }
    flows.sort_by_key(|flow| (flow.local, flow.remote));
    Ok((registered.settings.law, flows))
}

/// Unloads the law loaded as `name`, also one of another process. With `even_if_used` also while connections use it:
/// they keep it until they close.
///
/// # Errors
/// Not root; no such law loaded; the default of new connections; in use, without `even_if_used`; held by another
/// process on a kernel that cannot take it away.
pub fn unload(name: &str, even_if_used: bool) -> Result<(), Error> {
    let registered = find(name)?;
    refuse_default(&[name.to_owned()])?;
    let connections = registered.keys()?.len();
    if connections > 0 && !even_if_used {
        return Err(Error::InUse { name: name.to_owned(), connections });
    }
    stay::release(name)?;
    match sys::link_detach(&registered.link) {
        // Gone already, with its pin.
        Err(e) if e.raw_os_error() == Some(libc::EOPNOTSUPP) => {
            drop(registered);
            if find(name).is_ok() {
                let what = format!("unloading {name}, which is held by another process");
                return Err(Error::System { what, source: e });
            }
            Ok(())
        }
        result => result.map_err(Error::system(format!("unloading {name}"))),
    }
}

/// Unloads what stays loaded of ours; returns the names.
///
/// # Errors
/// Not root; one of them is the default of new connections; a refusal of the kernel.
pub fn clean() -> Result<Vec<String>, Error> {
    if !sys::is_root() {
        return Err(Error::NotRoot);
    }
    refuse_default(&stay::names()?)?;
    stay::release_all()
}

/// Refuses to unload a law that new connections get: they would go on getting it, and the kernel would keep its
/// programs.
fn refuse_default(names: &[String]) -> Result<(), Error> {
    let text = fs::read_to_string(DEFAULT).unwrap_or_default();
    let default = text.trim();
    if !names.iter().any(|name| name == default) {
        return Ok(());
    }
    let available = fs::read_to_string(AVAILABLE).unwrap_or_default();
    let has = |law: &&str| available.split_whitespace().any(|known| known == *law);
    // Reno is built into every kernel.
    let other = ["cubic"].into_iter().find(has).unwrap_or("reno");
    Err(Error::Default { name: default.to_owned(), other: other.to_owned() })
}

/// Refuses a name that the kernel has already.
pub(crate) fn refuse_taken(name: &str) -> Result<(), Error> {
    let known = fs::read_to_string(AVAILABLE).unwrap_or_default();
    if known.split_whitespace().any(|known| known == name) { Err(taken(name)) } else { Ok(()) }
}

/// `name` is taken: by us or by another.
pub(crate) fn taken(name: &str) -> Error {
    let (whose, hint) = if find(name).is_ok() {
        (
            "loaded by Windward",
            format!("`windward kernel set {name}` changes its parameters, `unload {name}` unloads it"),
        )
    } else {
        ("not one of Windward's", "choose another name with --as".to_owned())
    };
    Error::NameTaken { name: name.to_owned(), whose, hint }
}

/// A law in the kernel, and its maps.
struct Registered {
    settings: Settings,
    link: OwnedFd,
    parameters: OwnedFd,
    flows: OwnedFd,
}

impl Registered {
    fn keys(&self) -> Result<Vec<[u8; 8]>, Error> {
        sys::map_keys(&self.flows).map_err(Error::system("reading the connections"))
    }
}

fn find(name: &str) -> Result<Registered, Error> {
    let mut all = registered()?;
    match all.iter().position(|registered| registered.settings.name == name) {
        Some(index) => Ok(all.swap_remove(index)),
        None => {
            let names: Vec<_> = all.into_iter().map(|registered| registered.settings.name).collect();
            let loaded =
                if names.is_empty() { "none is loaded".to_owned() } else { format!("loaded: {}", names.join(", ")) };
            Err(Error::NotLoaded { name: name.to_owned(), loaded })
        }
    }
}

fn registered() -> Result<Vec<Registered>, Error> {
    if !sys::is_root() {
        return Err(Error::NotRoot);
    }
    let mut found = scan().map_err(Error::system("listing the kernel's maps and links"))?;
    found.sort_by(|a, b| a.settings.name.cmp(&b.settings.name));
    Ok(found)
}

/// Our links, and the maps that the names and values of maps lead to.
fn scan() -> io::Result<Vec<Registered>> {
    let mut found = Vec::new();
    for id in sys::ids(Kind::Link)? {
        let Some(link) = sys::by_id(Kind::Link, id)? else { continue };
        let Some(map) = sys::link_map(&link)? else { continue };
        let Some(map) = sys::by_id(Kind::Map, map)? else { continue };
        let info = sys::map_info(&map)?;
        let Some(parameters) = info.name().strip_prefix(LAW_MAP).and_then(|id| Id::from_str_radix(id, 16).ok()) else {
            continue;
        };
        let Some(parameters) = sys::by_id(Kind::Map, parameters)? else { continue };
        let Some(settings) = Settings::read(&parameters)? else { continue };
        let Some(flows) = sys::by_id(Kind::Map, settings.flows)? else { continue };
        found.push(Registered { settings, link, parameters, flows });
    }
    Ok(found)
}

/// The one value of the map of parameters: what the law's programs read, and what leads from there to the rest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Which law.
    pub law: &'static KernelLaw,
    /// Its parameters.
    pub values: Vec<f64>,
    /// The map of connections.
    pub flows: Id,
    /// The name that the law is registered under.
    pub name: String,
}

impl Settings {
    /// Bytes of the value: eight parameters, the map's id, two names of 16 bytes.
    pub(crate) const SIZE: usize = 72;
    const FLOWS: usize = 32;
    const LAW: usize = 40;
    const NAME: usize = 56;

    pub(crate) fn write(&self, map: &OwnedFd) -> io::Result<()> {
        sys::map_update(map, &[0; 4], &self.encode())
    }

    fn read(map: &OwnedFd) -> io::Result<Option<Self>> {
        if sys::map_info(map)?.value_size as usize != Self::SIZE {
            return Ok(None);
        }
        let value = sys::map_lookup(map, &[0; 4], Self::SIZE)?;
        Ok(value.as_deref().and_then(|value| value.first_chunk()).and_then(Self::decode))
    }

    fn encode(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
        let words = laws::encode(&self.values);
        words.iter().zip((0..).step_by(4)).for_each(|(word, at)| put(at, &word.to_ne_bytes()));
        put(Self::FLOWS, &self.flows.to_ne_bytes());
        put(Self::LAW, self.law.name.as_bytes());
        put(Self::NAME, self.name.as_bytes());
        bytes
    }

    fn decode(bytes: &[u8; Self::SIZE]) -> Option<Self> {
        let word = |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk().copied()).map(u32::from_ne_bytes);
        let text = |at: usize| CStr::from_bytes_until_nul(bytes.get(at..)?).ok()?.to_str().ok();
        let law = KernelLaw::named(text(Self::LAW)?).ok()?;
        let words: Vec<u32> = (0..law.parameters().len()).map(|index| word(4 * index)).collect::<Option<_>>()?;
        Some(Self { law, values: laws::decode(&words), flows: word(Self::FLOWS)?, name: text(Self::NAME)?.to_owned() })
    }
}

/// The kernel's list of laws, the same in every network namespace.
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// The law of this network namespace's new connections that choose none.
const DEFAULT: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

/// Beginning of the name of a law's struct_ops map; the id of its map of parameters follows in hexadecimal digits.
pub(crate) const LAW_MAP: &str = "ww_law_";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_the_map() {
        let settings = Settings {
            law: KernelLaw::named("compound").unwrap(),
            values: vec![0.125, 0.75, 0.5, 30.0, 65_535.0],
            flows: 4711,
            name: "fifteen_letters".to_owned(),
        };
        let bytes = settings.encode();
        assert_eq!(Settings::decode(&bytes), Some(settings));
        // The law's programs read the first words, in steps of 2^-16.
        assert_eq!(bytes[..8], [0, 0x20, 0, 0, 0, 0xc0, 0, 0]);
    }
}
