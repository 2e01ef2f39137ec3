//! Files that the seeds of a job write while they run.

use std::path::PathBuf;
use windward_run::{Captures, PacketFiles};

/// Packets and events that each seed writes to a folder.
pub fn of(folder: PathBuf, packets: Option<&str>, has_qlog: bool) -> Captures {
    let packets = packets.map(|form| if form == "apart" { PacketFiles::Apart } else { PacketFiles::Together });
    Captures { folder, packets, has_qlog }
}
